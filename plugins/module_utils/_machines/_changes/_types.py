# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to change on a machine, as data. Pure. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from ..._nodeconfig._assignment import ConfigSource
from .._objects._types import Machine, Runtime, Taint

__all__ = ["ChangedField", "MachineAction", "MachineChange", "ObservedMachine"]


class MachineAction(Enum):
    """What a run does with a machine."""

    NONE = "none"
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"


@dataclass(frozen=True)
class ObservedMachine:
    """What a Node says of its machine.

    kubelet_version: without a leading v. ready: None for Unknown. config_ok: "True", "False", "Unknown", "" for none.
    config_source: what is assigned, None for the init config. managed_labels, managed_taints: the keys that an earlier
    run has set, from the annotation configok.dev/machine. cordoned: spec.unschedulable.
    """

    name: str
    uid: str
    kubelet_version: str = ""
    runtime: Runtime | None = None
    os_image: str = ""
    ready: bool | None = None
    config_ok: str = ""
    config_message: str = ""
    config_source: ConfigSource | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    managed_labels: tuple[str, ...] = ()
    managed_taints: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    deleting: bool = False
    has_agent: bool = False
    is_ours: bool = False  # the Node has the annotation configok.dev/machine


class ChangedField(NamedTuple):
    """A difference between a Machine and its Node. disruption: a class of the engine's table, "none" to "replace"."""

    path: str
    before: Any
    after: Any
    disruption: str


@dataclass(frozen=True)
class MachineChange:
    """The planned change of one machine.

    machine: None for one to delete that no file declares any more. observed: None for one whose Node does not exist.
    refusals: why this machine must not be changed so, one sentence each; any of them stops the plan.
    """

    name: str
    action: MachineAction
    machine: Machine | None
    observed: ObservedMachine | None
    fields: tuple[ChangedField, ...] = ()
    disruption: str = "none"
    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def needs_host(self) -> bool:
        """Return whether the provider has work on the host, beyond what the API server takes."""
        if self.action in (MachineAction.CREATE, MachineAction.REPLACE, MachineAction.DELETE):
            return True
        return any(changed.path.startswith("spec.versions.") for changed in self.fields)

    @property
    def needs_drain(self) -> bool:
        """Return whether the pods of the Node must leave first."""
        return self.action is not MachineAction.CREATE and self.needs_host
