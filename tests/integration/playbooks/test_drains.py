# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook rollout with changes that need a drain or a reboot, on a real API server with pods and a budget."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from support.ansible_runs.playbooks import Playbooks, finish, quick_pool
from support.api.clusters import prepare
from support.api.real_pods import RealPods
from support.api.servers import Real
from support.rollouts.simulated_nodes import SimulatedNodes

DRAIN = "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\n"
POLICY = quick_pool()["policy"]


class Pool:
    """Three nodes of a pool of their own, which answer, and their pods."""

    def __init__(self, client: Client, name: str, pods: dict[str, RealPods], user: Playbooks) -> None:
        self.client, self.name, self.pods, self.user = client, name, pods, user

    def write(self, layer: str, **policy: Any) -> None:
        pool = quick_pool(self.name, policy={**POLICY, **policy})
        self.user.write(pool, layer)

    def nodes(self) -> dict[str, dict[str, Any]]:
        return {name: self.client.get(paths.node(name)) for name in self.pods}

    def check_uncordoned(self) -> None:
        for item in self.nodes().values():
            assert not item["spec"].get("unschedulable")
            assert "configok.dev/cordoned-by" not in item["metadata"]["annotations"]


@pytest.fixture
def pool(real_api: Real, unique: str, tmp_path: Path) -> Iterator[Pool]:
    client = real_api.client()
    prepare(client)
    names = [f"{unique}-{number}" for number in range(3)]
    with ExitStack() as stack:
        simulated = stack.enter_context(SimulatedNodes(client))
        for name in names:
            simulated.add(name, labels={"pool": unique})
            boot(client, name, "b0")
        pods = {name: stack.enter_context(RealPods(real_api, name)) for name in names}
        yield Pool(client, unique, pods, Playbooks(tmp_path, real_api.admin_kubeconfig))
    for name in names:
        client.delete(paths.node(name))


def boot(client: Client, name: str, boot_id: str) -> None:
    client.patch(paths.node_status(name), {"status": {"nodeInfo": {"bootID": boot_id}}}, kind="strategic")


def test_a_change_that_needs_a_drain(pool: Pool) -> None:
    pool.write("maxPods: 60\n")
    first = pool.user.run("rollout")
    assert first.code == 0, first.output
    assert "is not known: they are moved without a drain" in first.output, "what they used before is not published"

    pool.write(DRAIN, forbid=["drain"])
    refused = pool.user.run("rollout")
    assert refused.code != 0
    assert "kubelet cpuManagerPolicy changes on 3 nodes" in refused.output
    assert "its class drain+state is forbidden by policy.forbid, as drain is" in refused.output
    pool.check_uncordoned()

    pool.write(DRAIN, drain={"timeout": "60s", "force": True})
    planned = pool.user.run("rollout", "--check")
    assert planned.code == 0, planned.output
    assert f"Drains 3 nodes ({pool.name}-0, {pool.name}-1, {pool.name}-2)." in planned.output
    labels = {"app": pool.name}
    budget = ""
    for pods in pool.pods.values():
        pods.add("db", labels=labels)
        budget = budget or pods.protect(pool.name, labels, allowed=0)
    pool.write(DRAIN)
    planned = pool.user.run("rollout", "--check")
    assert planned.code == 0, planned.output
    assert f"3 nodes ({pool.name}-0, {pool.name}-1, {pool.name}-2) would refuse the drain" in planned.output
    pool.write(DRAIN, drain={"timeout": "60s", "force": True})
    planned = pool.user.run("rollout", "--check")
    assert "would refuse the drain" not in planned.output
    last = pool.pods[f"{pool.name}-2"]
    running = pool.user.start("rollout")
    allowing = [threading.Timer(delay, last.allow, (budget, 1)) for delay in (12.0, 22.0, 32.0)]
    for timer in allowing:
        timer.start()
    done = finish(running)
    for timer in allowing:
        timer.cancel()
    assert done.code == 0, done.output
    assert done.stats["phase"] == "Complete"
    assert f"waits for default/{pool.name}-" in done.output
    assert f"The disruption budget {pool.name} needs 2 healthy pods and has 2 currently" in done.output
    assert [pods.items() for pods in pool.pods.values()] == [[], [], []]
    pool.check_uncordoned()
    again = pool.user.run("rollout")
    assert (again.code, again.changed) == (0, 0), again.output


def test_a_change_that_needs_a_reboot(pool: Pool) -> None:
    pool.write("maxPods: 60\n")
    first = pool.user.run("rollout")
    assert first.code == 0, first.output
    layer = "topologyManagerPolicy: best-effort\n"
    pool.write(layer)
    refused = pool.user.run("rollout")
    assert refused.code != 0
    assert "kubelet topologyManagerPolicy changes on 3 nodes" in refused.output
    assert "it needs a reboot: set policy.reboot.allowed" in refused.output

    directory = pool.user.directory
    note = {
        "ansible.builtin.copy": {"dest": f"{directory}/{{{{ reboot_node }}}}", "content": "{{ inventory_hostname }}"}
    }
    play = {"hosts": "{{ reboot_host }}", "gather_facts": False, "tasks": [note]}
    (directory / "own.yml").write_text(yaml.safe_dump([play]))
    hosts = {f"machine-{name}": {"node_name": name, "ansible_connection": "local"} for name in pool.pods}
    (directory / "inventory.json").write_text(json.dumps({"all": {"hosts": hosts}}))
    pool.write(layer, drain={"timeout": "60s", "force": True}, reboot={"allowed": True, "playbook": "own.yml"})
    for pods in pool.pods.values():
        pods.add("web")
    stop = threading.Event()

    def machines() -> None:
        """Report another boot of each node whose machine the playbook has rebooted."""
        booted: set[str] = set()
        while not stop.wait(0.2):
            for name in pool.pods.keys() - booted:
                if (directory / name).exists():
                    boot(pool.client, name, "b1")
                    booted.add(name)

    thread = threading.Thread(target=machines)
    thread.start()
    try:
        done = pool.user.run("rollout", "-i", "inventory.json")
    finally:
        stop.set()
        thread.join()
    assert done.code == 0, done.output
    assert f"Reboots 3 nodes ({pool.name}-0, {pool.name}-1, {pool.name}-2)." in done.output
    assert {name: (directory / name).read_text() for name in pool.pods} == {
        name: f"machine-{name}" for name in pool.pods
    }
    assert {item["status"]["nodeInfo"]["bootID"] for item in pool.nodes().values()} == {"b1"}
    assert [pods.items() for pods in pool.pods.values()] == [[], [], []]
    pool.check_uncordoned()
