# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run for Machines in a process of its own, which a test can kill in the middle of a host's change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from ansible_collections.configok.node.plugins.module_utils._rollout._run.host_change import MachineRequest
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from embedded_apiserver.server import EmbeddedApiServer
from support.rollouts.simulated_machines import Declared, MachineWorld, SimulatedHosts
from support.rollouts.simulated_nodes import SimulatedNodes
from support.rollouts.simulated_pods import SimulatedPods
from support.rollouts.world import World

__all__ = ["kill_in_the_middle", "world_of"]


def world_of(client: Client) -> World:
    """Return a world in real time on the API server of a client, whose simulated nodes are not started."""
    return World(
        Clock(), EmbeddedApiServer(), client, SimulatedNodes(client), SimulatedPods(Clock()), lease_duration=2.0
    )


def kill_in_the_middle(machines: MachineWorld, kubeconfig: str, action: str) -> str:
    """Run in another process, and kill it (SIGKILL) in the middle of its first such action. Return the machine."""
    order = {
        "kubeconfig": kubeconfig,
        "name": machines.name,
        "policy": machines.policy,
        "declared": {name: vars(declared) for name, declared in machines.declared.items()},
        "hosts": machines.hosts.hosts,
        "action": action,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(order))
    process.stdin.close()
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if line.startswith("AMID "):
                return line.split()[1]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    raise AssertionError(f"no {action} was begun:\n{''.join(lines)}")


def _declared(value: Mapping[str, Any]) -> Declared:
    taints = tuple((str(key), str(text), str(effect)) for key, text, effect in value["taints"])
    runtime_name, runtime_version = value["runtime"]
    return Declared(**{**value, "taints": taints, "runtime": (runtime_name, runtime_version), "untaint": ()})


def _main() -> None:
    order = json.load(sys.stdin)
    world = world_of(Client(from_kubeconfig(order["kubeconfig"])))
    versions = {name: (was[0], tuple(was[1])) for name, was in order["hosts"].items()}
    hosts = SimulatedHosts(world, seconds=0.2, hosts=versions)

    def amid(request: MachineRequest) -> None:
        if request.action == order["action"]:
            print(f"AMID {request.machine}", flush=True)
            time.sleep(600.0)

    hosts.during = amid
    declared = {name: _declared(value) for name, value in order["declared"].items()}
    machines = MachineWorld(world, hosts, declared, order["policy"], order["name"])
    machines.run()
    print("\n".join(world.lines()))


if __name__ == "__main__":
    _main()
