# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the progress of a wave to the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .._decisions import transitions
from .._decisions._node_run import IN_FLIGHT, SOAKING, WAITING, NodeState
from .._record.record import FailedNode
from ._session import RunSession
from ._wave_job import WaveJob

_SOAK_SAVE_INTERVAL = 30.0  # seconds


class WaveRecord:
    """The part of the record that a wave writes while it moves. A rollback writes nothing before its end."""

    def __init__(self, session: RunSession, job: WaveJob) -> None:
        self._session = session
        self._job = job
        self._places = {name: place for place, name in enumerate(job.goals, 1)}
        self._recorded_up_to = 0  # the places up to which the record says that nodes may be assigned
        self._soaking_recorded = False
        self._soak_saved_at = session.node_clock.monotonic()

    def before_assigning(self, names: Iterable[str], list_failed: Callable[[], Mapping[str, FailedNode]]) -> None:
        """Record that these nodes may be assigned from here on. Raises RolloutError, KubeError."""
        position, lookahead = self._job.position, self._job.lookahead
        reached = max(self._places[name] for name in names)
        if position is None or reached <= self._recorded_up_to:
            return
        failed_nodes = list_failed()
        rollout = self._session.record.write_transition(
            lambda record, now: transitions.before_assigning(
                record, position, reached, failed_nodes, lookahead=lookahead, now=now
            )
        )
        self._recorded_up_to = rollout.present_wave.assigned_up_to

    def needs_soaking(self, counts: Mapping[NodeState, int]) -> bool:
        """Return, once, whether only the soak is left."""
        if self._soaking_recorded or not counts[SOAKING] or counts[WAITING] or counts[IN_FLIGHT]:
            return False
        self._soaking_recorded = True
        return self._job.position is not None

    def mark_soaking(self, failed_nodes: Mapping[str, FailedNode]) -> None:
        """Record that only the soak is left. Raises RolloutError, KubeError."""
        self._session.record.write_transition(
            lambda record, now: transitions.mark_soaking(record, failed_nodes, now=now)
        )

    def is_soak_due(self, counts: Mapping[NodeState, int]) -> bool:
        """Return, now and then, whether to record for how long the nodes have soaked."""
        now = self._session.node_clock.monotonic()
        if not counts[SOAKING] or now - self._soak_saved_at <= max(_SOAK_SAVE_INTERVAL, self._job.soak / 10):
            return False
        self._soak_saved_at = now
        return True

    def save_soak(self, soaked: Mapping[str, int]) -> None:
        """Record for how long the nodes have soaked. Raises RolloutError, KubeError."""
        if self._job.position is not None:
            self._session.record.write_transition(lambda record, _now: transitions.save_soak(record, soaked))
