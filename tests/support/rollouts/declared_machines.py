# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines, their Nodes and what surrounds them, for tests of plans."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes.observe import observe
from ansible_collections.configok.node.plugins.module_utils._machines._changes.plan_change import Surroundings
from ansible_collections.configok.node.plugins.module_utils._machines._changes.types import ObservedMachine
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    PROVIDER_API_VERSION,
    Capabilities,
    Cluster,
    Machine,
    MachineCatalog,
    Provider,
    ProviderConfig,
    Runtime,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
    ANNOTATION_MACHINE,
)

__all__ = [
    "DEBIAN",
    "EAST",
    "EXTERNAL",
    "SERVER",
    "SOURCE",
    "a_catalog",
    "a_machine",
    "a_node",
    "an_observed",
    "surroundings",
]

SERVER = "v1.35.2"
SOURCE = ConfigSource("configok-system", "workers-0a1b2c3d4e", "11111111-1111-1111-1111-111111111111")
DEBIAN = Provider(PROVIDER_API_VERSION, "DebianHost", "configok.node.debian_host")
EXTERNAL = Provider(
    PROVIDER_API_VERSION,
    "External",
    "configok.node.external",
    Capabilities(kubelet=False, runtime=False, runtime_kind=False, replace=True),
)
EAST = Cluster("east", "https://10.0.0.10:6443", origin="machines/east.yaml:1")


def a_machine(name: str = "worker-1", **changes: Any) -> Machine:
    """Return a Machine whose Node an_observed fits."""
    machine = Machine(
        name,
        "east",
        ProviderConfig(PROVIDER_API_VERSION, "DebianHost", {"address": "10.0.0.11", "user": "root"}),
        kubelet_version="1.34.9",
        runtime=Runtime("containerd", "1.7.24"),
        node_labels={"example.com/disk": "ssd"},
        origin="machines/workers.yaml:3",
    )
    return replace(machine, **changes)


def a_node(
    name: str = "worker-1",
    *,
    kubelet: str = "v1.34.9",
    runtime: str = "containerd://1.7.24",
    labels: Mapping[str, str] | None = None,
    taints: list[dict[str, str]] | None = None,
    annotation: str | None = None,
    source: ConfigSource | None = None,
    config_ok: str = "True",
    ready: str = "True",
    local_config: str = "",
    has_agent: bool = True,
) -> dict[str, Any]:
    """Return a Node object as the API server has it."""
    annotations = {}
    conditions = [{"type": "Ready", "status": ready}]
    if has_agent:
        annotations[ANNOTATION_CONFIG_STATUS] = ConfigStatus(active=source, local_config=local_config).encode()
        conditions.append({"type": "ConfigOK", "status": config_ok, "message": "using current", "reason": "all well"})
    if source is not None:
        annotations[ANNOTATION_CONFIG_SOURCE] = source.encode()
    if annotation is not None:
        annotations[ANNOTATION_MACHINE] = annotation
    return {
        "metadata": {
            "name": name,
            "uid": f"uid-of-{name}",
            "labels": {"kubernetes.io/hostname": name, **(labels or {})},
            "annotations": annotations,
        },
        "spec": {"taints": taints or []},
        "status": {
            "nodeInfo": {"kubeletVersion": kubelet, "containerRuntimeVersion": runtime, "osImage": "Debian 13"},
            "conditions": conditions,
            "addresses": [{"type": "Hostname", "address": name}, {"type": "InternalIP", "address": "10.0.0.11"}],
        },
    }


def an_observed(name: str = "worker-1", **changes: Any) -> ObservedMachine:
    """Return what a Node says that fits a_machine; changes are those of a_node."""
    labels = changes.pop("labels", {"example.com/disk": "ssd"})
    annotation = changes.pop("annotation", None)
    text = json.dumps(annotation) if isinstance(annotation, dict) else annotation
    return observe(a_node(name, labels=labels, annotation=text, **changes))


def surroundings(
    provider: Provider = DEBIAN, inputs: ConfigInputs | None = None, server_version: str = SERVER
) -> Surroundings:
    """Return what surrounds a machine."""
    return Surroundings(provider, EAST, server_version, inputs or ConfigInputs())


def a_catalog(*machines: Machine, providers: tuple[Provider, ...] = (DEBIAN, EXTERNAL)) -> MachineCatalog:
    """Return a catalog with one cluster."""
    return MachineCatalog(machines, {EAST.name: EAST}, providers)
