# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a wave, as text. Pure. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ._window import FAILED, GONE, IN_FLIGHT, PASSED, SOAKING, UNKNOWN, NodeState

__all__ = ["Progress"]


_BAR_WIDTH = 24


_ENDED: tuple[NodeState, ...] = (PASSED, FAILED, UNKNOWN, GONE)


_SHOWN_STATES: tuple[NodeState, ...] = (IN_FLIGHT, SOAKING, FAILED, UNKNOWN, GONE)


@dataclass(frozen=True)
class Progress:
    """A change to show. line: a sentence about it; counts: the number of nodes of the wave by state."""

    wave: str
    line: str
    total: int = 0
    counts: Mapping[NodeState, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the wave as one line: a bar, and the counts that are not 0; "" before the wave moves."""
        if not self.total:
            return ""
        ended = sum(self.counts.get(state, 0) for state in _ENDED)
        moving = self.counts.get(SOAKING, 0) + self.counts.get(IN_FLIGHT, 0)
        full = _BAR_WIDTH * ended // self.total
        half = max(-(-_BAR_WIDTH * (ended + moving) // self.total) - full, 0)
        parts = [f"{self.counts.get(PASSED, 0)}/{self.total} passed"]
        parts += [f"{self.counts[state]} {state}" for state in _SHOWN_STATES if self.counts.get(state)]
        return f"{self.wave} [{'#' * full}{'-' * half}{'.' * (_BAR_WIDTH - full - half)}] {', '.join(parts)}"
