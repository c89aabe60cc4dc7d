# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of bare hosts and of kubeadm, on real hosts: their commands run as the pages write them.

The Molecule scenario machines has what happens between the creation and the deletion of a machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from support.ansible_runs.page_projects import PageProject
from support.machines import BARE, Node, NodeSpec, Testbed, Unavailable
from support.session.unavailable import leave_out

QUICKLY = {"soak: 5m": "soak: 2s", "maxUnavailable: 1": "maxUnavailable: 1\n  soak: 1s"}
# What a host has, apart from what changes on its own.
LOOK = r"""
dpkg-query --show --showformat='${Package} ${Version} ${db:Status-Abbrev}\n'
systemctl list-unit-files --no-legend --plain
findmnt --raw --noheadings --output TARGET
ip -o link | cut -d: -f2
ps -e -o comm= | grep -E '^(kube|containerd|runc|configok)'
find /etc -xdev -type f ! -name ld.so.cache -exec sha256sum {} +
find /etc /opt /root /srv /usr /var/lib -xdev -regextype posix-extended \
  -regex '/var/lib/(apt|dpkg|systemd)|/root/\.ansible|.*/__pycache__' -prune -o -printf '%p %y %m %u %g %l\n'
"""
# What goes with a node that was one before, as with `kubeadm reset`, and what containerd notes.
OF_THE_CLUSTER = re.compile(
    r"/var/lib/kubelet/|/etc/kubernetes/(kubelet\.conf|pki)|wants/kubelet\.service l |^kubelet(\.service .*)?$"
    r"|/var/lib/containerd/"
)
# A user who may become root, as the page of bare hosts has one.
ADMINISTRATOR = """
set -e
useradd --create-home admin
install -d -o admin -m 0700 ~admin/.ssh
install -o admin -m 0600 /root/.ssh/authorized_keys ~admin/.ssh/authorized_keys
echo 'admin ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/admin
"""


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    """Two bare hosts, and a cluster that nothing has prepared."""
    specs = [NodeSpec("worker-1", layout=BARE), NodeSpec("kubeadm-1", layout=BARE)]
    try:
        started = Testbed.start("machines", specs, prepare_cluster=False)
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started


@pytest.fixture
def facts(bed: Testbed) -> dict[str, Any]:
    """What the testbed says about its cluster and its packages."""
    bare = yaml.safe_load(bed.bare_machines.read_text())
    return {**bare["machines"]["bookworm"], "cluster": bare["cluster"]}


def connection(bed: Testbed) -> dict[str, Any]:
    """Return the variables with which Ansible reaches the hosts, without a user."""
    variables = yaml.safe_load(bed.inventory.read_text())["all"]["children"]["bare"]["vars"]
    return {name: value for name, value in variables.items() if name != "ansible_user"}


def look(host: Node) -> set[str]:
    return set(host.run(["sh", "-c", LOOK], check=False, timeout=60).stdout.splitlines())


def kubelet_of(host: Node) -> str:
    return str(host.get()["status"]["nodeInfo"]["kubeletVersion"])


def software(version: str) -> str:
    """Return the version of the software in a package."""
    return version.partition("-")[0].partition("~")[0]


def bare_hosts(bed: Testbed, facts: dict[str, Any], directory: Path) -> PageProject:
    """Return the page of bare hosts with the first of its hosts, and with what that has of its own."""
    cluster, provider, host = facts["cluster"], facts["provider"], bed.node("worker-1")
    container = {name: provider[name] for name in ("kubeletConfiguration", "containerRuntimeConfig", "cni")}
    container["kubeletFlags"] = {"node-ip": host.address}
    fields = "".join(f"        {name}: {json.dumps(value)}\n" for name, value in container.items())
    return PageProject(
        "machines-bare-hosts.md",
        directory,
        bed.kubeconfig,
        {
            **QUICKLY,
            "https://10.0.0.10:6443": cluster["endpoint"],
            "kubernetesVersion: 1.34.9": f"kubernetesVersion: {cluster['kubernetesVersion']}",
            "{serviceCIDR: 10.96.0.0/16, dnsDomain: cluster.local, clusterDNS: [10.96.0.10]}": json.dumps(
                cluster["network"]
            ),
            "kubelet: 1.34.9": f"kubelet: {software(facts['kubelets'][0])}",
            'version: "1.7"': f'version: "{software(facts["runtimes"][0])}"',
            "https://packages.example.com": provider["packages"]["source"].split()[1].rpartition("/")[0],
            "user: admin\n": f"user: admin\n{fields}",
            "address: 10.0.0.11": f"address: {host.address}",
            "    - {name: worker-2, address: 10.0.0.12}\n": "",
            "    - {name: worker-3, address: 10.0.0.13}\n": "",
        },
    )


@pytest.mark.slow
def test_the_page_of_bare_hosts(bed: Testbed, facts: dict[str, Any], tmp_path: Path) -> None:
    host = bed.node("worker-1")
    host.run(["sh", "-c", ADMINISTRATOR])
    before = look(host)
    project = bare_hosts(bed, facts, tmp_path)
    project.write("cluster.yml", "machines/workers.yml", "run.yml")
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/kubernetes.asc").write_text(facts["provider"]["packages"]["key"])
    # The place of a minor's packages, as in the page.
    minor = bed.state / "packages/kubernetes" / facts["cluster"]["kubernetesVersion"].rpartition(".")[0]
    minor.parent.mkdir()
    minor.symlink_to((bed.state / "packages/bookworm").resolve())
    # How to connect; the inventory has no host.
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"vars": connection(bed)}}))
    (tmp_path / "ansible.cfg").write_text("[defaults]\ninventory = hosts.yml\n")
    prepare, check, run = project.commands

    project.done(prepare)
    assert project.done(check).changed > 0
    assert look(host) == before

    project.done(run)
    host.wait_ready()
    host.wait_config_ok("True")
    assert host.get()["metadata"]["labels"]["example.com/rack"] == "r1"
    assert kubelet_of(host) == f"v{software(facts['kubelets'][0])}"
    assert project.done(run).changed == 0

    # Its host moves to a MachineSet whose template has state: Absent.
    cluster, workers = yaml.safe_load_all((tmp_path / "machines/workers.yml").read_text())
    leaving = json.loads(json.dumps({**workers, "metadata": {"name": "leaving"}}))
    leaving["spec"]["template"]["spec"]["state"] = "Absent"
    workers["spec"]["hosts"] = []
    (tmp_path / "machines/workers.yml").write_text(yaml.safe_dump_all([cluster, workers, leaving]))
    assert project.done(run).changed > 0
    assert bed.client.find(paths.node(host.name)) is None
    assert look(host) == before
    assert project.done(run).changed == 0


@pytest.mark.slow
def test_the_page_of_kubeadm(bed: Testbed, facts: dict[str, Any], tmp_path: Path) -> None:
    host = bed.node("kubeadm-1")
    old, new, _broken = facts["kubelets"]
    files = bed.join_with_kubeadms_layout(host, kubelet=old, runtime=facts["runtimes"][0])
    before = look(host)
    sums = host.run(["sha256sum", *files]).stdout
    project = PageProject("machines-kubeadm.md", tmp_path, bed.kubeconfig, QUICKLY)
    project.write("cluster.yml", "run.yml")
    workers = {
        "hosts": {host.name: {"ansible_host": host.address}},
        "vars": {**connection(bed), "ansible_user": "root"},
    }
    (tmp_path / "inventory").write_text(yaml.safe_dump({"workers": workers}))
    check_prepare, prepare, make_directory, export, check, upgrade = project.commands

    project.done(check_prepare)
    assert look(host) == before
    starts = host.kubelet_starts()
    project.done(prepare)
    host.wait_config_ok("True")
    assert host.kubelet_starts() == starts

    project.done(make_directory)
    project.done(export)
    file = export.split("dest=")[1]
    checked = project.done(check)
    assert checked.changed == 0
    assert f"Nothing to do: {host.name}" in checked.output

    for version, former in ((new, old), (old, new)):
        project.edit(file, (f"kubelet: {software(former)}", f"kubelet: {software(version)}"))
        project.done(upgrade)
        assert kubelet_of(host) == f"v{software(version)}"
        installed = host.run(["dpkg-query", "--show", "--showformat=${Package}=${Version} ", "kubelet", "containerd"])
        assert installed.stdout.split() == [f"containerd={facts['runtimes'][0]}", f"kubelet={version}"]
        assert host.run(["sha256sum", *files]).stdout == sums
        assert host.run(["apt-mark", "showhold"]).stdout.split() == ["containerd", "kubelet"]
        host.wait_config_ok("True")

    project.edit(file, ("spec:\n  cluster: east", "spec:\n  state: Absent\n  cluster: east"))
    project.done(upgrade)
    assert bed.client.find(paths.node(host.name)) is None
    assert [line for line in sorted(before ^ look(host)) if not OF_THE_CLUSTER.search(line)] == []
    assert host.run(["systemctl", "is-enabled", "kubelet"], check=False).stdout == "disabled\n"
