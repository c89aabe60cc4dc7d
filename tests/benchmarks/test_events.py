# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the memory of ansible-rulebook that follows 15,000 Nodes, against one that follows nothing."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.parallel import run_parallel
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import ANNOTATION_CONFIG_STATUS
from support.ansible_runs.rulebooks import running_rulebook, why_no_rulebooks
from support.api.fleet_by_hand import FleetByHand
from support.api.servers import Real, Unavailable, start_real
from support.session.patience import wait_until

NODES = 15_000
CONNECTIONS = 32
AT_REST = 20.0  # seconds after the start, so that what a list leaves behind is collected
RULEBOOK = """
- name: Empty
  hosts: all
  sources:
    - {source}
  rules:
    - name: Nothing
      condition: event.kind == "nothing"
      action: {{debug: {{msg: nothing}}}}
"""
IDLE = """
import asyncio, logging
async def main(queue, args):
    logging.getLogger("idle").info("all nodes are known; all records are known")
    while True:
        await asyncio.sleep(3600)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """A cluster of its own with a pool of 15,000 Nodes of 9 KB, all on its config."""
    if why_no_rulebooks():
        pytest.fail(f"this figure needs ansible-rulebook: {why_no_rulebooks()}", pytrace=False)
    try:
        api = start_real(tmp_path_factory.mktemp("events"))
    except Unavailable as problem:
        pytest.fail(f"benchmarks need the real API server: {problem}", pytrace=False)
    images = [{"names": [f"registry.example.com/service-{n:02d}@sha256:{n:064d}"], "sizeBytes": n} for n in range(45)]
    times = dict.fromkeys(("lastHeartbeatTime", "lastTransitionTime"), "2026-01-05T00:00:00Z")
    kinds = {"MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False", "Ready": "True"}
    conditions = [
        {"type": kind, "status": status, "reason": "Kubelet", "message": "as the kubelet says", **times}
        for kind, status in {**kinds, "ConfigOK": "True"}.items()
    ]
    with api.client(pool_size=CONNECTIONS, user_agent="configok-agent/0.1.0") as client:
        fleet = FleetByHand(client, "workers")
        components = {"kubelet": ComponentStatus("v1.34.1", "0a1b2c3d4e", "healthy")}
        status = ConfigStatus(assigned=fleet.source, active=fleet.source, cause="Good", components=components)
        annotations = {
            ANNOTATION_CONFIG_STATUS: status.encode(),
            "configok.dev/config-source": fleet.source.encode(),
        }

        def create(number: int) -> None:
            name = f"node-{number:05d}"
            labels = {"topology.kubernetes.io/zone": "abc"[number % 3], "kubernetes.io/hostname": name}
            metadata = {"name": name, "labels": {**labels, "pool": "workers"}, "annotations": annotations}
            client.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata})
            body = {"status": {"images": images, "conditions": conditions, "nodeInfo": {"kubeletVersion": "v1.34.1"}}}
            client.patch(paths.node_status(name), body, kind="strategic")

        for number, failed in run_parallel(create, range(NODES), workers=CONNECTIONS):
            assert failed is None, f"{number}: {failed}"
        fleet.write_record("Complete")
    yield api
    api.stop()


def resident_mb(api: Real, source: str, directory: Path) -> float:
    """Return the resident memory of ansible-rulebook with a source, once it is at rest."""
    (directory / "rulebook.yml").write_text(RULEBOOK.format(source=source))
    (directory / "idle.py").write_text(IDLE)
    log = directory / f"{source.partition(':')[0]}.log"
    environment = {"K8S_AUTH_KUBECONFIG": api.admin_kubeconfig}
    arguments = ("--verbose", "--source-dir", str(directory))
    with running_rulebook(
        directory / "rulebook.yml", log, *arguments, directory=directory, environment=environment
    ) as process:
        wait_until(lambda: process.poll() is not None or log.read_text().count("are known") >= 2, log.read_text)
        time.sleep(AT_REST)
        assert process.poll() is None, log.read_text()
        return resident(process)


def resident(process: subprocess.Popen[bytes]) -> float:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def test_memory(cluster: Real, tmp_path: Path, row: Callable[..., None]) -> None:
    empty = resident_mb(cluster, "idle: {}", tmp_path)
    following = resident_mb(cluster, "configok.node.nodes: {}", tmp_path)
    print(f"events: {empty:.0f} MB empty, {following:.0f} MB with {NODES} nodes")
    row("events-rulebook-growth-mb", following - empty, "MB", most=150)
