# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A wave moves its nodes, in order and within the budget, and running it again changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import ServerError
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NODES, config_map, node
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigInUse, assignment_lost
from ansible_collections.configok.node.plugins.module_utils._rollout import (
    ApiUnavailable,
    RolloutError,
    RolloutRefused,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import (
    find_undo_revision,
    read_target,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from support.rollouts.faulty_clients import Dying, Killed
from support.rollouts.simulated_nodes import CRASHES, GOOD
from support.rollouts.world import QUICK, MakeWorld


def test_a_good_config_goes_through_canary_and_waves_and_running_again_changes_nothing(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    results = world.rollout(target)
    assert [(result.wave, result.phase, result.changed) for result in results] == [
        ("canary", "Canary", True),
        ("wave 1", "Wave 1", True),
        ("wave 2", "Complete", True),
    ]
    assert all(world.nodes.view(f"n{number:02d}").is_on(target.source) for number in range(12))
    assert [revision.result for revision in world.record().revisions] == ["Complete"]
    before = world.client.get(config_map("configok-rollouts", "workers"))
    again = world.plan(target)
    assert not again.has_work
    assert not world.complete(again).changed
    assert world.client.get(config_map("configok-rollouts", "workers")) == before
    assert len(world.nodes.assignments) == 12


@pytest.mark.complaint("kubernetes #72510: 1,000 nodes repointed by hand")
def test_a_window_costs_a_write_not_a_node(make_world: MakeWorld) -> None:
    world = make_world(50)
    target = world.publish(100)
    world.server.requests.clear()
    world.rollout(target, maxUnavailable=10)
    requests = world.server.requests
    assert requests.count(verb="patch", resource="nodes") == 50
    writes = requests.count(verb="update", resource="configmaps")
    assert writes <= 3 * 4 + 50 // 10


@pytest.mark.complaint("kubespray #11395: took down 20% of the workers")
def test_a_crashing_config_stops_at_the_canary_and_no_other_node_is_touched(make_world: MakeWorld) -> None:
    world = make_world(12)
    good = world.publish(100)
    world.rollout(good)
    bad = world.publish(200)
    world.nodes.behaviour = lambda _name, source: CRASHES if source == bad.source else GOOD
    results = world.rollout(bad)
    assert [(result.wave, result.phase) for result in results] == [("canary", "Halted")]
    assert "crashed 4 times during its trial" in results[0].reason
    touched = {name for name, _id, source in world.nodes.assignments if source == bad.source}
    assert len(touched) <= 2
    record = world.record()
    assert [bad.uid for bad in record.bad_configs] == [bad.uid]
    assert record.revisions[-1].result == "Halted"
    # It is refused from now on: when planning, and when publishing the same content.
    assert "is refused" in world.plan(bad).refusals[0]
    with pytest.raises(RolloutRefused, match="is refused"):
        world.publish(200)
    # And undone by a rollout like any other.
    back = read_target(world.client, find_undo_revision(record))
    assert back == good
    assert [result.phase for result in world.rollout(back)] == ["Complete"]
    assert all(world.nodes.view(f"n{number:02d}").is_on(good.source) for number in range(12))


def test_undo_goes_to_the_init_config_when_there_is_nothing_before(make_world: MakeWorld) -> None:
    world = make_world(4)
    world.rollout(world.publish(100))
    assert find_undo_revision(world.record()) is None
    assert [result.phase for result in world.rollout(Target.init())][-1] == "Complete"
    assert all(world.nodes.view(f"n{number:02d}").is_on(None) for number in range(4))
    assert not world.plan(Target.init()).has_work


def test_a_node_that_lost_its_assignment_is_undone_also_by_a_run_that_follows_a_kill(make_world: MakeWorld) -> None:
    world = make_world(4)
    world.rollout(world.publish(100))
    view = world.nodes.view("n02")
    world.client.patch(node("n02"), {"metadata": {"annotations": {"configok.dev/config-source": None}}})
    assert view.answer.status is not None
    using = ConfigInUse("current", None if view.active is None else view.active.uid)
    world.nodes.say("n02", assignment_lost(using), view.answer.status._replace(assigned=None, cause="AssignmentLost"))

    class DyingBeforeItAssigns(Dying):
        def __getattr__(self, name: str) -> Any:
            self.dead = self.dead or name == "patch"
            return super().__getattr__(name)

    policy = {"canary": {"count": 4, "soak": "0s"}, "maxUnavailable": 3, **QUICK}
    with pytest.raises(Killed):
        world.rollout(Target.init(), client=DyingBeforeItAssigns(world.client, 0, after=False), **policy)
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.present_wave.assigned_up_to == 4
    assert world.rollout(Target.init(), **policy)[-1].phase == "Complete"
    assert world.nodes.view("n02").is_on(None)


def test_more_failures_than_the_budget_in_a_wave_halt_it_and_good_nodes_stay(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    made = world.plan(target)
    doomed = set(made.wave("wave 1").nodes[:2])
    world.nodes.behaviour = lambda name, _source: CRASHES if name in doomed else GOOD
    results = world.rollout(target)
    assert [result.phase for result in results] == ["Canary", "Halted"]
    assert {failed.node for failed in results[-1].failed_nodes if failed.kind == "failed"} == doomed
    assert all(world.nodes.view(name).is_on(target.source) for name in made.wave("canary").nodes)
    assert all(world.nodes.view(name).assigned.id == 0 for name in made.wave("wave 2").nodes)


def test_failures_within_the_budget_are_exceptions_of_a_complete_rollout(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    doomed = world.plan(target).wave("wave 1").nodes[0]
    world.nodes.behaviour = lambda name, _source: CRASHES if name == doomed else GOOD
    results = world.rollout(target)
    assert results[-1].phase == "Complete"
    assert [(failed.node, failed.kind) for failed in results[-1].failed_nodes] == [(doomed, "failed")]


def test_nodes_that_appear_in_the_last_wave_are_named_at_the_end(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    world.when("wave 1: ConfigOK, soaking", lambda: world.nodes.add("n98"))
    assert world.rollout(target, canary={"count": 1}, waves=["100%"])[-1].phase == "Complete"
    late = "not moved, because they came too late: n98: configok.node.reconcile moves them"
    assert any(late in line for line in world.lines()), world.lines()


def test_nodes_that_appear_join_the_last_wave_and_those_that_vanish_are_struck_out(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    made = world.plan(target)
    world.move(made, "canary")
    vanished = made.wave("wave 2").nodes[-1]
    world.client.delete(node(vanished))
    world.nodes.add("late")
    assert world.move(made, "wave 1").phase == "Wave 1"
    result = world.move(made, "wave 2")
    assert result.phase == "Complete"
    assert [(failed.node, failed.kind) for failed in result.failed_nodes] == [(vanished, "gone")]
    assert world.nodes.view("late").is_on(target.source)


def test_a_node_that_lost_its_config_after_the_rollout_was_completed_is_moved_again(make_world: MakeWorld) -> None:
    world = make_world(6)
    init, target = None, world.publish(100)
    world.rollout(target)
    assign_nodes(world.client, init, names=["n01"])
    world.until(lambda: world.nodes.view("n01").is_on(init))
    results = world.rollout(target)
    assert [(result.wave, result.phase, result.changed) for result in results] == [("canary", "Complete", True)]
    assert world.nodes.view("n01").is_on(target.source)


def test_a_node_that_failed_within_the_budget_is_left_out_and_named_when_it_runs_again(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    doomed = world.plan(target).wave("wave 1").nodes[0]
    world.nodes.behaviour = lambda name, _source: CRASHES if name == doomed else GOOD
    world.rollout(target)
    again = world.plan(target)
    assert not again.has_work
    ((name, reason),) = [(skipped.node, skipped.reason) for skipped in again.unmoved.skipped]
    assert name == doomed
    assert reason.startswith("it was given this config before: ConfigOK is False: ")


def test_waves_go_in_order_and_unknown_ones_are_refused(make_world: MakeWorld) -> None:
    world = make_world(9)
    made = world.plan(world.publish(100))
    with pytest.raises(RolloutError, match="wave 1 of pool workers comes after canary"):
        world.move(made, "wave 1")
    with pytest.raises(RolloutError, match="has no wave 7"):
        world.move(made, "wave 7")
    assert world.nodes.assignments == []


def test_a_wave_that_is_through_changes_nothing(make_world: MakeWorld) -> None:
    world = make_world(6)
    made = world.plan(world.publish(100))
    assert world.move(made, "canary").changed
    assert not world.move(made, "canary").changed
    world.move(made, "wave 1")
    world.move(made, "wave 2")
    assert not world.move(made, "wave 2").changed


def test_nodes_that_cannot_be_listed_for_five_minutes_end_the_run_with_a_message(make_world: MakeWorld) -> None:
    world = make_world(4)

    class Denying:
        def interruptible(self, _interrupt: Any) -> Any:
            return self

        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)

            def deny(path: str, **options: Any) -> Any:
                if path == NODES:
                    raise ServerError("etcd is slow", where="LIST nodes", status=500)
                return method(path, **options)

            return deny if name == "list" else method

    with pytest.raises(ApiUnavailable, match=r"could not be listed for 300s .*etcd is slow.*run it again to continue"):
        world.move(world.plan(world.publish(100)), "canary", client=Denying())
    assert any("the nodes cannot be listed, and are tried again" in line for line in world.lines())
    assert world.nodes.assignments == []
