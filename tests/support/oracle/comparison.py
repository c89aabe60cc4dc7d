# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubelet's answers compared with ours: where they agree, and which disagreements are explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .case import STAGES, Answer, Case
from .explained import RACES, explained_at

__all__ = ["Comparison", "Compared"]


@dataclass(frozen=True)
class Compared:
    """A case with both answers."""

    case: Case
    kubelet: Answer
    engine: Answer

    @property
    def agree(self) -> bool:
        """Whether both refuse it, or neither does; if the answers of the kubelet vary, any answer agrees."""
        return self.kubelet.refused == self.engine.refused or self.case.name in RACES

    def __str__(self) -> str:
        return (
            f"{self.case.name}: the kubelet: {self.kubelet.stage} ({self.kubelet.message[:300]}); "
            f"we: {self.engine.stage} ({self.engine.message[:300]})"
        )


class Comparison:
    """All cases of a run with a kubelet of one minor."""

    def __init__(self, compared: Iterable[Compared], minor: int) -> None:
        self.all: Sequence[Compared] = list(compared)
        self._reasons = explained_at(minor)

    @property
    def agreed(self) -> Sequence[Compared]:
        """The cases in which both refuse, or neither does."""
        return [compared for compared in self.all if compared.agree]

    @property
    def explained(self) -> Sequence[Compared]:
        """The disagreements that have a reason in the table."""
        return [compared for compared in self.all if not compared.agree and compared.case.name in self._reasons]

    @property
    def unexplained(self) -> Sequence[Compared]:
        """The disagreements without a reason, and the invalid answers."""
        unclear = [compared for compared in self.all if compared.kubelet.stage not in STAGES]
        return unclear + [
            compared for compared in self.all if not compared.agree and compared.case.name not in self._reasons
        ]

    @property
    def obsolete(self) -> Sequence[Compared]:
        """The cases of the table that no longer disagree."""
        return [compared for compared in self.all if compared.agree and compared.case.name in self._reasons]

    @property
    def same_stage(self) -> int:
        """The number of cases that both refuse at the same stage."""
        return sum(
            compared.kubelet.stage == compared.engine.stage for compared in self.agreed if compared.kubelet.refused
        )

    def by_stage(self) -> dict[str, int]:
        """Return how many configs ended at each stage."""
        return {stage: sum(compared.kubelet.stage == stage for compared in self.all) for stage in STAGES}

    def by_reason(self) -> dict[str, int]:
        """Return how many disagreements each reason explains."""
        reasons = [self._reasons[compared.case.name] for compared in self.explained]
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    def by_group(self) -> dict[str, tuple[int, int]]:
        """Return for each way to make cases how many there are and how many agree."""
        groups = dict.fromkeys(compared.case.group for compared in self.all)
        return {
            group: (
                sum(compared.case.group == group for compared in self.all),
                sum(compared.case.group == group for compared in self.agreed),
            )
            for group in groups
        }
