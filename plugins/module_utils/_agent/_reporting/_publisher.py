# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publishes what follows from an observation: status, Events, metrics, the run report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ..._nodeconfig import config_ok as verdicts
from ..._nodeconfig.config_ok import ConfigOk
from ..._nodeconfig.config_status import Cause, ComponentState, ConfigStatus
from .._agent_context import AgentContext
from .._state.actions import Observation
from .._state.confirmation import is_confirmation_close
from .._state.desired_state import DesiredKind, NodeAnnotations, read_desired_state
from .._state.health import ComponentsObservation
from .._state.records import LOCAL_CONFIG, AnsweredAssignment, ConfigRecord
from .._state.trial_period import failure_outside_trial
from .._state.verdict import choose_verdict, config_in_use
from ._crash_messages import CrashMessages
from ._event_recorder import ChangeRecorder, EventRecorder
from ._metrics import MetricsOutput, MetricsPublisher
from .status_writer import (
    NodeReport,
    RunReport,
    StatusBuilder,
    StatusWriter,
    only_ends_trial,
    without_healthy_states,
)

_FALLBACK_CAUSES = (Cause.CRASH_LOOP, Cause.NOT_HEALTHY, Cause.SUSPECT)  # of a verdict after a rollback


class Publisher:
    """Builds the verdict that follows from an observation, and publishes it on the Node and for ``status``."""

    def __init__(self, context: AgentContext, outputs: Sequence[MetricsOutput]) -> None:
        """Build the writers. outputs: where the agent's metrics are published."""
        configuration, self._clock = context.configuration, context.clock
        self._namespace = configuration.namespace
        self._agent_version = context.agent_version
        self._started_at = self._clock.now()
        self._builder = StatusBuilder(configuration, context.store, agent_version=context.agent_version)
        self.status_writer = StatusWriter(context)
        self._events = EventRecorder(context)
        self.changes = ChangeRecorder(context, self._events)
        self._crash_messages = CrashMessages(context)
        self._metrics = MetricsPublisher(context, outputs)
        self._node: NodeAnnotations | None = None  # as observed last
        self._last_observation: Observation | None = None
        self._recorded_rollback: tuple[str, str] | None = None  # the latest: uid and time of its failure
        self.reported_failure = ""  # of a config that is not on trial, for as long as it lasts

    def retry_soon(self, within: float) -> None:
        """Send what waits for the API, which answers again. within: seconds over which nodes spread their requests."""
        self.status_writer.retry_soon(within)
        self._events.retry_soon(within)

    def close(self) -> None:
        """Stop publishing metrics."""
        self._metrics.close()

    def set_node(self, node: NodeAnnotations | None) -> None:
        """Observe the Node; report again if it is another object, or has lost its status. None: it is not known."""
        before = self._node
        if node is None:
            return
        self._node = node
        if before is None:
            return
        if before.uid != node.uid:
            self.status_writer.reset()
        elif before.status is not None and node.status is None:
            self.status_writer.mark_lost()

    def advance(self, *, hold_heartbeat: bool) -> float:
        """Send what is due, the status before any Event. Return when the next Event is due, in seconds since boot.

        hold_heartbeat: whether a heartbeat waits, since the answer to a probe or query may change the status.
        """
        self.status_writer.advance(hold_heartbeat=hold_heartbeat)
        if not self.status_writer.is_written:
            return float("inf")
        self._events.advance()
        return self._events.next_due

    def report_adopting(self, record: ConfigRecord, observation: Observation) -> None:
        """Report "adopting" for a record, and start to write it: the adoption waits for the answer."""
        in_use = verdicts.ConfigInUse("current", record.uid, self._builder.init_provided)
        self._publish(verdicts.adopting(in_use.label), observation, active=record, states={})
        self.status_writer.advance()

    def report(self, observation: Observation) -> bool:
        """Report the verdict that follows from an observation after which nothing is to be done.

        Return whether there was anything new to report.
        """
        self._last_observation = observation
        components = observation.components
        if components is None:
            return False
        if not observation.dynamic_config:
            self._publish(verdicts.opted_out(), observation, active=LOCAL_CONFIG, states=components.states)
            return True
        verdict = self._choose_verdict(observation, components)
        if verdict is None:
            return False
        self._record_rollback(observation, verdict)
        self._publish(verdict, observation, active=observation.state.active_record, states=components.states)
        return True

    def _choose_verdict(self, observation: Observation, components: ComponentsObservation) -> ConfigOk | None:
        state = observation.state
        failure = "" if state.is_in_trial else failure_outside_trial(state, components, observation.moment)
        # The first text is kept for as long as the failure lasts: one transition, one write.
        self.reported_failure = (self.reported_failure or failure) if failure else ""
        verdict = choose_verdict(
            observation.desired,
            state,
            components,
            failing=self.reported_failure,
            init_provided=self._builder.init_provided,
            fetch_error=observation.sync.fetch_error,
            host_problem="" if observation.host is None else observation.host.problem,
            damaged=state.damaged_files,
        )
        return None if verdict is None else self._crash_messages.add_to(verdict, state)

    def _record_rollback(self, observation: Observation, verdict: ConfigOk) -> None:
        """Record one Event for each rollback, of a hook or of the daemon, once its outcome is known."""
        desired, failure = observation.desired, observation.state.records.answered.failure
        if (
            desired is None
            or desired.kind != DesiredKind.FAILED
            or failure is None
            or verdict.cause not in _FALLBACK_CAUSES
        ):
            return
        before, rollback = self._last_status(), (failure.uid, failure.time)
        # The same rollback may be reported again after another status, for example that the unit is stopped.
        if self._recorded_rollback != rollback and (before is None or before.cause not in _FALLBACK_CAUSES):
            self.changes.rolled_back(verdict.message, verdict.reason)
        self._recorded_rollback = rollback

    def _last_status(self) -> ConfigStatus | None:
        """Return what the node has reported last, if necessary by an earlier process of the agent."""
        if self.status_writer.latest is not None:
            return self.status_writer.latest.status
        try:
            return ConfigStatus.parse(self._node.status or "") if self._node is not None else None
        except ValueError:
            return None

    def _publish(
        self, verdict: ConfigOk, observation: Observation, *, active: ConfigRecord, states: Mapping[str, ComponentState]
    ) -> None:
        for path in self._builder.drift.drifted_origins():
            verdict = verdicts.with_drift(verdict, path)
        desired, answered = observation.desired, observation.state.records.answered
        status = self._builder.build(
            verdict,
            observation.state,
            assignment=answered.id if desired is None else desired.answered.id,
            assigned=answered.source if desired is None else desired.source,
            active=active,
            states=states,
        )
        report = NodeReport(verdict.shortened(), status, self._builder.label(active))
        if only_ends_trial(self.status_writer.latest, report) and is_confirmation_close(answered, observation.moment):
            return
        self._publish_if_new(verdict, report)

    def _publish_if_new(self, verdict: ConfigOk, report: NodeReport) -> None:
        if self._node is not None:
            self.status_writer.accept_existing(self._node.status, report)
        before = self.status_writer.latest
        if before is not None and without_healthy_states(before) == without_healthy_states(report):
            return
        self.status_writer.update(verdict, report.status, report.label)

    def report_unusable_files(self, error: str) -> None:
        """Report that the agent cannot use its own files; which config is in use follows from earlier reports."""
        if self._node is None:
            return
        known = self._last_status() or ConfigStatus()
        answered = AnsweredAssignment(self._node.uid, known.assignment, known.assigned)
        active = ConfigRecord(source=known.active)
        in_use = None
        if self._last_observation is not None:
            state = self._last_observation.state
            answered, active = state.records.answered, state.active_record
            in_use = config_in_use(self._last_observation.desired, state, init_provided=self._builder.init_provided)
        elif known.active is not None:
            in_use = verdicts.ConfigInUse("current", known.active.uid)
        desired = read_desired_state(self._node, answered, active, self._namespace)
        verdict = verdicts.files_unusable(in_use, error)
        status = known._replace(
            assignment=desired.answered.id,
            assigned=desired.source,
            error=verdict.shortened().reason,
            cause=verdict.cause,
            agent_version=self._agent_version,
        )
        self._publish_if_new(verdict, NodeReport(verdict.shortened(), status, self._builder.label(active)))

    def publish_locally(self, watch_error: str) -> None:
        """Publish the metrics and the run report. watch_error: why the Node cannot be watched now, or ""."""
        reported = self.status_writer.latest
        report = RunReport(
            agent_version=self._agent_version,
            pid=os.getpid(),
            started_at=self._started_at,
            condition=None if reported is None else reported.verdict,
            written=self.status_writer.is_written,
            written_at=self.status_writer.written_at,
            api_error=watch_error or self.status_writer.error,
        )
        if self._last_observation is not None:
            self._metrics.publish(self._last_observation.state, self._last_observation.desired, report)
        elif reported is not None:
            self._metrics.report(report)
