# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of drains: any history of rollouts, kills and operators keeps each cordon with its owner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._drainer import Drainer
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._pods import select_pods
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._settings import DrainSettings
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.cordon import (
    FIELD_MANAGER,
    marking_pool,
    own_cordons,
)
from support.fuzz.settings import fuzz
from support.rollouts.faulty_clients import Dying, Killed
from support.rollouts.simulated_pods import Budget, Pod
from support.rollouts.world import World

SETTINGS = DrainSettings(timeout=60.0)


class Cluster:
    """One Node of an API server that keeps managed fields, two pools, and an operator."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.owner = ""  # the field manager of spec.unschedulable
        self.is_operators = False  # whether the operator wants the Node cordoned

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world.client, name)

    def find(self, path: str) -> Any:
        item = self.world.client.find(path)
        if item is not None and self.owner:
            fields = {"manager": self.owner, "fieldsV1": {"f:spec": {"f:unschedulable": {}}}}
            item["metadata"]["managedFields"] = [fields]
        return item

    def patch(self, path: str, body: Any, **options: Any) -> Any:
        before = self.world.nodes.view("n00").unschedulable
        answer = self.world.client.patch(path, body, **options)
        after = self.world.nodes.view("n00").unschedulable
        if before != after:
            by_operator = options["field_manager"] != FIELD_MANAGER
            assert by_operator or not self.is_operators, "no rollout takes back the operator's cordon"
            self.owner = options["field_manager"] if after else ""
            self.is_operators = after and by_operator
        return answer

    # --- what happens to the Node

    def drain(self, pool: str) -> None:
        result = self._drainer(pool).drain(self.world.nodes.view("n00"), lambda: False)
        view = self.world.nodes.view("n00")
        if result.drained:
            assert view.unschedulable
            assert self.world.pods.on("n00") == []
        else:
            assert marking_pool(view) != pool, "a drain that fails leaves no cordon of its pool"

    def kill(self, pool: str, after: bool) -> None:
        """Begin a drain whose process is killed at its first write."""
        dying = Dying(self, 1, after=after)
        try:
            self._drainer(pool, dying).drain(self.world.nodes.view("n00"), lambda: False)
        except Killed:
            return

    def uncordon(self, pool: str) -> None:
        self._drainer(pool).uncordon("n00")

    def operator(self, *cordons: bool) -> None:
        """Let the operator cordon or uncordon the Node; kubectl sends nothing if it is so already."""
        for cordon in cordons:
            self._set_cordon(cordon)

    def _set_cordon(self, cordon: bool) -> None:
        if self.world.nodes.view("n00").unschedulable != cordon:
            self.patch(node("n00"), {"spec": {"unschedulable": cordon or None}}, field_manager="kubectl-cordon")

    def _drainer(self, pool: str, client: Any = None) -> Drainer:
        chosen: Any = client or self
        return Drainer(chosen, pool, SETTINGS, self.world.clock)


def steps() -> st.SearchStrategy[Callable[[Cluster], None]]:
    pools = st.sampled_from(["workers", "workers-2"])
    booleans = st.booleans()
    return st.one_of(
        st.builds(lambda pool: lambda cluster: cluster.drain(pool), pools),
        st.builds(lambda pool: lambda cluster: cluster.uncordon(pool), pools),
        st.builds(lambda pool, after: lambda cluster: cluster.kill(pool, after), pools, booleans),
        st.builds(
            lambda cordons: lambda cluster: cluster.operator(*cordons),
            st.sampled_from([(True,), (False,), (False, True)]),
        ),
    )


@fuzz(40)
@given(st.lists(steps(), min_size=1, max_size=8), st.booleans())
def test_a_rollout_takes_back_its_own_cordon_and_no_other(
    history: list[Callable[[Cluster], None]], blocked: bool
) -> None:
    world = World.start(1)
    try:
        if blocked:
            world.pods.add("n00", "db", budgets=(Budget("db"),))
        cluster = Cluster(world)
        for step in history:
            step(cluster)
            view = world.nodes.view("n00")
            if marking_pool(view) == "" and view.unschedulable:
                assert cluster.is_operators, "a cordon without a mark is an operator's"
        # The next run of each pool uncordons what it finds marked.
        for pool in ("workers", "workers-2"):
            for name in own_cordons([world.nodes.view("n00")], pool):
                cluster._drainer(pool).uncordon(name)
        view = world.nodes.view("n00")
        assert marking_pool(view) == ""
        assert view.unschedulable is cluster.is_operators, "what is left is the operator's"
    finally:
        world.stop()


def pods() -> st.SearchStrategy[list[Pod]]:
    pod = st.builds(
        Pod,
        node=st.just("n00"),
        name=st.text("abc", min_size=1),
        uid=st.uuids().map(str),
        owner=st.sampled_from(["", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "Node"]),
        phase=st.sampled_from(["Pending", "Running", "Succeeded", "Failed", "Unknown"]),
        mirror=st.booleans(),
        empty_dir=st.booleans(),
        is_ending=st.booleans(),
    )
    return st.lists(pod, max_size=6, unique_by=lambda pod: pod.uid)


@fuzz(200)
@given(pods(), st.booleans(), st.booleans())
def test_no_drain_evicts_what_its_settings_protect(pods: list[Pod], force: bool, delete_data: bool) -> None:
    settings = DrainSettings(force=force, delete_empty_dir_data=delete_data)
    selection = select_pods([pod.to_dict() for pod in pods], settings)
    by_uid = {pod.uid: pod for pod in pods}
    for ref in selection.to_evict:
        pod = by_uid[ref.uid]
        finished = pod.phase in ("Succeeded", "Failed")
        assert not pod.mirror
        assert finished or pod.owner != "DaemonSet"
        if not selection.refusals and not finished and not pod.is_ending:
            assert force or pod.owner
            assert delete_data or not pod.empty_dir
    left = by_uid.keys() - {ref.uid for ref in selection.to_evict}
    assert all(by_uid[uid].mirror or by_uid[uid].owner == "DaemonSet" for uid in left)
