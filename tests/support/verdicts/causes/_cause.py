# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cause of disagreements: why the engine does not share a recorded verdict."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from support.verdicts.comparison import Disagreement

__all__ = ["Category", "Cause", "accepts", "refuses"]


class Category(Enum):
    """What a cause says about the engine."""

    STARTS = "the component accepts the file and ends when it starts with it, as the engine says"
    """Counts as agreement: the record does not cover the start."""
    BY_DESIGN = "by design"
    MEASURED_TREE = "of the sources that were measured, not of upstream"
    """Does not count: the verdict is not upstream's."""


class Cause(NamedTuple):
    """The reason for a disagreement, as a sentence for the page, and the disagreements that it explains."""

    reason: str
    category: Category
    kinds: frozenset[str]
    matches: Callable[[Disagreement], bool]

    def explains(self, disagreement: Disagreement) -> bool:
        """Return whether this is the cause of a disagreement."""
        return disagreement.file.kind in self.kinds and self.matches(disagreement)


def refuses(*rules: str) -> Callable[[Disagreement], bool]:
    """Return whether the engine refuses a file that upstream accepts, and by these rules alone."""
    return lambda disagreement: (
        disagreement.engine_refuses and all(finding.rule in rules for finding in disagreement.findings)
    )


def accepts(message: str) -> Callable[[Disagreement], bool]:
    """Return whether the engine accepts a file that upstream refuses with a message that contains this expression."""
    pattern = re.compile(message)
    return lambda disagreement: (
        not disagreement.engine_refuses and pattern.search(disagreement.verdict.message) is not None
    )
