# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All cases, and those of the quick part."""

from __future__ import annotations

from .by_chance import by_chance
from .by_corner import by_corner
from .by_field import by_field
from .by_gate import by_gate
from .by_path import by_path
from .by_rule import by_rule
from .by_text import by_text
from .by_value import by_value
from .case import Case

__all__ = ["all_cases", "quick_cases"]

_BY_CHANCE = 60
_BY_VALUE = 12  # of each grammar
_QUICK = 40


def all_cases(minor: int) -> list[Case]:
    """Return all cases for a kubelet of this minor; the same in every run."""
    by_hand = [*by_field(minor), *by_rule(), *by_corner(), *by_gate(minor), *by_path(), *by_text()]
    return [*by_hand, *by_value(_BY_VALUE), *by_chance(_BY_CHANCE)]


def quick_cases(minor: int) -> list[Case]:
    """Return every n-th case; the same in every run."""
    cases = all_cases(minor)
    return cases[:: -(-len(cases) // _QUICK)]
