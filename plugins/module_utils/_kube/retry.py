# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether and when a failed request or task is tried again."""

from __future__ import annotations

import random as _random
from collections.abc import Callable
from typing import NamedTuple

from .api_errors import (
    KubeError,
    NotImplementedByServer,
    ServerError,
    TooManyRequests,
    Unreachable,
)


class RetryPolicy(NamedTuple):
    """How patient a client is.

    attempts: the requests in all. first, longest: the first and the longest pause, in seconds. patience: the seconds
    of all pauses together.
    """

    attempts: int = 6
    first: float = 0.2
    longest: float = 10.0
    patience: float = 60.0


PATIENT = RetryPolicy()
ONCE = RetryPolicy(attempts=1)


def is_transient(error: KubeError, *, idempotent: bool) -> bool:
    """Return whether the same request may be sent again and may then succeed.

    Any request that the server turned away (429) or never received may be sent again. A request that may have been
    executed is sent again only if it is idempotent. An eviction that a disruption budget forbids is an answer.
    """
    if isinstance(error, TooManyRequests):
        return "DisruptionBudget" not in error.causes
    if isinstance(error, Unreachable):
        return error.transient and (idempotent or not error.sent)
    if isinstance(error, ServerError):
        return idempotent and not isinstance(error, NotImplementedByServer)
    return idempotent and error.status == 408


def wait_before_retry(
    policy: RetryPolicy, error: KubeError, *, attempt: int, waited: float, idempotent: bool, jitter: float
) -> float | None:
    """Return the seconds to wait before the request is sent again, or None to give up.

    attempt: the requests sent so far; waited: the seconds waited so far; jitter: a random number in [0, 1). The pause
    is never shorter than the server's Retry-After.
    """
    if attempt >= policy.attempts or not is_transient(error, idempotent=idempotent):
        return None
    pause = backoff_delay(attempt, first=policy.first, longest=policy.longest, jitter=jitter)
    if error.retry_after is not None:
        pause = max(pause, error.retry_after + policy.first * jitter)
    return pause if waited + pause <= policy.patience else None


def backoff_delay(
    failures: int, *, first: float, longest: float, jitter: float, lowest: float = 0.5, spread: float = 0.5
) -> float:
    """Return the pause in seconds after a number of failures in a row, 1 being the first.

    The ceiling doubles with each failure, from first up to longest. The pause is this part of it: lowest, and spread
    times the jitter, which is in [0, 1).
    """
    ceiling = min(longest, first * 2.0 ** min(max(failures, 1) - 1, 30))
    return ceiling * (lowest + spread * jitter)


# With the duration of one attempt, an agent reports within 30 s of the end of an outage.
SOON = 12.0


class Backoff:
    """Doubling pauses with jitter, never shorter than the server's Retry-After. Times are seconds since boot."""

    def __init__(
        self, *, first: float, longest: float, random: Callable[[], float] = _random.random, soon: float = SOON
    ) -> None:
        """first, longest: pauses in seconds. soon: the longest pause after a transient failure."""
        self._first = first
        self._longest = longest
        self._soon = min(soon, longest)
        self._random = random
        self._failures = 0
        self._until = 0.0
        self._not_before = 0.0

    def failed(self, now: float, retry_after: float | None = None, *, transient: bool = False) -> float:
        """Count a failure and return when to try again. transient: nothing was refused, it may work soon."""
        self._failures += 1
        longest = self._soon if transient else self._longest
        # Many nodes that failed together must not come back together.
        pause = backoff_delay(
            self._failures, first=self._first, longest=longest, jitter=self._random(), lowest=0.8, spread=0.4
        )
        self._not_before = now + (retry_after or 0.0)
        self._until = max(now + pause, self._not_before)
        return self._until

    def reset(self) -> None:
        """Forget the failures, after a success or for another purpose. Retry-After still holds."""
        self._failures = 0
        self._until = self._not_before

    def hurry(self, now: float, within: float) -> None:
        """Try again within this many seconds, though not before Retry-After: the cause of the failure seems over."""
        self._until = max(self._not_before, min(self._until, now + within * self._random()))

    def due(self, now: float) -> bool:
        """Return whether it is time to try again."""
        return now >= self._until

    @property
    def until(self) -> float:
        """The time of the next attempt."""
        return self._until
