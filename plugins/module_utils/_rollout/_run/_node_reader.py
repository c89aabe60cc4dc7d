# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read Nodes of which the watch does not show what a wave has to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._nodes._node_watcher import NodeWatcher
from .._nodes.node_list import read_nodes
from .._nodes.node_view import NodeView
from ._session import RunSession
from ._wave_plan import LostNode


class NodeReader:
    """Reads single Nodes, in addition to the watch."""

    def __init__(self, session: RunSession, watcher: NodeWatcher) -> None:
        self._session = session
        self._watcher = watcher

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
