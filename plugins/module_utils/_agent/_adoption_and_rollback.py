# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adopts, promotes, rolls back and unassigns configs, as transactions on the store.

Each is a short sequence of atomic writes. If it is interrupted at any point, the next start of a component or of the
agent finishes it. The caller holds the store's lock: a hook takes it before it reads the state, the controller with
Transactions.begin(). All may raise OSError.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ._agent_configuration import AgentConfiguration
from ._interfaces import Clock
from ._log import ROLLED_BACK, log
from ._manifest_note import read_manifest_note
from ._state.active_config import crash_reason, failure_from_mark, unhealthy_reason
from ._state.node_state import NodeState
from ._state.records import LOCAL_CONFIG, AnsweredAssignment, AssignmentFailure, ConfigRecord, raised_floors
from ._state.start_history import BadConfig, BadConfigKind, append_start
from ._store._durable_files import LOOP_WAIT, DurableFiles, locked
from ._store._rendered_files import (
    POLICY_FIELDS,
    config_for_record,
    keep_rendered,
    policy_in_state_file,
    stale_state_files,
)
from ._store._store import Store, digest
from ._validation._shadowed_fields import fields_set_elsewhere, recorded_command_line

_NEVER_MARKED = ("InvalidConfig", "Untrusted")  # refused before anything was touched


class StateChanged(Exception):
    """A hook or a command has changed the records since they were read: decisions made from them are void."""


class Transactions:
    """Changes the record in use and its files, each change in one transaction."""

    def __init__(self, configuration: AgentConfiguration, store: Store, clock: Clock) -> None:
        self._configuration = configuration
        self._store = store
        self._clock = clock

    @contextmanager
    def begin(self, state: NodeState) -> Iterator[None]:
        """Hold the store's lock for one transaction. Raises StateChanged, LockTimeout, OSError.

        state: what the transaction was decided from. It is compared with the records, because the lock is free while
        the controller decides.
        """
        with locked(self._store.lock, wait=LOOP_WAIT):
            if self._store.read_records() != state.records:
                raise StateChanged
            yield

    def switch(self, state: NodeState, record: ConfigRecord) -> bool:
        """Write every component's file as the record says, and set aside state files that would be fatal with it.

        Return whether the content of any component's file has changed.
        """
        is_changed = False
        for name, component in self._configuration.components.items():
            data = config_for_record(component, self._store, record)
            if data is None:
                log.error("no config to switch to, the component's file stays as it is", extra={"component": name})
                continue
            before = self._store.read_config(name)
            if before != data:
                keep_rendered(name, self._store, data)
                # Without a file before, a component that runs already is taken over with the config it has read.
                since = 0.0 if before is None else self._clock.since_boot()
                self._store.note_switch(name, digest(data), self._clock.boot_id(), since)
                self._store.write_config(name, data)
                is_changed = True
                log.info("switched what the component reads", extra={"component": name, "config": digest(data)[:10]})
            self._set_aside_state(state, name, digest(data))
        return is_changed

    def _set_aside_state(self, state: NodeState, component: str, config: str) -> None:
        root = self._configuration.components[component].root_directory
        start = state.last_start(component)
        if not root or (start is not None and start.config == config):
            return
        # A component that was taken over while it ran has no start on record: its state file shows the policy before.
        before = self._store.read_note(component, start.config).get("state") or {} if start is not None else {}
        after = self._store.read_note(component, config).get("state") or {}
        files = DurableFiles(root)
        by_others = fields_set_elsewhere(self._store, component, list(POLICY_FIELDS.values()))
        for name in stale_state_files(before, after, self._policies_on_disk(component, files)):
            if POLICY_FIELDS[name] in by_others:
                continue  # a flag or a drop-in sets the policy
            try:
                if os.path.exists(files.path(name)):
                    files.rename(name, f"{name}.configok-{self._clock.now().replace(':', '')}")
                    log.info(
                        "set aside a state file of the config before", extra={"component": component, "file": name}
                    )
            except OSError as error:
                log.error("cannot set aside %s: %s", files.path(name), error, extra={"component": component})

    def _policies_on_disk(self, component: str, files: DurableFiles) -> dict[str, str]:
        """Return the policy in each state file; nothing while the component's flags, which may set it, are unknown."""
        policies: dict[str, str] = {}
        if not recorded_command_line(self._store, component).argv:
            return policies
        for name in POLICY_FIELDS:
            try:
                policies[name] = policy_in_state_file(files.read(name))
            except OSError:
                continue  # an unreadable file shows no policy
        return policies

    def adopt(self, state: NodeState, record: ConfigRecord) -> None:
        """Adopt a prepared config, and remove the files that nothing uses now.

        Once ``current`` is written, each component start switches to the config.
        """
        # Crashes count from here on, not from before the wait for the lock.
        record = record._replace(since_boot=self._clock.since_boot())
        self._keep_floors(state, record)
        self._store.write_current(
            record._replace(dropped_components=self._dropped_components(state.active_record, record))
        )
        self.switch(state, record)
        self._remove_unused(state)

    def _keep_floors(self, state: NodeState, record: ConfigRecord | None = None) -> None:
        """Record the floors of the records, before one is replaced, and of the record that replaces it.

        An interruption after this lowers no floor, and the bundle that raised it can still be adopted.
        """
        records = (state.records.current, state.records.last_known_good, record)
        if all(known is None or known.trust is None for known in records):
            return
        floors = self._store.read_trust_floors()
        raised = raised_floors(floors, *records)
        if raised != floors:
            self._store.write_trust_floors(raised)

    def _dropped_components(self, before: ConfigRecord, after: ConfigRecord) -> tuple[str, ...]:
        """Return the components that revert to their init config with this change."""
        return tuple(
            name for name in self._configuration.components if name in before.files and name not in after.files
        )

    def unassign(self, state: NodeState, answered: AnsweredAssignment) -> None:
        """Revert to the init config, which becomes last-known-good.

        The order matters: after an interruption the node still uses its config, has the init config as
        last-known-good, and unassigns again.
        """
        self._keep_floors(state)
        self._store.write_last_known_good(LOCAL_CONFIG)
        self._store.write_current(LOCAL_CONFIG)
        self._store.write_answered(answered)
        self.switch(state, LOCAL_CONFIG)

    def keep_assigned(self, state: NodeState, answered: AnsweredAssignment) -> None:
        """Answer a new assignment of the config in use. This also rewrites a damaged ``current``."""
        record = state.active_record
        self._store.write_current(record._replace(assignment=answered.id, node_uid=answered.node_uid))
        self._store.write_answered(answered)

    def pin(self, state: NodeState, record: ConfigRecord, *, in_trial: bool) -> None:
        """Record the config in use under another UID; as last-known-good too, unless it is on trial."""
        self._keep_floors(state, record)
        self._store.write_current(record)
        if not in_trial:
            self._store.write_last_known_good(record)

    def save_trial(self, state: NodeState, seconds: float, *, is_healthy: bool = False) -> None:
        """Add healthy seconds to the record in use. is_healthy: whether the components are healthy now."""
        record = state.active_record
        record = record._replace(healthy_seconds=record.healthy_seconds + seconds)
        self._store.write_current(record._replace(seen_healthy=True, doubt="") if is_healthy else record)

    def doubt(self, state: NodeState, doubt: str) -> None:
        """Record, and log, why a failure of the config in use would not be charged to it."""
        self._store.write_current(state.active_record._replace(doubt=doubt))
        log.warning("a failure of this config would be in doubt: %s", doubt)

    def record_version(self, state: NodeState, component: str, version: str) -> None:
        """Track the component under this version from now on, and with it the running start, whose end is to come."""
        before = self._store.tracking_version(component, "")
        self._store.write_note(component, "version", {"version": version})
        after, start = self._store.tracking_version(component, ""), state.last_start(component)
        if before != after and start is not None:
            startups = self._store.read_startups(component, after)
            self._store.write_startups(component, after, append_start(startups, start))

    def promote(self, state: NodeState, record: ConfigRecord) -> None:
        """Make the record in use last-known-good, since its trial is over, and remove files that nothing uses."""
        self._keep_floors(state)
        self._store.write_current(record)
        self._store.write_last_known_good(record)
        self._remove_unused(state)

    def roll_back(self, state: NodeState, failure: AssignmentFailure | None = None, component: str = "") -> None:
        """Roll back to last-known-good, as state.active says.

        failure, component: what the controller observed (not healthy); None if the state itself shows the reason (a
        crash loop, an unreadable record). The bad mark is written first: from then on every start of a component rolls
        back by itself. A failure in doubt leaves no mark.
        """
        records = state.records
        abandoned = records.current
        target = records.last_known_good if failure is not None else state.active.record
        if target is None or (target.source is not None and failure is not None and not self._has_all_files(state)):
            target = LOCAL_CONFIG
        if abandoned is not None and abandoned.source is not None:
            failure = failure or self._failure_of_selection(state, abandoned)
            if failure is not None:
                failure = failure._replace(adopted_since_boot=abandoned.adopted_in(failure.boot_id))
                if not failure.doubt:
                    self._mark_bad(state, abandoned, failure, component or state.most_crashed_component())
                if records.answered.source is None or records.answered.source.uid == failure.uid:
                    answered = _answered_by(abandoned, records.answered)
                    self._store.write_answered(answered.with_failure(failure))
        now = target._replace(
            adopted_at=self._clock.now(),
            boot_id=self._clock.boot_id(),
            since_boot=self._clock.since_boot(),
            dropped_components=() if abandoned is None else self._dropped_components(abandoned, target),
            seen_healthy=False,  # until it is probed healthy again: a component may still run the abandoned config
        )
        target = now if target.source is not None else LOCAL_CONFIG
        self._keep_floors(state)
        self._store.write_current(target)
        self.switch(state, target)
        log.error(
            "rolled back to last-known-good",
            extra={
                "why": failure.text if failure is not None else f"current is {state.active.fallback_reason}",
                "uid": target.uid or "init",
                "message_id": ROLLED_BACK,
            },
        )

    def _has_all_files(self, state: NodeState) -> bool:
        good = state.records.last_known_good
        return good is not None and all(
            config_for_record(component, self._store, good) is not None
            for name, component in self._configuration.components.items()
            if name in good.files
        )

    def _failure_of_selection(self, state: NodeState, abandoned: ConfigRecord) -> AssignmentFailure | None:
        """Return the failure for which a config is abandoned; None if only its files are damaged."""
        uid = abandoned.uid or ""
        if state.active.fallback_reason == "CrashLoop":
            failure = AssignmentFailure(
                "CrashLoop", uid, crash_reason(state.active.crashes), crashes=state.active.crashes
            )
        elif state.active.fallback_reason == "bad":
            failure = failure_from_mark(uid, state.bad_configs[uid])
        else:
            return None
        return failure._replace(
            time=failure.time or self._clock.now(),
            boot_id=self._clock.boot_id(),
            since_boot=self._clock.since_boot(),
            doubt=abandoned.doubt,
        )

    def _mark_bad(self, state: NodeState, record: ConfigRecord, failure: AssignmentFailure, component: str) -> None:
        if record.uid is None or record.uid in state.bad_configs or component not in state.tracking_versions:
            return
        version = state.tracking_versions[component]
        marks = self._store.read_bad_configs(component, version)
        kind: BadConfigKind = "CrashLoop" if failure.kind == "CrashLoop" else "NotHealthy"
        reason = failure.text if kind == "CrashLoop" else unhealthy_reason(failure.within, failure.text)
        marks[record.uid] = BadConfig(
            time=failure.time,
            reason=reason,
            kind=kind,
            name="" if record.source is None else record.source.name,
            crashes=failure.crashes,
            within=failure.within,
            probe=failure.text if kind == "NotHealthy" else "",
        )
        self._store.write_bad_configs(component, version, marks)

    def mark_suspect(self, state: NodeState, failure: AssignmentFailure) -> None:
        """Record a failure for which the config may not be at fault, and take its bad mark back."""
        self._remove_marks(failure.uid)
        self._store.write_answered(state.records.answered.with_failure(failure))

    def forget_bad(self, uid: str | None) -> list[str]:
        """Forget a bad UID (None: all of them) under every version; return the forgotten UIDs.

        An assignment that failed with it is tried again.
        """
        forgotten = self._remove_marks(uid)
        answered = self._store.read_records().answered
        failure = answered.failure
        if failure is not None and failure.kind not in _NEVER_MARKED and (uid is None or failure.uid == uid):
            self._store.write_answered(answered._replace(failure=None))
            forgotten.add(failure.uid)
        return sorted(forgotten)

    def _remove_marks(self, uid: str | None) -> set[str]:
        """Remove the bad marks of a UID (None: all marks) under every version; return the UIDs that had one."""
        removed: set[str] = set()
        for component in self._configuration.components:
            for version in self._store.tracked_versions(component):
                marks = self._store.read_bad_configs(component, version)
                remaining = {known: mark for known, mark in marks.items() if uid is not None and known != uid}
                if len(remaining) != len(marks):
                    self._store.write_bad_configs(component, version, remaining)
                    removed |= set(marks) - set(remaining)
        return removed

    def _remove_unused(self, state: NodeState) -> None:
        """Remove old checkpoints and rendered files, but not those of current and last-known-good; and torn writes."""
        written = self._store.read_records()
        records = [record for record in (written.current, written.last_known_good) if record is not None]
        self._store.remove_checkpoints(
            keep=self._configuration.checkpoints_kept, protected=[record.uid for record in records]
        )
        self._store.remove_leftovers()
        for name, version in state.tracking_versions.items():
            data = self._store.read_config(name)
            kept = [record.files.get(name) for record in records]
            kept += [start.config for start in self._store.read_startups(name, version)[-1:]]
            kept += [digest(data)] if data is not None else []
            kept += [str(self._store.read_note(name, "init").get("rendered") or "")]
            note = read_manifest_note(self._store, name)
            kept += [note.written.config, note.intended.config, note.prepared.config]
            self._store.remove_rendered(name, keep=kept)


def _answered_by(abandoned: ConfigRecord, known: AnsweredAssignment) -> AnsweredAssignment:
    """Return the assignment that a rollback answers. The ids of a Node that was registered again are others."""
    node_uid = known.node_uid or abandoned.node_uid
    of_this_node = abandoned.node_uid == node_uid
    answered_id = max(known.id, abandoned.assignment if of_this_node else 0)
    is_known = (answered_id, abandoned.source) == (known.id, known.source)
    if not is_known:
        return AnsweredAssignment(node_uid, answered_id, abandoned.source)
    return known._replace(node_uid=node_uid)
