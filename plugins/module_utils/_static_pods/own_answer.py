# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component's own program says about its arguments."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class OwnVerdict(str, Enum):
    """What a component says about its arguments."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_JUDGED = "not judged"

    def __str__(self) -> str:
        return self.value


class OwnAnswer(NamedTuple):
    """The answer of a component. reason: what is wrong, or why it is not judged; "" for one that has passed."""

    verdict: OwnVerdict
    reason: str = ""
