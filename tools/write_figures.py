# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/development/figures.md from the rows that `make bench` has left in build/bench.jsonl.

    python tools/write_figures.py

Exits with 1 and a sentence where there are no rows, or one that nothing here explains.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "build" / "bench.jsonl"
PAGE = ROOT / "docs/development/figures.md"

# row -> what was measured, what the baseline is, what is allowed. The tests in tests/benchmarks write these rows.
MEANINGS = {
    "adopt": (
        "from the assignment of a config until ConfigOK is True, on a real node, median of 5",
        "a bare `systemctl restart kubelet` of the same node until /healthz answers, and the settling time",
        "at most 1.15 times the baseline",
    ),
    "agent-requests-per-change": (
        "requests of the agent for that, beside its watch, the most of 5; one more says later that the trial is over",
        "",
        "at most 5",
    ),
    "invalid": (
        "from the assignment of an invalid config until ConfigOK is False, without a restart, median of 5",
        "",
        "at most 1 s",
    ),
    "deadly": (
        "from the assignment of a config that kills the kubelet until ConfigOK is False, back on last-known-good and "
        "healthy; crashLoopThreshold 1, median of 5",
        "(threshold + 1) times the time to crash, systemd's restart delays and 1.15 bare restarts, all of this run",
        "at most the baseline",
    ),
    "agent-rss-mb": ("resident memory of the agent after all this and ten minutes idle", "", "at most 32 MB"),
    "agent-cpu-percent": ("its processor time over ten minutes idle, of one core", "", "at most 0.1 %"),
    "agent-requests-at-rest": (
        "what it writes to the API server in these ten minutes, for an hour: its heartbeats",
        "",
        "at most 8 an hour",
    ),
    "reconnect-5000": (
        "watch opens in the busiest second when 5,000 agents lose the API server for 60 s, 2 s or 0.1 s, by a cut or "
        "in order; simulated with the agent's own code; all are back within 30 s",
        "",
        "at most 1,500",
    ),
    "prestart-ms": (
        "`configok-agent prestart kubelet`, warm, median of 31",
        "`python -c ''`",
        "at most 150 ms",
    ),
    "validate-17-minors-s": (
        "a kubelet config judged for Kubernetes 1.20 to 1.36, in a fresh process with the import, best of 7",
        "",
        "at most 1 s",
    ),
    "engine-import-ms": ("the import of the whole engine, in a fresh process, best of 7", "", "at most 100 ms"),
    "payload-kb": (
        "what Ansible sends for one task of the heaviest module, as ansible-core packs it",
        "",
        "at most 550 kB",
    ),
    "assign-1000": (
        "`config_source` for 1,000 Nodes in one task, without Ansible's own start-up, median of 3",
        "1,000 bare PATCHes over 32 connections",
        "at most 1.5 times the baseline",
    ),
    "assign-50-k8s-module-loop": (
        "`kubernetes.core.k8s` in a loop over 50 Nodes, the whole `ansible-playbook`",
        "`config_source` for the same 50, the whole `ansible-playbook`",
        "for comparison",
    ),
}

HEAD = """\
# Figures

<!-- Written by make bench from build/bench.jsonl: change tools/write_figures.py. -->

`make bench` measures these, on agents and modules as they are shipped, against a real kube-apiserver with etcd, side by
side in one run; what is about a node, on a real one (Debian 12, systemd, a real kubelet; see [testing.md](testing.md)).
The versions are at the end. A value that is not as it should be fails that command. What the ancestor takes for a
change on such a node, and its restart for an invalid config, is measured beside it by `make conformance`:
[conformance.md](conformance.md).
"""


def main() -> int:
    """Write the page; return the exit code."""
    try:
        rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
        text = page(rows, machine())
    except (OSError, ValueError) as error:
        print(f"write_figures: {error}: run make bench first", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


def page(rows: Iterable[Mapping[str, Any]], where: Mapping[str, str]) -> str:
    """Return the page. where: facts about the machine. Raises ValueError for no rows, or one without a meaning."""
    lines = [HEAD, "| row | value | baseline | ratio | should be | |", "| --- | ---: | ---: | ---: | --- | --- |"]
    meanings = []
    for row in rows:
        name, unit = row["name"], row["unit"]
        if name not in MEANINGS:
            raise ValueError(f"the row {name} has no meaning in tools/write_figures.py")
        measured, baseline, allowed = MEANINGS[name]
        against = f"{number(row['baseline'])} {unit}" if row.get("baseline") is not None else ""
        ratio = number(row["ratio"]) if row.get("ratio") is not None else ""
        good = "" if row["ok"] else "**not so**"
        lines.append(f"| `{name}` | {number(row['value'])} {unit} | {against} | {ratio} | {allowed} | {good} |")
        meanings.append(f"- `{name}`: {measured}." + (f" Baseline: {baseline}." if baseline else ""))
    if not meanings:
        raise ValueError(f"there are no rows in {ROWS.name}")
    facts = ["", "Measured on:", "", *(f"- {name}: {value}" for name, value in where.items() if value)]
    return "\n".join([*lines, "", "What each row is:", "", *meanings, *facts]) + "\n"


def number(value: float) -> str:
    """Return three significant digits, or all of a larger whole part."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def machine() -> dict[str, str]:
    """Return what a reader must know to compare: nothing that names this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "date": date.fromtimestamp(ROWS.stat().st_mtime).isoformat(),
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
        "memory": f"{memory:.0f} GiB",
        "Python": platform.python_version(),
        "API server": version_of("kube-apiserver"),
        "kubelet": version_of("kubelet"),
    }


def version_of(name: str) -> str:
    """Return the version of a Kubernetes binary that the benchmarks use, such as "v1.20.2", "" where there is none."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.api.binaries import Unavailable, find, release_of

    try:
        return f"v{release_of(find(name))}"
    except (Unavailable, OSError, subprocess.SubprocessError):
        return ""


if __name__ == "__main__":
    sys.exit(main())
