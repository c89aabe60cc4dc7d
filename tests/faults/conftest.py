# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults: every case goes through the ledger, which fails the test, prints the closing line and writes the rows.

The rows go to the file that CONFIGOK_FAULTS_ROWS names (faults.run sets it), or to build/faults-part.jsonl. With
-m quick enumerations take a systematic sample.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from faults.ledger import Ledger, summary
from support.session.terminal import say
from support.session.unavailable import leave_out

_PART = Path(__file__).resolve().parents[2] / "build/faults-part.jsonl"
_LEDGER = Ledger()
_BEGAN = time.monotonic()


def pytest_configure(config: pytest.Config) -> None:
    _LEDGER.say = partial(say, config)


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    """The ledger that records the test's cases; a violated invariant fails the test."""
    _LEDGER.failures.clear()
    yield _LEDGER
    if _LEDGER.failures:
        pytest.fail("\n".join(_LEDGER.failures), pytrace=False)


@pytest.fixture(scope="session")
def every(request: pytest.FixtureRequest) -> int:
    """The step n of an enumeration: every nth case is run, or all in a full run."""
    return 13 if request.config.option.markexpr == "quick" else 1


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A directory in memory, if possible: LossyDisk simulates the losses, so that no real disk is needed."""
    memory = Path("/dev/shm")
    directory = tempfile.mkdtemp(prefix="faults-", dir=memory if os.access(memory, os.W_OK) else None)
    yield Path(directory)
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def machine() -> Iterator[Any]:
    """A provisioned node with a real kubelet, on an API server of its own."""
    from faults.machine_node import MachineNode  # not at the top: the other drivers need neither root nor machines
    from support.machines import Testbed, Unavailable

    try:
        started = Testbed.start("faults")
    except Unavailable as problem:
        leave_out(problem)
    with started as bed:
        # A kubelet starts within 6 s on this machine: one that is not healthy after 30 s has failed.
        bed.nodes[0].provision(node_agent_options={"healthTimeout": "30s"})
        bed.nodes[0].wait_config_ok("True")
        yield MachineNode(bed, bed.nodes[0])


def pytest_sessionfinish() -> None:
    if _LEDGER.counts:
        _LEDGER.write(Path(os.environ.get("CONFIGOK_FAULTS_ROWS", _PART)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"{summary(_LEDGER.rows())}; {time.monotonic() - _BEGAN:.0f} s")
