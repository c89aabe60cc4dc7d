# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait until a wave may begin: a request, an approval, a maintenance window, gates, the user's playbook."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from ..._nodeconfig.durations import describe_duration
from .._decisions import transitions
from .._decisions._holds import Hold, hold_before_wave
from .._decisions.control_requests import abort_rollout
from .._gates._gate_monitor import GateMonitor
from .._gates.answers import GateAnswer, GateDecision, GateVerdict
from .._nodes._node_watcher import NodeWatcher
from .._pool.maintenance_windows import parse_time
from .._pool.policy import Policy
from .._record.record import Rollout
from ..plan import Plan, Wave
from ._session import RunSession
from ._worker_pool import WorkerPool
from .run_options import RunOptions, ShouldStop

_CHECK_INTERVAL = 1.0  # seconds


class WaveStart:
    """Waits for everything that a wave needs before it begins. Nothing is assigned meanwhile."""

    def __init__(
        self,
        session: RunSession,
        watcher: NodeWatcher,
        policy: Policy,
        options: RunOptions,
        gates: GateMonitor,
    ) -> None:
        self._session = session
        self._watcher = watcher
        self._policy = policy
        self._options = options
        self._gates = gates

    def wait(self, plan: Plan, wave: Wave) -> Rollout | None:
        """Wait until the wave may begin, and return None; else the rollout as it has ended, or was paused.

        Raises RolloutError, KubeError.
        """
        while True:
            ended = self._wait_for_holds(plan, wave) or self._wait_for_answers(plan, wave)
            if ended is not None or self._hold(wave.name) is None:
                return ended  # a window may have closed, or a person have asked for a pause, while gates were asked

    def _wait_for_holds(self, plan: Plan, wave: Wave) -> Rollout | None:
        session = self._session
        since = session.clock.monotonic()
        reason = ""
        while True:
            session.control.say_problems()
            if session.control.present.is_abort:
                return self._abort(plan)
            hold = self._hold(wave.name)
            if hold is None:
                if reason:
                    session.record.write_transition(lambda record, now: transitions.go_on(record, wave.name, now=now))
                    session.say(f"{wave.name}: resumed")
                return None
            rest = since + self._options.wait_timeout - session.clock.monotonic()
            if hold.reason != reason:
                reason = hold.reason
                rollout = self._pause(plan, reason)
                session.say(f"{wave.name}: PAUSED: {reason}{self._waiting_text(hold, rest)}")
            if rest <= 0 or self._is_beyond(hold, rest):
                return rollout
            self._idle()

    def _hold(self, wave: str) -> Hold | None:
        session = self._session
        return hold_before_wave(
            wave, session.pool, self._policy, session.control.present, parse_time(session.clock.now())
        )

    def _is_beyond(self, hold: Hold, seconds: float) -> bool:
        """Return whether a hold ends by itself, but later than this run waits."""
        now = parse_time(self._session.clock.now())
        return hold.until is not None and hold.until > now + timedelta(seconds=seconds)

    def _waiting_text(self, hold: Hold, rest: float) -> str:
        if rest <= 0 or self._is_beyond(hold, rest):
            return "; run it again then" if hold.until is not None else ""
        return f" (waiting up to {describe_duration(rest)})"

    def _wait_for_answers(self, plan: Plan, wave: Wave) -> Rollout | None:
        """Ask the gates, then the user's playbook. A no before the wave is not the config's fault: it pauses."""
        session = self._session
        decision = self._gates.decide_start()
        while decision.verdict is GateVerdict.WAIT:
            if session.control.present.is_abort:
                return self._abort(plan)
            if self._hold(wave.name) is not None:
                return None
            self._idle()
            decision = self._gates.decide_start()
        ask = self._options.before_wave
        if decision.verdict is GateVerdict.PASS and ask is not None:
            session.say(f"{wave.name}: running the playbook before the wave")
            answer = self._ask(partial(ask, wave.name, wave.nodes))
            if answer is None:
                return self._abort(plan)
            decision = GateDecision(answer.verdict, answer.reason)
        if decision.verdict is GateVerdict.PASS:
            return None
        reason = f"{wave.name} was not begun: {decision.reason}"
        session.say(f"{wave.name}: PAUSED: {reason}")
        return self._pause(plan, reason)

    def _ask(self, question: Callable[[ShouldStop], GateAnswer]) -> GateAnswer | None:
        """Return the answer to a question that may take minutes, None after an abort. Keeps the lock meanwhile."""
        has_stopped = threading.Event()
        worker = WorkerPool(self._session.clock, 1, self._watcher.wake)
        worker.submit("", partial(question, lambda: has_stopped.is_set() or self._session.control.present.is_abort))
        try:
            while True:
                results = worker.take_results()
                if self._session.control.present.is_abort:  # an aborted question has an answer too, which means nothing
                    return None
                for _key, answer in results:
                    return answer if isinstance(answer, GateAnswer) else _unknown(answer)
                self._idle()
        finally:
            has_stopped.set()
            worker.close()

    def _idle(self) -> None:
        self._session.keep_lock()
        self._watcher.take_events(_CHECK_INTERVAL)

    def _pause(self, plan: Plan, reason: str) -> Rollout:
        session = self._session
        return session.record.claim(
            plan.target,
            lambda record: transitions.hold(record, reason, runner=session.runner, now=session.clock.now()),
        )

    def _abort(self, plan: Plan) -> Rollout:
        session = self._session
        return session.record.claim(plan.target, lambda record: abort_rollout(record, session.clock.now()))


def _unknown(answer: object) -> GateAnswer:
    return GateAnswer("before the wave", GateVerdict.UNKNOWN, str(answer))
