# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each invariant can be violated, and its violation is reported."""

from __future__ import annotations

from typing import Any

import pytest

from faults.invariants import INVARIANTS, Condition, Expected, Observation, violations

BACK = Condition("False", "using last-known-good (UID: good)")
EXPECTED = Expected(
    valid=frozenset({"good", "deadly"}),
    runs=frozenset({"good"}),
    good=frozenset({"good"}),
    starts=(3, 3),
    conditions=frozenset({BACK}),
    kept=frozenset({"good"}),
    doomed=frozenset({"deadly"}),
    doomed_starts=2,
)
OBSERVATION = Observation(("deadly", "deadly", "good"), "good", "good", BACK, "good")
BROKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "started with something that is not a config": ("I1", {"started_with": ("deadly", "?", "good")}),
    "does not run": ("I1", {"runs": ""}),
    "last-known-good lost": ("I2", {"good": ""}),
    "last-known-good lost for a while": ("I2", {"kept": "deadly"}),
    "started too often with a config that crashes it": ("I3", {"started_with": ("deadly", "deadly", "deadly")}),
    "still on a config that crashes it": ("I3", {"runs": "deadly"}),
    "one restart too many": ("I4", {"started_with": ("deadly", "deadly", "good", "good")}),
    "another condition is reported": ("I5", {"condition": Condition("True", "using current (UID: deadly)")}),
}


def test_all_hold() -> None:
    assert violations(EXPECTED, OBSERVATION) == []


@pytest.mark.parametrize("what", BROKEN)
def test_each_broken_invariant_is_reported(what: str) -> None:
    invariant, seen = BROKEN[what]
    assert invariant in {sentence[:2] for sentence in violations(EXPECTED, OBSERVATION._replace(**seen))}


def test_every_invariant_can_be_broken() -> None:
    assert {invariant for invariant, _seen in BROKEN.values()} == set(INVARIANTS)
