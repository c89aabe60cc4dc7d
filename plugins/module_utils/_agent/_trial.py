# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the trial: counts healthy seconds, promotes, rolls back, suspects. Private to configok.node.

Time counts only while the components are seen healthy, and goes on across restarts of the agent and reboots.
"""

from __future__ import annotations

from .._nodeconfig._durations import condition_duration
from ._agent_configuration import AgentConfiguration
from ._interfaces import Clock
from ._state._active_config import in_trial
from ._state._health import ComponentsObservation
from ._state._node_state import NodeState
from ._state._records import AssignmentFailure, ConfigRecord, same_config
from ._state._startups import crashes_with_config
from ._store._durable_files import LOCK_WAIT, locked
from ._store._state_reader import read_node_state
from ._store._store import Store, digest
from ._transaction import Transactions

__all__ = ["TrialManager"]

_WINDOW = 600.0  # seconds in which crashes after the trial make trouble worth telling
_SAVE_EVERY = 60.0  # healthy seconds, lost when the agent is killed; when it is stopped, those since the last look


class TrialManager:
    """Acts on what was seen of the config in use. Every method may raise OSError and Locked."""

    def __init__(
        self, configuration: AgentConfiguration, store: Store, transactions: Transactions, clock: Clock
    ) -> None:
        self._configuration = configuration
        self._store = store
        self._transactions = transactions
        self._clock = clock
        self._unsaved = 0.0
        self.end = float("inf")  # when the trial can end, in seconds since boot

    def begin(self) -> None:
        """Another config is in use."""
        self._unsaved = 0.0
        self.end = float("inf")

    def pause(self) -> None:
        """The component does not read the config: what is seen of it says nothing about the trial."""
        self.end = float("inf")

    def keep(self, local: NodeState, seen: ComponentsObservation) -> str:
        """Return what was done: "" | "confirmed" | "promoted" | "rolled back" | "suspect" | "cleared"."""
        if in_trial(local.current, local.snapshot.last_known_good):
            return self._trial(local, seen)
        self.end = float("inf")
        if local.current.passed and not same_config(local.current, local.snapshot.last_known_good):
            self._promote(local.current)  # that was cut short, or last-known-good was damaged
            return "promoted"
        if seen.healthy and local.current.source is not None and not local.current.confirmed:
            self._save(local, confirmed=True)
            return "confirmed"
        outcome = local.snapshot.answered.outcome
        if outcome is not None and outcome.kind in ("CrashLoop", "NotHealthy"):
            return self._after_roll_back(local, seen, outcome)
        return ""

    def _trial(self, local: NodeState, seen: ComponentsObservation) -> str:
        record = local.current
        if seen.failed:
            self._roll_back(local, seen)
            return "rolled back"
        if not seen.healthy or seen.stopped:
            self.end = float("inf")
            return ""
        self._unsaved += seen.seconds
        left = record.trial.duration - record.healthy - self._unsaved
        watched = any(record.involves(name) for name in self._configuration.components)
        if left <= 0 or not watched:  # with no component of its own on this node there is nothing to be tried
            self._promote(record._replace(healthy=record.trial.duration, confirmed=True))
            return "promoted"
        self.end = self._clock.since_boot() + left
        if not record.confirmed:
            self._save(local, confirmed=True)
            return "confirmed"
        if self._unsaved >= _SAVE_EVERY:
            self._save(local, confirmed=True)
        return ""

    def _promote(self, record: ConfigRecord) -> None:
        with locked(self._store.lock, wait=LOCK_WAIT):
            self._transactions.promote(record)
            self._transactions.tidy(read_node_state(self._configuration, self._store, self._clock))
        self.begin()

    def _save(self, local: NodeState, *, confirmed: bool) -> None:
        record = local.current._replace(healthy=local.current.healthy + self._unsaved, confirmed=confirmed)
        with locked(self._store.lock, wait=LOCK_WAIT):
            fresh = self._store.snapshot().current
            if fresh == local.snapshot.current:  # a prestart may have rolled back meanwhile
                self._store.write_current(record)
        self._unsaved = 0.0

    def save(self, local: NodeState) -> None:
        """Write down the healthy seconds that are not yet: the agent is being stopped."""
        if self._unsaved > 0 and in_trial(local.current, local.snapshot.last_known_good):
            self._save(local, confirmed=local.current.confirmed)

    def _roll_back(self, local: NodeState, seen: ComponentsObservation) -> None:
        outcome = AssignmentFailure(
            "NotHealthy",
            local.current.uid or "",
            seen.detail,
            within=seen.within,
            time=self._clock.now(),
            boot_id=self._clock.boot_id(),
            since_boot=self._clock.since_boot(),
        )
        with locked(self._store.lock, wait=LOCK_WAIT):
            fresh = read_node_state(self._configuration, self._store, self._clock)
            if fresh.snapshot.current == local.snapshot.current:
                self._transactions.roll_back(fresh, outcome, seen.failed)
        self.begin()

    def _after_roll_back(self, local: NodeState, seen: ComponentsObservation, outcome: AssignmentFailure) -> str:
        since = outcome.since_boot if outcome.boot_id == self._clock.boot_id() else 0.0
        crashing = self.crashes_since(local, since) > local.current.trial.crash_loop_threshold
        if not outcome.suspect:
            if not seen.failed and not crashing:
                return ""
            self._suspect(local, outcome, suspect=True)
            return "suspect"
        now, long = self._clock.since_boot(), self._configuration.health_timeout
        if seen.well_for < long or self.crashes_since(local, now - long):
            return ""
        # From here on crashes are counted anew, so that the verdict does not flap.
        self._suspect(local, outcome._replace(boot_id=self._clock.boot_id(), since_boot=now), suspect=False)
        return "cleared"

    def _suspect(self, local: NodeState, outcome: AssignmentFailure, *, suspect: bool) -> None:
        with locked(self._store.lock, wait=LOCK_WAIT):
            answered = self._store.snapshot().answered
            if answered.outcome == local.snapshot.answered.outcome:
                self._transactions.answer(answered.failed(outcome._replace(suspect=suspect)))

    def crashes_since(self, local: NodeState, since: float) -> int:
        """Return the crashes of what is used now since a time of this boot, of the worst component."""
        boot_id = self._clock.boot_id()
        counts = []
        for name, starts in local.startups.items():
            config = digest(self._store.read_config(name) or b"")
            counts.append(crashes_with_config(starts, boot_id=boot_id, since=since, config=config))
        return max(counts, default=0)

    def failing(self, local: NodeState, seen: ComponentsObservation) -> str:
        """Return what is wrong with a config whose trial is over, or with the init config; "" while nothing is."""
        if seen.failed:
            return seen.detail
        threshold = local.current.trial.crash_loop_threshold
        if self.crashes_since(local, self._clock.since_boot() - _WINDOW) > threshold:
            return f"crashed more than {threshold} times within {condition_duration(_WINDOW)}"
        return ""
