# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control-plane pool: the Pods of the cluster's control plane are Ready before each node and after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Listing
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, Unreachable
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import pods
from ansible_collections.configok.node.plugins.module_utils._rollout import ApiUnavailable
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.control_requests import (
    Requester,
    request_pause,
    resume,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateVerdict
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.control_plane_client import (
    evaluate_control_plane,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.control_plane_gate import ControlPlaneGate
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from support.rollouts.world import MakeWorld, World

DOCUMENTS = {"kube-apiserver": {"kind": "ComponentOptions", "component": "kube-apiserver"}}
POLICY = {"canary": {"count": 1, "soak": "1s"}, "waves": [2, 3], "maxUnavailable": 1, "nodeTimeout": "20m"}
GATE = ControlPlaneGate("control-plane Pods", 900.0, 10.0)


def mirror_pod(node: str, *, component: str = "kube-apiserver", ready: str = "True", **metadata: Any) -> dict[str, Any]:
    labels = {"component": component, "tier": "control-plane"}
    conditions = [{"type": "Initialized", "status": "True"}, {"type": "Ready", "status": ready}]
    return {
        "metadata": {"name": f"{component}-{node}", "labels": labels, **metadata},
        "spec": {"nodeName": node},
        "status": {"conditions": conditions},
    }


class ControlPlane:
    """A client of a world whose API server has these mirror Pods, too. away: whether it gives no answer."""

    def __init__(self, world: World, find: Callable[[], Sequence[dict[str, Any]]]) -> None:
        self._world = world
        self._find = find
        self.away: Callable[[], bool] = lambda: False
        self.questions = 0

    def list(self, path: str, **options: Any) -> Listing:
        if path != pods("kube-system"):
            return self._world.client.list(path, **options)
        assert options["label_selector"] == "tier=control-plane,component in (kube-apiserver,etcd)"
        self.questions += 1
        if self.away():
            raise Unreachable("no answer", where="GET pods")
        return Listing([options["transform"](pod) for pod in self._find()], "1")

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._world.client, name)

        def request(path: str, *args: Any, **options: Any) -> Any:
            if self.away():
                raise Unreachable("no answer", where=f"{name} {path}")
            return method(path, *args, **options)

        return request if name in ("get", "create", "replace", "patch") else method


@pytest.mark.parametrize(
    ("mirror_pods", "verdict", "reason"),
    [
        ([mirror_pod("a"), mirror_pod("b"), mirror_pod("a", component="etcd")], GateVerdict.PASS, ""),
        ([mirror_pod("a"), mirror_pod("b"), mirror_pod("elsewhere")], GateVerdict.PASS, ""),
        ([mirror_pod("a")], GateVerdict.UNKNOWN, "no Pod of kube-apiserver on b"),
        ([mirror_pod("a"), mirror_pod("b", ready="False")], GateVerdict.UNKNOWN, "not Ready: kube-apiserver-b"),
        ([mirror_pod("a"), mirror_pod("b", ready="Unknown")], GateVerdict.UNKNOWN, "not Ready: kube-apiserver-b"),
        ([mirror_pod("a"), {**mirror_pod("b"), "status": {}}], GateVerdict.UNKNOWN, "not Ready: kube-apiserver-b"),
        (
            [mirror_pod("a", deletionTimestamp="2026-01-01T00:00:00Z"), mirror_pod("b")],
            GateVerdict.UNKNOWN,
            "not Ready: kube-apiserver-a",
        ),
        (
            [mirror_pod("a"), mirror_pod("b"), mirror_pod("b", component="etcd", ready="False")],
            GateVerdict.UNKNOWN,
            "not Ready: etcd-b",
        ),
        ([mirror_pod("a", component="etcd")], GateVerdict.UNKNOWN, "no Pod in kube-system has the labels"),
        ([], GateVerdict.UNKNOWN, "no Pod in kube-system has the labels tier=control-plane, component=kube-apiserver"),
    ],
)
def test_the_gate_says_yes_only_if_it_sees_that_all_are_ready(
    mirror_pods: list[dict[str, Any]], verdict: GateVerdict, reason: str
) -> None:
    answer = GATE.evaluate(mirror_pods, {"a", "b"}).answer
    assert answer.verdict is verdict
    assert reason in answer.reason


def test_the_nodes_of_the_wave_may_be_what_is_to_be_repaired() -> None:
    gate = replace(GATE, apart_from=frozenset("b"))
    for of_b in ([], [mirror_pod("b", ready="False"), mirror_pod("b", component="etcd", ready="False")]):
        assert gate.evaluate([mirror_pod("a"), *of_b], {"a", "b"}).answer.verdict is GateVerdict.PASS
    only = [mirror_pod("b", ready="False")]
    assert gate.evaluate(only, {"b"}).answer.verdict is GateVerdict.PASS, "the only API server"
    assert gate.evaluate([mirror_pod("a", ready="False")], {"a", "b"}).answer.verdict is GateVerdict.UNKNOWN
    assert gate.evaluate([], {"b"}).answer.verdict is GateVerdict.UNKNOWN


def test_a_question_without_an_answer_says_why() -> None:
    class Refusing:
        def list(self, _path: str, **_options: Any) -> Listing:
            raise Forbidden("pods is forbidden", where="GET pods", status=403)

    client: Any = Refusing()
    answer = evaluate_control_plane(client, GATE).answer
    assert (answer.verdict, "pods is forbidden" in answer.reason) == (GateVerdict.UNKNOWN, True)


def test_each_node_is_a_wave_that_waits_for_the_pods_of_all(make_world: MakeWorld) -> None:
    world = make_world(3)
    world.documents = DOCUMENTS
    client = ControlPlane(world, lambda: [mirror_pod(f"n0{number}") for number in range(3)])
    results = world.rollout(world.publish(100), client=client, **POLICY)
    assert [(result.wave, result.phase) for result in results] == [
        ("canary", "Canary"),
        ("wave 1", "Wave 1"),
        ("wave 2", "Complete"),
    ]
    assert client.questions >= 2 * len(results), "before each wave, and after its soak"


def test_an_api_server_that_does_not_come_back_stops_the_rollout_before_the_next_node(make_world: MakeWorld) -> None:
    world = make_world(3)
    world.documents = DOCUMENTS

    def find() -> list[dict[str, Any]]:
        moved = [name for name, _id, _source in world.nodes.assignments]
        return [mirror_pod(name, ready=str(name not in moved)) for name in ("n00", "n01", "n02")]

    result = world.rollout(world.publish(100), client=ControlPlane(world, find), **POLICY)[-1]
    (moved,) = [name for name, _id, _source in world.nodes.assignments]
    assert (result.wave, result.phase) == ("canary", "Paused")
    assert f"gate control-plane Pods does not know: not Ready: kube-apiserver-{moved} (for 20m" in result.reason
    assert world.record().bad_configs == (), "what is not known is not the fault of the config"


def test_a_node_whose_api_server_is_down_is_repaired(make_world: MakeWorld) -> None:
    """By an undo, a resumed run or a wave of broken nodes: only the others need to be Ready before it."""
    world = make_world(3)
    world.documents = DOCUMENTS
    target = world.publish(100)
    down = world.plan(target, **POLICY).wave("canary").nodes[0]

    def find() -> list[dict[str, Any]]:
        moved = [name for name, _id, _source in world.nodes.assignments]
        return [mirror_pod(name, ready=str(name != down or down in moved)) for name in ("n00", "n01", "n02")]

    assert world.rollout(target, client=ControlPlane(world, find), **POLICY)[-1].phase == "Complete"


def test_a_pod_that_is_no_longer_ready_after_a_hold_keeps_the_wave_from_beginning(make_world: MakeWorld) -> None:
    world = make_world(3)
    world.documents = DOCUMENTS
    target = world.publish(100)
    waves = [world.plan(target, **POLICY).wave(name).nodes[0] for name in ("canary", "wave 1", "wave 2")]
    requester = Requester("alice", "", "2026-01-01T00:00:00Z")
    held: list[float] = []

    def hold() -> None:
        held.append(world.clock.monotonic())
        update_record(world.client, "workers", lambda record: request_pause(record, requester))
        world.later(300.0, lambda: update_record(world.client, "workers", resume))

    def find() -> list[dict[str, Any]]:
        is_down = bool(held) and world.clock.monotonic() - held[0] > 60.0
        return [mirror_pod(name, ready=str(not (name == waves[2] and is_down))) for name in waves]

    world.when("canary: done", hold)
    result = world.rollout(target, client=ControlPlane(world, find), **POLICY)[-1]
    assert [name for name, _id, _source in world.nodes.assignments] == waves[:1]
    assert (result.wave, result.phase) == ("wave 1", "Paused")
    assert f"not Ready: kube-apiserver-{waves[2]}" in result.reason


def test_a_rollout_without_pods_to_look_at_moves_nothing(make_world: MakeWorld) -> None:
    world = make_world(3)
    world.documents = DOCUMENTS
    result = world.rollout(world.publish(100), client=ControlPlane(world, list), **POLICY)[-1]
    assert (result.phase, world.nodes.assignments) == ("Paused", [])
    assert "canary was not begun: gate control-plane Pods does not know: no Pod in kube-system" in result.reason


@pytest.mark.parametrize(("seconds", "phase"), [(1000.0, "Complete"), (1500.0, "")])
def test_a_run_waits_for_the_api_server_as_long_as_a_node_may_take(
    make_world: MakeWorld, seconds: float, phase: str
) -> None:
    world = make_world(3)
    world.documents = DOCUMENTS
    target = world.publish(100)
    client = ControlPlane(world, lambda: [mirror_pod("n00")])
    since: list[float] = []

    def is_away() -> bool:
        if world.nodes.assignments and not since:
            since.append(world.clock.monotonic())
        return bool(since) and world.clock.monotonic() - since[0] < seconds

    client.away = is_away
    if phase:
        assert world.rollout(target, client=client, **POLICY)[-1].phase == phase
    else:
        with pytest.raises(ApiUnavailable, match=r"has not answered for 120\ds"):
            world.rollout(target, client=client, **POLICY)
