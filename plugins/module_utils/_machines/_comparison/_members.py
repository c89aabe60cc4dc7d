# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One machine of a cluster, as it is compared with another one. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..._componentconfig._codec.document import decode
from ..._componentconfig.findings import InvalidConfig
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.local_config import publishable_values
from ..._nodeconfig.well_known import LABEL_CONFIG, LABEL_CONFIG_OK
from .._changes.config_inputs import KUBELET, ConfigInputs, effective_config
from .._changes.types import ObservedMachine
from .._objects.cluster_values import cluster_kubelet_config
from .._objects.types import Cluster, Machine, Runtime, Taint

INIT: Final = "init"

# Labels that follow from the node or from its config.
_OWN_LABELS: Final = frozenset(("kubernetes.io/hostname", LABEL_CONFIG, LABEL_CONFIG_OK))
_CONDITION_TAINTS: Final = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
_HASH_LENGTH: Final = len("-0123456789")


@dataclass(frozen=True)
class Member:
    """A machine of one side.

    kubelet: "" and runtime: None for a file that does not declare them. labels, taints: without those that follow from
    the node. config: the name of its config source, "" for a Machine that another program owns, whose config is not
    known. pool: of that bundle, "" for none. effective: the config that each component reads, None if a node's own
    configs are not published; of a Machine with an init config, the fields that it and its Cluster declare. documents:
    those of the bundle. is_declared: it is a Machine, which says nothing about other labels, taints and fields.
    group_labels: for selecting its group.
    """

    name: str
    kubelet: str = ""
    runtime: Runtime | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Collection[Taint] = ()
    config: str = INIT
    pool: str = ""
    effective: Mapping[str, Mapping[str, Any]] | None = None
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    is_declared: bool = False
    group_labels: Mapping[str, str] = field(default_factory=dict)


def member_of_node(observed: ObservedMachine, inputs: ConfigInputs) -> Member:
    """Return the member that a Node is. inputs: with the bundles in use and the published local configs."""
    source = observed.config.active if observed.has_agent else observed.config.source
    documents = _documents(source, inputs)
    local = inputs.local_configs.get(observed.config.local)
    effective: dict[str, Mapping[str, Any]] | None = None
    if local is not None and (source is None or source in inputs.bundles):
        effective = {}
        for component in local.components:
            config = effective_config(inputs, observed.name, observed, source, component)
            if config is not None:
                effective[component] = config
    return Member(
        name=observed.name,
        kubelet=observed.kubelet_version,
        runtime=observed.runtime,
        labels={key: value for key, value in observed.labels.items() if key not in _OWN_LABELS},
        taints=tuple(taint for taint in observed.taints if not taint.key.startswith(_CONDITION_TAINTS)),
        config=_name(source),
        pool=_pool(source),
        effective=effective,
        documents=documents,
        group_labels=observed.labels,
    )


def member_of_machine(machine: Machine, source: ConfigSource | None, inputs: ConfigInputs, cluster: Cluster) -> Member:
    """Return the member that a Machine of a cluster declares. source: what its config resolves to."""
    effective = None
    if source is None and not machine.owner:
        # As a Node publishes its own configs, so that a secret is not a difference.
        effective = {KUBELET: publishable_values(cluster_kubelet_config(cluster, machine))}
    return Member(
        name=machine.name,
        kubelet=machine.kubelet_version,
        runtime=machine.runtime,
        labels=machine.node_labels,
        taints=machine.taints,
        config="" if machine.owner else _name(source),
        pool=machine.pool or _pool(source),
        effective=effective,
        documents=_documents(source, inputs),
        is_declared=True,
        group_labels={**machine.node_labels, **machine.labels},
    )


def _documents(source: ConfigSource | None, inputs: ConfigInputs) -> Mapping[str, Mapping[str, Any]]:
    documents: dict[str, Mapping[str, Any]] = {}
    for component, text in (inputs.bundles.get(source, {}) if source is not None else {}).items():
        try:
            data = decode(text, file=component).data
        except InvalidConfig:
            continue
        if isinstance(data, dict):
            documents[component] = data
    return documents


def _name(source: ConfigSource | None) -> str:
    return INIT if source is None else source.name


def _pool(source: ConfigSource | None) -> str:
    """Return the pool of a bundle, whose name ends with the hash of its content."""
    return "" if source is None else source.name[:-_HASH_LENGTH]
