# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The monitor asks gates in the background: at their intervals, at once when it matters, and never blocks a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._gates._gate_monitor import GateMonitor, questions
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._server_gate import ServerGate
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import (
    GateAnswer,
    GateVerdict,
    ServerAnswer,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy
from support.rollouts.virtual_clock import VirtualClock

PASS, FAIL, UNKNOWN, WAIT = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.UNKNOWN, GateVerdict.WAIT


@pytest.fixture
def clock() -> Iterator[VirtualClock]:
    made = VirtualClock()
    yield made
    made.end()


def make_gates(*names: str, interval: str = "10s", **prometheus: str) -> tuple[ServerGate, ...]:
    query = {"url": "http://a", "query": "q", "condition": "< 1", **prometheus}
    gates = [{"name": name, "prometheus": query, "timeout": "60s", "interval": interval} for name in names]
    return parse_policy({"gates": gates}).gates.servers


class Server:
    """A scripted server: answers with what `says` has for a gate at the present time, after `takes` seconds."""

    def __init__(self, clock: VirtualClock, says: Callable[[str, float], GateVerdict]) -> None:
        self.clock = clock
        self.says = says
        self.takes = 0.0
        self.asked: list[tuple[str, float]] = []
        self.woken = 0

    def ask(self, gate: ServerGate) -> ServerAnswer:
        now = self.clock.monotonic()
        self.asked.append((gate.name, now))
        if self.takes:
            self.clock.sleep(self.takes)
        answer = GateAnswer(gate.name, self.says(gate.name, now), f"{gate.name} at {now:g}")
        by_node = getattr(gate, "node_label", "")
        return ServerAnswer(GateAnswer(gate.name, PASS), {"n": answer}) if by_node else ServerAnswer(answer)

    def wake(self) -> None:
        self.woken += 1


def test_each_gate_is_asked_at_its_interval(clock: VirtualClock) -> None:
    server = Server(clock, lambda _name, _now: PASS)
    gates = make_gates("a") + make_gates("b", interval="25s")
    with GateMonitor(questions(gates, server.ask), clock, server.wake) as monitor:
        assert monitor.decide(None).verdict is WAIT
        clock.sleep(51.0)
        assert [now for name, now in server.asked if name == "a"] == [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
        assert [now for name, now in server.asked if name == "b"] == [0.0, 25.0, 50.0]
        assert server.woken == 9
        assert monitor.answers() == (GateAnswer("a", PASS, "a at 50"), GateAnswer("b", PASS, "b at 50"))
        assert not monitor.has_node_answers
    clock.sleep(100.0)
    assert len(server.asked) == 9, "nothing is asked after the end"


def test_a_gate_is_asked_at_once_when_the_soak_ends(clock: VirtualClock) -> None:
    server = Server(clock, lambda _name, _now: PASS)
    with GateMonitor(questions(make_gates("a", interval="60s"), server.ask), clock, server.wake) as monitor:
        clock.sleep(30.0)
        assert monitor.decide(40.0).verdict is WAIT, "the soak ends in ten seconds"
        clock.sleep(5.0)
        assert [now for _name, now in server.asked] == [0.0]
        clock.sleep(5.0)
        assert monitor.decide(40.0).verdict is WAIT
        clock.sleep(0.001)
        assert monitor.decide(40.0).verdict is PASS
        assert [now for _name, now in server.asked] == [0.0, 40.0]


def test_a_server_that_is_down_is_not_asked_more_often(clock: VirtualClock) -> None:
    server = Server(clock, lambda _name, _now: UNKNOWN)
    with GateMonitor(questions(make_gates("a"), server.ask), clock, server.wake) as monitor:
        clock.sleep(5.0)
        for _round in range(105):
            monitor.decide(5.0)
            clock.sleep(0.1)
        assert [now for _name, now in server.asked] == pytest.approx([0.0, 5.0, 15.0])


def test_a_question_that_was_sent_before_the_end_of_the_soak_does_not_pass(clock: VirtualClock) -> None:
    server = Server(clock, lambda _name, _now: PASS)
    server.takes = 7.0
    with GateMonitor(questions(make_gates("a"), server.ask), clock, server.wake) as monitor:
        clock.sleep(5.0)
        assert monitor.decide(5.0).verdict is WAIT
        clock.sleep(3.0)
        assert monitor.decide(5.0).verdict is WAIT, "asked at 0, answered at 7"
        assert [now for _name, now in server.asked] == [0.0, 7.0], "asked again as soon as possible"
        clock.sleep(6.5)
        assert monitor.decide(5.0).verdict is PASS


def test_a_no_counts_at_once(clock: VirtualClock) -> None:
    server = Server(clock, lambda name, now: FAIL if name == "b" and now >= 20.0 else PASS)
    with GateMonitor(questions(make_gates("a", "b"), server.ask), clock, server.wake) as monitor:
        clock.sleep(15.0)
        assert monitor.decide(None).verdict is WAIT
        clock.sleep(5.5)
        decision = monitor.decide(None)
        assert (decision.verdict, decision.reason) == (FAIL, "b at 20")


def test_a_server_that_never_answers_does_not_block(clock: VirtualClock) -> None:
    server = Server(clock, lambda _name, _now: PASS)
    server.takes = 10_000.0
    with GateMonitor(questions(make_gates("a"), server.ask), clock, server.wake) as monitor:
        clock.sleep(60.0)
        assert monitor.decide(None).verdict is WAIT
        clock.sleep(0.5)
        decision = monitor.decide(None)
        assert (decision.verdict, decision.reason) == (UNKNOWN, "gate a does not know: there is no answer (for 1m)")


def test_whether_a_wave_may_begin(clock: VirtualClock) -> None:
    server = Server(clock, lambda _name, now: PASS if now < 60.0 else FAIL)
    clock.sleep(30.0)
    with GateMonitor(questions(make_gates("a"), server.ask), clock, server.wake) as monitor:
        assert monitor.started_at == 30.0
        assert monitor.decide_start().verdict is WAIT
        clock.sleep(1.0)
        assert monitor.decide_start().verdict is PASS
    clock.sleep(30.0)
    with GateMonitor(questions(make_gates("a"), server.ask), clock, server.wake) as monitor:
        assert monitor.decide_start().verdict is WAIT
        clock.sleep(1.0)
        assert monitor.decide_start().verdict is FAIL


def test_a_gate_that_answers_for_each_node_decides_each_node(clock: VirtualClock) -> None:
    server = Server(clock, lambda _name, now: FAIL if now < 10.0 else PASS)
    with GateMonitor(questions(make_gates("a", nodeLabel="node"), server.ask), clock, server.wake) as monitor:
        clock.sleep(5.0)
        assert monitor.has_node_answers
        assert monitor.decide(5.0).verdict is PASS, "the pool as a whole has no gate"
        assert monitor.decide_node("n", good_since=0.0, soaked_at=None).verdict is FAIL
        assert monitor.decide_node("n", good_since=5.0, soaked_at=None).verdict is WAIT
        clock.sleep(6.0)
        assert monitor.decide_node("n", good_since=5.0, soaked_at=11.0).verdict is WAIT
        clock.sleep(0.001)
        assert monitor.decide_node("n", good_since=5.0, soaked_at=11.0).verdict is PASS
        assert monitor.decide_node("other", good_since=5.0, soaked_at=11.0).verdict is WAIT
        clock.sleep(60.0)
        assert monitor.decide_node("other", good_since=5.0, soaked_at=11.0).verdict is UNKNOWN


def test_an_unexpected_error_makes_the_verdict_unknown(clock: VirtualClock) -> None:
    def ask(_gate: ServerGate) -> Any:
        raise KeyError("surprise\x1b")

    with GateMonitor(questions(make_gates("a"), ask), clock, lambda: None) as monitor:
        clock.sleep(61.0)
        decision = monitor.decide(61.0)
        assert decision.verdict is UNKNOWN
        assert decision.reason.startswith("gate a does not know: KeyError: 'surprise")
        assert decision.reason.isprintable()


def test_without_gates_everything_passes_and_nothing_is_started(clock: VirtualClock) -> None:
    with GateMonitor((), clock, lambda: None) as monitor:
        assert monitor.decide_start().verdict is PASS
        assert monitor.decide(0.0).verdict is PASS
        assert monitor.decide_node("n", good_since=0.0, soaked_at=0.0).verdict is PASS
        assert monitor.answers() == ()
