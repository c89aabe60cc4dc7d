# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the time that prestart adds to every start of a component, and counts the writes of one change."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_maps
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ConfigStatus,
    read_condition,
    read_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import ANNOTATION_CONFIG_STATUS
from support.agents.sandbox import Sandbox, SandboxNode, start_sandbox
from support.api.clusters import prepare
from support.api.servers import Embedded, Real
from support.configs.kubelet import kubelet_config

STARTS = 31
SOAK = 35.0  # seconds: a trial of 3 s ends more than 30 s before, so that nothing is written together
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


@pytest.mark.contract("confirm.four-writes")
def test_writes_of_one_change(embedded_api: Embedded, row: Row) -> None:
    """From the assignment until the trial has ended and the agent has confirmed: the PATCHes with a status."""
    client = embedded_api.client()
    prepare(client)
    written: list[str] = []

    def note(request: Any, _user: object, _perform: object) -> None:
        if request.method == "PATCH" and ANNOTATION_CONFIG_STATUS.encode() in request.body:
            written.append(request.path)

    def status() -> ConfigStatus:
        try:
            return read_status(client.get(node_path("bench-writes"))) or ConfigStatus()
        except NotFound:
            return ConfigStatus()

    def wait(holds: Callable[[ConfigStatus], bool]) -> None:
        deadline = time.monotonic() + 90
        while not holds(status()):
            assert time.monotonic() < deadline, status()
            time.sleep(0.1)

    with start_sandbox(embedded_api, ["bench-writes"]):
        wait(lambda status: status.cause == "Init")
        embedded_api.server.intercept = note
        bundle = build_bundle("bench", {"kubelet": kubelet_config("maxPods: 50")}, trial=Trial(3.0, 3))
        metadata = client.create(config_maps("configok-system"), bundle)["metadata"]
        source = ConfigSource("configok-system", metadata["name"], metadata["uid"])
        client.patch(node_path("bench-writes"), assignment_patch(source, Assignment(1, confirm_after=SOAK)))
        wait(lambda status: status.confirmed == 1 and not status.in_trial)
        time.sleep(1)
    row("agent-writes-per-change", len(written), "", most=4)
