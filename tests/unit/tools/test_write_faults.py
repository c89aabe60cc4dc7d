# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/faults.md is what the rows say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]

CASES: dict[str, Any] = {
    "name": "real kubelet/reboot/trial",
    "value": 3,
    "unit": "cases",
    "ok": True,
    "where": "real kubelet",
    "fault": "reboot",
    "phase": "trial",
    "failed": 0,
    "invariants": ["I1", "I2"],
}
FIGURE: dict[str, Any] = {"name": "told", "value": 2.5, "unit": "s", "ok": True, "most": 30, "least": None}


def page(rows: list[dict[str, Any]], day: str) -> str:
    spec = importlib.util.spec_from_file_location("write_faults", ROOT / "tools" / "write_faults.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.page(rows, day))


def test_a_line_for_each_row_and_the_sum() -> None:
    text = page([CASES, {**CASES, "value": 2, "failed": 1, "ok": False, "phase": "adopting"}, FIGURE], "2026-01-01")
    assert "| reboot | trial | 3 | 3 | I1, I2 |  |" in text
    assert "| reboot | adopting | 2 | 1 | I1, I2 | **not so** |" in text
    assert "| told | 2.5 s | at most 30 s |  |" in text
    assert text.endswith("In all: 5 cases, 1 failed. Run on 2026-01-01.\n")


def test_no_cases_are_no_page() -> None:
    with pytest.raises(ValueError, match="no cases"):
        page([FIGURE], "2026-01-01")
