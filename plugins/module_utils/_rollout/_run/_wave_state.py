# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of one wave: events in, what must be done because of them out, and what is done next. Pure."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, NamedTuple, Union

from ..._text import sanitize
from .._decisions._gate import AskGates, Attempt, GateResult, Verdict, evaluate
from .._decisions._node_run import NodeRun, Phase
from .._decisions.wave_limits import Window
from .._nodes.node_access import NodeAssignment
from .._nodes.node_goals import describe_drift, unmet
from .._nodes.node_view import NodeView
from .._record.record import DRIFTED, FailedNode, FailureKind
from ..goals import Goal
from ._move_result import VERDICTS, MoveKind, MoveResult
from ._node_facts import NodeFacts, UnsettledNodes
from ._wave_job import WaveJob


@dataclass(frozen=True)
class NodeSeen:
    """The watch shows a Node. was_deleted: the view is its last one."""

    view: NodeView
    was_deleted: bool = False


@dataclass(frozen=True)
class JobEnded:
    """The thread of a node has ended."""

    name: str
    result: MoveResult


@dataclass(frozen=True)
class Decided:
    """The gate has decided on a node. attempt: with the times that the gate has noticed, None to keep the present."""

    name: str
    result: GateResult
    attempt: Attempt | None = None


@dataclass(frozen=True)
class OutageEnded:
    """The nodes can be observed again, after some seconds in which their time has stood still."""

    seconds: float


@dataclass(frozen=True)
class Tick:
    """Time has passed."""


class Job(Enum):
    """What a thread does with a node."""

    MOVE = "move"  # drain and assign it; it holds a slot
    REBOOT = "reboot"  # it uses its new config
    ROLL_BACK = "roll back"  # it has failed
    UNCORDON = "uncordon"  # its capacity is missing until then


@dataclass(frozen=True)
class StartJob:
    """Have a thread work on a node. reason: why it is rolled back, "" for any other job."""

    job: Job
    name: str
    reason: str = ""


@dataclass(frozen=True)
class Show:
    """Show a node's new state, in a word, and its reason."""

    name: str
    state: str
    reason: str = ""


@dataclass(frozen=True)
class Say:
    """Show a line."""

    line: str


WaveEvent = Union[NodeSeen, JobEnded, Decided, OutageEnded, Tick]
WaveAction = Union[Decided, StartJob, Show, Say]

ASSIGNED: Final = "assigned"  # a state that is shown, while the node is in flight
_PHASE_OF: Mapping[Job, Phase] = {Job.REBOOT: Phase.REBOOTING, Job.ROLL_BACK: Phase.ROLLING_BACK}
_FAILURE_KIND: Mapping[Phase, FailureKind] = {Phase.FAILED: "failed", Phase.UNKNOWN: "unknown", Phase.GONE: "gone"}


class WaveState:
    """The nodes of a wave, and those of earlier waves, as events show them.

    window: has the run of each node, and the slots. nodes: the present view of each Node of the pool. unsettled: nodes
    that an earlier rollout still moves.
    """

    def __init__(
        self, job: WaveJob, window: Window, nodes: Mapping[str, NodeView], unsettled: UnsettledNodes, facts: NodeFacts
    ) -> None:
        self.job = job
        self.window = window
        self.nodes = nodes
        self.facts = facts
        self._unsettled = unsettled
        self._due: list[tuple[float, str]] = []  # a heap; an entry whose time is not the attempt's is void
        self._changed: set[str] = set()  # nodes without a verdict that must be evaluated
        self._last_seen: dict[str, NodeView] = {}  # the last views of deleted nodes
        self._late_failures: dict[str, FailedNode] = {}
        self._drifted_nodes: dict[str, FailedNode] = {}

    def apply(self, event: WaveEvent, now: float) -> list[WaveAction]:
        """Take an event, and return what must be done because of it. Raises IllegalTransition."""
        if isinstance(event, NodeSeen):
            return self._see_node(event.view, event.was_deleted, now)
        if isinstance(event, JobEnded):
            return self._end_job(event.name, event.result, now)
        if isinstance(event, Decided):
            if event.attempt is not None:
                self._set_attempt(event.name, event.attempt)
            return self._record(event.name, event.result)
        if isinstance(event, OutageEnded):
            self._delay_by(event.seconds)
        else:
            self._give_up_unsettled(now)
        return []

    # --- what is known

    def failed_nodes(self) -> dict[str, FailedNode]:
        """Return the nodes that have not succeeded so far, including late failures of earlier waves."""
        unsuccessful = {
            name: FailedNode(name, _FAILURE_KIND[run.phase], self.job.name, run.reason)
            for name, run in self.window.runs()
            if run.phase in _FAILURE_KIND
        }
        return {**self._drifted_nodes, **self._late_failures, **unsuccessful}

    def soaked_seconds(self, now: float) -> dict[str, int]:
        """Return for how many whole seconds each attempted node has soaked, 0 for a node that does not soak."""
        return {
            name: _soaked_seconds(run, run.attempt, now) for name, run in self.window.runs() if run.attempt is not None
        }

    def last_seen(self, name: str) -> NodeView | None:
        """Return the last view of a Node that was deleted, None without one."""
        return self._last_seen.get(name)

    def is_lost(self, name: str) -> bool:
        """Return whether a node is to be evaluated that the watch has lost."""
        return name not in self.nodes and self.window.run(name).can_be_evaluated

    def is_possibly_assigned(self, name: str) -> bool:
        """Return whether a node may be assigned already."""
        return name in self.job.possibly_assigned or self.window.run(name).was_postponed

    def unconfirmed(self, names: Iterable[str]) -> list[str]:
        """Return those of the nodes of which the watch has not shown the assignment yet."""
        return [name for name in names if self.window.run(name).phase is Phase.UNCONFIRMED]

    def undecided(self) -> list[str]:
        """Return the assigned nodes without a verdict of the gate that are not being taken back."""
        return sorted(
            name
            for name, run in self.window.runs()
            if run.attempt is not None
            and (run.phase is Phase.UNKNOWN or (run.is_open and run.phase is not Phase.ROLLING_BACK))
        )

    # --- times

    def next_due(self) -> float | None:
        """Return when the next node must be evaluated although nothing has changed, None without such a node."""
        while self._due:
            due, name = self._due[0]
            run = self.window.run(name)
            if run.is_open and run.attempt is not None and run.attempt.next_check_at == due:
                return due
            heapq.heappop(self._due)
        return None

    def take_due(self, now: float) -> list[str]:
        """Return the nodes that must be evaluated now. Each is returned once, unless it is scheduled again."""
        names = []
        due = self.next_due()
        while due is not None and due <= now:
            names.append(heapq.heappop(self._due)[1])
            due = self.next_due()
        return names

    def schedule(self, names: Iterable[str]) -> None:
        """Make nodes due once more that were taken, and are still without a verdict."""
        for name in names:
            run = self.window.run(name)
            if run.is_open and run.can_be_evaluated and run.attempt is not None:
                heapq.heappush(self._due, (run.attempt.next_check_at, name))

    def take_changed(self) -> list[str]:
        """Return the nodes without a verdict of which something has changed, in order. Each is returned once."""
        changed, self._changed = sorted(self._changed), set()
        return changed

    def _delay_by(self, seconds: float) -> None:
        self.window.delay_by(seconds)
        for name, run in list(self.window.runs()):
            if run.is_open and run.attempt is not None:
                self._set_attempt(name, run.attempt.delayed_by(seconds))

    def _set_attempt(self, name: str, attempt: Attempt) -> None:
        before = self.window.run(name).attempt
        self.window.set_attempt(name, attempt)
        if before is None or before.next_check_at != attempt.next_check_at:
            heapq.heappush(self._due, (attempt.next_check_at, name))

    # --- nodes that are assigned already

    def resume(self, now: float) -> list[WaveAction]:
        """Continue with the nodes that an earlier run has assigned: they hold their slots before any other node."""
        actions: list[WaveAction] = []
        for name, goal in self.job.goals.items():
            view = self.nodes.get(name)
            if view is None or view.leaving or name not in self.job.possibly_assigned:
                continue
            if self.facts.is_half_done(view, goal):
                self.window.take_slot(name, now)
                actions.append(StartJob(Job.MOVE, name))
            elif self._is_moving(name):
                self._resume_assignment(name, now)
        return actions

    def _resume_assignment(self, name: str, now: float) -> None:
        view = self.nodes[name]
        self.window.take_slot(name, now)
        self._start_attempt(name, view, NodeAssignment(view, view.assigned.id), now)

    def _is_moving(self, name: str) -> bool:
        """Return whether a node is assigned, is not up on its config and needs no assignment."""
        view, goal = self.nodes.get(name), self.job.goals[name]
        if view is None or view.leaving or not view.is_assigned(goal.source) or unmet(view, goal):
            return False
        is_up = view.is_on(goal.source) and view.ready
        return not (is_up or view.is_in_doubt or (self.job.forget_bad and view.answer.config_ok == "False"))

    # --- a Node is seen

    def _see_node(self, view: NodeView, was_deleted: bool, now: float) -> list[WaveAction]:
        name = view.name
        if was_deleted:
            self._last_seen[name] = view
        is_unavailable = view.is_down or self._unsettled.includes(view, now)
        self.window.set_unavailable(name, self._is_missed(name) if was_deleted else is_unavailable)
        run = self.window.run(name) if name in self.job.goals else NodeRun()
        if run.phase is Phase.UNCONFIRMED and (was_deleted or _shows_attempt(view, run)):
            self.confirm([name])
        if run.is_open:
            self._changed.add(name)
        elif run.was_postponed and run.state is Phase.WAITING and self._is_moving(name):
            self._resume_assignment(name, now)  # a request without an answer has taken effect late
        elif not was_deleted:
            return self.check_passed(view)
        return []

    def confirm(self, names: Iterable[str]) -> None:
        """Have nodes evaluated whose assignment was seen, or whose time is up without it."""
        for name in names:
            self.window.enter(name, Phase.IN_FLIGHT)

    def _give_up_unsettled(self, now: float) -> None:
        for name in self._unsettled.take_silent(now):
            view = self.nodes.get(name)
            self.window.set_unavailable(name, view is not None and view.is_down)

    def _is_missed(self, name: str) -> bool:
        """Return whether a machine without a Node has failed: its capacity is missing."""
        return name in self.job.new_machines and self.window.state(name) in (Phase.FAILED, Phase.UNKNOWN)

    # --- a node has passed

    def check_passed(self, view: NodeView) -> list[WaveAction]:
        """Notice a node that had passed, in this wave or an earlier one, and has failed or drifted since."""
        name = view.name
        run = self.window.run(name) if name in self.job.goals else NodeRun()
        passed = run.attempt if run.state is Phase.PASSED else None
        goal = passed.goal if passed is not None else self.job.expected_goals.get(name)
        if goal is None:
            return []
        actions = self._note_drift(view, describe_drift(view, goal))
        wave = self.job.passed_in.get(name)
        if (passed is None and wave is None) or name in self._late_failures or not _has_failed(view, goal):
            return actions
        status = view.answer.status
        reason = f"it had passed, then failed: {sanitize((status.error or status.cause) if status else '', 1024)}"
        if passed is not None:
            if run.phase is Phase.ROLLING_BACK:
                return actions
            if self.facts.can_roll_back(name, goal):
                return [*actions, StartJob(Job.ROLL_BACK, name, reason)]
            return [*actions, *self._record(name, GateResult(Verdict.FAIL, reason))]
        if wave is not None:
            self._late_failures[name] = FailedNode(name, "failed", wave, reason)
            self.window.late_failure(name, reason)
            actions.append(Show(name, Phase.FAILED.value, reason))
        return actions

    def _note_drift(self, view: NodeView, reason: str) -> list[WaveAction]:
        if not reason:
            self._drifted_nodes.pop(view.name, None)
        elif view.name not in self._drifted_nodes:
            self._drifted_nodes[view.name] = FailedNode(view.name, DRIFTED, self.job.name, reason)
            return [Show(view.name, DRIFTED, reason)]
        return []

    # --- a thread begins or has ended

    def begin(self, job: StartJob) -> None:
        """Note that a thread works on a node. One that is rebooted or rolled back is evaluated when that has ended."""
        phase = _PHASE_OF.get(job.job)
        if phase is not None:
            self.window.enter(job.name, phase)

    def _end_job(self, name: str, result: MoveResult, now: float) -> list[WaveAction]:
        verdict = VERDICTS.get(result.kind)
        if verdict is not None:
            return self._record(name, GateResult(verdict.verdict, f"{verdict.prefix}{result.reason}"))
        run = self.window.run(name)
        if result.kind is MoveKind.POSTPONED:
            self.window.postpone(name)
        elif result.kind is MoveKind.NOT_UNCORDONED:
            return [Say(f"{name} could not be uncordoned, the next run tries again: {result.reason}")]
        elif result.kind is MoveKind.REBOOTED and run.phase is Phase.REBOOTING and run.attempt is not None:
            self.window.end_reboot(name)  # and it gets its time once more
            self._set_attempt(name, replace(run.attempt, assigned_at=now, good_since=None))
            self._changed.add(name)
        elif result.kind is MoveKind.ASSIGNED and result.assignment is not None and result.assignment.view is not None:
            self._start_attempt(name, result.assignment.view, result.assignment, now)
            return [Show(name, ASSIGNED)] if result.assignment.changed else []
        return []

    def _start_attempt(self, name: str, view: NodeView, assignment: NodeAssignment, now: float) -> None:
        if self.window.run(name).phase is not Phase.MOVING:
            return  # its slot was freed meanwhile: the assignment took longer than the node's time
        job, goal = self.job, self.job.goals[name]
        soaked = job.soaked_before.get(name, 0)
        has_changed_host = self.facts.has_changed_host(name, goal)
        was_ready = view.ready is True if assignment.changed else name not in job.not_ready_at_start
        attempt = Attempt(
            node_uid=view.uid,
            goal=goal,
            assignment=assignment.assignment,
            assigned_at=now,
            was_ready=was_ready or has_changed_host,
            timeout=job.node_timeout,
            soak=job.soak,
            good_since=None if assignment.changed or not soaked else now - soaked,
            has_changed_host=has_changed_host,
        )
        self._set_attempt(name, attempt)
        self._changed.add(name)
        seen = self.nodes.get(name)
        # Without a view, or with one of another uid, the Node was deleted since.
        is_seen = not (assignment.changed and seen and seen.uid == view.uid and seen.assigned.id < attempt.assignment)
        self.window.enter(name, Phase.IN_FLIGHT if is_seen else Phase.UNCONFIRMED)

    # --- a verdict

    def _record(self, name: str, result: GateResult) -> list[WaveAction]:
        if not self.window.record(name, result):
            return []
        state = self.window.state(name)
        actions = self.uncordon([name]) if state not in (Phase.IN_FLIGHT, Phase.GONE) else []
        if name not in self.nodes and self._is_missed(name):
            self.window.set_unavailable(name, True)
        return [*actions, Show(name, state.value, result.reason)]

    def uncordon(self, names: Iterable[str]) -> list[WaveAction]:
        """Have these nodes uncordoned, each once. One that is up is uncordoned at once: its capacity is missing."""
        actions: list[WaveAction] = []
        for name in names:
            if not self.window.run(name).is_uncordoned and self.facts.is_cordoned(name):
                self.window.set_uncordoned(name)
                actions.append(StartJob(Job.UNCORDON, name))
        return actions


def _soaked_seconds(run: NodeRun, attempt: Attempt, now: float) -> int:
    if attempt.good_since is None or run.state not in (Phase.SOAKING, Phase.PASSED):
        return 0
    return int(min(now - attempt.good_since, attempt.soak))


def _shows_attempt(view: NodeView, run: NodeRun) -> bool:
    """Return whether a view is not older than the assignment of its node."""
    attempt = run.attempt
    return attempt is not None and (view.uid != attempt.node_uid or view.assigned.id >= attempt.assignment)


def _has_failed(view: NodeView, goal: Goal) -> bool:
    has_answered = view.answer.status is not None and view.has_answered(goal.source)
    return view.answer.config_ok == "False" and not view.is_in_doubt and has_answered


class LostNode(NamedTuple):
    """What is known of a Node that the watch has lost. has_left: it exists, and has left the pool."""

    last_seen: NodeView | None = None
    has_left: bool = False


def plan(
    state: WaveState, changed: Iterable[str], now: float, *, lost: Mapping[str, LostNode], ask_gates: AskGates | None
) -> list[WaveAction]:
    """Return what is done with the changed nodes: a decision, a reboot or a rollback for each.

    lost: those of them that the watch has lost. ask_gates: asks servers about a node, None without such gates.
    """
    actions: list[WaveAction] = []
    for name in changed:
        run = state.window.run(name)
        if run.attempt is None or not run.can_be_evaluated:
            continue
        view = state.nodes.get(name)
        last_seen, has_left = lost.get(name, LostNode())
        result = evaluate(view, run.attempt, now, last_seen=last_seen, has_left=has_left, ask_gates=ask_gates)
        if view is not None and result.good_since is not None and state.facts.needs_reboot(view):
            actions.append(StartJob(Job.REBOOT, name))
        elif view is not None and result.verdict is Verdict.FAIL and state.facts.can_roll_back(name, run.attempt.goal):
            actions.append(StartJob(Job.ROLL_BACK, name, result.reason))
        else:
            actions.append(Decided(name, result, run.attempt.with_result(result)))
    return actions
