# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person sees while a wave moves. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ._window import FAILED, IN_FLIGHT, PASSED, SOAKING, STRUCK_OUT, UNKNOWN

__all__ = ["Progress", "names_in_short"]

_WIDTH = 24
_SHOWN = 4


@dataclass(frozen=True)
class Progress:
    """One thing that has changed. line: a sentence about it; counts: how many nodes of the wave are in which state."""

    wave: str
    line: str
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def gauge(self) -> str:
        """Return the wave as one line: a bar, and the counts that are not 0; "" before it moves."""
        if not self.total:
            return ""
        ended = self.counts.get(PASSED, 0) + self.counts.get(FAILED, 0) + self.counts.get(UNKNOWN, 0)
        ended += self.counts.get(STRUCK_OUT, 0)
        moving = self.counts.get(SOAKING, 0) + self.counts.get(IN_FLIGHT, 0)
        full = _WIDTH * ended // self.total
        half = max(-(-_WIDTH * (ended + moving) // self.total) - full, 0)
        told = [f"{self.counts.get(PASSED, 0)}/{self.total} passed"]
        told += [
            f"{self.counts[state]} {state}"
            for state in (IN_FLIGHT, SOAKING, FAILED, UNKNOWN, STRUCK_OUT)
            if self.counts.get(state)
        ]
        return f"{self.wave} [{'#' * full}{'-' * half}{'.' * (_WIDTH - full - half)}] {', '.join(told)}"


def names_in_short(names: list[str]) -> str:
    """Return some names and how many more."""
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
