# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile inputs to the engine in separate processes: each ends soon, in little memory, in findings or a refusal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from faults.ledger import Ledger

ALL = 10_000
QUICK = 500
PROCESSES = 2
LONGEST = 1800.0  # seconds for all inputs, on a machine under load


def results(count: int) -> list[dict[str, Any]]:
    """Give ``count`` inputs to the engine, distributed over processes, and return their rows."""
    share = count // PROCESSES
    running = [_start(number * share, share) for number in range(PROCESSES)]
    rows: list[dict[str, Any]] = []
    for process in running:
        output, _none = process.communicate(timeout=LONGEST)
        assert process.returncode == 0, f"the process ended with {process.returncode}: {output[-2000:]}"
        rows += [json.loads(line) for line in output.splitlines()]
    return rows


def _start(first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "support.fuzz.run", str(first), str(count)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=None, text=True, env=environment)


def most(rows: Sequence[dict[str, Any]], figure: str) -> float:
    """Return the largest of a figure."""
    return max(float(row[figure]) for row in rows)


@pytest.mark.quick
def test_no_input_harms_the_engine(ledger: Ledger, every: int) -> None:
    rows = results(ALL if every == 1 else QUICK)
    crashes = [row["crash"] for row in rows if "crash" in row]
    ends = [row for row in rows if "inputs" in row]
    ledger.failures += crashes[:5]
    inputs = sum(row["inputs"] for row in ends)
    ledger.figure("hostile inputs to the engine", inputs, "inputs", least=ALL if every == 1 else QUICK)
    ledger.figure("hostile inputs that it crashed or hung on", len(crashes), "crashes", most=0)
    ledger.figure("seconds for the slowest of them", most(ends, "slowest-s"), "s", most=4.0)
    # Relative to a reference measured at the same time: 2.5 to 3.5, by machine. A cost that explodes is above 10.
    ledger.figure("the slowest, relative to PyYAML reading 5,000 lines", most(ends, "slowest-ratio"), "times", most=5.0)
    ledger.figure("memory of the engine after them", most(ends, "memory-mb"), "MB", most=100.0)
