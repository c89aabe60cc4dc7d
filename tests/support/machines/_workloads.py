# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replaces pods and counts disruptions, like a kube-controller-manager and a scheduler.

It knows what tests use: replicas and a nodeSelector of ReplicaSets, matchLabels and a number as minAvailable of
PodDisruptionBudgets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Conflict, NotFound

__all__ = ["control_workloads"]

_REPLICA_SETS = "/apis/apps/v1/replicasets"
_BUDGET_VERSIONS = ("v1", "v1beta1")  # of policy; the second in Kubernetes 1.20

_Object = Mapping[str, Any]


def control_workloads(client: Client) -> None:
    """Create missing pods of all ReplicaSets, and update the status of their budgets. Raises KubeError."""
    replica_sets = client.list(_REPLICA_SETS).items
    if not replica_sets:
        return
    pods = client.list(paths.PODS).items
    for replica_set in replica_sets:
        _replace(client, replica_set, pods)
    for version in _BUDGET_VERSIONS:
        try:
            budgets = client.list(f"/apis/policy/{version}/poddisruptionbudgets").items
        except NotFound:
            continue
        for budget in budgets:
            _count(client, version, budget, pods)
        break


def _replace(client: Client, replica_set: _Object, pods: Sequence[_Object]) -> None:
    """Create the pods that a ReplicaSet lacks, each on the node that has the fewest pods."""
    owner = replica_set["metadata"]
    own = [pod for pod in pods if _is_owned_by(pod, owner["uid"]) and not _is_ending(pod)]
    missing = replica_set["spec"]["replicas"] - len(own)
    used = [pod["spec"].get("nodeName") for pod in pods]
    template = replica_set["spec"]["template"]
    usable = _usable_nodes(client, template["spec"].get("nodeSelector") or {}) if missing > 0 else []
    for node in sorted(usable, key=used.count)[:missing]:
        reference = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": owner["name"],
            "uid": owner["uid"],
            "controller": True,
        }
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "generateName": f"{owner['name']}-",
                "labels": template["metadata"]["labels"],
                "ownerReferences": [reference],
            },
            "spec": {**template["spec"], "nodeName": node},
        }
        client.create(paths.pods(owner["namespace"]), pod)


def _usable_nodes(client: Client, labels: Mapping[str, str]) -> list[str]:
    return [
        node["metadata"]["name"]
        for node in client.list(paths.NODES).items
        if not node["spec"].get("unschedulable") and _is_ready(node) and _has(node, labels)
    ]


def _count(client: Client, version: str, budget: _Object, pods: Sequence[_Object]) -> None:
    """Write how many evictions a budget allows now."""
    namespace, name = budget["metadata"]["namespace"], budget["metadata"]["name"]
    labels = budget["spec"]["selector"]["matchLabels"]
    disrupted = (budget.get("status") or {}).get("disruptedPods") or {}
    chosen = [pod for pod in pods if pod["metadata"]["namespace"] == namespace and _has(pod, labels)]
    healthy = [
        pod for pod in chosen if _is_ready(pod) and not _is_ending(pod) and pod["metadata"]["name"] not in disrupted
    ]
    desired = budget["spec"]["minAvailable"]
    status = {
        "observedGeneration": budget["metadata"]["generation"],
        "currentHealthy": len(healthy),
        "desiredHealthy": desired,
        "expectedPods": len(chosen),
        "disruptionsAllowed": max(len(healthy) - desired, 0),
    }
    if status.items() <= (budget.get("status") or {}).items():
        return
    # Of this version only: an eviction between the list of pods and this write would otherwise be forgotten.
    version_seen = {"resourceVersion": budget["metadata"]["resourceVersion"]}
    path = f"/apis/policy/{version}/namespaces/{namespace}/poddisruptionbudgets/{name}/status"
    try:
        client.patch(path, {"metadata": version_seen, "status": status})
    except Conflict:
        pass  # the next round counts again


def _has(thing: _Object, labels: Mapping[str, str]) -> bool:
    return labels.items() <= (thing["metadata"].get("labels") or {}).items()


def _is_owned_by(pod: _Object, uid: str) -> bool:
    return any(reference["uid"] == uid for reference in pod["metadata"].get("ownerReferences") or [])


def _is_ending(pod: _Object) -> bool:
    return bool(pod["metadata"].get("deletionTimestamp"))


def _is_ready(thing: _Object) -> bool:
    conditions = (thing.get("status") or {}).get("conditions") or []
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)
