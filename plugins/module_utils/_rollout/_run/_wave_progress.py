# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the progress of a wave: a line when something changes, at most one of a kind a second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..._text import first_names
from .._decisions._node_run import PASSED, SOAKING, UNKNOWN, NodeState
from .._decisions.window import Progress, Window
from .._record.record import FailureKind
from .._report.rendering import NAMES_SHOWN
from ..timing import Clock

_INTERVAL: Final = 1.0  # seconds: the log of a large pool stays readable
_ASSIGNED: Final = "assigned"
_STATES: Final = (_ASSIGNED, SOAKING, PASSED)


class WaveProgress:
    """Collects the changes of a wave, and shows them as lines. A failure is shown at once, with its reason."""

    def __init__(
        self,
        wave: str,
        total: int,
        soak: float,
        window: Window,
        report: Callable[[Progress], None],
        clock: Clock,
    ) -> None:
        self._wave = wave
        self._total = total
        self._window = window
        self._report = report
        self._clock = clock
        self._phrases = {
            _ASSIGNED: "assigned",
            SOAKING: "ConfigOK" + (f", soaking {soak:g}s" if soak else ""),
            PASSED: "passed",
        }
        self._names: dict[str, list[str]] = {state: [] for state in _STATES}
        self._flushed_at = float("-inf")

    def assigned(self, name: str) -> None:
        """Note that a node was assigned."""
        self._names[_ASSIGNED].append(name)

    def changed(self, name: str, state: NodeState | FailureKind, reason: str) -> None:
        """Note a node's new state."""
        if state in self._names:
            self._names[state].append(name)
            return
        self.flush()
        self.say(f"{'NO VERDICT' if state == UNKNOWN else state.upper()}: {name}: {reason}")

    def say(self, line: str) -> None:
        """Show a line at once."""
        counts = dict(self._window.counts)
        self._report(Progress(self._wave, f"{self._wave}: {line}", self._total, counts))

    def seconds_until_due(self) -> float:
        """Return after how many seconds a line is due, infinity without a change."""
        if not any(self._names.values()):
            return float("inf")
        return self._flushed_at + _INTERVAL - self._clock.monotonic()

    def flush_if_due(self) -> None:
        """Show what has changed, unless lines were shown within the last second."""
        if self.seconds_until_due() <= 0.0:
            self.flush()

    def flush(self) -> None:
        """Show what has changed."""
        self._flushed_at = self._clock.monotonic()
        for state in _STATES:
            names, self._names[state] = sorted(self._names[state]), []
            if names:
                self.say(f"{self._phrases[state]}: {first_names(names, NAMES_SHOWN)}".replace("assigned:", "assigned"))
