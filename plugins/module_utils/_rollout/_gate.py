# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate of one node: pass, fail, wait, or don't know. Pure. Private to configok.node: no compatibility is promised.

The table is in docs/rollout.md. Don't know never passes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .._nodeconfig._assignment import ConfigSource
from .._nodeconfig._config_status import Cause
from ._node_view import NodeView

__all__ = ["DONT_KNOW", "FAIL", "GONE", "PASS", "WAIT", "GateResult", "Attempt", "evaluate"]

PASS = "pass"
FAIL = "fail"
WAIT = "wait"
DONT_KNOW = "dont_know"
GONE = "gone"


@dataclass(frozen=True)
class Attempt:
    """What one node was told, and how long it has.

    assignment: its id, which the status must repeat. assigned_at: by this machine's clock, in seconds, like now of
    judge.
    was_ready: whether the Node was Ready when it was assigned. good_since: when it was first seen good without a break.
    lost_since: when its Ready turned Unknown during the soak, for the first time.
    """

    node_uid: str
    source: ConfigSource | None
    assignment: int
    assigned_at: float
    was_ready: bool
    timeout: float
    soak: float
    good_since: float | None = None
    unknown_since: float | None = None

    @property
    def deadline(self) -> float:
        """Return when the node's time is up; one that was lost during the soak has its time again, once."""
        return (self.assigned_at if self.unknown_since is None else self.unknown_since) + self.timeout

    @property
    def next_check_at(self) -> float:
        """Return when the node is to be judged although nothing has changed."""
        return self.deadline if self.good_since is None else self.good_since + self.soak

    def with_result(self, answer: GateResult) -> Attempt:
        """Return the task with what the gate has noticed."""
        lost_since = answer.unknown_since if self.unknown_since is None else self.unknown_since
        return replace(self, good_since=answer.good_since, unknown_since=lost_since)

    def delayed_by(self, seconds: float) -> Attempt:
        """Return the task with so much more time, during which nothing could be known of the node."""
        return replace(
            self,
            assigned_at=self.assigned_at + seconds,
            good_since=None if self.good_since is None else self.good_since + seconds,
            unknown_since=None if self.unknown_since is None else self.unknown_since + seconds,
        )


@dataclass(frozen=True)
class GateResult:
    """What the gate says. good_since, lost_since: to be remembered in the Task (Task.after).

    good_since set means that the node is up and in its soak.
    """

    verdict: str
    reason: str = ""
    good_since: float | None = None
    unknown_since: float | None = None


def evaluate(view: NodeView | None, attempt: Attempt, now: float, *, last_seen: NodeView | None = None) -> GateResult:
    """Judge a node by what is known of it (None: there is no such Node).

    last: what was known of a Node that vanished. A repair tool deletes what is not Ready, which must not look like
    nodes that were taken out of service.
    """
    if view is None or view.uid != attempt.node_uid or view.deleting:
        end = view if view is not None and view.uid == attempt.node_uid else last_seen
        if end is not None and end.answered_id == attempt.assignment and end.config_ok == "False":
            return GateResult(FAIL, f"{end.report} (then the Node was deleted)")
        if end is not None and attempt.was_ready and end.ready is not True:
            return GateResult(DONT_KNOW, f"the Node was deleted when it was not Ready: {end.ready_reason}")
        return GateResult(GONE, "the Node was deleted")
    if view.source_error or view.source != attempt.source or view.assigned_id != attempt.assignment:
        return GateResult(DONT_KNOW, f"somebody else has assigned it something (assignment {view.assigned_id})")
    answers = view.status is not None and view.answered_id == attempt.assignment
    if answers and view.config_ok == "False":
        return GateResult(FAIL, view.report)
    using = answers and view.config_ok == "True" and view.status is not None and view.status.active == attempt.source
    if using and view.ready is True:
        since = now if attempt.good_since is None else attempt.good_since
        if now - since >= attempt.soak:
            return GateResult(PASS, view.report, since)
        return GateResult(WAIT, "soaking", since)
    lost_since = None
    if attempt.good_since is not None and view.ready is False:
        return GateResult(FAIL, f"it became NotReady during the soak: {view.ready_reason}")
    if attempt.good_since is not None and view.ready is None:
        lost_since = now  # a partition, or an API outage: the node may come back
    if now < attempt.with_result(GateResult(WAIT, unknown_since=lost_since)).deadline:
        # A restart of the kubelet may flip Ready for a moment, so NotReady counts when the node's time is up.
        return GateResult(WAIT, view.report if answers else "no answer yet", unknown_since=lost_since)
    return _out_of_time(view, attempt, answers)


def _out_of_time(view: NodeView, attempt: Attempt, answers: bool) -> GateResult:
    within = f"within {attempt.timeout:g}s"
    if view.ready is None and attempt.was_ready:
        return GateResult(DONT_KNOW, f"its Ready condition is Unknown, and not True {within}: {view.ready_reason}")
    if view.ready is not True:
        if attempt.was_ready:
            return GateResult(FAIL, f"NotReady began after the assignment: {view.ready_reason}")
        return GateResult(DONT_KNOW, f"it was not Ready before the assignment, and did not become so {within}")
    if view.status_error:
        return GateResult(DONT_KNOW, view.report)
    if not view.has_agent:
        return GateResult(DONT_KNOW, f"no agent answered {within}")
    if not answers:
        return GateResult(DONT_KNOW, f"the agent did not answer {within}; it last said: {view.report}")
    if view.status is not None and view.status.cause == Cause.ADOPTING:
        return GateResult(FAIL, f"it began to adopt the config, but was not done {within}")
    return GateResult(DONT_KNOW, f"not good {within}: {view.report}")
