# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A failure that last-known-good shows as well is *don't know*: the rollout pauses, and the config is not bad."""

from __future__ import annotations

from support.rollouts.simulated_nodes import GOOD, NO_RUNTIME, SUSPECT
from support.rollouts.world import QUICK, MakeWorld


def test_a_canary_that_doubts_pauses_and_marks_nothing_bad(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: SUSPECT
    last = world.rollout(target, **QUICK)[-1]
    assert last.phase == "Paused"
    assert {failed.kind for failed in last.failed_nodes} == {"unknown"}
    assert "last-known-good both fail: cause may lie elsewhere" in last.failed_nodes[0].reason
    assert world.record().bad_configs == ()
    # The hosts are repaired, and the nodes have used up the one attempt of that assignment.
    world.nodes.behaviour = lambda _name, _source: GOOD
    tried = len(world.nodes.assignments)
    assert world.rollout(target, **QUICK)[-1].phase == "Complete"
    assert {name for name, _id, _source in world.nodes.assignments[tried:]} == {f"n{number:02d}" for number in range(9)}


def test_a_node_that_doubts_is_assigned_again_by_the_next_rollout(make_world: MakeWorld) -> None:
    world = make_world(9)
    first = world.publish(100)
    assert world.rollout(first)[-1].phase == "Complete"
    target = world.publish(200)
    doubting, *_others = world.plan(target).wave("wave 2").nodes
    world.nodes.behaviour = lambda name, _source: SUSPECT if name == doubting else GOOD
    assert world.rollout(target, **QUICK)[-1].phase == "Paused"
    assert world.plan(target).unmoved.skipped == ()


def test_a_canary_whose_runtime_is_down_pauses_the_rollout_and_passes_once_it_is_back(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    first, *_others = world.plan(target).wave("canary").nodes
    world.nodes.behaviour = lambda name, _source: NO_RUNTIME if name == first else GOOD
    world.later(30, lambda: world.nodes.set_ready(first, False))
    last = world.rollout(target, **QUICK)[-1]
    assert last.phase == "Paused"
    assert [(failed.node, failed.kind) for failed in last.failed_nodes] == [(first, "unknown")]
    assert "waits for this host" in last.failed_nodes[0].reason
    assert world.record().bad_configs == ()
    # The runtime is back, and the agent has adopted the config meanwhile.
    world.nodes.set_ready(first, True)
    world.say_later(first, GOOD)
    assert world.rollout(target, **QUICK)[-1].phase == "Complete"
    assert [name for name, _id, _source in world.nodes.assignments].count(first) == 1


def test_a_node_that_has_passed_and_doubts_later_spends_nothing(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    passed = world.plan(target).wave("canary").nodes[0]
    world.when("wave 1", lambda: world.say_later(passed, SUSPECT))
    assert world.rollout(target, failureBudget=0)[-1].phase == "Complete"
    assert world.record().bad_configs == ()
