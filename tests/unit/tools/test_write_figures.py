# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures page matches the rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import write_figures

ROOT = Path(__file__).resolve().parents[3]
WHERE = {"processor": "x86_64, 2 cores", "API server": ""}


def row(**changes: Any) -> dict[str, Any]:
    fields = {"name": "prestart-ms", "value": 99.77, "unit": "ms", "ok": True, "baseline": 18.02, "ratio": 5.537}
    return {**fields, **changes}


def test_a_row_is_a_line_and_a_sentence() -> None:
    text = write_figures.page(
        [row(), row(name="agent-rss-mb", value=27.3, unit="MB", baseline=None, ratio=None)], WHERE
    )
    assert "| `prestart-ms` | 99.8 ms | 18 ms | 5.54 | at most 150 ms |  |" in text
    assert "| `agent-rss-mb` | 27.3 MB |  |  | at most 32 MB |  |" in text
    assert "- `agent-rss-mb`: resident memory" in text
    assert "- processor: x86_64, 2 cores" in text
    assert "API server:" not in text


def test_a_row_that_does_not_hold_is_marked() -> None:
    assert "| **not so** |" in write_figures.page([row(ok=False)], WHERE)


@pytest.mark.parametrize("rows", [[], [row(name="unheard-of")]])
def test_no_page_without_rows_that_are_understood(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(ValueError, match=r"no rows|unheard-of"):
        write_figures.page(rows, WHERE)


def test_every_row_of_the_benchmarks_has_a_meaning() -> None:
    written = set()
    for path in (ROOT / "tests" / "benchmarks").glob("test_*.py"):
        written |= set(re.findall(r'\brow\(\s*"([^"]+)"', path.read_text()))
    assert written == set(write_figures.MEANINGS)
