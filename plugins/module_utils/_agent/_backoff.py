# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Back-off for one purpose: when to try again after a failure. Private to configok.node."""

from __future__ import annotations

import random as _random
from collections.abc import Callable

__all__ = ["Backoff"]


class Backoff:
    """Doubling pauses with jitter, never before what the server asked for. Times are seconds since boot."""

    def __init__(self, *, first: float, longest: float, random: Callable[[], float] = _random.random) -> None:
        self._first = first
        self._longest = longest
        self._random = random
        self._failures = 0
        self._until = 0.0

    def failed(self, now: float, retry_after: float | None = None) -> float:
        """Count a failure; return when to try again."""
        pause = min(self._longest, self._first * 2.0 ** min(self._failures, 16))
        pause *= 0.8 + 0.4 * self._random()  # many nodes that failed together must not come back together
        self._failures += 1
        self._until = now + max(pause, retry_after or 0.0)
        return self._until

    def reset(self) -> None:
        """Forget the failures: it worked, or it is about something else now."""
        self._failures = 0
        self._until = 0.0

    def due(self, now: float) -> bool:
        """Return whether it may be tried now."""
        return now >= self._until

    @property
    def until(self) -> float:
        """When it may be tried again."""
        return self._until
