# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one run holds: the lock, its record, the requests of people, Events, and clients that survive an outage."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError
from ..._kube.api_paths import config_map, events
from ..._nodeconfig.well_known import NAMESPACE_ROLLOUTS
from ..._text import sanitize
from .. import RolloutError
from .._decisions.wave_limits import Progress
from .._outage import Outage, OutageClock, OutageTolerantClient, SingleAttemptClient
from .._record.record import ABORTED, COMPLETE, HALTED, PAUSED, UNPROVEN, Rollout
from ..timing import Clock
from ._followed_control import FollowedControl
from ._owned_record import OwnedRecord
from .pool_lock import PoolLock

Report = Callable[[Progress], None]  # shows a change to the user


class RunSession:
    """The context of one run: the lock, the record as this run writes it, and clients; all survive an outage.

    client: survives an outage. single_attempt_client: the same, for a PATCH that makes a node unavailable, and must be
    decided again when it has no answer. direct_client: gives up soon, for requests that a run can do without.
    holds_lock: whether this run moves the pool now. node_clock: stands still during an outage. report: shows a change
    to the user. control: what people request of the rollout, from the first wave until the lock is released.
    """

    def __init__(
        self,
        client: Client,
        pool: str,
        *,
        runner: str,
        report: Report,
        clock: Clock,
        lease_duration: float,
        longest_outage: float,
    ) -> None:
        self.pool = pool
        self.runner = runner
        self.report = report
        self.clock = clock
        self.direct_client = client
        self.outage = Outage(clock, self.say, longest=longest_outage)
        self._mutex = clock.lock()
        self._lock = PoolLock(client, pool, runner, clock=clock, duration=lease_duration)
        self.holds_lock = False
        self._wave = ""
        self.node_clock = OutageClock(clock, self.outage)
        self.client = OutageTolerantClient(client, self.outage, before_write=self.keep_lock)
        self.single_attempt_client = SingleAttemptClient(client, self.outage, before_write=self.keep_lock)
        self.control = FollowedControl(client, pool, clock, outage=self.outage, say=self.say)
        self.record = OwnedRecord(self.client, pool, runner, clock)

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Hold the lock of the pool. Raises PoolLocked, KubeError."""
        try:  # an interrupt may come at any moment, also when the lock is taken and its answer is under way
            self.outage.retry_while_away(lambda: self._lock.acquire(self.say))
            self.holds_lock = True
            yield
        finally:
            try:
                self.control.end()
            finally:
                self.holds_lock = False
                self._lock.release()

    def keep_lock(self) -> None:
        """Renew the lock when it is due; safe for many threads. Raises RolloutError, since no node is at fault."""
        if not self.holds_lock:
            return
        with self._mutex:
            if not self._lock.is_renewal_due:  # without a request, nothing is learnt about the API server
                return
            try:
                if self.outage.retry_while_away(self._lock.renew_if_due):
                    # This run had stalled, so another runner may have changed the record.
                    self.record.require_ownership()
            except KubeError as error:
                raise RolloutError(f"the lock of pool {self.pool} cannot be renewed: {error}") from error

    def begin_wave(self, wave: str) -> None:
        """Name the wave that the following lines are about."""
        self._wave = wave

    def say(self, line: str) -> None:
        """Show a line to the user."""
        self.report(Progress(self._wave, line))


_STARTED: Final = "RolloutStarted"
_END_REASONS = {
    COMPLETE: "RolloutComplete",
    HALTED: "RolloutHalted",
    PAUSED: "RolloutPaused",
    ABORTED: "RolloutAborted",
    UNPROVEN: "RolloutUnproven",
}
_MAX_MESSAGE = 1024  # what the API server takes


def announce_start(client: Client, pool: str, rollout: Rollout, runner: str) -> None:
    """Create an Event for the start of a rollout."""
    message = f"{_target_text(rollout)}, nodes: {rollout.size}, waves: {len(rollout.waves)}, moved by {runner}"
    create_record_event(client, pool, _STARTED, message, rollout.changed_at)


def announce_end(client: Client, pool: str, rollout: Rollout) -> None:
    """Create an Event for a rollout that has ended or is paused; do nothing in another phase."""
    if rollout.phase in _END_REASONS:
        message = f"{_target_text(rollout)}: {rollout.reason}" if rollout.reason else _target_text(rollout)
        is_warning = rollout.phase != COMPLETE
        create_record_event(
            client, pool, _END_REASONS[rollout.phase], message, rollout.changed_at, is_warning=is_warning
        )


def _target_text(rollout: Rollout) -> str:
    return "the init config" if rollout.target.is_init else f"revision {rollout.revision} ({rollout.target.name})"


def create_record_event(
    client: Client, pool: str, reason: str, message: str, now: str, *, is_warning: bool = False
) -> None:
    """Create an Event on the record of a pool; an Event that cannot be created is left out."""
    involved_object = {"apiVersion": "v1", "kind": "ConfigMap", "namespace": NAMESPACE_ROLLOUTS, "name": pool}
    try:
        record_map = client.get(config_map(NAMESPACE_ROLLOUTS, pool), metadata_only=True)
        body = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{pool}.{uuid.uuid4().hex[:16]}", "namespace": NAMESPACE_ROLLOUTS},
            "involvedObject": {**involved_object, "uid": record_map["metadata"]["uid"]},
            "type": "Warning" if is_warning else "Normal",
            "reason": reason,
            "message": sanitize(message, _MAX_MESSAGE),
            "source": {"component": "configok.node"},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        client.create(events(NAMESPACE_ROLLOUTS), body)
    except KubeError:
        return  # The record says the same, and no rollout fails because of a missing Event.
