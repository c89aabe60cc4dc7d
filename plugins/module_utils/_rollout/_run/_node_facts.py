# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rollout knows of its nodes, from its plan, its record and the watch. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..._nodeconfig.assignment import ConfigSource
from .._drain.cordon import is_reboot_pending, marking_pool
from .._nodes.node_goals import has_reached, unmet_versions
from .._nodes.node_view import NodeSystem, NodeView
from .._record.record import PreviousMachine
from ..goals import Goal, Situation


class NodeFacts:
    """The facts on the nodes of one wave.

    nodes: the present views of the watch. to_drain, to_reboot: the nodes of which the change asks this. machines,
    sources: what the Nodes of machines were, and what Nodes used, when the rollout began.
    """

    def __init__(
        self,
        pool: str,
        nodes: Mapping[str, NodeView],
        *,
        to_drain: Collection[str] = (),
        to_reboot: Collection[str] = (),
        machines: Mapping[str, PreviousMachine] | None = None,
        sources: Mapping[str, ConfigSource | None] | None = None,
        is_broken_wave: bool = False,
    ) -> None:
        self._pool = pool
        self._nodes = nodes
        self._to_drain = to_drain
        self._to_reboot = to_reboot
        self._machines = machines or {}
        self._sources = sources or {}
        self._is_broken_wave = is_broken_wave

    def situation(
        self,
        name: str,
        view: NodeView | None,
        goal: Goal,
        *,
        possibly_assigned: bool = False,
        forget_bad: bool = False,
    ) -> Situation:
        """Return what the goal of a node must know to say its steps. view: None without a Node."""
        former = self._machines.get(name)
        return Situation(
            uid="" if view is None else view.uid,
            is_ready=view is not None and view.ready is True,
            is_deleting=view is not None and view.deleting,
            is_marked=view is not None and self._is_marked(view),
            uses_config=view is not None and view.is_on(goal.source),
            has_reached_goal=has_reached(view, goal),
            former_uid="" if former is None else former.uid,
            changes_versions=self._changes_versions(name, goal),
            asks_drain=name in self._to_drain,
            asks_reboot=name in self._to_reboot,
            is_broken_wave=self._is_broken_wave,
            possibly_assigned=possibly_assigned,
            forget_bad=forget_bad,
        )

    def is_cordoned(self, name: str) -> bool:
        """Return whether a node may have a cordon of this pool."""
        view = self._nodes.get(name)
        return name in self._to_drain or (view is not None and self._is_marked(view))

    def needs_reboot(self, view: NodeView) -> bool:
        """Return whether a node that uses its new config must be rebooted for it, and was not yet."""
        return is_reboot_pending(view, self._pool)

    def has_changed_host(self, name: str, goal: Goal) -> bool:
        """Return whether the rollout changes the host of a node, in this run or an earlier one."""
        return goal.changes_host(changes_versions=self._changes_versions(name, goal))

    def can_roll_back(self, name: str, goal: Goal) -> bool:
        """Return whether a node that fails is taken back by the run: agents take back configs themselves."""
        return goal.changes_machine and self.has_changed_host(name, goal) and self.previous(name, goal) is not None

    def is_half_done(self, view: NodeView, goal: Goal) -> bool:
        """Return whether an earlier run has begun to change the host of a node."""
        return goal.is_half_done(self.situation(view.name, view, goal))

    def previous(self, name: str, goal: Goal) -> PreviousMachine | None:
        """Return what a machine was when the rollout began; the goal says it for a record that does not."""
        previous, versions = self._machines.get(name), goal.previous_versions()
        if previous is None and versions:
            runtime_name, runtime_version = versions.get("runtime") or ("", "")
            return PreviousMachine("", str(versions.get("kubelet") or ""), str(runtime_name), str(runtime_version))
        return previous

    def previous_source(self, name: str, goal: Goal) -> ConfigSource | None:
        """Return the config that a node used when the rollout began; that of its goal for one that was new then."""
        return self._sources.get(name, goal.source)

    def _is_marked(self, view: NodeView) -> bool:
        return marking_pool(view) == self._pool

    def _changes_versions(self, name: str, goal: Goal) -> bool:
        previous = self.previous(name, goal)
        if previous is None:
            return False
        runtime = (previous.runtime_name, previous.runtime_version)
        before = NodeView("", previous.uid, system=NodeSystem(previous.kubelet_version, runtime=runtime))
        return bool(unmet_versions(before, goal))


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
