# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans the next actions from an observation: Observation, the action types, and plan().

Pure: no clock, no file, no request. The controller observes, executes the actions, and observes again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Literal, NamedTuple, Union

from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.config_ok import ConfigOk
from .active_config import in_trial
from .confirmation import plan_confirmation
from .desired_state import DesiredKind, DesiredState
from .health import CommandLine, ComponentsObservation, HostLook
from .node_state import Moment, NodeState
from .records import LOCAL_CONFIG, AnsweredAssignment, AssignmentFailure, ConfigRecord, FailureKind, same_config
from .trial_period import RollBack, TrialAction, failure_outside_trial, plan_trial
from .verdict import choose_verdict

SyncTransition = Literal["adopted", "unassigned", "pinned", "refused"]


class SyncPhase(Enum):
    """How far the preparation of the assigned bundle is.

    IDLE: there is nothing to prepare. WAITING: for the recorded answer, a component's version, or the next attempt.
    PREPARED: ready to be adopted. REJECTED: it does not validate. UNTRUSTED: no trusted signer vouches for it.
    """

    IDLE = 1
    WAITING = 2
    PREPARING = 3
    PREPARED = 4
    REJECTED = 5
    UNTRUSTED = 6


class SyncResult(NamedTuple):
    """The result of preparing the assigned bundle.

    record: of a PREPARED bundle, without the fields that are set when it is adopted. rejection, findings: of a REJECTED
    one, the first error and all findings; of an UNTRUSTED one, only the reason. fetch_error: why the last attempt
    failed, or "". started_at: when the preparation started, in seconds since boot.
    """

    phase: SyncPhase = SyncPhase.IDLE
    record: ConfigRecord | None = None
    rejection: str = ""
    findings: Sequence[Mapping[str, Any]] = ()
    fetch_error: str = ""
    started_at: float = 0.0


class Acknowledgement(NamedTuple):
    """The "adopting" status that the status writer was given, by the config (its uid) and the assignment.

    pending: whether its request has no answer yet. until: when the adoption stops waiting for that, in seconds since
    boot.
    """

    uid: str | None
    assignment: int
    pending: bool
    until: float


class Observation(NamedTuple):
    """All that plan() decides from.

    desired: None before the API has answered. new_versions: component -> version, of those that have reported a version
    that is not recorded yet. components: None in the first step, which decides on the config itself; they are observed
    once nothing has to be done for that. unsaved_trial: healthy seconds that are not in the record yet. host: the look
    at the host before a restart, None while it is awaited. host_problem: what was seen to be wrong with the host while
    a component was not healthy, "" if nothing was.
    """

    moment: Moment
    state: NodeState
    dynamic_config: bool = True
    health_timeout: float = 0.0
    has_static_pods: bool = False
    desired: DesiredState | None = None
    sync: SyncResult = SyncResult()
    new_versions: Mapping[str, str] = {}
    acknowledged: Acknowledgement | None = None
    components: ComponentsObservation | None = None
    unsaved_trial: float = 0.0
    host: HostLook | None = HostLook()
    host_problem: str = ""


class SwitchFiles(NamedTuple):
    """Make every component's file what the record says: finish an interrupted switch, or repair a file."""

    record: ConfigRecord


class RecordAnswer(NamedTuple):
    """Record which assignment this node has answered, and how far its confirmation is."""

    answered: AnsweredAssignment


class Refuse(NamedTuple):
    """Answer an assignment with how it failed; no component is touched."""

    answered: AnsweredAssignment
    failure: AssignmentFailure
    findings: Sequence[Mapping[str, Any]] = ()


class ForgetBad(NamedTuple):
    """Forget that a config was bad."""

    uid: str


class KeepAssigned(NamedTuple):
    """Answer a new assignment of the config in use; its trial is not restarted."""

    answered: AnsweredAssignment


class Pin(NamedTuple):
    """Record the config in use under another uid: the same content was assigned again. source: the new bundle."""

    record: ConfigRecord
    source: ConfigSource
    in_trial: bool


class Acknowledge(NamedTuple):
    """Report "adopting" before anything is touched."""

    record: ConfigRecord


class Adopt(NamedTuple):
    """Take a prepared bundle into use."""

    record: ConfigRecord
    source: ConfigSource
    started_at: float


class Unassign(NamedTuple):
    """Revert to the init config, as the Node's annotations ask for."""

    answered: AnsweredAssignment


class RecordVersion(NamedTuple):
    """Track a component under the version that it has reported."""

    component: str
    version: str


class RecordCommandLine(NamedTuple):
    """Record the command line of a component's latest start."""

    component: str
    command_line: CommandLine


class Restart(NamedTuple):
    """Restart a component that does not read the config that it should. config: SHA-256 of the right file."""

    component: str
    config: str


Action = Union[
    SwitchFiles,
    RecordAnswer,
    Refuse,
    ForgetBad,
    KeepAssigned,
    Pin,
    Acknowledge,
    Adopt,
    Unassign,
    RecordVersion,
    RecordCommandLine,
    Restart,
    TrialAction,
]


def needs_verification(desired: DesiredState, state: NodeState) -> bool:
    """Return whether the config in use, which no trusted signer vouches for, is assigned again."""
    record = state.active_record
    return (
        desired.kind == DesiredKind.KEEP
        and not state.active.fallback_reason
        and desired.answered.id != record.assignment
        and (record.trust is None or bool(record.trust.problem))
    )


def config_to_restart_for(desired: DesiredState, sync: SyncResult, state: NodeState) -> ConfigRecord | None:
    """Return the config for which a component is to be restarted next, None if there is none."""
    record: ConfigRecord | None = None
    if desired.kind == DesiredKind.UNASSIGN:
        record = LOCAL_CONFIG
    elif desired.kind == DesiredKind.ADOPT and sync.phase is SyncPhase.PREPARED:
        record = sync.record
    return record if record is not None and state.configs_to_restart(record) else None


def plan(observation: Observation) -> list[Action]:
    """Return the actions to execute now.

    At most one of them changes the records; what follows from that is planned from the next observation.
    """
    if observation.components is None:
        return _plan_config(observation)
    return _plan_components(observation, observation.components)


def _plan_config(observation: Observation) -> list[Action]:
    state = observation.state
    if not observation.dynamic_config:
        return [] if state.files_match(LOCAL_CONFIG) else [SwitchFiles(LOCAL_CONFIG)]
    if state.active.fallback_reason in ("bad", "CrashLoop"):
        return [RollBack()]
    if observation.new_versions:
        return [RecordVersion(name, version) for name, version in observation.new_versions.items()]
    actions = [] if observation.desired is None else _plan_sync(observation, observation.desired)
    # For any other fallback reason, the next start of a component acts, and the daemon changes nothing.
    if not actions and state.active.fallback_reason and observation.has_static_pods:
        return [RollBack()]  # no hook of theirs would act
    if not actions and not state.active.fallback_reason and not state.files_match(state.active_record):
        return [SwitchFiles(state.active_record)]
    return actions


def _plan_sync(observation: Observation, desired: DesiredState) -> list[Action]:
    records = observation.state.records
    if desired.kind == DesiredKind.UNASSIGN:
        return _after_acknowledgement(observation, desired, LOCAL_CONFIG, Unassign(desired.answered))
    if desired.kind == DesiredKind.KEEP:
        return _plan_keep(observation.state, desired)
    if desired.kind == DesiredKind.ADOPT and desired.source is not None:
        return _plan_adopt(observation, desired, desired.source)
    is_answer = desired.kind == DesiredKind.LOST or (
        desired.kind in (DesiredKind.LOCAL, DesiredKind.INVALID) and desired.answered.id
    )
    return [RecordAnswer(desired.answered)] if is_answer and desired.answered != records.answered else []


def _plan_keep(state: NodeState, desired: DesiredState) -> list[Action]:
    source = desired.source
    if source is not None and desired.forget_bad and desired.is_new and source.uid in state.bad_configs:
        return [ForgetBad(source.uid)]
    if desired.answered == state.records.answered and not state.active.fallback_reason:
        return []
    return [KeepAssigned(desired.answered)]


def _plan_adopt(observation: Observation, desired: DesiredState, source: ConfigSource) -> list[Action]:
    state, answered = observation.state, desired.answered
    mark = state.bad_configs.get(source.uid)
    if mark is not None and desired.is_new and desired.forget_bad:
        return [ForgetBad(source.uid)]
    if mark is not None:
        return [Refuse(answered, AssignmentFailure("KnownBad", source.uid, mark.reason, time=mark.time))]
    if answered != state.records.answered:
        return [RecordAnswer(answered)]  # on disk before it is reported
    sync, moment = observation.sync, observation.moment
    if sync.phase in (SyncPhase.REJECTED, SyncPhase.UNTRUSTED):
        kind: FailureKind = "Untrusted" if sync.phase is SyncPhase.UNTRUSTED else "InvalidConfig"
        failure = AssignmentFailure(kind, source.uid, sync.rejection, time=moment.time)
        return [Refuse(answered, failure, sync.findings)]
    if sync.phase is not SyncPhase.PREPARED or sync.record is None:
        return []
    record = sync.record._replace(
        assignment=answered.id,
        node_uid=answered.node_uid,
        adopted_at=moment.time,
        boot_id=moment.boot_id,
        since_boot=moment.now,
        doubt=_doubt_at_adoption(observation),
    )
    current = state.records.current
    if current is not None and current.source is not None and same_config(record, current):
        # The same content under another uid (a ConfigMap that was deleted and restored): its trial continues.
        pinned = current._replace(
            source=record.source, assignment=record.assignment, node_uid=record.node_uid, trust=record.trust
        )
        return [Pin(pinned, source, in_trial(current, state.records.last_known_good))]
    return _after_acknowledgement(observation, desired, record, Adopt(record, source, sync.started_at))


def _doubt_at_adoption(observation: Observation) -> str:
    """Return why a failure of what is adopted now would not be charged to it: a component is failing already."""
    if observation.host is None or not observation.host.failing:
        return ""
    return f"before its adoption, {observation.host.failing}"


def _after_acknowledgement(
    observation: Observation, desired: DesiredState, record: ConfigRecord, action: Action
) -> list[Action]:
    """Return the action once "adopting" is reported, or its request has hung for too long; before that, report it.

    Nothing is done while any restart would fail.
    """
    if observation.host is None or observation.host.problem:
        return []
    acknowledged = observation.acknowledged
    if acknowledged is None or (acknowledged.uid, acknowledged.assignment) != (record.uid, desired.answered.id):
        return [Acknowledge(record)]
    if acknowledged.pending and observation.moment.now < acknowledged.until:
        return []
    return [action]


def _plan_components(observation: Observation, components: ComponentsObservation) -> list[Action]:
    if components.new_command_lines:  # they show whether a component reads its file at all
        return [RecordCommandLine(name, command_line) for name, command_line in components.new_command_lines.items()]
    actions: list[Action] = [Restart(name, config) for name, config in components.restarts_due.items()]
    if observation.dynamic_config and not components.not_read:
        outcome = plan_trial(
            observation.state,
            components,
            unsaved=observation.unsaved_trial,
            moment=observation.moment,
            health_timeout=observation.health_timeout,
            host_problem=observation.host_problem,
        )
        if outcome is not None:
            return [*actions, outcome]
    verdict = _verdict(observation, components)
    if verdict is not None:
        answered = plan_confirmation(
            observation.state.records.answered, verdict.status, components, moment=observation.moment
        )
        if answered is not None:
            actions.append(RecordAnswer(answered))
    return actions


def _verdict(observation: Observation, components: ComponentsObservation) -> ConfigOk | None:
    state = observation.state
    failing = "" if state.is_in_trial else failure_outside_trial(state, components, observation.moment)
    return choose_verdict(
        observation.desired,
        state,
        components,
        failing=failing,
        init_provided=True,  # the status does not depend on it
        fetch_error=observation.sync.fetch_error,
    )
