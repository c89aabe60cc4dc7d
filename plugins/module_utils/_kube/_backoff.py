# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Back-off for one purpose: when to try again after a failure. Private to configok.node."""

from __future__ import annotations

import random as _random
from collections.abc import Callable

__all__ = ["SOON", "Backoff"]

# With the time that one attempt may take, the truth is told within 30 s of the end of an outage.
SOON = 12.0


class Backoff:
    """Doubling pauses with jitter, never before what the server asked for. Times are seconds since boot."""

    def __init__(
        self, *, first: float, longest: float, random: Callable[[], float] = _random.random, soon: float = SOON
    ) -> None:
        """first, longest: pauses in seconds. soon: the longest after a failure that may be over at any moment."""
        self._first = first
        self._longest = longest
        self._soon = min(soon, longest)
        self._random = random
        self._failures = 0
        self._until = 0.0
        self._not_before = 0.0

    def failed(self, now: float, retry_after: float | None = None, *, transient: bool = False) -> float:
        """Count a failure; return when to try again. transient: nobody has refused it, it may work soon."""
        pause = min(self._soon if transient else self._longest, self._first * 2.0 ** min(self._failures, 16))
        pause *= 0.8 + 0.4 * self._random()  # many nodes that failed together must not come back together
        self._failures += 1
        self._not_before = now + (retry_after or 0.0)
        self._until = max(now + pause, self._not_before)
        return self._until

    def reset(self) -> None:
        """Forget the failures: it worked, or it is about something else now. Retry-After stands all the same."""
        self._failures = 0
        self._until = self._not_before

    def hurry(self, now: float, within: float) -> None:
        """What it failed of is over, it seems: try again within so many seconds, though not before Retry-After."""
        self._until = max(self._not_before, min(self._until, now + within * self._random()))

    def due(self, now: float) -> bool:
        """Return whether it may be tried now."""
        return now >= self._until

    @property
    def until(self) -> float:
        """When it may be tried again."""
        return self._until
