# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reconcile loop: observe, plan, execute, report. Private to configok.node.

One round is done after the other, until nothing changes any more. While all is well and no config is on trial, the next
round is that of the heartbeat.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._nodeconfig import _config_ok as verdicts
from .._nodeconfig._assignment import ConfigSource
from .._nodeconfig._config_ok import ConfigOk
from .._nodeconfig._config_status import Cause, ComponentState, ConfigStatus
from ._agent_context import AgentContext
from ._component_versions import VersionTracker
from ._components import ComponentManager
from ._config_sync import ConfigSync
from ._interfaces import ANSWER_WAIT
from ._log import log
from ._reporting._crash_messages import CrashMessages
from ._reporting._event_recorder import ChangeRecorder, EventRecorder
from ._reporting._metrics import MetricsOutput, MetricsPublisher
from ._reporting._status_writer import RunReport, StatusBuilder, StatusWriter, without_healthy_states
from ._state import _actions as actions
from ._state._actions import Acknowledgement, Observation, plan
from ._state._condition import ComponentsCondition, choose_verdict, config_in_use
from ._state._desired_state import DesiredState, NodeAnnotations, read_desired_state
from ._state._health import ComponentsObservation
from ._state._node_state import Moment, NodeState
from ._state._records import LOCAL_CONFIG, AnsweredAssignment, ConfigRecord
from ._state._trial_period import TrialTransition, failure_outside_trial, trial_ends_at, trial_seconds
from ._store._durable_files import LOCK_WAIT, LockTimeout, locked
from ._store._state_reader import read_node_state
from ._store._trouble import FileTrouble
from ._transaction import StateChanged, Transactions
from ._validation._component_flags import CommandLineTracker

__all__ = ["Controller"]

_FILES_RETRY = 5.0  # seconds after which a round that could not read or write its files is tried again
_MAX_ROUNDS = 16  # one change takes up to five: the answer, "adopting", the adoption, its effect
_RETRY_SPREAD = 5.0  # seconds
_FALLBACK_CAUSES = (Cause.CRASH_LOOP, Cause.NOT_HEALTHY, Cause.SUSPECT)  # causes of a verdict after a rollback


class Controller:
    """One node's agent, without threads and waiting: reconcile() is called whenever something may have happened."""

    def __init__(self, context: AgentContext, outputs: Sequence[MetricsOutput] = ()) -> None:
        """outputs: where the agent's metrics are published."""
        configuration, self._store, self._clock = context.configuration, context.store, context.clock
        self._configuration = configuration
        self._agent_version = context.agent_version
        self._started_at = self._clock.now()
        self._transactions = Transactions(configuration, self._store, self._clock)
        self.versions = VersionTracker(context)
        self.config_sync = ConfigSync(context)
        self.components = ComponentManager(context)
        self._command_lines = CommandLineTracker(configuration, self._store, context.commands.command_line)
        self._file_trouble = FileTrouble(configuration.state_directory, lasting=_FILES_RETRY)
        self._status = StatusBuilder(configuration, self._store, agent_version=context.agent_version)
        self.status_writer = StatusWriter(
            configuration.node_name,
            context.api,
            self._clock,
            context.counters,
            context.new_task(),
            heartbeat_interval=configuration.heartbeat_interval,
        )
        self._events = EventRecorder(configuration.node_name, context.api, self._clock, context.new_task())
        self._changes = ChangeRecorder(self._events, context.counters, self._clock)
        last_message = context.commands.last_message
        self._crash_messages = (
            None if last_message is None else CrashMessages(last_message, self._clock, context.new_task())
        )
        self._metrics = MetricsPublisher(configuration, context.counters, outputs, agent_version=context.agent_version)
        self._node: NodeAnnotations | None = None  # as it was seen last
        self._last_observation: Observation | None = None
        self._acknowledged: Acknowledgement | None = None
        self._unsaved_trial = 0.0  # healthy seconds that are not in the record yet
        self._trial_end = float("inf")  # when the trial can end, in seconds since boot
        self._is_asking = False  # a unit's state is about to come
        self._reported_failure = ""
        self._recorded_rollback: tuple[str, str] | None = None  # of the last Event: its uid and time
        self._executors: Mapping[type[Any], Callable[[Any, Observation], bool]] = {
            actions.SwitchFiles: self._switch_files,
            actions.RollBack: self._roll_back,
            actions.RecordAnswer: self._record_answer,
            actions.Refuse: self._refuse,
            actions.ForgetBad: self._forget_bad,
            actions.KeepAssigned: self._keep_assigned,
            actions.Pin: self._pin,
            actions.Acknowledge: self._acknowledge,
            actions.Adopt: self._adopt,
            actions.Unassign: self._unassign,
            actions.RecordVersion: self._record_version,
            actions.Restart: self._restart,
            actions.SaveTrial: self._save_trial,
            actions.Promote: self._promote,
            actions.MarkSuspect: self._mark_suspect,
        }

    def retry_soon(self) -> None:
        """Do what was put off while the API was away, spread a little, since it was away for all nodes."""
        self.config_sync.retry_soon(_RETRY_SPREAD)
        self.status_writer.hurry(_RETRY_SPREAD)
        self._events.hurry(_RETRY_SPREAD)

    def close(self) -> None:
        """Write down what would be lost."""
        try:
            state = self.read_state()
            if self._unsaved_trial > 0 and state.is_in_trial:
                with self._transactions.begin(state):
                    self._transactions.save_trial(state, self._unsaved_trial, confirmed=state.active_record.confirmed)
        except StateChanged:
            pass  # a hook has rolled back meanwhile
        except (OSError, LockTimeout) as error:
            log.warning("the trial's seconds were not written down: %s", error)
        self._metrics.close()

    def reconcile(self, node: NodeAnnotations | None, *, watch_error: str = "", refresh: bool = True) -> float:
        """Observe and act until nothing changes; return when the next round is due, in seconds since boot.

        node: None while the Node is not known. watch_error: why it cannot be watched now. refresh: False where nothing
        but a background task has ended, so that no unit can have changed.
        """
        if refresh or self._clock.since_boot() >= self._components_due():
            self.components.refresh()
        if node is not None and self._node is not None:
            self._handle_node_change(self._node, node)
        self._node = node if node is not None else self._node
        try:
            for _ in range(_MAX_ROUNDS):
                if not self._run_round(node):
                    break
            self._file_trouble.over()
            due = min(self._components_due(), self.versions.due, self.config_sync.next_due)
        except (OSError, LockTimeout) as error:
            lasting = self._file_trouble.met(error, self._clock.since_boot())
            if lasting and self._node is not None:
                self._report_unusable_files(self._node, lasting)
            due = self._clock.since_boot() + _FILES_RETRY
        answer_due = self.components.answer_due
        self.status_writer.attend(hold_heartbeat=answer_due < float("inf"))
        if self.status_writer.is_written:
            self._events.attend()  # the status goes first
            due = min(due, self._events.due)
        self._publish_locally(watch_error)
        status_due = self.status_writer.due
        is_held = self.status_writer.is_written and answer_due < float("inf")
        return min(due, max(status_due, answer_due) if is_held else status_due)

    def _components_due(self) -> float:
        acknowledgement = self._acknowledgement()
        if acknowledgement is not None and acknowledgement.pending:
            return acknowledgement.until
        if self._is_asking:
            return self.components.answer_due
        return min(self.components.next_due, self._trial_end)

    def _acknowledgement(self) -> Acknowledgement | None:
        """Return the acknowledgement as it is now: pending until the status is written, or for a second."""
        acknowledged = self._acknowledged
        if acknowledged is None or not acknowledged.pending:
            return acknowledged
        is_pending = self.status_writer.is_sending and self._clock.since_boot() < acknowledged.until
        self._acknowledged = acknowledged._replace(pending=is_pending)
        return self._acknowledged

    def _handle_node_change(self, before: NodeAnnotations, after: NodeAnnotations) -> None:
        """Report again what another Node object was told, or what was taken away from this one."""
        if before.uid != after.uid:
            self.status_writer.begin()
        elif before.status is not None and after.status is None:
            self.status_writer.gone()

    def _run_round(self, node: NodeAnnotations | None) -> bool:
        """Return whether something has changed, so that everything has to be observed again."""
        if self._clock.since_boot() >= min(self.status_writer.due, self._trial_end):
            self.components.probe_soon()
        observation = self._observe(node)
        if self._execute(observation):
            return True
        if observation.acknowledged is not None and observation.acknowledged.pending:
            return False  # the adoption comes first
        observation = self._observe_components(observation)
        self._is_asking = observation.components is None
        if self._is_asking:
            return False
        if self._execute(observation):
            return True
        self._last_observation = observation
        self._report(observation)
        return False

    # Observe

    def read_state(self) -> NodeState:
        """Read what this node's own files say. Raises OSError, LockTimeout."""
        with locked(self._store.lock, wait=LOCK_WAIT):
            return read_node_state(self._configuration, self._store, self._clock, with_files=True)

    def _observe(self, node: NodeAnnotations | None) -> Observation:
        """Observe all but the components, which are probed only when nothing has to be done for the config itself."""
        state = self.read_state()
        observation = Observation(
            Moment(self._clock.since_boot(), self._clock.boot_id(), self._clock.now()),
            state,
            dynamic_config=self._configuration.dynamic_config,
            health_timeout=self._configuration.health_timeout,
        )
        if not self._configuration.dynamic_config or state.active.fallback_reason in ("bad", "CrashLoop"):
            return observation
        invocations = self.components.invocations
        self.versions.advance(invocations)
        desired = None if node is None else self._desired_state(node, state)
        return observation._replace(
            desired=desired,
            new_versions=self.versions.new_versions,
            sync=self.config_sync.sync(desired, state, self.versions.versions(invocations)),
            acknowledged=self._acknowledgement(),
        )

    def _desired_state(self, node: NodeAnnotations, state: NodeState) -> DesiredState:
        namespace = self._configuration.namespace
        return read_desired_state(node, state.records.answered, state.active_record, namespace)

    def _observe_components(self, observation: Observation) -> Observation:
        state = observation.state
        failure = state.records.answered.outcome
        suspect = failure is not None and failure.suspect
        matters = observation.dynamic_config and (state.is_in_trial or suspect or self._reported_failure)
        seen = self.components.observe(state, steady=not matters)
        if seen is None:
            return observation
        if observation.dynamic_config:
            seen = seen._replace(not_read=self._why_not_read(state))
            self._unsaved_trial += trial_seconds(state, seen)
            now = self._clock.since_boot()
            self._trial_end = trial_ends_at(state, seen, unsaved=self._unsaved_trial, now=now)
        return observation._replace(components=seen, unsaved_trial=self._unsaved_trial)

    def _why_not_read(self, state: NodeState) -> str:
        self._command_lines.record_new(self.components.well_units)
        started = [name for name in self._configuration.components if state.last_start(name) is not None]
        return self._command_lines.not_read_reason(started, self.components.invocations)

    # Execute

    def _execute(self, observation: Observation) -> bool:
        """Carry out what is planned; return whether to observe again at once."""
        changed = False
        try:
            for action in plan(observation):
                changed |= self._executors[type(action)](action, observation)
        except StateChanged:
            return True
        return changed

    def _config_changed(self) -> None:
        """Forget what was seen of the config that was in use before."""
        self.components.reset()
        self._unsaved_trial = 0.0
        self._trial_end = float("inf")
        self._acknowledged = None

    def _switch_files(self, action: actions.SwitchFiles, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            return self._transactions.switch(observation.state, action.record)

    def _roll_back(self, action: actions.RollBack, observation: Observation) -> bool:
        state = observation.state
        with self._transactions.begin(state):
            self._transactions.roll_back(state, action.failure, action.component)
        if action.failure is not None:
            self._changes.trial_changed("rolled back", state.active_record, action.failure.text)
        self._config_changed()
        return True

    def _record_answer(self, action: actions.RecordAnswer, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            self._transactions.record_answer(action.answered)
        return True

    def _refuse(self, action: actions.Refuse, observation: Observation) -> bool:
        failure = action.failure
        with self._transactions.begin(observation.state):
            self._transactions.record_answer(action.answered.failed(failure))
        for finding in action.findings:
            log.warning(
                "finding: %s: %s",
                finding.get("path"),
                finding.get("message"),
                extra={"uid": failure.uid, "level_of_finding": finding.get("level")},
            )
        self._record_sync(observation, "refused", f"(UID: {failure.uid}): {failure.text}")
        self.config_sync.reset()
        return True

    def _forget_bad(self, action: actions.ForgetBad, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            self._transactions.forget(action.uid)
        return True

    def _keep_assigned(self, action: actions.KeepAssigned, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            self._transactions.keep_assigned(observation.state, action.answered)
        return True

    def _pin(self, action: actions.Pin, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            self._transactions.pin(action.record, in_trial=action.in_trial)
        self._record_sync(observation, "pinned", _name(action.source))
        self.config_sync.reset()
        return True

    def _adopt(self, action: actions.Adopt, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            # Crashes count from here on, not from before the lock was waited for.
            record = action.record._replace(since_boot=self._clock.since_boot())
            self._transactions.adopt(observation.state, record)
            self._transactions.remove_unused(observation.state)
        self._config_changed()
        self._record_sync(observation, "adopted", _name(action.source), started_at=action.started_at)
        self.config_sync.reset()
        return True

    def _unassign(self, action: actions.Unassign, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            self._transactions.unassign(observation.state, action.answered)
        self._config_changed()
        self._record_sync(observation, "unassigned", "the local config")
        return True

    def _record_sync(
        self, observation: Observation, transition: actions.SyncTransition, detail: str, *, started_at: float = 0.0
    ) -> None:
        if observation.desired is not None:
            self._changes.config_synced(transition, detail, observation.desired, started_at=started_at)

    def _record_version(self, action: actions.RecordVersion, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            self._transactions.record_version(observation.state, action.component, action.version)
        self.versions.noted(action.component)
        return True

    def _restart(self, action: actions.Restart, _observation: Observation) -> bool:
        self.components.restart(action.component, action.config)
        return False

    def _save_trial(self, action: actions.SaveTrial, observation: Observation) -> bool:
        state = observation.state
        with self._transactions.begin(state):
            self._transactions.save_trial(state, self._unsaved_trial, confirmed=True)
        self._unsaved_trial = 0.0
        if action.confirmed:
            self._record_trial("confirmed", observation)
        return True

    def _promote(self, action: actions.Promote, observation: Observation) -> bool:
        with self._transactions.begin(observation.state):
            self._transactions.promote(action.record)
            self._transactions.remove_unused(observation.state)
        self._unsaved_trial = 0.0
        self._trial_end = float("inf")
        self._record_trial("promoted", observation)
        return True

    def _mark_suspect(self, action: actions.MarkSuspect, observation: Observation) -> bool:
        state = observation.state
        with self._transactions.begin(state):
            self._transactions.record_answer(state.records.answered.failed(action.failure))
        self._record_trial("suspect" if action.failure.suspect else "cleared", observation)
        return True

    def _record_trial(self, transition: TrialTransition, observation: Observation) -> None:
        detail = "" if observation.components is None else observation.components.detail
        self._changes.trial_changed(transition, observation.state.active_record, detail)

    # Report

    def _acknowledge(self, action: actions.Acknowledge, observation: Observation) -> bool:
        """Report "adopting" before anything is touched."""
        desired, record = observation.desired, action.record
        if desired is None:
            return False
        in_use = verdicts.ConfigInUse("current", record.uid, self._status.init_provided)
        self._publish(verdicts.adopting(in_use.label), observation, active=record, states={})
        until = self._clock.since_boot() + ANSWER_WAIT
        self._acknowledged = Acknowledgement(record.uid, desired.answered.id, self.status_writer.is_sending, until)
        return True

    def _report(self, observation: Observation) -> None:
        """Report the verdict that follows from an observation after which nothing is to be done."""
        seen = observation.components
        if seen is None:
            return
        if not observation.dynamic_config:
            self._publish(verdicts.opted_out(), observation, active=LOCAL_CONFIG, states=seen.states)
            return
        verdict = self._choose_verdict(observation, seen)
        if verdict is None:
            return
        self._acknowledged = None
        self._record_rollback(observation, verdict)
        self._publish(verdict, observation, active=observation.state.active_record, states=seen.states)

    def _choose_verdict(self, observation: Observation, seen: ComponentsObservation) -> ConfigOk | None:
        state, now = observation.state, observation.moment.now
        failure = "" if state.is_in_trial else failure_outside_trial(state, seen, observation.moment)
        # The first text stands while the failure lasts: one transition, one write.
        self._reported_failure = (self._reported_failure or failure) if failure else ""
        if self._reported_failure and not seen.stopped:
            self.components.next_due = min(self.components.next_due, now + self._configuration.probe_interval)
        verdict = choose_verdict(
            observation.desired,
            state,
            ComponentsCondition(
                healthy=seen.healthy, failing=self._reported_failure, stopped=seen.stopped, unread=seen.not_read
            ),
            init_provided=self._status.init_provided,
            fetch_error=observation.sync.fetch_error,
            damaged=state.damaged_files,
        )
        if verdict is not None and self._crash_messages is not None:
            verdict = self._crash_messages.add_to(verdict, state)
        return verdict

    def _record_rollback(self, observation: Observation, verdict: ConfigOk) -> None:
        """Record one Event for each rollback, of a hook or of the daemon, once its outcome is known."""
        desired, failure = observation.desired, observation.state.records.answered.outcome
        if desired is None or desired.kind != "failed" or failure is None or verdict.cause not in _FALLBACK_CAUSES:
            return
        before, rollback = self._last_status(), (failure.uid, failure.time)
        # What was reported in between (the unit is stopped) does not make it another rollback.
        if self._recorded_rollback != rollback and (before is None or before.cause not in _FALLBACK_CAUSES):
            self._changes.rolled_back(verdict.message, verdict.reason)
        self._recorded_rollback = rollback

    def _last_status(self) -> ConfigStatus | None:
        """Return what the node reported last, also before the agent was restarted."""
        if self.status_writer.wanted is not None:
            return self.status_writer.wanted[1]
        try:
            return ConfigStatus.parse(self._node.status or "") if self._node is not None else None
        except ValueError:
            return None

    def _publish(
        self, verdict: ConfigOk, observation: Observation, *, active: ConfigRecord, states: Mapping[str, ComponentState]
    ) -> None:
        for path in self._status.drift.drifted_origins():
            verdict = verdicts.with_drift(verdict, path)
        desired, answered = observation.desired, observation.state.records.answered
        status = self._status.status(
            verdict,
            observation.state,
            assignment=answered.id if desired is None else desired.answered.id,
            assigned=answered.source if desired is None else desired.source,
            active=active,
            states=states,
        )
        self._publish_if_new(verdict, status, self._status.label(active))

    def _publish_if_new(self, verdict: ConfigOk, status: ConfigStatus, label: str) -> None:
        if self._node is not None:
            self.status_writer.found(self._node.status, verdict.shortened(), status, label)
        before = self.status_writer.wanted
        if before is not None and (before[0], without_healthy_states(before[1]), before[2]) == (
            verdict.shortened(),
            without_healthy_states(status),
            label,
        ):
            return
        self.status_writer.say(verdict, status, label)

    def _report_unusable_files(self, node: NodeAnnotations, error: str) -> None:
        """Answer without the agent's own files: which config is in use is known from before at best."""
        known = self._last_status() or ConfigStatus()
        answered = AnsweredAssignment(node.uid, known.assignment, known.assigned)
        active = ConfigRecord(source=known.active)
        in_use = None
        if self._last_observation is not None:
            state = self._last_observation.state
            answered, active = state.records.answered, state.active_record
            in_use = config_in_use(self._last_observation.desired, state, init_provided=self._status.init_provided)
        elif known.active is not None:
            in_use = verdicts.ConfigInUse("current", known.active.uid)
        desired = read_desired_state(node, answered, active, self._configuration.namespace)
        verdict = verdicts.files_unusable(in_use, error)
        status = known._replace(
            assignment=desired.answered.id,
            assigned=desired.source,
            error=verdict.shortened().reason,
            cause=verdict.cause,
            agent_version=self._agent_version,
        )
        self._publish_if_new(verdict, status, self._status.label(active))

    def _publish_locally(self, watch_error: str) -> None:
        """Publish metrics and the report for ``status`` on the node itself."""
        reported = self.status_writer.wanted
        report = RunReport(
            agent_version=self._agent_version,
            pid=os.getpid(),
            started_at=self._started_at,
            condition=None if reported is None else reported[0],
            written=self.status_writer.is_written,
            written_at=self.status_writer.written_at,
            trouble=watch_error or self.status_writer.trouble,
        )
        if self._last_observation is not None:
            self._metrics.publish(self._last_observation.state, self._last_observation.desired, report)
        elif reported is not None:
            self._metrics.report(report)


def _name(source: ConfigSource) -> str:
    return f"{source.name} (UID: {source.uid})"
