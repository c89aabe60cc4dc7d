# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Kubernetes node of a testbed: its machine, and its Node in the API."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    read_condition,
    read_status,
)
from support.ansible_runs.playbooks import PlaybookRun
from support.session.patience import LONGEST_WAIT

from ._commands import CommandFailed
from ._machine import Machine
from ._units import BARE, CONTROL_PLANE

__all__ = ["Node", "NodeSpec"]

_POLL = 0.1
_WRITE = 'umask 022; mkdir -p "${1%/*}" && cat > "$1" && chmod "$2" "$1"'
# The message that systemd logs when a unit's start is done.
_STARTED = "39f53479d3a045ac8e11786248231fbf"


@dataclass(frozen=True)
class NodeSpec:
    """The specification of a node. layout: one of `_units.LAYOUTS`, BARE or CONTROL_PLANE."""

    name: str
    distribution: str = "bookworm"
    layout: str = "kubeadm"

    @property
    def is_bare(self) -> bool:
        return self.layout == BARE

    @property
    def is_control_plane(self) -> bool:
        return self.layout == CONTROL_PLANE

    @property
    def group(self) -> str:
        """The group of the inventory."""
        return "bare" if self.is_bare else "control_plane" if self.is_control_plane else "nodes"

    @property
    def unit_layout(self) -> str:
        """The layout of the kubelet's unit."""
        return "kubeadm" if self.is_control_plane else self.layout


class Node:
    """A node. Commands, files and waits need no network, so they also work on a node that is cut off."""

    def __init__(self, spec: NodeSpec, machine: Machine, client: Client, provision: Callable[..., PlaybookRun]) -> None:
        """provision: runs the playbook of the given name for this node, with variables, check and diff."""
        self.spec = spec
        self.name = spec.name
        self.address = machine.link.address
        self.machine = machine
        self._client = client
        self._play = provision

    def __repr__(self) -> str:
        return f"<Node {self.name} {self.spec.distribution} {self.spec.layout} {self.address}>"

    def run(
        self, command: Sequence[str], *, check: bool = True, timeout: float = LONGEST_WAIT, text: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as root, with text on its standard input. check: raise CommandFailed unless it ends with 0."""
        return self.machine.run(command, check=check, timeout=timeout, text=text)

    def write(self, path: str, text: str, mode: int = 0o600) -> None:
        """Write a file in place, and make the directories that it needs."""
        self.run(["sh", "-c", _WRITE, "sh", path, f"{mode:04o}"], text=text)

    def read(self, path: str) -> str:
        """Return the text of a file. Raises CommandFailed if it is missing."""
        return self.run(["cat", path]).stdout

    def exists(self, path: str) -> bool:
        """Return whether the path exists."""
        return self.run(["test", "-e", path], check=False).returncode == 0

    def agent_pid(self) -> str:
        """Return the PID of the agent's daemon."""
        return self.run(["systemctl", "show", "--value", "--property=MainPID", "configok-agent"]).stdout.strip()

    def resident_mb(self, pid: str) -> float:
        """Return the resident memory of a process in MB (10^6 bytes)."""
        lines = self.read(f"/proc/{pid}/status").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) * 1024 / 1e6

    def get(self) -> dict[str, Any]:
        """Return the Node. Raises KubeError."""
        return self._client.get(paths.node(self.name))

    def wait(self, what: str, question: Callable[[], Any], timeout: float = LONGEST_WAIT, poll: float = _POLL) -> Any:
        """Call ``ask`` until its value is true, and return it. Errors of the API are retried.

        Raises TimeoutError with the expectation and the last observation.
        """
        deadline = time.monotonic() + timeout
        while True:
            try:
                answer = question()
                if answer:
                    return answer
                seen = f"the answer was {answer!r}"
            except KubeError as error:
                seen = str(error)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.name}: no {what} within {timeout:.0f} s; at last {seen}; {self._told()}")
            time.sleep(poll)

    def wait_ready(self, timeout: float = LONGEST_WAIT) -> None:
        """Wait until its Node is Ready."""

        def ready() -> bool:
            conditions = (self.get().get("status") or {}).get("conditions") or []
            return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)

        self.wait("Node that is Ready", ready, timeout)

    def wait_healthy(self, timeout: float = LONGEST_WAIT) -> None:
        """Wait until the kubelet's own health endpoint answers ok."""
        probe = (
            "import sys, urllib.request; "
            "sys.exit(urllib.request.urlopen('http://127.0.0.1:10248/healthz', timeout=2).status != 200)"
        )
        ask = ["python3", "-c", probe]
        self.wait("healthy kubelet", lambda: self.run(ask, check=False).returncode == 0, timeout)

    def wait_config_ok(
        self, status: str, timeout: float = LONGEST_WAIT, assignment: int | None = None
    ) -> dict[str, Any]:
        """Wait until ConfigOK has this status and, if assignment is given, answers it; return the condition."""

        def condition() -> dict[str, Any] | None:
            node = self.get()
            condition = read_condition(node)
            if condition is None or condition["status"] != status:
                return None
            answered = read_status(node)
            if assignment is not None and (answered is None or answered.assignment != assignment):
                return None
            return condition

        answer: dict[str, Any] = self.wait(
            f"ConfigOK {status}" + ("" if assignment is None else f" to assignment {assignment}"), condition, timeout
        )
        return answer

    def kubelet_starts(self) -> int:
        """Return how often systemd has started kubelet.service since the node booted."""
        self.run(["journalctl", "--sync"])
        output = self.run(
            ["journalctl", "--boot", "--quiet", "--output=cat", f"MESSAGE_ID={_STARTED}", "UNIT=kubelet.service"],
            check=False,
        )
        return len(output.stdout.splitlines())

    def reboot(self, timeout: float = LONGEST_WAIT) -> None:
        """Reboot it cleanly, and wait until it has booted (not until its Node is Ready)."""
        self.machine.reboot(timeout)

    def power_cut(self) -> None:
        """Cut its power. All written data stays, even without fsync: see support.agents.lossy_disk."""
        self.machine.power_cut()

    def boot(self, timeout: float = LONGEST_WAIT) -> None:
        """Switch it on again, and wait until it has booted (not until its Node is Ready)."""
        self.machine.boot(timeout)

    def partition(self) -> None:
        """Disconnect it from the network: packets are lost, connections hang."""
        self.machine.link.down()

    def heal(self) -> None:
        """Connect it to the network again."""
        self.machine.link.up()

    def provision(self, *, check: bool = False, diff: bool = False, **role_vars: Any) -> PlaybookRun:
        """Run the playbook configok.node.provision for this node only. role_vars: variables of the role node.

        check, diff: as ansible-playbook's options. Raises CommandFailed with the output if the playbook fails.
        """
        return self._checked(self.play("provision", role_vars, check=check, diff=diff))

    def remove(self, **role_vars: Any) -> PlaybookRun:
        """Remove the agent from this node with the playbook configok.node.remove."""
        return self._checked(self.play("remove", {"cluster_force": True, **role_vars}))

    def play(
        self, playbook: str, variables: Mapping[str, Any] | None = None, *, check: bool = False, diff: bool = False
    ) -> PlaybookRun:
        """Run the playbook configok.node.<name> for this node only, and ignore its outcome."""
        return self._play(playbook, self.name, variables or {}, check=check, diff=diff)

    def _checked(self, run: PlaybookRun) -> PlaybookRun:
        if run.code != 0:
            raise CommandFailed(f"{self.name}: the playbook ended with {run.code}: {run.output[-4000:]}")
        return run

    def _told(self) -> str:
        """Return diagnostics for a wait that timed out."""
        if not self.machine.is_running:
            return "the machine is switched off"
        lines = ["--unit=kubelet.service", "--unit=configok-agent.service", "--lines=8", "--output=cat", "--no-pager"]
        journal = self.run(["journalctl", "--boot", *lines], check=False).stdout
        try:
            condition = read_condition(self.get())
        except KubeError as error:
            return f"{error}; the journal ends with: {journal}"
        return f"ConfigOK: {condition}; the journal ends with: {journal}"
