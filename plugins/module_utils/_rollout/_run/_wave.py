# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Execute one wave: watch, evaluate and assign its nodes until the window says how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .._decisions._gate import DELETED, LEFT_POOL
from .._decisions._node_run import IN_FLIGHT
from .._decisions.window import WaveOutcome, Window, WindowStep
from .._gates._gate_monitor import GateMonitor
from .._nodes._node_watcher import NodeWatcher
from .._outage import Interruption
from .._record.record import FailedNode
from ._bundle_check import BundleCheck
from ._move_result import MoveKind
from ._node_mover import NodeMover
from ._node_reader import NodeReader
from ._operator_pause import OperatorPause
from ._session import RunSession
from ._unsettled_nodes import UnsettledNodes
from ._watch_outage import WatchOutage
from ._wave_ending import AfterWave, WaveEnding
from ._wave_job import WaveJob
from ._wave_plan import plan
from ._wave_progress import WaveProgress
from ._wave_record import WaveRecord
from ._wave_state import (
    Decided,
    JobEnded,
    Move,
    NodeSeen,
    OutageEnded,
    Reboot,
    RollBack,
    Say,
    Show,
    Tick,
    Uncordon,
    WaveAction,
    WaveEvent,
    WaveState,
)
from ._wave_threads import WaveThreads

_LONGEST_WAIT = 1.0  # seconds between two rounds without an event


class WaveExecutor:
    """The control loop of one wave: take events, plan, execute. It never waits for an assignment: threads do.

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
        self._session = session
        self._watcher = watcher
        self._window = window
        self._job = job
        self._state = WaveState(job, window, watcher.nodes, unsettled, mover.facts)
        self._ending = WaveEnding(window, gates, after_wave)
        self._pause = OperatorPause(session, job.name, is_recorded=job.position is not None, wait_timeout=wait_timeout)
        self._ask_gates = gates.decide_node if gates.has_node_answers else None
        self._threads = WaveThreads(session.clock, watcher.wake, mover, job)
        self._progress = WaveProgress(job.name, len(job.goals), job.soak, window, session.report, session.clock)
        self._record = WaveRecord(session, job)
        self._nodes = NodeReader(session, watcher)
        self._outage = WatchOutage(watcher, Interruption(session.outage, session.clock))
        self._bundle_check = BundleCheck(session.direct_client, job)

    def failed_nodes(self) -> dict[str, FailedNode]:
        """Return the nodes that have not succeeded so far, including late failures of earlier waves."""
        return self._state.failed_nodes()

    def soaked_seconds(self) -> dict[str, int]:
        """Return for how many whole seconds each attempted node has soaked, 0 for a node that does not soak."""
        return self._state.soaked_seconds(self._now())

    def save_soak(self) -> None:
        """Record for how long the nodes have soaked, so that the next run need not wait for it again."""
        self._record.save_soak(self.soaked_seconds())

    def execute(self) -> WindowStep:
        """Move the wave until the window says how it ended. Raises RolloutError, KubeError."""
        try:
            return self._execute()
        finally:
            self._threads.stop()
            self._threads.close()
            self._progress.flush()

    def _execute(self) -> WindowStep:
        for view in self._watcher.sorted_nodes():  # changes since the last wave count before anything else
            self._carry_out(self._state.check_passed(view))
        self._carry_out(self._state.resume(self._now()))
        wait = 0.0
        while True:
            self._session.keep_lock()
            outages = self._session.outage.count
            self._take_events(wait)
            if self._is_blind():
                wait = _LONGEST_WAIT
                continue
            self._decide_nodes()
            self._apply(Tick())
            problem = self._bundle_check.problem(self._now())
            if problem and not self._threads.are_busy:
                return WindowStep(outcome=WaveOutcome.PAUSE, reason=problem)
            requested = self._pause.check(self._session.control.present, is_quiet=not self._window.counts[IN_FLIGHT])
            if requested is not None and requested.outcome is WaveOutcome.ABORT:
                self._threads.stop()  # the nodes without a verdict are left to themselves
                self._carry_out(self._state.uncordon(self._state.undecided()))
                if not self._threads.work_on_nodes:
                    return requested
            elif requested is not None and not self._threads.are_busy:
                return requested
            may_assign = not problem and not self._pause.is_held and requested is None
            step = self._window.next_step(self._now(), self._threads.movers.free if may_assign else 0)
            self._progress.flush_if_due()
            if step.to_assign and not self._assign_unless_changed(step.to_assign, outages):
                wait = 0.0
                continue
            step = self._ending.check(step, self._now(), self._start_after_wave)
            if step.outcome is not None and not self._threads.are_busy:
                return step
            if not self._pause.is_held:
                self._save_progress()
            wait = 0.0 if step.to_assign else self._seconds_until_due()

    def _now(self) -> float:
        return self._session.node_clock.monotonic()

    # --- take events

    def _take_events(self, wait: float) -> None:
        for event in self._watcher.take_events(wait):
            if event.view is not None:
                self._apply(NodeSeen(event.view, event.type == "DELETED"))
        interruption = self._outage.new_interruption()
        if interruption:
            self._progress.say(interruption)
        for _key, answer in self._threads.question.take_results():
            self._ending.answer(answer)
        for name, result in self._threads.take_results():
            if result.kind is MoveKind.LOST:
                has_left = self._nodes.read_lost(name, self._state.last_seen(name)).has_left
                result = replace(result, reason=LEFT_POOL if has_left else DELETED)
            self._apply(JobEnded(name, result))

    def _apply(self, event: WaveEvent) -> None:
        self._carry_out(self._state.apply(event, self._now()))

    def _is_blind(self) -> bool:
        """Return whether the nodes cannot be observed; then none is evaluated or assigned, and time stands still.

        Raises ApiUnavailable when that lasts too long.
        """
        seconds = self._outage.check(self._now())
        if seconds is not None:
            self._progress.say(f"the nodes are watched again after {seconds:.0f}s")
            self._apply(OutageEnded(seconds))
        return self._outage.is_under_way

    # --- plan

    def _decide_nodes(self) -> None:
        now, state = self._now(), self._state
        due = state.take_due(now)
        unconfirmed = state.unconfirmed(due)
        if unconfirmed:  # their time is up although the watch has not shown their assignment yet
            self._nodes.refresh(unconfirmed)
            state.confirm(unconfirmed)
        changed = list(dict.fromkeys([*due, *state.take_changed()]))
        lost = {name: self._nodes.read_lost(name, state.last_seen(name)) for name in changed if state.is_lost(name)}
        self._carry_out(plan(state, changed, now, lost=lost, ask_gates=self._ask_gates))
        state.schedule(due)

    # --- execute

    def _carry_out(self, actions: Iterable[WaveAction]) -> None:
        for action in actions:
            if isinstance(action, Decided):
                self._apply(action)
            elif isinstance(action, Move):
                self._move(action.name)
            elif isinstance(action, Reboot):
                self._state.begin_reboot(action.name)
                self._threads.reboot(action.name)
            elif isinstance(action, RollBack):
                self._state.begin_rollback(action.name)
                self._progress.say(f"{action.name} has failed, and is taken back: {action.reason}")
                self._threads.roll_back(action.name, action.reason)
            elif isinstance(action, Uncordon):
                self._threads.uncordon(action.name)
            elif isinstance(action, Show):
                self._progress.changed(action.name, action.state, action.reason)
            elif isinstance(action, Say):
                self._progress.say(action.line)
            else:
                self._progress.assigned(action.name)

    def _assign_unless_changed(self, names: tuple[str, ...], outages: int) -> bool:
        """Record and assign these nodes. Return False, and assign none, when other nodes became unavailable meanwhile.

        outages: the number of outages when these nodes were chosen.
        """
        unavailable = self._window.unavailable
        self._record.before_assigning(names, self.failed_nodes)
        self._session.keep_lock()  # a renewal right before the assignment would leave time for other nodes to go down
        self._take_events(0.0)
        if self._session.outage.count != outages or self._is_blind() or self._window.unavailable - unavailable:
            self._window.take_back_assignments(names)
            return False
        for name in names:
            self._move(name)
        return True

    def _move(self, name: str) -> None:
        view, possibly_assigned = self._watcher.nodes.get(name), self._state.is_possibly_assigned(name)
        self._threads.move(name, view, possibly_assigned=possibly_assigned)

    def _start_after_wave(self, ask: AfterWave) -> None:
        self._progress.say("running the playbook after the wave")
        self._threads.ask(ask)

    def _save_progress(self) -> None:
        """Record that only the soak is left, and now and then for how long the nodes have soaked."""
        counts = self._window.counts
        if self._record.needs_soaking(counts):
            self._record.mark_soaking(self.failed_nodes())
        if self._record.is_soak_due(counts):
            self.save_soak()

    def _seconds_until_due(self) -> float:
        """Return how long to wait for an event before the next attempt must be evaluated."""
        due = self._state.next_due()
        seconds = _LONGEST_WAIT if due is None else min(_LONGEST_WAIT, due - self._now())
        return max(0.0, min(seconds, self._progress.seconds_until_due()))
