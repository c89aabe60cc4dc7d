# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole rollouts over simulated nodes on the embedded API server."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._ansible._wave_task import wave_result
from ansible_collections.configok.node.plugins.module_utils._kube._api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube._api_paths import config_map, events, lease, node
from ansible_collections.configok.node.plugins.module_utils._nodeconfig._config_ok import ConfigInUse, assignment_lost
from ansible_collections.configok.node.plugins.module_utils._rollout import (
    _record,
    _runner,
    _transitions,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._node_access import assign_nodes, list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._plan import Target
from ansible_collections.configok.node.plugins.module_utils._rollout._planner import make_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_lock import PoolLock
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_status import pool_status
from ansible_collections.configok.node.plugins.module_utils._rollout._record import Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record_store import (
    clear_bad_config,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._revisions import find_undo_revision, read_target
from ansible_collections.configok.node.plugins.module_utils._rollout._rollout_errors import (
    Interrupted,
    LockLost,
    PoolLocked,
    RolloutError,
    RolloutRefused,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._runner import complete
from ansible_collections.configok.node.plugins.module_utils._rollout._transitions import start_rollback, start_rollout
from support.rollouts.simulated_nodes import ADOPTS, CRASHES, GOOD, SILENT, status_of
from support.rollouts.views import a_target, a_view
from support.rollouts.world import MakeWorld, World

# Nodes that give up soon: 100 seconds of the runner's clock are one of ours, which a busy machine may take to answer.
QUICK = {"nodeTimeout": "100s", "healthTimeout": "1s", "restartDelay": "1s", "timeToCrash": "1s"}
TWO: dict[str, Any] = {"canary": {"count": 2, "soak": "5s"}, "maxUnavailable": 1}


def is_the_runners_watch(request: Any) -> bool:
    """Return whether a request is not one of the simulated nodes' own watch, which selects nothing."""
    return bool(request.query.get("watch")) and bool(request.query.get("labelSelector"))


class Killed(BaseException):
    """kill -9, as near as a test gets."""


class Dying:
    """A client whose process is killed at its nth write: before the request is sent, or after it was answered."""

    def __init__(self, client: Any, at: int, *, after: bool) -> None:
        self._client, self._left, self._after, self.dead = client, at, after, False

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if name in ("interruptible", "stream"):
            return method

        def call(*args: Any, **kwargs: Any) -> Any:
            if self.dead:
                raise Killed
            if name in ("create", "replace", "patch", "delete"):
                self._left -= 1
                if self._left == 0:
                    self.dead = True
                    if self._after:
                        method(*args, **kwargs)
                    raise Killed
            return method(*args, **kwargs)

        return call


def test_a_good_config_goes_through_canary_and_waves_and_running_again_changes_nothing(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    results = world.rollout(target)
    assert [(one.wave, one.phase, one.changed) for one in results] == [
        ("canary", "Canary", True),
        ("wave 1", "Wave 1", True),
        ("wave 2", "Complete", True),
    ]
    assert all(world.nodes.view(f"n{number:02d}").is_on(target.source) for number in range(12))
    assert [one.result for one in world.record().revisions] == ["Complete"]
    before = world.client.get(config_map("configok-rollouts", "workers"))
    again = world.plan(target)
    assert not again.has_work
    assert not complete(world.client, again, runner="again", report=world.said.append).changed
    assert world.client.get(config_map("configok-rollouts", "workers")) == before
    assert len(world.nodes.assignments) == 12


def test_a_window_costs_a_write_not_a_node(make_world: MakeWorld) -> None:
    world = make_world(50)
    target = world.publish(100)
    world.server.requests.clear()
    world.rollout(target, maxUnavailable=10)
    requests = world.server.requests
    assert requests.count(verb="patch", resource="nodes") == 50
    writes = requests.count(verb="update", resource="configmaps")
    assert writes <= 3 * 4 + 50 // 10


def test_a_deadly_config_stops_at_the_canary_and_no_other_node_is_touched(make_world: MakeWorld) -> None:
    world = make_world(12)
    good = world.publish(100)
    world.rollout(good)
    bad = world.publish(200)
    world.nodes.behaviour = lambda _name, source: CRASHES if source == bad.source else GOOD
    results = world.rollout(bad)
    assert [(one.wave, one.phase) for one in results] == [("canary", "Halted")]
    assert "crashed 4 times during its trial" in results[0].reason
    touched = {name for name, _id, source in world.nodes.assignments if source == bad.source}
    assert len(touched) <= 2
    record = world.record()
    assert [one.uid for one in record.bad_configs] == [bad.uid]
    assert record.revisions[-1].result == "Halted"
    # It is refused from now on: when planning, and when publishing the same content.
    assert "is refused" in world.plan(bad).refusals[0]
    with pytest.raises(RolloutRefused, match="is refused"):
        world.publish(200)
    # And undone by a rollout like any other.
    back = read_target(world.client, find_undo_revision(record))
    assert back == good
    assert [one.phase for one in world.rollout(back)] == ["Complete"]
    assert all(world.nodes.view(f"n{number:02d}").is_on(good.source) for number in range(12))


def test_undo_goes_to_the_init_config_when_there_is_nothing_before(make_world: MakeWorld) -> None:
    world = make_world(4)
    world.rollout(world.publish(100))
    assert find_undo_revision(world.record()) is None
    assert [one.phase for one in world.rollout(Target.init())][-1] == "Complete"
    assert all(world.nodes.view(f"n{number:02d}").is_on(None) for number in range(4))
    assert not world.plan(Target.init()).has_work


def test_a_node_that_lost_its_assignment_is_undone_also_by_a_run_that_follows_a_kill(make_world: MakeWorld) -> None:
    world = make_world(4)
    world.rollout(world.publish(100))
    view = world.nodes.view("n02")
    world.client.patch(node("n02"), {"metadata": {"annotations": {"configok.dev/config-source": None}}})
    assert view.status is not None
    using = ConfigInUse("current", None if view.active is None else view.active.uid)
    world.nodes.say("n02", assignment_lost(using), view.status._replace(assigned=None, cause="AssignmentLost"))

    class DyingBeforeItAssigns(Dying):
        def __getattr__(self, name: str) -> Any:
            self.dead = self.dead or name == "patch"
            return super().__getattr__(name)

    policy = {"canary": {"count": 4, "soak": "0s"}, "maxUnavailable": 3, **QUICK}
    with pytest.raises(Killed):
        world.rollout(Target.init(), client=DyingBeforeItAssigns(world.client, 0, after=False), **policy)
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.assigned_up_to == 4
    assert world.rollout(Target.init(), **policy)[-1].phase == "Complete"
    assert world.nodes.view("n02").is_on(None)


def test_more_failures_than_the_budget_in_a_wave_halt_it_and_good_nodes_stay(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    made = world.plan(target)
    doomed = set(made.wave("wave 1").nodes[:2])
    world.nodes.behaviour = lambda name, _source: CRASHES if name in doomed else GOOD
    results = world.rollout(target)
    assert [one.phase for one in results] == ["Canary", "Halted"]
    assert {one.node for one in results[-1].failed_nodes if one.kind == "failed"} == doomed
    assert all(world.nodes.view(name).is_on(target.source) for name in made.wave("canary").nodes)
    assert all(world.nodes.view(name).assigned_id == 0 for name in made.wave("wave 2").nodes)


def test_failures_within_the_budget_are_exceptions_of_a_complete_rollout(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    doomed = world.plan(target).wave("wave 1").nodes[0]
    world.nodes.behaviour = lambda name, _source: CRASHES if name == doomed else GOOD
    results = world.rollout(target)
    assert results[-1].phase == "Complete"
    assert [(one.node, one.kind) for one in results[-1].failed_nodes] == [(doomed, "failed")]


def test_on_failure_rollback_takes_the_others_back_to_what_they_had(make_world: MakeWorld) -> None:
    world = make_world(12)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    made = world.plan(second)
    doomed = set(made.wave("wave 1").nodes[:2])
    world.nodes.behaviour = lambda name, source: CRASHES if name in doomed and source == second.source else GOOD
    results = world.rollout(second, onFailure="rollback")
    assert results[-1].phase == "Halted"
    assert "taken back" in results[-1].reason
    for number in range(12):
        view = world.nodes.view(f"n{number:02d}")
        assert view.name in doomed or view.is_on(first.source), view.report
    rollout = world.record().rollout
    assert rollout is not None
    assert not rollout.is_rolling_back


def test_a_silent_agent_pauses_the_wave_and_running_again_goes_on_when_it_speaks(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    mute = world.plan(target).wave("canary").nodes[0]
    world.nodes.behaviour = lambda name, _source: SILENT if name == mute else GOOD
    policy = {"nodeTimeout": "210s"}
    results = world.rollout(target, **policy)
    assert [one.phase for one in results] == ["Paused"]
    assert f"no verdict on {mute}: the agent did not answer within 210s" in results[0].reason
    assert world.record().bad_configs == ()
    view = world.nodes.view(mute)
    world.nodes.say(mute, *status_of(view, target.source, GOOD)[-1])
    assert [one.phase for one in world.rollout(target)] == ["Canary", "Wave 1", "Complete"]
    assert world.nodes.view(mute).assigned_id == view.assigned_id, (
        "the assignment that was waiting is the one that passed"
    )


def test_an_agent_that_acknowledged_and_ran_out_of_time_has_failed(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: ADOPTS
    results = world.rollout(target, nodeTimeout="210s")
    assert [one.phase for one in results] == ["Halted"]
    assert "was not done within 210s" in results[0].reason


def test_a_node_that_turns_unknown_during_the_soak_pauses_and_its_config_is_not_bad(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    lost = world.plan(target).wave("canary").nodes[0]
    policy = {"canary": {"count": 2, "soak": "300s"}, "nodeTimeout": "210s"}
    world.when("ConfigOK, soaking", lambda: world.nodes.set_ready(lost, None))
    results = world.rollout(target, **policy)
    assert [one.phase for one in results] == ["Paused"]
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
    assert [(one.node, one.kind) for one in result.failed_nodes] == [(vanished, "gone")]
    assert world.nodes.view("late").is_on(target.source)


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
    assert world.clock.monotonic() - began < made.node_timeout / 4
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
        found = world.client.get(bundle)
        world.client.delete(bundle)
        metadata = {key: found["metadata"][key] for key in ("name", "labels")}
        world.client.create(bundle.rpartition("/")[0], {**found, "metadata": metadata})

    world.nodes.behaviour = lambda _name, _source: SILENT
    world.when("assigned", make_again)
    result = world.move(world.plan(target), "canary")
    assert result.phase == "Paused"
    assert result.reason.startswith(f"the bundle {target.name} was deleted and made again: run the rollout again")
    assert world.record().bad_configs == ()


def test_a_soak_that_is_interrupted_early_is_written_down(make_world: MakeWorld) -> None:
    world = make_world(6)
    made = world.plan(world.publish(100), canary={"count": 2, "soak": "300s"})
    began: list[float] = []
    world.when("ConfigOK, soaking", lambda: began.append(world.clock.monotonic()))
    renew = PoolLock.renew_if_due

    def interrupted(lock: PoolLock) -> bool:
        if began and world.clock.monotonic() - began[0] > 15:
            raise KeyboardInterrupt
        return renew(lock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PoolLock, "renew_if_due", interrupted)
        with pytest.raises(Interrupted):
            world.move(made, "canary")
    rollout = world.record().rollout
    assert rollout is not None
    assert [rollout.soaked_seconds[name] for name in made.wave("canary").nodes] == [16, 16]


@pytest.mark.parametrize("how", ["interrupted", "killed"])
def test_the_soak_of_a_resumed_wave_goes_on_where_it_stood(make_world: MakeWorld, how: str) -> None:
    world = make_world(6)
    target = world.publish(100)
    policy = {"canary": {"count": 2, "soak": "300s"}}
    made = world.plan(target, **policy)
    began: list[float] = []

    def stop_in_time() -> None:
        began.append(world.clock.monotonic())

    world.when("ConfigOK, soaking", stop_in_time)
    renew = PoolLock.renew_if_due

    def interrupted(lock: PoolLock) -> bool:
        if began and world.clock.monotonic() - began[0] > 200:
            raise KeyboardInterrupt if how == "interrupted" else Killed
        return renew(lock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PoolLock, "renew_if_due", interrupted)
        with pytest.raises(Interrupted if how == "interrupted" else Killed):
            world.move(made, "canary")
    rollout = world.record().rollout
    assert rollout is not None
    (soaked,) = {rollout.soaked_seconds[name] for name in made.wave("canary").nodes}
    if how == "interrupted":
        assert soaked == 201
    else:  # it is written down every 30 seconds
        assert 201 - 31 <= soaked <= 201
    resumed = world.clock.monotonic()
    assert world.move(world.plan(target, **policy), "canary").phase == "Canary"
    assert 300 - soaked <= world.clock.monotonic() - resumed < 300 - soaked + 5
    assert len(world.nodes.assignments) == 2
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.soaked_seconds == {}


@pytest.mark.parametrize("when", ["in its own wave", "in a later wave", "already there", "at the end"])
def test_a_node_that_passed_and_is_reassigned_by_somebody_else_has_drifted(make_world: MakeWorld, when: str) -> None:
    world = make_world(6)
    other, target = world.publish(90), world.publish(100)
    if when == "already there":
        assign_nodes(world.client, target.source, names=["n01"])
        world.until(lambda: world.nodes.view("n01").is_on(target.source))
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], soak="20s")
    canary = made.wave("canary").nodes[0]
    victim = {"already there": "n01", "in its own wave": made.wave("wave 1").nodes[0]}.get(when, canary)

    def steal() -> None:
        assign_nodes(world.client, other.source, names=[victim])
        world.until(lambda: world.nodes.view(victim).is_on(other.source))

    def steal_and_go_on() -> None:
        steal()
        world.nodes.behaviour = lambda _name, _source: GOOD
        for name in made.wave("wave 1").nodes:
            answer(world, name)

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
        assert [(one.node, one.kind) for one in result.failed_nodes] == [(victim, "drifted")]
        assert f"then somebody else assigned it {other.name} (assignment" in result.failed_nodes[0].reason
        assert any(f"DRIFTED: {victim}: it had passed" in line for line in world.lines())
    status = pool_status(world.record(), list_nodes(world.client, selector="pool=workers"))
    assert [(one["node"], one["state"]) for one in status["not_fine"]] == [(victim, "drifted")]
    assert f"somebody else assigned it {other.name}" in status["not_fine"][0]["reason"]
    assert status["by_state"]["drifted"] == 1
    assert [one["kind"] for one in status["exceptions"]] == ([] if when == "at the end" else ["drifted"])


def test_a_node_that_passed_in_the_rollout_before_has_drifted_too(make_world: MakeWorld) -> None:
    world = make_world(3)
    other, target = world.publish(90), world.publish(100)
    policy = {"maxUnavailable": 2}
    world.rollout(target, **policy)
    world.nodes.add("late")
    world.nodes.add("mute")
    world.nodes.set_ready("mute", False)
    assert world.rollout(target, **policy)[-1].phase == "Complete"
    assign_nodes(world.client, other.source, names=["n01"])
    world.until(lambda: world.nodes.view("n01").is_on(other.source))
    world.nodes.set_ready("mute", True)  # it was left out: nothing to drift from
    status = pool_status(world.record(), list_nodes(world.client, selector="pool=workers"))
    assert [one["node"] for one in status["not_fine"] if one["state"] == "drifted"] == ["n01"]


@pytest.mark.parametrize("began", ["settled", "moved"])
def test_a_node_that_used_the_target_before_the_first_rollout_has_drifted_too(
    make_world: MakeWorld, began: str
) -> None:
    world = make_world(3)
    other, target = world.publish(90), world.publish(100)
    names = ["n00", "n01", "n02"] if began == "settled" else ["n01"]
    assign_nodes(world.client, target.source, names=names)
    world.until(lambda: all(world.nodes.view(name).is_on(target.source) for name in names))
    if began == "settled":
        complete(world.client, world.plan(target, maxUnavailable=1), runner="me", report=world.said.append)
    else:
        assert world.rollout(target, maxUnavailable=1)[-1].phase == "Complete"
    assign_nodes(world.client, other.source, names=["n01"])
    world.until(lambda: world.nodes.view("n01").is_on(other.source))
    status = pool_status(world.record(), list_nodes(world.client, selector="pool=workers"))
    assert status["by_state"]["drifted"] == 1


def test_a_node_that_drifted_and_is_moved_again_has_not_drifted_any_more(make_world: MakeWorld) -> None:
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
    assert {one["state"] for one in status["not_fine"]} == {"failed"}


def answer(world: World, name: str) -> None:
    """Have a node that was silent so far say that it is fine on what it is assigned."""
    view = world.nodes.view(name)
    if view.assigned_id > view.answered_id:
        world.nodes.say(name, *status_of(view, view.source, GOOD)[-1])


def broken(world: World, name: str) -> None:
    """Make a node one whose component is failing, and which is not Ready."""
    view = world.nodes.view(name)
    verdict, status = status_of(view, None, GOOD)[-1]
    failing = {"kubelet": status.components["kubelet"]._replace(state="failing")}
    world.nodes.say(name, verdict._replace(status="False"), status._replace(components=failing))
    world.nodes.set_ready(name, False)


def test_the_lane_of_broken_nodes_pauses_and_halts_nobody_and_follows_the_canary(make_world: MakeWorld) -> None:
    world = make_world(10)
    for name in ("n03", "n04", "n05"):
        broken(world, name)
    target = world.publish(100)
    fates = {"n03": SILENT, "n04": CRASHES}
    world.nodes.behaviour = lambda name, _source: fates.get(name, GOOD)

    def repair() -> None:
        for name in ("n03", "n04", "n05"):
            world.nodes.set_ready(name, True)

    world.when("assigned n03", repair)
    results = world.rollout(target, maxUnavailable=3, failureBudget=0, canary={"count": 1, "soak": "5s"}, **QUICK)
    assert [(one.wave, one.phase) for one in results] == [
        ("canary", "Canary"),
        ("broken", "Wave 0"),
        ("wave 1", "Wave 1"),
        ("wave 2", "Complete"),
    ]
    assert {one.node: one.kind for one in results[-1].failed_nodes} == {"n03": "unknown", "n04": "failed"}
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
        broken(world, name)
    world.nodes.behaviour = lambda name, _source: CRASHES if name in ("n03", "n04") else GOOD
    results = world.rollout(target, maxUnavailable=2, failureBudget=0, canary={"count": 1, "soak": "5s"}, **QUICK)
    assert [one.wave for one in results][:2] == (["broken", "canary"] if place == "first" else ["canary", "broken"])
    assert results[-1].phase == "Complete"
    assert {one.node for one in results[-1].failed_nodes} == {"n03", "n04"}


def test_nodes_that_the_lane_leaves_down_hold_up_nothing_even_where_not_all_are_kept(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (_record, _transitions):
        monkeypatch.setattr(module, "MAX_FAILED_NODES", 3)
    world = make_world(12)
    down = [f"n{number:02d}" for number in range(3, 9)]
    for name in down:
        broken(world, name)
    world.nodes.behaviour = lambda name, _source: CRASHES if name in down else GOOD
    results = world.rollout(world.publish(100), maxUnavailable=2, canary={"count": 1, "soak": "5s"}, **QUICK)
    assert results[-1].phase == "Complete", world.lines()


def test_nodes_that_the_lane_has_repaired_count_like_any_other(make_world: MakeWorld) -> None:
    world = make_world(12)
    repaired = [f"n{number:02d}" for number in range(3, 8)]
    for name in repaired:
        broken(world, name)

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
        assert (result.phase, result.counts["waiting"]) == ("Paused", 6)
        assert result.reason.startswith("nodes down for another reason: 5")


@pytest.mark.parametrize("fate", [CRASHES, SILENT])
def test_nodes_that_the_lane_leaves_down_keep_no_other_node_from_going_back(make_world: MakeWorld, fate: str) -> None:
    world = make_world(12)
    first = world.publish(100)
    world.rollout(first)
    lane = {"n00", "n01", "n02"}
    for name in lane:
        broken(world, name)
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


def test_a_node_whose_false_answers_another_assignment_is_taken_back() -> None:
    target = a_target(2)
    views = [
        a_view("good", source=target.source, given=2),
        a_view("refused the last", source=target.source, given=2, answered=1, active=None, config_ok="False"),
        a_view("refused this", source=target.source, given=2, active=None, config_ok="False"),
    ]
    before = dict.fromkeys([view.name for view in views], None)
    record = Record("workers", rollout=Rollout(1, target, "Halted", (), 3, "now", "now", previous_sources=before))
    rollout = start_rollback(record, views, runner="me", now="now").rollout
    assert rollout is not None
    assert rollout.rolling_back == ("good", "refused the last")


@pytest.mark.parametrize("when", ["before the lane begins", "before it goes on"])
def test_nodes_that_appear_while_the_lane_is_the_last_wave_get_a_canary_of_their_own(
    make_world: MakeWorld, when: str
) -> None:
    world = make_world(2)
    for name in ("n00", "n01"):
        broken(world, name)
    target = world.publish(100)
    policy = {"maxUnavailable": 1, "failureBudget": 0, "canary": {"count": 1, "soak": "5s"}, **QUICK}
    made = world.plan(target, **policy)
    assert [wave.name for wave in made.waves] == ["broken"]
    world.nodes.behaviour = lambda _name, _source: CRASHES
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
        assert world.move(made, "broken").phase == "Complete"
    results = world.rollout(target, **policy)
    assert [(one.wave, one.phase) for one in results][-1] == ("canary", "Halted")
    assert len({name for name, _id, _source in world.nodes.assignments if name.startswith("late")}) == 1


def test_a_deadly_config_reaches_the_canary_and_not_the_nodes_that_refused_the_last_one(make_world: MakeWorld) -> None:
    world = make_world(6)
    world.nodes.behaviour = lambda _name, source: CRASHES if source is not None else GOOD
    policy = {"canary": {"count": 2, "soak": "5s"}}
    world.rollout(world.publish(100), **policy)
    refused = {name for name, _id, _source in world.nodes.assignments}
    world.nodes.assignments.clear()
    assert [(one.wave, one.phase) for one in world.rollout(world.publish(200), **policy)] == [("canary", "Halted")]
    assert len({name for name, _id, _source in world.nodes.assignments}) == len(refused) == 2


@pytest.mark.parametrize("fate", [SILENT, CRASHES, GOOD])
def test_a_config_on_which_no_node_has_passed_does_not_reach_broken_nodes_before_the_canary(
    make_world: MakeWorld, fate: str
) -> None:
    world = make_world(1)
    broken(world, "n00")
    first = world.publish(90)
    world.nodes.behaviour = lambda _name, _source: fate
    world.when("assigned n00", lambda: world.nodes.set_ready("n00", fate == GOOD))
    assert [(one.wave, one.phase) for one in world.rollout(first, **QUICK)] == [("broken", "Complete")]
    passed = fate == GOOD
    assert [one.result for one in world.record().revisions] == ["Complete" if passed else "Unproven"]
    if fate == CRASHES:  # nothing is left to move, and nothing has passed by now
        again = world.plan(first, **QUICK)
        assert complete(world.client, again, runner="again", report=world.said.append).phase == "Complete"
        assert [one.result for one in world.record().revisions] == ["Unproven"]
    for name in ("n01", "n02", "n03"):
        world.nodes.add(name)
    world.nodes.add("n04")
    broken(world, "n04")
    waves = [wave.name for wave in world.plan(first, maxUnavailable=1, **QUICK).waves]
    assert waves.index("canary") == (1 if passed else 0)
    # Nor does an undo go there by itself.
    world.nodes.behaviour = lambda _name, _source: GOOD
    world.rollout(world.publish(100), maxUnavailable=4, **QUICK)
    found = find_undo_revision(world.record())
    assert (found.number if found else None) == (1 if passed else None)


@pytest.mark.parametrize("there", [False, True])
def test_a_pool_without_a_node_that_can_be_moved_proves_nothing(make_world: MakeWorld, there: bool) -> None:
    world = make_world(0)
    target = world.publish(100)
    world.nodes.add("mute", agent=False)
    world.nodes.add("n00")
    assign_nodes(world.client, target.source, names=["n00"])
    world.until(lambda: world.nodes.view("n00").is_on(target.source))
    if not there:
        world.client.delete(node("n00"))
    result = complete(world.client, world.plan(target, **QUICK), runner="me", report=world.said.append)
    assert (result.phase, result.changed) == ("Complete", True)
    assert [one.result for one in world.record().revisions] == ["Complete" if there else "Unproven"]
    if not there:  # and when a node has passed, by whatever way, running again says so
        world.nodes.add("n01")
        assign_nodes(world.client, target.source, names=["n01"])
        world.until(lambda: world.nodes.view("n01").is_on(target.source))
        complete(world.client, world.plan(target, **QUICK), runner="again", report=world.said.append)
        assert [one.result for one in world.record().revisions] == ["Complete"]


def halted_with_nothing_left(world: World) -> tuple[Target, str]:
    """Halt a rollout of two canaries, of which one passes and one lies: no node is left to move."""
    target = world.publish(100)
    _other, liar = world.plan(target, **TWO).wave("canary").nodes
    world.nodes.behaviour = lambda name, _source: CRASHES if name == liar else GOOD
    assert [one.phase for one in world.rollout(target, **TWO)] == ["Halted"]
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
    result = complete(world.client, made, runner="again", report=world.said.append)
    assert (result.phase, result.failed, result.changed) == ("Halted", True, False)
    assert result.reason == halted.rollout.reason
    assert wave_result(made, result)["msg"].startswith("pool workers is Halted: 1 node has failed, the budget is 0: ")
    assert world.record() == halted
    # Another target does not wait for the answer.
    world.nodes.behaviour = lambda _name, _source: GOOD
    assert [one.phase for one in world.rollout(Target.init(), **TWO)][-1] == "Complete"


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
    assert complete(world.client, made, runner="again", report=world.said.append).phase == "Complete"


def test_one_new_node_does_not_end_a_config_that_others_use(make_world: MakeWorld) -> None:
    world = make_world(3)
    target = world.publish(100)
    world.rollout(target)
    world.nodes.add("n99")
    world.nodes.behaviour = lambda name, _source: CRASHES if name == "n99" else GOOD
    assert [one.phase for one in world.rollout(target)][-1] == "Halted"
    bad = world.record().bad_config(target)
    assert bad is not None
    assert not bad.confirmed


@pytest.mark.parametrize("liar_is", ["there", "gone"])
def test_a_halted_rollout_whose_config_was_cleared_goes_on(make_world: MakeWorld, liar_is: str) -> None:
    world = make_world(2)
    target, liar = halted_with_nothing_left(world)
    clear_bad_config(world.client, "workers", None, reason="broken disk", author="alice", clock=world.clock)
    world.nodes.behaviour = lambda _name, _source: GOOD
    if liar_is == "there":
        assert [one.phase for one in world.rollout(target, **TWO)] == ["Complete"]
        assert world.nodes.view(liar).is_on(target.source)
        return
    world.client.delete(node(liar))
    made = world.plan(target, **TWO)
    assert not made.has_work
    assert complete(world.client, made, runner="again", report=world.said.append).phase == "Complete"
    rollout = world.record().rollout
    assert rollout is not None
    assert (rollout.phase, rollout.waves, rollout.failed_nodes) == ("Complete", (), ())
    assert [one.result for one in world.record().revisions] == ["Complete"]


@pytest.mark.parametrize(("there", "phase"), [(["n00"], "Paused"), (["n00", "n01"], "Complete")])
def test_a_paused_rollout_with_nothing_left_to_move_is_complete_only_when_its_nodes_are_there(
    make_world: MakeWorld, there: list[str], phase: str
) -> None:
    world = make_world(2)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: SILENT
    assert [one.phase for one in world.rollout(target, **TWO, **QUICK)] == ["Paused"]
    world.nodes.behaviour = lambda _name, _source: GOOD
    assign_nodes(world.client, None, names=["n00", "n01"])
    world.until(lambda: world.nodes.view("n00").is_on(None) and world.nodes.view("n01").is_on(None))
    assign_nodes(world.client, target.source, names=there)
    world.until(lambda: all(world.nodes.view(name).is_on(target.source) for name in there))
    for name in {"n00", "n01"} - set(there):
        world.nodes.set_ready(name, False)
    # As a run planned it that did not see the record yet.
    views = list_nodes(world.client, selector="pool=workers")
    made = make_plan(
        views, world.pool(**TWO), target, Record("workers").with_revision(target, time="", author="", cause="")
    )
    assert not made.has_work
    result = complete(world.client, made, runner="again", report=world.said.append)
    assert (result.phase, result.failed) == (phase, phase == "Paused")
    rollout = world.record().rollout
    assert rollout is not None
    assert (rollout.phase, rollout.reason) == (phase, result.reason)


def test_a_canary_that_vanishes_pauses_and_another_candidate_takes_its_place(make_world: MakeWorld) -> None:
    """A repair tool deletes the canary that a deadly config has killed: nobody else gets the config."""
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
    assert [(one.wave, one.phase) for one in results] == [("canary", "Paused")]
    assert f"the canary has lost {victim}: the Node was deleted" in results[0].reason
    assert {name for name, _id, _source in world.nodes.assignments} == {victim}
    assert world.record().bad_configs == ()
    again = world.plan(target, **policy)
    (replacement,) = again.wave("canary").nodes
    assert replacement != victim
    assert replacement not in {name for wave in again.waves[1:] for name in wave.nodes}
    results = world.rollout(target, **policy)
    assert [(one.wave, one.phase) for one in results] == [
        ("canary", "Canary"),
        ("wave 1", "Wave 1"),
        ("wave 2", "Complete"),
    ]
    assert [(one.node, one.kind) for one in results[-1].failed_nodes] == [(victim, "gone")]
    assert world.nodes.assignments[1][0] == replacement


def test_a_canary_without_another_candidate_stays_paused(make_world: MakeWorld) -> None:
    world = make_world(3)
    target = world.publish(100)
    policy = {"canary": {"count": 1, "soak": "5s"}, **QUICK}
    (victim,) = world.plan(target, **policy).wave("canary").nodes
    world.nodes.behaviour = lambda name, _source: SILENT
    world.when(f"assigned {victim}", lambda: world.client.delete(node(victim)))
    assert [one.phase for one in world.rollout(target, **policy)] == ["Paused"]
    for number in range(3):
        if f"n{number:02d}" != victim:
            world.nodes.set_ready(f"n{number:02d}", False)
    assert world.plan(target, **policy).wave("canary").nodes == ()


@pytest.mark.parametrize(("fate", "phase"), [(GOOD, "Complete"), (CRASHES, "Halted")])
def test_the_canaries_that_are_left_decide_when_one_has_vanished_and_nobody_can_replace_it(
    make_world: MakeWorld, fate: str, phase: str
) -> None:
    world = make_world(2)
    target = world.publish(100)
    policy = {"canary": {"count": 2, "soak": "5s"}, "maxUnavailable": 1, **QUICK}
    first, other = world.plan(target, **policy).wave("canary").nodes
    world.nodes.behaviour = lambda name, _source: SILENT if name == first else fate
    world.when(f"assigned {first}", lambda: world.client.delete(node(first)))
    results = world.rollout(target, **policy)
    assert [one.phase for one in results] == ["Paused"]
    assert f"the canary has lost {first}" in results[0].reason
    assert [one.phase for one in world.rollout(target, **policy)] == [phase]
    assert world.nodes.view(other).is_on(target.source) == (phase == "Complete")
    rollout = world.record().rollout
    assert rollout is not None
    assert (first, "gone") in [(one.node, one.kind) for one in rollout.failed_nodes]


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
    assert (result.phase, [one.kind for one in result.failed_nodes]) == ("Paused", ["unknown"])
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
    assert all(world.nodes.view(name).assigned_id == 0 for name in made.wave("wave 1").nodes)


@pytest.mark.parametrize(("budget", "phase"), [(0, "Halted"), (3, "Wave 0")])
def test_canaries_that_turn_false_while_the_lane_moves_spend_from_the_budget(
    make_world: MakeWorld, budget: int, phase: str
) -> None:
    world = make_world(12)
    broken(world, "n03")
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
    late = {(one.node, one.kind, one.wave) for one in result.failed_nodes if one.node in canaries}
    assert late == {(name, "failed", "canary") for name in canaries}
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.failures == 2
    assert [bad.confirmed for bad in world.record().bad_configs] == ([True] if phase == "Halted" else [])


def test_a_node_that_lost_its_config_after_the_rollout_was_completed_is_moved_again(make_world: MakeWorld) -> None:
    world = make_world(6)
    init, target = None, world.publish(100)
    world.rollout(target)
    assign_nodes(world.client, init, names=["n01"])
    world.until(lambda: world.nodes.view("n01").is_on(init))
    results = world.rollout(target)
    assert [(one.wave, one.phase, one.changed) for one in results] == [("canary", "Complete", True)]
    assert world.nodes.view("n01").is_on(target.source)


def test_a_node_that_failed_within_the_budget_is_left_out_and_named_when_it_runs_again(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    doomed = world.plan(target).wave("wave 1").nodes[0]
    world.nodes.behaviour = lambda name, _source: CRASHES if name == doomed else GOOD
    world.rollout(target)
    again = world.plan(target)
    assert not again.has_work
    ((name, reason),) = [(one.node, one.reason) for one in again.skipped]
    assert name == doomed
    assert reason.startswith("it was given this config before: ConfigOK is False: ")


def told(world: World) -> list[tuple[str, str]]:
    found = world.client.list(events("configok-rollouts")).items
    assert all(one["involvedObject"]["uid"] for one in found)
    return sorted((one["reason"], one["message"]) for one in found)


def test_events_on_the_record_tell_how_a_rollout_began_and_ended(make_world: MakeWorld) -> None:
    world = make_world(6)
    good = world.publish(100)
    world.rollout(good)
    world.rollout(good)
    assert told(world) == [
        ("RolloutComplete", f"revision 1 ({good.name})"),
        ("RolloutStarted", f"revision 1 ({good.name}), nodes: 6, waves: 3, moved by run 1"),
    ]
    bad = world.publish(200)
    world.nodes.behaviour = lambda _name, source: CRASHES if source == bad.source else GOOD
    world.rollout(bad)
    ((_reason, message),) = [one for one in told(world) if one[0] == "RolloutHalted"]
    assert message.startswith(f"revision 2 ({bad.name}): ")
    assert "crashed 4 times" in message


def test_a_rollout_does_without_events(make_world: MakeWorld) -> None:
    world = make_world(6)

    class Mute:
        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def create(self, path: str, body: Any, **options: Any) -> Any:
            if path == events("configok-rollouts"):
                raise Forbidden("you may not", where="POST events", status=403)
            return world.client.create(path, body, **options)

    assert world.rollout(world.publish(100), client=Mute())[-1].phase == "Complete"
    assert told(world) == []


def test_ctrl_c_while_it_settles_is_told_in_a_sentence(make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(2)
    target = world.publish(100)
    assign_nodes(world.client, target.source, names=["n00", "n01"])
    world.until(lambda: all(world.nodes.view(name).is_on(target.source) for name in ("n00", "n01")))

    def press(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    made = world.plan(target)
    monkeypatch.setattr(_runner, "update_record", press)
    with pytest.raises(Interrupted, match=r"interrupted in pool workers: .*run it again to go on"):
        complete(world.client, made, runner="me", report=world.said.append, clock=world.clock)
    assert world.client.get(lease("configok-rollouts", "workers"))["spec"]["holderIdentity"] == ""


def test_settling_leaves_a_pool_alone_that_somebody_moves(make_world: MakeWorld) -> None:
    world = make_world(6)
    good = world.publish(100)
    world.rollout(good)
    made = world.plan(good)
    other = world.plan(world.publish(200))
    lock = PoolLock(world.client, "workers", "somebody", clock=world.clock, duration=5.0)
    lock.acquire(lambda _line: None)
    update_record(
        world.client,
        "workers",
        lambda record: start_rollout(record, other, list_nodes(world.client, selector="pool=workers"), "now"),
    )

    def hold() -> None:
        while True:
            world.clock.sleep(0.5)
            lock.renew_if_due()

    world.clock.start(hold, "somebody")
    with pytest.raises(PoolLocked, match="is being moved by somebody"):
        complete(world.client, made, runner="me", report=world.said.append, clock=world.clock, lease_duration=5.0)
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.is_for(other.target)


def test_a_runner_that_loses_its_lock_amid_a_window_assigns_nothing_more(make_world: MakeWorld) -> None:
    world = make_world(60)
    target = world.publish(100)
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=50)
    world.move(made, "canary")
    done = len(world.nodes.assignments)

    class Robbed:
        """A client whose process stalls at its first PATCH, long enough for somebody else to take the pool."""

        def __init__(self) -> None:
            self.patched = 0

        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)
            if name != "patch":
                return method

            def patch(*args: Any, **kwargs: Any) -> Any:
                self.patched += 1
                if self.patched == 1:
                    world.clock.sleep(40.0)  # the other threads have come to their PATCH by then
                    PoolLock(world.client, "workers", "thief", clock=world.clock, duration=5.0).acquire(
                        lambda _line: None
                    )
                else:
                    world.clock.sleep(120.0)
                return method(*args, **kwargs)

            return patch

    robbed = Robbed()
    with pytest.raises(LockLost, match="thief has its lock now"):
        world.move(made, "wave 1", client=robbed)
    # Those that the threads were writing already are all that is assigned.
    world.clock.sleep(200)
    assert len(world.nodes.assignments) - done == 32
    assert robbed.patched == 32


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


def test_ctrl_c_leaves_a_record_that_goes_on_and_frees_the_lock(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    made = world.plan(target)

    def interrupt(name: str, _source: object) -> str:
        return GOOD

    world.nodes.behaviour = interrupt

    class Pressed:
        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)

            def patch(*args: Any, **kwargs: Any) -> Any:
                raise KeyboardInterrupt

            return patch if name == "patch" else method

    with pytest.raises(Interrupted, match="run it again to go on"):
        world.move(made, "canary", client=Pressed())
    assert world.client.get(lease("configok-rollouts", "workers"))["spec"]["holderIdentity"] == ""
    assert world.rollout(target)[-1].phase == "Complete"


@pytest.mark.parametrize("at", range(1, 21))
def test_killed_while_it_takes_nodes_back_it_goes_on_taking_them_back(make_world: MakeWorld, at: int) -> None:
    world = make_world(6)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    doomed = set(world.plan(second).wave("wave 2").nodes[:2])
    world.nodes.behaviour = lambda name, source: CRASHES if name in doomed and source == second.source else GOOD
    made = world.plan(second)
    for wave in made.waves[:-1]:
        world.move(made, wave.name)
    dying = Dying(world.client, at, after=False)
    with contextlib.suppress(Killed):
        world.rollout(second, client=dying, onFailure="rollback")
    assert dying.dead, "the wave and the rollback have twenty writes"
    if not world.rollout_recorded().has_ended:
        world.publish(200)  # the playbook publishes first; the config is bad now, but its rollout is not over
        assert [one.phase for one in world.rollout(second, onFailure="rollback")][-1] == "Halted"
    for number in range(6):
        view = world.nodes.view(f"n{number:02d}")
        assert view.name in doomed or view.is_on(first.source), view.report
    with pytest.raises(RolloutRefused, match="is refused"):
        world.publish(200)


def test_a_run_after_a_kill_waits_for_nodes_that_were_being_taken_back_and_counts_all_of_them(
    make_world: MakeWorld,
) -> None:
    world = make_world(6)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    policy: dict[str, Any] = {"onFailure": "rollback", "nodeTimeout": "60m"}
    made = world.plan(second, **policy)
    first_doomed, _other, last_doomed = made.wave("wave 2").nodes
    doomed = {first_doomed, last_doomed}
    mute: set[str] = set()

    def behave(name: str, source: object) -> str:
        if name in doomed and source == second.source:
            return CRASHES
        if source == first.source and not mute:
            mute.add(name)
        return SILENT if name in mute and source == first.source else GOOD

    world.nodes.behaviour = behave
    for wave in made.waves[:-1]:
        world.move(made, wave.name)

    class DyingOnTheWayBack(Dying):
        """A client whose process is killed right after it has taken the first node back."""

        def __getattr__(self, name: str) -> Any:
            method = super().__getattr__(name)

            def patch(path: str, body: Any, **options: Any) -> Any:
                answer = method(path, body, **options)
                if first.uid in str(body):
                    self.dead = True
                return answer

            return patch if name == "patch" else method

    with pytest.raises(Killed):
        world.move(made, "wave 2", client=DyingOnTheWayBack(world.client, 0, after=True))
    world.until(lambda: bool(mute))
    (silent,) = mute
    result = world.move(world.plan(second, **{**policy, "nodeTimeout": "210s"}), "wave 2")
    assert result.phase == "Halted"
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.is_rolling_back, f"{silent} has not said that it is back"
    world.nodes.say(silent, *status_of(world.nodes.view(silent), first.source, GOOD)[-1])
    result = world.move(made, "wave 2")
    assert result.reason.endswith("; 4 nodes were taken back")
    assert not world.rollout_recorded().is_rolling_back
    backs = [name for name, _id, source in world.nodes.assignments if source == first.source]
    assert backs.count(silent) == 2, "on the first rollout, and once on the way back"


def test_a_paused_rollout_that_another_replaces_is_superseded(make_world: MakeWorld) -> None:
    world = make_world(6)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    made = world.plan(second)
    mute = made.wave("canary").nodes[0]
    world.nodes.behaviour = lambda name, _source: SILENT if name == mute else GOOD
    assert world.rollout(second, nodeTimeout="210s")[-1].phase == "Paused"
    # Somebody puts the nodes back by hand, so that the way back has nothing to move.
    world.nodes.behaviour = lambda _name, _source: GOOD
    assign_nodes(world.client, first.source, names=[f"n{number:02d}" for number in range(6)])
    world.until(lambda: all(world.nodes.view(f"n{number:02d}").is_on(first.source) for number in range(6)))
    back = world.plan(first)
    assert not back.has_work
    complete(world.client, back, runner="back", report=world.said.append, clock=world.clock)
    assert [one.result for one in world.record().revisions] == ["Complete", "Superseded"]


def test_a_paused_rollout_that_another_with_nodes_to_move_replaces_is_superseded(make_world: MakeWorld) -> None:
    world = make_world(3)
    first = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: SILENT
    assert world.rollout(first, **QUICK)[-1].phase == "Paused"
    second = world.publish(200)
    world.nodes.behaviour = lambda _name, _source: GOOD
    world.move(world.plan(second), "canary")
    assert [one.result for one in world.record().revisions] == ["Superseded", ""]
    assert world.rollout(second)[-1:] == [] or world.record().revisions[-1].result == "Complete"


def test_never_more_than_max_unavailable_at_a_time_those_that_are_down_included(make_world: MakeWorld) -> None:
    world = make_world(12)
    world.nodes.set_ready("n05", False)
    target = world.publish(100)
    most = 0

    def adopt(name: str, _source: object) -> str:
        nonlocal most
        views = list_nodes(world.client, selector="pool=workers")
        # This node has not answered yet; the others, where they have something to answer, have not either.
        most = max(most, sum(1 for view in views if view.assigned_id != view.answered_id or view.ready is not True))
        return GOOD

    world.nodes.behaviour = adopt
    results = world.rollout(target, maxUnavailable=3)
    assert results[-1].phase == "Complete"
    assert 2 <= most <= 3
    assert world.nodes.view("n05").assigned_id == 0


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_nodes_that_go_down_while_a_wave_moves_count_at_every_assignment(make_world: MakeWorld, limit: int) -> None:
    """Whatever goes down, a healthy node is assigned only while fewer than maxUnavailable are unavailable."""
    world = make_world(20)
    target = world.publish(100)
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=limit, **QUICK)
    world.move(made, "canary")
    doomed = list(made.wave("wave 1").nodes[-5:])
    at_assignment = []

    def adopt(name: str, _source: object) -> str:
        views = list_nodes(world.client, selector="pool=workers")
        down = {view.name for view in views if view.ready is not True}
        at_assignment.append(len(down | {view.name for view in views if view.assigned_id != view.answered_id}))
        # One node after the other goes down, before this one answers.
        if doomed:
            world.nodes.set_ready(doomed.pop(), False)
        return GOOD

    world.nodes.behaviour = adopt
    result = world.move(made, "wave 1")
    assert result.phase == "Paused"
    assert "nodes down for another reason" in result.reason
    # Those that were in flight when the last node went down are all that may be above the limit.
    assert max(at_assignment) <= limit + (limit - 1)
    down = sum(1 for number in range(20) if world.nodes.view(f"n{number:02d}").ready is not True)
    assert limit <= down <= limit + 1
    before = len(world.nodes.assignments)
    for number in range(20):
        world.nodes.set_ready(f"n{number:02d}", True)
    doomed.clear()
    again = world.rollout(target, maxUnavailable=limit)
    assert again[-1].phase == "Complete", again
    assert len(world.nodes.assignments) > before


def test_a_node_that_comes_back_lets_the_wave_go_on(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=1)
    world.move(made, "canary")
    last = made.wave("wave 1").nodes[-1]

    def adopt(name: str, _source: object) -> str:
        if len(world.nodes.assignments) == 3:
            world.nodes.set_ready(last, False)
            world.later(30, lambda: world.nodes.set_ready(last, True))
        return GOOD

    world.nodes.behaviour = adopt
    assert world.move(made, "wave 1").phase == "Complete"


def test_while_the_nodes_cannot_be_watched_nothing_is_assigned_and_time_stands_still(make_world: MakeWorld) -> None:
    world = make_world(3)
    target = world.publish(100)
    policy = {**QUICK, "nodeTimeout": "120s"}
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=1, **policy)
    world.move(made, "canary")
    first = made.wave("wave 1").nodes[0]
    world.nodes.behaviour = lambda name, _source: SILENT if name == first else GOOD

    def away() -> None:
        # The runner's watch is not answered, for longer than a node has to answer.
        ends = world.clock.monotonic() + 130
        world.server.intercept = lambda request, _user, _perform: (
            world.server.refusal(503) if is_the_runners_watch(request) and world.clock.monotonic() < ends else None
        )
        world.server.end_watches()
        view = world.nodes.view(first)
        world.nodes.say(first, *status_of(view, target.source, GOOD)[-1])

    world.when(f"assigned {first}", away)
    assert world.move(made, "wave 1").phase == "Complete", "\n".join(world.lines())
    assert any("the nodes are watched again after" in line for line in world.lines())


def test_nothing_is_assigned_when_the_watch_is_lost_while_the_record_is_written(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(4)
    made = world.plan(world.publish(100))
    assigning = _transitions.before_assigning
    ends: list[float] = []
    refused: list[str] = []
    blind: list[str] = []

    def intercept(request: Any, _user: object, _perform: object) -> Any:
        if ends and world.clock.monotonic() > ends[0]:
            return None
        if request.method == "PATCH" and "/nodes/" in request.path:
            blind.append(request.path)
        if not is_the_runners_watch(request):
            return None
        refused.append(request.path)
        return world.server.refusal(503)

    def lose_the_watch(*arguments: Any, **options: Any) -> Any:
        if not ends:
            world.server.intercept = intercept
            world.server.end_watches()
            world.until(lambda: len(refused) > 1)  # the thread that watches has told of the first one by then
            ends.append(world.clock.monotonic() + 50)
        return assigning(*arguments, **options)

    monkeypatch.setattr(_transitions, "before_assigning", lose_the_watch)
    assert world.move(made, "canary").phase == "Canary"
    assert blind == []


def test_nothing_is_assigned_when_nodes_go_down_while_the_record_is_written(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(8)
    made = world.plan(world.publish(100), maxUnavailable=2, **QUICK)
    assigning = _transitions.before_assigning
    falling = set(made.wave("wave 2").nodes[:2])

    def slowly(*arguments: Any, **options: Any) -> Any:
        for name in falling:
            world.nodes.set_ready(name, False)
        world.clock.sleep(1)  # the watcher has seen it by then
        return assigning(*arguments, **options)

    monkeypatch.setattr(_transitions, "before_assigning", slowly)
    result = world.move(made, "canary")
    assert (result.phase, world.nodes.assignments) == ("Paused", [])
    assert result.reason.startswith("nodes down for another reason: 2")


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
def test_killed_at_any_write_and_run_again_it_finishes(make_world: MakeWorld, after: bool) -> None:
    at = 0
    while True:
        at += 1
        world = make_world(5)
        target = world.publish(100)
        dying = Dying(world.client, at, after=after)
        with contextlib.suppress(Killed):
            world.rollout(target, client=dying)
        if not dying.dead:
            break
        world.rollout(target)
        rollout = world.rollout_recorded()
        assert (at, rollout.phase, rollout.failed_nodes) == (at, "Complete", ())
        assert all(world.nodes.view(f"n{number:02d}").is_on(target.source) for number in range(5))
        assert len(world.nodes.assignments) == 5, "no node was assigned twice"
        assert not world.plan(target).has_work
    assert at > 20, "the rollout has at least so many writes"
