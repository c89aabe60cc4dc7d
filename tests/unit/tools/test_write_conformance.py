# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The conformance page matches the rows, and has all cases."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import write_conformance
from result_page import place_of

ROOT = Path(__file__).resolve().parents[3]


def row(case: str, side: str = "configok", **changes: Any) -> dict[str, Any]:
    fields = {"name": case, "case": case, "side": side, "value": 2, "seconds": 12.34, "ok": True, "saw": ["a | b", "c"]}
    return {**fields, "kubernetes": "1.20.2", **changes}


def rows(**changes: Any) -> list[dict[str, Any]]:
    names = [
        name for cases in write_conformance.GROUPS.values() for name in cases if name not in write_conformance.ELSEWHERE
    ]
    return [row(name, **changes) for name in names]


def test_a_case_is_a_line_with_its_evidence() -> None:
    compared = row("F1 evictionHard", "ancestor", saw=["promoted"])
    text = write_conformance.page(
        [*rows(), row("F1 evictionHard, refused", value=0), row("E2", "ancestor", saw=["3 restarts"]), compared]
    )
    assert (
        "| E2 | A bad bundle after a last-known-good one, and back | A restart to each: three. *3 restarts.* |" in text
    )
    assert "| a \\| b; c | 2 |" in text
    assert "| F1 evictionHard, refused | a \\| b; c | 0 | promoted |" in text
    assert "| F1 | a \\| b; c | 2 |  |" in text
    assert "2 of them with the ancestor on the same kubelet" in " ".join(text.split())
    assert "12.34" not in text  # the page changes only if the evidence does
    assert "evictionHard, refused: a \\| b; c" in text
    assert "see G9" in text


def test_a_case_that_does_not_hold_is_marked() -> None:
    assert "**not so**" in write_conformance.page(rows(ok=False))
    assert "**not so**" not in write_conformance.page(rows())


def test_no_case_may_be_left_out_or_be_unknown() -> None:
    with pytest.raises(ValueError, match="no row of E9"):
        write_conformance.page([row for row in rows() if row["case"] != "E9"])
    with pytest.raises(ValueError, match="unheard-of"):
        write_conformance.page([row("unheard-of")])


def test_a_release_without_the_ancestor_needs_no_row_of_it() -> None:
    newer = [row for row in rows(kubernetes="1.36.2") if row["case"] != "G12"]
    assert "not run: this release no longer has the ancestor" in write_conformance.page(newer)
    with pytest.raises(ValueError, match="no row of G12"):
        write_conformance.page([row for row in rows() if row["case"] != "G12"])


def test_the_page_of_another_release_leaves_the_published_one(tmp_path: Path) -> None:
    page = tmp_path / "conformance.md"
    assert place_of(page, rows()) == page
    newer = rows(kubernetes="1.36.2")
    assert place_of(page, newer) == ROOT / "build/pages/conformance-1.36.2.md"
    own = tmp_path / "conformance-1.36.md"
    own.touch()
    assert place_of(page, newer) == own


def test_the_suite_writes_a_row_for_every_case() -> None:
    written = set()
    for path in (ROOT / "tests" / "conformance").glob("test_*.py"):
        for name in re.findall(r'\bcase\(\s*f?"([^"]+)"', path.read_text()):
            written |= set(re.findall(r"\b[EFG]\d+\b", name))
    known = {name for cases in write_conformance.GROUPS.values() for name in cases}
    assert written | set(write_conformance.ELSEWHERE) == known


def test_a_cell_that_is_shown_above_is_not_repeated() -> None:
    many = [row(f"G4 {number}", saw=[f"file {number}"]) for number in range(4)]
    text = write_conformance.page([*rows(), *many])
    assert text.count("file 3") == 1
    assert "see [above](#what-matters-most) |" in text
    many[2]["ok"] = False
    assert "see [above](#what-matters-most) **not so** |" in write_conformance.page([*rows(), *many])


def test_figures_have_sections_of_their_own() -> None:
    figure = {"unit": "configs", "value": 400, "ok": True, "saw": ["12 explained"]}
    text = write_conformance.page([*rows(), row("agreed", "oracle", **figure), row("flag sets", "migration", **figure)])
    assert "## The real kubelet as oracle\n" in text
    assert "| agreed | 400 configs | 12 explained |" in text
    assert "## Flags moved to a file\n" in text
    assert "## Profiles" not in text, "there was no such row"


def test_the_page_names_the_release_that_it_was_measured_with() -> None:
    assert "Kubernetes 1.34.9, and shows no more" in write_conformance.page(rows(kubernetes="1.34.9"))
    with pytest.raises(ValueError, match="which Kubernetes"):
        write_conformance.page(rows(kubernetes=""))


def test_shares_are_a_table_and_causes_have_their_minors() -> None:
    def verdicts(case: str, value: float, **details: Any) -> dict[str, Any]:
        return row(case, "verdicts", value=value, unit="of 400 agree", saw=[], details=details)

    text = write_conformance.page(
        [
            *rows(),
            verdicts("1.31", 0.9975, shares={"kubelet": 0.99999}),
            verdicts("1.32", 1.0, shares={"kubelet": 1.0, "Policy": 1.0}),
            verdicts("a <cause>", 9, category="by design", minors={"1.31": 4, "1.32": 4, "1.33": 1}),
        ]
    )
    assert "|  | 1.31 | 1.32 |" in text
    assert "| kubelet | 99.99 | 100 |" in text
    assert "| Policy |  | 100 |" in text
    assert "| all | 99.75 | 100 |" in text
    assert "The verdicts differ: by design." in text
    assert "| a &lt;cause> | 9 | 1.31 to 1.32: 4 each; 1.33: 1 |" in text
