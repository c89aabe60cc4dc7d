# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a rollout is complete: with nothing left to move, after a clear, after another replaced it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from ansible_collections.configok.node.plugins.module_utils._rollout import PoolLocked
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.planner import make_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.transitions import start_rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import AgentAnswer
from ansible_collections.configok.node.plugins.module_utils._rollout._record.clear_bad_config import clear_bad_config
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.plugin_utils._run import failure_message
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT
from support.rollouts.world import QUICK, MakeWorld, World

TWO: dict[str, Any] = {"canary": {"count": 2, "soak": "5s"}, "maxUnavailable": 1}


@pytest.mark.parametrize("node_exists", [False, True])
def test_a_pool_without_a_node_that_can_be_moved_proves_nothing(make_world: MakeWorld, node_exists: bool) -> None:
    world = make_world(0)
    target = world.publish(100)
    world.nodes.add("mute", agent=False)
    world.nodes.add("n00")
    assign_nodes(world.client, target.source, names=["n00"])
    world.until(lambda: world.nodes.view("n00").is_on(target.source))
    if not node_exists:
        world.client.delete(node("n00"))
    result = world.complete(world.plan(target, **QUICK))
    end = "Complete" if node_exists else "Unproven"
    assert (result.phase, result.failed, result.changed) == (end, not node_exists, True)
    assert [revision.result for revision in world.record().revisions] == [end]
    if not node_exists:
        assert result.reason == "0 of 1 passed"
        again = world.complete(world.plan(target, **QUICK))
        assert (again.phase, again.changed) == ("Unproven", False)
    if not node_exists:  # and when a node has passed, by whatever way, running again says so
        world.nodes.add("n01")
        assign_nodes(world.client, target.source, names=["n01"])
        world.until(lambda: world.nodes.view("n01").is_on(target.source))
        world.complete(world.plan(target, **QUICK))
        assert [revision.result for revision in world.record().revisions] == ["Complete"]


def halted_with_nothing_left(world: World) -> tuple[Target, str]:
    """Halt a rollout of two canaries, of which one passes and one lies: no node is left to move."""
    target = world.publish(100)
    _other, liar = world.plan(target, **TWO).wave("canary").nodes
    world.nodes.behaviour = lambda name, _source: CRASHES if name == liar else GOOD
    assert [result.phase for result in world.rollout(target, **TWO)] == ["Halted"]
    assert not world.plan(target, **TWO).has_work
    return target, liar


def test_a_halted_rollout_with_nothing_left_to_move_stays_halted_until_its_config_is_cleared(
    make_world: MakeWorld,
) -> None:
    world = make_world(2)
    target, _liar = halted_with_nothing_left(world)
    halted = world.record()
    assert halted.rollout is not None
    made = world.plan(target, **TWO)
    result = world.complete(made)
    assert (result.phase, result.failed, result.changed) == ("Halted", True, False)
    assert result.reason == halted.rollout.reason
    assert failure_message(made.pool, result).startswith("pool workers is Halted: 1 node has failed, the budget is 0: ")
    assert world.record() == halted
    # Another target does not wait for the answer.
    world.nodes.behaviour = lambda _name, _source: GOOD
    assert [result.phase for result in world.rollout(Target.init(), **TWO)][-1] == "Complete"


def test_a_halted_undo_to_the_init_config_is_complete_once_all_nodes_are_there(make_world: MakeWorld) -> None:
    world = make_world(2)
    world.rollout(world.publish(100), **TWO)
    world.rollout(Target.init(), **TWO)

    def halted(record: Record) -> Record:
        assert record.rollout is not None
        return replace(
            record, rollout=replace(record.rollout, phase="Halted", waves_done=0, reason="a node has failed")
        )

    update_record(world.client, "workers", halted)
    made = world.plan(Target.init(), **TWO)
    assert not made.has_work
    assert world.complete(made).phase == "Complete"


def test_one_new_node_does_not_end_a_config_that_others_use(make_world: MakeWorld) -> None:
    world = make_world(3)
    target = world.publish(100)
    world.rollout(target)
    world.nodes.add("n99")
    world.nodes.behaviour = lambda name, _source: CRASHES if name == "n99" else GOOD
    assert [result.phase for result in world.rollout(target)][-1] == "Halted"
    bad = world.record().bad_config(target)
    assert bad is not None
    assert not bad.confirmed


@pytest.mark.parametrize("liar_is", ["there", "gone"])
def test_a_halted_rollout_completes_once_its_config_is_cleared(make_world: MakeWorld, liar_is: str) -> None:
    world = make_world(2)
    target, liar = halted_with_nothing_left(world)
    clear_bad_config(world.client, "workers", None, reason="broken disk", author="alice", now=world.clock.now())
    world.nodes.behaviour = lambda _name, _source: GOOD
    if liar_is == "there":
        assert [result.phase for result in world.rollout(target, **TWO)] == ["Complete"]
        assert world.nodes.view(liar).is_on(target.source)
        return
    world.client.delete(node(liar))
    made = world.plan(target, **TWO)
    assert not made.has_work
    assert world.complete(made).phase == "Complete"
    rollout = world.record().rollout
    assert rollout is not None
    assert (rollout.phase, rollout.waves, rollout.failed_nodes) == ("Complete", (), ())
    assert [revision.result for revision in world.record().revisions] == ["Complete"]


@pytest.mark.parametrize(("names_on_target", "phase"), [(["n00"], "Paused"), (["n00", "n01"], "Complete")])
def test_a_paused_rollout_with_nothing_left_to_move_is_complete_only_when_its_nodes_are_there(
    make_world: MakeWorld, names_on_target: list[str], phase: str
) -> None:
    world = make_world(2)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: SILENT
    assert [result.phase for result in world.rollout(target, **TWO, **QUICK)] == ["Paused"]
    world.nodes.behaviour = lambda _name, _source: GOOD
    assign_nodes(world.client, None, names=["n00", "n01"])
    world.until(lambda: world.nodes.view("n00").is_on(None) and world.nodes.view("n01").is_on(None))
    assign_nodes(world.client, target.source, names=names_on_target)
    world.until(lambda: all(world.nodes.view(name).is_on(target.source) for name in names_on_target))
    # As a run planned it that did not see the record yet. The other node has lost its agent since.
    views = [
        view if view.name in names_on_target else replace(view, answer=AgentAnswer())
        for view in list_nodes(world.client, selector="pool=workers")
    ]
    made = make_plan(
        views, world.pool(**TWO), target, Record("workers").with_revision(target, time="", author="", cause="")
    )
    assert not made.has_work
    result = world.complete(made)
    assert (result.phase, result.failed) == (phase, phase == "Paused")
    rollout = world.record().rollout
    assert rollout is not None
    assert (rollout.phase, rollout.reason) == (phase, result.reason)


def test_settling_leaves_a_pool_alone_that_another_runner_moves(make_world: MakeWorld) -> None:
    world = make_world(6)
    good = world.publish(100)
    world.rollout(good)
    made = world.plan(good)
    other_plan = world.plan(world.publish(200))
    lock = PoolLock(world.client, "workers", "somebody", clock=world.clock, duration=5.0)
    lock.acquire(lambda _line: None)
    update_record(
        world.client,
        "workers",
        lambda record: start_rollout(record, other_plan, list_nodes(world.client, selector="pool=workers"), "now"),
    )

    def hold() -> None:
        while True:
            world.clock.sleep(0.5)
            lock.renew_if_due()

    world.clock.start(hold, "somebody")
    with pytest.raises(PoolLocked, match="is being moved by somebody"):
        world.complete(made)
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.is_for(other_plan.target)


def test_a_paused_rollout_that_another_replaces_is_superseded(make_world: MakeWorld) -> None:
    world = make_world(6)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    made = world.plan(second)
    mute = made.wave("canary").nodes[0]
    world.nodes.behaviour = lambda name, _source: SILENT if name == mute else GOOD
    assert world.rollout(second, nodeTimeout="210s")[-1].phase == "Paused"
    # An operator moves the nodes back by hand, so that the undo has no work.
    world.nodes.behaviour = lambda _name, _source: GOOD
    assign_nodes(world.client, first.source, names=[f"n{number:02d}" for number in range(6)])
    world.until(lambda: all(world.nodes.view(f"n{number:02d}").is_on(first.source) for number in range(6)))
    back = world.plan(first)
    assert not back.has_work
    world.complete(back)
    assert [revision.result for revision in world.record().revisions] == ["Complete", "Superseded"]


def test_a_paused_rollout_that_another_with_nodes_to_move_replaces_is_superseded(make_world: MakeWorld) -> None:
    world = make_world(3)
    first = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: SILENT
    assert world.rollout(first, **QUICK)[-1].phase == "Paused"
    second = world.publish(200)
    world.nodes.behaviour = lambda _name, _source: GOOD
    world.move(world.plan(second), "canary")
    assert [revision.result for revision in world.record().revisions] == ["Superseded", ""]
    assert world.rollout(second)[-1:] == [] or world.record().revisions[-1].result == "Complete"
