# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/development/figures.md from the rows that `make bench` has left in build/bench.jsonl.

    python tools/write_figures.py

Exits with 1 and a message if there are no rows, or a row without an entry in MEANINGS.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import date

from result_page import ROOT, Row, table, write_page

ROWS = ROOT / "build" / "bench.jsonl"
PAGE = ROOT / "docs/development/figures.md"

# For each row: the measurement, its baseline, and the limit. The tests in tests/benchmarks write these rows.
MEANINGS = {
    "adopt": (
        "from the assignment of a config until ConfigOK is True, on a real node, median of 5",
        "a bare `systemctl restart kubelet` of the same node until /healthz answers and its port serves, and the "
        "settling time",
        "see `adopt-beyond-restart`",
    ),
    "adopt-beyond-restart": (
        "the agent's own time for that: what each adoption takes beyond its baseline, median of 5",
        "`configok-agent validate` of the config in use, on the node",
        "at most four times the baseline",
    ),
    "agent-requests-per-change": (
        "API requests of the agent for that, without its watch, maximum of 5; one more reports the end of the trial",
        "",
        "at most 5",
    ),
    "agent-writes-per-change": (
        "writes of the status for one change with a soak: adopting, True, the end of the trial, confirmed",
        "",
        "at most 4",
    ),
    "invalid": (
        "from the assignment of an invalid config until ConfigOK is False, without a restart, median of 5",
        "",
        "at most 1 s",
    ),
    "deadly": (
        "from the assignment of a config that crashes the kubelet until ConfigOK is False, back on last-known-good and "
        "healthy; crashLoopThreshold 1, median of 5",
        "(threshold + 1) times the time to crash, systemd's restart delays, a bare restart, all of the same run, and "
        "twice four times `configok-agent validate` for the agent",
        "at most the baseline",
    ),
    "agent-rss-mb": ("resident memory of the agent after these tests and ten minutes idle", "", "at most 32 MB"),
    "agent-rss-newest-python-mb": (
        "the same on Debian 13 with Python 3.13, after as many adoptions and a rollback",
        "",
        "at most 32 MB",
    ),
    **{
        f"control-plane-adopt-{component}": (
            f"a change of the options of {component}, a static Pod: from the rename of its manifest until it is "
            "healthy, on a control plane of one node, median of 7",
            "a bare rename of the same manifest with an annotation more or less, median of 14",
            "at most 1.15 times the baseline",
        )
        for component in ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
    },
    "control-plane-recovered": (
        "the only API server crashes on its options: from the first crash until its last-known-good answers",
        "its parts of the same run: the kubelet's pause, the second crash, a bare start",
        "at most 5 s more than the baseline",
    ),
    "control-plane-requests-per-change": (
        "API requests of the agent to the cluster for a change of the scheduler and its trial, without its watch, "
        "maximum of 7",
        "",
        "at most 6",
    ),
    "control-plane-requests-to-own-instance": (
        "requests to the API server of its own node meanwhile, two for each probe in a trial of 3 s, maximum of 7",
        "",
        "at most 60",
    ),
    "agent-rss-control-plane-mb": (
        "resident memory of the agent on a control-plane node, after these changes and two minutes idle",
        "",
        "at most 34 MB",
    ),
    "agent-cpu-percent": ("its processor time over ten minutes idle, of one core", "", "at most 0.1 %"),
    "agent-requests-at-rest": (
        "its writes to the API server (heartbeats) in these ten minutes, extrapolated to one hour",
        "",
        "at most 8 an hour",
    ),
    "reconnect-5000": (
        "watch requests in the busiest second when 5,000 agents lose the API server for 60 s, 2 s or 0.1 s, by a cut "
        "or an orderly end; simulated with the agent's own code; all are back within 30 s",
        "",
        "at most 1,500",
    ),
    "prestart-ms": (
        "`configok-agent prestart kubelet`, warm, median of 31",
        "`python -c ''`",
        "at most 150 ms",
    ),
    "verify-ms": (
        "the first verification of a bundle in a fresh daemon, signed with a certificate, with the imports and the "
        "reading of the trust policy, best of 15",
        "`ssh-keygen -Y verify` of the same signature",
        "at most 10 ms",
    ),
    "verify-two-signers-ms": (
        "the same with threshold 2 and two certificates: four signatures",
        "twice `ssh-keygen -Y verify`",
        "at most 15 ms",
    ),
    "verify-rss-mb": ("the resident memory that this first verification adds to the daemon", "", "at most 0.5 MB"),
    "validate-all-minors-s": (
        "validation of a kubelet config for all minors of the data, in a fresh process with the import, best of 7",
        "",
        "at most 1 s",
    ),
    "engine-import-ms": (
        "the import of the whole engine, in a fresh process, best of 7",
        "that of the client of the `kubernetes` package",
        "at most half of the baseline",
    ),
    "payload-kb": (
        "the payload that Ansible sends for one task of the heaviest module but one, as ansible-core packs it",
        "",
        "at most 670 kB",
    ),
    "payload-report-kb": (
        "the same for `rollout_report`, which also compares Machines with their Nodes, and runs on the controller",
        "",
        "at most 830 kB",
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
    "inventory-5000": (
        "the inventory plugin `machines` for 5,000 whole Nodes: hosts, groups and variables, in a process that has "
        "loaded Ansible, best of 3",
        "a typed list of the same Nodes with the `kubernetes` package, in pages of 500, best of 3",
        "at most 3 s",
    ),
    "inventory-5000-mb": (
        "peak resident memory of that whole process, with Ansible",
        "that of the process with the typed list",
        "at most 150 MB",
    ),
    "events-rulebook-growth-mb": (
        "resident memory of ansible-rulebook with the event source `nodes` and a pool of 15,000 Nodes, beyond that "
        "with a source that does nothing",
        "",
        "at most 150 MB",
    ),
    **{
        f"rollout-{nodes}": (
            f"a rollout to {nodes:,} hollow nodes (canary of 3, waves of 10, 30 and 100 %, `maxUnavailable` 10 %, each "
            "node answers after 4 to 8 s): the whole `ansible-playbook`, less the ideal schedule",
            "the ideal schedule: the scripted answers in windows that are always full",
            "at most a tenth of the baseline" if nodes == 5000 else "for comparison",
        )
        for nodes in (500, 1000, 2000, 5000)
    },
    "rollout-5000-quick": (
        "the same with nodes that answer after 2 s: one machine with two cores runs API server, nodes and runner",
        "the ideal schedule",
        "for comparison",
    ),
    "rollout-ms-per-node": (
        "the time beyond the ideal schedule for each of 5,000 nodes",
        "the same for each of 500 nodes",
        "at most the baseline, and it does not grow from one size to the next",
    ),
    "rollout-requests-per-node": (
        "API requests of the runner for 5,000 nodes, beyond paged lists, for each node",
        "",
        "at most 1.1",
    ),
    "rollout-runner-mb": ("peak resident memory of the runner for 5,000 nodes", "", "at most 250 MB"),
    "rollout-noop-5000": (
        "a run with nothing to do, 5,000 nodes, the whole `ansible-playbook`",
        "an empty playbook",
        "at most 10 s more than the baseline",
    ),
    "rollout-100-k8s-serial": (
        "a play over 100 hollow nodes with `serial`, in which `kubernetes.core.k8s` assigns and `k8s_info` waits; each "
        "node answers after 4 to 8 s",
        "the playbook `rollout` for the same 100",
        "for comparison",
    ),
}

HEAD = """\
# Figures

<!-- Written by make bench from build/bench.jsonl: change tools/write_figures.py. -->

`make bench` measures the shipped agent and modules against a real kube-apiserver with etcd, each next to its baseline
in the same run. Figures of a node are measured on a real one (Debian 12, systemd, a real kubelet; see
[testing.md](testing.md)). The versions are at the end. The command fails if a value exceeds its limit. The ancestor's
time for a change on such a node, and its restart for an invalid config, are measured by `make conformance`:
[conformance.md](conformance.md).
"""


def page(rows: Iterable[Row], facts: Mapping[str, str]) -> str:
    """Return the page. Raises ValueError if there are no rows, or for one without a meaning.

    facts: about the machine that ran the benchmarks
    """
    lines = []
    meanings = []
    for row in rows:
        name, unit = row["name"], row["unit"]
        if name not in MEANINGS:
            raise ValueError(f"the row {name} has no meaning in tools/write_figures.py")
        measured, baseline, allowed = MEANINGS[name]
        compared = f"{number(row['baseline'])} {unit}" if row.get("baseline") is not None else ""
        ratio = number(row["ratio"]) if row.get("ratio") is not None else ""
        verdict = "" if row["ok"] else "**not so**"
        lines.append([f"`{name}`", f"{number(row['value'])} {unit}", compared, ratio, allowed, verdict])
        meanings.append(f"- `{name}`: {measured}." + (f" Baseline: {baseline}." if baseline else ""))
    if not meanings:
        raise ValueError(f"there are no rows in {ROWS.name}")
    measurements = table(["row", "value", "baseline", "ratio", "should be", ""], lines, numbers=[1, 2, 3])
    machine = ["", "Measured on:", "", *(f"- {name}: {value}" for name, value in facts.items() if value)]
    return "\n".join([HEAD, *measurements, "What each row is:", "", *meanings, *machine]) + "\n"


def number(value: float) -> str:
    """Return a number with three significant digits, or rounded to an integer from 100 on."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def machine_facts() -> dict[str, str]:
    """Return the facts of this machine that a comparison needs; none of them identifies it."""
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
    """Return the version of a Kubernetes binary that the benchmarks use, such as "v1.20.2", or "" if it is missing."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.api.binaries import Unavailable, find, release_of

    try:
        return f"v{release_of(find(name))}"
    except (Unavailable, OSError, subprocess.SubprocessError):
        return ""


if __name__ == "__main__":
    sys.exit(write_page(PAGE, ROWS, lambda rows: page(rows, machine_facts()), "make bench"))
