# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Broken nodes move in a wave of their own, which holds up no other."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions import transitions
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._node_run import Phase
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.transitions import start_rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._record import record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import find_undo_revision
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import (
    pool_status,
    render_status,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.plugin_utils._run import failure_message
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT, status_of
from support.rollouts.world import QUICK, MakeWorld


def test_the_lane_of_broken_nodes_follows_the_canary_and_does_not_pause_or_halt_the_rollout(
    make_world: MakeWorld,
) -> None:
    world = make_world(10)
    for name in ("n03", "n04", "n05"):
        world.break_node(name)
    target = world.publish(100)
    fates = {"n03": SILENT, "n04": CRASHES}
    world.nodes.behaviour = lambda name, _source: fates.get(name, GOOD)

    def repair() -> None:
        for name in ("n03", "n04", "n05"):
            world.nodes.set_ready(name, True)

    world.when("assigned n03", repair)
    results = world.rollout(target, maxUnavailable=3, failureBudget=0, canary={"count": 1, "soak": "5s"}, **QUICK)
    assert [(result.wave, result.phase) for result in results] == [
        ("canary", "Canary"),
        ("broken", "Wave 0"),
        ("wave 1", "Wave 1"),
        ("wave 2", "Complete"),
    ]
    assert {failed.node: failed.kind for failed in results[-1].failed_nodes} == {"n03": "unknown", "n04": "failed"}
    assert world.nodes.view("n05").is_on(target.source)
    assert world.record().bad_configs == ()


@pytest.mark.parametrize("place", ["after the canary", "first"])
def test_nodes_that_the_lane_leaves_down_hold_up_no_later_wave(make_world: MakeWorld, place: str) -> None:
    world = make_world(8)
    target = world.publish(100)
    if place == "first":  # the config has passed on a node
        assign_nodes(world.client, target.source, names=["n00"])
        world.until(lambda: world.nodes.view("n00").is_on(target.source))
    for name in ("n03", "n04"):
        world.break_node(name)
    world.nodes.behaviour = lambda name, _source: CRASHES if name in ("n03", "n04") else GOOD
    results = world.rollout(target, maxUnavailable=2, failureBudget=0, canary={"count": 1, "soak": "5s"}, **QUICK)
    assert [result.wave for result in results][:2] == (
        ["broken", "canary"] if place == "first" else ["canary", "broken"]
    )
    assert results[-1].phase == "Complete"
    assert {failed.node for failed in results[-1].failed_nodes} == {"n03", "n04"}


def test_nodes_that_the_lane_leaves_down_hold_up_nothing_even_where_not_all_are_kept(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (record, transitions):
        monkeypatch.setattr(module, "MAX_FAILED_NODES", 3)
    world = make_world(12)
    down = [f"n{number:02d}" for number in range(3, 9)]
    for name in down:
        world.break_node(name)
    world.nodes.behaviour = lambda name, _source: CRASHES if name in down else GOOD
    results = world.rollout(world.publish(100), maxUnavailable=2, canary={"count": 1, "soak": "5s"}, **QUICK)
    assert results[-1].phase == "Complete", world.lines()


def test_nodes_that_the_lane_has_repaired_count_like_any_other(make_world: MakeWorld) -> None:
    world = make_world(12)
    repaired = [f"n{number:02d}" for number in range(3, 8)]
    for name in repaired:
        world.break_node(name)

    def repair() -> None:
        for name in repaired:
            world.nodes.set_ready(name, True)

    target = world.publish(100)
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], **QUICK)
    world.when("broken: assigned", repair)
    assert [world.move(made, wave).phase for wave in ("canary", "broken")] == ["Canary", "Wave 0"]
    assert world.rollout_recorded().failed_nodes == ()
    for name in repaired:
        world.nodes.set_ready(name, False)
    for _run in range(2):
        result = world.move(made, "wave 1")
        assert (result.phase, world.reports[-1].counts[Phase.WAITING]) == ("Paused", 6)
        assert result.reason.startswith("nodes down for another reason: 5")


@pytest.mark.parametrize("fate", [CRASHES, SILENT])
def test_nodes_that_the_lane_leaves_down_keep_no_other_node_from_rolling_back(make_world: MakeWorld, fate: str) -> None:
    world = make_world(12)
    first = world.publish(100)
    world.rollout(first)
    lane = {"n00", "n01", "n02"}
    for name in lane:
        world.break_node(name)
    second = world.publish(200)
    policy = {"onFailure": "rollback", "canary": {"count": 1, "soak": "0s"}, "waves": ["100%"], **QUICK}
    doomed = set(world.plan(second, **policy).wave("wave 1").nodes[2:4])

    def behave(name: str, source: object) -> str:
        if name in lane:
            return fate
        return CRASHES if name in doomed and source == second.source else GOOD

    world.nodes.behaviour = behave
    results = world.rollout(second, **policy)
    assert (results[-1].wave, results[-1].phase) == ("wave 1", "Halted")
    for number in range(12):
        view = world.nodes.view(f"n{number:02d}")
        assert view.name in lane | doomed or view.is_on(first.source), view.report
    assert world.rollout_recorded().is_rolling_back == (fate == SILENT)


@pytest.mark.parametrize("when", ["before the lane begins", "before it goes on"])
def test_nodes_that_appear_while_the_lane_is_the_last_wave_get_a_canary_of_their_own(
    make_world: MakeWorld, when: str
) -> None:
    world = make_world(2)
    for name in ("n00", "n01"):
        world.break_node(name)
    target = world.publish(100)
    policy = {"maxUnavailable": 1, "failureBudget": 0, "canary": {"count": 1, "soak": "5s"}, **QUICK}
    made = world.plan(target, **policy)
    assert [wave.name for wave in made.waves] == ["broken canary", "broken"]
    world.nodes.behaviour = lambda name, _source: CRASHES if name.startswith("late") else GOOD
    if when == "before it goes on":
        views = list_nodes(world.client, selector="pool=workers")
        update_record(world.client, "workers", lambda record: start_rollout(record, made, views, "now"))

    def recover() -> None:
        for name in ("n00", "n01"):
            world.nodes.set_ready(name, True)

    world.when("assigned n00", recover)
    for number in range(10):
        world.nodes.add(f"late{number}")
    if when == "before the lane begins":
        assert [world.move(made, wave).phase for wave in ("broken canary", "broken")] == ["Broken canary", "Complete"]
    results = world.rollout(target, **policy)
    assert [(result.wave, result.phase) for result in results][-1] == ("canary", "Halted")
    assert len({name for name, _id, _source in world.nodes.assignments if name.startswith("late")}) == 1


@pytest.mark.parametrize("fate", [SILENT, CRASHES, GOOD])
def test_a_config_on_which_no_node_has_passed_does_not_reach_broken_nodes_before_the_canary(
    make_world: MakeWorld, fate: str
) -> None:
    world = make_world(1)
    world.break_node("n00")
    first = world.publish(90)
    world.nodes.behaviour = lambda _name, _source: fate
    world.when("assigned n00", lambda: world.nodes.set_ready("n00", fate == GOOD))
    passed = fate == GOOD
    end = "Complete" if passed else "Unproven"
    assert [(result.wave, result.phase) for result in world.rollout(first, **QUICK)] == [("broken canary", end)]
    assert [revision.result for revision in world.record().revisions] == ["Complete" if passed else "Unproven"]
    if fate == CRASHES:  # nothing is left to move, and nothing has passed by now
        again = world.plan(first, **QUICK)
        assert world.complete(again).phase == "Unproven"
        assert [revision.result for revision in world.record().revisions] == ["Unproven"]
    for name in ("n01", "n02", "n03"):
        world.nodes.add(name)
    world.nodes.add("n04")
    world.break_node("n04")
    waves = [wave.name for wave in world.plan(first, maxUnavailable=1, **QUICK).waves]
    assert waves.index("canary") == (1 if passed else 0)
    # Nor does an undo go there by itself.
    world.nodes.behaviour = lambda _name, _source: GOOD
    world.rollout(world.publish(100), maxUnavailable=4, **QUICK)
    undo = find_undo_revision(world.record())
    assert (undo.number if undo else None) == (1 if passed else None)


@pytest.mark.parametrize(("budget", "phase"), [(0, "Halted"), (3, "Wave 0")])
def test_canaries_that_turn_false_while_the_lane_moves_spend_from_the_budget(
    make_world: MakeWorld, budget: int, phase: str
) -> None:
    world = make_world(12)
    world.break_node("n03")
    target = world.publish(100)
    made = world.plan(target, failureBudget=budget, canary={"count": 2, "soak": "5s"}, **QUICK)
    assert [wave.name for wave in made.waves][:2] == ["canary", "broken"]
    canaries = made.wave("canary").nodes
    world.move(made, "canary")

    def turn_false() -> None:
        for name in canaries:
            world.nodes.say(name, *status_of(world.nodes.view(name), target.source, CRASHES)[-1])

    world.nodes.behaviour = lambda _name, _source: SILENT
    world.when("assigned n03", turn_false)
    result = world.move(made, "broken")
    assert result.phase == phase
    late = {(failed.node, failed.kind, failed.wave) for failed in result.failed_nodes if failed.node in canaries}
    assert late == {(name, "failed", "canary") for name in canaries}
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.failures == 2
    assert [bad.confirmed for bad in world.record().bad_configs] == ([True] if phase == "Halted" else [])


def test_a_lane_whose_config_has_passed_nowhere_begins_with_a_canary_and_ends_there_without_a_pass(
    make_world: MakeWorld,
) -> None:
    world = make_world(4)
    for number in range(4):
        world.nodes.set_ready(f"n{number:02d}", False)
    target = world.publish(100)
    policy = {"maxUnavailable": 1, "canary": {"count": 1, "soak": "5s"}, **QUICK}
    (result,) = world.rollout(target, **policy)
    assert (result.wave, result.phase, result.failed) == ("broken canary", "Unproven", True)
    reason = "n00: it was not Ready before the assignment, and did not become so within 100s"
    assert failure_message("workers", result) == f"pool workers is Unproven in broken canary: 0 of 4 passed: {reason}"
    assert [(failed.node, failed.kind) for failed in result.failed_nodes] == [("n00", "unknown")]
    assert {name for name, _id, _source in world.nodes.assignments} == {"n00"}
    lines = render_status(pool_status(world.record(), []), [], [])
    assert lines[:3] == [
        f"Pool workers: revision 1 ({target.name}), Unproven, 0 nodes",
        f"  0 of 4 passed: {reason}",
        "  exceptions: unknown n00",
    ]
    # The next run plans again: nodes that have recovered are the canary now, and come before the lane.
    for name in ("n01", "n02"):
        world.nodes.set_ready(name, True)
    results = world.rollout(target, **{**policy, "maxUnavailable": 3})
    assert [result.wave for result in results] == ["canary", "broken", "wave 1"]
    assert results[-1].phase == "Complete"


def test_a_lane_whose_canary_passes_continues_with_its_other_nodes(make_world: MakeWorld) -> None:
    world = make_world(4)
    for number in range(4):
        world.nodes.set_ready(f"n{number:02d}", False)
    world.when("assigned n00", lambda: world.nodes.set_ready("n00", True))
    policy = {"maxUnavailable": 1, "canary": {"count": 1, "soak": "5s"}, **QUICK}
    results = world.rollout(world.publish(100), **policy)
    assert [(result.wave, result.phase) for result in results] == [
        ("broken canary", "Broken canary"),
        ("broken", "Complete"),
    ]
    assert {failed.node for failed in results[-1].failed_nodes} == {"n01", "n02", "n03"}


def test_a_lane_without_a_passed_node_is_not_a_success_even_if_its_config_has_passed_before(
    make_world: MakeWorld,
) -> None:
    world = make_world(2)
    world.rollout(world.publish(100), maxUnavailable=1)
    for name in ("n00", "n01"):
        world.nodes.set_ready(name, False)
    (result,) = world.rollout(Target.init(), maxUnavailable=1, **QUICK)
    assert (result.wave, result.phase, result.failed) == ("broken", "Unproven", True)
    assert result.reason.startswith("0 of 2 passed: n0")
