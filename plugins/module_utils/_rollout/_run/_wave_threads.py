# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The threads of one wave."""

from __future__ import annotations

from collections.abc import Callable

from ..timing import Clock
from ._worker_pool import WorkerPool, WorkResult

MAX_ASSIGNMENTS = 16  # at a time: more only wait for each other in this process


class WaveThreads:
    """The threads that move nodes, those that make them available again, and one for the question after the wave.

    wake: is called in a thread when a result can be taken.
    """

    def __init__(self, clock: Clock, wake: Callable[[], object]) -> None:
        self.movers = WorkerPool(clock, MAX_ASSIGNMENTS, wake)
        # A host takes minutes: what makes nodes available again does not wait for a thread.
        self.returning = WorkerPool(clock, MAX_ASSIGNMENTS, wake)
        self.question = WorkerPool(clock, 1, wake)  # an abort does not wait for its answer

    @property
    def work_on_nodes(self) -> bool:
        """Return whether a node is being moved, rebooted, uncordoned or taken back."""
        return bool(self.movers.pending or self.returning.pending)

    @property
    def are_busy(self) -> bool:
        """Return whether a result is outstanding."""
        return self.work_on_nodes or bool(self.question.pending)

    def take_results(self) -> list[WorkResult]:
        """Return the results of nodes that are there. Raises what a job raised, except for a KubeError."""
        return [*self.movers.take_results(), *self.returning.take_results()]

    def close(self) -> None:
        """Start no further job. Jobs that run already end on their own."""
        for pool in (self.movers, self.returning, self.question):
            pool.close()
