# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that run requests for a control loop, which never waits for one."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from ..._kube.api_errors import KubeError
from ..timing import Clock

_Job = Callable[[], Any]


class WorkerPool:
    """Up to `size` daemon threads, each of which runs one job at a time. Not safe for several submitting threads.

    wake: is called in a worker's thread when a result can be taken.
    """

    def __init__(self, clock: Clock, size: int, wake: Callable[[], object]) -> None:
        self._clock = clock
        self._size = size
        self._wake = wake
        self._jobs: SimpleQueue[tuple[str, _Job] | None] = SimpleQueue()
        self._results: SimpleQueue[tuple[str, Any, BaseException | None]] = SimpleQueue()
        self._threads = 0
        self.pending = 0  # jobs whose results were not taken yet

    @property
    def free(self) -> int:
        """Return how many jobs would start at once."""
        return max(0, self._size - self.pending)

    def submit(self, key: str, job: _Job) -> None:
        """Run a job as soon as a thread is free."""
        self.pending += 1
        if self._threads < min(self.pending, self._size):
            self._threads += 1
            self._clock.start(self._work, f"worker-{self._threads}")
        self._jobs.put((key, job))

    def take_results(self) -> list[tuple[str, Any]]:
        """Return what jobs have returned since the last call, each with its key; a KubeError that it raised counts too.

        Raises any other exception of a job.
        """
        taken: list[tuple[str, Any]] = []
        while True:
            try:
                key, value, failure = self._results.get_nowait()
            except Empty:
                return taken
            self.pending -= 1
            if failure is not None:
                raise failure
            taken.append((key, value))

    def close(self) -> None:
        """Start no further job. Jobs that run already end on their own."""
        try:
            while True:
                self._jobs.get_nowait()
        except Empty:
            for _thread in range(self._threads):
                self._jobs.put(None)

    def _work(self) -> None:
        while True:
            entry = self._clock.take(self._jobs)
            if entry is None:
                return
            key, job = entry
            failure: BaseException | None = None
            value: Any = None
            try:
                value = job()
            except KubeError as error:
                value = error
            except BaseException as error:  # noqa: BLE001 - raised in the loop, which would otherwise wait forever
                failure = error
            self._results.put((key, value, failure))
            self._wake()
            if failure is not None:
                return
