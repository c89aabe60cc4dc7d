# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate as a table: pass, fail, wait, don't know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._gate import (
    Attempt,
    Verdict,
    evaluate,
)
from support.rollouts.views import a_source, a_view

TASK = Attempt("uid-of-n", a_source(), 7, assigned_at=1000.0, was_ready=True, timeout=300.0, soak=120.0)
EARLY, LATE = 1010.0, 1300.0
SOAKING = replace(TASK, good_since=1005.0)
LOST = replace(TASK, unknown_since=1020.0)
WAS_DOWN = replace(TASK, was_ready=False)


def told(**changes: Any) -> Any:
    """Return a node that was assigned and has not answered."""
    return a_view("n", **{"source": a_source(), "given": 7, "answered": 6, "active": None, **changes})


GOOD = {"answered": 7, "active": a_source()}
FALSE = {"answered": 7, "config_ok": "False", "message": "using last-known-good (init)", "reason": "it crashed"}
ADOPTING = {"answered": 7, "config_ok": "Unknown", "cause": "Adopting"}


@pytest.mark.parametrize(
    ("task", "view", "now", "verdict", "reason"),
    [
        (TASK, told(), EARLY, Verdict.WAIT, "no answer yet"),
        (TASK, told(**ADOPTING), EARLY, Verdict.WAIT, ""),
        (TASK, told(**GOOD), EARLY, Verdict.WAIT, "soaking"),
        (SOAKING, told(**GOOD), 1124.9, Verdict.WAIT, "soaking"),
        (SOAKING, told(**GOOD), 1125.0, Verdict.PASS, ""),
        (replace(SOAKING, soak=2000.0), told(**GOOD), LATE, Verdict.WAIT, "soaking"),
        (replace(TASK, soak=0.0), told(**GOOD), EARLY, Verdict.PASS, ""),
        # fail
        (TASK, told(**FALSE), EARLY, Verdict.FAIL, "using last-known-good (init): it crashed"),
        (SOAKING, told(**FALSE), EARLY, Verdict.FAIL, "it crashed"),
        (SOAKING, told(**GOOD, ready=False), EARLY, Verdict.FAIL, "NotReady during the soak"),
        (TASK, told(ready=False), EARLY, Verdict.WAIT, ""),
        (TASK, told(ready=False), LATE, Verdict.FAIL, "NotReady began after the assignment"),
        (TASK, told(**GOOD, ready=False), LATE, Verdict.FAIL, "NotReady began after the assignment"),
        (TASK, told(**ADOPTING), LATE, Verdict.FAIL, "was not done within 300s"),
        # don't know
        (TASK, told(ready=None), LATE, Verdict.UNKNOWN, "Ready condition is Unknown, and not True within 300s"),
        (SOAKING, told(**GOOD, ready=None), EARLY, Verdict.WAIT, ""),
        (SOAKING, told(**GOOD, ready=None), LATE, Verdict.WAIT, ""),
        (LOST, told(**GOOD, ready=None), 1319.9, Verdict.WAIT, ""),
        (LOST, told(**GOOD, ready=None), 1320.0, Verdict.UNKNOWN, "Ready condition is Unknown"),
        (LOST, told(**FALSE, ready=None), EARLY, Verdict.FAIL, "it crashed"),
        (TASK, told(agent=False), LATE, Verdict.UNKNOWN, "no agent answered"),
        (
            TASK,
            told(agent=False, status_error="no JSON"),
            LATE,
            Verdict.UNKNOWN,
            "cannot be read: no JSON",
        ),
        (TASK, told(), LATE, Verdict.UNKNOWN, "the agent did not answer within 300s"),
        (WAS_DOWN, told(ready=False), LATE, Verdict.UNKNOWN, "not Ready before the assignment"),
        (WAS_DOWN, told(**GOOD, ready=False), LATE, Verdict.UNKNOWN, "not Ready before the assignment"),
        (WAS_DOWN, told(**GOOD), LATE, Verdict.WAIT, "soaking"),
        (
            TASK,
            told(answered=7, config_ok="Unknown", cause="FetchFailed", reason="no permission"),
            LATE,
            Verdict.UNKNOWN,
            "",
        ),
        (TASK, told(answered=7, active=None), LATE, Verdict.UNKNOWN, "not good within 300s"),
        (
            SOAKING,
            told(answered=7, config_ok="Unknown", cause="UnitStopped", reason="stopped"),
            LATE,
            Verdict.UNKNOWN,
            "stopped",
        ),
        (TASK, told(source=a_source(2)), EARLY, Verdict.UNKNOWN, "somebody else has assigned"),
        (TASK, told(given=8), EARLY, Verdict.UNKNOWN, "somebody else has assigned"),
        (TASK, told(source=None), EARLY, Verdict.UNKNOWN, "somebody else has assigned"),
        # a False that answers another assignment says nothing about this one
        (TASK, told(config_ok="False"), EARLY, Verdict.WAIT, "no answer yet"),
        # gone
        (TASK, None, EARLY, Verdict.GONE, "deleted"),
        (TASK, told(uid="another"), EARLY, Verdict.GONE, "deleted"),
        (TASK, told(deleting=True), EARLY, Verdict.GONE, "deleted"),
    ],
)
def test_gate(task: Attempt, view: Any, now: float, verdict: Verdict, reason: str) -> None:
    answer = evaluate(view, task, now)
    assert (answer.verdict, reason in answer.reason) == (verdict, True), answer


def test_a_soak_that_broke_off_begins_anew() -> None:
    broken = evaluate(told(answered=7, config_ok="Unknown", cause="Other"), SOAKING, EARLY)
    assert (broken.verdict, broken.good_since) == (Verdict.WAIT, None)
    again = evaluate(told(**GOOD), replace(SOAKING, good_since=broken.good_since), 1020.0)
    assert again.good_since == 1020.0


def test_what_is_good_is_good_since_it_was_first_seen_so() -> None:
    first = evaluate(told(**GOOD), TASK, 1020.0)
    assert evaluate(told(**GOOD), replace(TASK, good_since=first.good_since), 1030.0).good_since == 1020.0


def test_a_node_that_turns_unknown_during_the_soak_has_its_time_again_once() -> None:
    lost = SOAKING.with_result(evaluate(told(**GOOD, ready=None), SOAKING, 1400.0))
    assert (lost.good_since, lost.unknown_since, lost.deadline) == (None, 1400.0, 1700.0)
    back = lost.with_result(evaluate(told(**GOOD), lost, 1410.0))
    assert back.good_since == 1410.0, "the soak begins anew"
    assert evaluate(told(**GOOD, ready=None), back, 1420.0).verdict == Verdict.WAIT
    assert evaluate(told(**GOOD, ready=None), back, 1701.0).verdict == Verdict.UNKNOWN, (
        "it does not go on like this for ever"
    )


@pytest.mark.parametrize(
    ("task", "last", "verdict", "reason"),
    [
        (TASK, told(), Verdict.GONE, "the Node was deleted"),
        (TASK, told(ready=False, ready_reason="PLEG"), Verdict.UNKNOWN, "deleted when it was not Ready: PLEG"),
        (TASK, told(ready=None), Verdict.UNKNOWN, "deleted when it was not Ready"),
        (WAS_DOWN, told(ready=False), Verdict.GONE, "the Node was deleted"),
        (TASK, told(**FALSE, ready=False), Verdict.FAIL, "it crashed (then the Node was deleted)"),
    ],
)
def test_a_node_that_vanished_is_judged_by_what_was_last_known_of_it(
    task: Attempt, last: Any, verdict: Verdict, reason: str
) -> None:
    answer = evaluate(None, task, EARLY, last_seen=last)
    assert (answer.verdict, reason in answer.reason) == (verdict, True), answer
    deleting = evaluate(replace(last, deleting=True), task, EARLY)
    assert deleting.verdict == verdict
