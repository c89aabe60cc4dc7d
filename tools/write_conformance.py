# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/conformance.md from the rows that `make conformance` has left in build/conformance.jsonl.

    python tools/write_conformance.py

Exits with 1 and a sentence where there are no rows, where a case is unknown, or where one has no row of ours.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from conformance_cases import GROUPS, Known

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "build" / "conformance.jsonl"
PAGE = ROOT / "docs" / "conformance.md"

# What matters most, with the cases that show it.
FIRST = {
    "A config that validates and then kills the kubelet is never promoted, and is rolled back.": ("F1", "G3"),
    "A node whose agent files are damaged still starts its kubelet.": ("F3", "G4", "G5"),
    "An invalid config costs no restart of the kubelet.": ("E1", "E2", "F2"),
}
# Cases that another one shows.
ELSEWHERE = {"F6": "G9", "F10": "G10", "F17": "F15"}

HEAD = """\
# Conformance with the ancestor

<!-- Written by make conformance from build/conformance.jsonl: change tools/write_conformance.py. -->

Kubernetes 1.20 had Dynamic Kubelet Configuration in its kubelet. `make conformance` runs the scenarios that it was
tested with (E), those that its tests left out (G) and its known faults (F) against `configok-agent`, with a real
kubelet, systemd and API server. Where a comparison says something, the same kubelet with `--dynamic-config-dir` runs
beside it; what is in *italics* was measured in the same run. The ancestor's states are those of the config source here,
its in-place edits are edits of the ConfigMap, and its trial clock, the age of a file, was set back instead of waiting
for ten minutes.
"""


def main() -> int:
    """Write the page; return the exit code."""
    try:
        rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
        text = page(rows)
    except (OSError, ValueError) as error:
        print(f"write_conformance: {error}: run make conformance first", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


def page(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the page. Raises ValueError for a row of an unknown case, or a case without a row of ours."""
    sides: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    known = {name for cases in GROUPS.values() for name in cases}
    for row in rows:
        name = str(row["case"]).replace(",", " ").split()[0]
        if name not in known:
            raise ValueError(f"the row {row['name']} is of no case in tools/conformance_cases.py")
        sides.setdefault((name, row["side"]), []).append(row)
    missing = [name for name in sorted(known) if (ELSEWHERE.get(name, name), "configok") not in sides]
    if missing:
        raise ValueError(f"there is no row of {', '.join(missing)}")
    lines = [HEAD, "## What matters most", ""]
    for sentence, names in FIRST.items():
        lines += [f"**{sentence}**", ""]
        for name in names:
            lines += [f"- {_row(row)}" for row in sides.get((name, "configok"), [])]
            lines += [f"- the ancestor: *{_row(row)}*" for row in sides.get((name, "ancestor"), [])]
        lines.append("")
    for group, cases in GROUPS.items():
        lines += [f"## {group}", "", "| case | | ancestor | configok | restarts | seconds |"]
        lines += ["| --- | --- | --- | --- | ---: | ---: |"]
        for name, case in cases.items():
            ours = sides.get((name, "configok"), [])
            lines.append(_line(name, case, ours, sides.get((name, "ancestor"), [])))
        lines.append("")
    return "\n".join(lines)


def _row(row: Mapping[str, Any]) -> str:
    good = "" if row["ok"] else " **not so**"
    return f"{row['case']}: {'; '.join(row['saw'])} ({row['value']} restarts, {row['seconds']:.0f} s){good}"


def _line(name: str, case: Known, ours: Sequence[Mapping[str, Any]], ancestor: Sequence[Mapping[str, Any]]) -> str:
    measured = "".join(f" *{_cell('; '.join(row['saw']))}.*" for row in ancestor)
    if not ours:
        said, restarts, seconds = f"see {ELSEWHERE[name]}", "", ""
    else:
        said = "<br>".join(_said(name, row) for row in ours)
        restarts = "<br>".join(str(row["value"]) for row in ours)
        seconds = "<br>".join(f"{row['seconds']:.0f}" for row in ours)
    return f"| {name} | {case.title} | {case.ancestor}{measured} | {said} | {restarts} | {seconds} |"


def _said(name: str, row: Mapping[str, Any]) -> str:
    rest = str(row["case"]).removeprefix(name).strip(" ,")
    good = "" if row["ok"] else " **not so**"
    return (f"{rest}: " if rest else "") + _cell("; ".join(row["saw"])) + good


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    sys.exit(main())
