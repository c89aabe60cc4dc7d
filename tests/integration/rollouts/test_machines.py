# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts of Machines on the real API server, in real time; a runner is killed in the middle of a host's change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from support.api.clusters import prepare
from support.api.real_pods import RealPods
from support.api.servers import Real
from support.rollouts.machine_process import kill_in_the_middle, world_of
from support.rollouts.simulated_machines import NEW, OLD, MachineWorld

POLICY: dict[str, Any] = {
    "canary": {"count": 1, "soak": "200ms"},
    "waves": ["100%"],
    "soak": "0s",
    "maxUnavailable": 1,
    "nodeTimeout": "5s",
    "restartDelay": "1s",
    "timeToCrash": "100ms",
    "healthTimeout": "500ms",
    "drain": {"force": True, "timeout": "30s"},
}
TAINT = ("dedicated", "db", "NoSchedule")


@pytest.fixture
def machines(real_api: Real, unique: str) -> Iterator[MachineWorld]:
    """Four machines of this test alone, and the agents of their Nodes."""
    client = real_api.client()
    prepare(client)
    world = world_of(client)
    with world.nodes:
        own = MachineWorld.of(world, 0, **POLICY)
        own.name, own.hosts.seconds = unique, 0.2
        for number in range(4):
            name = f"{unique}-{number}"
            own.declare(name)
            own.hosts.add(name, own.declared[name])
        yield own
        for name in own.views():
            client.delete(node(name))
    client.close()


def finish(machines: MachineWorld) -> None:
    """Assert that a run ends well, that all machines are as declared, and that nothing is left to do."""
    results = machines.run()
    assert results[-1].phase == "Complete", "\n".join(machines.world.lines())
    assert machines.lacking() == {}
    assert machines.hosts.errors == []
    assert machines.run() == []


def names_of(machines: MachineWorld) -> list[str]:
    return sorted(machines.declared)


def test_every_kind_of_change_in_one_run(machines: MachineWorld, real_api: Real, unique: str) -> None:
    first, second, third, last = names_of(machines)
    machines.declare(labels={"a": "b"})
    finish(machines)
    before = {name: view.uid for name, view in machines.views().items()}
    machines.declare(first, kubelet=NEW)
    machines.declare(second, labels={"a": None, "disk": "ssd"}, taints=(TAINT,))
    machines.declare(third, provider="p2")
    machines.declare(last, present=False)
    machines.declare(f"{unique}-new", kubelet=NEW, labels={"disk": "ssd"}, taints=(TAINT,))
    with RealPods(real_api, first) as pods:
        pods.add("web")
        finish(machines)
        assert pods.items() == []
    actions: dict[str, list[str]] = {}
    for name, action, _version in machines.hosts.calls:
        actions.setdefault(name, []).append(action)
    assert actions == {
        first: ["update"],
        third: ["delete", "create"],
        last: ["delete"],
        f"{unique}-new": ["create"],
    }
    after = {name: view.uid for name, view in machines.views().items()}
    assert after[third] != before[third]
    assert (after[first], after[second]) == (before[first], before[second])
    with pytest.raises(NotFound):
        machines.world.nodes.view(last)


def test_a_version_that_never_gets_ready_is_taken_back(machines: MachineWorld) -> None:
    machines.hosts.broken.add(NEW)
    machines.declare(kubelet=NEW)
    result = machines.run()[-1]
    assert result.phase == "Halted", "\n".join(machines.world.lines())
    assert f"; it is back on kubelet {OLD}" in result.failed_nodes[0].reason
    views = machines.views().values()
    assert [(view.system.kubelet_version, view.ready, view.unschedulable) for view in views] == [
        (f"v{OLD}", True, False)
    ] * 4
    assert machines.record().bad_configs[0].confirmed


@pytest.mark.parametrize("action", ["update", "create", "delete"])
def test_a_run_that_is_killed_in_the_middle_of_a_host_is_continued(
    machines: MachineWorld, real_api: Real, unique: str, action: str
) -> None:
    first, second = names_of(machines)[:2]
    if action == "update":
        machines.declare(first, second, kubelet=NEW)
    elif action == "create":
        machines.declare(f"{unique}-new", kubelet=NEW)
    else:
        machines.declare(second, present=False)
    name = kill_in_the_middle(machines, real_api.admin_kubeconfig, action)
    assert machines.rollout().phase == "Canary"
    finish(machines)
    assert machines.hosts.calls[0][:2] == (name, action), "what was half done is done again, before anything else"
