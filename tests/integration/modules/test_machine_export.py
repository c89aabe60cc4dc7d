# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Machines of a live cluster are written to a file, and a run with that file changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from ansible_collections.configok.node.plugins.modules import machine_export
from support.ansible_runs.in_process import roll_out
from support.ansible_runs.modules import run_module
from support.ansible_runs.playbooks import finish, start
from support.api.clusters import prepare
from support.api.populations import add_node, publish_bundle
from support.api.servers import Real
from support.configs.kubelet import KUBELET_HEADER
from support.rollouts.simulated_nodes import SimulatedNodes

TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
LABELS = {"example.com/exported": "yes"}
SELECTOR = "example.com/exported=yes"


@pytest.fixture
def cluster(real_api: Real, unique: str) -> Iterator[Client]:
    """A cluster with a pool of three nodes, a node with a bundle of its own and one with its init config."""
    client = real_api.client()
    prepare(client)
    version = str(client.get("/version")["gitVersion"])
    pool = ["pool-1", "pool-2", "pool-3"]
    try:
        with SimulatedNodes(client) as nodes:
            for name in pool:
                nodes.add(name, labels=LABELS, zone="a", version=version)
            roll_out(client, KUBELET_HEADER + "maxPods: 60\n", selector=SELECTOR)
        source = publish_bundle(client, unique, {"maxPods": 90})
        disk = {**LABELS, "example.com/disk": "1e3"}
        add_node(client, "bundle-1", kubelet=version, source=source, labels=disk, taints=[TAINT])
        add_node(client, "init-1", kubelet=version, labels=LABELS, address="10.0.0.12")
        yield client
    finally:
        for name in (*pool, "bundle-1", "init-1"):
            with suppress(NotFound):
                client.delete(paths.node(name))


def test_the_machines_of_a_live_cluster_reconcile_to_no_change(
    cluster: Client, real_api: Real, unique: str, tmp_path: Path
) -> None:
    dest = tmp_path / "east.yaml"
    options = {
        "kubeconfig": real_api.admin_kubeconfig,
        "cluster": "east",
        "dest": str(dest),
        "label_selector": SELECTOR,
    }
    planned = run_module(machine_export.main, options, check=True, diff=True)
    assert planned["changed"] is True
    assert planned["diff"]["before"] == ""
    assert not dest.exists()

    written = run_module(machine_export.main, options)
    assert written["changed"] is True
    assert written["machines"] == ["bundle-1", "init-1", "pool-1", "pool-2", "pool-3"]
    assert dest.read_text(encoding="utf-8") == written["text"] == planned["diff"]["after"]
    assert dest.stat().st_mode & 0o777 == 0o644
    assert run_module(machine_export.main, options)["changed"] is False
    catalog = read_catalog({"east.yaml": written["text"]})
    machines = {machine.name: machine for machine in catalog.machines}
    assert [machines[name].pool for name in written["machines"]] == ["", "", "workers", "workers", "workers"]
    reference = machines["bundle-1"].config_source
    assert reference is not None
    assert reference.name.startswith(f"{unique}-")
    assert machines["bundle-1"].node_labels == {**LABELS, "example.com/disk": "1e3"}
    assert machines["bundle-1"].taints == (("dedicated", "batch", "NoSchedule"),)
    assert machines["init-1"].provider.fields["address"] == "10.0.0.12"
    assert machines["pool-1"].labels == {"pool": "workers", "zone": "a"}
    assert catalog.clusters["east"].endpoint == cluster.server.rstrip("/")

    variables = ["-e", "machine_files=east.yaml", "--check", "--diff"]
    done = finish(
        start(["configok.node.machines", *variables], directory=tmp_path, kubeconfig=real_api.admin_kubeconfig)
    )
    assert done.code == 0, done.output
    assert "changed=0" in done.output
    assert "failed=0" in done.output


def test_the_playbook_writes_the_file(cluster: Client, real_api: Real, tmp_path: Path) -> None:
    variables = ["-e", f"machine_cluster=east node_selector={SELECTOR}"]
    arguments = ["configok.node.export", *variables]
    done = finish(start(arguments, directory=tmp_path, kubeconfig=real_api.admin_kubeconfig))
    assert done.code == 0, done.output
    assert f"5 Machines: {tmp_path}/machines.yaml" in done.output
    assert "changed=1" in done.output
    text = (tmp_path / "machines.yaml").read_text(encoding="utf-8")
    assert len(read_catalog({"machines.yaml": text}).machines) == 5
    again = finish(start(arguments, directory=tmp_path, kubeconfig=real_api.admin_kubeconfig))
    assert "changed=0" in again.output


def test_what_cannot_be_exported(cluster: Client, real_api: Real, tmp_path: Path) -> None:
    options = {"kubeconfig": real_api.admin_kubeconfig}

    def message(**more: object) -> str:
        return str(run_module(machine_export.main, {**options, **more})["msg"])

    assert message(nodes=["none"]) == "there is no Node none: correct its name"
    assert message(label_selector="a=b") == "there is no Node that a=b matches: nothing can be exported"
    assert message(provider_config={"kind": "x"}).startswith("provider_config: apiVersion: is required")
    assert message(nodes=["pool-1"], dest=str(tmp_path / "none/x.yaml")).startswith("the directory of ")
