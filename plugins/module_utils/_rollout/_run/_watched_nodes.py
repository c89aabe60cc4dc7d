# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Nodes of a wave: whether the watch shows them, and single reads of what it does not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import ApiUnavailable
from .._nodes._node_watcher import NodeWatcher
from .._nodes.node_list import read_nodes
from .._nodes.node_view import NodeView
from .._outage import Interruption
from ._session import RunSession
from ._wave_state import LostNode


class WatchedNodes:
    """The Nodes of a pool, although their watch may be interrupted, or be behind."""

    def __init__(self, session: RunSession, watcher: NodeWatcher) -> None:
        self._session = session
        self._watcher = watcher
        self._interruption = Interruption(session.outage, session.clock)
        self._since: float | None = None

    @property
    def are_hidden(self) -> bool:
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
        longest = self._session.outage.longest
        if now - self._since > longest:
            raise ApiUnavailable(
                f"the nodes could not be watched for {longest:.0f}s ({error}): nothing else is "
                "assigned, and what is assigned continues by itself; run it again to continue"
            ) from error
        return None

    def new_interruption(self) -> str:
        """Return a line for an interruption that was not shown yet, "" for none."""
        error = self._watcher.error
        if not self._interruption.is_due(error):
            return ""
        return f"the watch of the nodes is interrupted, and tried again: {error}"

    def read_lost(self, name: str, last_seen: NodeView | None) -> LostNode:
        """Return what is known of a Node that the watch has lost, and whether it exists: then it has left the pool.

        last_seen: the last view of the watch, None without one. Raises KubeError.
        """
        view = self._read([name])[name]
        has_left = view is not None and not view.deleting and (last_seen is None or view.uid == last_seen.uid)
        return LostNode(view, True) if has_left else LostNode(last_seen)

    def refresh(self, names: Sequence[str]) -> None:
        """Replace what the watch shows of these nodes by what the API server says. Raises KubeError."""
        for name, view in self._read(names).items():
            if view is None:
                self._watcher.nodes.pop(name, None)
            else:
                self._watcher.nodes[name] = view

    def _read(self, names: Sequence[str]) -> Mapping[str, NodeView | None]:
        session = self._session
        return read_nodes(session.client, names, threads=session.node_clock, make_view=self._watcher.view_of)
