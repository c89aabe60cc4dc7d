# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a pool as one run writes it."""

from __future__ import annotations

from collections.abc import Callable

from ..._kube.api_client import Client
from .._decisions import transitions
from .._record.record import Record, Rollout
from .._record.record_store import RecordStore, read_record
from ..plan import Target
from ..timing import Clock


class OwnedRecord:
    """Reads and writes the record of a pool for one run. Transitions are written only while the record is this run's.

    runner: the name of the run. has_changed: whether this run has changed the record, which it does before any other
    change.
    """

    def __init__(self, client: Client, pool: str, runner: str, clock: Clock) -> None:
        self._client = client
        self._pool = pool
        self._runner = runner
        self._clock = clock
        self._store = RecordStore(client, pool)
        self._target: Target | None = None  # of the rollout whose record this run owns
        self.has_changed = False

    def read(self) -> Record:
        """Return the present record. Raises RolloutError, KubeError."""
        return self._store.read()

    def update(self, change: Callable[[Record], Record]) -> tuple[Record, bool]:
        """Change the record. Return it, and whether anything was written. Raises RolloutError, KubeError."""
        record, changed = self._store.update(change)
        self.has_changed = self.has_changed or changed
        return record, changed

    def claim(self, target: Target, change: Callable[[Record], Record]) -> Rollout:
        """Change the record so that it names this runner, which alone may write it from here on."""
        record, _changed = self.update(change)
        self._target = target
        return transitions.current_rollout(record)

    def write_transition(self, change: Callable[[Record, str], Record]) -> Rollout:
        """Write a transition of the rollout, if the record is still this runner's. Raises LockLost, RolloutError."""
        written: Rollout | None = None

        def transition(record: Record) -> Record:
            nonlocal written
            if written is not None and record.rollout == written:
                return record  # the answer was lost, and a revision was published since
            changed = change(transitions.require_own_rollout(record, self._target, self._runner), self._clock.now())
            written = changed.with_timeline().rollout  # as update writes it
            return changed

        record, _changed = self.update(transition)
        return transitions.current_rollout(record)

    def require_ownership(self) -> None:
        """Check that no other runner has moved the pool since this run claimed the record, if it has.

        This reads, and never writes: a write would renew the lock, which asks for this check. Raises LockLost.
        """
        if self._target is not None:
            transitions.require_owner(read_record(self._client, self._pool), self._runner)
