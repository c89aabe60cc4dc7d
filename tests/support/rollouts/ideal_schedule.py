# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time that a rollout takes if the runner itself takes none."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["MovedWave", "ideal_seconds"]


class MovedWave(NamedTuple):
    """The seconds in which each node of a wave answers, in the order in which they move; and the wave's soak."""

    answers: Sequence[float]
    soak: float = 0.0


def ideal_seconds(waves: Sequence[MovedWave], *, window: int) -> float:
    """Return the seconds of the waves, one after another, each with a sliding window of so many nodes.

    A node takes a slot when it is assigned and frees it when it answers; then the next node is assigned. It has passed
    when its soak is over, and a wave is over when all its nodes have passed.
    """
    total = 0.0
    for wave in waves:
        slots = [0.0] * window  # when each becomes free
        answered = 0.0
        for answer in wave.answers:
            end = slots[0] + answer
            heapq.heapreplace(slots, end)  # the slot that was free first
            answered = max(answered, end)
        total += answered + (wave.soak if wave.answers else 0.0)
    return total
