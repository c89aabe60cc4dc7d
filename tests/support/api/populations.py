# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes with agents, bundles and published configs, made by hand on any API server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._cluster.local_configs import publish_local_config
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import (
    NODES,
    config_maps,
    node,
    node_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import (
    LocalComponent,
    LocalConfig,
    encode_local_config,
    local_hash,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
)

__all__ = ["add_node", "publish_bundle", "publish_configs"]

KUBELET = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}


def publish_bundle(client: Client, pool: str, kubelet: Mapping[str, Any]) -> ConfigSource:
    """Publish a bundle of a kubelet's config and return its source."""
    lines = [f"{key}: {value}" for key, value in {**KUBELET, **kubelet}.items()]
    bundle = build_bundle(pool, {"kubelet": "\n".join(lines) + "\n"})
    metadata = client.create(config_maps(bundle["metadata"]["namespace"]), bundle)["metadata"]
    return ConfigSource(metadata["namespace"], metadata["name"], metadata["uid"])


def publish_configs(client: Client, init: Mapping[str, Any], instance: Mapping[str, Any]) -> str:
    """Publish local configs and return their hash."""
    text = encode_local_config(LocalConfig({"kubelet": LocalComponent({**KUBELET, **init}, dict(instance))}))
    publish_local_config(client, text)
    return local_hash(text)


def add_node(
    client: Client,
    name: str,
    *,
    kubelet: str = "v1.34.9",
    runtime: str = "containerd://1.7.24",
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Mapping[str, str]] = (),
    source: ConfigSource | None = None,
    local_config: str = "",
    annotations: Mapping[str, str] | None = None,
    address: str = "10.0.0.11",
) -> None:
    """Create a Node that is Ready and whose agent uses what it is assigned."""
    status = ConfigStatus(active=source, assigned=source, local_config=local_config, cause="Good")
    notes = {ANNOTATION_CONFIG_STATUS: status.encode(), **(annotations or {})}
    if source is not None:
        notes[ANNOTATION_CONFIG_SOURCE] = source.encode()
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}, "annotations": notes}
    body = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": list(taints)}}
    client.create(NODES, body)
    conditions = [
        {"type": kind, "status": "True", "reason": "all checks passed", "message": "all is in use"}
        for kind in ("Ready", "ConfigOK")
    ]
    info = {"kubeletVersion": kubelet, "containerRuntimeVersion": runtime, "osImage": "Debian GNU/Linux 13"}
    addresses = [{"type": "InternalIP", "address": address}]
    patch = {"status": {"nodeInfo": info, "conditions": conditions, "addresses": addresses}}
    client.patch(node_status(name), patch, kind="strategic")
    # Admission adds a taint to a new Node, which the node controller removes when the Node is Ready.
    client.patch(node(name), {"spec": {"taints": list(taints)}})
