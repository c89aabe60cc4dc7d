# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pause, resume, abort or approve a pool's rollout, and wait until its runner has obeyed."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..._kube.api_client import Client
from ..._text import sanitize
from .. import RolloutError
from .._decisions.control_requests import (
    Operation,
    Requester,
    abort_rollout,
    approve,
    request_abort,
    request_pause,
    resume,
)
from .._record.record import ABORTED, PAUSED, Record, Rollout
from .._record.record_store import read_record, update_record
from ..timing import Clock
from ._session import announce_end, create_record_event
from .pool_lock import HolderObserver, PoolLock

_POLL_INTERVAL = 1.0  # seconds between two looks at the record
_MAX_TEXT = 300  # characters of a reason or an author, which the record keeps
_EVENT_REASONS: Final[Mapping[Operation, str]] = {
    "pause": "RolloutPauseRequested",
    "resume": "RolloutResumed",
    "abort": "RolloutAbortRequested",
    "approve": "RolloutApproved",
}
_NOUNS: Final[Mapping[Operation, str]] = {
    "pause": "the pause",
    "resume": "the end of the pause",
    "abort": "the abort",
    "approve": "the approval",
}


@dataclass(frozen=True)
class ControlRequest:
    """A request of a person to a pool's rollout. waves: to approve; empty means the wave that comes next.

    wait: how many seconds the runner has to obey; 0 does not wait.
    """

    operation: Operation
    author: str
    reason: str = ""
    waves: Sequence[str] = ()
    wait: float = 30.0


@dataclass(frozen=True)
class ControlResult:
    """The outcome of a request.

    before, recorded, after: the record as it was, with the request, and as it was seen last. changed: whether anything
    was written, or would be in check mode. is_awaited: whether the runner had time to obey. is_obeyed: whether the
    rollout is as requested. moved_by: the runner, "" for none, None if that is not known.
    """

    request: ControlRequest
    before: Record
    recorded: Record
    after: Record
    changed: bool
    is_check: bool = False
    is_awaited: bool = False
    is_obeyed: bool = False
    moved_by: str | None = None

    def lines(self) -> list[str]:
        """Return the result as human-readable lines, then one for each value in the record that is not understood."""
        return [_describe(self), *self.after.control.problems(self.after.pool)]


def _describe(result: ControlResult) -> str:
    """Return the outcome of a request in one sentence."""
    pool, rollout, operation = result.after.pool, result.after.rollout, result.request.operation
    state = f"pool {pool} has never been rolled out"
    if rollout is not None:
        state = f"pool {pool} is {rollout.phase}" + (f": {sanitize(rollout.reason, 600)}" if rollout.reason else "")
    if result.is_check:
        outcome = "would be recorded" if result.changed else "would change nothing"
        return f"{_NOUNS[operation]} of pool {pool} {outcome}; {state}"
    if operation == "approve" and not result.changed:
        return f"{result.recorded.control.describe_approval()}; {state}"
    if result.recorded.open_rollout is None:
        if operation == "pause":
            return f"{state}; its next rollout waits until configok.node.resume before it assigns anything"
        if operation == "resume" and result.changed:
            return f"{state}; its next rollout no longer waits"
        return f"{state}; there is nothing to {operation}"
    if operation == "resume" and not result.changed:
        return f"no pause of pool {pool} is requested; {state}"
    if operation == "abort" and result.is_obeyed:
        return state
    if result.moved_by == "":
        if operation == "pause":
            return f"{state}; no runner moves it, and the next run waits until configok.node.resume"
        is_machines = rollout is not None and rollout.target.is_machines
        playbook = "configok.node.machines" if is_machines else "configok.node.rollout (or undo)"
        return f"{state}; no runner moves it: run {playbook} again to continue"
    request = f"{_NOUNS[operation]} of pool {pool} is recorded"
    if result.is_obeyed or not result.is_awaited:
        return state if operation == "pause" and result.is_obeyed else f"{request}; {state}"
    runner = "its runner, whose name this user may not read,"
    if result.moved_by:
        runner = sanitize(result.moved_by, _MAX_TEXT)
    return f"{request}, but {runner} has not obeyed it within {result.request.wait:g}s; {state}"


def control_rollout(
    client: Client, pool: str, request: ControlRequest, *, clock: Clock, check: bool = False
) -> ControlResult:
    """Record a request, and wait until the runner has obeyed it; end an aborted rollout that no runner moves.

    check: change nothing. Raises RolloutError, KubeError.
    """
    requester = Requester(request.author.strip()[:_MAX_TEXT], request.reason.strip()[:_MAX_TEXT], clock.now())
    if not requester.author:
        raise RolloutError(f"author is empty: name the person asking to {request.operation}; the record keeps it")

    def change(record: Record) -> Record:
        return _change(record, request, requester)

    before = read_record(client, pool)
    if check:
        changed_record = change(before)
        return ControlResult(request, before, changed_record, before, changed_record != before, is_check=True)
    recorded, changed = update_record(client, pool, change)
    if changed:
        _announce(client, request, requester, recorded)
    result = ControlResult(request, before, recorded, recorded, changed)
    has_effect = changed or request.operation in ("pause", "abort")
    if not request.wait or not has_effect or recorded.open_rollout is None:
        return result
    result = _wait(client, result, clock)
    if request.operation == "abort" and result.moved_by == "" and not result.is_obeyed:
        return _abort_here(client, result, requester, clock)
    return result


def _change(record: Record, request: ControlRequest, requester: Requester) -> Record:
    if request.operation == "pause":
        return request_pause(record, requester)
    if request.operation == "resume":
        return resume(record)
    if request.operation == "abort":
        return request_abort(record, requester)
    return approve(record, request.waves, requester)


def _announce(client: Client, request: ControlRequest, requester: Requester, record: Record) -> None:
    waves = f"{record.control.approved}, " if request.operation == "approve" else ""
    message = f"{waves}by {requester.author}" + (f": {requester.reason}" if requester.reason else "")
    create_record_event(
        client,
        record.pool,
        _EVENT_REASONS[request.operation],
        message,
        requester.time,
        is_warning=request.operation in ("pause", "abort"),
    )


def _wait(client: Client, result: ControlResult, clock: Clock) -> ControlResult:
    """Return the result as soon as the rollout is as requested, no runner moves it, or the time is over."""
    observer = HolderObserver(client, result.after.pool, clock)
    deadline = clock.monotonic() + result.request.wait
    while True:
        moved_by = observer.holder()  # before the record: a runner writes the record, then frees the lock
        after = read_record(client, result.after.pool)
        is_obeyed = _is_obeyed(result, after.rollout)
        result = replace(result, after=after, is_awaited=True, is_obeyed=is_obeyed, moved_by=moved_by)
        if result.is_obeyed or moved_by == "" or clock.monotonic() >= deadline:
            return result
        clock.sleep(_POLL_INTERVAL)


def _is_obeyed(result: ControlResult, rollout: Rollout | None) -> bool:
    before = result.recorded.rollout
    if rollout is None or before is None or rollout.has_ended:
        return True
    if result.request.operation == "pause":
        return rollout.phase == PAUSED
    if result.request.operation == "abort":
        return False
    # A rollout that is not paused, or paused for another reason since, has resumed.
    return rollout.phase != PAUSED or (rollout.changed_at, rollout.reason) != (before.changed_at, before.reason)


def _abort_here(client: Client, result: ControlResult, requester: Requester, clock: Clock) -> ControlResult:
    """Record that the rollout is aborted, with the lock that no runner holds. Raises PoolLocked, KubeError."""
    pool = result.after.pool
    lock = PoolLock(client, pool, f"{requester.author} ({uuid.uuid4().hex[:8]})", clock=clock)
    try:
        lock.acquire(lambda _line: None)
        record, changed = update_record(client, pool, lambda present: abort_rollout(present, clock.now()))
    finally:
        lock.release()
    if changed and record.rollout is not None:
        announce_end(client, pool, record.rollout)
    is_aborted = record.rollout is not None and record.rollout.phase == ABORTED
    return replace(result, after=record, changed=result.changed or changed, is_obeyed=is_aborted)
