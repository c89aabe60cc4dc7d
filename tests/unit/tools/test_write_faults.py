# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults page matches the rows."""

from __future__ import annotations

from typing import Any

import pytest

from write_faults import page

CASES: dict[str, Any] = {
    "name": "real kubelet/reboot/trial",
    "value": 3,
    "unit": "cases",
    "ok": True,
    "where": "real kubelet",
    "fault": "reboot",
    "phase": "trial",
    "theme": "Power",
    "failed": 0,
    "invariants": ["I1", "I2"],
}
FIGURE: dict[str, Any] = {"name": "told", "value": 2.1, "unit": "s", "ok": True, "most": 30, "least": None}


def test_the_page_has_a_line_for_each_fault_and_the_sum() -> None:
    text = page([CASES, {**CASES, "value": 2, "phase": "adopting"}, {**CASES, "where": "in process"}, FIGURE])
    assert "## Power\n" in text
    assert "| reboot | 3 (trial) |  | 5 in 2 phases |" in text
    assert "| told | 3 s | at most 30 s |" in text
    assert "In all: 1 faults in more than 7 cases; all hold." in text


def test_what_failed_stands_out() -> None:
    text = page([CASES, {**CASES, "value": 2, "failed": 1, "ok": False, "phase": "adopting"}])
    assert "| reboot |  |  | **1 of 5 failed** |" in text
    assert "**1 failed.**" in text


def test_another_run_with_the_same_results_is_the_same_page() -> None:
    assert page([CASES, FIGURE]) == page([CASES, {**FIGURE, "value": 2.9}])
    timed = {**CASES, "where": "real processes"}
    assert page([{**timed, "value": 125}]) == page([{**timed, "value": 131}])
    assert "| more than 100 (trial) |" in page([{**timed, "value": 125}])


def test_a_page_without_cases_is_an_error() -> None:
    with pytest.raises(ValueError, match="no cases"):
        page([FIGURE])


def test_the_page_names_the_release_of_the_real_kubelets() -> None:
    assert "a run with Kubernetes 1.34.9." in page([{**CASES, "kubernetes": "1.34.9"}])
    assert "a run with Kubernetes none: it had no real kubelet." in page([{**CASES, "where": "in process"}])
