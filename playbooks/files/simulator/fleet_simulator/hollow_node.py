# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent of one hollow node: the agent's own decisions, carried out on records in memory. No I/O, no clock."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ansible_collections.configok.node.plugins.module_utils._agent._reporting.status_writer import (
    NodeReport,
    only_ends_trial,
    without_healthy_states,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state import actions
from ansible_collections.configok.node.plugins.module_utils._agent._state.actions import (
    Acknowledgement,
    Observation,
    SyncPhase,
    SyncResult,
    plan,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.active_config import (
    crash_reason,
    select_active,
    unhealthy_reason,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.confirmation import (
    confirmation_due,
    is_confirmation_close,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.desired_state import (
    DesiredKind,
    DesiredState,
    NodeAnnotations,
    read_desired_state,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ComponentsObservation, HostLook
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import (
    ComponentFiles,
    Moment,
    NodeState,
    Records,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import (
    LOCAL_CONFIG,
    AnsweredAssignment,
    AssignmentFailure,
    ConfigRecord,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import (
    BadConfig,
    End,
    Start,
    append_start,
    crashes_since_adoption,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.trial_period import (
    Doubt,
    MarkSuspect,
    Promote,
    RollBack,
    SaveTrial,
    TryAgain,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.verdict import (
    build_status,
    choose_verdict,
    config_label,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig import config_ok as verdicts
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigOk
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ComponentStatus
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import NAMESPACE_BUNDLES, VERSION

from .scenario import Behaviour, Outcome

__all__ = ["BOOT_ID", "FetchedBundle", "FindBundle", "HollowNode", "answer_times"]

BOOT_ID = "simulated"
_NEVER = float("inf")
_MAX_ROUNDS = 16
_INIT_CONFIG = hashlib.sha256(b"").hexdigest()
_LIES: tuple[Outcome, ...] = ("claims", "repeats")
_HEALTH_TIMEOUT = 120.0  # seconds, the agent's default: until a config of which a failure was in doubt is tried again
_NO_RUNTIME = "simulated: the container runtime of this hollow node does not answer"
_REFUSAL = "simulated: this hollow node refuses the config"


class FetchedBundle(NamedTuple):
    """The answer to the request for a bundle: the bundle, or why there is none."""

    bundle: Bundle | None = None
    error: str = ""


# Returns None while the request for the bundle has no answer.
FindBundle = Callable[[ConfigSource], "FetchedBundle | None"]


def answer_times(name: str, behaviour: Behaviour) -> Iterator[float]:
    """Yield the seconds of a node's answers, one for each assignment; the same ones in each run."""
    numbers = random.Random(name)
    while True:
        yield numbers.uniform(*behaviour.answer)


class HollowNode:
    """A node's agent without a component.

    advance() is called with the Node as it is, whenever that has changed or `due` has come. It returns what the agent
    writes to the Node, in this order.
    """

    def __init__(
        self, name: str, behaviour: Behaviour, components: dict[str, str], *, namespace: str = NAMESPACE_BUNDLES
    ) -> None:
        """Create a node that is fine on its init config. components: name -> version."""
        self.due = _NEVER
        self._behaviour = behaviour
        self._components = components
        self._namespace = namespace
        self._answer_times = answer_times(name, behaviour)
        self._records = Records(LOCAL_CONFIG, LOCAL_CONFIG, AnsweredAssignment(), never_written=True)
        self._bad_configs: dict[str, BadConfig] = {}
        self._starts: dict[str, list[Start]] = {component: [] for component in components}
        self._acknowledged: Acknowledgement | None = None
        self._outcome: Outcome = "adopts"  # of the config in use
        self._bundles: dict[str, Bundle] = {}  # by uid, what this node has prepared or refused
        self._ready_at: float = -1.0  # when the component is healthy, or has failed
        self._counted_from: float | None = None  # since when healthy seconds are not in the record yet
        self._latest: NodeReport | None = None
        self._reports: list[NodeReport] = []
        self._answer_at: dict[int, float] = {}  # by assignment, when its answer is due

    def first_report(self, moment: Moment) -> NodeReport:
        """Return what the agent reports when its Node is registered."""
        self.advance(NodeAnnotations(uid=""), moment, lambda _source: None)
        if self._latest is None:
            raise RuntimeError("a node on its init config reports that")
        return self._latest

    def advance(self, node: NodeAnnotations, moment: Moment, find_bundle: FindBundle) -> list[NodeReport]:
        """Observe, decide and act until nothing changes; return the reports, oldest first."""
        self._reports = []
        self.due = _NEVER
        self._crash_if_due(moment)
        for _round in range(_MAX_ROUNDS):
            observation = self._observe(node, moment, find_bundle)
            if self._misbehave(observation, find_bundle):
                break
            if self._execute(observation):
                continue
            components = self._observe_components(observation.state, moment)
            observation = observation._replace(
                components=components,
                unsaved_trial=self._unsaved(moment.now),
                host_problem=_NO_RUNTIME if self._outcome == "doubts" else "",
            )
            if not self._execute(observation):
                self._report(observation, components)
                break
        return self._reports

    # Observe

    def _state(self) -> NodeState:
        current = self._records.current
        adopted = ("", 0.0) if current is None else (current.boot_id, current.since_boot)
        crashes = {
            component: crashes_since_adoption(
                starts, boot_id=BOOT_ID, adopted_boot_id=adopted[0], adopted_since_boot=adopted[1]
            )
            for component, starts in self._starts.items()
        }
        active = select_active(
            current,
            self._records.last_known_good,
            never_written=self._records.never_written,
            bad=self._bad_configs,
            crashes=crashes if current is not None and current.source is not None else {},
            usable={"current": True, "last-known-good": True},
        )
        files = {
            component: ComponentFiles(active.record.files.get(component, _INIT_CONFIG), init_config=_INIT_CONFIG)
            for component in self._components
        }
        return NodeState(self._records, active, self._components, self._starts, self._bad_configs, crashes, files)

    def _observe(self, node: NodeAnnotations, moment: Moment, find_bundle: FindBundle) -> Observation:
        state = self._state()
        desired = read_desired_state(node, self._records.answered, state.active_record, self._namespace)
        sync = self._sync(desired, find_bundle)
        waits = sync.record is not None and self._outcome_of(self._bundles[sync.record.uid or ""]) == "waits"
        return Observation(
            moment,
            state,
            health_timeout=_HEALTH_TIMEOUT,
            desired=desired,
            sync=sync,
            acknowledged=self._acknowledged,
            host=HostLook(_NO_RUNTIME if waits else ""),
        )

    def _sync(self, desired: DesiredState, find_bundle: FindBundle) -> SyncResult:
        """Prepare the assigned bundle, once its assignment is recorded."""
        source = desired.source
        if desired.kind != DesiredKind.ADOPT or source is None:
            return SyncResult()
        if desired.answered != self._records.answered or source.uid in self._bad_configs:
            return SyncResult(SyncPhase.WAITING)
        fetched = find_bundle(source)
        if fetched is None:
            return SyncResult(SyncPhase.PREPARING)
        if fetched.bundle is None:
            return SyncResult(SyncPhase.WAITING, fetch_error=fetched.error)
        bundle = fetched.bundle
        self._bundles = {source.uid: bundle}
        if self._outcome_of(bundle) == "refuses":
            return SyncResult(SyncPhase.REJECTED, rejection=_REFUSAL)
        files = {
            component: hashlib.sha256(bundle.documents[component].encode()).hexdigest()
            for component in self._components
            if component in bundle.documents
        }
        record = ConfigRecord(source=source, content_hash=bundle.content_hash, trial=bundle.trial, files=files)
        return SyncResult(SyncPhase.PREPARED, record)

    def _outcome_of(self, bundle: Bundle) -> Outcome:
        text = self._behaviour.only_with
        if text and not any(text in document for document in bundle.documents.values()):
            return "adopts"
        return self._behaviour.outcome

    def _observe_components(self, state: NodeState, moment: Moment) -> ComponentsObservation:
        is_over = moment.now >= self._ready_at
        if not is_over and self._outcome != "hangs":
            self.due = self._ready_at
        self.due = min(self.due, confirmation_due(state.records.answered, moment))
        if state.records.answered.waits_for_recovery:
            self.due = min(self.due, self._ready_at + _HEALTH_TIMEOUT)
        failed = detail = ""
        healthy = is_over and self._outcome != "hangs"
        if is_over and self._outcome == "unhealthy" and state.is_in_trial:
            failed, detail, healthy = next(iter(self._components)), "healthz: connection refused", False
        if healthy and state.is_in_trial:
            self._counted_from = moment.now if self._counted_from is None else self._counted_from
            record = state.active_record
            remaining = record.trial.duration - record.healthy_seconds - self._unsaved(moment.now)
            self.due = min(self.due, moment.now + max(remaining, 0.0))
        return ComponentsObservation(
            healthy=healthy,
            failed=failed,
            detail=detail,
            within=self._behaviour.answer[1],
            stopped="",
            seconds=0.0,
            healthy_for=moment.now - self._ready_at,
            states=dict.fromkeys(self._components, "healthy" if healthy else "unknown"),
            invocations=dict.fromkeys(self._components, str(self._ready_at)),
            probed_at=moment.now,
        )

    def _unsaved(self, now: float) -> float:
        return 0.0 if self._counted_from is None else now - self._counted_from

    def _crash_if_due(self, moment: Moment) -> None:
        """Let the component of a config that crashes have crashed as often as its trial does not allow."""
        record = self._records.current
        if (
            self._outcome not in ("crashes", "doubts")
            or record is None
            or record.source is None
            or moment.now < self._ready_at
        ):
            return
        component = next(iter(self._components))
        end = End("exit-code", "exited", "1", moment.now, moment.time)
        for number in range(record.trial.crash_loop_threshold + 1):
            start = Start(
                f"crash-{number}", BOOT_ID, record.since_boot, moment.time, record.files.get(component, ""), end
            )
            self._starts[component] = append_start(self._starts[component], start)
        self._outcome = "adopts"  # of the config to which the node rolls back

    # Misbehave

    def _misbehave(self, observation: Observation, find_bundle: FindBundle) -> bool:
        """Return whether the agent is dead or lies, so that nothing of what it should do happens."""
        desired, behaviour = observation.desired, self._behaviour
        if desired is None or (behaviour.outcome != "silent" and behaviour.outcome not in _LIES):
            return False
        if behaviour.outcome == "silent" and not behaviour.only_with:
            return desired.answered.id > 0
        if desired.source is None or desired.kind != DesiredKind.ADOPT:
            return False
        fetched = find_bundle(desired.source)
        if fetched is None:
            return True
        if fetched.bundle is None or self._outcome_of(fetched.bundle) == "adopts":
            return False
        if behaviour.outcome in _LIES:
            self._lie(observation, desired, desired.source)
        return True

    def _lie(self, observation: Observation, desired: DesiredState, source: ConfigSource) -> None:
        now, state = observation.moment.now, observation.state
        answer_at = self._answer_due(desired.answered.id, now)
        if now < answer_at:
            self.due = answer_at
            return
        uses_it = self._behaviour.outcome == "repeats"
        self._publish(
            verdicts.good(verdicts.ConfigInUse("current", source.uid)),
            state,
            assignment=state.records.answered.id if uses_it else desired.answered.id,
            assigned=source,
            active=ConfigRecord(source=source) if uses_it else state.active_record,
            healthy=True,
        )

    # Execute

    def _execute(self, observation: Observation) -> bool:
        """Carry out what the agent plans; return whether it has planned anything."""
        planned = plan(observation)
        for action in planned:
            self._carry_out(action, observation)
        return bool(planned)

    def _carry_out(self, action: actions.Action, observation: Observation) -> None:
        state, now = observation.state, observation.moment.now
        records = self._records
        if isinstance(action, actions.RecordAnswer):
            self._records = records._replace(answered=action.answered)
            self._answer_due(action.answered.id, now)
        elif isinstance(action, actions.Refuse):
            self._records = records._replace(answered=action.answered.with_failure(action.failure))
        elif isinstance(action, actions.ForgetBad):
            self._forget_bad(action.uid)
        elif isinstance(action, actions.KeepAssigned):
            answered = action.answered
            kept = state.active_record._replace(assignment=answered.id, node_uid=answered.node_uid)
            self._records = Records(kept, records.last_known_good, answered, never_written=False)
        elif isinstance(action, actions.Pin):
            good = records.last_known_good if action.in_trial else action.record
            self._records = Records(action.record, good, records.answered, never_written=False)
        elif isinstance(action, actions.Acknowledge):
            self._acknowledge(action, observation)
        elif isinstance(action, actions.Adopt):
            self._records = Records(action.record, records.last_known_good, records.answered, never_written=False)
            outcome = self._outcome_of(self._bundles[action.source.uid])
            self._change_config(outcome, self._answer_due(records.answered.id, now))
        elif isinstance(action, actions.Unassign):
            self._records = Records(LOCAL_CONFIG, LOCAL_CONFIG, action.answered, never_written=False)
            self._change_config("adopts", self._answer_due(action.answered.id, now))
        elif isinstance(action, SaveTrial):
            self._save_trial(state, now)
        elif isinstance(action, Promote):
            self._records = Records(action.record, action.record, records.answered, never_written=False)
            self._counted_from = None
        elif isinstance(action, MarkSuspect):
            self._bad_configs.pop(action.failure.uid, None)
            self._records = records._replace(answered=records.answered.with_failure(action.failure))
        elif isinstance(action, Doubt):
            self._records = records._replace(current=state.active_record._replace(doubt=action.doubt))
        elif isinstance(action, TryAgain):
            self._records = records._replace(answered=action.answered)
            self._answer_at = {}
        elif isinstance(action, RollBack):
            self._roll_back(action, state, observation.moment)
        else:
            raise RuntimeError(f"a hollow node has no component, and cannot execute {action}")

    def _answer_due(self, assignment: int, now: float) -> float:
        """Return when the answer to an assignment is due."""
        if assignment not in self._answer_at:
            self._answer_at = {assignment: now + next(self._answer_times)}
        return self._answer_at[assignment]

    def _change_config(self, outcome: Outcome, ready_at: float) -> None:
        self._outcome = outcome
        self._ready_at = ready_at
        self._counted_from = None
        self._acknowledged = None

    def _save_trial(self, state: NodeState, now: float) -> None:
        record = state.active_record
        seconds = record.healthy_seconds + self._unsaved(now)
        saved = record._replace(healthy_seconds=seconds, seen_healthy=True, doubt="")
        self._records = self._records._replace(current=saved)
        self._counted_from = now if self._counted_from is not None else None

    def _forget_bad(self, uid: str) -> None:
        self._bad_configs.pop(uid, None)
        answered = self._records.answered
        if answered.failure is not None and answered.failure.kind != "InvalidConfig" and answered.failure.uid == uid:
            self._records = self._records._replace(answered=answered._replace(failure=None))

    def _roll_back(self, action: RollBack, state: NodeState, moment: Moment) -> None:
        records, abandoned = state.records, state.records.current
        target = records.last_known_good if action.failure is not None else state.active.record
        target = LOCAL_CONFIG if target is None else target
        if abandoned is not None and abandoned.source is not None:
            failure = action.failure or AssignmentFailure(
                "CrashLoop",
                abandoned.uid or "",
                crash_reason(state.active.crashes),
                crashes=state.active.crashes,
                time=moment.time,
                boot_id=moment.boot_id,
                since_boot=moment.now,
                doubt=abandoned.doubt,
            )
            if not failure.doubt:
                self._mark_bad(abandoned, failure)
            records = records._replace(answered=records.answered.with_failure(failure))
        if target.source is not None:
            target = target._replace(
                adopted_at=moment.time, boot_id=moment.boot_id, since_boot=moment.now, seen_healthy=False
            )
        self._records = Records(target, records.last_known_good, records.answered, never_written=False)
        self._change_config("adopts", moment.now)  # the answer time includes the rollback

    def _mark_bad(self, record: ConfigRecord, failure: AssignmentFailure) -> None:
        is_crash_loop = failure.kind == "CrashLoop"
        self._bad_configs[record.uid or ""] = BadConfig(
            time=failure.time,
            reason=failure.text if is_crash_loop else unhealthy_reason(failure.within, failure.text),
            kind="CrashLoop" if is_crash_loop else "NotHealthy",
            name="" if record.source is None else record.source.name,
            crashes=failure.crashes,
            within=failure.within,
            probe="" if is_crash_loop else failure.text,
        )

    # Report

    def _acknowledge(self, action: actions.Acknowledge, observation: Observation) -> None:
        desired = observation.desired
        if desired is None:
            return
        in_use = verdicts.ConfigInUse("current", action.record.uid)
        self._publish(
            verdicts.adopting(in_use.label),
            observation.state,
            assignment=desired.answered.id,
            assigned=desired.source,
            active=action.record,
        )
        # The reports of a hollow node are written in order, so the adoption need not wait for the answer.
        self._acknowledged = Acknowledgement(action.record.uid, desired.answered.id, pending=False, until=0.0)

    def _report(self, observation: Observation, components: ComponentsObservation) -> None:
        desired = observation.desired
        verdict = choose_verdict(
            desired,
            observation.state,
            components,
            failing="",
            init_provided=True,
            fetch_error=observation.sync.fetch_error,
            host_problem="" if observation.host is None else observation.host.problem,
        )
        if verdict is None or desired is None:
            return
        self._acknowledged = None
        self._publish(
            verdict,
            observation.state,
            assignment=desired.answered.id,
            assigned=desired.source,
            active=observation.state.active_record,
            healthy=bool(components.healthy),
            merges_trial_end=is_confirmation_close(observation.state.records.answered, observation.moment),
        )

    def _publish(
        self,
        verdict: ConfigOk,
        state: NodeState,
        *,
        assignment: int,
        assigned: ConfigSource | None,
        active: ConfigRecord,
        healthy: bool = False,
        merges_trial_end: bool = False,
    ) -> None:
        status = build_status(
            verdict,
            state,
            assignment=assignment,
            assigned=assigned,
            active=active,
            components={
                component: ComponentStatus(
                    version=version,
                    config=active.files.get(component, _INIT_CONFIG)[:10],
                    state="healthy" if healthy else "unknown",
                )
                for component, version in self._components.items()
            },
            agent_version=VERSION,
        )
        report = NodeReport(verdict.shortened(), status, config_label(active, init_provided=True))
        if merges_trial_end and only_ends_trial(self._latest, report):
            return
        if _essence(report) != _essence(self._latest):
            self._latest = report
            self._reports.append(report)


def _essence(report: NodeReport | None) -> NodeReport | None:
    """Return the part of a report whose changes are written."""
    return None if report is None else without_healthy_states(report)
