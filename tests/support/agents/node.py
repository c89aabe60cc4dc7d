# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node of real processes: the packed agent, its supervisor and a stub kubelet."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ports import free_port

from ansible_collections.configok.node.plugins.module_utils._agent._state.health import Unit
from fake_systemd import SupervisorError, request, with_programs
from support.configs.kubelet import KUBELET_HEADER
from support.session.patience import LONGEST_WAIT

__all__ = ["COLLECTION", "STUB", "AgentNode", "alive"]

COLLECTION = Path(__file__).resolve().parents[3]
STUB = COLLECTION / "playbooks/files/demo/stub_kubelet.py"
SUPERVISOR = COLLECTION / "playbooks/files/demo/supervisor.py"


class AgentNode:
    """A node in a directory; its processes are started and ended separately."""

    def __init__(
        self,
        directory: Path,
        archive: Path,
        kubeconfig: str,
        command: list[str] | None = None,
        *,
        name: str = "n1",
        component: str = "kubelet",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """command: the command that the supervisor runs instead of the stub kubelet. options: more of the agent's."""
        self.node_name = name
        self.component = component
        self.options = dict(options or {})
        self.directory = directory
        self.archive = archive
        self.state = directory / "state"
        self.run = directory / "run"
        self.config = self.state / f"components/{component}/config.yaml"
        self.starts_log = directory / "starts.log"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        port = free_port()
        instance = f"{KUBELET_HEADER}healthzBindAddress: 127.0.0.1\nhealthzPort: {port}\n"
        for path, text in (("instance.yaml", instance), ("init.yaml", instance + "maxPods: 110\n")):
            (directory / path).write_text(text)
        stub = [sys.executable, str(STUB), f"--config={self.config}", f"--starts-log={self.starts_log}"]
        self.service_command = command or [*stub, f"--kubeconfig={kubeconfig}", f"--hostname-override={name}"]
        self.environment = with_programs(directory / "bin", self.run)
        self.configure(
            kubeconfig=kubeconfig,
            kubelet={
                "version": "v1.35.0",
                "initConfig": str(directory / "init.yaml"),
                "instanceConfig": str(directory / "instance.yaml"),
                "rootDirectory": "",
                "servingProbe": False,
                "hostChecks": False,
            },
        )

    def configure(self, *, kubeconfig: str, kubelet: Mapping[str, Any]) -> None:
        """Write the AgentConfiguration."""
        data = {
            "apiVersion": "agent.config.configok.dev/v1alpha1",
            "kind": "AgentConfiguration",
            "nodeName": self.node_name,
            "kubeconfig": kubeconfig,
            "stateDirectory": str(self.state),
            "runDirectory": str(self.run),
            "settlingTime": "100ms",
            "healthTimeout": "30s",  # all nodes of a machine may start at once
            "probeInterval": "200ms",
            "components": {self.component: kubelet},
            **self.options,
        }
        self._write(data)

    def change(self, edit: Callable[[dict[str, Any]], object]) -> None:
        """Change the AgentConfiguration in place."""
        data = json.loads((self.directory / "agent.yaml").read_text())
        edit(data)
        self._write(data)

    def _write(self, data: Mapping[str, Any]) -> None:
        written = self.directory / "agent.yaml.new"
        written.write_text(json.dumps(data))
        written.replace(self.directory / "agent.yaml")  # at once: a running daemon may read it now

    def command(self, *arguments: str) -> list[str]:
        """Return the command line of the agent on this node."""
        return [sys.executable, "-I", str(self.archive), f"--config={self.directory}/agent.yaml", *arguments]

    def call(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run one of the agent's short commands."""
        environment: dict[str, Any] = {"env": self.environment, **options}
        return subprocess.run(
            self.command(*arguments), capture_output=True, text=True, check=False, timeout=30, **environment
        )

    def supervisor_command(self) -> list[str]:
        """Return the command line of the kubelet's supervisor, whose service it writes."""
        service = self.directory / "service.json"
        service.write_text(json.dumps({"command": self.service_command, "restartDelay": 0.05}))
        options = [f"--config={self.directory}/agent.yaml", f"--service={service}"]
        return [sys.executable, str(SUPERVISOR), *options, self.component, "--", *self.command()]

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Start the ``supervisor`` of the kubelet, or a command of the agent as ``run``; its output goes to a log."""
        command = self.supervisor_command() if name == "supervisor" else self.command(name)
        with (self.directory / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)
        self.processes[name] = process
        return process

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Send a signal to a process and wait for its end."""
        process = self.processes.pop(name)
        process.send_signal(number)
        process.wait(10)

    def ask(self, word: str) -> Unit:
        """Return the supervisor's answer to a command."""
        unit: Unit = request(str(self.run), self.component, word)
        return unit

    def unit(self) -> Unit:
        """Return the state of the unit; "missing" without a supervisor."""
        try:
            return self.ask("unit")
        except SupervisorError:
            return Unit("kubelet.service", "missing")

    def starts(self) -> int:
        """Return how often the stub kubelet was started."""
        return len(self.starts_log.read_text().splitlines()) if self.starts_log.exists() else 0

    def record(self, name: str, uid: str) -> bool:
        """Return whether ``current`` or ``last-known-good`` names a bundle."""
        path = self.state / name
        return path.exists() and uid in path.read_text()

    def logs(self) -> str:
        """Return the output of all processes."""
        return "\n".join(f"--- {path.name}\n{path.read_text()}" for path in sorted(self.directory.glob("*.log")))

    def until(self, what: str, condition: Callable[[], Any], timeout: float = LONGEST_WAIT) -> Any:
        """Wait for a condition and return its value; on a timeout, fail with all logs."""
        deadline = time.monotonic() + timeout
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                pytest.fail(f"not seen in {timeout:g} s: {what}\n{self.logs()}", pytrace=False)
            time.sleep(0.02)

    def until_active(self, *, after: str = "") -> Unit:
        """Wait for an active unit with an invocation other than ``after``."""

        def active() -> Unit | None:
            unit = self.unit()
            return unit if unit.state == "active" and unit.invocation != after else None

        unit: Unit = self.until("kubelet is active", active)
        return unit

    def stop(self) -> None:
        """End all processes."""
        for name in reversed(list(self.processes)):
            self.kill(name, signal.SIGTERM)


def alive(pid: int) -> bool:
    """Return whether the process exists and has not ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stream:
            return stream.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
