# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks by the identity of one node on a host of a static inventory, without that inventory and with it.

The plugin cannot be run without its check. So the side "off" reads the cluster alone: there the name leads to the node.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from support.ansible_runs.inventories import read_inventory
from support.api.servers import Real
from support.attacks.recorder import Recorder

DATABASE = "db1.example.com"
DECLARED, HOSTILE = "10.0.9.1", "10.6.6.6"


@pytest.fixture(params=["hostile-1", DATABASE])
def node(request: pytest.FixtureRequest, attacked_api: Real) -> Iterator[str]:
    """A Node whose own identity reports the name of the database, and its own address."""
    name = str(request.param)
    admin = attacked_api.client()
    admin.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
    addresses = [{"type": "InternalIP", "address": HOSTILE}, {"type": "Hostname", "address": DATABASE}]
    with attacked_api.client(f"system:node:{name}", ["system:nodes"]) as own:
        own.patch(paths.node_status(name), {"status": {"addresses": addresses}}, kind="strategic")
    yield name
    admin.delete(paths.node(name))
    admin.close()


def test_a_node_that_names_a_host_of_another_source(
    node: str, attacked_api: Real, attacks: Recorder, tmp_path: Path
) -> None:
    plugin = {"plugin": "configok.node.machines", "kubeconfig": attacked_api.admin_kubeconfig}
    plugin["host_name"] = "name" if node == DATABASE else "hostname"
    source = tmp_path / "02-cluster.machines.inventory.yml"
    source.write_text(json.dumps(plugin))
    did = "has" if node == DATABASE else "reports"
    with attacks.attempt(f"a node {did} the name of a host of another source", "inventory") as attempt:
        alone = read_inventory(source).variables(DATABASE).get("ansible_host")
        attempt.off(int(alone == HOSTILE), 1, "hosts", f"the name leads to {alone}, the node")
        (tmp_path / "01-static").write_text(f"[databases]\n{DATABASE} ansible_host={DECLARED} ansible_user=dba\n")
        variables = read_inventory(tmp_path).variables(DATABASE)
        address = variables.get("ansible_host")
        attempt.on(int(address != DECLARED), 1, "hosts", f"the name leads to {address}, as declared")
        assert variables["ansible_user"] == "dba"
