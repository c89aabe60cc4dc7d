# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook machines as a user runs it, with a provider of the user's own whose hosts are files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import _api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Client
from support.ansible_runs.playbooks import PlaybookRun, Playbooks, quick_pool
from support.api.clusters import look
from support.api.servers import Embedded
from support.rollouts.simulated_nodes import SimulatedNodes
from support.rollouts.toy_hosts import PROVIDER, ToyHosts

GROUP = "machines.configok.dev/v1alpha1"
POLICY = {**quick_pool()["policy"], "maxUnavailable": 1, "drain": {"timeout": "20s", "force": True}}
QUICKLY = ("-e", "rollout_lease_duration=1")


class Machines:
    """A user's directory with machines.yml and Machine files, a cluster, and the hosts of the toy provider."""

    def __init__(self, client: Client, nodes: SimulatedNodes, hosts: ToyHosts, user: Playbooks) -> None:
        self.client, self.nodes, self.hosts, self.user = client, nodes, hosts, user
        self.version = str(client.get("/version")["gitVersion"]).lstrip("v")

    def write(self, *machines: dict[str, Any], **variables: Any) -> None:
        directory = self.user.directory / "machines"
        directory.mkdir(exist_ok=True)
        cluster = {"endpoint": "https://10.0.0.1:6443", "kubernetesVersion": self.version}
        objects = [
            {"apiVersion": GROUP, "kind": "Cluster", "metadata": {"name": "east"}, "spec": cluster},
            PROVIDER,
            *machines,
        ]
        (directory / "all.yml").write_text("".join(f"---\n{json.dumps(item)}\n" for item in objects))
        settings = {"machine_files": ["machines"], "policy": POLICY, **variables}
        (self.user.directory / "machines.yml").write_text(json.dumps(settings))

    def run(self, *arguments: str) -> PlaybookRun:
        return self.user.run("machines", "-e", "@machines.yml", *QUICKLY, *arguments, pool=False)

    def node(self, name: str) -> dict[str, Any]:
        return self.client.get(paths.node(name))


def machine(name: str, kubelet: str = "1.34.1", **spec: Any) -> dict[str, Any]:
    provider = {"apiVersion": "toy.example.com/v1", "kind": "ToyHost", **spec.pop("providerConfig", {})}
    versions = {
        "kubelet": kubelet,
        "containerRuntime": {"name": "containerd", "version": spec.pop("runtime", "1.7.24")},
    }
    whole = {"cluster": "east", "versions": versions, "providerConfig": provider, **spec}
    return {"apiVersion": GROUP, "kind": "Machine", "metadata": {"name": name}, "spec": whole}


@pytest.fixture
def machines(embedded_api: Embedded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machines]:
    client = embedded_api.client()
    with SimulatedNodes(client) as nodes, ToyHosts(tmp_path, nodes) as hosts:
        (tmp_path / "ansible.cfg").write_text(f"[defaults]\nroles_path = {hosts.roles}\n")
        yield Machines(client, nodes, hosts, Playbooks(tmp_path, embedded_api.admin_kubeconfig))


def writes(api: Embedded) -> list[tuple[str, str]]:
    calls = api.server.requests.calls(user="admin")
    return [(call.verb, call.resource) for call in calls if call.verb not in ("get", "list", "watch")]


def test_check_mode_before_the_cluster_is_set_up(embedded_api: Embedded, machines: Machines) -> None:
    machines.hosts.add("w1")
    machines.hosts.add("w2")
    machines.write(machine("w1", "1.34.2"), machine("w2"))
    embedded_api.server.requests.clear()
    planned = machines.run("--check", "--diff")
    assert planned.code == 0, planned.output
    assert planned.stats["phase"] == "Planned"
    assert writes(embedded_api) == []
    assert machines.hosts.log() == []
    assert look(machines.client, paths.namespace("configok-system")) is None
