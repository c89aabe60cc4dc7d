# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the state of a wave makes of its events, and when its nodes must be evaluated."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._gate import GateResult, Verdict
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._node_run import Phase
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.wave_limits import Window, WindowLimits
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import NodeAssignment
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._run._move_result import MoveKind, MoveResult
from ansible_collections.configok.node.plugins.module_utils._rollout._run._node_facts import NodeFacts, UnsettledNodes
from ansible_collections.configok.node.plugins.module_utils._rollout._run._wave_job import WaveJob
from ansible_collections.configok.node.plugins.module_utils._rollout._run._wave_state import (
    ASSIGNED,
    Decided,
    Job,
    JobEnded,
    NodeSeen,
    OutageEnded,
    Say,
    Show,
    StartJob,
    WaveState,
    plan,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import Goal
from support.rollouts.views import a_source, a_view

GOAL = Goal(a_source())
PASSED = GateResult(Verdict.PASS, "good")


class Facts(NodeFacts):
    """What the plan of a rollout says of its nodes; all of them the same."""

    def __init__(self, **facts: bool) -> None:
        super().__init__("workers", {})
        self._facts = facts

    def is_cordoned(self, name: str) -> bool:
        return self._facts.get("is_cordoned", False)

    def has_changed_host(self, name: str, goal: Goal) -> bool:
        return False

    def can_roll_back(self, name: str, goal: Goal) -> bool:
        return self._facts.get("can_roll_back", False)

    def is_half_done(self, view: NodeView, goal: Goal) -> bool:
        return self._facts.get("is_half_done", False)

    def needs_reboot(self, view: NodeView) -> bool:
        return self._facts.get("needs_reboot", False)


def a_state(*, soak: float = 120.0, job: dict[str, Any] | None = None, **facts: bool) -> WaveState:
    """Return a wave of three nodes, of which the watch shows that they use their config."""
    names = ("a", "b", "c")
    window = Window(names, WindowLimits(3, 1, 1000.0))
    nodes = {name: a_view(name, source=GOAL.source, confirmed=1) for name in names}
    wave = WaveJob("wave 1", dict.fromkeys(names, GOAL), soak, 300.0, **(job or {}))
    return WaveState(wave, window, nodes, UnsettledNodes((), 0.0), Facts(**facts))


def a_state_with(**assigned_at: float) -> WaveState:
    """Return a wave with open attempts, each due 300 seconds after its assignment."""
    state = a_state()
    for name, time in assigned_at.items():
        assign(state, name, time)
    return state


def assign(state: WaveState, name: str, now: float, assignment: int = 1) -> None:
    state.window.take_slot(name, now)
    view = state.nodes[name]
    result = MoveResult(MoveKind.ASSIGNED, NodeAssignment(view, assignment, True))
    assert state.apply(JobEnded(name, result), now) == [Show(name, ASSIGNED)]


def phase_of(state: WaveState, name: str) -> Phase:
    return state.window.run(name).phase


def decide(state: WaveState, *names: str, now: float) -> list[Any]:
    return plan(state, names, now, lost={}, ask_gates=None)


def test_an_attempt_is_due_once_at_its_time() -> None:
    state = a_state_with(b=1010.0, a=1000.0, c=1020.0)
    assert state.next_due() == 1300.0
    assert state.take_due(1299.9) == []
    assert state.take_due(1310.0) == ["a", "b"]
    assert state.next_due() == 1320.0


def test_only_open_attempts_are_due() -> None:
    state = a_state_with(a=1000.0, b=1010.0)
    state.apply(Decided("a", PASSED), 1020.0)
    assert state.take_due(1400.0) == ["b"]
    state.apply(Decided("b", PASSED), 1400.0)
    state.schedule(["b"])
    assert state.next_due() is None
    assert state.soaked_seconds(1400.0).keys() == {"a", "b"}


def test_an_attempt_without_a_verdict_is_due_again() -> None:
    state = a_state_with(a=1000.0)
    assert state.take_due(1300.0) == ["a"]
    state.schedule(["a"])
    assert state.take_due(1300.0) == ["a"]


def test_a_new_time_replaces_the_earlier_one() -> None:
    state = a_state_with(a=1000.0)
    state.begin(StartJob(Job.REBOOT, "a"))
    state.apply(JobEnded("a", MoveResult(MoveKind.REBOOTED)), 1050.0)
    assert phase_of(state, "a") is Phase.IN_FLIGHT
    assert state.take_due(1349.9) == []
    assert state.take_due(1350.0) == ["a"]


def test_time_stands_still_while_the_nodes_cannot_be_observed() -> None:
    state = a_state_with(a=1000.0, b=1000.0)
    state.apply(Decided("b", PASSED), 1000.0)
    state.apply(OutageEnded(60.0), 1060.0)
    assert state.next_due() == 1360.0
    attempt = state.window.run("b").attempt
    assert attempt is not None
    assert attempt.assigned_at == 1000.0
    assert state.window.run("c").attempt is None


def test_a_node_is_not_evaluated_before_the_watch_shows_its_assignment() -> None:
    state = a_state()
    assign(state, "a", 1000.0, assignment=2)
    assert phase_of(state, "a") is Phase.UNCONFIRMED
    assert state.unconfirmed(["a"]) == ["a"]
    assert decide(state, "a", now=1001.0) == []
    state.apply(NodeSeen(a_view("a", source=GOAL.source, assigned_id=2)), 1001.0)
    assert phase_of(state, "a") is Phase.IN_FLIGHT
    assert state.take_changed() == ["a"]
    assert state.take_changed() == []


def test_an_assignment_without_an_answer_is_resumed_when_the_watch_shows_it_late() -> None:
    state = a_state()
    state.window.take_slot("a", 1000.0)
    assert state.apply(JobEnded("a", MoveResult(MoveKind.POSTPONED)), 1001.0) == []
    assert phase_of(state, "a") is Phase.POSTPONED
    assert state.is_possibly_assigned("a")
    moving = a_view("a", source=GOAL.source, active=None, ready=False)
    state.nodes = {**state.nodes, "a": moving}
    state.apply(NodeSeen(moving), 1002.0)
    assert phase_of(state, "a") is Phase.IN_FLIGHT


def test_a_plan_changes_nothing_and_its_decision_is_an_event() -> None:
    state = a_state_with(a=1000.0)
    actions = decide(state, "a", "b", now=1001.0)
    assert [type(action) for action in actions] == [Decided], "b is not assigned"
    assert phase_of(state, "a") is Phase.IN_FLIGHT
    assert state.apply(actions[0], 1001.0) == [Show("a", "soaking", "soaking")]
    assert phase_of(state, "a") is Phase.SOAKING
    assert state.soaked_seconds(1031.0) == {"a": 30}


def test_a_node_is_rebooted_before_it_soaks_and_is_evaluated_when_that_has_ended() -> None:
    state = a_state(needs_reboot=True)
    assign(state, "a", 1000.0)
    assert decide(state, "a", now=1001.0) == [StartJob(Job.REBOOT, "a")]
    state.begin(StartJob(Job.REBOOT, "a"))
    assert decide(state, "a", now=1002.0) == []
    failed = MoveResult(MoveKind.NOT_REBOOTED, reason="no connection")
    assert state.apply(JobEnded("a", failed), 1003.0) == [
        Show("a", "unknown", "it could not be rebooted: no connection")
    ]


def test_a_failure_counts_when_the_node_was_taken_back() -> None:
    state = a_state(can_roll_back=True)
    assign(state, "a", 1000.0)
    failed = a_view("a", source=GOAL.source, config_ok="False")
    state.nodes = {**state.nodes, "a": failed}
    (rollback,) = decide(state, "a", now=1001.0)
    assert rollback.job is Job.ROLL_BACK
    state.begin(rollback)
    assert (state.window.state("a"), state.window.failures) == (Phase.IN_FLIGHT, 0)
    result = MoveResult(MoveKind.ROLLED_BACK, reason="it crashed; it is back")
    assert state.apply(JobEnded("a", result), 1010.0) == [Show("a", "failed", "it crashed; it is back")]
    assert state.window.failures == 1


def test_a_node_is_uncordoned_once_as_soon_as_it_is_up() -> None:
    state = a_state(is_cordoned=True)
    assign(state, "a", 1000.0)
    (decided,) = decide(state, "a", now=1001.0)
    assert state.apply(decided, 1001.0) == [StartJob(Job.UNCORDON, "a"), Show("a", "soaking", "soaking")]
    assert state.apply(Decided("a", PASSED), 1121.0) == [Show("a", "passed", "good")]
    failed = MoveResult(MoveKind.NOT_UNCORDONED, reason="no answer")
    assert state.apply(JobEnded("a", failed), 1122.0) == [
        Say("a could not be uncordoned, the next run tries again: no answer")
    ]


def test_a_run_that_continues_moves_what_an_earlier_one_has_half_done() -> None:
    state = a_state(job={"possibly_assigned": ("a",)}, is_half_done=True)
    assert state.resume(1000.0) == [StartJob(Job.MOVE, "a")]
    assert (phase_of(state, "a"), phase_of(state, "b")) == (Phase.MOVING, Phase.WAITING)


def test_a_result_after_the_time_of_the_node_changes_nothing() -> None:
    state = a_state()
    state.window.take_slot("a", 1000.0)
    state.window.next_step(2001.0, 0)
    assert phase_of(state, "a") is Phase.UNKNOWN
    result = MoveResult(MoveKind.ASSIGNED, NodeAssignment(state.nodes["a"], 1, False))
    assert state.apply(JobEnded("a", result), 2002.0) == []
    assert phase_of(state, "a") is Phase.UNKNOWN
