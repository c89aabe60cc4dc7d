# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the pages on Machines run in the order of the page, on a real API server without hosts.

Where a command would change a host, a provider of the test's own does. tests/integration/nodes/test_machines.py has the
pages whose hosts are real.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from support.ansible_runs.page_projects import PageProject
from support.ansible_runs.playbooks import PlaybookRun
from support.api.clusters import look
from support.api.clusters import prepare as prepare_cluster
from support.api.servers import Real, Unavailable, start_real
from support.documentation import named_files
from support.kubespray import write_inventory
from support.rollouts.simulated_nodes import SimulatedNodes
from support.rollouts.toy_hosts import PROVIDER, ToyHosts
from support.session.unavailable import leave_out

RECORDS = paths.config_maps("configok-rollouts")
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
QUICKLY = {
    "soak: 5m": "soak: 100ms",
    "maxUnavailable: 1": "maxUnavailable: 1\n  soak: 100ms",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """An API server of this module alone: the pages prepare and export a whole cluster."""
    try:
        started = start_real(tmp_path_factory.mktemp("pages"))
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started


@pytest.fixture
def nodes(server: Real) -> Iterator[SimulatedNodes]:
    """Nodes whose agents answer. Afterwards the cluster has no Nodes, no records, and no roles of machines."""
    client = server.client()
    with SimulatedNodes(client) as simulated:
        yield simulated
    for path in (paths.NODES, RECORDS):
        for item in client.list(path).items:
            client.delete(f"{path}/{item['metadata']['name']}")
    for path in (ROLES, f"{ROLES[:-1]}bindings"):
        for item in client.list(path).items:
            if item["metadata"]["name"].startswith("configok"):
                client.delete(f"{path}/{item['metadata']['name']}")


def words(run: PlaybookRun) -> str:
    """Return the output in one line: Ansible breaks long ones."""
    return " ".join(run.output.split())


def set_status(client: Client, name: str, **status: Any) -> None:
    client.patch(paths.node_status(name), {"status": status}, kind="strategic")


# --- kubeadm

KUBEADM = "machines-kubeadm.md"
# What kubeadm keeps in kube-system.
KUBEADM_CONFIG = {
    "kubeadm-config": ("ClusterConfiguration", {"networking": {"serviceSubnet": "10.96.0.0/12"}}),
    "kubelet-config": ("kubelet", {"clusterDNS": ["10.96.0.10"], "clusterDomain": "cluster.local"}),
}


def documents(text: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(text))


def test_kubeadms_page(server: Real, nodes: SimulatedNodes, tmp_path: Path) -> None:
    project = PageProject(KUBEADM, tmp_path, server.admin_kubeconfig, QUICKLY)
    project.write("run.yml", "cluster.yml")
    (tmp_path / "inventory").write_text("[workers]\n")
    check_prepare, prepare, make_directory, export, check, upgrade = project.commands
    client = server.client()
    old, new, before = f"1.{server.minor}.1", server.version, f"1.{server.minor - 1}.9"
    for name, (key, values) in KUBEADM_CONFIG.items():
        body = {"metadata": {"name": name}, "data": {key: yaml.safe_dump(values)}}
        client.create(paths.config_maps("kube-system"), body)

    with ToyHosts(tmp_path, nodes, kubelet=old) as hosts:
        for number in (1, 2):
            hosts.add(f"worker-{number}")
            address = {"type": "InternalIP", "address": f"10.0.0.{10 + number}"}
            set_status(client, f"worker-{number}", addresses=[address])
        nodes.add("control-plane", labels={"node-role.kubernetes.io/control-plane": ""})

        role = f"{ROLES}/configok-machines"
        assert project.done(check_prepare).changed == 1
        assert look(client, role) is None
        project.done(prepare)
        assert client.get(role)["rules"]

        project.done(make_directory)
        project.done(export)
        file = export.split("dest=")[1]
        exported = documents((tmp_path / file).read_text())
        assert [item["metadata"]["name"] for item in exported] == ["east", "worker-1", "worker-2"]
        shown = named_files(project.path)[file]
        for value, actual in (
            ("kubernetesVersion: 1.34.9", f"kubernetesVersion: {new}"),
            ("kubelet: 1.34.9", f"kubelet: {old}"),
            ("https://10.0.0.10:6443", server.url),
        ):
            assert value in shown
            shown = shown.replace(value, actual)
        assert exported[1]["spec"].pop("nodeLabels") == {"pool": "workers"}
        assert exported[:2] == documents(shown)

        checked = project.done(check)
        assert checked.changed == 0
        assert "Nothing to do: 2 machines (worker-1, worker-2)" in words(checked)

        # The file was exported before the control plane was upgraded.
        (tmp_path / "ansible.cfg").write_text(f"[defaults]\nroles_path = {hosts.roles}\n")
        (tmp_path / "machines/provider.yml").write_text(json.dumps(PROVIDER))
        toy = PROVIDER["spec"]
        project.edit(
            file,
            (f"kubernetesVersion: {new}", f"kubernetesVersion: {before}"),
            ("provider.configok.dev/v1alpha1", toy["apiVersion"]),
            ("DebianHost", toy["kind"]),
        )
        local = ("--connection=local", "-e", "ansible_become=false")
        project.edit(file, (f"kubelet: {old}", f"kubelet: {new}"))
        refused = project.run(upgrade, *local)
        assert refused.code != 0
        assert f"{before} contradicts the API server, which is of version {new}" in refused.stats["reason"]
        project.edit(file, (f"kubernetesVersion: {before}", f"kubernetesVersion: {new}"))
        upgraded = project.done(upgrade, *local)
        assert upgraded.stats["phase"] == "Complete"
        assert sorted(hosts.log()) == [f"update worker-{number} {new} 1.7.24" for number in (1, 2)]
    workers = [client.get(paths.node(f"worker-{number}")) for number in (1, 2)]
    assert {node["status"]["nodeInfo"]["kubeletVersion"] for node in workers} == {f"v{new}"}
    assert not any(node["spec"].get("unschedulable") for node in workers)


def test_a_label_is_planned_for_machines_that_were_exported(
    server: Real, nodes: SimulatedNodes, tmp_path: Path
) -> None:
    prepare_cluster(server.client())
    project = PageProject(KUBEADM, tmp_path, server.admin_kubeconfig, QUICKLY)
    project.write("run.yml")
    (tmp_path / "inventory").write_text("[workers]\n")
    *_prepare, make_directory, export, check, _upgrade = project.commands
    nodes.add("worker-1", version=f"v{server.version}", labels={"example.com/rack": "r1"})
    project.done(make_directory)
    project.done(export)
    project.edit(export.split("dest=")[1], ("example.com/rack: r1", "example.com/rack: r2"))
    checked = project.done(check)
    assert "update in place worker-1" in words(checked)
    assert "r1 -> r2" in words(checked)
    labels = server.client().get(paths.node("worker-1"))["metadata"]["labels"]
    assert labels["example.com/rack"] == "r1"


# --- kubespray

KUBESPRAY = "machines-kubespray.md"
# What kubespray's own playbooks do for a host of this name, as far as the page hands it over.
SCALE = """
- hosts: kube_node
  connection: local
  gather_facts: false
  become: false
  tasks:
    - ansible.builtin.copy:
        content: '{"kubelet": "VERSION", "runtime": "1.7.24"}'
        dest: "{{ playbook_dir }}/../hosts/{{ inventory_hostname }}.json"
        mode: "0600"
"""
REMOVE = """
- hosts: "{{ node }}"
  connection: local
  gather_facts: false
  become: false
  tasks:
    - ansible.builtin.assert:
        that: [skip_confirmation | bool, allow_ungraceful_removal | bool]
    - ansible.builtin.file:
        path: "{{ playbook_dir }}/../hosts/{{ inventory_hostname }}.json"
        state: absent
"""


def test_kubesprays_page(server: Real, nodes: SimulatedNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The page's playbooks start ansible-playbook as their user does.
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}")
    project = PageProject(KUBESPRAY, tmp_path, server.admin_kubeconfig, QUICKLY)
    create, delete = "playbooks/kubespray_create.yml", "playbooks/kubespray_delete.yml"
    project.write("convert.yml", create, delete, "cluster.yml", "run.yml")
    write_inventory(tmp_path)
    (tmp_path / "kubespray").mkdir()
    (tmp_path / "kubespray/scale.yml").write_text(SCALE.replace("VERSION", server.version))
    (tmp_path / "kubespray/remove-node.yml").write_text(REMOVE)
    convert, prepare, check = project.commands
    machines = "machines/kubespray.yml"
    client = server.client()

    with ToyHosts(tmp_path, nodes, kubelet=server.version) as hosts:
        hosts.add("master1")
        hosts.add("node1")
        hosts.add("node2", labels={"example.com/disk": "ssd"})
        taints = [
            {"key": "dedicated", "value": "batch", "effect": "NoSchedule"},
            {"key": "maintenance", "effect": "NoExecute"},
        ]
        client.patch(paths.node("node2"), {"spec": {"taints": taints}}, kind="merge")

        project.done(convert)
        project.done(prepare, "-e", "provision_hosts=none")  # no host of the inventory exists
        checked = project.done(check)
        assert checked.changed == 0
        assert "Nothing to do: 2 machines (node1, node2)" in words(checked)

        # A label goes through the API.
        run = check.replace(" --check --diff", "")
        uid = client.get(paths.node("node2"))["metadata"]["uid"]
        project.edit(machines, ('"example.com/disk": "ssd"', '"example.com/disk": "nvme"'))
        changed = project.done(run)
        assert changed.changed > 0
        node = client.get(paths.node("node2"))
        assert (node["metadata"]["uid"], node["metadata"]["labels"]["example.com/disk"]) == (uid, "nvme")
        again = project.done(convert, "--check", "--diff")
        assert '-  nodeLabels: {"example.com/disk": "nvme"}' in again.output
        assert '"nvme"' in (tmp_path / machines).read_text()

        # The host of node1 is deleted, and created again, by kubespray's playbooks.
        # It would be reached by SSH then, to install the agent.
        provider = f'delete: {delete}\n    address: "10.0.0.11"'
        spec = 'name: node1\n  labels: {"zone_a": "true"}\nspec:\n'
        project.edit(machines, (provider, f"{provider}\n    provision: false"), (spec, f"{spec}  state: Absent\n"))
        project.done(run)
        assert (look(client, paths.node("node1")), hosts.host("node1")) == (None, None)
        project.edit(machines, (f"{spec}  state: Absent\n", spec))
        project.done(run)
        assert client.get(paths.node("node1"))["status"]["nodeInfo"]["kubeletVersion"] == f"v{server.version}"
        assert "node2" in {item["metadata"]["name"] for item in client.list(paths.NODES).items}
