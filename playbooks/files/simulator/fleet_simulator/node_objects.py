# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the simulator writes to the cluster: Nodes, their Ready condition and their Leases. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._agent._reporting.status_writer import (
    NodeReport,
    report_patch,
)

from .scenario import Group, Scenario

__all__ = [
    "LABEL_SIMULATED",
    "LEASE_NAMESPACE",
    "HollowSpec",
    "hollow_specs",
    "is_hollow",
    "lease_object",
    "lease_renewal",
    "node_object",
    "ready_patch",
    "rfc3339",
    "status_of_node",
]

LABEL_SIMULATED = "configok.dev/simulated"  # its value is the name of the simulation
LEASE_NAMESPACE = "kube-node-lease"
_PROVIDER = "configok-simulated://"  # of spec.providerID, which the API server never changes


@dataclass(frozen=True)
class HollowSpec:
    """One hollow node of a scenario. number: its place in its group, from 0."""

    name: str
    simulation: str
    group: Group
    number: int

    @property
    def kubelet_version(self) -> str:
        """Return the version that the node reports."""
        return self._in_turn(self.group.kubelet_versions)

    @property
    def labels(self) -> dict[str, str]:
        """Return the Node's labels."""
        labels = {
            **self.group.labels,
            LABEL_SIMULATED: self.simulation,
            "kubernetes.io/hostname": self.name,
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
        }
        if self.group.zones:
            labels["topology.kubernetes.io/zone"] = self._in_turn(self.group.zones)
        if self.group.instance_types:
            labels["node.kubernetes.io/instance-type"] = self._in_turn(self.group.instance_types)
        return labels

    @property
    def os_image(self) -> str:
        """Return the operating system that the node reports."""
        return self._in_turn(self.group.os_images)

    def _in_turn(self, values: tuple[str, ...]) -> str:
        return values[self.number % len(values)]


def hollow_specs(scenario: Scenario) -> Iterator[HollowSpec]:
    """Yield the nodes of a scenario; their names sort as they come."""
    for group in scenario.groups:
        for number in range(group.count):
            name = f"{scenario.simulation}-{group.name}-{number:05d}"
            yield HollowSpec(name, scenario.simulation, group, number)


def rfc3339(seconds: float) -> str:
    """Return a time, in seconds since the epoch, as Kubernetes writes it."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def node_object(spec: HollowSpec, report: NodeReport, *, images: int, now: str) -> dict[str, Any]:
    """Return a Node as a kubelet and an agent register it, which no Pod is scheduled to. images: their number."""
    patch = report_patch(report, "", now=now)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": spec.name,
            "labels": {**spec.labels, **patch["metadata"]["labels"]},
            "annotations": patch["metadata"]["annotations"],
        },
        "spec": {
            "providerID": f"{_PROVIDER}{spec.simulation}/{spec.name}",
            "taints": [{"key": LABEL_SIMULATED, "effect": effect} for effect in ("NoSchedule", "NoExecute")],
        },
        "status": {
            "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            "allocatable": {"cpu": "4", "memory": "15Gi", "pods": "110"},
            "conditions": [
                *patch["status"]["conditions"],
                _ready_condition(ready=spec.group.behaviour.ready, now=now, changed=True),
            ],
            "nodeInfo": {
                "kubeletVersion": spec.kubelet_version,
                "kubeProxyVersion": spec.kubelet_version,
                "osImage": spec.os_image,
                "operatingSystem": "linux",
                "architecture": "amd64",
                "kernelVersion": "6.1.0",
                "containerRuntimeVersion": "containerd://1.7.24",
                "machineID": "",
                "systemUUID": "",
                "bootID": "",
            },
            "images": [
                {
                    "names": [f"registry.example.com/team/service-{number:02d}@sha256:{number:064d}"],
                    "sizeBytes": 100_000_000 + number,
                }
                for number in range(images)
            ],
        },
    }


def is_hollow(node: Mapping[str, Any]) -> bool:
    """Return whether a simulator has created a Node: the label alone could be on any Node."""
    return str((node.get("spec") or {}).get("providerID", "")).startswith(_PROVIDER)


def status_of_node(report: NodeReport, condition_status: str, uid: str, *, now: str) -> dict[str, Any]:
    """Return the PATCH with which the agent writes a report, for the Node with this uid alone."""
    patch = report_patch(report, condition_status, now=now)
    patch["metadata"]["uid"] = uid
    return patch


def ready_patch(uid: str, *, ready: bool, now: str, changed: bool) -> dict[str, Any]:
    """Return the PATCH of a Node's Ready condition. changed: whether its status differs from before."""
    return {
        "metadata": {"uid": uid},
        "status": {"conditions": [_ready_condition(ready=ready, now=now, changed=changed)]},
    }


def _ready_condition(*, ready: bool, now: str, changed: bool) -> dict[str, str]:
    condition = {
        "type": "Ready",
        "status": "True" if ready else "False",
        "reason": "KubeletReady" if ready else "KubeletNotReady",
        "message": "hollow node is ready" if ready else "hollow node is not ready",
        "lastHeartbeatTime": now,
    }
    return {**condition, "lastTransitionTime": now} if changed else condition


def lease_object(spec: HollowSpec, uid: str, *, now: str) -> dict[str, Any]:
    """Return the Lease without which a cluster treats a Node as dead."""
    owner = {"apiVersion": "v1", "kind": "Node", "name": spec.name, "uid": uid}
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": spec.name,
            "namespace": LEASE_NAMESPACE,
            "labels": {LABEL_SIMULATED: spec.simulation},
            "ownerReferences": [owner],
        },
        "spec": {"holderIdentity": spec.name, "leaseDurationSeconds": 40, "renewTime": _micro_time(now)},
    }


def lease_renewal(now: str) -> dict[str, Any]:
    """Return the PATCH that renews a Lease."""
    return {"spec": {"renewTime": _micro_time(now)}}


def _micro_time(now: str) -> str:
    return now.replace("Z", ".000000Z")
