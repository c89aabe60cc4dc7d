# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run waits for a resume, an approval, a maintenance window, gates and playbooks, and obeys an abort."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.control_requests import (
    Requester,
    approve,
    request_abort,
    request_pause,
    resume,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import (
    GateAnswer,
    GateVerdict,
    ServerAnswer,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from support.rollouts.simulated_nodes import ADOPTS, GOOD
from support.rollouts.world import MakeWorld, World

ALICE = Requester("alice", "the database is being upgraded", "2026-01-01T00:00:00Z")


def write(world: World, change: Callable[[Record], Record]) -> Callable[[], object]:
    return lambda: update_record(world.client, "workers", change)


def phases(world: World) -> list[str]:
    return [entry.phase for entry in world.rollout_recorded().timeline]


def test_a_paused_wave_continues_when_it_is_resumed(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    world.when("canary: done", write(world, lambda record: request_pause(record, ALICE)))
    world.when("PAUSED: paused by alice", lambda: world.later(300.0, write(world, resume)))
    results = world.rollout(target)
    assert [result.phase for result in results][-1] == "Complete"
    assert phases(world).count("Paused") == 1
    assert any("the database is being upgraded" in line for line in world.lines())
    assert any("resumed" in line for line in world.lines())
    assert world.clock.monotonic() > 400.0


def test_a_pause_in_a_wave_is_seen_within_seconds_and_nodes_in_flight_get_their_verdict(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    begun: list[float] = []

    def pause() -> None:
        begun.append(world.clock.monotonic())
        write(world, lambda record: request_pause(record, ALICE))()

    world.when("wave 1: assigned", pause)
    seen: list[tuple[float, int]] = []

    def look() -> None:
        seen.append((world.clock.monotonic(), len(world.nodes.assignments)))

    def look_and_resume() -> None:
        look()
        world.later(60.0, look)
        world.later(61.0, write(world, resume))

    world.when("PAUSED: paused by alice", look_and_resume)
    results = world.rollout(target)
    assert results[-1].phase == "Complete"
    assert seen[0][0] - begun[0] < 5.0
    assert seen[1][1] - seen[0][1] <= 2, "only what was being assigned when it was paused"


def test_a_run_that_is_paused_for_too_long_ends_and_the_next_one_waits_for_the_resume(make_world: MakeWorld) -> None:
    world = make_world(4)
    world.options["wait_timeout"] = 120.0
    target = world.publish(100)
    world.when("canary: assigned", write(world, lambda record: request_pause(record, ALICE)))
    assert world.rollout(target)[-1].phase == "Paused"
    assert world.record().control.is_pause
    world.when("PAUSED: paused by alice", lambda: world.later(5.0, write(world, resume)))
    assert world.rollout(target)[-1].phase == "Complete"


def test_an_abort_ends_the_run_at_once_and_assigns_nothing_more(make_world: MakeWorld) -> None:
    world = make_world(12)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: ADOPTS
    at: list[float] = []

    def abort() -> None:
        at.append(world.clock.monotonic())
        write(world, lambda record: request_abort(record, ALICE))()

    world.when("canary: assigned", abort)
    result = world.rollout(target)[-1]
    assert (result.phase, result.failed) == ("Aborted", True)
    assert world.clock.monotonic() - at[0] < 5.0
    assert "aborted by alice" in result.reason
    assert len(world.nodes.assignments) == 2
    assert world.record().control.request == ""
    world.nodes.behaviour = lambda _name, _source: GOOD
    assert world.rollout(world.publish(101))[-1].phase == "Complete"


def test_a_wave_waits_for_its_approval(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    assigned: list[int] = []

    def look() -> None:
        assigned.append(len(world.nodes.assignments))

    def look_and_approve() -> None:
        look()
        write(world, lambda record: approve(record, (), ALICE))()

    def wait_and_approve() -> None:
        look()
        world.later(500.0, look_and_approve)

    world.when("wave 1 waits for an approval", wait_and_approve)
    results = world.rollout(target, approval={"before": ["wave 1"]})
    assert results[-1].phase == "Complete"
    assert assigned == [2, 2]
    assert "Paused" in phases(world)


def test_an_approval_is_for_one_rollout(make_world: MakeWorld) -> None:
    world = make_world(4)
    world.options["wait_timeout"] = 10.0
    policy: dict[str, Any] = {"approval": {"before": "all"}}
    first = world.publish(100)
    world.when("canary waits for an approval", write(world, lambda record: approve(record, ["all"], ALICE)))
    assert world.rollout(first, **policy)[-1].phase == "Complete"
    result = world.rollout(world.publish(101), **policy)[-1]
    assert (result.phase, result.wave) == ("Paused", "canary")
    assert "canary waits for an approval" in result.reason


def test_a_wave_begins_only_inside_a_window(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    # The virtual clock begins at 2026-01-01T00:01:40Z, a Thursday.
    window = {"days": ["Thu"], "start": "00:30", "duration": "1h"}
    results = world.rollout(target, maintenanceWindows=[window])
    assert results[-1].phase == "Complete"
    assert any("the next window opens 2026-01-01T00:30+00:00 (Thu), in 28m" in line for line in world.lines())
    assert world.clock.monotonic() > 1800.0


def test_a_window_that_closes_while_the_playbook_runs_is_not_used(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    window = {"days": ["Thu"], "start": "00:30", "duration": "30m"}
    durations = iter([2400.0, 1.0, 1.0, 1.0])

    def before(_wave: str, _nodes: Any, _should_stop: object) -> GateAnswer:
        world.clock.sleep(next(durations))
        return GateAnswer("before", GateVerdict.PASS)

    world.options["before_wave"] = before
    result = world.rollout(target, maintenanceWindows=[window])[-1]
    assert (result.phase, world.nodes.assignments) == ("Paused", [])
    assert "the next window opens 2026-01-08T00:30+00:00 (Thu)" in result.reason


def test_a_pause_while_a_gate_is_asked_before_a_wave_is_obeyed(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    world.options["ask_server"] = lambda _gate: ServerAnswer(GateAnswer("errors", GateVerdict.WAIT))
    world.later(10.0, write(world, lambda record: request_pause(record, ALICE)))
    seen: list[float] = []
    world.when("PAUSED: paused by alice", lambda: seen.append(world.clock.monotonic()))
    began = world.clock.monotonic()
    world.rollout(target, gates=[{**GATE, "timeout": "10m"}])
    assert seen
    assert seen[0] - began < 16.0


def test_a_run_does_not_wait_for_a_window_that_opens_too_late(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    before = world.clock.monotonic()
    result = world.rollout(target, maintenanceWindows=[{"days": ["Fri"], "start": "00:30", "duration": "1h"}])[-1]
    assert (result.phase, result.failed) == ("Paused", True)
    assert "the next window opens 2026-01-02T00:30+00:00 (Fri)" in result.reason
    assert world.clock.monotonic() - before < 30.0
    assert world.nodes.assignments == []


GATE = {
    "name": "errors",
    "prometheus": {"url": "http://127.0.0.1:9090", "query": "errors", "condition": "< 1"},
    "timeout": "30s",
    "interval": "5s",
}


@pytest.mark.parametrize(
    ("verdict", "phase", "reason"),
    [
        (GateVerdict.FAIL, "Halted", "gate errors says no"),
        (GateVerdict.UNKNOWN, "Paused", "gate errors does not know"),
    ],
)
def test_a_gate_stops_the_wave_that_it_does_not_agree_with(
    make_world: MakeWorld, verdict: GateVerdict, phase: str, reason: str
) -> None:
    world = make_world(6)
    target = world.publish(100)

    def ask(_gate: object) -> ServerAnswer:
        answer = (
            GateAnswer("errors", verdict, reason) if world.nodes.assignments else GateAnswer("errors", GateVerdict.PASS)
        )
        return ServerAnswer(answer)

    world.options["ask_server"] = ask
    result = world.rollout(target, gates=[GATE])[-1]
    assert (result.phase, result.wave) == (phase, "canary")
    assert reason in result.reason
    assert len(world.nodes.assignments) == 2, "no node outside the canary"


def test_a_gate_that_says_no_before_a_wave_does_not_blame_the_config(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    world.options["ask_server"] = lambda _gate: ServerAnswer(
        GateAnswer("errors", GateVerdict.FAIL, "gate errors says no")
    )
    result = world.rollout(target, gates=[GATE])[-1]
    assert (result.phase, world.nodes.assignments) == ("Paused", [])
    assert "canary was not begun: gate errors says no" in result.reason
    assert world.record().bad_configs == ()


def test_gates_that_agree_let_the_rollout_complete(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    world.options["ask_server"] = lambda _gate: ServerAnswer(GateAnswer("errors", GateVerdict.PASS))
    assert world.rollout(target, gates=[GATE])[-1].phase == "Complete"


def test_a_node_gate_that_stays_false_fails_the_node(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    gate = {"name": "pods", "node": "status.allocatable.pods == '110'"}
    result = world.rollout(
        target, gates=[gate], nodeTimeout="100s", healthTimeout="1s", restartDelay="1s", timeToCrash="1s"
    )[-1]
    assert result.phase in ("Halted", "Paused")
    assert "gate pods" in result.reason
    assert len(world.nodes.assignments) == 2


@pytest.mark.parametrize(
    ("verdict", "phase"),
    [(GateVerdict.FAIL, "Halted"), (GateVerdict.UNKNOWN, "Paused"), (GateVerdict.PASS, "Complete")],
)
def test_the_playbook_after_a_wave_has_the_last_word(make_world: MakeWorld, verdict: GateVerdict, phase: str) -> None:
    world = make_world(4)
    target = world.publish(100)
    asked: list[tuple[str, int]] = []

    def after(wave: str, nodes: Any, _should_stop: object) -> GateAnswer:
        asked.append((wave, len(nodes)))
        world.clock.sleep(90.0)
        return GateAnswer("after", verdict, "the playbook failed")

    world.options["after_wave"] = after
    result = world.rollout(target)[-1]
    assert result.phase == phase
    assert asked[0] == ("canary", 2)
    assert len(asked) == (2 if phase == "Complete" else 1)


def test_the_playbook_before_a_wave_can_keep_it_from_beginning(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    world.options["before_wave"] = lambda wave, _nodes, _should_stop: GateAnswer(
        "before", GateVerdict.PASS if wave == "canary" else GateVerdict.FAIL, "the change is frozen"
    )
    result = world.rollout(target)[-1]
    assert (result.phase, result.wave) == ("Paused", "wave 1")
    assert "wave 1 was not begun: the change is frozen" in result.reason
    assert len(world.nodes.assignments) == 2


@pytest.mark.parametrize(
    ("moment", "line", "assigned"),
    [("before_wave", "running the playbook before", 0), ("after_wave", "running the playbook after the wave", 2)],
)
def test_an_abort_ends_the_playbook_that_runs_and_waits_for_nothing(
    make_world: MakeWorld, moment: str, line: str, assigned: int
) -> None:
    world = make_world(6)
    target = world.publish(100)
    at: list[float] = []
    stopped: list[bool] = []

    def ask(_wave: str, _nodes: object, should_stop: Callable[[], bool]) -> GateAnswer:
        world.clock.sleep(600.0)  # a playbook is asked twice a second; this one takes as long to end as it takes
        stopped.append(should_stop())
        return GateAnswer("playbook", GateVerdict.PASS)

    def abort() -> None:
        world.clock.sleep(60.0)
        at.append(world.clock.monotonic())
        write(world, lambda record: request_abort(record, ALICE))()

    world.options[moment] = ask
    world.when(line, lambda: world.clock.start(abort, "abort"))
    result = world.rollout(target)[-1]
    assert (result.phase, result.wave, world.rollout_recorded().phase) == ("Aborted", "canary", "Aborted")
    assert world.clock.monotonic() - at[0] < 5.0
    assert len(world.nodes.assignments) == assigned
    world.until(lambda: bool(stopped), 700.0)
    assert stopped == [True]


def test_an_aborted_playbook_that_answers_before_the_run_looks_does_not_pause_it(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)

    def ask(_wave: str, _nodes: object, should_stop: Callable[[], bool]) -> GateAnswer:
        write(world, lambda record: request_abort(record, ALICE))()
        while not should_stop():
            world.clock.sleep(0.5)
        return GateAnswer("playbook", GateVerdict.UNKNOWN, "it was stopped")

    world.options["before_wave"] = ask
    assert world.rollout(target)[-1].phase == "Aborted"


def test_a_change_that_needs_a_drain_cordons_and_uncordons(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    made = world.plan(target)
    names = tuple(f"n{number:02d}" for number in range(4))
    with world.runner() as runner:
        results = runner.run(replace(made, to_drain=names))
    assert results[-1].phase == "Complete"
    assert sum("cordoned" in line for line in world.lines()) >= 4
    assert not any(world.nodes.view(name).unschedulable or world.nodes.view(name).cordoned_by for name in names)


def test_an_abort_uncordons_what_the_run_has_cordoned(make_world: MakeWorld) -> None:
    world = make_world(4)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: ADOPTS
    world.when("canary: assigned", write(world, lambda record: request_abort(record, ALICE)))
    names = tuple(f"n{number:02d}" for number in range(4))
    with world.runner() as runner:
        result = runner.run(replace(world.plan(target), to_drain=names))[-1]
    assert result.phase == "Aborted"
    assert sum("cordoned" in line for line in world.lines()) == 2
    assert not any(world.nodes.view(name).unschedulable for name in names)


def test_a_canary_that_vanishes_while_its_approval_is_awaited_has_not_passed(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    made = world.plan(target)
    (lost, _other) = made.wave("canary").nodes

    def lose() -> None:
        world.client.delete(node(lost))
        world.later(5.0, write(world, lambda record: approve(record, ["canary"], ALICE)))

    world.when("canary waits for an approval", lose)
    result = world.rollout(target, approval={"before": ["canary"]})[-1]
    assert (result.phase, result.wave) == ("Paused", "canary")
    assert "the canary has lost" in result.reason
