# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is to reach in a rollout, and by which steps: a config, or the state that its Machine declares. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union

from .._nodeconfig.assignment import ConfigSource

HostAction = Literal["create", "update", "rollback", "delete"]
GoalAction = Literal["assign", "create", "update", "replace", "delete"]  # assign: only a config; else of a machine


@dataclass(frozen=True)
class Situation:
    """What a rollout knows of a node when it asks the goal of the node for steps.

    uid: of its Node, "" without a Node. is_marked: the Node has the mark of a cordon of this pool. uses_config: it uses
    the config of the goal, up or not. former_uid: of the Node when the rollout began, "" if the record does not say it.
    changes_versions: the goal has other versions than the machine had then. asks_drain, asks_reboot: the change asks
    this of the node. is_broken_wave: the wave is of nodes that are not Ready. possibly_assigned: an earlier run may
    have assigned the node. forget_bad: a node that refused the config is assigned it again.
    """

    uid: str = ""
    is_ready: bool = False
    is_deleting: bool = False
    is_marked: bool = False
    uses_config: bool = False
    has_reached_goal: bool = False
    former_uid: str = ""
    changes_versions: bool = False
    asks_drain: bool = False
    asks_reboot: bool = False
    is_broken_wave: bool = False
    possibly_assigned: bool = False
    forget_bad: bool = False


@dataclass(frozen=True)
class Drain:
    """Cordon the Node, and evict its pods.

    evicts: False if the kubelet is down, because the pods would not end. reboot: the node is rebooted before it is
    uncordoned. for_host: its host is changed.
    """

    evicts: bool = True
    reboot: bool = False
    for_host: bool = False


@dataclass(frozen=True)
class ChangeHost:
    """Have the provider change the host of a machine."""

    action: HostAction
    goal: MachineGoal


@dataclass(frozen=True)
class DeleteNode:
    """Delete the Node, whose host was deleted."""


@dataclass(frozen=True)
class AwaitNode:
    """Wait until the Node is registered. old_uid: of the Node that it replaces, "" for none."""

    old_uid: str = ""


@dataclass(frozen=True)
class Assign:
    """Assign the config of the goal. possibly_assigned, forget_bad: as in Situation."""

    possibly_assigned: bool
    forget_bad: bool


@dataclass(frozen=True)
class Declare:
    """Write what a Machine declares to its Node, and assign its config.

    assigns: also to a node that uses the config, since its host was changed. possibly_assigned, forget_bad: as in
    Situation. old_uid: of a Node that is replaced, and no longer counts.
    """

    goal: MachineGoal
    assigns: bool
    possibly_assigned: bool = False
    forget_bad: bool = False
    old_uid: str = ""


@dataclass(frozen=True)
class AwaitWatch:
    """Wait until the watch shows the Node that was registered: its events before are those of another."""


@dataclass(frozen=True)
class RebootNode:
    """Reboot the node, and wait until it is Ready."""


@dataclass(frozen=True)
class TakeBack:
    """Return the host and the config of a machine to what they were."""

    goal: MachineGoal


Step = Union[Drain, ChangeHost, DeleteNode, AwaitNode, Assign, Declare, AwaitWatch, RebootNode, TakeBack]

STEPS_TO_REBOOT: tuple[Step, ...] = (Drain(reboot=True), RebootNode())
"""The steps of a node that uses its new config, and is rebooted for it."""


@dataclass(frozen=True)
class Goal:
    """A config source that a node is to use, None for the init config. action: what is done for it."""

    source: ConfigSource | None
    action: GoalAction = "assign"

    def steps(self, node: Situation) -> tuple[Step, ...]:
        """Return the steps by which a node reaches the goal, in order."""
        assign = Assign(node.possibly_assigned, node.forget_bad)
        if node.uses_config or not (node.asks_drain or node.is_marked):
            return (assign,)
        is_down = node.is_broken_wave and not node.is_ready
        return Drain(evicts=not is_down, reboot=node.asks_reboot), assign

    def steps_back(self, node: Situation) -> tuple[Step, ...]:
        """Return the steps by which a node that fails is taken back: none, because agents take back configs."""
        return ()

    def changes_host(self, *, changes_versions: bool) -> bool:
        """Return whether the rollout changes the host. changes_versions: as in Situation."""
        return False

    def is_half_done(self, node: Situation) -> bool:
        """Return whether an earlier run has begun to change the host, so that the node is unavailable."""
        return False

    def previous_versions(self) -> Mapping[str, Any]:
        """Return the versions to which a machine returns that fails, {} if the goal does not say them."""
        return {}

    @property
    def is_deletion(self) -> bool:
        """Return whether the node is to be deleted."""
        return self.action == "delete"

    @property
    def changes_machine(self) -> bool:
        """Return whether a machine keeps its host, which may be changed, and its Node."""
        return self.action == "update"

    @property
    def makes_or_deletes_node(self) -> bool:
        """Return whether the Node is made, or goes, whatever it says now."""
        return self.action in ("create", "replace", "delete")

    @property
    def has_work_on_host(self) -> bool:
        """Return whether a provider has work on the host, whatever the config."""
        return False


@dataclass(frozen=True)
class MachineGoal(Goal):
    """What a machine is to be, in addition to its config.

    action: what is done with it. kubelet_version: without a leading v, "" for any. runtime: (name, version), ("", "")
    for any; a Node matches a version by a prefix at a dot, tilde, plus or hyphen. labels: those that the Node must
    have, None for a label that it must not have. taints: (key, value, effect) that it must have; untaint: keys of
    taints that it must not have. annotation: the value of configok.dev/machine. needs_host, needs_drain: whether the
    provider has work on the host, and whether the pods leave first. disruption: the class of the heaviest change, "" if
    it follows from the action; a class that needs a drain or a reboot has it also if only the config changes. previous:
    the versions to return to if the change fails, with the keys kubelet and runtime as here.
    """

    action: GoalAction = "update"
    kubelet_version: str = ""
    runtime: tuple[str, str] = ("", "")
    labels: Mapping[str, str | None] = field(default_factory=dict)
    taints: tuple[tuple[str, str, str], ...] = ()
    untaint: tuple[str, ...] = ()
    annotation: str = ""
    needs_host: bool = True
    needs_drain: bool = True
    disruption: str = ""
    previous: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_work_on_host(self) -> bool:
        """Return whether the provider has work on the host."""
        return self.needs_host

    def steps(self, node: Situation) -> tuple[Step, ...]:
        """Return the steps by which a machine becomes what it is declared to be, in order."""
        if self.action == "delete":
            return self._steps_to_delete(node)
        if self.action == "update":
            return self._steps_to_update(node)
        return self._steps_to_create(node)

    def steps_back(self, node: Situation) -> tuple[Step, ...]:
        """Return the steps by which a machine that fails returns to its previous versions and config."""
        if node.is_marked:
            return (TakeBack(self),)
        return Drain(evicts=node.is_ready, for_host=True), TakeBack(self)  # it was up, and failed later

    def _steps_to_update(self, node: Situation) -> tuple[Step, ...]:
        # The mark of a rollout before this one says that the host may be half changed.
        is_begun = node.is_marked and (node.changes_versions or not node.possibly_assigned)
        needs_host = self.needs_host or is_begun
        steps: list[Step] = []
        if needs_host or (node.asks_drain and not node.has_reached_goal):
            is_down = not node.is_ready and (node.is_broken_wave or node.is_marked)
            steps.append(Drain(evicts=not is_down, reboot=node.asks_reboot, for_host=needs_host))
        if needs_host:
            steps.append(ChangeHost("update", self))
        return (*steps, Declare(self, needs_host, node.possibly_assigned, node.forget_bad))

    def _steps_to_create(self, node: Situation) -> tuple[Step, ...]:
        """Return the steps that make a host a Node. A Node to replace is deleted first, unless an earlier run has."""
        if node.uid and not node.is_marked and node.has_reached_goal:
            return (Declare(self, assigns=False, possibly_assigned=True),)
        old_uid = node.former_uid if self.action == "replace" else ""
        return (
            *(self._steps_to_delete(node) if node.uid == old_uid else ()),
            ChangeHost("create", self),
            AwaitNode(old_uid),
            Declare(self, assigns=True, old_uid=old_uid),
            AwaitWatch(),
        )

    def _steps_to_delete(self, node: Situation) -> tuple[Step, ...]:
        """Return the steps that delete a machine: none without a Node, which is the last of it to go."""
        if not node.uid:
            return ()
        # The plan may not have known of this Node, so it is drained whatever the change asks.
        evicts = node.is_ready and not node.is_deleting
        return Drain(evicts=evicts, for_host=True), ChangeHost("delete", self), DeleteNode()

    def changes_host(self, *, changes_versions: bool) -> bool:
        """Return whether this rollout changes the host of the machine, in this run or an earlier one."""
        return self.needs_host or self.action != "update" or changes_versions

    def is_half_done(self, node: Situation) -> bool:
        """Return whether an earlier run has begun to change the machine, which is therefore unavailable."""
        if node.is_marked:
            return self.changes_host(changes_versions=node.changes_versions)
        return node.uid != node.former_uid and not node.is_ready and not node.has_reached_goal

    def previous_versions(self) -> Mapping[str, Any]:
        """Return the versions to return to if the change fails."""
        return self.previous
