# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Violations are counted and reported; an unlisted fault is refused, and a fault that was not injected is missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.catalogue import FAULTS, missing
from faults.ledger import Ledger, TooManyFailures, summary
from faults.run import merged

FAULT = FAULTS["API"][0]
LATER = FAULTS["ConfigMap"][0]


def test_a_case_that_does_not_hold_has_failed() -> None:
    ledger = Ledger()
    with ledger.case("in process", FAULT, "trial"):
        pass
    with ledger.case("in process", FAULT, "trial") as case:
        case.holds("I4", False, "it was restarted")
    [row] = ledger.rows()
    assert (row["value"], row["failed"], row["ok"], row["invariants"]) == (2, 1, False, ["I4"])
    assert ledger.failures == [f"in process: {FAULT}, trial : I4: it was restarted"]
    assert summary(ledger.rows()) == "faults: 2 cases of 1 faults, 1 failed"


def test_a_case_that_cannot_be_run_has_failed() -> None:
    ledger = Ledger()
    with ledger.case("in process", FAULT, "trial"):
        Path("/nonexistent/node").read_text()
    assert not ledger.rows()[0]["ok"]


def test_after_many_failures_the_rest_is_not_run() -> None:
    ledger = Ledger()
    with pytest.raises(TooManyFailures):
        _fail(ledger, times=100)
    assert ledger.rows()[0]["value"] < 10


def _fail(ledger: Ledger, times: int) -> None:
    for _again in range(times):
        with ledger.case("in process", FAULT, "trial") as case:
            case.holds("", False, "no")


def test_a_figure_beyond_its_bounds_has_failed() -> None:
    ledger = Ledger()
    ledger.figure("told", 31.0, "s", most=30.0)
    assert not ledger.rows()[0]["ok"]
    assert ledger.failures


def test_a_fault_that_is_not_in_the_catalogue_is_refused() -> None:
    with pytest.raises(ValueError, match="add it there"), Ledger().case("in process", "an earthquake", "trial"):
        pass


def test_what_was_not_injected_is_missed() -> None:
    everything = [fault for faults in FAULTS.values() for fault in faults]
    assert missing(everything) == []
    assert missing(everything[1:]) == everything[:1]


def test_parts_are_merged_in_the_order_of_the_catalogue() -> None:
    first, second = Ledger(), Ledger()
    with first.case("real kubelet", LATER, "trial"):
        pass
    first.figure("told", 1.0, "s")
    with second.case("in process", FAULT, "trial"):
        pass
    assert [row["name"] for row in merged([first.rows(), second.rows()])] == [
        f"in process/{FAULT}/trial",
        f"real kubelet/{LATER}/trial",
        "told",
    ]
