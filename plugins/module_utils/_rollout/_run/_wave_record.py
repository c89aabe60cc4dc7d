# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the progress of a wave to the record."""

from __future__ import annotations

from collections.abc import Iterable

from .._decisions import transitions
from .._decisions._node_run import Phase
from ._session import RunSession
from ._wave_state import WaveState

_SOAK_SAVE_INTERVAL = 30.0  # seconds


class WaveRecord:
    """The part of the record that a wave writes while it moves. A rollback writes nothing before its end."""

    def __init__(self, session: RunSession, state: WaveState) -> None:
        self._session = session
        self._state = state
        self._places = {name: place for place, name in enumerate(state.job.goals, 1)}
        self._recorded_up_to = 0  # the places up to which the record says that nodes may be assigned
        self._soaking_recorded = False
        self._soak_saved_at = session.node_clock.monotonic()

    def before_assigning(self, names: Iterable[str]) -> None:
        """Record that these nodes may be assigned from here on. Raises RolloutError, KubeError."""
        position, lookahead = self._state.job.position, self._state.job.lookahead
        reached = max(self._places[name] for name in names)
        if position is None or reached <= self._recorded_up_to:
            return
        failed_nodes = self._state.failed_nodes()
        rollout = self._session.record.write_transition(
            lambda record, now: transitions.before_assigning(
                record, position, reached, failed_nodes, lookahead=lookahead, now=now
            )
        )
        self._recorded_up_to = rollout.present_wave.assigned_up_to

    def save_progress(self) -> None:
        """Record, once, that only the soak is left, and now and then for how long the nodes have soaked.

        Raises RolloutError, KubeError.
        """
        counts, job = self._state.window.counts, self._state.job
        if not counts[Phase.SOAKING] or job.position is None:
            return
        if not (self._soaking_recorded or counts[Phase.WAITING] or counts[Phase.IN_FLIGHT]):
            self._soaking_recorded = True
            failed_nodes = self._state.failed_nodes()
            self._session.record.write_transition(
                lambda record, now: transitions.mark_soaking(record, failed_nodes, now=now)
            )
        now = self._session.node_clock.monotonic()
        if now - self._soak_saved_at > max(_SOAK_SAVE_INTERVAL, job.soak / 10):
            self._soak_saved_at = now
            self.save_soak()

    def save_soak(self) -> None:
        """Record for how long the nodes have soaked, so that the next run need not wait for it again.

        Raises RolloutError, KubeError.
        """
        if self._state.job.position is not None:
            soaked = self._state.soaked_seconds(self._session.node_clock.monotonic())
            self._session.record.write_transition(lambda record, _now: transitions.save_soak(record, soaked))
