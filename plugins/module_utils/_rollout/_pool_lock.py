# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a pool: a Lease that makes a second runner stop. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .._kube._api_client import Client
from .._kube._api_errors import Conflict, Forbidden, KubeError, NotFound
from .._kube._api_paths import lease, leases
from .._nodeconfig._well_known import NAMESPACE_ROLLOUTS, missing_namespace
from ._rollout_errors import LockLost, PoolLocked, RolloutError
from ._timing import Clock

__all__ = ["MAX_LEASE_DURATION", "PoolLock", "current_holder"]

_POLLS = 10  # looks at a lease that somebody else holds, within its duration
_DURATION = 15.0  # seconds
_RENEWALS = 3  # renewals within a duration

MAX_LEASE_DURATION = 300.0
"""Seconds for which a lease that is not renewed is believed, whatever it says."""


class PoolLock:
    """Holds the Lease of a pool for one runner; renewed by keep(), which the loop of the engine calls.

    runner: how others are told who it is; unique for each run. duration: seconds, 1 to LONGEST_DURATION. A lease has
    expired when its renewTime was seen unchanged for its duration by this machine's clock: no clocks of two machines
    are compared.
    """

    def __init__(self, client: Client, pool: str, runner: str, *, clock: Clock, duration: float = _DURATION) -> None:
        self._client = client
        self._pool = pool
        self._runner = runner
        self._clock = clock
        self._duration = max(1, round(duration))
        self._path = lease(NAMESPACE_ROLLOUTS, pool)
        self._held: dict[str, Any] | None = None
        self._lost = f"pool {pool} is not locked by this run"
        self._renew_at = 0.0
        self._expires = 0.0

    def acquire(self, tell: Callable[[str], None]) -> None:
        """Take the lock; wait for the lease of a killed runner to expire, and say so. Raises Locked, KubeError."""
        while True:
            found = self._read()
            if found is not None and _holder(found) not in ("", self._runner):  # its own: the answer was lost
                self._wait_until_expired(found, tell)
            try:
                self._write(found)
                return
            except Conflict:  # somebody was faster: look again who it is
                continue

    @property
    def is_renewal_due(self) -> bool:
        """Return whether keep() has something to do: to renew the lease, or to say that the lock is lost."""
        return self._held is None or self._clock.monotonic() >= self._renew_at

    def renew_if_due(self) -> bool:
        """Renew the lease when it is due. Return True when this runner had stalled and has the lock again.

        After True the record must be read again. Raises LockLost when somebody else has taken the pool over.
        """
        if not self.is_renewal_due:
            return False
        if self._held is None:
            raise LockLost(self._lost)
        stalled = self._clock.monotonic() >= self._expires
        try:
            self._write(self._held)
        except (Conflict, NotFound) as error:
            found = self._read()
            if found is None or _holder(found) != self._runner:
                self._held = None
                self._lost = (
                    f"this run stalled for more than {self._duration}s, and pool {self._pool} was taken over: "
                    f"{_holder(found or {}) or 'nobody'} has its lock now"
                )
                raise LockLost(self._lost) from error
            self._write(found)  # a renewal whose answer was lost
        return stalled

    def release(self) -> None:
        """Give the lock up, so that the next run need not wait; one that cannot be given up expires."""
        held, self._held = self._held, None
        if held is None:
            return
        with suppress(KubeError):
            try:
                self._free(held)
            except Conflict:
                found = self._read()
                if found is not None and _holder(found) == self._runner:  # a renewal whose answer was lost
                    self._free(found)

    def _free(self, held: dict[str, Any]) -> None:
        self._client.replace(self._path, {**held, "spec": {**held["spec"], "holderIdentity": ""}})

    def _wait_until_expired(self, found: dict[str, Any], tell: Callable[[str], None]) -> None:
        seconds = _duration_of(found, self._duration)
        tell(f"pool {self._pool} is locked by {_holder(found)}: waiting {seconds:g}s to see whether it still runs")
        now = _once_changed(self._read, found, self._clock, seconds)
        if now is None:
            tell(f"the run of {_holder(found)} has ended without a word: taking pool {self._pool} over")
        elif _holder(now):
            raise PoolLocked(
                f"pool {self._pool} is being moved by {_holder(now)}, since {now['spec'].get('acquireTime')}: "
                "wait until that run has ended"
            )

    def _read(self) -> dict[str, Any] | None:
        return _read(self._client, self._path)

    def _write(self, found: dict[str, Any] | None) -> None:
        # The own deadline counts from before the request: the server may have seen it that early.
        sent = self._clock.monotonic()
        now = self._clock.now()
        spec = dict((found or {}).get("spec") or {})
        if _holder(found or {}) != self._runner:
            spec["acquireTime"] = now
            spec["leaseTransitions"] = int(spec.get("leaseTransitions") or 0) + 1
        spec.update(holderIdentity=self._runner, leaseDurationSeconds=self._duration, renewTime=now)
        metadata: dict[str, Any] = {"name": self._pool, "namespace": NAMESPACE_ROLLOUTS}
        if found is not None:
            metadata["resourceVersion"] = found["metadata"]["resourceVersion"]
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
        if found is None:
            self._held = self._create(body)
        else:
            self._held = self._client.replace(self._path, body)
        self._renew_at = sent + self._duration / _RENEWALS
        self._expires = sent + self._duration

    def _create(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._client.create(leases(NAMESPACE_ROLLOUTS), body)
        except NotFound as error:
            raise RolloutError(missing_namespace(NAMESPACE_ROLLOUTS)) from error


def current_holder(client: Client, pool: str, clock: Clock) -> str | None:
    """Return who moves a pool, "" when no runner does, None when this user may not read Leases.

    Waits until the Lease of a runner is renewed, or has expired. Raises KubeError.
    """
    path = lease(NAMESPACE_ROLLOUTS, pool)
    try:
        found = _read(client, path)
        if found is None or not _holder(found):
            return ""
        seconds = _duration_of(found, _DURATION)
        return _holder(_once_changed(lambda: _read(client, path), found, clock, seconds) or {})
    except Forbidden:
        return None


def _once_changed(
    read: Callable[[], dict[str, Any] | None], found: dict[str, Any], clock: Clock, seconds: float
) -> dict[str, Any] | None:
    """Return the lease as soon as it differs, None when it stays as it is for so many seconds."""
    deadline = clock.monotonic() + seconds
    while clock.monotonic() < deadline:
        clock.sleep(min(seconds / _POLLS, deadline - clock.monotonic()))
        now = read() or {"spec": {}}
        if now["spec"].get("renewTime") != found["spec"].get("renewTime") or _holder(now) != _holder(found):
            return now
    return None


def _duration_of(found: dict[str, Any], default: float) -> float:
    return min(float(found["spec"].get("leaseDurationSeconds") or default), MAX_LEASE_DURATION)


def _read(client: Client, path: str) -> dict[str, Any] | None:
    try:
        found = client.get(path)
    except NotFound:
        return None
    found["spec"] = found.get("spec") or {}
    return found


def _holder(found: dict[str, Any]) -> str:
    return str((found.get("spec") or {}).get("holderIdentity") or "")
