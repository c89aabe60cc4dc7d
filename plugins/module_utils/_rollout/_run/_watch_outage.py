# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether a wave can observe its nodes, although their watch may be interrupted."""

from __future__ import annotations

from .. import ApiUnavailable
from .._nodes._node_watcher import NodeWatcher
from .._outage import MAX_OUTAGE, Interruption


class WatchOutage:
    """Whether the nodes can be observed. interruption: decides when an interrupted watch is worth a line."""

    def __init__(self, watcher: NodeWatcher, interruption: Interruption) -> None:
        self._watcher = watcher
        self._interruption = interruption
        self._since: float | None = None

    @property
    def is_under_way(self) -> bool:
        """Return whether the last check has found that the nodes cannot be observed."""
        return self._since is not None

    def check(self, now: float) -> float | None:
        """Look at the watch. Return for how many seconds the nodes were not observed, if they are again; else None.

        Raises ApiUnavailable for an outage that lasts too long.
        """
        error = self._watcher.error
        if error is None:
            since, self._since = self._since, None
            return None if since is None else now - since
        if self._since is None:
            self._since = now
        if now - self._since > MAX_OUTAGE:
            raise ApiUnavailable(
                f"the nodes could not be watched for {MAX_OUTAGE:.0f}s ({error}): nothing else is "
                "assigned, and what is assigned continues by itself; run it again to continue"
            ) from error
        return None

    def new_interruption(self) -> str:
        """Return a line for an interruption that was not shown yet, "" for none."""
        error = self._watcher.error
        if not self._interruption.is_due(error):
            return ""
        return f"the watch of the nodes is interrupted, and tried again: {error}"
