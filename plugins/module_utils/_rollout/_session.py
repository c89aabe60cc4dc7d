# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one run holds while it moves a wave: the lock, and the right to write the record. Private to configok.node."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .._kube._api_client import Client
from .._kube._api_errors import KubeError
from .._kube._api_paths import config_map, events
from .._nodeconfig._untrusted import sanitize
from .._nodeconfig._well_known import NAMESPACE_ROLLOUTS
from . import _transitions as steps
from ._outage import Outage, OutageClock, OutageTolerantClient
from ._plan import Plan
from ._pool_lock import PoolLock
from ._record import COMPLETE, HALTED, PAUSED, Record, Rollout
from ._record_store import update_record
from ._rendering import Progress
from ._rollout_errors import RolloutError
from ._timing import Clock

__all__ = ["RunSession", "announce_start", "announce_end"]


class RunSession:
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
        report: Callable[[Progress], None],
        clock: Clock,
        lease_duration: float,
    ) -> None:
        self.runner = runner
        self.report = report
        self.clock = clock
        self.direct_client = client
        self._plan = plan
        self._tell = lambda line: report(Progress(wave, line))
        self.outage = Outage(clock, self._tell)
        self._mutex = clock.lock()
        self._lock = PoolLock(client, plan.pool, runner, clock=clock, duration=lease_duration)
        self._locked = False
        self._owns_record = False
        self.node_clock = OutageClock(clock, self.outage)
        self.client = OutageTolerantClient(client, self.outage, before_again=self.keep_lock)

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Hold the lock of the pool."""
        self.outage.retry_while_away(lambda: self._lock.acquire(self._tell))
        self._locked = True
        try:
            yield
        finally:
            self._lock.release()

    def keep_lock(self) -> None:
        """Renew the lock when it is due; called by many threads. Raises RolloutError: no node is to blame."""
        if not self._locked:
            return
        with self._mutex:
            if not self._lock.is_renewal_due:  # nothing is sent, which tells nothing of the API server
                return
            try:
                if self.outage.retry_while_away(self._lock.renew_if_due) and self._owns_record:
                    # It had stalled: the record may be another runner's now.
                    self.update_record(lambda record: steps.require_owner(record, self.runner))
            except KubeError as error:
                raise RolloutError(f"the lock of pool {self._plan.pool} cannot be renewed: {error}") from error

    def update_record(self, change: Callable[[Record], Record]) -> tuple[Rollout, bool]:
        """Change the record. Return its rollout, and whether anything was written."""
        record, changed = update_record(self.client, self._plan.pool, change)
        return steps.current_rollout(record), changed

    def claim_record(self, change: Callable[[Record], Record]) -> Rollout:
        """Change the record so that it names this runner: from here on it is this run's to write."""
        rollout, _changed = self.update_record(change)
        self._owns_record = True
        return rollout

    def write_transition(self, change: Callable[[Record, str], Record]) -> Rollout:
        """Write a step, if the record is still this runner's."""
        written: Rollout | None = None

        def step(record: Record) -> Record:
            nonlocal written
            if written is not None and record.rollout == written:
                return record  # the answer was lost, and a revision was published since
            changed = change(steps.require_own_rollout(record, self._plan, self.runner), self.clock.now())
            written = changed.rollout
            return changed

        rollout, _changed = self.update_record(step)
        return rollout


_REASONS = {COMPLETE: "RolloutComplete", HALTED: "RolloutHalted", PAUSED: "RolloutPaused"}
_MAX_MESSAGE = 1024  # what the API server takes


def announce_start(client: Client, pool: str, rollout: Rollout, runner: str) -> None:
    """Tell that a rollout began."""
    message = f"{_what(rollout)}, nodes: {rollout.size}, waves: {len(rollout.waves)}, moved by {runner}"
    _tell(client, pool, "RolloutStarted", message, rollout.changed_at)


def announce_end(client: Client, pool: str, rollout: Rollout) -> None:
    """Tell that a rollout is complete, halted or paused; in another phase there is nothing to tell."""
    if rollout.phase in _REASONS:
        message = f"{_what(rollout)}: {rollout.reason}" if rollout.reason else _what(rollout)
        _tell(client, pool, _REASONS[rollout.phase], message, rollout.changed_at)


def _what(rollout: Rollout) -> str:
    return "the init config" if rollout.target.is_init else f"revision {rollout.revision} ({rollout.target.name})"


def _tell(client: Client, pool: str, reason: str, message: str, now: str) -> None:
    about = {"apiVersion": "v1", "kind": "ConfigMap", "namespace": NAMESPACE_ROLLOUTS, "name": pool}
    try:
        found = client.get(config_map(NAMESPACE_ROLLOUTS, pool), metadata_only=True)
        body = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{pool}.{uuid.uuid4().hex[:16]}", "namespace": NAMESPACE_ROLLOUTS},
            "involvedObject": {**about, "uid": found["metadata"]["uid"]},
            "type": "Normal" if reason in ("RolloutStarted", "RolloutComplete") else "Warning",
            "reason": reason,
            "message": sanitize(message, _MAX_MESSAGE),
            "source": {"component": "configok.node"},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        client.create(events(NAMESPACE_ROLLOUTS), body)
    except KubeError:
        return  # The record says it, too: no rollout ends for want of an Event.
