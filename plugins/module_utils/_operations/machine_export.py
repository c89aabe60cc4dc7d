# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what Machine files can say of a cluster from its API server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._componentconfig._codec.plain_values import decode_values
from .._componentconfig.findings import InvalidConfig
from .._kube.api_client import Client
from .._kube.api_errors import BadRequest, Forbidden, KubeError, NotFound
from .._kube.api_paths import NODES, VERSION, config_map, node
from .._kube.parallel import run_parallel
from .._machines import MachinesError
from .._machines._objects.types import Cluster, plain_version
from .._machines.export import ExportedMachines, export_machines
from .._nodeconfig.assignment import ConfigSource
from .._rollout._nodes.node_list import MAX_CONNECTIONS
from .._rollout._record.record import COMPLETE
from ._pool_nodes import read_pool_records

_KUBEADM = ("kube-system", "kubeadm-config", "ClusterConfiguration")
_KUBELET = ("kube-system", "kubelet-config", "kubelet")


def export_cluster(
    client: Client,
    *,
    cluster: str,
    names: Sequence[str] | None = None,
    selector: str = "",
    provider_config: Mapping[str, Any] | None = None,
) -> ExportedMachines:
    """Return the Machine file for the Nodes that a label selector matches, or those of these names.

    cluster: the name that the Cluster gets. Raises MachinesError, KubeError.
    """
    nodes = _read_nodes(client, names, selector)
    if not nodes:
        raise MachinesError(
            f"there is no Node{f' that {selector} matches' if selector else ''}: nothing can be exported"
        )
    pools, unreadable = complete_pools(client)
    exported = export_machines(
        nodes, cluster=read_cluster(client, cluster), pools=pools, provider_config=provider_config
    )
    return replace(exported, notes=(*exported.notes, *unreadable))


def _read_nodes(client: Client, names: Sequence[str] | None, selector: str) -> list[dict[str, Any]]:
    if names is None:
        return client.list(NODES, label_selector=selector or None, limit=500, transform=_without_bulk).items
    nodes = []
    read = run_parallel(lambda name: client.get(node(name)), dict.fromkeys(names), workers=MAX_CONNECTIONS)
    for name, result in read:
        if isinstance(result, NotFound):
            raise MachinesError(f"there is no Node {name}: correct its name")
        if isinstance(result, KubeError):
            raise result
        nodes.append(_without_bulk(result))
    return nodes


def _without_bulk(item: dict[str, Any]) -> dict[str, Any]:
    """Return a Node without what is most of its size."""
    metadata = {name: value for name, value in (item.get("metadata") or {}).items() if name != "managedFields"}
    status = {name: value for name, value in (item.get("status") or {}).items() if name != "images"}
    return {**item, "metadata": metadata, "status": status}


def complete_pools(client: Client) -> tuple[dict[str, ConfigSource], list[str]]:
    """Return by pool the bundle of its last rollout, if that is complete, and a sentence for each unreadable record.

    Raises KubeError.
    """
    records = read_pool_records(client)
    pools = {}
    for record in records.records or ():
        rollout = record.rollout
        if rollout is not None and rollout.phase == COMPLETE and rollout.target.source is not None:
            pools[record.pool] = rollout.target.source
    return pools, list(records.unreadable)


def read_cluster(client: Client, name: str) -> Cluster:
    """Return a Cluster with the values of the API server, and those that kubeadm keeps. Raises KubeError."""
    version = plain_version(str(client.get(VERSION).get("gitVersion") or ""))
    networking = _mapping(_read_document(client, *_KUBEADM).get("networking"))
    kubelet = _read_document(client, *_KUBELET)
    addresses = kubelet.get("clusterDNS")
    return Cluster(
        name,
        client.server.rstrip("/"),
        version,
        service_cidr=_text(networking.get("serviceSubnet")),
        dns_domain=_text(kubelet.get("clusterDomain")) or _text(networking.get("dnsDomain")),
        cluster_dns=tuple(map(_text, addresses)) if isinstance(addresses, list) else (),
    )


def _read_document(client: Client, namespace: str, name: str, key: str) -> Mapping[str, Any]:
    """Return a document in a ConfigMap, {} if there is none or it may not be read."""
    try:
        present = client.find(config_map(namespace, name))
    except (BadRequest, Forbidden):
        return {}
    text = _mapping((present or {}).get("data")).get(key)
    try:
        return _mapping(decode_values(text, name)) if isinstance(text, str) else {}
    except InvalidConfig:
        return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
