# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to change on a machine, as data. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.bundle_trial import Trial
from .._objects.types import Cluster, Machine, Provider, Runtime, Taint
from ._machine_annotation import NO_ANNOTATION, MachineAnnotation

CLUSTER_PATH = "Cluster."
"""How the path of a field begins that the Cluster declares for the init config of its machines."""
_HOST_PATHS = ("spec.versions.", "spec.providerConfig", CLUSTER_PATH)


class MachineAction(Enum):
    """What a run does with a machine."""

    NONE = "none"
    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"


@dataclass(frozen=True)
class ObservedConfig:
    """What a Node says of its configs.

    ok: ConfigOK as "True", "False", "Unknown", "" for none. source: what is assigned, None for the init config. active:
    what the agent reports to use. local: the hash of the node's own config.
    """

    ok: str = ""
    message: str = ""
    source: ConfigSource | None = None
    active: ConfigSource | None = None
    local: str = ""


@dataclass(frozen=True)
class ObservedMachine:
    """What a Node says of its machine.

    kubelet_version: without a leading v. ready: None for Unknown. cordoned: spec.unschedulable. cordoned_by: the pool
    whose rollout has cordoned it. annotation: what the last run has declared and installed. annotation_error: why the
    annotation cannot be used; the Node then counts as one that no run has changed.
    """

    name: str
    uid: str
    kubelet_version: str = ""
    runtime: Runtime | None = None
    os_image: str = ""
    ready: bool | None = None
    config: ObservedConfig = ObservedConfig()
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    addresses: tuple[str, ...] = ()
    deleting: bool = False
    has_agent: bool = False
    cordoned: bool = False
    cordoned_by: str = ""
    annotation: MachineAnnotation = NO_ANNOTATION
    annotation_error: str = ""

    @property
    def is_ours(self) -> bool:
        """Return whether a run has changed the machine: its Node has the annotation configok.dev/machine."""
        return bool(self.annotation.machine)


class ChangedField(NamedTuple):
    """A difference between a Machine and its Node. disruption: a class of the engine's table, "none" to "replace"."""

    path: str
    before: Any
    after: Any
    disruption: str


@dataclass(frozen=True)
class MachineChange:
    """The planned change of one machine.

    machine: None for a Node whose Machine no file declares. observed: None for one whose Node does not exist.
    refusals: why this machine must not be changed so, one sentence each; any of them stops the plan. by_reported: the
    same, by the kubelet version that only its Node reports; few such machines are left out. adjusted: what the provider
    adjusts on the way, such as flags that the new kubelet does not have. source: the config to assign, None
    for the init config. unfinished: a run was moving it and has ended before the machine had passed. trial: of the
    bundle to assign, if the machine does not use it yet.
    """

    name: str
    action: MachineAction
    machine: Machine | None
    observed: ObservedMachine | None
    fields: tuple[ChangedField, ...] = ()
    disruption: str = "none"
    refusals: tuple[str, ...] = ()
    by_reported: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    adjusted: tuple[str, ...] = ()
    source: ConfigSource | None = None
    provider: Provider | None = None
    cluster: Cluster | None = None
    unfinished: bool = False
    trial: Trial | None = None

    @property
    def is_change(self) -> bool:
        """Return whether a run moves the machine."""
        return self.action is not MachineAction.NONE

    @property
    def decision(self) -> str:
        """Return how the provider updates the machine: "in place", "replacement", "" for no update."""
        return {MachineAction.UPDATE: "in place", MachineAction.REPLACE: "replacement"}.get(self.action, "")

    @property
    def needs_host(self) -> bool:
        """Return whether the provider has work on the host, beyond what the API server takes."""
        if self.action in (MachineAction.CREATE, MachineAction.REPLACE, MachineAction.DELETE):
            return True
        if self.unfinished and self.observed is not None and self.observed.cordoned_by:
            return True  # a rollout drains a node for work on its host, and that work may be half done
        return any(changed.path.startswith(_HOST_PATHS) for changed in self.fields)

    @property
    def needs_drain(self) -> bool:
        """Return whether the pods of the Node must leave first."""
        return self.action is not MachineAction.CREATE and self.needs_host
