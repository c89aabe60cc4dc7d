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
from ..._nodeconfig._bundle_trial import Trial
from .._objects._types import Cluster, Machine, Provider, Runtime, Taint

__all__ = ["CLUSTER_PATH", "ChangedField", "MachineAction", "MachineChange", "ObservedMachine"]

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
class ObservedMachine:
    """What a Node says of its machine.

    kubelet_version: without a leading v. ready: None for Unknown. config_ok: "True", "False", "Unknown", "" for none.
    config_source: what is assigned, None for the init config. active: what the agent reports to use. local_config: the
    hash of the node's own config. cordoned: spec.unschedulable. cordoned_by: the pool whose rollout has cordoned it.

    From the annotation configok.dev/machine, which names what the last run has declared and installed: managed_labels
    (keys), managed_taints ("key:effect"), provider (its kind), provider_hash, cluster_hash (of the Cluster's values in
    the init config), applied_kubelet, applied_runtime, and previous (versions before the last change, with the keys
    kubelet and runtime). annotation_error: why it cannot be used; the Node then counts as one that no run has changed.
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
    active: ConfigSource | None = None
    local_config: str = ""
    cordoned: bool = False
    cordoned_by: str = ""
    provider: str = ""
    provider_hash: str = ""
    cluster_hash: str = ""
    applied_kubelet: str = ""
    applied_runtime: Runtime | None = None
    previous: Mapping[str, Any] = field(default_factory=dict)
    annotation_error: str = ""


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
