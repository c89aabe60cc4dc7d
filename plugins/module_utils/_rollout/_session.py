# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one run holds while it moves a wave: the lock, and the right to write the record. Private to configok.node."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .._kube._client import Client
from .._kube._errors import KubeError
from . import _steps as steps
from ._clock import Clock
from ._errors import RolloutError
from ._lock import Lock
from ._outage import Outage, OutageClock, SteadyClient
from ._plan import Plan
from ._progress import Progress
from ._record import Record, Rollout
from ._record_store import update_record

__all__ = ["Session"]


class Session:
    """The lock of one run, and the record as this run writes it; both survive an outage of the API server.

    client: survives an outage. events: a client that gives up soon, for what a run can do without. node_clock: stands
    still during an outage.
    """

    def __init__(
        self,
        client: Client,
        plan: Plan,
        wave: str,
        runner: str,
        progress: Callable[[Progress], None],
        clock: Clock,
        lease_duration: float,
    ) -> None:
        self.runner = runner
        self.progress = progress
        self.clock = clock
        self.events = client
        self._plan = plan
        self._tell = lambda line: progress(Progress(wave, line))
        self.outage = Outage(clock, self._tell)
        self._mutex = threading.Lock()
        self._lock = Lock(client, plan.pool, runner, clock=clock, duration=lease_duration)
        self._locked = False
        self._owns_record = False
        self.node_clock = OutageClock(clock, self.outage)
        self.client = SteadyClient(client, self.outage, before_again=self.keep)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the pool."""
        self.outage.ride_out(lambda: self._lock.acquire(self._tell))
        self._locked = True
        try:
            yield
        finally:
            self._lock.release()

    def keep(self) -> None:
        """Renew the lock when it is due; called by many threads. Raises RolloutError: no node is to blame."""
        if not self._locked:
            return
        with self._mutex:
            if not self._lock.is_due:  # nothing is sent, which tells nothing of the API server
                return
            try:
                if self.outage.ride_out(self._lock.keep) and self._owns_record:
                    # It had stalled: the record may be another runner's now.
                    self.update(lambda record: steps.owned(record, self.runner))
            except KubeError as error:
                raise RolloutError(f"the lock of pool {self._plan.pool} cannot be renewed: {error}") from error

    def update(self, change: Callable[[Record], Record]) -> tuple[Rollout, bool]:
        """Change the record. Return its rollout, and whether anything was written."""
        record, changed = update_record(self.client, self._plan.pool, change)
        return steps.rollout_of(record), changed

    def take(self, change: Callable[[Record], Record]) -> Rollout:
        """Change the record so that it names this runner: from here on it is this run's to write."""
        rollout, _changed = self.update(change)
        self._owns_record = True
        return rollout

    def write(self, change: Callable[[Record, str], Record]) -> Rollout:
        """Write a step, if the record is still this runner's."""
        written: Rollout | None = None

        def step(record: Record) -> Record:
            nonlocal written
            if written is not None and record.rollout == written:
                return record  # the answer was lost, and a revision was published since
            changed = change(steps.mine(record, self._plan, self.runner), self.clock.now())
            written = changed.rollout
            return changed

        rollout, _changed = self.update(step)
        return rollout
