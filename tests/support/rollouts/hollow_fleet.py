# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hollow nodes in a process of their own, as the playbook simulate runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["AGENT", "hollow_fleet"]

AGENT = "configok.node-simulator"  # how the user agent of the simulator begins
_COMMAND = Path(__file__).resolve().parents[3] / "playbooks/files/simulator/simulate.py"


@contextmanager
def hollow_fleet(kubeconfig: str, scenario: Mapping[str, Any], directory: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a simulator from the moment that all its Nodes are created until the end, when they are removed again."""
    path = directory / f"{scenario['simulation']}.json"
    path.write_text(json.dumps(scenario))
    log = (directory / f"{scenario['simulation']}.log").open("w")
    process = subprocess.Popen(
        [sys.executable, str(_COMMAND), str(path), "--supervised"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the simulator has no pipes")
    try:
        process.stdin.write(json.dumps({"kubeconfig": kubeconfig}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line.startswith("created "), line + (directory / f"{scenario['simulation']}.log").read_text()
        yield process
    finally:
        process.stdin.close()
        process.stdout.read()
        process.wait(120)
        process.stdout.close()
        log.close()
