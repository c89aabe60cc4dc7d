# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/development/faults.md from the rows that `make faults` has left in build/faults.jsonl.

    python tools/write_faults.py

Exits with 1 and a message if there are no rows; a run without real kubelets leaves the page unchanged. Figures are
rounded up to seconds and there is no date, so that the page changes only when a result does.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable

from result_page import ROOT, KeepPage, Row, releases, table, write_page

ROWS = ROOT / "build" / "faults.jsonl"
PAGE = ROOT / "docs/development/faults.md"
REAL_KUBELET = "real kubelet"
PLACES = ("in process", "real processes", REAL_KUBELET, "static Pod in process", "real control plane")

HEAD = """\
# Faults

<!-- Written by make faults from build/faults.jsonl: change tools/write_faults.py or tests/faults. -->

`make faults` injects each of these into a node while its config is changed, lets it recover, and then checks that

| | invariant |
| --- | --- |
| I1 | the component runs a config that was valid, at every start and in the end |
| I2 | last-known-good is never lost |
| I3 | a config that crashes the component is rolled back within its threshold |
| I4 | no component is restarted unnecessarily |
| I5 | ConfigOK is correct once the API server is back |

All five are checked after every case. I3 applies only if the assigned config crashes the component.

- *In process*: the agent's own code with a simulated clock, service manager, disk and API, so that a fault occurs at
  every durable step (each write, sync, rename, removal) or at every moment of five changes: adoption and trial, crash
  loop and rollback, unhealthy and rollback, a refused config, and the return to the init config.
- *Real processes*: the shipped agent under its supervisor, on an embedded API server behind a fault-injecting proxy.
- *Real kubelet*: a container with systemd, containerd and a kubelet, on a real API server and etcd. This page
  is of a run with Kubernetes {kubernetes}.
- *Static Pod in process*: the agent's own code and the child that writes manifests, with a simulated kubelet.
- *Real control plane*: such a container with the static Pods of kubeadm, whose scheduler gets other options, or
  the one that a phase names. Its manifest is looked at 50 times a second, and must be there and complete.

The validation engine is also given hostile input in separate processes: alias bombs, deep nesting, large files,
encodings, YAML edge cases, configs of all kinds with wrong types or damage, and flags. Each is validated, rendered,
compared, converted, migrated and explained, and must end in findings or a refusal in one sentence.

"""
TAIL = """\
## Known costs

- A boot counts as a start, and crash counts restart at each boot.
- A crash that could not be recorded (a killed hook, a full disk) does not count, so the component may be started once
  more for each.
- If the record of last-known-good is damaged while another config is crashing, the node reverts to its init config.
"""


def render(rows: Iterable[Row]) -> str:
    """Return the page. Raises ValueError if there are no rows, KeepPage if none is of a real kubelet."""
    text = page(rows := list(rows))
    if all(row.get("where") != REAL_KUBELET for row in rows):
        raise KeepPage("this run had no real kubelet")
    return text


def page(rows: Iterable[Row]) -> str:
    """Return the page. Raises ValueError if there are no rows."""
    rows = list(rows)
    cases = [row for row in rows if row["unit"] == "cases"]
    if not cases:
        raise ValueError(f"there are no cases in {ROWS.name}")
    total, failed = (sum(row[what] for row in cases) for what in ("value", "failed"))
    faults = list(dict.fromkeys(row["fault"] for row in cases))
    verdict = f"**{failed} failed.**" if failed else "all hold."
    head = HEAD.replace("{kubernetes}", releases(cases) or "none: it had no real kubelet")
    lines = [head + f"In all: {len(faults)} faults in {_more_than(total)} cases; {verdict}", ""]
    figures = [row for row in rows if row["unit"] != "cases"]
    if figures:
        lines += table(["measured", "value", "allowed"], map(_figure, figures), numbers=[1])
    for theme in dict.fromkeys(row["theme"] for row in cases):
        of_theme = [row for row in cases if row["theme"] == theme]
        results = []
        for fault in dict.fromkeys(row["fault"] for row in of_theme):
            of_fault = [row for row in of_theme if row["fault"] == fault]
            results.append([fault, *(_cell([row for row in of_fault if row["where"] == place]) for place in PLACES)])
        lines += [f"## {theme}", "", *table(["fault", *PLACES], results, numbers=[*range(1, len(PLACES) + 1)])]
    return "\n".join([*lines, TAIL])


def _cell(rows: list[Row]) -> str:
    """Return the number of cases, their phases, and how many failed."""
    if not rows:
        return ""
    total, failed = (sum(row[what] for row in rows) for what in ("value", "failed"))
    phases = f"in {len(rows)} phases" if len(rows) > 1 else f"({rows[0]['phase']})"
    # The number of steps of real processes depends on their timing.
    about = rows[0]["where"] == "real processes" and total > 10
    return f"**{failed} of {total} failed**" if failed else f"{_more_than(total) if about else total} {phases}"


def _more_than(number: int) -> str:
    """Return "more than" and the number rounded down to its first digit, or to two digits if it has four."""
    unit = 10 ** (len(str(number)) - (2 if number >= 1000 else 1))
    return f"more than {(number - 1) // unit * unit:,}"


def _figure(row: Row) -> list[str]:
    """Return the cells of a measured figure, rounded up if it has an upper bound and down otherwise."""
    bounds = (("at least", row.get("least")), ("at most", row.get("most")))
    allowed = ", ".join(f"{word} {bound:g} {row['unit']}" for word, bound in bounds if bound is not None)
    value = math.floor(row["value"]) if row.get("most") is None else math.ceil(row["value"])
    return [row["name"], f"{value} {row['unit']}", allowed if row["ok"] else f"**{allowed}**"]


if __name__ == "__main__":
    sys.exit(write_page(PAGE, ROWS, render, "make faults"))
