# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Obey what people request of a rollout while a wave moves."""

from __future__ import annotations

from ..._nodeconfig.durations import describe_duration
from .._decisions import transitions
from .._decisions._holds import hold_on_request
from .._decisions.window import WaveOutcome, WindowStep
from .._record._control import Control
from ._session import RunSession


class OperatorPause:
    """The pause of a wave that a person has requested. Nodes that are assigned already get their verdict meanwhile.

    is_recorded: whether the pause is written to the record, which has one phase only for a rollback. wait_timeout:
    seconds after which a paused wave ends.
    """

    def __init__(self, session: RunSession, wave: str, *, is_recorded: bool, wait_timeout: float) -> None:
        self._session = session
        self._wave = wave
        self._is_recorded = is_recorded
        self._wait_timeout = wait_timeout
        self._reason = ""
        self._since = 0.0

    @property
    def is_held(self) -> bool:
        """Return whether nothing may be assigned now."""
        return bool(self._reason)

    def check(self, control: Control, *, is_quiet: bool) -> WindowStep | None:
        """Note the present requests. Return the end of the wave when it is aborted, or was paused for too long.

        is_quiet: whether no node is in flight. Raises RolloutError, KubeError.
        """
        self._session.control.say_problems()
        if control.is_abort:
            return WindowStep(outcome=WaveOutcome.ABORT, reason=control.describe_request())
        hold = hold_on_request(control)
        self._set_reason("" if hold is None else hold.reason)
        if self._reason and is_quiet and self._session.clock.monotonic() - self._since > self._wait_timeout:
            return WindowStep(outcome=WaveOutcome.PAUSE, reason=self._reason)
        return None

    def _set_reason(self, reason: str) -> None:
        if reason == self._reason:
            return
        session, wave = self._session, self._wave
        if not self._reason:
            self._since = session.clock.monotonic()
        self._reason = reason
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
