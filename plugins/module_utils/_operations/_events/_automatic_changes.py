# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether a reconcile may follow an event by itself. Pure.

A change that no operator asked for must not be made again and again, nor on many nodes at a time: that is a fault, or
a change of another client, and an operator decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping

from ..._text import count_of

_WINDOW_SECONDS = 60.0
_MAX_SHARE = 0.05  # of a pool's nodes; one node is always allowed
_MAX_DRIFTS = 1  # of a node from a target that are taken back


class AutomaticChanges:
    """Remembers which nodes have joined or drifted, as long as the source lives.

    target: what names a pool, and what its rollout has moved it to.
    """

    def __init__(self) -> None:
        self._joined: dict[str, set[str]] = {}
        self._drifts: dict[str, dict[str, set[int]]] = {}  # assignments by uid and target
        self._recent: dict[str, deque[tuple[float, str]]] = {}

    def is_new(self, uid: str, target: str) -> bool:
        """Return whether the joining of this node has not been reported yet."""
        return target not in self._joined.get(uid, ())

    def note_joined(self, uids: Collection[str], target: str) -> None:
        """Remember that the joining of these nodes has been reported."""
        for uid in uids:
            self._joined.setdefault(uid, set()).add(target)

    def note_drifted(self, pool: str, assignments: Mapping[str, int], target: str, now: float) -> None:
        """Remember that nodes of a pool have drifted from its target. assignments: what each has now, by its uid."""
        recent = self._recent.setdefault(pool, deque())
        while recent and recent[0][0] < now - _WINDOW_SECONDS:
            recent.popleft()
        for uid, assignment in assignments.items():
            self._drifts.setdefault(uid, {}).setdefault(target, set()).add(assignment)
            recent.append((now, uid))

    def why_not(self, pool: str, uids: Collection[str], target: str, size: int) -> str:
        """Return why no reconcile follows the drift that was noted last, "" if one may. size: the nodes of the pool."""
        again = sum(1 for uid in uids if len(self._drifts.get(uid, {}).get(target, ())) > _MAX_DRIFTS)
        if again:
            return f"another client changed {count_of(again, 'node')} again: stop it first"
        drifted = len({uid for _time, uid in self._recent.get(pool, ())})
        if drifted > max(1, int(size * _MAX_SHARE)):
            return f"{drifted} of {size} nodes of the pool have drifted within a minute: find the cause first"
        return ""

    def forget(self, uid: str) -> None:
        """Forget a node that no longer exists."""
        self._joined.pop(uid, None)
        self._drifts.pop(uid, None)
