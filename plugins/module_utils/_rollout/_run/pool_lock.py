# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a pool: a Lease that makes a second runner stop."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..._kube.api_client import Client
from ..._kube.api_errors import Conflict, Forbidden, KubeError, NotFound
from ..._kube.api_paths import lease, leases
from ..._nodeconfig.well_known import NAMESPACE_ROLLOUTS, missing_namespace
from .. import LockLost, PoolLocked, RolloutError
from ..timing import Clock

_CHECKS = 10  # of another runner's lease, within its duration
_DURATION = 15.0  # seconds
_RENEWALS = 3  # within the duration

MAX_LEASE_DURATION = 300.0
"""The longest time, in seconds, for which a lease that is not renewed is respected."""


class PoolLock:
    """Holds the Lease of a pool for one runner. The wave executor calls renew_if_due() to keep it.

    runner: the name of the runner for others; unique for each run. duration: seconds, from 1 to MAX_LEASE_DURATION. A
    lease has expired when its renewTime has not changed for its duration by this machine's clock; clocks of two
    machines are never compared.
    """

    def __init__(self, client: Client, pool: str, runner: str, *, clock: Clock, duration: float = _DURATION) -> None:
        self._client = client
        self._pool = pool
        self._runner = runner
        self._clock = clock
        self._duration = max(1, round(duration))
        self._path = lease(NAMESPACE_ROLLOUTS, pool)
        self._lease: dict[str, Any] | None = None
        self._may_hold = False  # also while a request is under way, whose answer an interrupt may take away
        self._lost_reason = f"pool {pool} is not locked by this run"
        self._renew_at = 0.0
        self._expires = 0.0

    def acquire(self, report: Callable[[str], None]) -> None:
        """Take the lock; report and await the expiry of a killed runner's lease. Raises PoolLocked, KubeError."""
        while True:
            present = self._read()
            # Its own lease: the answer to an earlier request was lost.
            if present is not None and _holder_identity(present) not in ("", self._runner):
                self._wait_until_expired(present, report)
            try:
                self._write(present)
                return
            except Conflict:  # another runner was faster: read its name
                continue

    @property
    def is_renewal_due(self) -> bool:
        """Return whether renew_if_due() must act: renew the lease, or raise because the lock is lost."""
        return self._lease is None or self._clock.monotonic() >= self._renew_at

    def renew_if_due(self) -> bool:
        """Renew the lease when it is due. Return True when this runner had stalled and has the lock again.

        After True the record must be read again. Raises LockLost when another runner has taken the pool over.
        """
        if not self.is_renewal_due:
            return False
        if self._lease is None:
            raise LockLost(self._lost_reason)
        has_stalled = self._clock.monotonic() >= self._expires
        try:
            self._write(self._lease)
        except (Conflict, NotFound) as error:
            present = self._read()
            if present is None or _holder_identity(present) != self._runner:
                self._lease, self._may_hold = None, False
                self._lost_reason = (
                    f"this run stalled for more than {self._duration}s, and pool {self._pool} was taken over: "
                    f"{_holder_identity(present or {}) or 'nobody'} has its lock now"
                )
                raise LockLost(self._lost_reason) from error
            self._write(present)  # the answer to a renewal was lost
        return has_stalled

    def release(self) -> None:
        """Release the lock, so that the next run need not wait. A lock that cannot be released expires.

        For any moment at which a run is interrupted: also before acquire has returned, or amid the release.
        """
        try:
            self._release()
        except KeyboardInterrupt:
            self._release()  # a run is interrupted only once
            raise

    def _release(self) -> None:
        if not self._may_hold:
            return
        with suppress(KubeError):
            try:
                self._clear_holder(self._lease or self._read())
            except Conflict:  # the answer to an earlier request was lost
                self._clear_holder(self._read())
        self._lease, self._may_hold = None, False

    def _clear_holder(self, present: dict[str, Any] | None) -> None:
        if present is not None and _holder_identity(present) == self._runner:
            self._client.replace(self._path, {**present, "spec": {**present["spec"], "holderIdentity": ""}})

    def _wait_until_expired(self, present: dict[str, Any], report: Callable[[str], None]) -> None:
        holder, seconds = _holder_identity(present), _lease_seconds(present, self._duration)
        report(f"pool {self._pool} is locked by {holder}: waiting {seconds:g}s to see whether it still runs")
        changed = _wait_for_change(self._read, present, self._clock, seconds)
        if changed is None:
            report(f"the run of {holder} has ended without a word: taking pool {self._pool} over")
        elif _holder_identity(changed):
            raise PoolLocked(
                f"pool {self._pool} is being moved by {_holder_identity(changed)}, since "
                f"{changed['spec'].get('acquireTime')}: wait until that run has ended"
            )

    def _read(self) -> dict[str, Any] | None:
        return _read_lease(self._client, self._path)

    def _write(self, present: dict[str, Any] | None) -> None:
        # This deadline counts from before the request: the server may have processed it that early.
        sent = self._clock.monotonic()
        now = self._clock.now()
        spec = dict((present or {}).get("spec") or {})
        if _holder_identity(present or {}) != self._runner:
            spec["acquireTime"] = now
            spec["leaseTransitions"] = int(spec.get("leaseTransitions") or 0) + 1
        spec.update(holderIdentity=self._runner, leaseDurationSeconds=self._duration, renewTime=now)
        metadata: dict[str, Any] = {"name": self._pool, "namespace": NAMESPACE_ROLLOUTS}
        if present is not None:
            metadata["resourceVersion"] = present["metadata"]["resourceVersion"]
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}
        self._may_hold = True
        if present is None:
            self._lease = self._create(body)
        else:
            self._lease = self._client.replace(self._path, body)
        self._renew_at = sent + self._duration / _RENEWALS
        self._expires = sent + self._duration

    def _create(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._client.create(leases(NAMESPACE_ROLLOUTS), body)
        except NotFound as error:
            raise RolloutError(missing_namespace(NAMESPACE_ROLLOUTS)) from error


def current_holder(client: Client, pool: str, clock: Clock) -> str | None:
    """Return the runner that moves a pool, "" for none, None when this user may not read Leases.

    Waits until the Lease of a runner is renewed or has expired. Raises KubeError.
    """
    path = lease(NAMESPACE_ROLLOUTS, pool)
    try:
        present = _read_lease(client, path)
        if present is None or not _holder_identity(present):
            return ""
        seconds = _lease_seconds(present, _DURATION)
        changed = _wait_for_change(lambda: _read_lease(client, path), present, clock, seconds)
        return _holder_identity(changed or {})
    except Forbidden:
        return None


class HolderObserver:
    """Observes who holds the lock of a pool, without waiting."""

    def __init__(self, client: Client, pool: str, clock: Clock) -> None:
        self._client = client
        self._path = lease(NAMESPACE_ROLLOUTS, pool)
        self._clock = clock
        self._seen: tuple[str, Any] | None = None
        self._seen_since = 0.0

    def holder(self) -> str | None:
        """Return the runner that moves the pool, "" for none, None when this user may not read Leases.

        A runner that does not renew the Lease is returned until the Lease has expired: ask again. Raises KubeError.
        """
        try:
            present = _read_lease(self._client, self._path) or {"spec": {}}
        except Forbidden:
            return None
        holder, now = _holder_identity(present), self._clock.monotonic()
        seen = (holder, present["spec"].get("renewTime"))
        if seen != self._seen:
            self._seen, self._seen_since = seen, now
        has_expired = now - self._seen_since >= _lease_seconds(present, _DURATION)
        return "" if has_expired else holder


def _wait_for_change(
    read: Callable[[], dict[str, Any] | None], first: dict[str, Any], clock: Clock, seconds: float
) -> dict[str, Any] | None:
    """Return the lease as soon as it differs from the first one, None when it does not change within `seconds`."""
    deadline = clock.monotonic() + seconds
    while clock.monotonic() < deadline:
        clock.sleep(min(seconds / _CHECKS, deadline - clock.monotonic()))
        present = read() or {"spec": {}}
        is_renewed = present["spec"].get("renewTime") != first["spec"].get("renewTime")
        if is_renewed or _holder_identity(present) != _holder_identity(first):
            return present
    return None


def _lease_seconds(present: dict[str, Any], default: float) -> float:
    return min(float(present["spec"].get("leaseDurationSeconds") or default), MAX_LEASE_DURATION)


def _read_lease(client: Client, path: str) -> dict[str, Any] | None:
    present = client.find(path)
    if present is not None:
        present["spec"] = present.get("spec") or {}
    return present


def _holder_identity(present: dict[str, Any]) -> str:
    return str((present.get("spec") or {}).get("holderIdentity") or "")
