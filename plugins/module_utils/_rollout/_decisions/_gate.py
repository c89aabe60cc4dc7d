# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate the attempt of one node: pass, fail, wait, unknown or gone. Pure.

No compatibility is promised. docs/rollout.md has the table. A node without a verdict never passes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from ..._nodeconfig.config_status import Cause
from .._gates._decisions import first_decisive
from .._gates.answers import GateDecision, GateVerdict
from .._nodes.node_goals import unmet, unmet_versions
from .._nodes.node_view import NodeView
from ..goals import Goal

DELETED = "the Node was deleted"
LEFT_POOL = "the Node has left the pool"

_CONFIRMATION_WAIT = 30.0  # seconds after the soak, and a tenth of the soak, that the agent has to confirm
_GATE_RECHECK = 1.0  # seconds until a node that waits for a gate is evaluated again


class Verdict(Enum):
    """What the gate says of a node."""

    PASS = "pass"
    FAIL = "fail"
    WAIT = "wait"
    UNKNOWN = "unknown"
    GONE = "gone"


@dataclass(frozen=True)
class Attempt:
    """The attempt to move one node: what it is to reach, and how much time it has.

    assignment: the id, which the node's status must repeat. assigned_at: in seconds of this machine's clock, like now
    of evaluate. was_ready: whether the Node was Ready when it was assigned. good_since: when it was first seen good
    without a break. unknown_since: when its Ready condition first became Unknown during the soak. recheck_at: when to
    evaluate it again because it waits for a gate or for its agent's confirmation. has_changed_host: whether the
    provider has changed the host for it: a node that does not return has failed then.
    """

    node_uid: str
    goal: Goal
    assignment: int
    assigned_at: float
    was_ready: bool
    timeout: float
    soak: float
    good_since: float | None = None
    unknown_since: float | None = None
    recheck_at: float | None = None
    has_changed_host: bool = False

    @property
    def deadline(self) -> float:
        """Return when the node's time is up; one that became unknown during the soak gets its time once more."""
        return (self.assigned_at if self.unknown_since is None else self.unknown_since) + self.timeout

    @property
    def confirmation_wait(self) -> float:
        """Return how many seconds after the soak the agent has to confirm the assignment."""
        return _CONFIRMATION_WAIT + self.soak / 10

    @property
    def next_check_at(self) -> float:
        """Return when the node must be evaluated although nothing has changed."""
        due = self.deadline if self.good_since is None else self.good_since + self.soak
        return due if self.recheck_at is None else max(due, self.recheck_at)

    def with_result(self, result: GateResult) -> Attempt:
        """Return the attempt with the times that the gate has noticed."""
        unknown_since = result.unknown_since if self.unknown_since is None else self.unknown_since
        return replace(self, good_since=result.good_since, unknown_since=unknown_since, recheck_at=result.recheck_at)

    def delayed_by(self, seconds: float) -> Attempt:
        """Return the attempt with additional time, for a while in which the node could not be observed."""
        return replace(
            self,
            assigned_at=self.assigned_at + seconds,
            good_since=None if self.good_since is None else self.good_since + seconds,
            unknown_since=None if self.unknown_since is None else self.unknown_since + seconds,
            recheck_at=None,
        )


@dataclass(frozen=True)
class GateResult:
    """The gate's verdict on a node, and the times that its attempt must remember (Attempt.with_result).

    good_since is set while the node is up and soaks; recheck_at, while it waits for a gate that asks a server, or for
    its agent's confirmation.
    """

    verdict: Verdict
    reason: str = ""
    good_since: float | None = None
    unknown_since: float | None = None
    recheck_at: float | None = None


class AskGates(Protocol):
    """Asks the gates of the policy that answer for each Node.

    good_since: when the node was first seen good. soaked_at: when its soak ended, None before that.
    """

    def __call__(self, node: str, *, good_since: float, soaked_at: float | None) -> GateDecision:
        """Return what the gates say together."""


def evaluate(
    view: NodeView | None,
    attempt: Attempt,
    now: float,
    *,
    last_seen: NodeView | None = None,
    has_left: bool = False,
    ask_gates: AskGates | None = None,
) -> GateResult:
    """Evaluate a node by its present view, None for a Node that does not exist.

    last_seen: the last view of a Node that vanished. A repair tool deletes nodes that are not Ready, and these must not
    look like nodes that were taken out of service. has_left: the Node exists as last_seen, and is no longer in the
    pool. ask_gates: asks servers about the node, None without such gates.
    """
    if view is None or view.uid != attempt.node_uid or view.deleting:
        final_view = view if view is not None and view.uid == attempt.node_uid else last_seen
        return _evaluate_lost(final_view, attempt, LEFT_POOL if has_left else DELETED)
    if view.leaving:
        return _evaluate_lost(view, attempt, view.leaving)
    if view.assigned.error or view.assigned.source != attempt.goal.source or view.assigned.id != attempt.assignment:
        reason = f"another client has assigned it something (assignment {view.assigned.id})"
        return GateResult(Verdict.UNKNOWN, reason)
    has_answered = view.answer.status is not None and view.answered_id == attempt.assignment
    if has_answered and (view.is_in_doubt or view.waits_for_host):
        # Whatever ails the host, such as a runtime that is down, may make the Node NotReady too: the node tries the
        # config again when that is over.
        return GateResult(Verdict.WAIT if now < attempt.deadline else Verdict.UNKNOWN, view.report)
    if has_answered and view.answer.config_ok == "False":
        return GateResult(Verdict.FAIL, view.report)
    uses_target = has_answered and view.answer.config_ok == "True" and view.active == attempt.goal.source
    gates = _decide_by_node(view)
    missing = unmet(view, attempt.goal)
    if uses_target and not missing and view.ready is True and gates.verdict is GateVerdict.PASS:
        return _evaluate_good(view, attempt, now, ask_gates)
    unknown_since = None
    if attempt.good_since is not None and view.ready is False:
        return GateResult(Verdict.FAIL, f"it became NotReady during the soak: {view.ready_reason}")
    if attempt.good_since is not None and uses_target and gates.verdict is GateVerdict.FAIL:
        return GateResult(Verdict.FAIL, f"during the soak: {gates.reason}")
    if attempt.good_since is not None and (view.ready is None or gates.verdict is GateVerdict.UNKNOWN):
        unknown_since = now  # a partition, or an API outage: the node may come back
    if now < attempt.with_result(GateResult(Verdict.WAIT, unknown_since=unknown_since)).deadline:
        # A restart of the kubelet may flip Ready for a moment, so NotReady counts when the node's time is up.
        reason = missing or (view.report if has_answered else "no answer yet")
        return GateResult(Verdict.WAIT, reason, unknown_since=unknown_since)
    return _evaluate_after_deadline(view, attempt, has_answered)


def _decide_by_node(view: NodeView) -> GateDecision:
    """Return what the gates that look at the Node say together."""
    return first_decisive(GateDecision(answer.verdict, answer.reason) for answer in view.gate_answers)


def _evaluate_good(view: NodeView, attempt: Attempt, now: float, ask_gates: AskGates | None) -> GateResult:
    """Evaluate a node that uses the target and is Ready: it soaks.

    Then every gate must have said yes, and the agent must have confirmed the assignment: the last ConfigOK of an agent
    that is frozen or cut off, or of a watch that is silent, shows nothing of the soak.
    """
    good_since = now if attempt.good_since is None else attempt.good_since
    has_soaked = now - good_since >= attempt.soak
    if ask_gates is not None:
        decision = ask_gates(
            view.name, good_since=good_since, soaked_at=good_since + attempt.soak if has_soaked else None
        )
        if decision.verdict is GateVerdict.FAIL:
            return GateResult(Verdict.FAIL, decision.reason)
        if decision.verdict is GateVerdict.UNKNOWN:
            return GateResult(Verdict.UNKNOWN, decision.reason)
        if has_soaked and decision.verdict is GateVerdict.WAIT:
            return GateResult(Verdict.WAIT, decision.reason, good_since, recheck_at=now + _GATE_RECHECK)
    if not has_soaked:
        return GateResult(Verdict.WAIT, "soaking", good_since)
    if view.confirmed_id == attempt.assignment:
        return GateResult(Verdict.PASS, view.report, good_since)
    wait = attempt.confirmation_wait
    confirm_by = good_since + attempt.soak + wait
    if now < confirm_by:
        return GateResult(Verdict.WAIT, "its agent has yet to confirm this", good_since, recheck_at=confirm_by)
    reason = f"its agent has not confirmed this within {wait:g}s of the soak; it last said: {view.report}"
    return GateResult(Verdict.UNKNOWN, reason)


def _evaluate_lost(final_view: NodeView | None, attempt: Attempt, lost: str) -> GateResult:
    """Evaluate a node that was deleted, is about to be, or has left the pool. lost: which of these, in a sentence."""
    if (
        final_view is not None
        and final_view.answered_id == attempt.assignment
        and final_view.answer.config_ok == "False"
    ):
        verdict = Verdict.UNKNOWN if final_view.is_in_doubt else Verdict.FAIL
        return GateResult(verdict, f"{final_view.report} (then {lost})")
    if final_view is not None and attempt.was_ready and final_view.ready is not True:
        return GateResult(Verdict.UNKNOWN, f"{lost} when it was not Ready: {final_view.ready_reason}")
    return GateResult(Verdict.GONE, lost)


def _evaluate_after_deadline(view: NodeView, attempt: Attempt, has_answered: bool) -> GateResult:
    within = f"within {attempt.timeout:g}s"
    if attempt.has_changed_host and (view.ready is not True or unmet_versions(view, attempt.goal)):
        cause = unmet_versions(view, attempt.goal) or f"it is not Ready: {view.ready_reason}"
        return GateResult(Verdict.FAIL, f"{cause} ({within} of its change)")
    if view.ready is None and attempt.was_ready:
        reason = f"its Ready condition is Unknown, and not True {within}: {view.ready_reason}"
        return GateResult(Verdict.UNKNOWN, reason)
    if view.ready is not True:
        if attempt.was_ready:
            return GateResult(Verdict.FAIL, f"NotReady began after the assignment: {view.ready_reason}")
        reason = f"it was not Ready before the assignment, and did not become so {within}"
        return GateResult(Verdict.UNKNOWN, reason)
    gates = _decide_by_node(view)
    if has_answered and view.answer.config_ok == "True" and gates.verdict is not GateVerdict.PASS:
        verdict = Verdict.FAIL if gates.verdict is GateVerdict.FAIL else Verdict.UNKNOWN
        return GateResult(verdict, f"{gates.reason} ({within})")
    if view.answer.status_error:
        return GateResult(Verdict.UNKNOWN, view.report)
    missing = unmet(view, attempt.goal)
    if missing:
        return GateResult(Verdict.UNKNOWN, f"{missing} ({within})")
    if not view.has_agent:
        return GateResult(Verdict.UNKNOWN, f"no agent answered {within}")
    if not has_answered:
        return GateResult(Verdict.UNKNOWN, f"the agent did not answer {within}; it last said: {view.report}")
    if view.cause == Cause.ADOPTING:
        return GateResult(Verdict.FAIL, f"it began to adopt the config, but was not done {within}")
    return GateResult(Verdict.UNKNOWN, f"not good {within}: {view.report}")
