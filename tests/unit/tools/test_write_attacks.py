# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/security.md has all attacks, and its tables match the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import write_attacks
from result_page import KeepPage
from support.attacks.catalogue import ATTACKS, PATHS, attack_named
from write_attacks import PAGE, page

FRAME = "# Security\n" + "".join(
    f"\nText.\n<!-- attacks: {name} -->\nold\n<!-- end of attacks -->\n" for name in ("summary", *PATHS)
)


def rows(**changes: Any) -> list[dict[str, Any]]:
    """Return the rows of a run in which all is as it should be."""
    return [
        {
            "name": f"{attack.name}: {layer} {side}",
            "value": 0,
            "unit": "nodes",
            "ok": True,
            "attack": attack.name,
            "layer": layer,
            "side": side,
            "saw": f"what {side} does",
            "evaluated": False,
            "apiserver": "1.36.3",
            **changes,
        }
        for attack in ATTACKS
        for layer in (*attack.stopped_by, *attack.not_stopped_by)
        for side in ("off", "on")
    ]


def test_the_page_has_all_attacks_with_all_their_layers() -> None:
    text = PAGE.read_text(encoding="utf-8")
    missing = [
        (attack.name, layer)
        for attack in ATTACKS
        for layer in (*attack.stopped_by, *attack.not_stopped_by)
        if f"| {attack.name} | {layer} |" not in text
    ]
    assert missing == [], "make attacks writes them"
    assert "not as expected" not in text


def test_names_are_unique() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    with pytest.raises(KeyError, match="catalogue"):
        attack_named("another")


def test_the_page_has_a_line_for_each_attack_and_layer() -> None:
    text = page(rows(), FRAME)
    assert "| tampered statement | signatures | what off does | what on does |" in text
    assert "| removal of the assignment | signatures | what off does | *not stopped*: what on does |" in text
    assert "Measured with kube-apiserver 1.36.3:" in text
    assert "all as expected" in text
    assert "\nold\n" not in text
    assert text.count("\nText.\n") == len(PATHS) + 1
    assert page(rows(), text) == text


def test_what_was_only_evaluated_is_named() -> None:
    text = page(rows(evaluated=True), FRAME)
    assert "what on does (evaluated) |" in text
    assert "has no admission policies" in text


def test_a_run_without_admission_policies_keeps_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_attacks, "ROOT", tmp_path)
    monkeypatch.setattr(write_attacks, "_ELSEWHERE", tmp_path / "build/pages/security.md")
    with pytest.raises(KeepPage, match="no admission policies, so its page is build/pages/security"):
        write_attacks.render(rows(evaluated=True))
    assert "(evaluated) |" in (tmp_path / "build/pages/security.md").read_text()
    assert "(evaluated) |" not in write_attacks.render(rows())


def test_what_failed_stands_out() -> None:
    measured = rows()
    measured[0]["ok"] = False
    text = page(measured, FRAME)
    assert "**1 not as expected**" in text
    assert "what off does **not as expected** |" in text


def test_an_attack_without_rows_is_named() -> None:
    measured = [row for row in rows() if row["attack"] != "tampered statement"]
    with pytest.raises(ValueError, match="no row of tampered statement"):
        page(measured, FRAME)


def test_a_page_without_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="must have the tables"):
        page(rows(), FRAME.replace("attacks: node ", "attacks: other "))
