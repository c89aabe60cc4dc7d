# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans the trial of an adopted config, and what follows a rollback.

Pure. A trial lasts for a number of healthy seconds: time counts only while the components are seen healthy, and
continues to count after the agent restarts and after a reboot.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Union

from ..._nodeconfig.durations import condition_duration
from .health import ComponentsObservation
from .node_state import Moment, NodeState
from .records import AnsweredAssignment, AssignmentFailure, ConfigRecord, same_config

_WINDOW = 600.0  # seconds for which a crash after the trial is reported
_SAVE_EVERY = 60.0  # healthy seconds; those since the last save are lost if the agent is killed
_BOTH_FAIL = "last-known-good failed as well"

TrialTransition = Literal["healthy", "promoted", "rolled back", "suspect", "cleared"]


class RollBack(NamedTuple):
    """Roll back to last-known-good.

    failure, component: how the config failed, and which component; None if the state itself asks for the rollback (a
    crash loop, a bad mark).
    """

    failure: AssignmentFailure | None = None
    component: str = ""


class Doubt(NamedTuple):
    """Record why a failure of the config in use would not be charged to it."""

    doubt: str


class SaveTrial(NamedTuple):
    """Record the healthy seconds so far. is_first_health: whether it is the first health since the adoption."""

    is_first_health: bool = False


class Promote(NamedTuple):
    """Make a record last-known-good: its trial is over."""

    record: ConfigRecord


class MarkSuspect(NamedTuple):
    """Record in the assignment's failure whether last-known-good fails as well, and take the config's bad mark back."""

    failure: AssignmentFailure


class TryAgain(NamedTuple):
    """Try the assigned config once more: it may not have been at fault, and last-known-good is healthy now."""

    answered: AnsweredAssignment


TrialAction = Union[RollBack, SaveTrial, Promote, MarkSuspect, TryAgain, Doubt]


def trial_seconds(state: NodeState, components: ComponentsObservation) -> float:
    """Return the healthy seconds of the trial since the previous observation, 0 while no trial runs."""
    return components.seconds if _is_running(state, components) else 0.0


def trial_ends_at(state: NodeState, components: ComponentsObservation, *, unsaved: float, now: float) -> float:
    """Return when the trial can end, in seconds since boot; infinity without a trial. unsaved: as for plan_trial()."""
    return now + _remaining(state.active_record, unsaved) if _is_running(state, components) else float("inf")


def _is_running(state: NodeState, components: ComponentsObservation) -> bool:
    all_healthy = bool(components.healthy) and not (components.failed or components.stopped or components.not_read)
    return all_healthy and state.is_in_trial


def _remaining(record: ConfigRecord, unsaved: float) -> float:
    return record.trial.duration - record.healthy_seconds - unsaved


def plan_trial(
    state: NodeState,
    components: ComponentsObservation,
    *,
    unsaved: float,
    moment: Moment,
    health_timeout: float,
    host_problem: str = "",
) -> TrialAction | None:
    """Return the action that the trial calls for, or the state after a rollback; None if neither does.

    unsaved: healthy seconds that are not in the record yet. health_timeout: the seconds of health after which a suspect
    last-known-good is cleared, and the assigned config is tried again. host_problem: what was seen to be wrong with the
    host while a component was not healthy, "" if nothing was.
    """
    record = state.active_record
    if state.is_in_trial:
        return _plan_running(state, components, unsaved, moment, host_problem)
    if record.trial_passed and not same_config(record, state.records.last_known_good):
        return Promote(record)  # the promotion was interrupted, or last-known-good was damaged
    if components.healthy and record.source is not None and not record.seen_healthy:
        return SaveTrial(is_first_health=True)
    failure = state.records.answered.failure
    if failure is not None and failure.kind in ("CrashLoop", "NotHealthy"):
        return _plan_after_rollback(state, components, failure, moment, health_timeout, host_problem)
    return None


def _plan_running(
    state: NodeState, components: ComponentsObservation, unsaved: float, moment: Moment, host_problem: str
) -> TrialAction | None:
    record = state.active_record
    if components.failed:
        failure = AssignmentFailure(
            "NotHealthy",
            record.uid or "",
            components.detail,
            within=components.within,
            time=moment.time,
            boot_id=moment.boot_id,
            since_boot=moment.now,
            doubt=record.doubt or host_problem,
        )
        return RollBack(failure, components.failed)
    if host_problem and not components.healthy and not record.doubt:
        return Doubt(host_problem)
    if not components.healthy or components.stopped:
        return None
    covered = any(record.covers(name) for name in state.files)
    if _remaining(record, unsaved) <= 0 or not covered:  # without a component on this node there is nothing to try
        return Promote(record._replace(healthy_seconds=record.trial.duration, seen_healthy=True, doubt=""))
    if not record.seen_healthy or record.doubt:  # what was wrong with the host excuses nothing from here on
        return SaveTrial(is_first_health=not record.seen_healthy)
    return SaveTrial() if unsaved >= _SAVE_EVERY else None


def _plan_after_rollback(
    state: NodeState,
    components: ComponentsObservation,
    failure: AssignmentFailure,
    moment: Moment,
    health_timeout: float,
    host_problem: str,
) -> MarkSuspect | TryAgain | None:
    if not failure.suspect:
        since = failure.since_boot if failure.boot_id == moment.boot_id else 0.0
        crashes = state.crashes_since(since, moment.boot_id)
        if components.failed or crashes > state.active_record.trial.crash_loop_threshold:
            return MarkSuspect(failure._replace(suspect=True, doubt=failure.doubt or _BOTH_FAIL))
        if host_problem and not components.healthy and not failure.doubt:
            return MarkSuspect(failure._replace(doubt=host_problem))
    if components.healthy_for < health_timeout or state.crashes_since(moment.now - health_timeout, moment.boot_id):
        return None
    if failure.suspect:
        # Crashes count from zero again, so that the verdict does not flap.
        adopted = failure.adopted_since_boot if failure.boot_id == moment.boot_id else 0.0
        now = failure._replace(boot_id=moment.boot_id, since_boot=moment.now, adopted_since_boot=adopted)
        return MarkSuspect(now._replace(suspect=False))
    answered = state.records.answered
    return TryAgain(answered._replace(failure=None, retried=True)) if failure.doubt and not answered.retried else None


def failure_outside_trial(state: NodeState, components: ComponentsObservation, moment: Moment) -> str:
    """Return what is wrong with a config whose trial is over, or with the init config; "" if nothing is."""
    if components.failed:
        return components.detail
    record = state.active_record
    threshold, adopted = record.trial.crash_loop_threshold, record.adopted_in(moment.boot_id)
    if state.crashes_since(max(adopted, moment.now - _WINDOW), moment.boot_id) > threshold:
        return f"crashed more than {threshold} times within {condition_duration(_WINDOW)}"
    return ""
