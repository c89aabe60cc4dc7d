# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The namespaces and RBAC objects of the collection, as data.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._kube import _paths as paths
from .._nodeconfig._names import NAMESPACE_BUNDLES, NAMESPACE_ROLLOUTS

__all__ = [
    "LABEL_MANAGED_BY",
    "MANAGED_BY",
    "NAMESPACES",
    "Access",
    "collection_of",
    "desired_objects",
    "name_of",
    "path_of",
]

LABEL_MANAGED_BY = "app.kubernetes.io/managed-by"
MANAGED_BY = "configok.node"
NAMESPACES = (NAMESPACE_BUNDLES, NAMESPACE_ROLLOUTS)

_GROUP = "rbac.authorization.k8s.io"
_NODES = {"kind": "Group", "name": "system:nodes", "apiGroup": _GROUP}
_BUNDLES_READER = "configok-nodes"
_CONFIGZ_READER = "configok-nodes-configz"
_RUNNER = "configok-runner"
# Events on a Node, which has no namespace, live in the default one.
_NODE_EVENTS = "default"

_EVENT_RULE = {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]}
# What a rollout does, and nothing beyond: it watches and assigns Nodes, ...
_RUNNER_CLUSTER_RULES = [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"]}]
_RUNNER_RULES = {
    # ... publishes bundles, which nobody changes, ...
    NAMESPACE_BUNDLES: [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create"]},
    ],
    # ... keeps its record and its lock, and looks whether other pools have the same nodes, ...
    NAMESPACE_ROLLOUTS: [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "create", "update"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]},
        _EVENT_RULE,
    ],
    # ... and tells what it did.
    _NODE_EVENTS: [_EVENT_RULE],
}


@dataclass(frozen=True)
class Access:
    """Who gets access beyond the nodes, which always read bundles.

    runner_subjects: RBAC subjects (kind, name, and namespace for a ServiceAccount) that may run rollouts.
    node_configz: whether nodes may read the live config of kubelets, as nodes/configz (Kubernetes 1.33 and newer).
    """

    runner_subjects: Sequence[Mapping[str, Any]] = ()
    node_configz: bool = False


def _object(kind: str, name: str, namespace: str = "", **content: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "labels": {LABEL_MANAGED_BY: MANAGED_BY}}
    if namespace:
        metadata["namespace"] = namespace
    version = "v1" if kind == "Namespace" else f"{_GROUP}/v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **content}


def _grant(
    name: str, rules: Sequence[Mapping[str, Any]], subjects: Sequence[Mapping[str, Any]], namespace: str = ""
) -> list[dict[str, Any]]:
    """Return a role, and the binding of the same name if there is anybody to bind."""
    kind = "Role" if namespace else "ClusterRole"
    reference = {"apiGroup": _GROUP, "kind": kind, "name": name}
    role = _object(kind, name, namespace, rules=[dict(rule) for rule in rules])
    binding = _object(f"{kind}Binding", name, namespace, roleRef=reference, subjects=[dict(one) for one in subjects])
    return [role, binding] if subjects else [role]


def _subject(given: Mapping[str, Any]) -> dict[str, Any]:
    if given["kind"] == "ServiceAccount":
        return {"kind": "ServiceAccount", "name": given["name"], "namespace": given["namespace"]}
    return {"kind": given["kind"], "name": given["name"], "apiGroup": _GROUP}


def desired_objects(access: Access) -> list[dict[str, Any]]:
    """Return all objects that this access means, in the order in which they are created."""
    runners = [_subject(given) for given in access.runner_subjects]
    objects = [_object("Namespace", namespace) for namespace in NAMESPACES]
    reading = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]
    objects += _grant(_BUNDLES_READER, reading, [_NODES], NAMESPACE_BUNDLES)
    if access.node_configz:
        live = [{"apiGroups": [""], "resources": ["nodes/configz"], "verbs": ["get"]}]
        objects += _grant(_CONFIGZ_READER, live, [_NODES])
    objects += _grant(_RUNNER, _RUNNER_CLUSTER_RULES, runners)
    for namespace, rules in _RUNNER_RULES.items():
        objects += _grant(_RUNNER, rules, runners, namespace)
    return objects


_ITEM: dict[str, Callable[[str, str], str]] = {
    "Namespace": lambda _namespace, name: paths.namespace(name),
    "Role": paths.role,
    "RoleBinding": paths.role_binding,
    "ClusterRole": lambda _namespace, name: paths.cluster_role(name),
    "ClusterRoleBinding": lambda _namespace, name: paths.cluster_role_binding(name),
}


def path_of(item: Mapping[str, Any]) -> str:
    """Return the API path of one of these objects."""
    metadata = item["metadata"]
    return _ITEM[item["kind"]](metadata.get("namespace", ""), metadata["name"])


def collection_of(item: Mapping[str, Any]) -> str:
    """Return the API path at which one of these objects is created."""
    return path_of(item).rpartition("/")[0]


def name_of(item: Mapping[str, Any]) -> str:
    """Return "Role configok-system/configok-nodes", "Namespace configok-system"."""
    metadata = item["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{item['kind']} {place}{metadata['name']}"
