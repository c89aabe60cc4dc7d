# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Execute one wave: watch, evaluate and assign its nodes until the window says how it ended.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from ..._kube._api_errors import CredentialsError, KubeError, Unauthorized, Unreachable
from .. import ApiUnavailable
from .._decisions import _transitions as transitions
from .._decisions._gate import DELETED, LEFT_POOL, Attempt, GateResult, Verdict, evaluate
from .._decisions._window import (
    FAILED,
    GONE,
    IN_FLIGHT,
    PASSED,
    SOAKING,
    UNKNOWN,
    WAITING,
    NodeState,
    WaveOutcome,
    Window,
    WindowStep,
)
from .._gates._gate_monitor import GateMonitor
from .._nodes._node_access import NodeAssignment
from .._nodes._node_goals import unmet
from .._nodes._node_list import read_nodes
from .._nodes._node_view import NodeView
from .._nodes._node_watcher import NodeWatcher
from .._outage import MAX_OUTAGE, Interruption
from .._record._record import FailedNode, FailureKind
from ._attempt_schedule import AttemptSchedule
from ._bundle_check import BundleCheck
from ._node_mover import NodeMover, NotDrained, Postponed, Rebooted, RolledBack, Settled, Uncordoned
from ._operator_pause import OperatorPause
from ._passed_nodes import PassedNodes
from ._session import RunSession
from ._unsettled_nodes import UnsettledNodes
from ._wave_ending import AfterWave, WaveEnding
from ._wave_job import WaveJob
from ._wave_progress import WaveProgress
from ._worker_pool import WorkerPool

MAX_ASSIGNMENTS = 16  # at a time: more only wait for each other in this process
_LONGEST_WAIT = 1.0  # seconds between two rounds without an event
_SOAK_SAVE_INTERVAL = 30.0  # seconds
_RUNNER_ERRORS = (CredentialsError, Unauthorized, Unreachable)  # not a node's fault: they end the run
_FAILURE_KIND: Mapping[NodeState, FailureKind] = {FAILED: "failed", UNKNOWN: "unknown", GONE: "gone"}


class WaveExecutor:
    """The control loop of one wave. It never waits for an assignment: these run in threads of their own.

    watcher: has delivered its first list. gates: ask servers while the wave moves. after_wave: None for no question.
    wait_timeout: for how many seconds a pause is waited for. unsettled: nodes that an earlier rollout still moves.
    """

    def __init__(
        self,
        session: RunSession,
        watcher: NodeWatcher,
        window: Window,
        job: WaveJob,
        *,
        mover: NodeMover,
        gates: GateMonitor,
        after_wave: AfterWave | None = None,
        wait_timeout: float = 0.0,
        unsettled: UnsettledNodes,
    ) -> None:
        self._unsettled = unsettled
        self._session = session
        self._watcher = watcher
        self._window = window
        self._job = job
        self._mover = mover
        self._ending = WaveEnding(window, gates, after_wave)
        self._pause = OperatorPause(session, job.name, is_recorded=job.position is not None, wait_timeout=wait_timeout)
        self._ask_gates = gates.decide_node if gates.has_node_answers else None
        self._workers = WorkerPool(session.clock, MAX_ASSIGNMENTS, watcher.wake)
        # A host takes minutes: what makes nodes available again does not wait for a thread.
        self._returning = WorkerPool(session.clock, MAX_ASSIGNMENTS, watcher.wake)
        self._question = WorkerPool(session.clock, 1, watcher.wake)  # an abort does not wait for its answer
        self._progress = WaveProgress(job.name, len(job.goals), job.soak, window, session.report, session.clock)
        self._places = {name: place for place, name in enumerate(job.goals, 1)}
        self._recorded_up_to = 0  # the places up to which the record says that nodes may be assigned
        self._attempts = AttemptSchedule()
        self._changed_nodes: set[str] = set()
        self._rebooting: set[str] = set()  # they use their new config, and are rebooted for it
        self._rolling_back: set[str] = set()  # they have failed, and are taken back before that counts
        self._uncordoned: set[str] = set()
        self._postponed: set[str] = set()  # an assignment of theirs has no answer
        self._unconfirmed: set[str] = set()  # assigned, and the watch has not shown the assignment yet
        self._last_seen: dict[str, NodeView] = {}  # the last views of deleted nodes
        self._passed_nodes = PassedNodes(job, window, self._progress)
        self._soaking_recorded = False
        self._blind_since: float | None = None
        self._interruption = Interruption(session.outage, session.clock)
        self._soak_saved_at = self._now()
        self._bundle_check = BundleCheck(session.direct_client, job)

    def failed_nodes(self) -> dict[str, FailedNode]:
        """Return the nodes that have not succeeded so far, including late failures of earlier waves."""
        unsuccessful = {
            name: FailedNode(name, _FAILURE_KIND[state], self._job.name, self._window.reason(name))
            for name, state in self._window.unsuccessful().items()
        }
        return {**self._passed_nodes.failed_nodes(), **unsuccessful}

    def soaked_seconds(self) -> dict[str, int]:
        """Return for how many whole seconds each attempted node has soaked, 0 for a node that does not soak."""
        now = self._now()
        return {
            name: int(min(now - attempt.good_since, attempt.soak))
            if attempt.good_since is not None and self._window.state(name) in (SOAKING, PASSED)
            else 0
            for name, attempt in self._attempts.items()
        }

    def save_soak(self) -> None:
        """Record for how long the nodes have soaked, so that the next run need not wait for it again."""
        if self._job.position is None:
            return
        self._session.write_transition(
            lambda record, _now: transitions.save_soak(record, self.soaked_seconds()),
        )

    def execute(self) -> WindowStep:
        """Move the wave until the window says how it ended. Raises RolloutError, KubeError."""
        try:
            return self._execute()
        finally:
            self._mover.is_stopping = True
            self._workers.close()
            self._returning.close()
            self._question.close()
            self._progress.flush()

    def _execute(self) -> WindowStep:
        for view in self._watcher.sorted_nodes():  # changes since the last wave count before anything else
            self._check_passed_node(view)
        self._resume_assignments()
        wait = 0.0
        while True:
            self._session.keep_lock()
            outages = self._session.outage.count
            self._process_events(wait)
            if self._is_blind():
                wait = _LONGEST_WAIT
                continue
            self._evaluate_attempts()
            self._give_up_unsettled()
            problem = self._bundle_check.problem(self._now())
            if problem and not self._is_busy:
                return WindowStep(outcome=WaveOutcome.PAUSE, reason=problem)
            requested = self._pause.check(self._session.control, is_quiet=not self._window.counts[IN_FLIGHT])
            if requested is not None and requested.outcome is WaveOutcome.ABORT:
                self._leave_nodes()
                if not (self._workers.pending or self._returning.pending):
                    return requested
            elif requested is not None and not self._is_busy:
                return requested
            may_assign = not problem and not self._pause.is_held and requested is None
            step = self._window.next_step(self._now(), self._workers.free if may_assign else 0)
            self._progress.flush_if_due()
            if step.to_assign and not self._assign_unless_changed(step.to_assign, outages):
                wait = 0.0
                continue
            step = self._ending.check(step, self._now(), self._start_after_wave)
            if step.outcome is not None and not self._is_busy:
                return step
            if not self._pause.is_held:
                self._save_progress()
            wait = 0.0 if step.to_assign else self._seconds_until_due()

    def _resume_assignments(self) -> None:
        """Continue with the nodes that an earlier run has assigned: they hold their slots before any other node."""
        for name in self._job.goals:
            if name not in self._job.possibly_assigned:
                continue
            if self._is_half_done(name):
                self._window.resume_assignment(name, self._now())
                self._submit_move(name)
            elif self._is_moving(name):
                self._resume_assignment(name)

    def _is_half_done(self, name: str) -> bool:
        view = self._watcher.nodes.get(name)
        return view is not None and not view.deleting and self._mover.is_half_done(view, self._job.goals[name])

    def _resume_assignment(self, name: str) -> None:
        view = self._watcher.nodes[name]
        self._window.resume_assignment(name, self._now())
        self._start_attempt(name, view, NodeAssignment(view, view.assigned_id))

    def _is_moving(self, name: str) -> bool:
        """Return whether a node is assigned, is not up on its config and needs no assignment."""
        view, goal = self._watcher.nodes.get(name), self._job.goals[name]
        if view is None or view.deleting or not view.is_assigned(goal.source) or unmet(view, goal):
            return False
        is_up = view.is_on(goal.source) and view.ready
        return not (is_up or view.is_in_doubt or (self._job.forget_bad and view.config_ok == "False"))

    @property
    def _is_busy(self) -> bool:
        return bool(self._workers.pending or self._returning.pending or self._question.pending)

    def _now(self) -> float:
        return self._session.node_clock.monotonic()

    def _assign_unless_changed(self, names: tuple[str, ...], outages: int) -> bool:
        """Record and assign these nodes. Return False, and assign none, when other nodes became unavailable meanwhile.

        outages: the number of outages when these nodes were chosen.
        """
        unavailable = self._window.unavailable
        reached = max(self._places[name] for name in names)
        position = self._job.position
        if position is not None and reached > self._recorded_up_to:
            failed_nodes, lookahead = self.failed_nodes(), self._job.lookahead
            rollout = self._session.write_transition(
                lambda record, now: transitions.before_assigning(
                    record, position, reached, failed_nodes, lookahead=lookahead, now=now
                )
            )
            self._recorded_up_to = rollout.assigned_up_to
        self._session.keep_lock()  # a renewal right before the assignment would leave time for other nodes to go down
        self._process_events(0.0)
        if self._session.outage.count != outages or self._is_blind() or self._window.unavailable - unavailable:
            self._window.take_back_assignments(names)
            return False
        for name in names:
            self._submit_move(name)
        return True

    def _submit_move(self, name: str) -> None:
        move = partial(
            self._mover.move,
            name,
            self._watcher.nodes.get(name),
            self._job.goals[name],
            possibly_assigned=name in self._job.possibly_assigned or name in self._postponed,
            forget_bad=self._job.forget_bad,
        )
        self._workers.submit(name, move)

    def _give_up_unsettled(self) -> None:
        for name in self._unsettled.take_silent(self._now()):
            view = self._watcher.nodes.get(name)
            self._window.set_unavailable(name, view is not None and view.ready is not True)

    def _start_after_wave(self, ask: AfterWave) -> None:
        self._progress.say("running the playbook after the wave")
        self._question.submit("", partial(ask, lambda: self._mover.is_stopping))

    def _take_results(self) -> None:
        for _key, answer in self._question.take_results():
            self._ending.answer(answer)
        for name, result in [*self._workers.take_results(), *self._returning.take_results()]:
            if isinstance(result, _RUNNER_ERRORS):
                raise result
            if isinstance(result, KubeError):
                self._record_result(name, GateResult(Verdict.UNKNOWN, f"it could not be assigned: {result}"))
            elif isinstance(result, Postponed):
                self._postponed.add(name)
                if self._window.state(name) == IN_FLIGHT:
                    self._window.take_back_assignments([name])
            elif isinstance(result, NotDrained):
                self._record_result(name, GateResult(Verdict.UNKNOWN, f"it could not be drained: {result.reason}"))
            elif isinstance(result, Uncordoned):
                if result.error:
                    self._progress.say(f"{name} could not be uncordoned, the next run tries again: {result.error}")
            elif isinstance(result, Rebooted):
                self._end_reboot(name, result)
            elif isinstance(result, Settled):
                self._record_result(name, result.result)
            elif isinstance(result, RolledBack):
                self._rolling_back.discard(name)
                self._record_result(name, GateResult(Verdict.FAIL, result.reason))
            elif result.view is None:
                _last_view, has_left = self._read_lost(name)
                self._record_result(name, GateResult(Verdict.GONE, LEFT_POOL if has_left else DELETED))
            else:
                self._start_attempt(name, result.view, result)
                if result.changed:
                    self._progress.assigned(name)

    def _start_attempt(self, name: str, view: NodeView, assignment: NodeAssignment) -> None:
        if self._window.state(name) != IN_FLIGHT:
            return  # its slot was freed meanwhile: the assignment took longer than the node's time
        soaked = self._job.soaked_before.get(name, 0)
        goal = self._job.goals[name]
        has_changed_host = self._mover.has_changed_host(name, goal)
        was_ready = view.ready is True if assignment.changed else name not in self._job.not_ready_at_start
        self._attempts.set(
            name,
            Attempt(
                node_uid=view.uid,
                goal=goal,
                assignment=assignment.assignment,
                assigned_at=self._now(),
                was_ready=was_ready or has_changed_host,
                timeout=self._job.node_timeout,
                soak=self._job.soak,
                good_since=None if assignment.changed or not soaked else self._now() - soaked,
                has_changed_host=has_changed_host,
            ),
        )
        self._attempts.open.add(name)
        self._changed_nodes.add(name)
        seen = self._watcher.nodes.get(name)
        # Without a view, or with one of another uid, the Node was deleted since.
        if assignment.changed and seen and seen.uid == view.uid and seen.assigned_id < assignment.assignment:
            self._unconfirmed.add(name)

    def _end_reboot(self, name: str, result: Rebooted) -> None:
        """Give a node that was rebooted its time once more."""
        self._rebooting.discard(name)
        if name not in self._attempts.open:
            return
        if result.error:
            self._record_result(name, GateResult(Verdict.UNKNOWN, f"it could not be rebooted: {result.error}"))
            return
        self._attempts.set(name, replace(self._attempts[name], assigned_at=self._now(), good_since=None))
        self._changed_nodes.add(name)

    def _seconds_until_due(self) -> float:
        """Return how long to wait for an event before the next attempt must be evaluated."""
        due = self._attempts.next_due()
        seconds = _LONGEST_WAIT if due is None else min(_LONGEST_WAIT, due - self._now())
        return max(0.0, min(seconds, self._progress.seconds_until_due()))

    def _process_events(self, wait: float) -> None:
        for event in self._watcher.take_events(wait):
            if event.view is not None:
                self._process_view(event.view, was_deleted=event.type == "DELETED")
        if self._interruption.is_due(self._watcher.error):
            self._progress.say(f"the watch of the nodes is interrupted, and tried again: {self._watcher.error}")
        self._take_results()

    def _process_view(self, view: NodeView, *, was_deleted: bool) -> None:
        if was_deleted:
            self._last_seen[view.name] = view
        is_unavailable = view.ready is not True or self._unsettled.includes(view, self._now())
        self._window.set_unavailable(view.name, self._is_missed(view.name) if was_deleted else is_unavailable)
        attempt = self._attempts.get(view.name)
        if attempt is not None and (
            was_deleted or view.uid != attempt.node_uid or view.assigned_id >= attempt.assignment
        ):
            self._unconfirmed.discard(view.name)
        if view.name in self._attempts.open:
            self._changed_nodes.add(view.name)
        elif view.name in self._postponed and self._window.state(view.name) == WAITING and self._is_moving(view.name):
            self._resume_assignment(view.name)  # a request without an answer has taken effect late
        elif not was_deleted:
            self._check_passed_node(view)

    def _is_blind(self) -> bool:
        """Return whether the nodes cannot be observed; then none is evaluated or assigned, and time stands still.

        Raises ApiUnavailable when that lasts too long.
        """
        now = self._now()
        if self._watcher.error is not None:
            if self._blind_since is None:
                self._blind_since = now
            if now - self._blind_since > MAX_OUTAGE:
                raise ApiUnavailable(
                    f"the nodes could not be watched for {MAX_OUTAGE:.0f}s ({self._watcher.error}): nothing else is "
                    "assigned, and what is assigned continues by itself; run it again to continue"
                ) from self._watcher.error
            return True
        if self._blind_since is not None:
            seconds = now - self._blind_since
            self._blind_since = None
            self._progress.say(f"the nodes are watched again after {seconds:.0f}s")
            self._window.delay_by(seconds)
            self._attempts.delay_by(seconds)
        return False

    def _check_passed_node(self, view: NodeView) -> None:
        """Record a node that had passed and has failed since, or is assigned another config."""
        has_passed = view.name in self._attempts and self._window.state(view.name) == PASSED
        result = self._passed_nodes.check(view, self._attempts[view.name].goal if has_passed else None)
        if result is not None and not self._begin_rollback(view.name, result.reason):
            self._record_result(view.name, result)

    def _begin_rollback(self, name: str, reason: str) -> bool:
        """Have a machine that has failed taken back, unless it is already. Return whether it is."""
        goal = self._attempts[name].goal
        if name not in self._rolling_back and self._mover.can_roll_back(name, goal):
            self._rolling_back.add(name)
            self._progress.say(f"{name} has failed, and is taken back: {reason}")
            self._returning.submit(name, partial(self._mover.roll_back, name, goal, reason))
        return name in self._rolling_back

    def _evaluate_attempts(self) -> None:
        now = self._now()
        due = self._attempts.take_due(now)
        self._read_unconfirmed([name for name in due if name in self._unconfirmed])
        for name in dict.fromkeys([*due, *sorted(self._changed_nodes)]):
            if name in self._unconfirmed or name not in self._attempts.open or self._is_in_a_thread(name):
                continue
            view = self._watcher.nodes.get(name)
            last_seen, has_left = (None, False) if view is not None else self._read_lost(name)
            result = evaluate(
                view, self._attempts[name], now, last_seen=last_seen, has_left=has_left, ask_gates=self._ask_gates
            )
            if view is not None and result.good_since is not None and self._mover.needs_reboot(view):
                self._rebooting.add(name)
                self._workers.submit(name, partial(self._mover.reboot, name))
                continue
            if result.verdict is Verdict.FAIL and view is not None and self._begin_rollback(name, result.reason):
                continue
            self._attempts.set(name, self._attempts[name].with_result(result))
            self._record_result(name, result)
        for name in due:
            if not self._is_in_a_thread(name):
                self._attempts.schedule(name)
        self._changed_nodes &= self._unconfirmed

    def _read_lost(self, name: str) -> tuple[NodeView | None, bool]:
        """Return what is known of a Node that the watch has lost, and whether it exists: then it has left the pool."""
        last_seen = self._last_seen.get(name)
        session = self._session
        nodes = read_nodes(session.client, [name], threads=session.node_clock, make_view=self._watcher.view_of)
        view = nodes[name]
        has_left = view is not None and not view.deleting and (last_seen is None or view.uid == last_seen.uid)
        return (view, True) if has_left else (last_seen, False)

    def _is_in_a_thread(self, name: str) -> bool:
        """Return whether a node is rebooted, or taken back: it is evaluated when that has ended."""
        return name in self._rebooting or name in self._rolling_back

    def _read_unconfirmed(self, names: list[str]) -> None:
        """Read nodes whose time is up although the watch has not shown their assignment yet."""
        if not names:
            return
        views = read_nodes(
            self._session.client, names, threads=self._session.node_clock, make_view=self._watcher.view_of
        )
        self._unconfirmed.difference_update(names)
        for name, view in views.items():
            if view is None:
                self._watcher.nodes.pop(name, None)
            else:
                self._watcher.nodes[name] = view

    def _record_result(self, name: str, result: GateResult) -> None:
        if self._window.record(name, result):
            state = self._window.state(name)
            if state not in (IN_FLIGHT, SOAKING):
                self._attempts.open.discard(name)
            if state not in (IN_FLIGHT, GONE):
                self._uncordon(name)
            if name not in self._watcher.nodes and self._is_missed(name):
                self._window.set_unavailable(name, True)
            self._progress.changed(name, state, result.reason)

    def _is_missed(self, name: str) -> bool:
        """Return whether a machine without a Node has failed: its capacity is missing."""
        return name in self._job.new_machines and self._window.state(name) in (FAILED, UNKNOWN)

    def _uncordon(self, name: str) -> None:
        """Uncordon a node as soon as it is up: its capacity is missing until then."""
        if name not in self._uncordoned and self._mover.is_cordoned(name):
            self._uncordoned.add(name)
            self._returning.submit(name, partial(self._mover.uncordon, name))

    def _leave_nodes(self) -> None:
        """Leave the nodes without a verdict to themselves: end drains, and uncordon."""
        self._mover.is_stopping = True
        for name in sorted(self._attempts.open - self._rolling_back):  # their hosts are changed now
            self._uncordon(name)

    def _save_progress(self) -> None:
        """Record that only the soak is left, and now and then for how long the nodes have soaked."""
        counts = self._window.counts
        if not self._soaking_recorded and counts[SOAKING] and not counts[WAITING] and not counts[IN_FLIGHT]:
            self._soaking_recorded = True
            if self._job.position is not None:
                failed_nodes = self.failed_nodes()
                self._session.write_transition(
                    lambda record, now: transitions.mark_soaking(record, failed_nodes, now=now)
                )
        now = self._now()
        if counts[SOAKING] and now - self._soak_saved_at > max(_SOAK_SAVE_INTERVAL, self._job.soak / 10):
            self._soak_saved_at = now
            self.save_soak()
