# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether a reconcile may follow an event by itself. Pure.

A change that no operator asked for must not be made again and again, nor on many nodes at a time: that is a fault, or
a change of another client, and an operator decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

WINDOW_SECONDS = 60.0
MAX_SHARE = 0.05  # of a pool's nodes; one node is always allowed
_MAX_DRIFTS = 1  # of a node and a revision that are taken back


class AutomaticChanges:
    """Remembers which nodes have joined or drifted, as long as the source lives."""

    def __init__(self) -> None:
        self._joined: set[tuple[str, int]] = set()
        self._drifts: dict[tuple[str, int], int] = {}
        self._recent: dict[str, deque[tuple[float, str]]] = {}

    def is_new(self, uid: str, revision: int) -> bool:
        """Return whether this node has not joined at this revision yet."""
        return (uid, revision) not in self._joined

    def note_joined(self, uids: Collection[str], revision: int) -> None:
        """Remember that a reconcile to this revision follows for these nodes."""
        self._joined.update((uid, revision) for uid in uids)

    def note_drifted(self, pool: str, uid: str, revision: int, now: float) -> None:
        """Remember that a node of a pool has drifted from this revision."""
        self._drifts[(uid, revision)] = self._drifts.get((uid, revision), 0) + 1
        self._recent.setdefault(pool, deque()).append((now, uid))

    def why_not(self, pool: str, uid: str, revision: int, *, size: int, now: float) -> str:
        """Return why no reconcile follows the drift of a node, "" if one may. size: the nodes of the pool."""
        if self._drifts.get((uid, revision), 0) > _MAX_DRIFTS:
            return "another client has changed the node again since: end that first"
        recent = self._recent.get(pool, deque())
        while recent and recent[0][0] < now - WINDOW_SECONDS:
            recent.popleft()
        drifted = len({recent_uid for _time, recent_uid in recent})
        if drifted > max(1, int(size * MAX_SHARE)):
            return f"{drifted} of the pool's {size} nodes have drifted within a minute: find the cause first"
        return ""

    def forget(self, uid: str) -> None:
        """Forget a node that no longer exists."""
        self._joined = {entry for entry in self._joined if entry[0] != uid}
        self._drifts = {entry: count for entry, count in self._drifts.items() if entry[0] != uid}
