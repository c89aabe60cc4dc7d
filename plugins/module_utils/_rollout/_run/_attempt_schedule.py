# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The attempts of a wave, and when each must be evaluated although nothing has changed.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import heapq
from collections.abc import ItemsView

from .._decisions._gate import Attempt


class AttemptSchedule:
    """The attempts by node. `open` has the names of those without a verdict: only they become due."""

    def __init__(self) -> None:
        self.open: set[str] = set()
        self._attempts: dict[str, Attempt] = {}
        self._due: list[tuple[float, str]] = []  # a heap; an entry whose time is not the attempt's is void

    def __contains__(self, name: str) -> bool:
        return name in self._attempts

    def __getitem__(self, name: str) -> Attempt:
        return self._attempts[name]

    def get(self, name: str) -> Attempt | None:
        """Return the attempt of a node, None without one."""
        return self._attempts.get(name)

    def items(self) -> ItemsView[str, Attempt]:
        """Return the attempts of all nodes, open or not."""
        return self._attempts.items()

    def set(self, name: str, attempt: Attempt) -> None:
        """Keep the attempt of a node, in place of an earlier one."""
        before = self._attempts.get(name)
        self._attempts[name] = attempt
        if before is None or before.next_check_at != attempt.next_check_at:
            heapq.heappush(self._due, (attempt.next_check_at, name))

    def schedule(self, name: str) -> None:
        """Make an open attempt due once more, as it was taken and is still without a verdict."""
        if name in self.open:
            heapq.heappush(self._due, (self._attempts[name].next_check_at, name))

    def next_due(self) -> float | None:
        """Return when the next attempt must be evaluated, None without an open attempt."""
        while self._due:
            due, name = self._due[0]
            if name in self.open and self._attempts[name].next_check_at == due:
                return due
            heapq.heappop(self._due)
        return None

    def take_due(self, now: float) -> list[str]:
        """Return the nodes whose attempts must be evaluated now. Each is returned once, unless scheduled again."""
        names = []
        due = self.next_due()
        while due is not None and due <= now:
            names.append(heapq.heappop(self._due)[1])
            due = self.next_due()
        return names

    def delay_by(self, seconds: float) -> None:
        """Give the open attempts additional time, for a while in which no node could be observed."""
        for name in sorted(self.open):
            self.set(name, self._attempts[name].delayed_by(seconds))
