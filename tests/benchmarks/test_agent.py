# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the time that prestart adds to every start of a component."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig._config_status import read_condition
from support.agents.sandbox import Sandbox, SandboxNode, start_sandbox
from support.api.servers import Real

STARTS = 31
Row = Callable[..., None]


@pytest.fixture(scope="module")
def sandbox(real_api: Real, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with start_sandbox(real_api, ["bench-agent"]) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def node(sandbox: Sandbox, real_api: Real) -> SandboxNode:
    """An idle node with ConfigOK True."""
    client = real_api.client()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        conditions = [read_condition(item) for item in client.list("/api/v1/nodes").items]
        if any(condition and condition["status"] == "True" for condition in conditions):
            return sandbox.nodes["bench-agent"]
        time.sleep(0.2)
    pytest.fail("the node never said ConfigOK True")


@pytest.mark.contract("prestart.under-150-ms")
def test_prestart(node: SandboxNode, row: Row) -> None:
    """Warm: the files are in the page cache. The baseline is the start of Python itself."""
    seconds, bare = [], []
    for _start in range(STARTS):
        begun = time.perf_counter()
        ended = node.run("prestart", "kubelet")
        seconds.append(time.perf_counter() - begun)
        assert ended.returncode == 0, ended.stderr
        begun = time.perf_counter()
        os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", ""])
        bare.append(time.perf_counter() - begun)
    row(
        "prestart-ms",
        1000 * statistics.median(seconds),
        "ms",
        most=150,
        baseline=1000 * statistics.median(bare),
    )
