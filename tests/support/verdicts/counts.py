# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Count the verdicts by kind and minor, and the disagreements by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .causes import CAUSES, Category, cause_of
from .comparison import disagreements
from .recorded import RecordedFile

__all__ = ["Counts", "count"]

Cell = tuple[str, str]
"""A kind and a minor."""


@dataclass
class Counts:
    """The number of upstream's verdicts for each kind and minor, and of those that the engine does not share.

    A failure at start that the engine predicts is not a disagreement, and a verdict that only the measured tree has is
    not one of upstream's.
    """

    verdicts: Counter[Cell] = field(default_factory=Counter)
    others: Counter[Cell] = field(default_factory=Counter)
    by_reason: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The disagreements by the reason of their cause, and minor."""
    unexplained: list[str] = field(default_factory=list)

    def __add__(self, second: Counts) -> Counts:
        """Return the sum of two counts."""
        return Counts(
            self.verdicts + second.verdicts,
            self.others + second.others,
            self.by_reason + second.by_reason,
            self.unexplained + second.unexplained,
        )

    def share(self, kind: str, minor: str) -> float:
        """Return the share of the verdicts on a kind that agree, from 0 to 1."""
        return 1 - self.others[kind, minor] / self.verdicts[kind, minor]

    @property
    def minors(self) -> list[str]:
        """Return the minors, the oldest first."""
        return sorted({minor for _kind, minor in self.verdicts}, key=lambda minor: int(minor.partition(".")[2]))

    def kinds(self, minor: str) -> list[str]:
        """Return the kinds that have verdicts of a minor."""
        return sorted(kind for kind, of_minor in self.verdicts if of_minor == minor)

    @property
    def obsolete(self) -> list[str]:
        """Return the reasons that explain no disagreement."""
        return [cause.reason for cause in CAUSES if not self.for_reason(cause.reason)]

    def for_reason(self, reason: str) -> dict[str, int]:
        """Return the number of disagreements with this reason for each minor that has any, the oldest first."""
        numbers = {minor: self.by_reason[reason, minor] for minor in self.minors}
        return {minor: number for minor, number in numbers.items() if number}


def count(files: Iterable[RecordedFile]) -> Counts:
    """Ask the engine about files, and count its verdicts."""
    counts = Counts()
    for file in files:
        counts.verdicts.update((file.kind, verdict.minor) for verdict in file.verdicts)
        for disagreement in disagreements(file):
            cell, cause = (file.kind, disagreement.verdict.minor), cause_of(disagreement)
            if cause is None:
                counts.unexplained.append(str(disagreement))
            else:
                counts.by_reason[cause.reason, cell[1]] += 1
            if cause is None or cause.category is Category.BY_DESIGN:
                counts.others[cell] += 1
            elif cause.category is Category.MEASURED_TREE:
                counts.verdicts[cell] -= 1
    return counts
