# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs nodes in a sandbox: for each a real agent, a supervisor and a stub kubelet, on one machine, without root.

The demo and the tests use it, against the embedded API server or a real one: it only needs a kubeconfig for each node.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ports import free_ports

from fake_systemd import with_programs
from lifetime import end_with_parent
from product import load

HERE = Path(__file__).resolve().parent
COMPONENT = HERE / "stub_kubelet.py"
SUPERVISOR = HERE / "supervisor.py"
HEAD = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"


@dataclass(frozen=True)
class Timing:
    """How fast a sandbox node lives; a real node's defaults are minutes."""

    settling_time: str = "200ms"
    health_timeout: str = "30s"  # with room: a machine that is busy with other tests takes seconds for a start
    probe_interval: str = "500ms"
    restart_delay: float = 0.2  # seconds


@dataclass
class SandboxNode:
    """One node: its directory, and the processes of its agent and its component's supervisor."""

    name: str
    directory: Path
    agent: list[str]
    health_port: int
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def configuration(self) -> Path:
        """The node's AgentConfiguration."""
        return self.directory / "agent.yaml"

    @property
    def run_directory(self) -> Path:
        """The agent's run directory, /run/configok on a real node."""
        return self.directory / "run"

    @property
    def state(self) -> Path:
        """The agent's state directory, /var/lib/configok on a real node."""
        return self.directory / "state"

    def start(self, role: str) -> None:
        """Start ``agent`` (the daemon) or ``supervisor`` (which starts the component)."""
        config = f"--config={self.configuration}"
        commands = {
            "agent": [*self.agent, "run", config],
            "supervisor": [
                *(sys.executable, str(SUPERVISOR), config, f"--service={self.directory}/service.json"),
                *("kubelet", "--", *self.agent),
            ],
        }
        with open(self.directory / f"{role}.log", "ab") as log:
            self.processes[role] = subprocess.Popen(
                commands[role],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment(),
                start_new_session=True,  # Ctrl-C is for the demo, which stops them
                preexec_fn=end_with_parent(),  # also if it is killed
            )

    def kill(self, role: str) -> None:
        """End one of the two as a power cut would."""
        process = self.processes.pop(role)
        process.kill()
        process.wait()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run another command of the agent on this node, as ``status --json``."""
        command = [*self.agent, *arguments, f"--config={self.configuration}"]
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, env=self._environment())

    def _environment(self) -> dict[str, str]:
        return with_programs(self.directory / "bin", self.run_directory)

    def component_starts(self) -> int:
        """Return the number of starts of the component since the sandbox began."""
        log = self.directory / "starts.log"
        return len(log.read_text().splitlines()) if log.exists() else 0


class Sandbox:
    """Nodes that are started and stopped together."""

    def __init__(
        self,
        directory: Path,
        agent: list[str],
        kubeconfig_for: Callable[[str], Path],
        *,
        timing: Timing | None = None,
    ) -> None:
        """directory: an empty one, short (its sockets' paths have 107 characters). agent: the command configok-agent.

        kubeconfig_for: returns the path of a kubeconfig with the identity system:node:<name>.
        """
        self.directory = directory
        self.agent = agent
        self.timing = timing or Timing()
        self.nodes: dict[str, SandboxNode] = {}
        self._kubeconfig_for = kubeconfig_for

    def add(self, names: list[str], *, pool: str = "workers", zones: int = 3) -> list[SandboxNode]:
        """Provision nodes and start them, labelled example.com/pool: what the role ``node`` does on a real machine."""
        added = []
        for index, (name, port) in enumerate(zip(names, free_ports(len(names)))):
            zone = f"zone-{'abcdefgh'[index % zones]}"
            node = self._provision(name, port, f"example.com/pool={pool},topology.kubernetes.io/zone={zone}")
            node.start("supervisor")
            node.start("agent")
            self.nodes[name] = node
            added.append(node)
        return added

    def _provision(self, name: str, port: int, labels: str) -> SandboxNode:
        node = SandboxNode(name, self.directory / name, self.agent, port)
        node.directory.mkdir(parents=True)
        # Fields that no two nodes can share: on a real node addresses and provider id, here the port.
        instance = f"healthzBindAddress: 127.0.0.1\nhealthzPort: {port}\n"
        (node.directory / "instance.yaml").write_text(HEAD + instance)
        (node.directory / "init.yaml").write_text(HEAD + instance + "maxPods: 110\n")
        kubeconfig = self._kubeconfig_for(name)
        component = [sys.executable, str(COMPONENT)]
        config = {
            "apiVersion": "agent.config.configok.dev/v1alpha1",
            "kind": "AgentConfiguration",
            "nodeName": name,
            "kubeconfig": str(kubeconfig),
            "stateDirectory": str(node.state),
            "runDirectory": str(node.run_directory),
            "settlingTime": self.timing.settling_time,
            "healthTimeout": self.timing.health_timeout,
            "probeInterval": self.timing.probe_interval,
            "components": {
                "kubelet": {
                    "initConfig": str(node.directory / "init.yaml"),
                    "instanceConfig": str(node.directory / "instance.yaml"),
                    "versionCommand": [*component, "--version"],
                    "rootDirectory": "",  # a stub has no state files, and needs nothing of the host
                    "hostChecks": False,
                    "servingProbe": False,
                }
            },
        }
        node.configuration.write_text(json.dumps(config, indent=2))
        node.configuration.chmod(0o600)
        command = [
            *component,
            f"--config={node.state}/components/kubelet/config.yaml",
            f"--kubeconfig={kubeconfig}",
            f"--hostname-override={name}",
            f"--node-labels={labels}",
            f"--starts-log={node.directory}/starts.log",
        ]
        service = {"command": command, "restartDelay": self.timing.restart_delay}
        (node.directory / "service.json").write_text(json.dumps(service))
        return node

    def stop(self) -> None:
        """End every process that was started here, politely first."""
        processes = [process for node in self.nodes.values() for process in node.processes.values()]
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 10
        for process in processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for node in self.nodes.values():
            node.processes.clear()


def processes_below(directory: Path) -> list[str]:
    """Return the processes whose command lines name this directory, as "pid command"."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue  # it has ended
        if str(directory) in command:
            processes.append(f"{path.parent.name} {command}")
    return processes


def pack_agent(collection: Path, target: Path) -> list[str]:
    """Pack configok-agent into ``target`` and compile it as the role ``node`` does; return its command."""
    pack = load("_pack", below="plugin_utils")
    target.write_bytes(pack.pack(collection))
    agent = [sys.executable, "-I", str(target)]
    subprocess.run([*agent, "compile"], check=True, capture_output=True)
    return agent
