# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that is assigned something else after it passed has drifted."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import pool_status
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT
from support.rollouts.world import MakeWorld


@pytest.mark.parametrize("when", ["in its own wave", "in a later wave", "already there", "at the end"])
def test_a_node_that_passed_and_is_reassigned_by_another_client_has_drifted(make_world: MakeWorld, when: str) -> None:
    world = make_world(6)
    other_target, target = world.publish(90), world.publish(100)
    if when == "already there":
        assign_nodes(world.client, target.source, names=["n01"])
        world.until(lambda: world.nodes.view("n01").is_on(target.source))
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], soak="20s")
    canary = made.wave("canary").nodes[0]
    victim = {"already there": "n01", "in its own wave": made.wave("wave 1").nodes[0]}.get(when, canary)

    def steal() -> None:
        assign_nodes(world.client, other_target.source, names=[victim])
        world.until(lambda: world.nodes.view(victim).is_on(other_target.source))

    def steal_and_go_on() -> None:
        steal()
        world.nodes.behaviour = lambda _name, _source: GOOD
        for name in made.wave("wave 1").nodes:
            world.answer(name)

    world.move(made, "canary")
    if when == "in its own wave":
        # One node passes, and is taken, long before the others do.
        world.nodes.behaviour = lambda name, _source: GOOD if name == victim else SILENT
        world.when(f"passed: {victim}", steal_and_go_on)
    elif when != "at the end":
        world.when("assigned", steal)
    result = world.move(made, "wave 1")
    assert result.phase == "Complete"
    if when == "at the end":
        steal()
    else:
        assert [(failed.node, failed.kind) for failed in result.failed_nodes] == [(victim, "drifted")]
        assert f"then another client assigned it {other_target.name} (assignment" in result.failed_nodes[0].reason
        assert any(f"DRIFTED: {victim}: it had passed" in line for line in world.lines())
    status = pool_status(world.record(), list_nodes(world.client, selector="pool=workers"))
    assert [(entry["node"], entry["state"]) for entry in status["not_fine"]] == [(victim, "drifted")]
    assert f"another client assigned it {other_target.name}" in status["not_fine"][0]["reason"]
    assert status["by_state"]["drifted"] == 1
    assert [entry["kind"] for entry in status["exceptions"]] == ([] if when == "at the end" else ["drifted"])


def test_a_node_that_passed_in_the_rollout_before_has_drifted_too(make_world: MakeWorld) -> None:
    world = make_world(3)
    other_target, target = world.publish(90), world.publish(100)
    policy = {"maxUnavailable": 2}
    world.rollout(target, **policy)
    world.nodes.add("late")
    world.nodes.add("mute")
    world.nodes.set_ready("mute", False)
    assert world.rollout(target, **policy)[-1].phase == "Complete"
    assign_nodes(world.client, other_target.source, names=["n01"])
    world.until(lambda: world.nodes.view("n01").is_on(other_target.source))
    world.nodes.set_ready("mute", True)  # it was left out: nothing to drift from
    status = pool_status(world.record(), list_nodes(world.client, selector="pool=workers"))
    assert [entry["node"] for entry in status["not_fine"] if entry["state"] == "drifted"] == ["n01"]


@pytest.mark.parametrize("began", ["settled", "moved"])
def test_a_node_that_used_the_target_before_the_first_rollout_has_drifted_too(
    make_world: MakeWorld, began: str
) -> None:
    world = make_world(3)
    other_target, target = world.publish(90), world.publish(100)
    names = ["n00", "n01", "n02"] if began == "settled" else ["n01"]
    assign_nodes(world.client, target.source, names=names)
    world.until(lambda: all(world.nodes.view(name).is_on(target.source) for name in names))
    if began == "settled":
        world.complete(world.plan(target, maxUnavailable=1))
    else:
        assert world.rollout(target, maxUnavailable=1)[-1].phase == "Complete"
    assign_nodes(world.client, other_target.source, names=["n01"])
    world.until(lambda: world.nodes.view("n01").is_on(other_target.source))
    status = pool_status(world.record(), list_nodes(world.client, selector="pool=workers"))
    assert status["by_state"]["drifted"] == 1


def test_a_node_that_drifted_and_is_moved_again_is_no_longer_reported(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    world.rollout(target)
    assign_nodes(world.client, None, names=["n01"])
    world.until(lambda: world.nodes.view("n01").is_on(None))
    assert world.rollout(target)[-1].failed_nodes == ()
    status = pool_status(world.record(), list_nodes(world.client, selector="pool=workers"))
    assert (status["not_fine"], status["exceptions"]) == ([], [])


def test_what_a_rollback_took_back_has_not_drifted(make_world: MakeWorld) -> None:
    world = make_world(6)
    world.rollout(world.publish(100))
    second = world.publish(200)
    doomed = set(world.plan(second).wave("wave 2").nodes[:2])
    world.nodes.behaviour = lambda name, source: CRASHES if name in doomed and source == second.source else GOOD
    assert world.rollout(second, onFailure="rollback")[-1].phase == "Halted"
    status = pool_status(world.record(), list_nodes(world.client, selector="pool=workers"))
    assert {entry["state"] for entry in status["not_fine"]} == {"failed"}
