# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the assignment of a config to many Nodes, against bare requests and against a user's own playbook."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import urllib3

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from ansible_collections.configok.node.plugins.module_utils._kube.parallel import run_parallel
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
)
from support.api.servers import Real

NODES = [f"bench-{number:04d}" for number in range(1000)]
CONNECTIONS = 32
ROUNDS = 7  # the start of ansible-playbook, which is subtracted, varies by a tenth of a second
UID = "00000000-0000-0000-0000-0000000000{:02d}"
Row = Callable[..., None]


def source(number: int) -> ConfigSource:
    """Return a config source that differs between rounds, so that every PATCH changes its Node."""
    return ConfigSource("configok-system", f"bench-{number:010d}", UID.format(number))


@pytest.fixture(scope="module")
def cluster(real_api: Real) -> Iterator[Real]:
    client = real_api.client(pool_size=CONNECTIONS)
    # A real Node has about 6 KB, most of it the list of its images.
    images = [
        {"names": [f"registry.example.com/team/service-{n:02d}@sha256:{n:064d}"], "sizeBytes": n} for n in range(45)
    ]

    def create(name: str) -> None:
        client.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        client.patch(paths.node_status(name), {"status": {"images": images}}, kind="strategic")

    for name, failed in run_parallel(create, NODES, workers=CONNECTIONS):
        assert failed is None, f"{name}: {failed}"
    yield real_api
    client.close()


@pytest.fixture
def play(cluster: Real, tmp_path: Path) -> Callable[..., float]:
    """Run one task as a play and return the seconds of the whole ``ansible-playbook``."""

    def run(task: dict[str, Any], *, collections: str = "") -> float:
        play = [{"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": [task]}]
        book = tmp_path / "play.json"
        book.write_text(json.dumps(play))
        environment = {
            **os.environ,
            "KUBECONFIG": cluster.admin_kubeconfig,
            "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
            "ANSIBLE_HOME": str(tmp_path / "ansible"),
            "ANSIBLE_LOCALHOST_WARNING": "false",
        }
        if collections:
            environment["ANSIBLE_COLLECTIONS_PATH"] = collections
        begun = time.perf_counter()
        done = subprocess.run(
            [str(Path(sys.executable).parent / "ansible-playbook"), str(book)],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - begun
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
        return seconds

    return run


def as_text(pem: bytes | None) -> str:
    assert pem, "the test's kubeconfig holds its certificates inline"
    return pem.decode()


def bare_loop(cluster: Real, number: int) -> float:
    """Send 1,000 PATCHes over 32 connections, with urllib3 only; return the seconds."""
    credentials = from_kubeconfig(cluster.admin_kubeconfig)
    context = urllib3.util.ssl_.create_urllib3_context()
    context.load_verify_locations(cadata=as_text(credentials.ca_data))
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as pair:
        pair.write(as_text(credentials.cert_data) + as_text(credentials.key_data))
        pair.flush()
        context.load_cert_chain(pair.name)
    host, port = credentials.server.removeprefix("https://").split(":")
    pool = urllib3.HTTPSConnectionPool(host, int(port), maxsize=CONNECTIONS, block=True, ssl_context=context)
    body = json.dumps(assignment_patch(source(number), Assignment(number)))
    headers = {"Content-Type": "application/strategic-merge-patch+json"}

    def patch(name: str) -> int:
        return pool.request("PATCH", f"/api/v1/nodes/{name}", body=body, headers=headers).status

    begun = time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        statuses = set(threads.map(patch, NODES))
    seconds = time.perf_counter() - begun
    pool.close()
    assert statuses == {200}
    return seconds


def assign_task(number: int, nodes: list[str]) -> dict[str, Any]:
    return {"configok.node.config_source": {"nodes": nodes, "config_source": source(number).to_dict()}}


def test_assign_1000(cluster: Real, play: Callable[..., float], row: Row) -> None:
    """At most 1.5 times the bare loop, beyond Ansible's own start-up; medians of rounds in turn."""
    bare, module = [], []
    for round_number in range(ROUNDS):
        bare.append(bare_loop(cluster, 2 * round_number + 1))
        started = play({"ansible.builtin.ping": {}})
        module.append(play(assign_task(2 * round_number + 2, NODES)) - started)
    client = cluster.client()
    last = source(2 * ROUNDS).encode()
    nodes = {node["metadata"]["name"]: node for node in client.list(paths.NODES, metadata_only=True).items}
    assert all(nodes[name]["metadata"]["annotations"]["configok.dev/config-source"] == last for name in NODES)
    row("assign-1000", statistics.median(module), "s", baseline=statistics.median(bare), most_ratio=1.5)


def test_assign_50_as_a_user_would_today(cluster: Real, play: Callable[..., float], row: Row) -> None:
    """kubernetes.core.k8s in a loop over 50 Nodes, against config_source for the same 50; both with start-up."""
    community = os.environ.get("CONFIGOK_COMMUNITY")
    if not community:
        pytest.skip("CONFIGOK_COMMUNITY is not set: kubernetes.core is not here to compare with (make bench sets it)")
    nodes = NODES[:50]
    ours = play(assign_task(90, nodes))
    annotations = assignment_patch(source(91), Assignment(91))["metadata"]["annotations"]
    loop = {
        "kubernetes.core.k8s": {
            "state": "patched",
            "api_version": "v1",
            "kind": "Node",
            "name": "{{ item }}",
            "definition": {"metadata": {"annotations": annotations}},
        },
        "loop": nodes,
    }
    theirs = play(loop, collections=community)
    row("assign-50-k8s-module-loop", theirs, "s", baseline=ours, most=600)
