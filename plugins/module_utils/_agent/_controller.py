# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reconcile loop: observe, plan, execute, report.

Rounds follow each other until nothing changes. While every component is healthy and no config is on trial, the next
round is due with the heartbeat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._nodeconfig.assignment import ConfigSource
from ._adoption_and_rollback import StateChanged, Transactions
from ._agent_context import AgentContext
from ._component_versions import VersionTracker
from ._components import ComponentManager
from ._config_sync import ConfigSync
from ._host_check import HostCheck
from ._interfaces import ANSWER_WAIT
from ._log import log
from ._reporting._metrics import MetricsOutput
from ._reporting._publisher import Publisher
from ._state import actions
from ._state.actions import Acknowledgement, Observation, config_to_restart_for, needs_verification, plan
from ._state.confirmation import confirmation_due
from ._state.desired_state import DesiredKind, DesiredState, NodeAnnotations, read_desired_state
from ._state.health import ComponentsObservation
from ._state.node_state import Moment, NodeState
from ._state.trial_period import (
    Doubt,
    MarkSuspect,
    Promote,
    RollBack,
    SaveTrial,
    TrialTransition,
    TryAgain,
    trial_ends_at,
    trial_seconds,
)
from ._store._durable_files import LOOP_WAIT, LockTimeout, locked
from ._store._file_errors import FileErrors
from ._store._state_reader import read_node_state
from ._trust_settings import TrustSettings
from ._validation._shadowed_fields import record_command_line
from ._validation._validator import finding_place

_FILES_RETRY = 5.0  # seconds after which a round that could not read or write its files is tried again
_LOCK_RETRY = 0.5  # the same, if another process holds the lock
_FILES_LASTING = 5.0  # seconds after which unusable files are reported
_MAX_ROUNDS = 16  # one change takes up to five: the answer, "adopting", the adoption, its effect
_RETRY_SPREAD = 5.0  # seconds


class _SeenOfConfig:
    """What was observed of the config in use, and is forgotten with it. active: its uid, and since when it is used."""

    def __init__(self, active: tuple[str | None, float] | None = None) -> None:
        self.active = active
        self.unsaved_trial = 0.0  # healthy seconds that are not in the record yet
        self.trial_end = float("inf")  # when the trial can end, in seconds since boot
        self.confirmation_due = float("inf")  # when to probe for the confirmation, in seconds since boot
        self.acknowledged: Acknowledgement | None = None


class Controller:
    """One node's agent, without threads and waiting: reconcile() is called whenever something may have happened."""

    def __init__(self, context: AgentContext, outputs: Sequence[MetricsOutput] = ()) -> None:
        """Create the parts of the agent. outputs: where the agent's metrics are published."""
        configuration, self._store, self._clock = context.configuration, context.store, context.clock
        self._configuration = configuration
        self._transactions = Transactions(configuration, self._store, self._clock)
        self.versions = VersionTracker(context)
        self.config_sync = ConfigSync(context)
        self.components = ComponentManager(context)
        self._host_check = HostCheck(context)
        self._trust = TrustSettings(configuration)
        self._file_errors = FileErrors(configuration.state_directory, lasting=_FILES_LASTING)
        self.publisher = Publisher(context, outputs)
        self._seen = _SeenOfConfig()
        self._is_unit_pending = False  # a query for a unit's state runs
        # What an action changes in this node's own files, in one transaction. A switch of files is not among them: it
        # alone may find nothing to change.
        transactions, store = self._transactions, self._store
        self._changes: Mapping[type[Any], Callable[[NodeState, Any], object]] = {
            actions.RecordAnswer: lambda _state, action: store.write_answered(action.answered),
            actions.Refuse: lambda _state, action: store.write_answered(action.answered.with_failure(action.failure)),
            actions.ForgetBad: lambda _state, action: transactions.forget_bad(action.uid),
            actions.KeepAssigned: lambda state, action: transactions.keep_assigned(state, action.answered),
            actions.Pin: lambda state, action: transactions.pin(state, action.record, in_trial=action.in_trial),
            actions.Adopt: lambda state, action: transactions.adopt(state, action.record),
            actions.Unassign: lambda state, action: transactions.unassign(state, action.answered),
            actions.RecordVersion: lambda state, action: transactions.record_version(
                state, action.component, action.version
            ),
            actions.RecordCommandLine: self._record_command_line,
            RollBack: lambda state, action: transactions.roll_back(state, action.failure, action.component),
            SaveTrial: lambda state, _action: transactions.save_trial(state, self._seen.unsaved_trial, is_healthy=True),
            Promote: lambda state, action: transactions.promote(state, action.record),
            MarkSuspect: lambda state, action: transactions.mark_suspect(state, action.failure),
            TryAgain: lambda _state, action: store.write_answered(action.answered),
            Doubt: lambda state, action: transactions.doubt(state, action.doubt),
        }
        # What follows from an action that was carried out.
        self._consequences: Mapping[type[Any], Callable[[Any, Observation], None]] = {
            actions.Refuse: self._refused,
            actions.Pin: self._pinned,
            actions.Adopt: self._adopted,
            actions.Unassign: self._unassigned,
            actions.RecordVersion: lambda action, _observation: self.versions.noted(action.component),
            RollBack: self._rolled_back,
            SaveTrial: self._saved_trial,
            Promote: self._promoted,
            MarkSuspect: self._marked_suspect,
            TryAgain: lambda _action, _observation: log.info(
                "the assigned config is tried again: last-known-good is healthy now"
            ),
        }

    def retry_soon(self) -> None:
        """Retry soon what failed while the API was away; spread over some seconds, since it was away for all nodes."""
        self.config_sync.retry_soon(_RETRY_SPREAD)
        self.publisher.retry_soon(_RETRY_SPREAD)

    def close(self) -> None:
        """Record the seconds of the trial that are not in the record yet, and stop publishing."""
        try:
            state = self.read_state()
            if self._seen.unsaved_trial > 0 and state.is_in_trial:
                with self._transactions.begin(state):
                    self._transactions.save_trial(state, self._seen.unsaved_trial)
        except StateChanged:
            pass  # a hook has rolled back meanwhile
        except (OSError, LockTimeout) as error:
            log.warning("the trial's seconds were not recorded: %s", error)
        self.publisher.close()

    def reconcile(self, node: NodeAnnotations | None, *, watch_error: str = "", refresh: bool = True) -> float:
        """Observe and act until nothing changes; return when the next round is due, in seconds since boot.

        node: None while the Node is not known. watch_error: why it cannot be watched now. refresh: whether a
        unit may have changed; it cannot if only a background task has ended.
        """
        if refresh or self._clock.since_boot() >= self._components_due():
            self.components.refresh()
        self.publisher.set_node(node)
        try:
            for _round in range(_MAX_ROUNDS):
                if not self._run_round(node):
                    break
            self._file_errors.clear()
            due = min(self._components_due(), self.versions.due, self.config_sync.next_due, self._host_check.next_due)
        except (OSError, LockTimeout) as error:
            lasting = self._file_errors.record(error, self._clock.since_boot())
            if lasting:
                self.publisher.report_unusable_files(lasting)
            due = self._clock.since_boot() + (_LOCK_RETRY if isinstance(error, LockTimeout) else _FILES_RETRY)
        answer_due = self.components.answer_due
        is_answer_due = answer_due < float("inf")
        due = min(due, self.publisher.advance(hold_heartbeat=is_answer_due))
        self.publisher.publish_locally(watch_error)
        status_writer = self.publisher.status_writer
        is_held = status_writer.is_written and is_answer_due
        return min(due, max(status_writer.due, answer_due) if is_held else status_writer.due)

    def _components_due(self) -> float:
        acknowledgement = self._acknowledgement()
        if acknowledgement is not None and acknowledgement.pending:
            return acknowledgement.until
        if self._is_unit_pending:
            return self.components.answer_due
        components = self.components
        return min(components.next_due, components.check_due, self._seen.trial_end, self._seen.confirmation_due)

    def _acknowledgement(self) -> Acknowledgement | None:
        """Return the acknowledgement as it is now: pending until the status is written, or for a second."""
        acknowledged = self._seen.acknowledged
        if acknowledged is None or not acknowledged.pending:
            return acknowledged
        is_pending = self.publisher.status_writer.is_sending and self._clock.since_boot() < acknowledged.until
        self._seen.acknowledged = acknowledged._replace(pending=is_pending)
        return self._seen.acknowledged

    def _run_round(self, node: NodeAnnotations | None) -> bool:
        """Return whether something has changed, so that everything has to be observed again."""
        probe_due = min(self.publisher.status_writer.due, self._seen.trial_end, self._seen.confirmation_due)
        if self._clock.since_boot() >= probe_due:
            self.components.probe_soon()
        observation = self._observe(node)
        if self._execute(observation):
            return True
        if observation.acknowledged is not None and observation.acknowledged.pending:
            return False  # the adoption comes first
        observation = self._observe_components(observation)
        self._is_unit_pending = observation.components is None
        if self._is_unit_pending:
            return False
        if self._execute(observation):
            return True
        self._report(observation)
        return False

    # Observe

    def read_state(self) -> NodeState:
        """Read what this node's own files say. Raises OSError, LockTimeout."""
        with locked(self._store.lock, wait=LOOP_WAIT):
            return read_node_state(self._configuration, self._store, self._clock, with_files=True)

    def _observe(self, node: NodeAnnotations | None) -> Observation:
        """Observe all but the components, which are probed only when the config itself needs no action."""
        state = self.read_state()
        self._note_active_config(state)
        observation = Observation(
            Moment(self._clock.since_boot(), self._clock.boot_id(), self._clock.now()),
            state,
            dynamic_config=self._configuration.dynamic_config,
            health_timeout=self._configuration.health.timeout,
            has_static_pods=any(component.manifest for component in self._configuration.components.values()),
        )
        if not self._configuration.dynamic_config or state.active.fallback_reason in ("bad", "CrashLoop"):
            return observation
        invocations = self.components.invocations
        self.versions.advance(invocations)
        desired = None if node is None else self._desired_state(node, state)
        sync = self.config_sync.sync(desired, state, self.versions.versions(invocations))
        observation = observation._replace(
            desired=desired,
            new_versions=self.versions.new_versions,
            sync=sync,
            acknowledged=self._acknowledgement(),
        )
        next_config = None if desired is None else config_to_restart_for(desired, sync, state)
        if next_config is None:
            self._host_check.reset()
            return observation
        return observation._replace(host=self._host_check.before_restart(next_config, state))

    def _desired_state(self, node: NodeAnnotations, state: NodeState) -> DesiredState:
        namespace = self._configuration.namespace
        desired = read_desired_state(node, state.records.answered, state.active_record, namespace)
        # The config in use is assigned again. It may have been signed since: it is verified, and then only pinned.
        if needs_verification(desired, state) and self._trust.is_on():
            return desired._replace(kind=DesiredKind.ADOPT)
        return desired

    def _observe_components(self, observation: Observation) -> Observation:
        state = observation.state
        answered = state.records.answered
        soaks = answered.confirmation is not None and answered.confirmation.is_counting
        matters = state.is_in_trial or answered.waits_for_recovery or soaks or bool(self.publisher.reported_failure)
        components = self.components.observe(state, steady=not (observation.dynamic_config and matters))
        if components is None:
            return observation
        self._seen.confirmation_due = confirmation_due(answered, observation.moment)
        if observation.dynamic_config and not components.new_command_lines:
            components = components._replace(not_read=self._not_read_reason(state))
            self._seen.unsaved_trial += trial_seconds(state, components)
            now = self._clock.since_boot()
            self._seen.trial_end = trial_ends_at(state, components, unsaved=self._seen.unsaved_trial, now=now)
            observation = observation._replace(host_problem=self._host_problem(state, components))
        return observation._replace(components=components, unsaved_trial=self._seen.unsaved_trial)

    def _host_problem(self, state: NodeState, components: ComponentsObservation) -> str:
        """Return what is wrong with the host while components are not healthy, for a verdict on a config; or ""."""
        failure = state.records.answered.failure
        has_rolled_back = failure is not None and failure.kind in ("CrashLoop", "NotHealthy") and not failure.doubt
        if components.healthy or components.stopped or not (state.is_in_trial or has_rolled_back):
            return ""
        at_once = has_rolled_back or any(state.crashes.values())
        return self._host_check.in_trouble(state.active_record, state, at_once=at_once)

    def _not_read_reason(self, state: NodeState) -> str:
        # A check compares the manifest of a static Pod. What components outside of the config in use read says nothing
        # about it.
        units = [name for name, component in self._configuration.components.items() if not component.manifest]
        started = [name for name in units if state.active_record.covers(name) and state.last_start(name) is not None]
        return self.components.command_lines.not_read_reason(started, self.components.invocations)

    # Execute

    def _execute(self, observation: Observation) -> bool:
        """Carry out what is planned; return whether to observe again at once."""
        changed = False
        try:
            for action in plan(observation):
                changed |= self._carry_out(action, observation)
        except StateChanged:
            return True
        return changed

    def _carry_out(self, action: actions.Action, observation: Observation) -> bool:
        """Carry out one action; return whether it has changed anything that is observed. Raises StateChanged."""
        if isinstance(action, actions.Acknowledge):
            return self._acknowledge(action, observation)
        if isinstance(action, actions.Restart):
            self.components.restart(action.component, action.config)
            return False
        if isinstance(action, actions.SwitchFiles):
            with self._transactions.begin(observation.state):
                return self._transactions.switch(observation.state, action.record)
        with self._transactions.begin(observation.state):
            self._changes[type(action)](observation.state, action)
        if type(action) in self._consequences:
            self._consequences[type(action)](action, observation)
        return True

    def _note_active_config(self, state: NodeState) -> None:
        """Forget what was observed of the previous config if there is another one, whichever process has changed it."""
        record = state.active_record
        active = (record.uid, record.since_boot)
        if active == self._seen.active:
            return
        self.components.reset()
        self._seen = _SeenOfConfig(active)

    def _record_command_line(self, _state: NodeState, action: actions.RecordCommandLine) -> None:
        self.components.command_lines.accept(action.component)  # also if it cannot be written: once for each start
        record_command_line(self._store, action.component, action.command_line)

    def _refused(self, action: actions.Refuse, observation: Observation) -> None:
        failure = action.failure
        for finding in action.findings:
            log.warning(
                "finding: %s: %s",
                finding_place(finding),
                finding.get("message"),
                extra={"uid": failure.uid, "level_of_finding": finding.get("level")},
            )
        self._end_sync(observation, "refused", f"(UID: {failure.uid}): {failure.text}")

    def _pinned(self, action: actions.Pin, observation: Observation) -> None:
        self._end_sync(observation, "pinned", _name(action.source))

    def _adopted(self, action: actions.Adopt, observation: Observation) -> None:
        self._end_sync(observation, "adopted", _name(action.source), started_at=action.started_at)

    def _unassigned(self, _action: actions.Unassign, observation: Observation) -> None:
        self._end_sync(observation, "unassigned", "the local config")

    def _end_sync(
        self, observation: Observation, transition: actions.SyncTransition, detail: str, *, started_at: float = 0.0
    ) -> None:
        if observation.desired is not None:
            self.publisher.changes.config_synced(transition, detail, observation.desired, started_at=started_at)
        self.config_sync.reset()

    def _rolled_back(self, action: RollBack, observation: Observation) -> None:
        if action.failure is not None:
            self._record_trial("rolled back", observation, action.failure.text)

    def _saved_trial(self, action: SaveTrial, observation: Observation) -> None:
        self._seen.unsaved_trial = 0.0
        if action.is_first_health:
            self._record_trial("healthy", observation)

    def _promoted(self, _action: Promote, observation: Observation) -> None:
        self._seen.unsaved_trial = 0.0
        self._seen.trial_end = float("inf")
        self._record_trial("promoted", observation)

    def _marked_suspect(self, action: MarkSuspect, observation: Observation) -> None:
        self._record_trial("suspect" if action.failure.suspect else "cleared", observation)

    def _record_trial(self, transition: TrialTransition, observation: Observation, detail: str | None = None) -> None:
        """Record a transition of the trial. detail: None for that of the components as they were observed."""
        if detail is None:
            detail = "" if observation.components is None else observation.components.detail
        self.publisher.changes.trial_changed(transition, observation.state.active_record, detail)

    # Report

    def _acknowledge(self, action: actions.Acknowledge, observation: Observation) -> bool:
        if observation.desired is None:
            return False
        self.publisher.report_adopting(action.record, observation)
        until = self._clock.since_boot() + ANSWER_WAIT
        is_pending = self.publisher.status_writer.is_sending
        self._seen.acknowledged = Acknowledgement(action.record.uid, observation.desired.answered.id, is_pending, until)
        return True

    def _report(self, observation: Observation) -> None:
        if self.publisher.report(observation):
            self._seen.acknowledged = None
        components = observation.components
        if self.publisher.reported_failure and components is not None and not components.stopped:
            due = observation.moment.now + self._configuration.health.probe_interval
            self.components.next_due = min(self.components.next_due, due)


def _name(source: ConfigSource) -> str:
    return f"{source.name} (UID: {source.uid})"
