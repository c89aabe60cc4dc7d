# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate of one node: pass, fail, wait, or don't know. Pure. Private to configok.node: no compatibility is promised.

The table is in docs/rollout.md. Don't know never passes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .._nodeconfig._assignment import ConfigSource
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
    lost_since: float | None = None

    @property
    def deadline(self) -> float:
        """Return when the node's time is up; one that was lost during the soak has its time again, once."""
        return (self.assigned_at if self.lost_since is None else self.lost_since) + self.timeout

    @property
    def due_at(self) -> float:
        """Return when the node is to be judged although nothing has changed."""
        return self.deadline if self.good_since is None else self.good_since + self.soak

    def after(self, answer: GateResult) -> Attempt:
        """Return the task with what the gate has noticed."""
        lost_since = answer.lost_since if self.lost_since is None else self.lost_since
        return replace(self, good_since=answer.good_since, lost_since=lost_since)

    def delayed(self, seconds: float) -> Attempt:
        """Return the task with so much more time, during which nothing could be known of the node."""
        return replace(
            self,
            assigned_at=self.assigned_at + seconds,
            good_since=None if self.good_since is None else self.good_since + seconds,
            lost_since=None if self.lost_since is None else self.lost_since + seconds,
        )


@dataclass(frozen=True)
class GateResult:
    """What the gate says. good_since, lost_since: to be remembered in the Task (Task.after).

    good_since set means that the node is up and in its soak.
    """

    verdict: str
    reason: str = ""
    good_since: float | None = None
    lost_since: float | None = None


def evaluate(view: NodeView | None, task: Attempt, now: float, *, last: NodeView | None = None) -> GateResult:
    """Judge a node by what is known of it (None: there is no such Node).

    last: what was known of a Node that vanished. A repair tool deletes what is not Ready, which must not look like
    nodes that were taken out of service.
    """
    if view is None or view.uid != task.node_uid or view.deleting:
        end = view if view is not None and view.uid == task.node_uid else last
        if end is not None and end.answered == task.assignment and end.config_ok == "False":
            return GateResult(FAIL, f"{end.words} (then the Node was deleted)")
        if end is not None and task.was_ready and end.ready is not True:
            return GateResult(DONT_KNOW, f"the Node was deleted when it was not Ready: {end.ready_reason}")
        return GateResult(GONE, "the Node was deleted")
    if view.source_error or view.source != task.source or view.given != task.assignment:
        return GateResult(DONT_KNOW, f"somebody else has assigned it something (assignment {view.given})")
    answers = view.status is not None and view.answered == task.assignment
    if answers and view.config_ok == "False":
        return GateResult(FAIL, view.words)
    using = answers and view.config_ok == "True" and view.status is not None and view.status.active == task.source
    if using and view.ready is True:
        since = now if task.good_since is None else task.good_since
        if now - since >= task.soak:
            return GateResult(PASS, view.words, since)
        return GateResult(WAIT, "soaking", since)
    lost_since = None
    if task.good_since is not None and view.ready is False:
        return GateResult(FAIL, f"it became NotReady during the soak: {view.ready_reason}")
    if task.good_since is not None and view.ready is None:
        lost_since = now  # a partition, or an API outage: the node may come back
    if now < task.after(GateResult(WAIT, lost_since=lost_since)).deadline:
        # A restart of the kubelet may flip Ready for a moment, so NotReady counts when the node's time is up.
        return GateResult(WAIT, view.words if answers else "no answer yet", lost_since=lost_since)
    return _out_of_time(view, task, answers)


def _out_of_time(view: NodeView, task: Attempt, answers: bool) -> GateResult:
    within = f"within {task.timeout:g}s"
    if view.ready is None and task.was_ready:
        return GateResult(DONT_KNOW, f"its Ready condition is Unknown, and not True {within}: {view.ready_reason}")
    if view.ready is not True:
        if task.was_ready:
            return GateResult(FAIL, f"NotReady began after the assignment: {view.ready_reason}")
        return GateResult(DONT_KNOW, f"it was not Ready before the assignment, and did not become so {within}")
    if view.status_error:
        return GateResult(DONT_KNOW, view.words)
    if not view.has_agent:
        return GateResult(DONT_KNOW, f"no agent answered {within}")
    if not answers:
        return GateResult(DONT_KNOW, f"the agent did not answer {within}; it last said: {view.words}")
    if view.status is not None and view.status.cause == "Adopting":
        return GateResult(FAIL, f"it began to adopt the config, but was not done {within}")
    return GateResult(DONT_KNOW, f"not good {within}: {view.words}")
