# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The trial of an adopted config: counts healthy seconds, and says what they lead to. Private to configok.node.

Pure. Time counts only while the components are seen healthy, and continues across restarts of the agent and reboots.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Union

from ..._nodeconfig._durations import condition_duration
from ._health import ComponentsObservation
from ._node_state import Moment, NodeState
from ._records import AssignmentFailure, ConfigRecord, same_config

__all__ = [
    "MarkSuspect",
    "Promote",
    "RollBack",
    "SaveTrial",
    "TrialAction",
    "TrialTransition",
    "failure_outside_trial",
    "plan_trial",
    "trial_ends_at",
    "trial_seconds",
]

_WINDOW = 600.0  # seconds in which crashes after the trial are worth reporting
_SAVE_EVERY = 60.0  # healthy seconds, lost when the agent is killed; when it is stopped, those since the last probe

TrialTransition = Literal["confirmed", "promoted", "rolled back", "suspect", "cleared"]


class RollBack(NamedTuple):
    """Roll back to last-known-good.

    failure, component: how the config failed, and of which component; None for what the state itself tells.
    """

    failure: AssignmentFailure | None = None
    component: str = ""


class SaveTrial(NamedTuple):
    """Record the healthy seconds so far. confirmed: healthy for the first time since the adoption."""

    confirmed: bool = False


class Promote(NamedTuple):
    """Make a record last-known-good: its trial is over."""

    record: ConfigRecord


class MarkSuspect(NamedTuple):
    """Record whether last-known-good fails as well, in how the assignment failed."""

    failure: AssignmentFailure


TrialAction = Union[RollBack, SaveTrial, Promote, MarkSuspect]


def trial_seconds(state: NodeState, seen: ComponentsObservation) -> float:
    """Return the healthy seconds of the trial since the observation before."""
    return seen.seconds if _is_running(state, seen) else 0.0


def trial_ends_at(state: NodeState, seen: ComponentsObservation, *, unsaved: float, now: float) -> float:
    """Return when the trial can end, in seconds since boot; infinity while no trial runs."""
    return now + _remaining(state.active_record, unsaved) if _is_running(state, seen) else float("inf")


def _is_running(state: NodeState, seen: ComponentsObservation) -> bool:
    well = bool(seen.healthy) and not (seen.failed or seen.stopped or seen.not_read)
    return well and state.is_in_trial


def _remaining(record: ConfigRecord, unsaved: float) -> float:
    return record.trial.duration - record.healthy_seconds - unsaved


def plan_trial(
    state: NodeState, seen: ComponentsObservation, *, unsaved: float, moment: Moment, health_timeout: float
) -> TrialAction | None:
    """Return what the trial has come to, or what follows a rollback; None while nothing does.

    unsaved: healthy seconds that are not in the record yet.
    """
    record = state.active_record
    if state.is_in_trial:
        return _plan_running(state, seen, unsaved, moment)
    if record.trial_passed and not same_config(record, state.records.last_known_good):
        return Promote(record)  # that was cut short, or last-known-good was damaged
    if seen.healthy and record.source is not None and not record.confirmed:
        return SaveTrial(confirmed=True)
    failure = state.records.answered.failure
    if failure is not None and failure.kind in ("CrashLoop", "NotHealthy"):
        return _plan_after_rollback(state, seen, failure, moment, health_timeout)
    return None


def _plan_running(state: NodeState, seen: ComponentsObservation, unsaved: float, moment: Moment) -> TrialAction | None:
    record = state.active_record
    if seen.failed:
        failure = AssignmentFailure(
            "NotHealthy",
            record.uid or "",
            seen.detail,
            within=seen.within,
            time=moment.time,
            boot_id=moment.boot_id,
            since_boot=moment.now,
        )
        return RollBack(failure, seen.failed)
    if not seen.healthy or seen.stopped:
        return None
    covered = any(record.covers(name) for name in state.files)
    if _remaining(record, unsaved) <= 0 or not covered:  # without a component on this node there is nothing to try
        return Promote(record._replace(healthy_seconds=record.trial.duration, confirmed=True))
    if not record.confirmed:
        return SaveTrial(confirmed=True)
    return SaveTrial() if unsaved >= _SAVE_EVERY else None


def _plan_after_rollback(
    state: NodeState, seen: ComponentsObservation, failure: AssignmentFailure, moment: Moment, health_timeout: float
) -> MarkSuspect | None:
    if not failure.suspect:
        since = failure.since_boot if failure.boot_id == moment.boot_id else 0.0
        crashes = state.crashes_since(since, moment.boot_id)
        if not seen.failed and crashes <= state.active_record.trial.crash_loop_threshold:
            return None
        return MarkSuspect(failure._replace(suspect=True))
    if seen.healthy_for < health_timeout or state.crashes_since(moment.now - health_timeout, moment.boot_id):
        return None
    # From here on crashes are counted from zero, so that the verdict does not flap.
    return MarkSuspect(failure._replace(boot_id=moment.boot_id, since_boot=moment.now, suspect=False))


def failure_outside_trial(state: NodeState, seen: ComponentsObservation, moment: Moment) -> str:
    """Return what is wrong with a config whose trial is over, or with the init config; "" while nothing is."""
    if seen.failed:
        return seen.detail
    threshold = state.active_record.trial.crash_loop_threshold
    if state.crashes_since(moment.now - _WINDOW, moment.boot_id) > threshold:
        return f"crashed more than {threshold} times within {condition_duration(_WINDOW)}"
    return ""
