# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that an earlier rollout still moves when a run begins."""

from __future__ import annotations

from collections.abc import Iterable

from .._nodes.node_view import NodeView


class UnsettledNodes:
    """Nodes that have not answered their assignment when a run begins, and may restart at any moment.

    They count as unavailable until they answer. until: when a node that has not answered counts as silent.
    """

    def __init__(self, views: Iterable[NodeView], until: float) -> None:
        self._names = {view.name for view in views if view.has_agent and view.assigned.id and not view.is_settled}
        self._until = until

    def includes(self, view: NodeView, now: float) -> bool:
        """Return whether a node may still restart because of an earlier assignment. Forgets one that may not."""
        if view.name in self._names and (view.is_settled or now >= self._until):
            self._names.discard(view.name)
        return view.name in self._names

    def take_silent(self, now: float) -> set[str]:
        """Return, once, the nodes that have not answered in time."""
        if now < self._until:
            return set()
        names, self._names = self._names, set()
        return names
