# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drains on the real API server: evictions, budgets, managed fields. Pods are objects; a thread ends them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NODES, node, pod
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._drainer import Drainer, DrainResult
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._settings import DrainSettings
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.cordon import marking_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView, node_view
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from support.api.clusters import prepare
from support.api.real_pods import RealPods
from support.api.servers import Real

SETTINGS = DrainSettings(timeout=30.0, force=True)


class RealNode:
    """A Node of the real API server, and drains of it."""

    def __init__(self, api: Real, name: str) -> None:
        self.name = name
        self.path = node(name)
        self.client = api.client()
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}  # like that of a kubelet
        self.client.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata})

    def view(self) -> NodeView:
        return node_view(self.client.get(self.path))

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


@pytest.fixture
def real_node(real_api: Real, unique: str) -> Iterator[RealNode]:
    """A Node of the real API server for this test alone."""
    own = RealNode(real_api, unique)
    yield own
    own.client.delete(own.path)
    own.client.close()


@pytest.fixture
def real_pods(real_api: Real, real_node: RealNode) -> Iterator[RealPods]:
    """The pods of that Node."""
    with RealPods(real_api, real_node.name) as own:
        yield own


def test_a_node_is_drained_and_uncordoned(real_node: RealNode, real_pods: RealPods) -> None:
    real_pods.add("web")
    real_pods.add("agent")
    assert real_node.drain() == DrainResult(True)
    assert real_pods.items() == []
    view = real_node.view()
    assert (view.unschedulable, marking_pool(view)) == (True, "workers")
    assert not real_node.uncordon("workers-2")
    assert real_node.uncordon()
    view = real_node.view()
    assert (view.unschedulable, view.cordoned_by) == (False, "")


def test_a_pod_disruption_budget_is_kept_until_it_allows_the_eviction(real_node: RealNode, real_pods: RealPods) -> None:
    labels = {"app": real_node.name}
    real_pods.add("db", labels=labels)
    budget = real_pods.protect(real_node.name, labels, allowed=0)
    lines: list[str] = []
    allowing = threading.Timer(3.0, real_pods.allow, (budget, 1))
    allowing.start()
    assert real_node.drain(lines=lines) == DrainResult(True)
    words = f"{real_node.name} waits for default/{real_node.name}-db: The disruption budget {real_node.name} needs 2"
    assert any(line.startswith(words) for line in lines), lines
    assert real_pods.allowed(budget) == 0, "the API server has counted it"


def test_a_budget_that_allows_nothing_ends_the_drain_and_the_cordon(real_node: RealNode, real_pods: RealPods) -> None:
    labels = {"app": real_node.name}
    real_pods.add("db", labels=labels)
    real_pods.protect(real_node.name, labels, allowed=0)
    result = real_node.drain(DrainSettings(timeout=15.0, force=True))
    assert result == DrainResult(
        False,
        f"1 pod is left after 15s: default/{real_node.name}-db: "
        f"The disruption budget {real_node.name} needs 2 healthy pods and has 2 currently",
    )
    assert not real_node.view().unschedulable
    assert [item["metadata"].get("deletionTimestamp") for item in real_pods.items()] == [None]


def test_two_budgets_for_a_pod_are_named(real_node: RealNode, real_pods: RealPods) -> None:
    labels = {"app": real_node.name}
    real_pods.add("db", labels=labels)
    for number in range(2):
        real_pods.protect(f"{real_node.name}-{number}", labels, allowed=1)
    assert "more than one PodDisruptionBudget" in real_node.drain().reason
    assert not real_node.view().unschedulable


def test_pods_that_would_be_lost_refuse_the_drain(real_node: RealNode, real_pods: RealPods) -> None:
    name = real_pods.add("web", volumes=[{"name": "scratch", "emptyDir": {}}])
    result = real_node.drain(DrainSettings(timeout=10.0))
    assert f"default/{name}: no controller would create such a pod again" in result.reason
    assert f"default/{name}: an emptyDir would lose its data" in result.reason
    assert real_node.drain(DrainSettings(timeout=30.0, force=True, delete_empty_dir_data=True)).drained


def test_where_an_operator_has_cordoned_again_the_cordon_stays(real_node: RealNode) -> None:
    """The managed fields of the real API server say who has cordoned a Node."""
    assert real_node.drain() == DrainResult(True)
    for cordoned in (None, True):
        patch = {"spec": {"unschedulable": cordoned}}
        real_node.client.patch(real_node.path, patch, kind="strategic", field_manager="kubectl")
    assert not real_node.uncordon()
    view = real_node.view()
    assert (view.unschedulable, view.cordoned_by) == (True, "")


def test_other_changes_of_a_node_leave_its_cordon_with_the_rollout(real_node: RealNode) -> None:
    assert real_node.drain() == DrainResult(True)
    real_node.client.patch(real_node.path, {"metadata": {"labels": {"a": "b"}}}, field_manager="kubectl")
    patch = {"spec": {"unschedulable": True}}
    real_node.client.patch(real_node.path, patch, kind="strategic", field_manager="kubectl")
    assert real_node.uncordon(), "kubectl cordon says that it is cordoned already, and changes nothing"


def test_the_roles_of_a_runner_suffice_for_a_drain(real_api: Real, real_node: RealNode, real_pods: RealPods) -> None:
    prepare(real_node.client, Access(runner_subjects=({"kind": "User", "name": "runner"},)))
    name = real_pods.add("web")
    with real_api.client("runner") as runner:
        with pytest.raises(Forbidden):
            runner.delete(pod("default", name))
        assert real_node.drain(client=runner) == DrainResult(True)
        assert Drainer(runner, "workers", SETTINGS, Clock()).uncordon(real_node.name)
    with real_api.client("stranger") as stranger:
        real_pods.add("web")
        result = real_node.drain(client=stranger)
    assert "the role configok.node.cluster grants runners what a drain needs" in result.reason
