# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bare Debian host becomes a node and stops being one. The Molecule scenario machines has what happens in between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import _api_paths as paths
from support.ansible_runs.playbooks import finish, start
from support.machines import BARE, Node, NodeSpec, Testbed, Unavailable
from support.session.unavailable import leave_out

POLICY = {"canary": {"count": 1, "soak": "2s"}, "waves": ["100%"], "soak": "1s", "maxUnavailable": 1}
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


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    try:
        started = Testbed.start("machines", [NodeSpec("b1", layout=BARE)])
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started


@pytest.fixture(scope="module")
def host(bed: Testbed) -> Node:
    return bed.node("b1")


@pytest.fixture(scope="module")
def before(host: Node) -> list[str]:
    """What the host has before it is a node."""
    return look(host)


def look(host: Node) -> list[str]:
    return sorted(host.run(["sh", "-c", LOOK], check=False, timeout=60).stdout.splitlines())


def reconcile(bed: Testbed, *arguments: str, **changes: Any) -> int:
    """Write the files of the machine, run the playbook, and return what it has changed. changes: fields of the spec."""
    bare = yaml.safe_load(bed.bare_machines.read_text())
    facts = bare["machines"]["bookworm"]
    address = bed.node("b1").address
    machine = {
        "cluster": "east",
        "versions": {
            "kubelet": facts["kubelets"][0].partition("-")[0],
            "containerRuntime": {"name": "containerd", "version": facts["runtimes"][0]},
        },
        "nodeLabels": {"example.com/disk": "ssd"},
        "providerConfig": {
            "apiVersion": "provider.configok.dev/v1alpha1",
            "kind": "DebianHost",
            "address": address,
            "kubeletFlags": {"node-ip": address},
            **facts["provider"],
        },
        **changes,
    }
    documents = [
        {"kind": "Cluster", "metadata": {"name": "east"}, "spec": bare["cluster"]},
        {"kind": "Machine", "metadata": {"name": "b1"}, "spec": machine},
    ]
    file = bed.state / "machines.yml"
    file.write_text(
        yaml.safe_dump_all([{"apiVersion": "machines.configok.dev/v1alpha1", **text} for text in documents])
    )
    variables = {"machine_files": [str(file)], "policy": POLICY}
    options = ["-i", str(bed.inventory), "-e", yaml.safe_dump(variables, default_flow_style=True, width=10**6)]
    running = start(["configok.node.machines", *options, *arguments], directory=bed.state, kubeconfig=bed.kubeconfig)
    run = finish(running)
    assert run.code == 0, run.output
    return run.changed


def test_a_bare_host_becomes_a_node_and_stops_being_one(bed: Testbed, host: Node, before: list[str]) -> None:
    assert reconcile(bed, "--check", "--diff") > 0
    assert look(host) == before

    assert reconcile(bed) > 0
    host.wait_ready()
    host.wait_config_ok("True")
    node = host.get()
    assert node["metadata"]["labels"]["example.com/disk"] == "ssd"
    kubelet = yaml.safe_load(bed.bare_machines.read_text())["machines"]["bookworm"]["kubelets"][0]
    assert node["status"]["nodeInfo"]["kubeletVersion"] == f"v{kubelet.partition('-')[0]}"

    assert reconcile(bed) == 0

    assert reconcile(bed, state="Absent") > 0
    assert bed.client.find(paths.node("b1")) is None
    assert look(host) == before

    assert reconcile(bed, state="Absent") == 0
