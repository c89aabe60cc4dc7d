# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether a wave ends for a reason that is not a node's: people, a missing bundle, gates, a playbook."""

from __future__ import annotations

from collections.abc import Callable

from ..._nodeconfig.durations import describe_duration
from .._decisions import transitions
from .._decisions._holds import hold_on_request
from .._decisions._node_run import Phase
from .._decisions.wave_limits import WaveOutcome, Window, WindowStep
from .._gates._gate_monitor import GateMonitor
from .._gates.answers import GateAnswer, GateVerdict
from .._record.revisions import missing_bundle
from ._session import RunSession
from ._wave_job import WaveJob
from .run_options import ShouldStop

AfterWave = Callable[[ShouldStop], GateAnswer]
"""Asks whether a wave whose nodes have passed may end; runs in a thread of its own, and may take minutes."""

_STOP = {GateVerdict.FAIL: WaveOutcome.HALT, GateVerdict.UNKNOWN: WaveOutcome.PAUSE}
_BUNDLE_CHECK_INTERVAL = 5.0  # seconds


class WaveEnding:
    """What ends a wave, or holds it, beyond its nodes.

    window: is stopped when a gate says no, or does not know. after_wave: is asked when all gates have said yes to a
    question from after the last soak; None for no question. wait_timeout: seconds after which a paused wave ends.
    """

    def __init__(
        self,
        session: RunSession,
        job: WaveJob,
        window: Window,
        gates: GateMonitor,
        after_wave: AfterWave | None,
        wait_timeout: float,
    ) -> None:
        self._window = window
        self._gates = gates
        self._after_wave = after_wave
        self._is_asked = False
        self._answer: GateAnswer | None = None
        self._soaked_at: float | None = None
        self._pause = _RequestedPause(session, job, wait_timeout)
        self._bundles = _BundleCheck(session, job)

    @property
    def is_held(self) -> bool:
        """Return whether a person has requested a pause, so that nothing may be assigned now."""
        return bool(self._pause.reason)

    def demand(self, now: float, *, is_busy: bool) -> WindowStep | None:
        """Return the end of the wave that a missing bundle or a person demands, whatever its nodes do; else None.

        is_busy: whether threads are at work, so that the wave cannot end yet. Raises RolloutError, KubeError.
        """
        problem = self._bundles.problem(now)
        missing = WindowStep(outcome=WaveOutcome.PAUSE, reason=problem) if problem else None
        if missing is not None and not is_busy:
            return missing
        requested = self._pause.check(is_quiet=not self._window.counts[Phase.IN_FLIGHT])
        return missing if requested is None else requested

    def answer(self, answer: GateAnswer) -> None:
        """Take the answer of after_wave."""
        self._answer = answer
        if answer.verdict in _STOP:
            self._window.stop(_STOP[answer.verdict], answer.reason)

    def check(self, step: WindowStep, now: float, start: Callable[[AfterWave], None]) -> WindowStep:
        """Return the step, or one without an outcome while something has not agreed yet.

        start: starts after_wave, whose answer is taken by answer().
        """
        is_done = step.outcome is WaveOutcome.DONE
        if is_done and self._soaked_at is None:
            self._soaked_at = now
        decision = self._gates.decide(self._soaked_at)
        if decision.verdict in _STOP:
            self._window.stop(_STOP[decision.verdict], decision.reason)
        if not is_done:
            return step
        if not self._is_asked and decision.verdict is not GateVerdict.PASS:
            return WindowStep()
        if self._after_wave is not None and not self._is_asked:
            self._is_asked = True
            start(self._after_wave)
        has_agreed = self._after_wave is None or (self._answer is not None and self._answer.verdict is GateVerdict.PASS)
        return step if has_agreed else WindowStep()


class _RequestedPause:
    """The pause that a person has requested. Nodes that are assigned already get their verdict meanwhile.

    reason: "" without a pause. Its record is written, except for a rollback, which has one phase only.
    """

    def __init__(self, session: RunSession, job: WaveJob, wait_timeout: float) -> None:
        self.reason = ""
        self._session = session
        self._wave = job.name
        self._is_recorded = job.position is not None
        self._wait_timeout = wait_timeout
        self._since = 0.0

    def check(self, *, is_quiet: bool) -> WindowStep | None:
        """Note the present requests. Return the end of the wave when it is aborted, or was paused for too long.

        is_quiet: whether no node is in flight. Raises RolloutError, KubeError.
        """
        self._session.control.say_problems()
        control = self._session.control.present
        if control.is_abort:
            return WindowStep(outcome=WaveOutcome.ABORT, reason=control.describe_request())
        hold = hold_on_request(control)
        self._set_reason("" if hold is None else hold.reason)
        if self.reason and is_quiet and self._session.clock.monotonic() - self._since > self._wait_timeout:
            return WindowStep(outcome=WaveOutcome.PAUSE, reason=self.reason)
        return None

    def _set_reason(self, reason: str) -> None:
        if reason == self.reason:
            return
        session, wave = self._session, self._wave
        if not self.reason:
            self._since = session.clock.monotonic()
        self.reason = reason
        if reason:
            session.say(f"{wave}: PAUSED: {reason} (waiting up to {describe_duration(self._wait_timeout)})")
        else:
            session.say(f"{wave}: resumed")
        if not self._is_recorded:
            return
        if reason:
            session.record.write_transition(
                lambda record, now: transitions.hold(record, reason, runner=session.runner, now=now)
            )
        else:
            session.record.write_transition(lambda record, now: transitions.go_on(record, wave, now=now))


class _BundleCheck:
    """Checks now and then that the bundles of a wave still exist. One that was missing once stays missing."""

    def __init__(self, session: RunSession, job: WaveJob) -> None:
        self._client = session.direct_client
        self._job = job
        self._checked_at = float("-inf")
        self._problem = ""

    def problem(self, now: float) -> str:
        """Return why a bundle can no longer be assigned, "" while it can. Raises KubeError."""
        if now - self._checked_at >= _BUNDLE_CHECK_INTERVAL and not self._problem:
            self._checked_at = now
            job = self._job
            problems = (missing_bundle(self._client, source, of_machines=job.of_machines) for source in job.bundles)
            self._problem = next(filter(None, problems), "")
        return self._problem
