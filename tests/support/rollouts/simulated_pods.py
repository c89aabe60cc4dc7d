# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of simulated nodes: lists, and the Eviction API with PodDisruptionBudgets.

The embedded API server has no pods. This answers the requests about them before it sees them, as the real one does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import PODS
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from embedded_apiserver.http_server import Request, Response

__all__ = ["Budget", "Pod", "SimulatedPods"]

_DELETED = "2026-01-01T00:00:00Z"


@dataclass
class Budget:
    """A PodDisruptionBudget. allowed: disruptions that it allows now; restored_after: seconds after an eviction."""

    name: str
    allowed: int = 0
    restored_after: float | None = None


@dataclass
class Pod:
    """A pod of a node. owner: the kind of its controller, "" for none. ends_after: seconds that it takes to end."""

    node: str
    name: str
    uid: str
    owner: str = "ReplicaSet"
    namespace: str = "default"
    phase: str = "Running"
    mirror: bool = False
    empty_dir: bool = False
    budgets: tuple[Budget, ...] = ()
    ends_after: float = 1.0
    is_ending: bool = False
    ends_at: float | None = None
    visible_at: float = 0.0  # when the API server's cache has it

    def to_dict(self) -> dict[str, Any]:
        """Return the pod as the API shows it."""
        metadata: dict[str, Any] = {"name": self.name, "namespace": self.namespace, "uid": self.uid}
        if self.owner:
            metadata["ownerReferences"] = [{"kind": self.owner, "name": "owner", "controller": True}]
        if self.mirror:
            metadata["annotations"] = {"kubernetes.io/config.mirror": "hash"}
        if self.is_ending:
            metadata["deletionTimestamp"] = _DELETED
        volumes: list[dict[str, Any]] = [{"name": "scratch", "emptyDir": {}}] if self.empty_dir else []
        return {
            "metadata": metadata,
            "spec": {"nodeName": self.node, "volumes": volumes},
            "status": {"phase": self.phase},
        }


@dataclass
class SimulatedPods:
    """The pods of a cluster.

    minor: of the API server; before 22 it takes evictions of policy/v1beta1 only. evictions: (time, pod, answer) of
    each. refusal: the answer to all evictions. cache_lag: seconds after which the cache has a new pod.
    """

    clock: Clock
    minor: int = 35
    pods: list[Pod] = field(default_factory=list)
    evictions: list[tuple[float, str, int]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    lists: list[Mapping[str, str]] = field(default_factory=list)
    refusal: tuple[int, dict[str, Any]] | None = None
    cache_lag: float = 0.0
    number: int = 0

    def add(self, node: str, name: str, **options: Any) -> Pod:
        """Let a pod run on a node."""
        self.number += 1
        pod = Pod(node, name, f"uid-{self.number}", visible_at=self.clock.monotonic() + self.cache_lag, **options)
        self.pods.append(pod)
        return pod

    def end(self, pod: Pod) -> None:
        """Begin to delete a pod."""
        pod.is_ending = True
        pod.ends_at = self.clock.monotonic() + pod.ends_after

    def on(self, node: str) -> list[str]:
        """Return the names of the pods that are on a node."""
        return [pod.name for pod in self._present() if pod.node == node]

    def handle(self, request: Request, otherwise: Callable[[Request], Response]) -> Response:
        """Answer a request about pods, and leave any other one to the server."""
        if request.path == PODS and request.method == "GET":
            return self._list(request)
        if request.method == "POST" and request.path.endswith("/eviction"):
            _api, _v1, _namespaces, namespace, _pods, name, _eviction = request.path.strip("/").split("/")
            status, answer = self._evict(namespace, name, json.loads(request.body))
            self.evictions.append((self.clock.monotonic(), name, status))
            return Response(status, json.dumps(answer).encode())
        return otherwise(request)

    def _present(self) -> list[Pod]:
        now = self.clock.monotonic()
        self.pods = [pod for pod in self.pods if pod.ends_at is None or pod.ends_at > now]
        return self.pods

    def _list(self, request: Request) -> Response:
        query = request.query
        self.lists.append(dict(query))
        assert "continue" not in query or "resourceVersion" not in query, "the real API server refuses both together"
        node = query.get("fieldSelector", "").partition("spec.nodeName=")[2]
        pods = [pod for pod in self._present() if pod.node == node or not node]
        metadata: dict[str, Any] = {"resourceVersion": "1"}
        if query.get("resourceVersion") == "0":  # from the cache, which ignores the limit
            pods = [pod for pod in pods if pod.visible_at <= self.clock.monotonic()]
        else:
            first, limit = int(query.get("continue", 0)), int(query.get("limit", len(pods)))
            if len(pods) > first + limit:
                metadata["continue"] = str(first + limit)
            pods = pods[first : first + limit]
        body = {"kind": "PodList", "metadata": metadata, "items": [pod.to_dict() for pod in pods] or None}
        return Response(200, json.dumps(body).encode())

    def _evict(self, namespace: str, name: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.bodies.append(body)
        version = body["apiVersion"]
        if version != "policy/v1beta1" and self.minor < 22:
            return _failure(400, "BadRequest", f'no kind "Eviction" is registered for version "{version}" in scheme')
        if self.refusal is not None:
            return self.refusal
        pod = next((pod for pod in self._present() if (pod.namespace, pod.name) == (namespace, name)), None)
        if pod is None:
            return _failure(404, "NotFound", f'pods "{name}" not found')
        if body["deleteOptions"]["preconditions"]["uid"] != pod.uid:
            return _failure(409, "Conflict", "the UID in the precondition does not match the UID in record")
        if pod.phase == "Running" and not pod.is_ending:
            if pod.budgets[1:]:  # the real one answers 201 with this body
                return 201, _failure(500, "", "This pod has more than one PodDisruptionBudget")[1]
            for budget in pod.budgets:
                if budget.allowed <= 0:
                    return self.blocked(budget)
                self._spend(budget)
        self.end(pod)
        return 201, {"kind": "Status", "status": "Success"}

    def blocked(self, budget: Budget, retry_after: int = 0) -> tuple[int, dict[str, Any]]:
        """Return the answer when a budget allows no eviction."""
        message = f"The disruption budget {budget.name} needs 2 healthy pods and has 2 currently"
        details: dict[str, Any] = {"causes": [{"reason": "DisruptionBudget", "message": message}]}
        if retry_after:
            details["retryAfterSeconds"] = retry_after
        text = "Cannot evict pod as it would violate the pod's disruption budget."
        return _failure(429, "TooManyRequests", text, details)

    def _spend(self, budget: Budget) -> None:
        budget.allowed -= 1
        if budget.restored_after is not None:
            seconds = budget.restored_after

            def restore() -> None:
                self.clock.sleep(seconds)
                budget.allowed += 1

            self.clock.start(restore, f"budget {budget.name}")


def _failure(code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
    status = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}
    return code, {**status, "details": details or {}}
