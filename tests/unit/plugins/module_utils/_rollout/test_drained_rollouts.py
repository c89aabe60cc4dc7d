# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts whose change needs a drain or a reboot, also after kills, failures and rollbacks."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node_status
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.control_requests import (
    Requester,
    request_abort,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.rebooter import RebootRequest
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from ansible_collections.configok.node.plugins.module_utils._rollout._run.wave_run import WaveResult
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Plan, Target
from support.rollouts.faulty_clients import Dying, Killed, Losing
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT
from support.rollouts.simulated_pods import Budget
from support.rollouts.world import QUICK, MakeWorld, World

REBOOT: dict[str, Any] = {"reboots": True, "reboot": {"allowed": True}}


def plan(world: World, target: Target, *, reboots: bool = False, **policy: Any) -> Plan:
    """Return a plan that drains, or also reboots, all nodes that the target changes."""
    views = list_nodes(world.client, selector="pool=workers")
    names = tuple(view.name for view in views if view.active != target.source)
    return replace(world.plan(target, **policy), to_drain=names, to_reboot=names if reboots else ())


def rollout(
    world: World, target: Target, *, client: Any = None, reboots: bool = False, **policy: Any
) -> list[WaveResult]:
    """Plan and run, as the action does."""
    made = plan(world, target, reboots=reboots, **policy)
    if not made.has_work:
        with world.runner(client, **policy) as runner:
            return [runner.complete(made)]
    with world.runner(client, **policy) as runner:
        return runner.run(made)


def add_pods(world: World, count: int, *budgets: Budget) -> None:
    """Let a pod of a workload, and one of a DaemonSet, run on each node."""
    for number in range(count):
        world.pods.add(f"n{number:02d}", f"web-{number}", budgets=budgets)
        world.pods.add(f"n{number:02d}", f"agent-{number}", owner="DaemonSet")


def cordoned(world: World) -> list[str]:
    """Return the nodes that are cordoned or have a mark."""
    views = list_nodes(world.client, selector="pool=workers")
    return [view.name for view in views if view.unschedulable or view.cordoned_by]


class Nodes:
    """Simulated nodes that check, when they are assigned a config, that they were drained for it."""

    def __init__(self, world: World, *, doomed: tuple[str, ...] = ()) -> None:
        self.world = world
        self.doomed = doomed
        self.assigned: list[str] = []
        self.errors: list[str] = []
        self.most_cordoned = 0

    def __call__(self, name: str, source: ConfigSource | None) -> str:
        self.assigned.append(name)
        left = [pod for pod in self.world.pods.on(name) if not pod.startswith("agent-")]
        if left or name not in cordoned(self.world):
            self.errors.append(f"{name} was assigned {source} with {left}, cordoned: {cordoned(self.world)}")
        self.most_cordoned = max(self.most_cordoned, len(cordoned(self.world)))
        return CRASHES if name in self.doomed else GOOD


def test_each_node_is_drained_before_it_is_assigned_and_uncordoned_when_it_is_up(make_world: MakeWorld) -> None:
    world = make_world(8)
    add_pods(world, 8)
    nodes = world.nodes.behaviour = Nodes(world)
    target = world.publish(100)
    assert rollout(world, target, soak="1h")[-1].phase == "Complete"
    assert nodes.errors == []
    assert sorted(nodes.assigned) == [f"n{number:02d}" for number in range(8)]
    assert nodes.most_cordoned <= 2, "a node that soaks is not cordoned: maxUnavailable is 2"
    assert cordoned(world) == []
    assert {name for number in range(8) for name in world.pods.on(f"n{number:02d}")} == {
        f"agent-{number}" for number in range(8)
    }


def test_a_budget_for_the_pods_of_all_nodes_is_kept(make_world: MakeWorld) -> None:
    world = make_world(6)
    budget = Budget("web", allowed=1, restored_after=45.0)
    add_pods(world, 6, budget)
    nodes = world.nodes.behaviour = Nodes(world)
    assert rollout(world, world.publish(100), maxUnavailable=3)[-1].phase == "Complete"
    assert nodes.errors == []
    evicted = [time for time, _name, status in world.pods.evictions if status == 201]
    assert len(evicted) == 6
    assert all(later - earlier >= 45.0 for earlier, later in zip(evicted, evicted[1:]))


def test_a_node_that_cannot_be_drained_pauses_the_rollout_and_keeps_its_config(make_world: MakeWorld) -> None:
    world = make_world(4)
    budget = Budget("db")
    world.pods.add("n00", "db", budgets=(budget,))
    nodes = world.nodes.behaviour = Nodes(world)
    target = world.publish(100)
    for _run in range(3):
        result = rollout(world, target, drain={"timeout": "2m"})[-1]
        assert result.phase == "Paused"
        assert "n00: it could not be drained: 1 pod is left after 2m: default/db: The disruption budget db" in (
            result.reason
        )
        assert "n00" not in nodes.assigned
        assert cordoned(world) == [], "kubespray #6545, #6281 and system-upgrade-controller #71 left it cordoned"
    budget.allowed = 1
    assert rollout(world, target, drain={"timeout": "2m"})[-1].phase == "Complete"
    assert nodes.errors == []
    assert cordoned(world) == []


@pytest.mark.parametrize("policy", [{}, {"onFailure": "rollback"}], ids=["halt", "rollback"])
def test_nodes_that_fail_or_are_taken_back_are_not_left_cordoned(make_world: MakeWorld, policy: dict[str, Any]) -> None:
    world = make_world(6)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    add_pods(world, 6)
    made = plan(world, second, failureBudget=0, **policy)
    nodes = world.nodes.behaviour = Nodes(world, doomed=made.wave("wave 2").nodes[:2])
    with world.runner(failureBudget=0, **policy) as runner:
        result = runner.run(made)[-1]
    assert result.phase == "Halted"
    assert nodes.errors == [], "a node that is taken back is drained for it too"
    assert cordoned(world) == []


def test_a_silent_node_is_not_left_cordoned(make_world: MakeWorld) -> None:
    world = make_world(4)
    add_pods(world, 4)
    world.nodes.behaviour = lambda name, _source: SILENT if name == "n00" else GOOD
    assert rollout(world, world.publish(100), **QUICK)[-1].phase == "Paused"
    assert cordoned(world) == []


@pytest.mark.complaint("kubespray #6281: nodes left cordoned by repeated failing runs")
@pytest.mark.complaint("system-upgrade-controller #71: nodes left cordoned by repeated failing runs")
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
def test_killed_at_any_write_and_run_again_no_node_is_left_cordoned(make_world: MakeWorld, after: bool) -> None:
    """kubespray #6545 and #6281, system-upgrade-controller #71: nodes left cordoned by repeated failing runs."""
    at = 0
    while True:
        at += 1
        world = make_world(3)
        add_pods(world, 3)
        nodes = world.nodes.behaviour = Nodes(world)
        target = world.publish(100)
        dying = Dying(world.client, at, after=after)
        with contextlib.suppress(Killed):
            rollout(world, target, client=dying)
        if not dying.dead:
            break
        rollout(world, target)
        recorded = world.rollout_recorded()
        assert (at, recorded.phase, recorded.failed_nodes) == (at, "Complete", ())
        assert (at, nodes.errors) == (at, [])
        assert (at, cordoned(world)) == (at, [])
        assert sorted(nodes.assigned) == ["n00", "n01", "n02"], "no node was assigned twice"
    assert at > 20


def test_nodes_that_a_kill_has_left_cordoned_keep_max_unavailable(make_world: MakeWorld) -> None:
    """A node that was down is up again after the kill, and its turn is before that of the cordoned ones."""
    policy: dict[str, Any] = {"canary": {"count": 1}, "waves": ["100%"], "maxUnavailable": 3}
    for at in range(1, 40):
        world = make_world(6)
        add_pods(world, 6)
        target = world.publish(100)
        down = plan(world, target, **policy).wave("wave 1").nodes[0]
        nodes = world.nodes.behaviour = Nodes(world)
        world.when("canary: done", partial(world.nodes.set_ready, down, False))
        with contextlib.suppress(Killed):
            rollout(world, target, client=Dying(world.client, at, after=True), **policy)
        world.hooks.clear()
        world.nodes.set_ready(down, True)
        rollout(world, target, **policy)
        assert (at, nodes.errors, world.rollout_recorded().phase) == (at, [], "Complete")
        assert nodes.most_cordoned <= 3, at


def test_the_answer_to_any_write_may_be_lost(make_world: MakeWorld) -> None:
    at = 0
    while True:
        at += 1
        world = make_world(3)
        add_pods(world, 3)
        nodes = world.nodes.behaviour = Nodes(world)
        losing = Losing(world.client, at, resend=False)
        assert rollout(world, world.publish(100), client=losing)[-1].phase == "Complete"
        assert (losing.lost, nodes.errors, cordoned(world)) == (losing.lost, [], [])
        if not losing.lost:
            break
    assert at > 20


def test_another_config_after_a_kill_leaves_no_node_of_the_first_one_cordoned(make_world: MakeWorld) -> None:
    world = make_world(4)
    add_pods(world, 4)
    first = world.publish(100)
    dying = Dying(world.client, 8, after=True)
    with contextlib.suppress(Killed):
        rollout(world, first, client=dying)
    assert cordoned(world), "the kill came while nodes were drained"
    second = world.publish(200)
    assert world.rollout(second)[-1].phase == "Complete", "this change needs no drain"
    assert cordoned(world) == []


def test_a_node_whose_kubelet_is_down_is_repaired_without_a_drain(make_world: MakeWorld) -> None:
    """Its pods would not end, and the config that repairs it would never reach it."""
    world = make_world(4)
    add_pods(world, 4)
    world.pods.add("n03", "stuck", ends_after=1e9)
    world.break_node("n03")

    def adopt(name: str, _source: ConfigSource | None) -> str:
        if name == "n03":
            assert cordoned(world) == ["n03"]
            world.later(5.0, lambda: world.nodes.set_ready("n03", True))
        return GOOD

    world.nodes.behaviour = adopt
    assert rollout(world, world.publish(100))[-1].phase == "Complete"
    assert "n03" not in {pod.node for pod in world.pods.pods if pod.is_ending}
    assert sorted(world.pods.on("n03")) == ["agent-3", "stuck", "web-3"]
    assert cordoned(world) == []


# --- reboots


class Machines:
    """Reboots machines: their Nodes become NotReady, and come back with another boot id."""

    def __init__(self, world: World, *, failing: tuple[str, ...] = ()) -> None:
        self.world = world
        self.failing = failing
        self.rebooted: list[str] = []
        self.errors: list[str] = []
        world.options["run_reboot"] = self
        for view in list_nodes(world.client, selector="pool=workers"):
            self._boot(view.name, "b0")

    def __call__(self, request: RebootRequest) -> str:
        view = self.world.nodes.view(request.node)
        if not view.unschedulable or view.active is None or view.answer.config_ok != "True":
            self.errors.append(f"{request.node} is rebooted before it was drained and uses its config")
        if request.node in self.failing:
            return "the machine does not answer"
        self.rebooted.append(request.node)
        self.world.nodes.set_ready(request.node, False)
        self.world.clock.sleep(20.0)
        self._boot(request.node, f"b{len(self.rebooted)}")
        self.world.nodes.set_ready(request.node, True)
        return ""

    def _boot(self, name: str, boot_id: str) -> None:
        self.world.client.patch(node_status(name), {"status": {"nodeInfo": {"bootID": boot_id}}}, kind="strategic")


def test_nodes_are_rebooted_when_they_use_their_config_and_before_they_are_uncordoned(make_world: MakeWorld) -> None:
    world = make_world(5)
    add_pods(world, 5)
    machines, nodes = Machines(world), Nodes(world)
    world.nodes.behaviour = nodes
    assert rollout(world, world.publish(100), **REBOOT)[-1].phase == "Complete"
    assert machines.errors == []
    assert nodes.errors == []
    assert sorted(machines.rebooted) == [f"n{number:02d}" for number in range(5)]
    assert cordoned(world) == []


def test_a_machine_that_cannot_be_rebooted_pauses_the_rollout(make_world: MakeWorld) -> None:
    world = make_world(4)
    machines = Machines(world, failing=("n00",))
    target = world.publish(100)
    result = rollout(world, target, **REBOOT)[-1]
    assert result.phase == "Paused"
    assert "n00: it could not be rebooted: it was not rebooted: the machine does not answer" in result.reason
    machines.failing = ()
    assert rollout(world, target, **REBOOT)[-1].phase == "Complete"
    assert sorted(machines.rebooted) == [f"n{number:02d}" for number in range(4)], "also that one, in the next run"
    assert cordoned(world) == []


def test_an_abort_does_not_wait_for_a_reboot_that_takes_minutes(make_world: MakeWorld) -> None:
    world = make_world(4)
    Machines(world)
    at: list[float] = []

    def reboot(request: RebootRequest) -> str:
        while not request.should_stop():
            world.clock.sleep(0.5)
        return "the run was interrupted"

    def abort() -> None:
        world.clock.sleep(30.0)
        at.append(world.clock.monotonic())
        requester = Requester("alice", "the shop is slow", world.clock.now())
        update_record(world.client, "workers", lambda record: request_abort(record, requester))

    world.options["run_reboot"] = reboot
    world.when("rebooting n", lambda: world.clock.start(abort, "abort"))
    assert rollout(world, world.publish(100), **REBOOT)[-1].phase == "Aborted"
    assert world.clock.monotonic() - at[0] < 5.0
    assert not any(view.unschedulable for view in list_nodes(world.client, selector="pool=workers"))


def test_a_node_whose_kubelet_was_down_is_drained_for_its_reboot_when_it_is_up(make_world: MakeWorld) -> None:
    world = make_world(4)
    machines = Machines(world)
    world.pods.add("n03", "web-3")
    world.break_node("n03")

    def adopt(name: str, _source: ConfigSource | None) -> str:
        if name == "n03":
            assert world.pods.on("n03") == ["web-3"]
            world.nodes.set_ready("n03", True)
        return GOOD

    world.nodes.behaviour = adopt
    assert rollout(world, world.publish(100), **REBOOT)[-1].phase == "Complete"
    assert sorted(machines.rebooted) == [f"n{number:02d}" for number in range(4)]
    assert machines.errors == []
    assert world.pods.on("n03") == []
    assert cordoned(world) == []


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
def test_killed_at_any_write_and_run_again_each_machine_was_rebooted(make_world: MakeWorld, after: bool) -> None:
    at = 0
    while True:
        at += 1
        world = make_world(3)
        machines = Machines(world)
        target = world.publish(100)
        dying = Dying(world.client, at, after=after)
        with contextlib.suppress(Killed):
            rollout(world, target, client=dying, **REBOOT)
        if not dying.dead:
            break
        rollout(world, target, **REBOOT)
        recorded = world.rollout_recorded()
        assert (at, recorded.phase, recorded.failed_nodes) == (at, "Complete", ())
        assert (at, machines.errors) == (at, [])
        assert (at, sorted(set(machines.rebooted))) == (at, ["n00", "n01", "n02"])
        assert len(machines.rebooted) == 3, "none was rebooted twice"
        assert (at, cordoned(world)) == (at, [])
    assert at > 12
