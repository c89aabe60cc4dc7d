# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the inventory of 5,000 Nodes, against a typed list of the kubernetes package.

The inventory plugin of kubernetes.core cannot be compared: it makes hosts of Pods and Services, not of Nodes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.parallel import run_parallel
from support.api.servers import Real, Unavailable, start_real

ROOT = Path(__file__).resolve().parents[2]
NODES = 5000
ROUNDS = 3
CONNECTIONS = 32

# Each prints the number of hosts or Nodes, the seconds, and the peak of the whole process in MB. Its ru_maxrss
# would include that of the process that it was forked from.
_END = """
seconds = time.perf_counter() - begun
status = open("/proc/self/status").read()
print(count, seconds, int(re.search(r"VmHWM:\\s+([0-9]+) kB", status)[1]) / 1024)
"""
_INVENTORY = f"""
import re, sys, time
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader
init_plugin_loader([])
begun = time.perf_counter()
count = len(InventoryManager(DataLoader(), sources=[sys.argv[1]]).hosts)
{_END}"""
_TYPED_LIST = f"""
import re, sys, time
from kubernetes import client, config
config.load_kube_config(sys.argv[1])
begun = time.perf_counter()
nodes, token = [], None
while not nodes or token:
    page = client.CoreV1Api().list_node(limit=500, _continue=token)
    nodes += page.items
    token = page.metadata._continue
count = len(nodes)
{_END}"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """A cluster of its own with 5,000 Nodes of 11 KB: as many as a rollout is measured with."""
    try:
        api = start_real(tmp_path_factory.mktemp("inventory"))
    except Unavailable as problem:
        pytest.fail(f"benchmarks need the real API server: {problem}", pytrace=False)
    images = [
        {"names": [f"registry.example.com/team/service-{n:02d}@sha256:{n:064d}"], "sizeBytes": n} for n in range(45)
    ]
    kinds = {"MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False", "Ready": "True"}
    times = dict.fromkeys(("lastHeartbeatTime", "lastTransitionTime"), "2026-01-05T00:00:00Z")
    conditions = [
        {"type": kind, "status": status, "reason": "Kubelet", "message": "as the kubelet says", **times}
        for kind, status in {**kinds, "ConfigOK": "True"}.items()
    ]
    client = api.client(pool_size=CONNECTIONS)

    def create(number: int) -> None:
        name = f"node-{number:04d}"
        labels = {"topology.kubernetes.io/zone": "abc"[number % 3], "kubernetes.io/hostname": name, "pool": "workers"}
        client.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
        status = {
            "images": images,
            "conditions": conditions,
            "addresses": [
                {"type": "InternalIP", "address": f"10.1.{number // 250}.{number % 250}"},
                {"type": "Hostname", "address": name},
            ],
            "nodeInfo": {
                "kubeletVersion": f"v1.34.{number % 5}",
                "containerRuntimeVersion": "containerd://1.7.24",
                "osImage": "Debian GNU/Linux 12 (bookworm)",
            },
        }
        client.patch(paths.node_status(name), {"status": status}, kind="strategic")

    for number, failed in run_parallel(create, range(NODES), workers=CONNECTIONS):
        assert failed is None, f"{number}: {failed}"
    yield api
    client.close()
    api.stop()


def measure(script: str, argument: str, directory: Path) -> tuple[float, float]:
    """Run a script; return the best seconds of three rounds, and the highest peak in MB."""
    results = []
    for _round in range(ROUNDS):
        done = subprocess.run(
            [sys.executable, "-c", script, argument],
            env={
                "PATH": os.environ["PATH"],
                "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build/collections"),
                "ANSIBLE_HOME": str(directory / "ansible"),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        count, seconds, megabytes = done.stdout.split()
        assert int(count) == NODES, done.stderr[-3000:]
        results.append((float(seconds), float(megabytes)))
    return min(seconds for seconds, _peak in results), max(peak for _seconds, peak in results)


def test_inventory_5000(cluster: Real, tmp_path: Path, row: Callable[..., None]) -> None:
    path = tmp_path / "machines.inventory.yml"
    path.write_text(json.dumps({"plugin": "configok.node.machines", "kubeconfig": cluster.admin_kubeconfig}))
    seconds, megabytes = measure(_INVENTORY, str(path), tmp_path)
    their_seconds, their_megabytes = measure(_TYPED_LIST, cluster.admin_kubeconfig, tmp_path)
    row("inventory-5000", seconds, "s", baseline=their_seconds, most=3)
    row("inventory-5000-mb", megabytes, "MB", baseline=their_megabytes, most=150)
