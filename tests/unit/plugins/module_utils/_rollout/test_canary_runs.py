# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The canary decides, also when one of its nodes vanishes."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from support.rollouts.runner_process import Faults
from support.rollouts.scenario import scenario
from support.rollouts.scripted_fleet import Fleet, script
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT
from support.rollouts.world import QUICK, MakeWorld


def test_a_second_crashing_config_reaches_only_the_canary_too(make_world: MakeWorld) -> None:
    world = make_world(6)
    world.nodes.behaviour = lambda _name, source: CRASHES if source is not None else GOOD
    policy = {"canary": {"count": 2, "soak": "5s"}}
    world.rollout(world.publish(100), **policy)
    refused = {name for name, _id, _source in world.nodes.assignments}
    world.nodes.assignments.clear()
    assert [(result.wave, result.phase) for result in world.rollout(world.publish(200), **policy)] == [
        ("canary", "Halted")
    ]
    assert len({name for name, _id, _source in world.nodes.assignments}) == len(refused) == 2


def test_a_canary_that_vanishes_pauses_and_another_candidate_takes_its_place(make_world: MakeWorld) -> None:
    """A repair tool deletes the canary that a crashing config has stopped: no other node gets the config."""
    world = make_world(9)
    target = world.publish(100)
    (victim,) = world.plan(target, canary={"count": 1, "soak": "5s"}).wave("canary").nodes
    policy = {"canary": {"count": 1, "soak": "5s"}, **QUICK}

    def die(name: str, _source: object) -> str:
        if name == victim:
            world.client.delete(node(name))
        return SILENT if name == victim else GOOD

    world.nodes.behaviour = die
    results = world.rollout(target, **policy)
    assert [(result.wave, result.phase) for result in results] == [("canary", "Paused")]
    assert f"the canary has lost {victim}: the Node was deleted" in results[0].reason
    assert {name for name, _id, _source in world.nodes.assignments} == {victim}
    assert world.record().bad_configs == ()
    again = world.plan(target, **policy)
    (replacement,) = again.wave("canary").nodes
    assert replacement != victim
    assert replacement not in {name for wave in again.waves[1:] for name in wave.nodes}
    results = world.rollout(target, **policy)
    assert [(result.wave, result.phase) for result in results] == [
        ("canary", "Canary"),
        ("wave 1", "Wave 1"),
        ("wave 2", "Complete"),
    ]
    assert [(failed.node, failed.kind) for failed in results[-1].failed_nodes] == [(victim, "gone")]
    assert world.nodes.assignments[1][0] == replacement


def test_a_canary_without_another_candidate_stays_paused(make_world: MakeWorld) -> None:
    world = make_world(3)
    target = world.publish(100)
    policy = {"canary": {"count": 1, "soak": "5s"}, **QUICK}
    (victim,) = world.plan(target, **policy).wave("canary").nodes
    world.nodes.behaviour = lambda name, _source: SILENT
    world.when(f"assigned {victim}", lambda: world.client.delete(node(victim)))
    assert [result.phase for result in world.rollout(target, **policy)] == ["Paused"]
    for number in range(3):
        if f"n{number:02d}" != victim:
            world.nodes.set_ready(f"n{number:02d}", False)
    assert world.plan(target, **policy).wave("canary").nodes == ()


@pytest.mark.parametrize(("fate", "phase"), [(GOOD, "Complete"), (CRASHES, "Halted")])
def test_the_remaining_canaries_decide_when_one_has_vanished_and_cannot_be_replaced(
    make_world: MakeWorld, fate: str, phase: str
) -> None:
    world = make_world(2)
    target = world.publish(100)
    policy = {"canary": {"count": 2, "soak": "5s"}, "maxUnavailable": 1, **QUICK}
    first, second = world.plan(target, **policy).wave("canary").nodes
    world.nodes.behaviour = lambda name, _source: SILENT if name == first else fate
    world.when(f"assigned {first}", lambda: world.client.delete(node(first)))
    results = world.rollout(target, **policy)
    assert [result.phase for result in results] == ["Paused"]
    assert f"the canary has lost {first}" in results[0].reason
    assert [result.phase for result in world.rollout(target, **policy)] == [phase]
    assert world.nodes.view(second).is_on(target.source) == (phase == "Complete")
    rollout = world.record().rollout
    assert rollout is not None
    assert (first, "gone") in [(failed.node, failed.kind) for failed in rollout.failed_nodes]


def test_a_canary_that_vanished_before_a_kill_is_struck_out_too() -> None:
    good, dying = script((1.0, "adopting"), (1.0, "good")), script((1.0, "adopting"), (1.0, "deleted"))
    policy = {"canary": {"count": 1, "soak": "0s"}, "soak": "0s", **QUICK}
    for write in range(6, 12):
        with scenario(Fleet((dying, good, good)), policy) as moved:
            moved.run(moved.process(Faults(kill_at=write)))
            moved.run()
            moved.run()
            assert moved.rollout is not None
            assert moved.phase == "Complete", moved.story()
            failed = [(failed.node, failed.kind, failed.wave) for failed in moved.rollout.failed_nodes]
            assert failed == [("n00", "gone", "canary")]
