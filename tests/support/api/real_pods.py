# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods and PodDisruptionBudgets of a real API server, without kubelets and controllers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import PODS, pod, pods
from support.api.servers import Real

__all__ = ["RealPods"]

_NAMESPACE = "default"


class RealPods:
    """The pods of one Node, which a thread ends as a kubelet does. A context manager."""

    def __init__(self, api: Real, node: str) -> None:
        self._node = node
        self._client = api.client()
        self._wire = api.wire()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"kubelet of {node}", daemon=True)

    def __enter__(self) -> RealPods:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stop.set()
        self._thread.join(10.0)
        for item in self.items():
            self._end(item)
        self._client.close()

    def add(self, name: str, *, labels: Mapping[str, str] | None = None, **spec: Any) -> str:
        """Create a pod that is running and ready on the Node. Return its name."""
        body = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{self._node}-{name}", "labels": dict(labels or {})},
            "spec": {"nodeName": self._node, "containers": [{"name": "main", "image": "pause"}], **spec},
        }
        created = str(self._client.create(pods(_NAMESPACE), body)["metadata"]["name"])
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        self._client.patch(f"{pod(_NAMESPACE, created)}/status", {"status": status})
        return created

    def protect(self, name: str, labels: Mapping[str, str], *, allowed: int) -> str:
        """Create a PodDisruptionBudget with the status that a controller would write. Return its path."""
        version = "v1" if self._wire.get("/apis/policy/v1").status == 200 else "v1beta1"
        path = f"/apis/policy/{version}/namespaces/{_NAMESPACE}/poddisruptionbudgets"
        body = {
            "apiVersion": f"policy/{version}",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": name},
            "spec": {"minAvailable": 2, "selector": {"matchLabels": dict(labels)}},
        }
        self._client.create(path, body)
        self.allow(f"{path}/{name}", allowed)
        return f"{path}/{name}"

    def allow(self, budget: str, allowed: int) -> None:
        """Let a budget allow so many evictions."""
        status = {
            "observedGeneration": 1,
            "disruptionsAllowed": allowed,
            "currentHealthy": 2 + allowed,
            "desiredHealthy": 2,
            "expectedPods": 2 + allowed,
        }
        self._client.patch(f"{budget}/status", {"status": status})

    def allowed(self, budget: str) -> int:
        """Return how many evictions a budget allows."""
        return int(self._client.get(budget)["status"]["disruptionsAllowed"])

    def items(self) -> list[dict[str, Any]]:
        """Return the pods of the Node."""
        return self._client.list(PODS, field_selector=f"spec.nodeName={self._node}").items

    def _run(self) -> None:
        while not self._stop.wait(0.2):
            for item in self.items():
                if item["metadata"].get("deletionTimestamp"):
                    self._end(item)

    def _end(self, item: Mapping[str, Any]) -> None:
        path = pod(item["metadata"]["namespace"], item["metadata"]["name"])
        self._wire.request("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})
