# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the progress of a wave: a line when something changes, at most one of a kind a second."""

from __future__ import annotations

from typing import Final

from ..._text import first_names
from .._decisions._node_run import Phase
from .._decisions.wave_limits import Progress
from .._report.rendering import NAMES_SHOWN
from ._session import RunSession
from ._wave_state import ASSIGNED, WaveState

_INTERVAL: Final = 1.0  # seconds: the log of a large pool stays readable


class WaveProgress:
    """Collects the changes of a wave, and shows them as lines. A failure is shown at once, with its reason."""

    def __init__(self, session: RunSession, state: WaveState) -> None:
        self._session = session
        self._job = state.job
        self._window = state.window
        soak = f", soaking {state.job.soak:g}s" if state.job.soak else ""
        self._phrases = {ASSIGNED: "assigned", Phase.SOAKING.value: f"ConfigOK{soak}:", Phase.PASSED.value: "passed:"}
        self._names: dict[str, list[str]] = {state: [] for state in self._phrases}
        self._flushed_at = float("-inf")

    def changed(self, name: str, state: str, reason: str) -> None:
        """Note a node's new state."""
        if state in self._names:
            self._names[state].append(name)
            return
        self.flush()
        self.say(f"{'NO VERDICT' if state == Phase.UNKNOWN.value else state.upper()}: {name}: {reason}")

    def say(self, line: str) -> None:
        """Show a line at once."""
        wave, counts = self._job.name, dict(self._window.counts)
        self._session.report(Progress(wave, f"{wave}: {line}", len(self._job.goals), counts))

    def seconds_until_due(self) -> float:
        """Return after how many seconds a line is due, infinity without a change."""
        if not any(self._names.values()):
            return float("inf")
        return self._flushed_at + _INTERVAL - self._session.clock.monotonic()

    def flush_if_due(self) -> None:
        """Show what has changed, unless lines were shown within the last second."""
        if self.seconds_until_due() <= 0.0:
            self.flush()

    def flush(self) -> None:
        """Show what has changed."""
        self._flushed_at = self._session.clock.monotonic()
        for state, phrase in self._phrases.items():
            names, self._names[state] = sorted(self._names[state]), []
            if names:
                self.say(f"{phrase} {first_names(names, NAMES_SHOWN)}")
