# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the tables of docs/security.md from the rows that the attack tests have left in build/attacks.jsonl.

    python tools/write_attacks.py

A table is between two comments, <!-- attacks: nodes --> and <!-- end of attacks -->; the rest of the page is written by
hand. Exits with 1 and a message if there are no rows, or none of an attack in tests/support/attacks/catalogue.py. The
page of a run whose API server has no admission policies goes to build/pages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence

from result_page import ROOT, KeepPage, Row, table, write_page

sys.path.insert(0, str(ROOT / "tests"))

from support.attacks.catalogue import ATTACKS, LAYERS, PATHS, Attack

ROWS = ROOT / "build" / "attacks.jsonl"
PAGE = ROOT / "docs/security.md"
_ELSEWHERE = ROOT / "build/pages/security.md"
_SECTION = re.compile(r"(<!-- attacks: ([a-z ]+) -->\n).*?(<!-- end of attacks -->)", re.DOTALL)
_COLUMNS = ("attack", "layer", "without it", "with it")
_SUMMARY = "summary"


def page(rows: Iterable[Row], text: str) -> str:
    """Return the page with its tables replaced. Raises ValueError for an attack without rows, or a missing table."""
    measured = {(row["attack"], row["layer"], row["side"]): row for row in rows}
    missing = [
        f"{attack.name} ({layer})"
        for attack in ATTACKS
        for layer in (*attack.stopped_by, *attack.not_stopped_by)
        for side in ("off", "on")
        if (attack.name, layer, side) not in measured
    ]
    if missing:
        raise ValueError(f"there is no row of {', '.join(dict.fromkeys(missing))}")
    sections = {name for _begin, name, _end in _SECTION.findall(text)}
    if sections != {*PATHS, _SUMMARY}:
        raise ValueError(f"{PAGE.name} must have the tables {', '.join(sorted({*PATHS, _SUMMARY}))}")
    rows_by_attack = list(measured.values())
    return _SECTION.sub(lambda match: match[1] + _section(match[2], measured, rows_by_attack) + match[3], text)


def _section(name: str, measured: Mapping[tuple[str, str, str], Row], rows: Sequence[Row]) -> str:
    if name == _SUMMARY:
        return _summary(rows)
    lines = [
        _line(attack, layer, measured)
        for attack in ATTACKS
        if attack.path == name
        for layer in sorted((*attack.stopped_by, *attack.not_stopped_by), key=LAYERS.index)
    ]
    return "\n" + "\n".join(table(_COLUMNS, lines)) + "\n"


def _line(attack: Attack, layer: str, measured: Mapping[tuple[str, str, str], Row]) -> list[str]:
    off, on = (_cell(measured[attack.name, layer, side]) for side in ("off", "on"))
    return [attack.name, layer, off, on if layer in attack.stopped_by else f"*not stopped*: {on}"]


def _cell(row: Row) -> str:
    text = str(row["saw"]).replace("|", "\\|").replace("<", "&lt;")
    if row["evaluated"]:
        text += " (evaluated)"
    return text if row["ok"] else f"{text} **not as expected**"


def _summary(rows: Sequence[Row]) -> str:
    attempts = {(row["attack"], row["layer"]) for row in rows}
    failed = {(row["attack"], row["layer"]) for row in rows if not row["ok"]}
    verdict = f"**{len(failed)} not as expected**" if failed else "all as expected"
    server = ", ".join(sorted({str(row["apiserver"]) for row in rows}))
    count = len({row["attack"] for row in rows})
    text = f"\nMeasured with kube-apiserver {server}: {count} attacks in {len(attempts)} attempts, {verdict}.\n"
    if any(row["evaluated"] for row in rows):
        text += (
            "This API server has no admission policies. The expressions of the policies were evaluated on the requests "
            "that\nit had accepted; the tables say *evaluated* there.\n"
        )
    return text + "\n"


def render(rows: Sequence[Row]) -> str:
    """Return the page. Raises KeepPage for a run without admission policies, whose page goes to build/pages."""
    text = page(rows, PAGE.read_text(encoding="utf-8"))
    if any(row["evaluated"] for row in rows):
        _ELSEWHERE.parent.mkdir(parents=True, exist_ok=True)
        _ELSEWHERE.write_text(text, encoding="utf-8")
        place = _ELSEWHERE.relative_to(ROOT)
        raise KeepPage(f"the API server of this run has no admission policies, so its page is {place}")
    return text


if __name__ == "__main__":
    sys.exit(write_page(PAGE, ROWS, render, "make attacks"))
