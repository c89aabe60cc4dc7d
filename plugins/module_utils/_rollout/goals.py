# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is to reach in a rollout: a config, or the state that its Machine declares. Pure.

Private to configok.node.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .._nodeconfig.assignment import ConfigSource


@dataclass(frozen=True)
class Goal:
    """A config source that a node is to use, None for the init config."""

    source: ConfigSource | None

    @property
    def is_deletion(self) -> bool:
        """Return whether the node is to be deleted."""
        return False

    @property
    def changes_machine(self) -> bool:
        """Return whether a machine keeps its host, which may be changed, and its Node."""
        return False

    @property
    def makes_or_deletes_node(self) -> bool:
        """Return whether the Node is made, or goes, whatever it says now."""
        return False

    @property
    def has_work_on_host(self) -> bool:
        """Return whether a provider has work on the host, whatever the config."""
        return False


MachineGoalAction = Literal["create", "update", "replace", "delete"]


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

    action: MachineGoalAction = "update"
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
    def is_deletion(self) -> bool:
        """Return whether the machine is to be deleted."""
        return self.action == "delete"

    @property
    def changes_machine(self) -> bool:
        """Return whether the machine keeps its host, which may be changed, and its Node."""
        return self.action == "update"

    @property
    def makes_or_deletes_node(self) -> bool:
        """Return whether the machine is created, replaced or deleted."""
        return self.action != "update"

    @property
    def has_work_on_host(self) -> bool:
        """Return whether the provider has work on the host."""
        return self.needs_host
