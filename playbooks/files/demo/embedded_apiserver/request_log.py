# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records the requests to the embedded API server, for tests that count them.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any, NamedTuple

__all__ = ["Call", "RequestLog"]


class Call(NamedTuple):
    """One entry of the request log. A watch is recorded when it begins, other requests when they are answered."""

    user: str
    verb: str
    resource: str
    namespace: str
    name: str
    status: int


class RequestLog:
    """The newest 100,000 calls, for tests that count them."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque(maxlen=100_000)

    def add(self, call: Call) -> None:
        """Record one call."""
        self._calls.append(call)

    def calls(self, **expected: Any) -> list[Call]:
        """Return the calls with these fields: `calls(user="admin", verb="patch")`, oldest first."""
        return [
            call
            for call in list(self._calls)
            if all(getattr(call, key) == expected_value for key, expected_value in expected.items())
        ]

    def count(self, **expected: Any) -> int:
        """Return how many calls have these fields."""
        return len(self.calls(**expected))

    def by_user_and_verb(self) -> Counter[tuple[str, str]]:
        """Return the number of calls of each user and verb."""
        return Counter((call.user, call.verb) for call in list(self._calls))

    def clear(self) -> None:
        """Start counting again."""
        self._calls.clear()
