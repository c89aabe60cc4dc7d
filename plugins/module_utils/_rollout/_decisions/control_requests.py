# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make and withdraw requests to a pool's rollout, as changes of its record. Pure.

A request that is made again changes nothing, so that one whose answer was lost can be sent again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from .. import RolloutError
from .._record._control import ABORT, ALL, PAUSE, Control, normalize_wave
from .._record.record import ABORTED, HALTED, PAUSED, Record, Rollout

Operation = Literal["pause", "resume", "abort", "approve"]
OPERATIONS: Final[tuple[Operation, ...]] = ("pause", "resume", "abort", "approve")


@dataclass(frozen=True)
class Requester:
    """The person that requests something, when, and why."""

    author: str
    reason: str
    time: str


def request_pause(record: Record, requester: Requester) -> Record:
    """Request that the pool's rollout pauses, or its next one if none is under way. Raises RolloutError."""
    control = record.control
    if control.is_abort and record.open_rollout is not None:
        raise RolloutError(f"the rollout of pool {record.pool} is to be {control.describe_request()}: it cannot pause")
    return record if control.is_pause else replace(record, control=_with_request(control, PAUSE, requester))


def resume(record: Record) -> Record:
    """Withdraw a pause, or a request that is not understood. Raises RolloutError when an abort is requested."""
    control = record.control
    if control.is_abort and record.open_rollout is not None:
        raise RolloutError(
            f"the rollout of pool {record.pool} is to be {control.describe_request()}: it cannot resume; "
            "run it again when it has ended"
        )
    return replace(record, control=control.without_request())


def request_abort(record: Record, requester: Requester) -> Record:
    """Request that the pool's rollout ends; a pool without a rollout under way has nothing to abort."""
    if record.control.is_abort or record.open_rollout is None:
        return record
    return replace(record, control=_with_request(record.control, ABORT, requester))


def abort_rollout(record: Record, now: str) -> Record:
    """Record that the rollout has ended by request. The requests end with it; an ended rollout stays as it is."""
    rollout = record.open_rollout
    if rollout is None:
        return record
    # A halted rollout is being rolled back. That its config failed says more than that the rollback was aborted.
    was_halted = rollout.phase == HALTED
    aborted = replace(
        rollout,
        phase=ABORTED,
        is_rolling_back=False,
        reason=record.control.describe_request() or "aborted",
        changed_at=now,
    )
    ended = replace(record, rollout=aborted, control=record.control.at_end())
    return ended if was_halted else ended.with_result(rollout.revision, ABORTED)


def approve(record: Record, waves: Sequence[str], requester: Requester) -> Record:
    """Approve waves of the pool's rollout, or the wave that comes next. Raises RolloutError.

    waves: names of waves, or "all"; empty means the wave that the paused rollout has not begun, and changes nothing if
    that has begun because it was approved.
    """
    rollout, control = record.rollout, record.control
    names = [normalize_wave(wave) for wave in waves] or _waiting_waves(rollout)
    if control.approved_waves and all(control.approves(name) for name in names):
        return record
    if rollout is None or rollout.has_ended:
        state = "has never been rolled out" if rollout is None else f"is {rollout.phase}"
        raise RolloutError(f"pool {record.pool} {state}: there is no wave to approve")
    if not names:
        raise RolloutError(
            f"the rollout of pool {record.pool} is in {rollout.phase} and waits for no approval: to approve a wave in "
            "advance, name it in waves"
        )
    known = [wave.name for wave in rollout.waves]
    for name in names:
        if name != ALL and name not in known:
            raise RolloutError(f"the rollout of pool {record.pool} has no {name}: it has {', '.join(known)}, or all")
    approved = {*control.approved_waves, *names}
    ordered = [ALL] if ALL in approved else [name for name in known if name in approved]
    return replace(
        record,
        control=replace(
            control,
            approved=", ".join(ordered),
            approved_by=requester.author,
            approval_reason=requester.reason,
            approved_at=requester.time,
        ),
    )


def _waiting_waves(rollout: Rollout | None) -> list[str]:
    """Return the wave that comes next, none while a wave moves, whose outcome is not known yet."""
    if rollout is None or rollout.phase != PAUSED or rollout.present_wave.assigned_up_to:
        return []
    return [wave.name for wave in rollout.waves[rollout.waves_done :][:1]]


def _with_request(control: Control, request: str, requester: Requester) -> Control:
    return replace(control, request=request, by=requester.author, reason=requester.reason, time=requester.time)
