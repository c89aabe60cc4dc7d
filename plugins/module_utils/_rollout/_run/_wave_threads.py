# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The threads of one wave, and the jobs that they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..._kube.api_errors import CredentialsError, KubeError, Unauthorized, Unreachable
from ..timing import Clock
from ._move_result import MoveKind, MoveResult
from ._node_mover import NodeMover
from ._wave_state import Job, StartJob, WaveState
from ._worker_pool import WorkerPool

_RUNNER_ERRORS = (CredentialsError, Unauthorized, Unreachable)  # not a node's fault: they end the run
MAX_ASSIGNMENTS = 16  # at a time: more only wait for each other in this process


class WaveThreads:
    """The threads that move nodes, those that make them available again, and one for the question after the wave.

    wake: is called in a thread when a result can be taken.
    """

    def __init__(self, clock: Clock, wake: Callable[[], object], mover: NodeMover) -> None:
        self._mover = mover
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

    def start(self, job: StartJob, state: WaveState) -> None:
        """Start a job as soon as a thread is free. state: of the wave."""
        name, mover = job.name, self._mover
        if job.job is Job.MOVE:
            is_repeated = state.is_possibly_assigned(name)
            self.movers.submit(name, partial(mover.move, name, state.nodes.get(name), possibly_assigned=is_repeated))
        elif job.job is Job.REBOOT:
            self.movers.submit(name, partial(mover.reboot, name))
        elif job.job is Job.ROLL_BACK:
            self.returning.submit(name, partial(mover.roll_back, name, job.reason))
        else:
            self.returning.submit(name, partial(mover.uncordon, name))

    def stop(self) -> None:
        """End drains, and what waits for a reboot or a Node."""
        self._mover.tools.is_stopping = True

    def ask(self, question: Callable[[Callable[[], bool]], Any]) -> None:
        """Have a question answered, which can see when it should stop."""
        self.question.submit("", partial(question, self._mover.tools.should_stop))

    def take_results(self) -> Iterator[tuple[str, MoveResult]]:
        """Yield the names and results of the nodes whose jobs have ended.

        A KubeError of a job is a result if it is the fault of its node. Raises any other error of a job.
        """
        for name, value in [*self.movers.take_results(), *self.returning.take_results()]:
            yield name, _as_result(value)

    def close(self) -> None:
        """Start no further job. Jobs that run already end on their own."""
        for pool in (self.movers, self.returning, self.question):
            pool.close()


def _as_result(value: Any) -> MoveResult:
    if isinstance(value, _RUNNER_ERRORS):
        raise value
    if isinstance(value, KubeError):
        return MoveResult(MoveKind.NOT_ASSIGNED, reason=str(value))
    if not isinstance(value, MoveResult):
        raise TypeError(f"a job has returned {type(value).__name__}")
    return value
