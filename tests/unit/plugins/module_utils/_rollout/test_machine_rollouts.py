# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts of Machines: create, update, replace and delete, failures, kills and outages."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map, node, node_status
from ansible_collections.configok.node.plugins.module_utils._rollout import Interrupted, RolloutError, RolloutRefused
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.control_requests import (
    Requester,
    request_abort,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.planner import make_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.rebooter import RebootRequest
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._record.clear_bad_config import clear_bad_config
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Revision
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import (
    find_undo_revision,
    record_machines,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import pool_status
from ansible_collections.configok.node.plugins.module_utils._rollout._run.control_actions import (
    ControlRequest,
    control_rollout,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.host_change import (
    ChangeNotBegun,
    MachineRequest,
)
from support.rollouts.faulty_clients import Away, Dying, Killed
from support.rollouts.simulated_machines import NEW, OLD, RECORD, MachineWorld
from support.rollouts.simulated_nodes import CRASHES, GOOD, status_of
from support.rollouts.simulated_pods import Budget
from support.rollouts.world import QUICK, MakeWorld, World

TAINT = ("dedicated", "db", "NoSchedule")


def finish(machines: MachineWorld) -> None:
    """Assert that a run ends well, and that all machines are as declared."""
    results = machines.run()
    assert results[-1].phase == "Complete", "\n".join(machines.world.lines())
    assert machines.lacking() == {}
    assert machines.hosts.errors == []


def test_machines_that_are_as_declared_are_left_alone(make_world: MakeWorld) -> None:
    machines = MachineWorld.of(make_world(0), 3)
    assert machines.run() == []
    assert machines.record().rollout is None
    assert machines.hosts.calls == []


def test_a_version_moves_in_waves_each_machine_drained_first(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 8)
    for name in machines.declared:
        world.pods.add(name, f"web-{name}", budgets=(Budget("web", allowed=8),))
        world.pods.add(name, f"agent-{name}", owner="DaemonSet")
    machines.declare(kubelet=NEW)
    plan = machines.plan()
    assert [(wave.name, len(wave.nodes)) for wave in plan.waves] == [("canary", 2), ("wave 1", 2), ("wave 2", 4)]
    assert plan.to_drain == tuple(sorted(machines.declared))
    finish(machines)
    assert sorted(machines.hosts.calls) == [(name, "update", NEW) for name in sorted(machines.declared)]
    assert machines.hosts.most_at_work == 2, "maxUnavailable is 2"
    assert {name for name, _id, _source in world.nodes.assignments} == set(machines.declared)
    assert [machines.rollout().phase, machines.run()] == ["Complete", []]


def test_labels_taints_and_the_config_need_neither_drain_nor_host(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4)
    world.client.patch(node("m00"), {"spec": {"taints": [{"key": "others", "effect": "NoExecute"}]}})
    world.pods.add("m00", "web")
    machines.declare("m00", "m01", labels={"disk": "ssd"}, taints=(TAINT,))
    machines.declare("m02", source=world.publish(100).source)
    finish(machines)
    view = world.nodes.view("m00")
    assert (view.labels["disk"], view.taints) == ("ssd", (("others", "", "NoExecute"), TAINT))
    assert view.machine == machines.declared["m00"].annotation("m00")
    assert machines.hosts.calls == []
    assert world.pods.on("m00") == ["web"]
    # The others are assigned what they use: their agents confirm it at the end of the soak.
    assert sorted(name for name, _id, _source in world.nodes.assignments) == ["m00", "m01", "m02"]


def test_a_config_that_needs_a_reboot_drains_and_reboots_its_machine(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3, reboot={"allowed": True})
    world.client.patch(node_status("m01"), {"status": {"nodeInfo": {"bootID": "first"}}}, kind="strategic")
    world.pods.add("m01", "web")
    rebooted = []

    def reboot(request: RebootRequest) -> str:
        rebooted.append((request.node, world.pods.on(request.node)))
        world.client.patch(node_status("m01"), {"status": {"nodeInfo": {"bootID": "second"}}}, kind="strategic")
        return ""

    world.options["run_reboot"] = reboot
    machines.declare("m01", source=world.publish(100).source, disruption="reboot")
    finish(machines)
    assert rebooted == [("m01", [])]
    assert machines.hosts.calls == []


def test_machines_are_created_before_others_are_deleted(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4)
    world.pods.add("m03", "web")
    source = world.publish(100).source
    machines.declare("new1", "new2", kubelet=NEW, source=source, labels={"disk": "ssd"}, taints=(TAINT,))
    machines.declare("m03", present=False)
    assert [wave.nodes for wave in machines.plan().waves][-1] == ("m03",)
    finish(machines)
    assert [call[:2] for call in machines.hosts.calls] == [("new1", "create"), ("new2", "create"), ("m03", "delete")]
    assert world.pods.on("m03") == []
    assert machines.run() == [], "the file of a deleted machine may stay"
    finished = machines.rollout()
    assert (finished.failed_nodes, finished.phase) == ((), "Complete")


def test_a_replaced_machine_is_another_node(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3, canary={"count": 1, "soak": "5s"})
    machines.declare(labels={"a": "b"})
    finish(machines)
    before = {name: view.uid for name, view in machines.views().items()}
    world.pods.add("m01", "web")
    machines.declare("m01", provider="p2", kubelet=NEW)
    finish(machines)
    assert [call[:2] for call in machines.hosts.calls] == [("m01", "delete"), ("m01", "create")]
    after = {name: view.uid for name, view in machines.views().items()}
    assert {name for name in before if before[name] != after[name]} == {"m01"}
    assert machines.run() == []


@pytest.mark.parametrize("action", ["create", "delete"])
def test_a_host_that_cannot_be_made_or_freed_fails_the_machine(make_world: MakeWorld, action: str) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3)
    name = "m01" if action == "delete" else "new"
    machines.hosts.fails[(name, action)] = "no space left on the disk."
    machines.declare(name, present=action == "create")
    results = machines.run()
    assert results[-1].phase == "Halted"
    assert results[-1].failed_nodes[0].reason == "no space left on the disk"
    assert [call[1] for call in machines.hosts.calls] == [action]
    assert not [view.name for view in machines.views().values() if view.unschedulable]


def test_a_kubelet_that_does_not_start_is_taken_back_at_the_canary_and_halts(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 6, canary={"count": 1, "soak": "5s"})
    machines.declare(kubelet=NEW)
    canary = machines.plan().waves[0].nodes[0]
    machines.hosts.fails[(canary, "update")] = f"kubelet {NEW} did not start: exec format error."
    result = machines.run()[-1]
    assert result.phase == "Halted"
    assert result.failed_nodes[0].reason == (
        f"kubelet {NEW} did not start: exec format error; it is back on kubelet {OLD} and containerd 1.7.24"
    )
    assert machines.hosts.calls == [(canary, "update", NEW), (canary, "rollback", OLD)]
    view = world.nodes.view(canary)
    assert (view.system.kubelet_version, view.ready, view.unschedulable) == (f"v{OLD}", True, False)
    with pytest.raises(RolloutRefused, match=r"is refused: .*: change the Machine files, or clear it with configok"):
        machines.run()
    clear_bad_config(world.client, RECORD, None, reason="mended", author="me", now="now")
    machines.hosts.fails.clear()
    finish(machines)


def test_a_kubelet_that_never_gets_ready_is_taken_back_with_its_config(make_world: MakeWorld) -> None:
    world = make_world(0)
    first, second = world.publish(100).source, world.publish(200).source
    machines = MachineWorld.of(world, 4, canary={"count": 2, "soak": "5s"}, **QUICK)
    machines.declare(source=first)
    finish(machines)
    machines.hosts.broken.add(NEW)
    machines.declare(kubelet=NEW, source=second)
    result = machines.run()[-1]
    assert result.phase == "Halted"
    assert "it is not Ready: " in result.failed_nodes[0].reason
    assert f"it is back on kubelet {OLD}" in result.failed_nodes[0].reason
    assert {view.system.kubelet_version for view in machines.views().values()} == {f"v{OLD}"}
    assert {view.assigned.source for view in machines.views().values()} == {first}
    assert not [view.name for view in machines.views().values() if view.unschedulable or not view.ready]


def test_a_config_that_fails_under_the_new_version_takes_the_version_back(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4, canary={"count": 1, "soak": "5s"})
    source = world.publish(100).source
    world.nodes.behaviour = lambda _name, source: CRASHES if source else GOOD
    machines.declare(kubelet=NEW, source=source)
    result = machines.run()[-1]
    assert result.phase == "Halted"
    assert f"; it is back on kubelet {OLD}" in result.failed_nodes[0].reason
    name = result.failed_nodes[0].node
    view = world.nodes.view(name)
    assert (view.system.kubelet_version, view.assigned.source, view.unschedulable) == (f"v{OLD}", None, False)


def test_a_host_that_cannot_be_taken_back_stays_cordoned(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3, canary={"count": 1, "soak": "5s"})
    machines.declare(kubelet=NEW)
    canary = machines.plan().waves[0].nodes[0]
    machines.hosts.fails = {(canary, "update"): "it broke", (canary, "rollback"): "the packages are gone"}
    result = machines.run()[-1]
    assert result.failed_nodes[0].reason == (
        f"it broke; it could not be taken back to kubelet {OLD} and containerd 1.7.24 and stays cordoned: the packages "
        "are gone"
    )
    assert world.nodes.view(canary).unschedulable


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_machine_that_fails_in_its_soak_is_drained_before_it_is_taken_back(
    make_world: MakeWorld, allowed: int
) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4, canary={"count": 1, "soak": "10m"}, drain={"timeout": "2m"})
    source = world.publish(100).source
    machines.declare(kubelet=NEW, source=source)
    canary = machines.plan().waves[0].nodes[0]

    def fail() -> None:
        view = world.nodes.view(canary)
        assert not view.unschedulable
        world.pods.add(canary, "db", budgets=(Budget("db", allowed=allowed),))
        world.nodes.say(canary, *status_of(view, source, CRASHES)[-1])

    world.later(300.0, fail)
    result = machines.run()[-1]
    assert machines.hosts.errors == []
    assert result.phase == "Halted"
    reason = result.failed_nodes[0].reason
    if allowed:
        assert f"it is back on kubelet {OLD}" in reason
        assert world.pods.on(canary) == []
    else:
        assert "it was not taken back, since it could not be drained: 1 pod is left after 2m" in reason
        assert world.pods.on(canary) == ["db"]
    assert not world.nodes.view(canary).unschedulable


def test_a_machine_that_fails_after_it_has_passed_is_taken_back_while_its_wave_moves(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 6, canary={"count": 3, "soak": "1m"}, maxUnavailable=1)
    source = world.publish(100).source
    machines.declare(kubelet=NEW, source=source)
    first = machines.plan().waves[0].nodes[0]
    world.pods.add(first, "web")

    def fail(request: MachineRequest) -> None:
        if len(machines.hosts.calls) == 3:
            world.clock.sleep(120.0)  # the first has passed meanwhile
            world.nodes.say(first, *status_of(world.nodes.view(first), source, CRASHES)[-1])

    machines.hosts.during = fail
    result = machines.run()[-1]
    assert machines.hosts.calls[3:] == [(first, "rollback", OLD)]
    assert machines.hosts.errors == []
    (failed,) = result.failed_nodes
    assert (result.phase, failed.node) == ("Halted", first)
    assert failed.reason.startswith("it had passed, then failed: ")
    assert f"it is back on kubelet {OLD}" in failed.reason
    assert not [view.name for view in machines.views().values() if view.unschedulable]


def test_an_abort_leaves_the_cordon_of_a_host_that_is_taken_back(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4, canary={"count": 1, "soak": "5s"}, **QUICK)
    machines.declare(kubelet=NEW)
    machines.hosts.broken.add(NEW)
    machines.hosts.seconds = 60.0
    requester = Requester("me", "enough", "now")

    def abort(request: MachineRequest) -> None:
        if request.action == "rollback":
            update_record(world.client, RECORD, lambda record: request_abort(record, requester))
            world.clock.sleep(20.0)
            assert world.nodes.view(request.machine).unschedulable, "its host is changed now"

    machines.hosts.during = abort
    assert machines.run()[-1].phase == "Aborted"
    assert [call[1] for call in machines.hosts.calls] == ["update", "rollback"]
    assert not [view.name for view in machines.views().values() if view.unschedulable]


def test_a_bundle_that_is_deleted_pauses_the_machines_that_have_to_fetch_it(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 6, canary={"count": 1, "soak": "5s"}, maxUnavailable=1)
    used, second = world.publish(100).source, world.publish(200).source
    assert used is not None
    assert second is not None
    machines.declare(source=used)
    finish(machines)
    world.client.delete(config_map(used.namespace, used.name))  # they have it
    machines.declare(kubelet=NEW)
    machines.declare("m05", source=second)
    bundle = config_map(second.namespace, second.name)
    machines.hosts.during = lambda _request: world.client.delete(bundle) if len(machines.hosts.calls) == 3 else None
    result = machines.run()[-1]
    assert result.phase == "Paused"
    assert result.reason.startswith(f"the bundle {second.name} was deleted: publish it again, or name another in")
    assert len(machines.hosts.calls) < 6
    assert "m05" not in {call[0] for call in machines.hosts.calls}
    assert machines.record().bad_configs == ()


def test_a_host_that_could_not_be_taken_back_stays_cordoned_in_the_next_run_too(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 8, failureBudget=1)
    machines.declare(kubelet=NEW)
    waves = machines.plan().waves
    failing, last = waves[1].nodes[0], waves[-1].nodes[0]
    machines.hosts.fails = {(failing, "update"): "it broke", (failing, "rollback"): "the packages are gone"}
    killed = KilledHosts(machines, 1)
    machines.hosts.during = lambda request: killed(request) if request.machine == last else None
    with contextlib.suppress(Killed):
        machines.run(client=killed.client)
    assert killed.client.dead
    machines.hosts.during = lambda _request: None
    assert machines.run()[-1].phase == "Complete"
    assert [name for name, view in machines.views().items() if view.unschedulable] == [failing]
    machines.hosts.fails.clear()
    finish(machines)


def test_a_failure_within_the_budget_lets_the_others_continue(make_world: MakeWorld) -> None:
    machines = MachineWorld.of(make_world(0), 8, failureBudget=1)
    machines.declare(kubelet=NEW)
    failing = machines.plan().waves[-1].nodes[0]
    machines.hosts.fails[(failing, "update")] = "it broke"
    results = machines.run()
    assert results[-1].phase == "Complete"
    assert set(machines.lacking()) == {failing}
    assert [failed.node for failed in results[-1].failed_nodes] == [failing]


def test_a_replacement_that_has_failed_is_missed(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 8, canary={"count": 1, "soak": "5s"}, maxUnavailable=2, failureBudget=6, **QUICK)
    machines.declare(labels={"a": "b"})
    finish(machines)
    machines.declare(provider="p2")
    waves = [wave.nodes for wave in machines.plan().waves]
    failing = [waves[1][0], waves[1][-1]]
    machines.hosts.fails = {(name, "create"): "no quota is left" for name in (*failing, *waves[-1])}
    result = machines.run()[-1]
    assert result.phase == "Paused"
    assert "maxUnavailable is 2" in result.reason
    lost = [name for name in machines.declared if name not in machines.views()]
    assert lost == sorted(failing), "no other Node was deleted"
    assert machines.hosts.errors == []


def test_a_machine_that_was_not_replaced_in_an_earlier_wave_is_missed(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 6, maxUnavailable=1, failureBudget=3, **QUICK)
    machines.declare(labels={"a": "b"})
    finish(machines)
    machines.declare(provider="p2")
    failing = machines.plan().waves[1].nodes[-1]
    machines.hosts.fails = {(failing, "create"): "no quota is left"}
    for _run in range(2):
        result = machines.run()[-1]
        assert result.phase == "Paused"
        assert f"to create {failing} again, end this rollout with configok.node.abort" in result.reason
    machines.hosts.fails.clear()
    control_rollout(world.client, RECORD, ControlRequest("abort", "me", "enough"), clock=world.clock)
    finish(machines)


def test_a_drain_that_is_blocked_pauses_and_touches_no_host(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3, drain={"timeout": "2m"})
    budget = Budget("db")
    for name in machines.declared:
        world.pods.add(name, f"db-{name}", budgets=(budget,))
    machines.declare(kubelet=NEW)
    result = machines.run()[-1]
    assert (result.phase, machines.hosts.calls) == ("Paused", [])
    budget.allowed = 3
    finish(machines)


def test_what_is_no_longer_declared_is_removed(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3)
    machines.declare(labels={"disk": "ssd"}, taints=(TAINT,))
    finish(machines)
    machines.declare(labels={"disk": None}, taints=(), untaint=("dedicated:NoSchedule",))
    finish(machines)
    assert not [view.name for view in machines.views().values() if "disk" in view.labels or TAINT in view.taints]
    assert machines.hosts.calls == []


def test_a_half_changed_host_is_put_right_although_its_files_were_changed_back(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3, canary={"count": 1, "soak": "5s"}, maxUnavailable=1)
    machines.declare(kubelet=NEW)
    killed = KilledHosts(machines, 1)
    machines.hosts.during = killed
    with contextlib.suppress(Killed):
        machines.run(client=killed.client)
    name = machines.hosts.calls[0][0]
    assert not world.nodes.view(name).ready
    machines.hosts.during = lambda _request: None
    machines.declare(kubelet=OLD)
    finish(machines)
    assert machines.hosts.calls[1:] == [(name, "update", OLD)]


@pytest.mark.parametrize("kills", [True, False])
def test_a_host_that_an_operator_had_cordoned_is_marked_while_it_is_changed(make_world: MakeWorld, kills: bool) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3, canary={"count": 1, "soak": "5s"}, maxUnavailable=1)
    machines.declare(kubelet=NEW)
    name = machines.plan().waves[0].nodes[0]
    world.client.patch(node(name), {"spec": {"unschedulable": True}})
    killed = KilledHosts(machines, 1)

    def die(request: MachineRequest) -> None:  # the kubelet is the new one already, and the other steps are left
        version = {"status": {"nodeInfo": {"kubeletVersion": f"v{NEW}"}}}
        world.client.patch(node_status(name), version, kind="strategic")
        world.nodes.set_ready(name, True)
        killed(request)

    if kills:
        machines.hosts.during = die
        with contextlib.suppress(Killed):
            machines.run(client=killed.client)
        machines.hosts.during = lambda _request: None
    assert machines.run()[-1].phase == "Complete"
    assert machines.hosts.calls.count((name, "update", NEW)) == (2 if kills else 1)
    assert machines.hosts.errors == []
    assert machines.lacking() == {name: "it is cordoned"}, "by the operator"
    assert world.nodes.view(name).cordoned_by == ""
    assert world.nodes.view(name).unschedulable


def test_an_abort_waits_for_the_hosts_that_are_changed(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4)
    machines.declare(kubelet=NEW)
    requester = Requester("me", "enough", "now")
    machines.hosts.during = lambda _request: update_record(
        world.client, RECORD, lambda record: request_abort(record, requester)
    )
    assert machines.run()[-1].phase == "Aborted"
    assert machines.hosts.at_work == set()
    assert len(machines.hosts.calls) <= 2
    assert not [view.name for view in machines.views().values() if view.unschedulable]
    assert machines.hosts.errors == []


def test_ctrl_c_ends_the_run_and_the_next_one_continues(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4)
    machines.declare(kubelet=NEW)

    def press() -> None:
        raise KeyboardInterrupt

    rollouts: list[str] = []
    machines.hosts.during = lambda request: rollouts.append(request.rollout)
    world.when("updating", press)
    sentence = "interrupted in canary of pool machines: the hosts at work are left as they are, nothing else is changed"
    with pytest.raises(Interrupted, match=f"{sentence}; run it again to continue"):
        machines.run()
    finish(machines)
    assert len(set(rollouts)) == 1, "a rollback has to know the update of the run that was killed"
    machines.declare(kubelet=OLD)
    finish(machines)
    assert len(set(rollouts)) == 2


def test_a_change_that_has_not_begun_when_the_run_ends_is_not_taken_back(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4, canary={"count": 1, "soak": "5s"}, **QUICK)
    machines.declare(kubelet=NEW)
    actions: list[str] = []

    def change(request: MachineRequest) -> str:
        actions.append(request.action)
        update_record(world.client, RECORD, lambda record: request_abort(record, Requester("me", "enough", "now")))
        raise ChangeNotBegun

    monkeypatch.setattr(machines.hosts, "change", change)
    result = machines.run()[-1]
    assert (result.phase, result.failed_nodes) == ("Aborted", ())
    assert actions == ["update"]
    assert not [view.name for view in machines.views().values() if view.unschedulable]


def test_a_pause_of_machines_that_is_over_names_their_playbook(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4)
    machines.declare(kubelet=NEW)

    def press() -> None:
        raise KeyboardInterrupt

    world.when("updating", press)
    with pytest.raises(Interrupted):
        machines.run()
    control_rollout(world.client, RECORD, ControlRequest("pause", "me"), clock=world.clock)
    resumed = control_rollout(world.client, RECORD, ControlRequest("resume", "me"), clock=world.clock)
    assert resumed.lines()[0].endswith("no runner moves it: run configok.node.machines again to continue")


def test_a_record_of_machines_is_not_a_pools(make_world: MakeWorld) -> None:
    world = make_world(2)
    machines = MachineWorld.of(world, 3)
    machines.declare(kubelet=NEW)
    finish(machines)
    record = machines.record()
    with pytest.raises(RolloutError, match="is a rollout of Machines: change the Machine files back"):
        find_undo_revision(record)
    pool = parse_pool({"pool": RECORD, "selector": "pool=workers"})
    refusals = make_plan(list_nodes(world.client), pool, world.publish(100), record).refusals
    assert "the record machines is that of a rollout of Machines: give a pool another name" in refusals


def test_what_was_declared_is_a_revision(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3)
    machines.declare(kubelet=NEW)

    def recorded() -> Revision:
        target = machines.target()
        return record_machines(world.client, RECORD, target, author="me", cause="patch", now="now")[0]

    assert [recorded().number, recorded().number] == [1, 1]
    finish(machines)
    revision = machines.record().revisions[0]
    assert (revision.number, revision.result, revision.cause) == (1, "Complete", "patch")
    machines.declare(kubelet=OLD)
    assert recorded().number == 2
    status = pool_status(machines.record(), [*machines.views().values(), world_view(world)])
    assert (status["size"], status["phase"]) == (3, "Complete")


def world_view(world: World) -> NodeView:
    """Return a Node without a Machine."""
    world.nodes.add("other")
    return world.nodes.view("other")


def test_the_revision_of_a_package_goes_up_and_down_although_no_node_reports_it(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3, canary={"count": 1, "soak": "5s"}, **QUICK)
    for revision in ("6", "7", "6"):
        machines.declare(runtime=("containerd", f"1.7.24-{revision}"))
        finish(machines)
        assert {host[1][1] for host in machines.hosts.hosts.values()} == {f"1.7.24-{revision}"}
        assert machines.run() == []
    machines.hosts.broken.add(NEW)
    machines.declare(runtime=("containerd", "1.7.24-8"), kubelet=NEW)
    result = machines.run()[-1]
    assert result.phase == "Halted"
    assert f"it is back on kubelet {OLD} and containerd 1.7.24-6" in result.failed_nodes[0].reason
    assert {host[1][1] for host in machines.hosts.hosts.values()} == {"1.7.24-6"}
    machines.declare(runtime=("containerd", "1.7.24-6"), kubelet=OLD)
    assert machines.run() == [], "the annotation says again what is installed"


class KilledHosts:
    """Kills the runner in the middle of the nth action of the provider."""

    def __init__(self, machines: MachineWorld, at: int) -> None:
        self.client: Any = Dying(machines.world.client, 0, after=True)
        self.left = at

    def __call__(self, _request: MachineRequest) -> None:
        self.left -= 1
        if self.left == 0:
            self.client.dead = True
            raise Killed


def declare_everything(machines: MachineWorld) -> None:
    """Let each kind of change be asked for at once."""
    source = machines.world.publish(100).source
    machines.declare("m00", "m01", kubelet=NEW, source=source)
    machines.declare("m02", provider="p2")
    machines.declare("m03", present=False)
    machines.declare("m04", labels={"a": "c"}, taints=(TAINT,))
    machines.declare("new", source=source)


def a_mixed_world(world: World) -> MachineWorld:
    machines = MachineWorld.of(world, 5, canary={"count": 1, "soak": "5s"}, maxUnavailable=1)
    machines.declare(labels={"a": "b"})
    finish(machines)
    for name in machines.declared:
        world.pods.add(name, f"web-{name}")
    declare_everything(machines)
    return machines


@pytest.mark.parametrize("at", range(1, 7))
def test_a_kill_in_the_middle_of_a_host_is_continued(make_world: MakeWorld, at: int) -> None:
    world = make_world(0)
    machines = a_mixed_world(world)
    killed = KilledHosts(machines, at)
    machines.hosts.during = killed
    with contextlib.suppress(Killed):
        machines.run(client=killed.client)
    assert killed.client.dead, "there are six actions: two updates, a create, two of a replacement, a delete"
    machines.hosts.during = lambda _request: None
    finish(machines)
    assert machines.hosts.most_at_work == 1, "maxUnavailable is 1"


@pytest.mark.parametrize("never_ready", [False, True], ids=["does not start", "never Ready"])
@pytest.mark.parametrize("has_source", [False, True], ids=["version", "version and config"])
def test_a_kill_in_the_middle_of_a_rollback_ends_on_the_old_version(
    make_world: MakeWorld, never_ready: bool, has_source: bool
) -> None:
    world = make_world(0)
    first, second = world.publish(100).source, world.publish(200).source
    machines = MachineWorld.of(world, 4, canary={"count": 1, "soak": "5s"}, **QUICK)
    machines.declare(source=first)
    finish(machines)
    for name in machines.declared:
        world.pods.add(name, f"web-{name}")
    machines.declare(kubelet=NEW, source=second if has_source else first)
    canary = machines.plan().waves[0].nodes[0]
    if never_ready:
        machines.hosts.broken.add(NEW)
    else:
        machines.hosts.fails[(canary, "update")] = f"kubelet {NEW} did not start."
    killed = KilledHosts(machines, 2)
    machines.hosts.during = killed
    with contextlib.suppress(Killed):
        machines.run(client=killed.client)
    assert killed.client.dead
    assert machines.hosts.calls == [(canary, "update", NEW), (canary, "rollback", OLD)]
    assert world.nodes.view(canary).unschedulable, "its host is half taken back"
    machines.hosts.during = lambda _request: None

    result = machines.run()[-1]
    assert result.phase == "Halted", "\n".join(world.lines())
    (failed,) = result.failed_nodes
    assert failed.node == canary
    assert failed.reason.endswith(f"; it is back on kubelet {OLD} and containerd 1.7.24")
    assert machines.hosts.calls[2:] == [(canary, "update", NEW), (canary, "rollback", OLD)], "it is tried once more"
    view = world.nodes.view(canary)
    assert (view.system.kubelet_version, view.assigned.source, view.ready, view.unschedulable) == (
        f"v{OLD}",
        first,
        True,
        False,
    )
    assert not view.cordoned_by
    assert machines.hosts.hosts[canary][0] == OLD
    assert machines.hosts.errors == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("first", range(1, 6))
def test_a_kill_at_any_write_is_continued(make_world: MakeWorld, first: int, after: bool) -> None:
    """Each test kills at every fifth write, one run after the other, until a run ends."""
    world = make_world(0)
    machines = a_mixed_world(world)
    for kill_at in range(first, 200, 5):
        client: Any = Dying(world.client, kill_at, after=after)
        with contextlib.suppress(Killed):
            machines.run(client=client)
        if not client.dead:
            break
    assert machines.lacking() == {}
    assert machines.hosts.errors == []
    assert machines.rollout().phase == "Complete"


def test_an_outage_of_the_api_server_is_survived(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = a_mixed_world(world)
    away = Away(world, 120.0, lambda name, path: name == "patch" and path.endswith("m00"))
    results = machines.run(client=away)
    assert away.refused
    assert results[-1].phase == "Complete", "\n".join(world.lines())
    assert machines.lacking() == {}


def test_policies_that_cannot_be_kept_are_refused(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 3, onFailure="rollback", forbid=["drain"])
    machines.declare(kubelet=NEW)
    with pytest.raises(RolloutRefused) as refused:
        machines.run()
    reasons = refused.value.reasons
    assert "policy.onFailure: rollback is not possible with Machines" in reasons[0]
    assert reasons[1] == "3 machines (m00, m01, m02): its class drain is forbidden by policy.forbid (drain)"
    assert machines.hosts.calls == []


def test_a_machine_that_was_never_registered_fails(make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 2, **QUICK)
    machines.declare("new")
    monkeypatch.setattr(world.nodes, "add", lambda *_names, **_options: None)
    monkeypatch.setattr(machines.hosts, "_report", lambda _name: None)
    result = machines.run()[-1]
    assert result.phase == "Halted"
    assert result.failed_nodes[0].reason == "its Node was not registered within 100s"


def test_a_dead_machine_is_deleted_without_a_drain(make_world: MakeWorld) -> None:
    world = make_world(0)
    machines = MachineWorld.of(world, 4, maxUnavailable=1)
    world.pods.add("m02", "web")
    world.nodes.set_ready("m02", None)
    machines.declare("m02", present=False)
    machines.declare("m00", labels={"a": "b"})
    results = machines.run()
    assert results[-1].phase == "Complete", "\n".join(world.lines())
    assert machines.lacking() == {}
