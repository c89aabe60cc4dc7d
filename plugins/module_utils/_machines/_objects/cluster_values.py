# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derive from a Cluster what belongs in every node's config, and find what contradicts it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._componentconfig._codec.plain_values import merge
from ..._componentconfig._schema.kinds import KUBELET_CONFIGURATION
from ..._componentconfig.findings import show
from .checked_objects import KUBELET_API_VERSION
from .types import Cluster, Machine

KUBELET_FIELD = "kubeletConfiguration"
"""The field of a providerConfig with the fields of the init KubeletConfiguration."""
_FIELDS = {"clusterDNS": "spec.network.clusterDNS", "clusterDomain": "spec.network.dnsDomain"}


def cluster_values(cluster: Cluster) -> dict[str, Any]:
    """Return the fields of every node's KubeletConfiguration that follow from a Cluster."""
    values = {"clusterDNS": list(cluster.cluster_dns), "clusterDomain": cluster.dns_domain}
    return {name: value for name, value in values.items() if value}


def cluster_field(name: str) -> str:
    """Return the path, in a Cluster, from which a field of the KubeletConfiguration follows."""
    return _FIELDS[name]


def cluster_kubelet_config(cluster: Cluster, machine: Machine) -> dict[str, Any]:
    """Return the init KubeletConfiguration of a Machine: the Cluster's values, and those of its providerConfig."""
    own = machine.provider.fields.get(KUBELET_FIELD)
    head = {"apiVersion": KUBELET_API_VERSION, "kind": KUBELET_CONFIGURATION}
    return merge([head, cluster_values(cluster), own if isinstance(own, dict) else {}])


def contradicted_fields(cluster: Cluster, config: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a KubeletConfiguration that contradict a Cluster, each with what it must be and why.

    A field that one of them does not set is not a contradiction.
    """
    origin = f" ({cluster.origin})" if cluster.origin else ""
    return {
        field: f"must be {show(value)}, which follows from {_FIELDS[field]} of Cluster {cluster.name}{origin}:"
        " change one of them"
        for field, value in cluster_values(cluster).items()
        if config.get(field) not in (None, "", [], value)
    }


def cluster_contradictions(cluster: Cluster, config: Mapping[str, Any], place: str) -> list[str]:
    """Return where a KubeletConfiguration contradicts a Cluster, one sentence each, which names both places.

    place: where the config is from, for example "bundle kube-system/workers-1a2b".
    """
    fields = contradicted_fields(cluster, config)
    return [f"{place}: {field}: {show(config[field])}: {message}" for field, message in fields.items()]


def missing_cluster_values(cluster: Cluster, config: Mapping[str, Any], place: str) -> list[str]:
    """Return which values of a Cluster a KubeletConfiguration lacks, one sentence each.

    place: as for `cluster_contradictions`.
    """
    return [
        f"{place}: {field}: is not set, and {_FIELDS[field]} of Cluster {cluster.name} is {show(value)}: nodes with "
        "this config do not have it, unless their instance config sets it"
        for field, value in cluster_values(cluster).items()
        if config.get(field) in (None, "", [])
    ]
