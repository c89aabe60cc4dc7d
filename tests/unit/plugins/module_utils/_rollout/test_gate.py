# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate as a table: pass, fail, wait, don't know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._gate import (
    Attempt,
    Verdict,
    evaluate,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import Goal, MachineGoal
from support.rollouts.views import a_source, a_view

ATTEMPT = Attempt("uid-of-n", Goal(a_source()), 7, assigned_at=1000.0, was_ready=True, timeout=300.0, soak=120.0)
EARLY, LATE = 1010.0, 1300.0
SOAKING = replace(ATTEMPT, good_since=1005.0)
LOST = replace(ATTEMPT, unknown_since=1020.0)
LEAVING = (("karpenter.sh/disrupted", "", "NoSchedule"),)
WAS_DOWN = replace(ATTEMPT, was_ready=False)


def node_view_with(**changes: Any) -> Any:
    """Return a node that was assigned and has not answered."""
    return a_view("n", **{"source": a_source(), "assigned_id": 7, "answered_id": 6, "active": None, **changes})


GOOD = {"answered_id": 7, "active": a_source()}
CONFIRMED = {**GOOD, "confirmed": 7}
FALSE = {"answered_id": 7, "config_ok": "False", "message": "using last-known-good (init)", "reason": "it crashed"}
ADOPTING = {"answered_id": 7, "config_ok": "Unknown", "cause": "Adopting"}
SUSPECT = {**FALSE, "cause": "Suspect", "reason": "both fail"}
DOUBTED = {**SUSPECT, "config_ok": "Unknown"}
NO_RUNTIME = {**DOUBTED, "cause": "HostNotReady", "reason": "waits for this host"}


@pytest.mark.complaint("openshift-ansible PR #9983: the playbook could not know when the asynchronous agent was done")
@pytest.mark.parametrize(
    ("attempt", "view", "now", "verdict", "reason"),
    [
        (ATTEMPT, node_view_with(), EARLY, Verdict.WAIT, "no answer yet"),
        (ATTEMPT, node_view_with(**ADOPTING), EARLY, Verdict.WAIT, ""),
        (ATTEMPT, node_view_with(**GOOD), EARLY, Verdict.WAIT, "soaking"),
        (SOAKING, node_view_with(**GOOD), 1124.9, Verdict.WAIT, "soaking"),
        (SOAKING, node_view_with(**CONFIRMED), 1124.9, Verdict.WAIT, "soaking"),
        (SOAKING, node_view_with(**CONFIRMED), 1125.0, Verdict.PASS, ""),
        (SOAKING, node_view_with(**GOOD), 1125.0, Verdict.WAIT, "its agent has yet to confirm this"),
        (SOAKING, node_view_with(**GOOD, confirmed=6), 1125.0, Verdict.WAIT, "its agent has yet to confirm this"),
        (SOAKING, node_view_with(**GOOD), 1166.9, Verdict.WAIT, "its agent has yet to confirm this"),
        (SOAKING, node_view_with(**CONFIRMED), 1167.0, Verdict.PASS, ""),
        (SOAKING, node_view_with(**GOOD), 1167.0, Verdict.UNKNOWN, "has not confirmed this within 42s of the soak"),
        (replace(SOAKING, soak=2000.0), node_view_with(**GOOD), LATE, Verdict.WAIT, "soaking"),
        (replace(ATTEMPT, soak=0.0), node_view_with(**CONFIRMED), EARLY, Verdict.PASS, ""),
        (replace(ATTEMPT, soak=0.0), node_view_with(**GOOD), EARLY, Verdict.WAIT, "its agent has yet to confirm"),
        # fail
        (ATTEMPT, node_view_with(**FALSE), EARLY, Verdict.FAIL, "using last-known-good (init): it crashed"),
        (SOAKING, node_view_with(**FALSE), EARLY, Verdict.FAIL, "it crashed"),
        (SOAKING, node_view_with(**FALSE, confirmed=7), LATE, Verdict.FAIL, "it crashed"),
        (SOAKING, node_view_with(**GOOD, ready=False), EARLY, Verdict.FAIL, "NotReady during the soak"),
        (ATTEMPT, node_view_with(ready=False), EARLY, Verdict.WAIT, ""),
        (ATTEMPT, node_view_with(ready=False), LATE, Verdict.FAIL, "NotReady began after the assignment"),
        (ATTEMPT, node_view_with(**GOOD, ready=False), LATE, Verdict.FAIL, "NotReady began after the assignment"),
        (ATTEMPT, node_view_with(**ADOPTING), LATE, Verdict.FAIL, "was not done within 300s"),
        # don't know
        (
            ATTEMPT,
            node_view_with(ready=None),
            LATE,
            Verdict.UNKNOWN,
            "Ready condition is Unknown, and not True within 300s",
        ),
        (SOAKING, node_view_with(**GOOD, ready=None), EARLY, Verdict.WAIT, ""),
        (SOAKING, node_view_with(**GOOD, ready=None), LATE, Verdict.WAIT, ""),
        (LOST, node_view_with(**GOOD, ready=None), 1319.9, Verdict.WAIT, ""),
        (LOST, node_view_with(**GOOD, ready=None), 1320.0, Verdict.UNKNOWN, "Ready condition is Unknown"),
        (LOST, node_view_with(**FALSE, ready=None), EARLY, Verdict.FAIL, "it crashed"),
        (ATTEMPT, node_view_with(agent=False), LATE, Verdict.UNKNOWN, "no agent answered"),
        (
            ATTEMPT,
            node_view_with(agent=False, status_error="no JSON"),
            LATE,
            Verdict.UNKNOWN,
            "cannot be read: no JSON",
        ),
        (ATTEMPT, node_view_with(), LATE, Verdict.UNKNOWN, "the agent did not answer within 300s"),
        (WAS_DOWN, node_view_with(ready=False), LATE, Verdict.UNKNOWN, "not Ready before the assignment"),
        (WAS_DOWN, node_view_with(**GOOD, ready=False), LATE, Verdict.UNKNOWN, "not Ready before the assignment"),
        (WAS_DOWN, node_view_with(**GOOD), LATE, Verdict.WAIT, "soaking"),
        (
            ATTEMPT,
            node_view_with(answered_id=7, config_ok="Unknown", cause="FetchFailed", reason="no permission"),
            LATE,
            Verdict.UNKNOWN,
            "",
        ),
        (ATTEMPT, node_view_with(answered_id=7, active=None), LATE, Verdict.UNKNOWN, "not good within 300s"),
        (
            SOAKING,
            node_view_with(answered_id=7, config_ok="Unknown", cause="UnitStopped", reason="stopped"),
            LATE,
            Verdict.UNKNOWN,
            "stopped",
        ),
        # the node itself doubts that the config is at fault
        (ATTEMPT, node_view_with(**SUSPECT), EARLY, Verdict.WAIT, "both fail"),
        (ATTEMPT, node_view_with(**SUSPECT), LATE, Verdict.UNKNOWN, "both fail"),
        (ATTEMPT, node_view_with(**SUSPECT, ready=False), LATE, Verdict.UNKNOWN, "both fail"),
        (ATTEMPT, node_view_with(**DOUBTED), LATE, Verdict.UNKNOWN, "both fail"),
        (ATTEMPT, node_view_with(**NO_RUNTIME, ready=False), EARLY, Verdict.WAIT, "waits for this host"),
        (ATTEMPT, node_view_with(**NO_RUNTIME, ready=False), LATE, Verdict.UNKNOWN, "waits for this host"),
        (SOAKING, node_view_with(**SUSPECT, ready=False), EARLY, Verdict.WAIT, "both fail"),
        (ATTEMPT, node_view_with(**SUSPECT, deleting=True), EARLY, Verdict.UNKNOWN, "then the Node was deleted"),
        (ATTEMPT, node_view_with(source=a_source(2)), EARLY, Verdict.UNKNOWN, "another client has assigned"),
        (ATTEMPT, node_view_with(assigned_id=8), EARLY, Verdict.UNKNOWN, "another client has assigned"),
        (ATTEMPT, node_view_with(source=None), EARLY, Verdict.UNKNOWN, "another client has assigned"),
        # a False that answers another assignment says nothing about this one
        (ATTEMPT, node_view_with(config_ok="False"), EARLY, Verdict.WAIT, "no answer yet"),
        # gone
        (ATTEMPT, None, EARLY, Verdict.GONE, "deleted"),
        (ATTEMPT, node_view_with(uid="another"), EARLY, Verdict.GONE, "deleted"),
        (ATTEMPT, node_view_with(deleting=True), EARLY, Verdict.GONE, "deleted"),
        # an autoscaler is removing it
        (ATTEMPT, node_view_with(taints=LEAVING), EARLY, Verdict.GONE, "it is on its way out"),
        (
            SOAKING,
            node_view_with(**GOOD, taints=LEAVING),
            EARLY,
            Verdict.GONE,
            "tainted it with karpenter.sh/disrupted",
        ),
        (ATTEMPT, node_view_with(**FALSE, taints=LEAVING), EARLY, Verdict.FAIL, "it crashed"),
        (ATTEMPT, node_view_with(ready=False, taints=LEAVING), EARLY, Verdict.UNKNOWN, "when it was not Ready"),
    ],
)
def test_the_gate_evaluates_an_attempt_by_what_its_node_reports(
    attempt: Attempt, view: Any, now: float, verdict: Verdict, reason: str
) -> None:
    result = evaluate(view, attempt, now)
    assert (result.verdict, reason in result.reason) == (verdict, True), result


def test_a_node_that_waits_for_its_agent_is_evaluated_again_when_that_is_over() -> None:
    waiting = SOAKING.with_result(evaluate(node_view_with(**GOOD), SOAKING, 1125.0))
    assert waiting.next_check_at == 1167.0
    assert evaluate(node_view_with(**CONFIRMED), waiting, 1130.0).verdict == Verdict.PASS
    assert evaluate(node_view_with(**GOOD), waiting.delayed_by(100.0), 1200.0).verdict == Verdict.WAIT


def test_an_interrupted_soak_starts_again() -> None:
    broken = evaluate(node_view_with(answered_id=7, config_ok="Unknown", cause="Other"), SOAKING, EARLY)
    assert (broken.verdict, broken.good_since) == (Verdict.WAIT, None)
    again = evaluate(node_view_with(**GOOD), replace(SOAKING, good_since=broken.good_since), 1020.0)
    assert again.good_since == 1020.0


def test_what_is_good_is_good_since_it_was_first_seen_so() -> None:
    first = evaluate(node_view_with(**GOOD), ATTEMPT, 1020.0)
    assert evaluate(node_view_with(**GOOD), replace(ATTEMPT, good_since=first.good_since), 1030.0).good_since == 1020.0


def test_a_node_that_turns_unknown_during_the_soak_has_its_time_again_once() -> None:
    lost = SOAKING.with_result(evaluate(node_view_with(**GOOD, ready=None), SOAKING, 1400.0))
    assert (lost.good_since, lost.unknown_since, lost.deadline) == (None, 1400.0, 1700.0)
    back = lost.with_result(evaluate(node_view_with(**GOOD), lost, 1410.0))
    assert back.good_since == 1410.0, "the soak begins anew"
    assert evaluate(node_view_with(**GOOD, ready=None), back, 1420.0).verdict == Verdict.WAIT
    assert evaluate(node_view_with(**GOOD, ready=None), back, 1701.0).verdict == Verdict.UNKNOWN, (
        "it does not go on like this for ever"
    )


@pytest.mark.parametrize(
    ("attempt", "last", "verdict", "reason"),
    [
        (ATTEMPT, node_view_with(), Verdict.GONE, "the Node was deleted"),
        (
            ATTEMPT,
            node_view_with(ready=False, ready_reason="PLEG"),
            Verdict.UNKNOWN,
            "deleted when it was not Ready: PLEG",
        ),
        (ATTEMPT, node_view_with(ready=None), Verdict.UNKNOWN, "deleted when it was not Ready"),
        (WAS_DOWN, node_view_with(ready=False), Verdict.GONE, "the Node was deleted"),
        (ATTEMPT, node_view_with(**FALSE, ready=False), Verdict.FAIL, "it crashed (then the Node was deleted)"),
    ],
)
def test_a_node_that_vanished_is_judged_by_what_was_last_known_of_it(
    attempt: Attempt, last: Any, verdict: Verdict, reason: str
) -> None:
    result = evaluate(None, attempt, EARLY, last_seen=last)
    assert (result.verdict, reason in result.reason) == (verdict, True), result
    deleting = evaluate(replace(last, deleting=True), attempt, EARLY)
    assert deleting.verdict == verdict


CHANGED = replace(ATTEMPT, goal=MachineGoal(a_source(), kubelet_version="1.35.1"), has_changed_host=True)


@pytest.mark.parametrize(
    ("view", "now", "verdict", "words"),
    [
        ({"kubelet_version": "v1.35.1"}, EARLY, Verdict.WAIT, "soaking"),
        ({"kubelet_version": "v1.35.0"}, EARLY, Verdict.WAIT, "it reports kubelet 1.35.0, not 1.35.1"),
        ({"kubelet_version": "v1.35.0"}, LATE, Verdict.FAIL, "it reports kubelet 1.35.0, not 1.35.1 (within 300s"),
        ({"kubelet_version": "v1.35.1", "ready": False}, LATE, Verdict.FAIL, "it is not Ready: "),
        ({"kubelet_version": "v1.35.1", "ready": None}, LATE, Verdict.FAIL, "it is not Ready: "),
        ({"kubelet_version": "v1.35.1", "answered_id": 6}, LATE, Verdict.UNKNOWN, "the agent did not answer"),
    ],
)
def test_a_machine_passes_at_its_version_only(view: dict[str, Any], now: float, verdict: Verdict, words: str) -> None:
    seen = a_view("n", **{"source": a_source(), "assigned_id": 7, **view})
    result = evaluate(seen, CHANGED, now)
    assert (result.verdict, result.reason[: len(words)]) == (verdict, words)


def test_a_removed_label_makes_the_verdict_unknown() -> None:
    attempt = replace(ATTEMPT, goal=MachineGoal(a_source(), labels={"disk": "ssd"}))
    result = evaluate(a_view("n", source=a_source(), assigned_id=7), attempt, LATE)
    assert (result.verdict, result.reason) == (
        Verdict.UNKNOWN,
        "it does not have the label disk=ssd (within 300s)",
    )
