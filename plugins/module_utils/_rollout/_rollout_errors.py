# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong with a rollout, as types whose text is one sentence. Private to configok.node."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ApiUnavailable",
    "Interrupted",
    "InvalidPool",
    "InvalidRecord",
    "LockLost",
    "PoolLocked",
    "RolloutError",
    "RolloutRefused",
]


class RolloutError(Exception):
    """A rollout that cannot go on; its text says why and what to do, in one sentence."""


class InvalidPool(RolloutError):
    """A pool or policy that cannot be used; errors holds one sentence for each thing that is wrong."""

    def __init__(self, errors: Sequence[str]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(self.errors))


class InvalidRecord(RolloutError):
    """The record of a pool cannot be read, or would not fit its ConfigMap."""


class RolloutRefused(RolloutError):
    """The rollout must not start, or not go on; reasons holds one sentence for each reason."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("; ".join(self.reasons))


class PoolLocked(RolloutError):
    """Another runner moves this pool; the text names it."""


class LockLost(RolloutError):
    """This runner stalled, and another one has taken the pool over."""


class Interrupted(RolloutError):
    """Somebody pressed Ctrl-C: the record is right, and running again goes on."""


class ApiUnavailable(RolloutError):
    """The API server was away for longer than a run waits."""
