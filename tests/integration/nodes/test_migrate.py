# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""component_config_migrate on a real node: the kubelet there continues with a file, and nothing has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from support.ansible_runs.playbooks import finish, start
from support.machines import CONFIG_PATHS, Node, Testbed, Unavailable
from support.session.unavailable import leave_out

EXTRA = "--max-pods=60 --eviction-hard=memory.available<100Mi --node-status-update-frequency=4s --v=3"
DROP_IN = "/etc/systemd/system/kubelet.service.d/20-migrated.conf"


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    """A node as kubeadm leaves it."""
    try:
        started = Testbed.start("migrate", 1, layout="kubeadm")
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started


def configz(bed: Testbed, node: Node) -> dict[str, Any]:
    """Return the config with which the kubelet says it runs."""
    result: dict[str, Any] = bed.client.get(f"/api/v1/nodes/{node.name}/proxy/configz")["kubeletconfig"]
    return result


def restart(node: Node) -> None:
    node.run(["systemctl", "daemon-reload"])
    node.run(["systemctl", "restart", "kubelet"])
    node.wait_healthy()


def look(bed: Testbed, node: Node) -> dict[str, Any]:
    """Return the module's result, from a play of its own."""
    answer = bed.state / "migrated.json"
    tasks = [
        {"name": "Migrate", "configok.node.component_config_migrate": {}, "register": "migrated"},
        {
            "name": "Keep the answer",
            "ansible.builtin.copy": {"content": "{{ migrated | to_json }}", "dest": str(answer), "mode": "0600"},
            "delegate_to": "localhost",
            "vars": {"ansible_connection": "local"},
        },
    ]
    book = bed.state / "migrate.yml"
    book.write_text(yaml.safe_dump([{"hosts": node.name, "gather_facts": False, "tasks": tasks}], sort_keys=False))
    run = finish(start([book.name, "-i", str(bed.inventory)], directory=bed.state, kubeconfig=bed.kubeconfig))
    assert run.code == 0, run.output
    result: dict[str, Any] = json.loads(answer.read_text())
    return result


def test_a_kubelet_keeps_its_values_when_its_flags_move_to_a_file(bed: Testbed) -> None:
    node = bed.nodes[0]
    node.write("/etc/default/kubelet", f'KUBELET_EXTRA_ARGS="{EXTRA}"\n', mode=0o644)
    restart(node)
    before = configz(bed, node)
    assert before["maxPods"] == 60

    result = look(bed, node)
    words = [word for flag in result["flags"] for word in flag["words"]]
    assert words[0] == f"--config={CONFIG_PATHS['kubeadm']}"
    assert not any(word.startswith("--max-pods") for word in words)
    # As a file of one node: the bundle's part, and what belongs to this node alone.
    document = {**yaml.safe_load(result["config"]), **result["instance_config"]}
    node.write(CONFIG_PATHS["kubeadm"], yaml.safe_dump(document), mode=0o644)
    node.write(DROP_IN, f"[Service]\nExecStart=\nExecStart=/usr/bin/kubelet {' '.join(words)}\n", mode=0o644)
    restart(node)
    assert configz(bed, node) == before

    # Once moved, there is nothing more to move.
    again = look(bed, node)
    assert [flag["words"] for flag in again["flags"]] == [flag["words"] for flag in result["flags"]]
    assert again["left"] == []
