# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubelet's answers beside ours: where they agree, and which disagreements are explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .case import STAGES, Answer, Case
from .explained import EXPLAINED, RACES

__all__ = ["Comparison", "Compared"]


@dataclass(frozen=True)
class Compared:
    """A case with both answers."""

    case: Case
    theirs: Answer
    ours: Answer

    @property
    def agree(self) -> bool:
        """Whether both refuse it, or neither does; where the kubelet itself differs, either is right."""
        return self.theirs.refused == self.ours.refused or self.case.name in RACES

    def __str__(self) -> str:
        return (
            f"{self.case.name}: the kubelet: {self.theirs.stage} ({self.theirs.said[:300]}); "
            f"we: {self.ours.stage} ({self.ours.said[:300]})"
        )


class Comparison:
    """All cases of a run."""

    def __init__(self, compared: Iterable[Compared]) -> None:
        self.all: Sequence[Compared] = list(compared)

    @property
    def agreed(self) -> Sequence[Compared]:
        """The cases in which both refuse, or neither does."""
        return [one for one in self.all if one.agree]

    @property
    def explained(self) -> Sequence[Compared]:
        """The disagreements that have a reason in the table."""
        return [one for one in self.all if not one.agree and one.case.name in EXPLAINED]

    @property
    def unexplained(self) -> Sequence[Compared]:
        """The disagreements that have none, and answers that are none."""
        unclear = [one for one in self.all if one.theirs.stage not in STAGES]
        return unclear + [one for one in self.all if not one.agree and one.case.name not in EXPLAINED]

    @property
    def outlived(self) -> Sequence[Compared]:
        """The cases of the table that disagree no longer."""
        return [one for one in self.all if one.agree and one.case.name in EXPLAINED]

    @property
    def same_stage(self) -> int:
        """Of how many that are refused by both we name the stage."""
        return sum(one.theirs.stage == one.ours.stage for one in self.agreed if one.theirs.refused)

    def by_stage(self) -> dict[str, int]:
        """How many configs ended where."""
        return {stage: sum(one.theirs.stage == stage for one in self.all) for stage in STAGES}

    def by_reason(self) -> dict[str, int]:
        """How many disagreements are explained by what."""
        reasons = [EXPLAINED[one.case.name] for one in self.explained]
        return {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    def by_group(self) -> dict[str, tuple[int, int]]:
        """For each way to make cases how many there are and how many agree."""
        groups = dict.fromkeys(one.case.group for one in self.all)
        return {
            group: (
                sum(one.case.group == group for one in self.all),
                sum(one.case.group == group for one in self.agreed),
            )
            for group in groups
        }
