# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides when to try again after failures: doubling pauses with jitter. Private to configok.node."""

from __future__ import annotations

import random as _random
from collections.abc import Callable

from ._retry import backoff_delay

__all__ = ["Backoff", "SOON"]

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
