# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What gates decide together: one no is a no, and don't know never passes."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout._gates._decisions import (
    GateHistory,
    decide_node,
    decide_pool,
    first_decisive,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import (
    GateAnswer,
    GateDecision,
    GateVerdict,
    ServerAnswer,
)

PASS, FAIL, UNKNOWN, WAIT = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.UNKNOWN, GateVerdict.WAIT
TIMEOUT = 60.0


class Asked(NamedTuple):
    """A question of a history: when it was sent, and the answer."""

    at: float
    verdict: GateVerdict


def history(*questions: Asked, by_node: bool = False, name: str = "g", hold: float = 0.0) -> GateHistory:
    """Return a history that began at 0; the answers are for the node n if by_node."""
    made = GateHistory(name, TIMEOUT, 0.0, by_node, hold)
    for at, verdict in questions:
        answer = GateAnswer(name, verdict, "" if verdict is PASS else f"{name} at {at:g}")
        made = made.with_answer(
            ServerAnswer(GateAnswer(name, PASS), {"n": answer}) if by_node else ServerAnswer(answer), at
        )
    return made


@pytest.mark.parametrize(
    ("questions", "since", "now", "expected"),
    [
        ([], None, 10.0, GateDecision(WAIT, "waiting for gate g")),
        ([], 5.0, 10.0, GateDecision(WAIT, "waiting for gate g")),
        ([], None, 61.0, GateDecision(UNKNOWN, "gate g does not know: there is no answer (for 61s)")),
        ([Asked(1, UNKNOWN)], None, 61.0, GateDecision(UNKNOWN, "g at 1 (for 61s)")),
        ([Asked(1, UNKNOWN)], None, 60.0, GateDecision(WAIT, "waiting for gate g")),
        ([Asked(1, PASS)], None, 10.0, GateDecision(WAIT, "waiting for gate g")),
        ([Asked(1, PASS)], 1.5, 10.0, GateDecision(WAIT, "waiting for gate g")),
        ([Asked(1, PASS)], 1.0, 10.0, GateDecision(PASS)),
        ([Asked(1, PASS), Asked(5, UNKNOWN)], 1.0, 10.0, GateDecision(WAIT, "waiting for gate g")),
        ([Asked(1, PASS), Asked(5, UNKNOWN), Asked(7, PASS)], 1.0, 10.0, GateDecision(PASS)),
        ([Asked(1, PASS), Asked(5, UNKNOWN)], 4.0, 10.0, GateDecision(WAIT, "waiting for gate g")),
        ([Asked(1, PASS), Asked(5, UNKNOWN)], 4.0, 62.0, GateDecision(UNKNOWN, "g at 5 (for 61s)")),
        ([Asked(1, PASS)], 1.0, 62.0, GateDecision(UNKNOWN, "gate g does not know: there is no answer (for 61s)")),
        ([Asked(1, PASS)], None, 62.0, GateDecision(UNKNOWN, "gate g does not know: there is no answer (for 61s)")),
        ([Asked(1, FAIL)], None, 10.0, GateDecision(FAIL, "g at 1")),
        ([Asked(1, FAIL), Asked(5, UNKNOWN)], None, 10.0, GateDecision(FAIL, "g at 1")),
        ([Asked(1, FAIL), Asked(5, PASS)], None, 10.0, GateDecision(WAIT, "waiting for gate g")),
        ([Asked(1, PASS), Asked(5, FAIL)], 1.0, 10.0, GateDecision(FAIL, "g at 5")),
    ],
)
def test_the_history_of_a_gate_decides(
    questions: list[Asked], since: float | None, now: float, expected: GateDecision
) -> None:
    assert decide_pool([history(*questions)], since, now) == expected


STEADY = [Asked(float(at), PASS) for at in range(0, 60, 10)]
INTERRUPTED = [*STEADY[:3], Asked(25.0, UNKNOWN), *STEADY[3:]]


@pytest.mark.parametrize(
    ("questions", "since", "now", "expected"),
    [
        (STEADY, 0.0, 50.0, GateDecision(PASS)),
        (STEADY[:3], 0.0, 50.0, GateDecision(WAIT, "waiting for gate g")),
        (STEADY, 25.0, 50.0, GateDecision(WAIT, "waiting for gate g")),
        (STEADY, 20.0, 50.0, GateDecision(PASS)),
        (INTERRUPTED, 0.0, 50.0, GateDecision(WAIT, "waiting for gate g")),
        ([*INTERRUPTED, Asked(60.0, PASS)], 0.0, 60.0, GateDecision(PASS)),
        ([Asked(85.0, UNKNOWN), Asked(90.0, PASS)], 0.0, 90.0, GateDecision(WAIT, "waiting for gate g")),
        (
            [Asked(85.0, UNKNOWN), Asked(90.0, PASS)],
            0.0,
            91.0,
            GateDecision(UNKNOWN, "gate g does not know: there is no yes that lasts 30s (for 91s)"),
        ),
        ([Asked(80.0, PASS), Asked(90.0, UNKNOWN)], 0.0, 91.0, GateDecision(UNKNOWN, "g at 90 (for 91s)")),
        ([Asked(90.0, FAIL)], 0.0, 91.0, GateDecision(FAIL, "g at 90")),
        ([Asked(90.0, UNKNOWN)], None, 1000.0, GateDecision(WAIT, "waiting for gate g")),
        ([Asked(90.0, UNKNOWN)], 980.0, 1000.0, GateDecision(WAIT, "waiting for gate g")),
        ([*STEADY, Asked(140.0, UNKNOWN)], 0.0, 140.0, GateDecision(WAIT, "waiting for gate g")),
        ([*STEADY, Asked(140.0, UNKNOWN)], 0.0, 141.0, GateDecision(UNKNOWN, "g at 140 (for 91s)")),
    ],
)
def test_a_gate_may_have_to_say_yes_for_some_time(
    questions: list[Asked], since: float | None, now: float, expected: GateDecision
) -> None:
    assert decide_pool([history(*questions, hold=30.0)], since, now) == expected


@pytest.mark.parametrize(
    ("questions", "good_since", "since", "now", "verdict", "reason"),
    [
        ([Asked(1, FAIL)], 2.0, None, 10.0, WAIT, "waiting for gate g"),
        ([Asked(1, PASS)], 2.0, 2.0, 10.0, WAIT, "waiting for gate g"),
        ([Asked(3, FAIL)], 2.0, None, 10.0, FAIL, "g at 3"),
        ([Asked(3, PASS)], 2.0, 3.0, 10.0, PASS, ""),
        ([Asked(3, PASS)], 2.0, 4.0, 10.0, WAIT, "waiting for gate g"),
        ([Asked(3, UNKNOWN)], 2.0, 3.0, 10.0, WAIT, "waiting for gate g"),
        ([Asked(3, UNKNOWN)], 2.0, 3.0, 63.0, UNKNOWN, "g at 3 (for 61s)"),
        ([], 2.0, 3.0, 63.0, UNKNOWN, "gate g does not know: there is no answer (for 61s)"),
    ],
)
def test_a_gate_that_answers_for_each_node_decides_each_node(
    questions: list[Asked], good_since: float, since: float | None, now: float, verdict: GateVerdict, reason: str
) -> None:
    histories = [history(*questions, by_node=True)]
    assert decide_node(histories, "n", good_since, since, now) == GateDecision(verdict, reason)
    assert decide_pool(histories, since, now) == GateDecision(PASS), "the pool as a whole has no such gate"
    other = decide_node(histories, "other", good_since, since, now)
    assert other.verdict in (WAIT, UNKNOWN), "a node without a sample never passes"


def test_why_a_node_has_no_answer() -> None:
    asked = history(Asked(3, PASS), by_node=True)
    decision = decide_node([asked], "other", 0.0, 3.0, 61.0)
    assert decision == GateDecision(UNKNOWN, "gate g does not know: there is no data for this node (for 61s)")
    down = asked.with_answer(ServerAnswer(GateAnswer("g", UNKNOWN, "the server is down")), 5.0)
    assert decide_node([down], "n", 0.0, 5.0, 64.0) == GateDecision(UNKNOWN, "the server is down (for 61s)")


def test_the_worst_of_several_gates_decides() -> None:
    gates = [history(Asked(1, verdict), name=verdict.value) for verdict in (UNKNOWN, PASS, FAIL)]
    assert decide_pool(gates, 1.0, 100.0) == GateDecision(FAIL, "fail at 1")
    assert decide_pool(gates[:2], 1.0, 100.0) == GateDecision(UNKNOWN, "unknown at 1 (for 100s)")
    assert decide_pool(gates[:2], 1.0, 10.0) == GateDecision(WAIT, "waiting for gate unknown")
    assert decide_pool(gates[1:2], 1.0, 10.0) == GateDecision(PASS)
    assert decide_pool([], None, 10.0) == first_decisive([]) == GateDecision(PASS)


QUESTIONS = st.lists(
    st.builds(Asked, st.integers(0, 20).map(float), st.sampled_from([PASS, FAIL, UNKNOWN])), max_size=8
).map(lambda questions: sorted(questions, key=lambda asked: asked.at))


@pytest.mark.complaint('argo-rollouts #1905: "no data" counted as success, or aborted')
@given(st.lists(QUESTIONS, min_size=1, max_size=3), st.integers(0, 25) | st.none(), st.integers(20, 200), st.booleans())
def test_dont_know_never_passes(gates: list[list[Asked]], since: float | None, now: float, by_node: bool) -> None:
    """A pass needs a yes as the newest answer of each gate, late enough and not too old."""
    histories = [history(*questions, by_node=by_node, name=str(place)) for place, questions in enumerate(gates)]
    if by_node:
        decision = decide_node(histories, "n", 0.0, since, float(now))
    else:
        decision = decide_pool(histories, since, float(now))
    definite = [[asked for asked in questions if asked.verdict is not UNKNOWN] for questions in gates]
    says_no = any(answers and answers[-1].verdict is FAIL for answers in definite)
    silent = any(now - (answers[-1].at if answers else 0.0) > TIMEOUT for answers in definite)
    all_passed = since is not None and all(
        questions and questions[-1].verdict is PASS and questions[-1].at >= since for questions in gates
    )
    assert (decision.verdict is FAIL) == says_no
    assert (decision.verdict is PASS) == (all_passed and not silent)
    assert (decision.verdict is UNKNOWN) == (silent and not says_no), "a gate without an answer ends the waiting"
    if decision.verdict is not PASS:
        assert decision.reason


@given(QUESTIONS)
def test_only_unknown_for_a_timeout_ends_as_unknown(questions: list[Asked]) -> None:
    unsure = [asked._replace(verdict=UNKNOWN) for asked in questions]
    for since in (None, 0.0, 20.0):
        assert decide_pool([history(*unsure)], since, TIMEOUT).verdict is WAIT
        assert decide_pool([history(*unsure)], since, TIMEOUT + 1).verdict is UNKNOWN
