# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Node is its uid, and every node that the selector matches at the end is on the target or in the outcome."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import FailedNode
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import (
    pool_status,
    render_status,
)
from support.rollouts.world import QUICK, MakeWorld, World

POLICY = {"canary": {"count": 1, "soak": "1s"}, "waves": ["100%"], "maxUnavailable": 1, **QUICK}


def set_pool(world: World, name: str, pool: str) -> None:
    world.client.patch(node(name), {"metadata": {"labels": {"pool": pool}}})


def roll_out(world: World, happens: Callable[[str], object]) -> tuple[str, str]:
    """Roll out; something happens to the last node of a wave when the first one moves. Return name and reason."""
    target = world.publish(100)
    wave = world.plan(target, **POLICY).wave("wave 1")
    world.when(f"assigned {wave.nodes[0]}", lambda: happens(wave.nodes[-1]))
    result = world.rollout(target, **POLICY)[-1]
    assert (result.phase, result.failed) == ("Complete", False)
    return wave.nodes[-1], result.reason


def test_a_node_that_leaves_the_pool_for_a_moment_is_in_the_outcome(make_world: MakeWorld) -> None:
    world = make_world(5)

    def leave(name: str) -> None:
        set_pool(world, name, "other")
        world.when(f"GONE: {name}: the Node has left the pool", lambda: set_pool(world, name, "workers"))

    name, reason = roll_out(world, leave)
    assert reason == f"1 node is not on the target: {name}"
    assert world.rollout_recorded().failed_nodes == (
        FailedNode(name, "missed", "", "the Node has left the pool, and is back without the config"),
    )
    lines = render_status(pool_status(world.record(), []), [], [])
    assert lines[1:3] == [f"  {reason}", f"  exceptions: missed {name}"]


def test_a_node_that_leaves_the_pool_for_good_was_not_deleted(make_world: MakeWorld) -> None:
    world = make_world(5)
    name, reason = roll_out(world, lambda name: set_pool(world, name, "other"))
    assert reason == ""
    assert world.rollout_recorded().failed_nodes == (FailedNode(name, "gone", "wave 1", "the Node has left the pool"),)


def taint(world: World, name: str, *taints: dict[str, str]) -> None:
    world.client.patch(node(name), {"spec": {"taints": list(taints)}})


def test_a_node_that_an_autoscaler_removes_is_not_waited_for(make_world: MakeWorld) -> None:
    world = make_world(5)
    leaving = {"key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule", "value": "1764475200"}
    name, reason = roll_out(world, lambda name: taint(world, name, leaving))
    assert reason == ""
    sentence = "it is on its way out: an autoscaler has tainted it with ToBeDeletedByClusterAutoscaler"
    assert world.rollout_recorded().failed_nodes == (FailedNode(name, "gone", "wave 1", sentence),)
    assert not world.nodes.view(name).is_on(world.rollout_recorded().target.source), "it was moved"


def test_a_node_that_an_autoscaler_keeps_after_all_is_in_the_outcome(make_world: MakeWorld) -> None:
    """A candidate whose Pods grow again. The next run moves it."""
    world = make_world(5)

    def hesitate(name: str) -> None:
        taint(world, name, {"key": "DeletionCandidateOfClusterAutoscaler", "effect": "PreferNoSchedule"})
        world.when(f"GONE: {name}: it is on its way out", lambda: taint(world, name))

    name, reason = roll_out(world, hesitate)
    assert reason == f"1 node is not on the target: {name}"
    assert world.rollout(world.publish(100), **POLICY)[-1].phase == "Complete"
    assert world.rollout_recorded().failed_nodes == ()


@pytest.mark.parametrize("is_back", [False, True])
def test_a_node_that_is_registered_again_under_its_name_is_a_new_node(make_world: MakeWorld, is_back: bool) -> None:
    world = make_world(5)

    def register_again(name: str) -> None:
        world.client.delete(node(name))
        if is_back:
            world.when(f"GONE: {name}: the Node was deleted", lambda: world.nodes.add(name))

    name, reason = roll_out(world, register_again)
    (failed,) = world.rollout_recorded().failed_nodes
    assert (failed.node, failed.kind) == (name, "missed" if is_back else "gone")
    assert reason == (f"1 node is not on the target: {name}" if is_back else "")
    # The next run moves it, as it moves any new node.
    results = world.rollout(world.publish(100), **POLICY)
    assert [result.phase for result in results][-1:] == (["Complete"] if is_back else [])
    assert not is_back or world.rollout_recorded().failed_nodes == ()


def test_nodes_that_are_skipped_or_come_too_late_are_in_the_outcome(make_world: MakeWorld) -> None:
    world = make_world(4)
    world.nodes.add("mute", agent=False)
    _name, reason = roll_out(world, lambda _name: world.nodes.add("late"))
    assert reason == "2 nodes are not on the target: late, mute"
    kinds = {failed.node: (failed.kind, failed.reason) for failed in world.rollout_recorded().failed_nodes}
    assert kinds["late"] == ("missed", "it came too late")
    assert kinds["mute"][0] == "missed"
