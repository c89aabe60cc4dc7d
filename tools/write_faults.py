# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/faults.md from the rows that `make faults` has left in build/faults.jsonl.

    python tools/write_faults.py

Exits with 1 and a sentence where there are no rows.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "build" / "faults.jsonl"
PAGE = ROOT / "docs" / "faults.md"

HEAD = """\
# Faults

<!-- Written by make faults from build/faults.jsonl: change tools/write_faults.py or tests/faults. -->

`make faults` injects these into a node and checks after each that

- I1: the component runs a config that was valid, at every start and in the end;
- I2: last-known-good is never lost;
- I3: a deadly config is rolled back within its threshold;
- I4: nothing is restarted that had no need to;
- I5: the truth reaches ConfigOK when the API is back.

*In process* means the agent's own code with time, service manager and API in the hands of the test, so that a fault
happens at every durable step or moment of a change. *Real processes* are the shipped agent under its supervisor. *Real
kubelet* is a machine with systemd, containerd, a kubelet and an API server.

What may cost more: a boot is a start, and crashes are counted anew from it. A start or an end that nobody could
write down (prestart or poststop was killed, the disk was full) is a crash that does not count, so the component may be
started once more for each. Where the record of last-known-good itself is damaged while another config is crashing, a
node goes back to its init config.
"""


def main() -> int:
    """Write the page; return the exit code."""
    try:
        rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
        text = page(rows, date.fromtimestamp(ROWS.stat().st_mtime).isoformat())
    except (OSError, ValueError) as error:
        print(f"write_faults: {error}: run make faults first", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


def page(rows: Iterable[Mapping[str, Any]], day: str) -> str:
    """Return the page. day: of the run. Raises ValueError for no rows."""
    rows = list(rows)
    cases = [row for row in rows if row["unit"] == "cases"]
    if not cases:
        raise ValueError(f"there are no cases in {ROWS.name}")
    lines = [HEAD]
    figures = [row for row in rows if row["unit"] != "cases"]
    if figures:
        lines += ["| figure | value | allowed | |", "| --- | ---: | --- | --- |"]
        lines += [f"| {row['name']} | {row['value']:g} {row['unit']} | {limit(row)} | {good(row)} |" for row in figures]
        lines.append("")
    for where in sorted({row["where"] for row in cases}):
        lines += [f"## {where[0].upper()}{where[1:]}", ""]
        lines += ["| fault | phase | cases | hold | invariants | |", "| --- | --- | ---: | ---: | --- | --- |"]
        for row in cases:
            if row["where"] == where:
                held = row["value"] - row["failed"]
                proved = ", ".join(row["invariants"])
                lines.append(f"| {row['fault']} | {row['phase']} | {row['value']} | {held} | {proved} | {good(row)} |")
        lines.append("")
    total = sum(row["value"] for row in cases)
    failed = sum(row["failed"] for row in cases)
    lines.append(f"In all: {total} cases, {failed} failed. Run on {day}.")
    return "\n".join(lines) + "\n"


def limit(row: Mapping[str, Any]) -> str:
    """Return what is allowed."""
    bounds = (("at least", row.get("least")), ("at most", row.get("most")))
    return ", ".join(f"{word} {bound:g} {row['unit']}" for word, bound in bounds if bound is not None)


def good(row: Mapping[str, Any]) -> str:
    """Return nothing for a row that is as it should be."""
    return "" if row["ok"] else "**not so**"


if __name__ == "__main__":
    sys.exit(main())
