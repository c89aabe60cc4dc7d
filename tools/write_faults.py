# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/development/faults.md from the rows that `make faults` has left in build/faults.jsonl.

    python tools/write_faults.py

Exits with 1 and a sentence where there are no rows; a run without real kubelets leaves the page as it is. Figures are
rounded up to seconds and there is no date, so that the page changes when a result does.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "build" / "faults.jsonl"
PAGE = ROOT / "docs/development/faults.md"
PLACES = ("in process", "real processes", "real kubelet")

HEAD = """\
# Faults

<!-- Written by make faults from build/faults.jsonl: change tools/write_faults.py or tests/faults. -->

`make faults` injects each of these into a node while its config is changed, lets it recover, and then checks that

| | invariant |
| --- | --- |
| I1 | the component runs a config that was valid, at every start and in the end |
| I2 | last-known-good is never lost |
| I3 | a deadly config is rolled back within its threshold |
| I4 | nothing is restarted that had no need to |
| I5 | the truth reaches ConfigOK when the API is back |

All five are checked after every case; I3 has something to say where the config that is assigned is a deadly one.

- *In process*: the agent's own code, with time, service manager, disk and API in the hands of the test, so that a fault
  strikes at every durable step (each write, sync, rename, removal) or at every moment of five changes: adopt and trial,
  crash loop and roll-back, unhealthy and roll-back, a config that is refused, and the way back to the init config.
- *Real processes*: the agent as it is shipped, under its supervisor, on an embedded API server behind a proxy that does
  the harm.
- *Real kubelet*: a machine of its own with systemd, containerd and a kubelet, on a real API server and etcd. This page
  is of a run with Kubernetes {kubernetes}.

The engine that judges configs is given hostile inputs besides, in processes of its own: bombs of aliases, depths,
sizes, encodings, YAML's oddities, configs of all kinds with wrong types in them or damaged, and flags. Each is
validated, rendered, compared, converted, migrated and explained, and must end in findings or a refusal in a sentence.

"""
TAIL = """\
## What may cost more

- A boot is a start, and crashes are counted anew from it.
- A start or an end that nobody could write down (prestart or poststop was killed, the disk was full) is a crash that
  does not count, so the component may be started once more for each.
- Where the record of last-known-good itself is damaged while another config is crashing, a node goes back to its init
  config.
"""


def main() -> int:
    """Write the page; return the exit code."""
    try:
        rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
        text = page(rows)
    except (OSError, ValueError) as error:
        print(f"write_faults: {error}: run make faults first", file=sys.stderr)
        return 1
    if {row.get("where") for row in rows}.isdisjoint(PLACES[-1:]):
        print(
            "write_faults: this run had no real kubelet, docs/development/faults.md is left as it is", file=sys.stderr
        )
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


def page(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the page. Raises ValueError for no rows."""
    rows = list(rows)
    cases = [row for row in rows if row["unit"] == "cases"]
    if not cases:
        raise ValueError(f"there are no cases in {ROWS.name}")
    total, failed = (sum(row[what] for row in cases) for what in ("value", "failed"))
    faults = list(dict.fromkeys(row["fault"] for row in cases))
    verdict = f"**{failed} failed.**" if failed else "all hold."
    releases = sorted({row["kubernetes"] for row in cases if row.get("kubernetes")})
    head = HEAD.replace("{kubernetes}", ", ".join(releases) or "none: it had no real kubelet")
    lines = [head + f"In all: {len(faults)} faults in {_more_than(total)} cases; {verdict}", ""]
    figures = [row for row in rows if row["unit"] != "cases"]
    if figures:
        lines += ["| measured | value | allowed |", "| --- | ---: | --- |", *map(_figure, figures), ""]
    for theme in dict.fromkeys(row["theme"] for row in cases):
        lines += [f"## {theme}", "", f"| fault | {' | '.join(PLACES)} |", "| --- | ---: | ---: | ---: |"]
        for fault in faults:
            mine = [row for row in cases if row["fault"] == fault and row["theme"] == theme]
            if mine:
                found = (_cell([row for row in mine if row["where"] == place]) for place in PLACES)
                lines.append(f"| {fault} | {' | '.join(found)} |")
        lines.append("")
    return "\n".join([*lines, TAIL])


def _cell(rows: list[Mapping[str, Any]]) -> str:
    """Return how many cases there were, in which phases, and what did not hold."""
    if not rows:
        return ""
    total, failed = (sum(row[what] for row in rows) for what in ("value", "failed"))
    phases = f"in {len(rows)} phases" if len(rows) > 1 else f"({rows[0]['phase']})"
    # How many steps real processes take depends on their timing.
    about = rows[0]["where"] == "real processes" and total > 10
    return f"**{failed} of {total} failed**" if failed else f"{_more_than(total) if about else total} {phases}"


def _more_than(number: int) -> str:
    """Return a number with its first digit alone, or its first two where it has four."""
    unit = 10 ** (len(str(number)) - (2 if number >= 1000 else 1))
    return f"more than {(number - 1) // unit * unit:,}"


def _figure(row: Mapping[str, Any]) -> str:
    """Return the line of a measured figure: what has a most is rounded up, what has a least down."""
    bounds = (("at least", row.get("least")), ("at most", row.get("most")))
    allowed = ", ".join(f"{word} {bound:g} {row['unit']}" for word, bound in bounds if bound is not None)
    value = math.floor(row["value"]) if row.get("most") is None else math.ceil(row["value"])
    return f"| {row['name']} | {value} {row['unit']} | {allowed if row['ok'] else f'**{allowed}**'} |"


if __name__ == "__main__":
    sys.exit(main())
