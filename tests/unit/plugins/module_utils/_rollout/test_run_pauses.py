# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pauses a wave, and what halts it: silent agents, lost nodes, deleted bundles, late failures."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map, node
from support.rollouts.simulated_nodes import ADOPTS, CRASHES, GOOD, SILENT, status_of
from support.rollouts.world import QUICK, MakeWorld


@pytest.mark.complaint("k0s #4006: re-applying a repaired plan does nothing")
def test_a_silent_agent_pauses_the_wave_and_the_next_run_continues_once_it_answers(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    mute = world.plan(target).wave("canary").nodes[0]
    world.nodes.behaviour = lambda name, _source: SILENT if name == mute else GOOD
    policy = {"nodeTimeout": "210s"}
    results = world.rollout(target, **policy)
    assert [result.phase for result in results] == ["Paused"]
    assert f"no verdict on {mute}: the agent did not answer within 210s" in results[0].reason
    assert world.record().bad_configs == ()
    view = world.nodes.view(mute)
    world.nodes.say(mute, *status_of(view, target.source, GOOD)[-1])
    assert [result.phase for result in world.rollout(target)] == ["Canary", "Wave 1", "Complete"]
    assert world.nodes.view(mute).assigned.id == view.assigned.id, (
        "the assignment that was waiting is the one that passed"
    )


def test_an_agent_that_acknowledged_and_ran_out_of_time_has_failed(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: ADOPTS
    results = world.rollout(target, nodeTimeout="210s")
    assert [result.phase for result in results] == ["Halted"]
    assert "was not done within 210s" in results[0].reason


def test_a_node_that_turns_unknown_during_the_soak_pauses_and_its_config_is_not_bad(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    lost = world.plan(target).wave("canary").nodes[0]
    policy = {"canary": {"count": 2, "soak": "300s"}, "nodeTimeout": "210s"}
    world.when("ConfigOK, soaking", lambda: world.nodes.set_ready(lost, None))
    results = world.rollout(target, **policy)
    assert [result.phase for result in results] == ["Paused"]
    assert f"no verdict on {lost}: its Ready condition is Unknown" in results[0].reason
    assert world.record().bad_configs == ()
    world.nodes.set_ready(lost, True)
    assert world.rollout(target)[-1].phase == "Complete"


def test_a_node_that_is_back_from_unknown_within_its_time_passes(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    lost = world.plan(target).wave("canary").nodes[0]

    def blink() -> None:
        world.nodes.set_ready(lost, None)
        world.later(20, lambda: world.nodes.set_ready(lost, True))

    world.when("ConfigOK, soaking", blink)
    assert world.rollout(target, canary={"count": 2, "soak": "60s"})[-1].phase == "Complete"


def test_a_bundle_that_is_deleted_pauses_at_once_and_not_after_node_timeout(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    made = world.plan(target)
    assert target.source is not None
    bundle = config_map(target.source.namespace, target.source.name)
    world.nodes.behaviour = lambda _name, _source: SILENT
    world.when("assigned", lambda: world.client.delete(bundle))
    began = world.clock.monotonic()
    result = world.move(made, "canary")
    assert world.clock.monotonic() - began < made.limits.node_timeout / 4
    assert result.phase == "Paused"
    assert result.reason.startswith(f"the bundle {target.name} was deleted: run the rollout again")
    assert world.record().bad_configs == ()
    world.nodes.behaviour = lambda _name, _source: GOOD
    again = world.publish(100)
    assert again.uid != target.uid
    assert world.rollout(again)[-1].phase == "Complete"


def test_a_bundle_that_is_deleted_and_made_again_pauses_too(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    assert target.source is not None
    bundle = config_map(target.source.namespace, target.source.name)

    def make_again() -> None:
        stored = world.client.get(bundle)
        world.client.delete(bundle)
        metadata = {key: stored["metadata"][key] for key in ("name", "labels")}
        world.client.create(bundle.rpartition("/")[0], {**stored, "metadata": metadata})

    world.nodes.behaviour = lambda _name, _source: SILENT
    world.when("assigned", make_again)
    result = world.move(world.plan(target), "canary")
    assert result.phase == "Paused"
    assert result.reason.startswith(f"the bundle {target.name} was deleted and made again: run the rollout again")
    assert world.record().bad_configs == ()


def test_nodes_that_a_repair_tool_deletes_do_not_let_a_wave_through(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    made = world.plan(target, **QUICK)
    world.move(made, "canary")
    doomed = made.wave("wave 1").nodes[0]

    def die(name: str, _source: object) -> str:
        if name == doomed:
            world.nodes.set_ready(name, False)
            world.client.delete(node(name))
        return SILENT if name == doomed else GOOD

    world.nodes.behaviour = die
    result = world.move(made, "wave 1")
    assert (result.phase, [failed.kind for failed in result.failed_nodes]) == ("Paused", ["unknown"])
    assert f"no verdict on {doomed}: the Node was deleted when it was not Ready" in result.reason


def test_a_node_of_an_earlier_wave_that_turns_false_spends_from_the_budget(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    made = world.plan(target, failureBudget=0)
    world.move(made, "canary")
    late = made.wave("canary").nodes[0]
    world.nodes.say(late, *status_of(world.nodes.view(late), target.source, CRASHES)[-1])
    result = world.move(made, "wave 1")
    assert result.phase == "Halted"
    assert f"{late}: it had passed, then failed" in result.reason
    assert all(world.nodes.view(name).assigned.id == 0 for name in made.wave("wave 1").nodes)
