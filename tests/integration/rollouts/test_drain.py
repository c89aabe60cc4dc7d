# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drains on the real API server: evictions, budgets, managed fields. Pods are objects; the test ends them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster._access_plan import Access
from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube._api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube._api_paths import NODES, PODS, node, pod, pods
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._cordon import marking_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._drainer import Drainer, DrainResult
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._settings import DrainSettings
from ansible_collections.configok.node.plugins.module_utils._rollout._node_view import NodeView, node_view
from ansible_collections.configok.node.plugins.module_utils._rollout._timing import Clock
from support.api.clusters import prepare
from support.api.servers import Real

SETTINGS = DrainSettings(timeout=30.0, force=True)


class TestNode:
    """A Node of the real API server, with pods that a thread ends as a kubelet does."""

    __test__ = False

    def __init__(self, api: Real, name: str) -> None:
        self.name = name
        self.client: Client = api.client()
        self._wire = api.wire()
        self._stop = threading.Event()
        self._ends = True
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}  # like that of a kubelet
        self.client.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata})
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(10.0)
        for item in self.pods():
            self._end(item)
        self.client.delete(node(self.name))
        self.client.close()

    def add(self, name: str, *, labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
        """Create a pod that is running and ready on this node."""
        body = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{self.name}-{name}", "labels": labels or {}},
            "spec": {"nodeName": self.name, "containers": [{"name": "main", "image": "pause"}], **spec},
        }
        created = self.client.create(pods("default"), body)
        status = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
        self.client.patch(f"{pod('default', created['metadata']['name'])}/status", status)
        return created

    def protect(self, labels: dict[str, str], *, allowed: int) -> str:
        """Create a PodDisruptionBudget; its status is what a controller would write."""
        version = "v1" if self._wire.get("/apis/policy/v1").status == 200 else "v1beta1"
        path = f"/apis/policy/{version}/namespaces/default/poddisruptionbudgets"
        body = {
            "apiVersion": f"policy/{version}",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": self.name},
            "spec": {"minAvailable": 2, "selector": {"matchLabels": labels}},
        }
        self.client.create(path, body)
        self.allow(f"{path}/{self.name}", allowed)
        return f"{path}/{self.name}"

    def allow(self, budget: str, allowed: int) -> None:
        status = {
            "observedGeneration": 1,
            "disruptionsAllowed": allowed,
            "currentHealthy": 2 + allowed,
            "desiredHealthy": 2,
            "expectedPods": 2 + allowed,
        }
        self.client.patch(f"{budget}/status", {"status": status})

    def pods(self) -> list[dict[str, Any]]:
        return self.client.list(PODS, field_selector=f"spec.nodeName={self.name}").items

    def view(self) -> NodeView:
        return node_view(self.client.get(node(self.name)))

    def drain(
        self,
        settings: DrainSettings = SETTINGS,
        *,
        pool: str = "workers",
        lines: Any = None,
        client: Client | None = None,
    ) -> DrainResult:
        report = (lambda _line: None) if lines is None else lines.append
        drainer = Drainer(client or self.client, pool, settings, Clock(), report=report)
        return drainer.drain(self.view(), lambda: False)

    def uncordon(self, pool: str = "workers") -> bool:
        return Drainer(self.client, pool, SETTINGS, Clock()).uncordon(self.name)

    def _run(self) -> None:
        while not self._stop.wait(0.2):
            for item in self.pods():
                if item["metadata"].get("deletionTimestamp"):
                    self._end(item)

    def _end(self, item: dict[str, Any]) -> None:
        path = pod(item["metadata"]["namespace"], item["metadata"]["name"])
        self._wire.request("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})


@pytest.fixture
def real_node(real_api: Real, unique: str) -> Iterator[TestNode]:
    """A Node of the real API server for this test alone."""
    own = TestNode(real_api, unique)
    yield own
    own.close()


def test_a_node_is_drained_and_uncordoned(real_node: TestNode) -> None:
    real_node.add("web")
    real_node.add("agent")
    assert real_node.drain() == DrainResult(True)
    assert real_node.pods() == []
    view = real_node.view()
    assert (view.unschedulable, marking_pool(view)) == (True, "workers")
    assert not real_node.uncordon("workers-2")
    assert real_node.uncordon()
    view = real_node.view()
    assert (view.unschedulable, view.cordoned_by) == (False, "")


def test_a_pod_disruption_budget_is_kept_until_it_allows_the_eviction(real_node: TestNode) -> None:
    labels = {"app": real_node.name}
    real_node.add("db", labels=labels)
    budget = real_node.protect(labels, allowed=0)
    lines: list[str] = []
    allowing = threading.Timer(3.0, real_node.allow, (budget, 1))
    allowing.start()
    assert real_node.drain(lines=lines) == DrainResult(True)
    assert any(
        f"{real_node.name} waits for default/{real_node.name}-db: The disruption budget" in line for line in lines
    )
    assert real_node.client.get(budget)["status"]["disruptionsAllowed"] == 0, "the API server has counted it"


def test_a_budget_that_allows_nothing_ends_the_drain_and_the_cordon(real_node: TestNode) -> None:
    labels = {"app": real_node.name}
    real_node.add("db", labels=labels)
    real_node.protect(labels, allowed=0)
    result = real_node.drain(DrainSettings(timeout=4.0, force=True))
    assert result == DrainResult(
        False,
        f"1 pod is left after 4s: default/{real_node.name}-db: "
        f"The disruption budget {real_node.name} needs 2 healthy pods and has 2 currently",
    )
    assert not real_node.view().unschedulable
    assert [item["metadata"].get("deletionTimestamp") for item in real_node.pods()] == [None]


def test_two_budgets_for_a_pod_are_named(real_node: TestNode) -> None:
    labels = {"app": real_node.name}
    real_node.add("db", labels=labels)
    real_node.protect(labels, allowed=1)
    version = "v1" if real_node.client.find("/apis/policy/v1") else "v1beta1"
    real_node.client.create(
        f"/apis/policy/{version}/namespaces/default/poddisruptionbudgets",
        {
            "apiVersion": f"policy/{version}",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": f"{real_node.name}-2"},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
        },
    )
    result = real_node.drain()
    assert "more than one PodDisruptionBudget" in result.reason
    assert not real_node.view().unschedulable


def test_pods_that_would_be_lost_refuse_the_drain(real_node: TestNode) -> None:
    real_node.add("web", volumes=[{"name": "scratch", "emptyDir": {}}])
    result = real_node.drain(DrainSettings(timeout=10.0))
    assert f"default/{real_node.name}-web: no controller would create such a pod again" in result.reason
    assert f"default/{real_node.name}-web: an emptyDir would lose its data" in result.reason
    assert real_node.drain(DrainSettings(timeout=30.0, force=True, delete_empty_dir_data=True)).drained


def test_where_an_operator_has_cordoned_again_the_cordon_stays(real_node: TestNode) -> None:
    """The managed fields of the real API server say who has cordoned a Node."""
    assert real_node.drain() == DrainResult(True)
    path = node(real_node.name)
    for cordoned in (None, True):
        real_node.client.patch(path, {"spec": {"unschedulable": cordoned}}, kind="strategic", field_manager="kubectl")
    assert not real_node.uncordon()
    view = real_node.view()
    assert (view.unschedulable, view.cordoned_by) == (True, "")


def test_other_changes_of_a_node_leave_its_cordon_with_the_rollout(real_node: TestNode) -> None:
    assert real_node.drain() == DrainResult(True)
    path = node(real_node.name)
    real_node.client.patch(path, {"metadata": {"labels": {"a": "b"}}}, field_manager="kubectl")
    real_node.client.patch(path, {"spec": {"unschedulable": True}}, kind="strategic", field_manager="kubectl")
    assert real_node.uncordon(), "kubectl cordon says that it is cordoned already, and changes nothing"


def test_the_roles_of_a_runner_suffice_for_a_drain(real_api: Real, real_node: TestNode) -> None:
    prepare(real_node.client, Access(runner_subjects=({"kind": "User", "name": "runner"},)))
    created = real_node.add("web")
    with real_api.client("runner") as runner:
        with pytest.raises(Forbidden):
            runner.delete(pod("default", created["metadata"]["name"]))
        assert real_node.drain(client=runner) == DrainResult(True)
        assert Drainer(runner, "workers", SETTINGS, Clock()).uncordon(real_node.name)
    with real_api.client("stranger") as stranger:
        real_node.add("web")
        result = real_node.drain(client=stranger)
    assert "the role configok.node.cluster grants runners what a drain needs" in result.reason
