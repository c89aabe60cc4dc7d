# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The leader of a controller manager or scheduler moves last, and one with the new options leads in the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Listing
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import lease, pods
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as paths_of_node
from ansible_collections.configok.node.plugins.module_utils._operations._pool._leaders import find_leaders
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.planner import make_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import (
    GateAnswer,
    GateVerdict,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.leadership_gate import (
    Leader,
    Leadership,
    LeadershipGate,
    leader_of,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_hosts import NodeHosts
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from support.rollouts.world import MakeWorld, World

SCHEDULER = "kube-scheduler"
DOCUMENTS = {SCHEDULER: {"kind": "ComponentOptions", "component": SCHEDULER}}
POLICY: dict[str, Any] = {"canary": {"count": 1, "soak": "1s"}, "waves": [2, 3], "maxUnavailable": 1, "soak": "1s"}
GATE = LeadershipGate("kube-scheduler leader", 900.0, 10.0, SCHEDULER, lambda host: host == "a")
DURATION = 15.0


class Cluster:
    """A client of a world with three control-plane nodes, of which one's scheduler leads.

    leader: the node; it renews the Lease every two seconds until renews is False. forbidden: whether the Lease may not
    be read. elects: whether the schedulers run with leader election.
    """

    def __init__(self, world: World, leader: str = "n00") -> None:
        self._world = world
        self.leader = leader
        self.process = 1
        self.renews = True
        self.forbidden = self.absent = False
        self.elects = True
        self._renewed = 0.0
        self.follow: Callable[[], None] = lambda: None

    def list(self, path: str, **options: Any) -> Listing:
        if path != pods("kube-system"):
            return self._world.client.list(path, **options)
        conditions = [{"type": "Ready", "status": "True"}]
        components = "kube-apiserver" if "etcd" in options["label_selector"] else SCHEDULER
        mirror_pods = [
            {
                "metadata": {"name": f"{components}-{node}", "labels": {"component": components}},
                "spec": {
                    "nodeName": node,
                    "containers": [{"command": [components, f"--leader-elect={str(self.elects).lower()}"]}],
                },
                "status": {"conditions": conditions},
            }
            for node in ("n00", "n01", "n02")
        ]
        return Listing([options["transform"](pod) for pod in mirror_pods], "1")

    def get(self, path: str, **options: Any) -> Any:
        if path != lease("kube-system", SCHEDULER):
            return self._world.client.get(path, **options)
        if self.forbidden:
            raise Forbidden("leases.coordination.k8s.io is forbidden", where="GET lease", status=403)
        if self.absent:
            raise NotFound("not found", where="GET lease", status=404)
        self.follow()
        now = self._world.clock.monotonic()
        if self.renews:
            self._renewed = now // 2
        spec = {"holderIdentity": f"{self.leader}_{self.process}", "renewTime": f"{self._renewed}"}
        return {"spec": {**spec, "leaseDurationSeconds": DURATION}}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world.client, name)


def three_nodes(make_world: MakeWorld) -> tuple[World, Cluster, Any]:
    world = make_world(3)
    world.documents = DOCUMENTS
    world.nodes.static_pods = (SCHEDULER,)
    return world, Cluster(world), world.publish(100)


def moved(world: World) -> list[str]:
    return [name for name, _id, _source in world.nodes.assignments]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"holderIdentity": "cp-1_4f", "renewTime": "x", "leaseDurationSeconds": 30}, Leader("cp-1_4f", "x", 30.0)),
        ({"holderIdentity": "cp_1_4f", "renewTime": "x"}, Leader("cp_1_4f", "x", 15.0)),
        ({"holderIdentity": ""}, None),
        ({}, None),
    ],
)
def test_a_lease_names_its_holder(spec: Mapping[str, Any], expected: Leader | None) -> None:
    assert leader_of({"spec": spec}) == expected
    assert Leader("cp_1_4f", "", 1.0).host == "cp_1"
    assert Leader("by-hand", "", 1.0).host == "by-hand"


def test_a_leader_is_alive_only_while_it_is_seen_to_renew_its_lease() -> None:
    def look(seen: Leadership, identity: str, renewed: str, at: float) -> Leadership:
        return seen.with_leader(Leader(identity, renewed, DURATION), at)

    first = look(Leadership(), "a_1", "1", 100.0)
    assert not first.is_renewed(100.0), "it may have ended long ago"
    renewed = look(first, "a_1", "2", 102.0)
    assert renewed.is_renewed(102.0 + DURATION)
    assert not look(renewed, "a_1", "2", 103.0 + DURATION).is_renewed(103.0 + DURATION)
    assert not look(renewed, "a_2", "3", 104.0).is_renewed(104.0), "another process"
    assert not renewed.with_leader(None, 104.0).is_renewed(104.0)


@pytest.mark.parametrize(
    ("seen", "verdict", "reason"),
    [
        (Leadership(Leader("a_1", "2", DURATION), 95.0), GateVerdict.PASS, ""),
        (
            Leadership(Leader("b_1", "2", DURATION), 95.0),
            GateVerdict.UNKNOWN,
            "kube-scheduler is led by b, which does not use the config",
        ),
        (Leadership(Leader("a_1", "2", DURATION), 80.0), GateVerdict.UNKNOWN, "a_1 holds the Lease of kube-scheduler,"),
        (Leadership(Leader("a_1", "2", DURATION)), GateVerdict.UNKNOWN, "and is not seen to renew it"),
        (Leadership(), GateVerdict.UNKNOWN, "no instance holds the Lease kube-system/kube-scheduler"),
    ],
)
def test_only_a_living_leader_on_a_node_that_has_moved_is_a_yes(
    seen: Leadership, verdict: GateVerdict, reason: str
) -> None:
    answer = GATE.evaluate(seen, 100.0).answer
    assert answer.verdict is verdict
    assert reason in answer.reason


def test_a_node_is_found_by_what_its_host_calls_itself() -> None:
    label = {"kubernetes.io/hostname": "ip-10-0-0-3"}
    views = [NodeView("cp-1", "1"), NodeView("cp-2.a.example", "2"), NodeView("i-0abc", "3", labels=label)]
    hosts = NodeHosts([*views, NodeView("cp-4.a.example", "4"), NodeView("cp-4.b.example", "5")])
    assert hosts.node_of("CP-1.example.com") == hosts.node_of("cp-1") == "cp-1"
    assert hosts.node_of("cp-2.b.example") == "", "another domain"
    assert hosts.node_of("cp-2") == "cp-2.a.example"
    assert hosts.node_of("ip-10-0-0-3") == "i-0abc"
    assert (hosts.node_of("cp-4.b.example"), hosts.node_of("cp-4"), hosts.node_of("cp-9")) == ("cp-4.b.example", "", "")


@pytest.mark.parametrize("leader", ["n00", "n01", "n02"])
def test_the_node_that_leads_moves_last(make_world: MakeWorld, leader: str) -> None:
    world, cluster, target = three_nodes(make_world)
    cluster.leader = leader
    views = list_nodes(world.client, selector="pool=workers")
    pool = world.pool(**POLICY)
    client: Any = cluster
    leaders = find_leaders(client, pool.policy.gates.leadership, views)
    assert (leaders.nodes, leaders.warnings, leaders.refusals) == ({SCHEDULER: leader}, (), ())
    plan = make_plan(views, pool, target, world.record(), last={*leaders.nodes.values()})
    assert [wave.name for wave in plan.waves] == ["canary", "wave 1", "wave 2"]
    assert plan.waves[-1].nodes == (leader,)
    assert leaders.left_out(plan) == ()
    without = make_plan(views, pool, target, world.record(), left_out={leader: "no"}, last={leader})
    assert leaders.left_out(without)[0].startswith(f"{leader} leads kube-scheduler, and is not moved: the rollout")
    only = make_plan(views[:1], pool, target, world.record(), last={views[0].name})
    assert [wave.nodes for wave in only.waves] == [(views[0].name,)], "there is no other canary"


def test_the_plan_warns_of_what_is_not_known_of_the_leader(make_world: MakeWorld) -> None:
    world, cluster, _target = three_nodes(make_world)
    views = list_nodes(world.client, selector="pool=workers")
    gates = world.pool(**POLICY).policy.gates.leadership
    client: Any = cluster

    def warning() -> str:
        leaders = find_leaders(client, gates, views)
        (sentence,) = (*leaders.warnings, *leaders.refusals)
        assert not leaders.nodes
        return sentence

    cluster.leader = "elsewhere"
    assert warning().startswith("not judged: whether an instance of kube-scheduler with the config leads: elsewhere")
    cluster.absent = True
    assert warning().startswith("no instance leads kube-scheduler")
    cluster.forbidden = True
    assert warning().endswith("which says who leads kube-scheduler: run the role configok.node.cluster again")


def test_the_rollout_ends_when_an_instance_that_has_moved_has_led_for_two_minutes(make_world: MakeWorld) -> None:
    """The Lease of the old process stays for a while, and another instance takes it then."""
    world, cluster, target = three_nodes(make_world)
    last = world.plan(target, **POLICY).waves[-1].nodes[0]
    cluster.leader = last
    taken: list[float] = []

    def follow() -> None:
        if last not in moved(world):
            return
        if not taken:
            taken.append(world.clock.monotonic() + DURATION)
        cluster.renews = world.clock.monotonic() >= taken[0]
        if cluster.renews:
            cluster.leader, cluster.process = moved(world)[0], 7

    cluster.follow = follow
    results = world.rollout(target, client=cluster, **POLICY)
    assert [result.phase for result in results] == ["Canary", "Wave 1", "Complete"]
    assert world.clock.monotonic() - taken[0] >= 120.0


def test_a_leader_that_changes_again_and_again_does_not_pass(make_world: MakeWorld) -> None:
    world, cluster, target = three_nodes(make_world)

    def follow() -> None:
        cluster.process = int(world.clock.monotonic() // 60)

    cluster.follow = follow
    result = world.rollout(target, client=cluster, **POLICY)[-1]
    assert (result.wave, result.phase) == ("wave 2", "Paused")
    assert "gate kube-scheduler leader does not know: " in result.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"renews": False}, "n00_1 holds the Lease of kube-scheduler, and is not seen to renew it"),
        ({"absent": True}, "no instance holds the Lease kube-system/kube-scheduler"),
        ({"forbidden": True}, "GET lease: leases.coordination.k8s.io is forbidden"),
    ],
)
def test_without_a_leader_that_has_moved_the_last_wave_pauses(
    make_world: MakeWorld, change: Mapping[str, Any], reason: str
) -> None:
    world, cluster, target = three_nodes(make_world)
    for name, value in change.items():
        setattr(cluster, name, value)
    result = world.rollout(target, client=cluster, **POLICY)[-1]
    assert (result.wave, result.phase) == ("wave 2", "Paused")
    assert f"gate kube-scheduler leader does not know: {reason}" in result.reason
    assert world.record().bad_configs == ()


def test_a_leader_of_another_pool_is_not_judged(make_world: MakeWorld) -> None:
    """A pool may be a part of the control plane."""
    world, cluster, target = three_nodes(make_world)
    cluster.leader = "elsewhere"
    assert world.rollout(target, client=cluster, **POLICY)[-1].phase == "Complete"
    sentence = "not judged: whether an instance of kube-scheduler with the config leads: elsewhere leads"
    assert [line for line in world.lines() if sentence in line]


def test_a_leader_that_another_pool_takes_over_from_the_last_node_is_not_judged(make_world: MakeWorld) -> None:
    world, cluster, target = three_nodes(make_world)
    last = world.plan(target, **POLICY).waves[-1].nodes[0]

    def follow() -> None:
        cluster.leader = "elsewhere" if last in moved(world) else last

    cluster.follow = follow
    assert world.rollout(target, client=cluster, **POLICY)[-1].phase == "Complete"
    assert sum("not judged" in line for line in world.lines()) == 1


def test_a_node_that_does_not_run_the_component_by_its_options_has_not_moved(make_world: MakeWorld) -> None:
    world, cluster, target = three_nodes(make_world)
    world.nodes.static_pods = ()
    result = world.rollout(target, client=cluster, **POLICY)[-1]
    assert (result.wave, result.phase) == ("wave 2", "Paused")
    assert "kube-scheduler is led by n00, which does not use the config" in result.reason


def test_a_canary_with_labels_moves_first_although_it_leads(make_world: MakeWorld) -> None:
    world, _cluster, target = three_nodes(make_world)
    world.client.patch(paths_of_node("n01"), {"metadata": {"labels": {"canary": "yes"}}})
    views = list_nodes(world.client, selector="pool=workers")
    pool = world.pool(**{**POLICY, "canary": {"count": 1, "soak": "1s", "labels": {"canary": "yes"}}})
    plan = make_plan(views, pool, target, world.record(), last={"n01"})
    assert plan.wave("canary").nodes == ("n01",)


def test_nothing_is_asked_of_the_leader_before_the_last_wave_has_moved(make_world: MakeWorld) -> None:
    """A playbook before the wave takes longer than nodeTimeout."""
    world, cluster, target = three_nodes(make_world)
    last = world.plan(target, **POLICY).waves[-1].nodes[0]
    cluster.follow = lambda: setattr(cluster, "leader", moved(world)[0] if last in moved(world) else last)

    def before_wave(wave: str, _nodes: Any, _should_stop: Any) -> GateAnswer:
        if wave == "wave 2":
            world.clock.sleep(1000.0)
        return GateAnswer("before", GateVerdict.PASS)

    world.options["before_wave"] = before_wave
    assert world.rollout(target, client=cluster, nodeTimeout="15m", **POLICY)[-1].phase == "Complete"


@pytest.mark.parametrize("has_old_lease", [True, False])
def test_without_leader_election_each_instance_acts(make_world: MakeWorld, has_old_lease: bool) -> None:
    world, cluster, target = three_nodes(make_world)
    cluster.elects = cluster.renews = False
    cluster.absent = not has_old_lease
    assert world.rollout(target, client=cluster, **POLICY)[-1].phase == "Complete"
