# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether a wave ends when its nodes have passed: gates, then the playbook after the wave."""

from __future__ import annotations

from collections.abc import Callable

from .._decisions.window import WaveOutcome, Window, WindowStep
from .._gates._gate_monitor import GateMonitor
from .._gates.answers import GateAnswer, GateVerdict
from .run_options import ShouldStop

AfterWave = Callable[[ShouldStop], GateAnswer]
"""Asks whether a wave whose nodes have passed may end; runs in a thread of its own, and may take minutes."""

_STOP = {GateVerdict.FAIL: WaveOutcome.HALT, GateVerdict.UNKNOWN: WaveOutcome.PAUSE}


class WaveEnding:
    """What must agree before a wave is done, beyond its nodes.

    window: is stopped when a gate says no, or does not know. after_wave: is asked when all gates have said yes to a
    question from after the last soak; None for no question.
    """

    def __init__(self, window: Window, gates: GateMonitor, after_wave: AfterWave | None) -> None:
        self._window = window
        self._gates = gates
        self._after_wave = after_wave
        self._is_asked = False
        self._answer: GateAnswer | None = None
        self._soaked_at: float | None = None

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
