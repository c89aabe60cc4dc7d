# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect what happens to a pool until it is quiet, so that thousands of nodes make a few events. Pure."""

from __future__ import annotations

from typing import Generic, TypeVar

Item = TypeVar("Item")


class _Batch(Generic[Item]):
    def __init__(self, now: float) -> None:
        self.began = self.grew = now
        self.items: dict[str, Item] = {}


class Batches(Generic[Item]):
    """The open batches, by pool. A batch is closed when nothing was added for a while, or when it is old."""

    def __init__(self, quiet: float, longest: float) -> None:
        """Begin without batches. quiet: seconds without an addition that close one. longest: its age, in seconds."""
        self._quiet = quiet
        self._longest = longest
        self._open: dict[str, _Batch[Item]] = {}

    def add(self, pool: str, key: str, item: Item, now: float) -> None:
        """Add an item; one of the same key is replaced, and does not make the batch wait longer."""
        if pool not in self._open:
            self._open[pool] = _Batch(now)
        batch = self._open[pool]
        if key not in batch.items:
            batch.grew = now
        batch.items[key] = item

    def discard(self, pool: str, key: str) -> None:
        """Remove an item, if it is there."""
        batch = self._open.get(pool)
        if batch is not None:
            batch.items.pop(key, None)
            if not batch.items:
                del self._open[pool]

    def take(self, now: float) -> dict[str, list[Item]]:
        """Return the items of the batches that are due, by pool, and close these."""
        due = [pool for pool, batch in self._open.items() if self._due(batch) <= now]
        return {pool: list(self._open.pop(pool).items.values()) for pool in due}

    @property
    def due(self) -> float:
        """When the next batch is due; infinity without one."""
        return min(map(self._due, self._open.values()), default=float("inf"))

    def _due(self, batch: _Batch[Item]) -> float:
        return min(batch.grew + self._quiet, batch.began + self._longest)
