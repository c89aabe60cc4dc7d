# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the verdict that a node reports, and builds its structured status.

Pure. The verdict is one of the table of situations. It follows from what is assigned, the records and the condition of
the components. While there is nothing new to report, it is None, and the last verdict remains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..._nodeconfig import config_ok as verdicts
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.config_ok import ConfigInUse, ConfigOk
from ..._nodeconfig.config_status import Cause, ComponentStatus, ConfigStatus, TrustStatus
from ..._nodeconfig.durations import condition_duration
from .active_config import in_trial
from .desired_state import DesiredKind, DesiredState
from .health import ComponentsObservation
from .node_state import NodeState
from .records import AssignmentFailure, ConfigRecord


def config_in_use(desired: DesiredState | None, state: NodeState, *, init_provided: bool) -> ConfigInUse:
    """Return which config this node uses, and from which record, as the verdict names it.

    desired: as for choose_verdict(). init_provided: whether this node has an init config, or the built-in defaults.
    """
    record = state.active_record
    name = state.active.record_name
    # The failure counts only for this Node object, not for an earlier one of the same name.
    failure = (state.records.answered if desired is None else desired.answered).failure
    if failure is not None and not in_trial(record, state.records.last_known_good):
        name = "last-known-good"  # what is assigned failed; what runs is what the node fell back to, or stayed on
    return ConfigInUse(name, record.uid, init_provided)


def choose_verdict(
    desired: DesiredState | None,
    state: NodeState,
    components: ComponentsObservation,
    *,
    failing: str,
    init_provided: bool,
    fetch_error: str = "",
    host_problem: str = "",
    damaged: Sequence[str] = (),
) -> ConfigOk | None:
    """Return the verdict, None if there is nothing new to report.

    desired: None before the API has answered for the first time. failing: what is wrong with a config that is not on
    trial, "" if nothing is. init_provided: as for config_in_use(). fetch_error:
    why the assigned bundle could not be fetched or validated. host_problem: why nothing is restarted for it. damaged:
    the files set aside as damaged, oldest first.
    """
    in_use = config_in_use(desired, state, init_provided=init_provided)
    verdict = _verdict(desired, state, components, failing, in_use, fetch_error, host_problem)
    if verdict is not None and damaged:
        verdict = verdicts.with_damaged(verdict, damaged[-1])
    return verdict


def _verdict(
    desired: DesiredState | None,
    state: NodeState,
    components: ComponentsObservation,
    failing: str,
    in_use: ConfigInUse,
    fetch_error: str,
    host_problem: str,
) -> ConfigOk | None:
    if desired is None:
        return None
    failure = state.records.answered.failure if desired.kind == DesiredKind.FAILED else None
    if failure is not None and failure.kind in ("InvalidConfig", "Untrusted", "KnownBad"):
        refused, unused = _refused(failure, state, in_use), components.stopped or components.not_read
        return verdicts.with_unused(refused, in_use, unused) if unused else refused
    if components.stopped:
        return verdicts.unit_stopped(in_use.label, components.stopped)
    if components.not_read:
        return verdicts.not_read(in_use.label, components.not_read)
    if desired.kind == DesiredKind.LOST:
        return verdicts.assignment_lost(in_use)
    if desired.kind == DesiredKind.STALE:
        return verdicts.stale_assignment(in_use, desired.stale_id)
    if desired.kind == DesiredKind.INVALID:
        return verdicts.not_synced(in_use, desired.cause, machine_cause=Cause.INVALID_CONFIG_SOURCE)
    if fetch_error:
        return verdicts.not_synced(in_use, fetch_error, machine_cause=Cause.FETCH_FAILED)
    if failure is not None:
        return _fallen_back(failure, in_use, healthy=components.healthy)
    if desired.kind in (DesiredKind.ADOPT, DesiredKind.UNASSIGN):
        if host_problem:
            assigned = in_use._replace(uid=None if desired.source is None else desired.source.uid)
            return verdicts.host_not_ready(in_use, assigned.label, host_problem)
        return None  # about to be executed
    return _in_use(state, in_use, failing, healthy=components.healthy)


def _refused(failure: AssignmentFailure, state: NodeState, in_use: ConfigInUse) -> ConfigOk:
    if failure.kind == "KnownBad":
        return verdicts.known_bad(in_use, failure.uid, failure.time, failure.text)
    if failure.kind == "Untrusted":
        return verdicts.untrusted(in_use, failure.uid, failure.text)
    if in_trial(state.active_record, state.records.last_known_good):
        return verdicts.invalid_in_trial(in_use, failure.uid, failure.text)
    return verdicts.invalid(in_use, failure.uid, failure.text)


def _fallen_back(failure: AssignmentFailure, in_use: ConfigInUse, *, healthy: bool | None) -> ConfigOk | None:
    if failure.suspect:
        return verdicts.both_fail(in_use, failure.uid)
    if not healthy:
        return None  # a rollback is reported once the components are healthy again
    if failure.doubt:
        return verdicts.doubted(in_use, failure.uid, failure.doubt)
    if failure.kind == "CrashLoop":
        return verdicts.crash_loop(in_use, failure.uid, failure.crashes)
    return verdicts.not_healthy(in_use, failure.uid, condition_duration(failure.within), failure.text)


def _in_use(state: NodeState, in_use: ConfigInUse, failing: str, *, healthy: bool | None) -> ConfigOk | None:
    record = state.active_record
    if failing and not in_trial(record, state.records.last_known_good):
        # After the trial the agent reports trouble and changes nothing.
        return verdicts.failing(in_use, failing)
    if healthy:
        return verdicts.good(in_use)
    if record.source is not None and not record.seen_healthy:
        return verdicts.adopting(in_use.label)
    return None


def build_status(
    verdict: ConfigOk,
    state: NodeState,
    *,
    assignment: int,
    assigned: ConfigSource | None,
    active: ConfigRecord,
    components: Mapping[str, ComponentStatus],
    agent_version: str,
    ignored: tuple[str, ...] = (),
    local_config: str = "",
    trust: TrustStatus | None = None,
) -> ConfigStatus:
    """Return the structured status that goes with a verdict.

    assignment, assigned: the id that this answers, and its source. active: the record in use, or about to be. ignored:
    keys of the bundle in use for components that this node does not run. local_config: the hash of the local config.
    trust: None while trust is off.
    """
    last_known_good = state.records.last_known_good
    return ConfigStatus(
        assignment=assignment,
        assigned=assigned,
        active=active.source,
        last_known_good=None if last_known_good is None else last_known_good.source,
        error="" if verdict.status == "True" else verdict.shortened().reason,
        cause=verdict.cause,
        in_trial=in_trial(active, last_known_good),
        components=components,
        ignored=ignored,
        agent_version=agent_version,
        local_config=local_config,
        trust=trust,
        confirmed=state.records.answered.confirmed_id,
    )


def config_label(active: ConfigRecord, *, init_provided: bool) -> str:
    """Return the value of the Node's label configok.dev/config: the bundle's name, "init" or "default"."""
    if active.source is not None:
        return active.source.name[:63].rstrip("-.")
    return "init" if init_provided else "default"
