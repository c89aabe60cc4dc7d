# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Execute one wave: take events, plan, execute, until the window says how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .._decisions._gate import DELETED, LEFT_POOL, AskGates
from .._decisions.wave_limits import WaveOutcome, WindowStep
from .._nodes._node_watcher import NodeWatcher
from ._move_result import MoveKind
from ._node_mover import NodeMover
from ._session import RunSession
from ._watched_nodes import WatchedNodes
from ._wave_ending import AfterWave, WaveEnding
from ._wave_progress import WaveProgress
from ._wave_record import WaveRecord
from ._wave_state import (
    Decided,
    Job,
    JobEnded,
    NodeSeen,
    OutageEnded,
    Show,
    StartJob,
    Tick,
    WaveAction,
    WaveEvent,
    WaveState,
    plan,
)
from ._wave_threads import WaveThreads

_LONGEST_WAIT = 1.0  # seconds between two rounds without an event


class WaveExecutor:
    """The control loop of one wave: take events, plan, execute. It never waits for an assignment: threads do.

    watcher: has delivered its first list. ending: what ends the wave beyond its nodes. ask_gates: asks servers about a
    node, None without such gates.
    """

    def __init__(
        self,
        session: RunSession,
        watcher: NodeWatcher,
        state: WaveState,
        mover: NodeMover,
        ending: WaveEnding,
        ask_gates: AskGates | None,
    ) -> None:
        self.state = state
        self.record = WaveRecord(session, state)
        self._session = session
        self._watcher = watcher
        self._window = state.window
        self._ending = ending
        self._ask_gates = ask_gates
        self._nodes = WatchedNodes(session, watcher)
        self._threads = WaveThreads(session.clock, watcher.wake, mover)
        self._progress = WaveProgress(session, state)

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
            self._carry_out(self.state.check_passed(view))
        self._carry_out(self.state.resume(self._now()))
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
            demand = self._ending.demand(self._now(), is_busy=self._threads.are_busy)
            if demand is not None and self._has_obeyed(demand):
                return demand
            may_assign = demand is None and not self._ending.is_held
            step = self._window.next_step(self._now(), self._threads.movers.free if may_assign else 0)
            self._progress.flush_if_due()
            if step.to_assign and not self._assign_unless_changed(step.to_assign, outages):
                wait = 0.0
                continue
            step = self._ending.check(step, self._now(), self._start_after_wave)
            if step.outcome is not None and not self._threads.are_busy:
                return step
            if not self._ending.is_held:
                self.record.save_progress()
            wait = 0.0 if step.to_assign else self._seconds_until_due()

    def _now(self) -> float:
        return self._session.node_clock.monotonic()

    # --- take events

    def _take_events(self, wait: float) -> None:
        for event in self._watcher.take_events(wait):
            if event.view is not None:
                self._apply(NodeSeen(event.view, event.type == "DELETED"))
        interruption = self._nodes.new_interruption()
        if interruption:
            self._progress.say(interruption)
        for _key, answer in self._threads.question.take_results():
            self._ending.answer(answer)
        for name, result in self._threads.take_results():
            if result.kind is MoveKind.LOST and not result.reason:
                has_left = self._nodes.read_lost(name, self.state.last_seen(name)).has_left
                result = replace(result, reason=LEFT_POOL if has_left else DELETED)
            self._apply(JobEnded(name, result))

    def _apply(self, event: WaveEvent) -> None:
        self._carry_out(self.state.apply(event, self._now()))

    def _is_blind(self) -> bool:
        """Return whether the nodes cannot be observed; then none is evaluated or assigned, and time stands still.

        Raises ApiUnavailable when that lasts too long.
        """
        seconds = self._nodes.check(self._now())
        if seconds is not None:
            self._progress.say(f"the nodes are watched again after {seconds:.0f}s")
            self._apply(OutageEnded(seconds))
        return self._nodes.are_hidden

    # --- plan

    def _decide_nodes(self) -> None:
        now, state = self._now(), self.state
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
            elif isinstance(action, StartJob):
                self._start(action)
            elif isinstance(action, Show):
                self._progress.changed(action.name, action.state, action.reason)
            else:
                self._progress.say(action.line)

    def _start(self, job: StartJob) -> None:
        self.state.begin(job)
        if job.job is Job.ROLL_BACK:
            self._progress.say(f"{job.name} has failed, and is taken back: {job.reason}")
        self._threads.start(job, self.state)

    def _assign_unless_changed(self, names: tuple[str, ...], outages: int) -> bool:
        """Record and assign these nodes. Return False, and assign none, when other nodes became unavailable meanwhile.

        outages: the number of outages when these nodes were chosen.
        """
        unavailable = self._window.unavailable
        self.record.before_assigning(names)
        self._session.keep_lock()  # a renewal right before the assignment would leave time for other nodes to go down
        self._take_events(0.0)
        if self._session.outage.count != outages or self._is_blind() or self._window.unavailable - unavailable:
            self._window.take_back_assignments(names)
            return False
        self._carry_out(StartJob(Job.MOVE, name) for name in names)
        return True

    def _has_obeyed(self, demand: WindowStep) -> bool:
        """Return whether the wave can end as demanded. An abort leaves nodes without a verdict to themselves."""
        if demand.outcome is not WaveOutcome.ABORT:
            return not self._threads.are_busy
        self._threads.stop()
        self._carry_out(self.state.uncordon(self.state.undecided()))
        return not self._threads.work_on_nodes

    def _start_after_wave(self, ask: AfterWave) -> None:
        self._progress.say("running the playbook after the wave")
        self._threads.ask(ask)

    def _seconds_until_due(self) -> float:
        """Return how long to wait for an event before the next attempt must be evaluated."""
        due = self.state.next_due()
        seconds = _LONGEST_WAIT if due is None else min(_LONGEST_WAIT, due - self._now())
        return max(0.0, min(seconds, self._progress.seconds_until_due()))
