# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One node's word does not end a good config, and an operator clears a bad one."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import ANNOTATION_ASSIGNMENT
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError, RolloutRefused
from ansible_collections.configok.node.plugins.module_utils._rollout._record.clear_bad_config import clear_bad_config
from ansible_collections.configok.node.plugins.modules import rollout_forget
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.rollouts.simulated_nodes import CRASHES, GOOD
from support.rollouts.world import MakeWorld, World


def halted_by_one(world: World) -> tuple[Any, str]:
    """Publish a config on which one of two canary nodes lies, and roll it out."""
    target = world.publish(100)
    liar = world.plan(target).wave("canary").nodes[0]
    world.nodes.behaviour = lambda name, _source: CRASHES if name == liar else GOOD
    result = world.rollout(target)[-1]
    assert result.phase == "Halted"
    return target, liar


def forget(world: World, **options: Any) -> tuple[str, bool]:
    arguments: dict[str, Any] = {
        "reason": "the disk was broken",
        "author": "alice",
        "now": world.clock.now(),
        **options,
    }
    return clear_bad_config(world.client, "workers", arguments.pop("bundle", None), **arguments)


def test_one_node_of_several_does_not_end_a_config_and_the_operator_is_asked(make_world: MakeWorld) -> None:
    world = make_world(9)
    target, liar = halted_by_one(world)
    record = world.record()
    assert [(bad.uid, bad.confirmed) for bad in record.bad_configs] == [(target.uid, False)]
    assert record.rollout is not None
    question = (
        "no other node failed: if the node is at fault, clear the config with configok.node.forget and run it again"
    )
    assert question in record.rollout.reason
    assert world.publish(100) == target, "it may be published; only moving nodes needs an answer"
    # The question stays when the node is deleted.
    world.client.delete(node(liar))
    (refusal,) = world.plan(target).refusals
    assert question in refusal
    with pytest.raises(RolloutRefused, match=r"clear the config with configok\.node\.forget"):
        world.move(world.plan(target), "canary")


def test_the_last_line_of_the_run_asks_the_operator(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    liar = world.plan(target).wave("canary").nodes[0]
    world.nodes.behaviour = lambda name, _source: CRASHES if name == liar else GOOD
    summary = world.rollout(target)[-1].summary
    assert summary.startswith("1 node has failed, the budget is 0; no other node failed: if the node is at fault")


def test_two_nodes_or_the_only_canary_mark_a_config_bad_at_once(make_world: MakeWorld) -> None:
    for count in (1, 2):
        world = make_world(9)
        target = world.publish(100)
        world.nodes.behaviour = lambda _name, _source: CRASHES
        assert world.rollout(target, canary={"count": count, "soak": "5s"})[-1].phase == "Halted"
        (bad,) = world.record().bad_configs
        assert bad.confirmed
        with pytest.raises(RolloutRefused, match=r"or clear it with configok\.node\.forget"):
            world.publish(100)


def test_failures_of_two_waves_mark_a_config_bad(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    made = world.plan(target)
    doomed = {made.wave("wave 1").nodes[0], made.wave("wave 2").nodes[0]}
    world.nodes.behaviour = lambda name, _source: CRASHES if name in doomed else GOOD
    assert world.rollout(target)[-1].phase == "Halted"
    assert [bad.confirmed for bad in world.record().bad_configs] == [True]


@pytest.mark.complaint("k0s #4006: re-applying a repaired plan does nothing")
def test_a_cleared_config_is_assigned_with_forget_bad_also_to_the_node_that_refused_it(make_world: MakeWorld) -> None:
    world = make_world(9)
    target, liar = halted_by_one(world)
    assert forget(world) == (target.name, True)
    assert forget(world) == (target.name, False), "clearing it again changes nothing"
    (cleared,) = world.record().cleared_configs
    assert (cleared.name, cleared.reason, cleared.author) == (target.name, "the disk was broken", "alice")
    assert "crashed 4 times" in cleared.failure
    assert world.record().bad_configs == ()
    world.nodes.behaviour = lambda _name, _source: GOOD
    moved: list[str] = []
    real = world.nodes.behaviour

    def behave(name: str, source: Any) -> str:
        moved.append(world.client.get(node(name))["metadata"]["annotations"][ANNOTATION_ASSIGNMENT])
        return real(name, source)

    world.nodes.behaviour = behave
    assert world.rollout(target)[-1].phase == "Complete"
    assert world.nodes.view(liar).is_on(target.source)
    assert all("forgetBad" in annotation for annotation in moved)
    # A later rollout does not let nodes forget again what they say then.
    assert not world.record().lets_nodes_forget(target)


def test_a_node_that_fails_again_after_it_was_cleared_is_counted_again(make_world: MakeWorld) -> None:
    world = make_world(9)
    target, _liar = halted_by_one(world)
    forget(world)
    world.nodes.behaviour = lambda _name, _source: CRASHES
    assert world.rollout(target)[-1].phase == "Halted"
    (bad,) = world.record().bad_configs
    assert bad.confirmed
    assert "is refused" in world.plan(target).refusals[0]


def test_what_is_not_refused_cannot_be_cleared_and_the_sentence_names_what_is(make_world: MakeWorld) -> None:
    world = make_world(9)
    with pytest.raises(RolloutError, match="pool workers does not refuse a config: it refuses none"):
        forget(world)
    target, _liar = halted_by_one(world)
    with pytest.raises(RolloutError, match=f"does not refuse other: it refuses {target.name}: name one of them"):
        forget(world, bundle="other")
    with pytest.raises(RolloutError, match="reason is empty"):
        forget(world, reason=" ")
    with pytest.raises(RolloutError, match=r"author is empty: say who clears the config, with -e author=\.\.\."):
        forget(world, author=" ")
    assert forget(world, check=True) == (target.name, True)
    assert world.record().cleared_configs == ()
    assert forget(world, bundle=target.name) == (target.name, True)


def test_the_module_says_what_comes_next(cluster: SandboxCluster) -> None:
    arguments: dict[str, Any] = {"kubeconfig": cluster.kubeconfig, "pool": "workers"}
    result = run_module(rollout_forget.main, {**arguments, "reason": "try again", "author": "alice"})
    assert (result["failed"], result["msg"]) == (True, "pool workers does not refuse a config: it refuses none")
    assert run_module(rollout_forget.main, arguments)["msg"] == "missing required arguments: author, reason"


def test_the_module_clears_a_config(make_world: MakeWorld, tmp_path: Any) -> None:
    world = make_world(9)
    target, _liar = halted_by_one(world)
    world.server.start()  # the module asks over HTTP
    arguments = {
        "host": world.server.url,
        "api_key": "admin",
        "pool": "workers",
        "reason": "try again",
        "author": "alice",
    }
    would = run_module(rollout_forget.main, arguments, check=True)
    assert (would["changed"], would["bundle"]) == (True, target.name)
    assert world.record().cleared_configs == ()
    result = run_module(rollout_forget.main, arguments)
    assert (result["changed"], result["bundle"]) == (True, target.name)
    assert result["text"] == (
        f"{target.name} is no longer refused in pool workers: run configok.node.rollout to try it again"
    )
    assert [cleared.author for cleared in world.record().cleared_configs] == ["alice"]
