# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A provider whose hosts are files, and the thread that reports them as Nodes, as their kubelets would."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node_status
from support.api.clusters import look
from support.rollouts.simulated_nodes import SimulatedNodes

__all__ = ["ToyHosts"]

PROVIDER: dict[str, Any] = {
    "apiVersion": "machines.configok.dev/v1alpha1",
    "kind": "Provider",
    "metadata": {"name": "toy"},
    "spec": {"apiVersion": "toy.example.com/v1", "kind": "ToyHost", "role": "toy", "capabilities": {"replace": False}},
}
_POLL = 0.05
# The agent's role would change this machine, so the task files of the toy end the play of their host themselves.
_END = {"ansible.builtin.meta": "end_host"}


class ToyHosts:
    """The role toy in a directory of roles, the files of its hosts, and a thread. A context manager.

    A host is the file NAME.json with its versions. What the role did is in the file log, one line each.
    """

    def __init__(self, directory: Path, nodes: SimulatedNodes, *, kubelet: str) -> None:
        self.directory = directory / "hosts"
        self.directory.mkdir()
        self.roles = directory / "roles"
        self._kubelet = kubelet
        self._nodes = nodes
        self._seen: dict[str, str] = {}  # what was reported last, by host
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toy-hosts")
        self._write_role()

    def __enter__(self) -> ToyHosts:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        self._thread.join()

    def add(self, name: str, runtime: str = "1.7.24", **node: Any) -> None:
        """Make a host that has a Node already."""
        self._nodes.add(name, version=f"v{self._kubelet}", **node)
        self._report(name, self._kubelet, runtime)
        text = json.dumps({"kubelet": self._kubelet, "runtime": runtime})
        self._seen[name] = text
        (self.directory / f"{name}.json").write_text(text)

    def break_version(self, kubelet: str) -> None:
        """Let the kubelet of this version start on no host."""
        (self.directory / "broken").write_text(kubelet)

    def refuse(self, sentence: str) -> None:
        """Let the provider refuse every plan."""
        (self.directory / "refusal").write_text(sentence)

    def log(self) -> list[str]:
        """Return what the role did: action, machine, versions."""
        path = self.directory / "log"
        return path.read_text().splitlines() if path.exists() else []

    def host(self, name: str) -> dict[str, str] | None:
        """Return a host, None for one that is not there."""
        path = self.directory / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def _run(self) -> None:
        seen = self._seen
        while not self._stop.wait(_POLL):
            for path in self.directory.glob("*.json"):
                text = path.read_text()
                if text and seen.get(path.stem) != text and self._boot(path.stem, json.loads(text)):
                    seen[path.stem] = text
            for name in seen.keys() - {path.stem for path in self.directory.glob("*.json")}:
                del seen[name]

    def _boot(self, name: str, host: dict[str, str]) -> bool:
        if look(self._nodes.client, f"/api/v1/nodes/{name}") is None:
            self._nodes.add(name, version=f"v{host['kubelet']}", labels={"pool": "none"})
        try:
            self._report(name, host["kubelet"], host["runtime"])
        except NotFound:
            return False
        return True

    def _report(self, name: str, kubelet: str, runtime: str) -> None:
        info = {"kubeletVersion": f"v{kubelet}", "containerRuntimeVersion": f"containerd://{runtime}"}
        patch = {"status": {"nodeInfo": info}}
        self._nodes.client.patch(node_status(name), patch, kind="strategic")

    def _write_role(self) -> None:
        log = f"{self.directory}/log"
        host = f"{self.directory}/{{{{ machine.name }}}}.json"
        line = (
            "echo {{ machine_action }} {{ machine.name }} {{ machine.kubelet_version or '-' }} "
            f"{{{{ machine.runtime.version | default('-') }}}} >> {log}"
        )
        note = {"name": "Note the action", "ansible.builtin.shell": line}
        refuse = {
            "ansible.builtin.set_fact": {
                "machine_refusals": f"{{{{ lookup('ansible.builtin.file', '{self.directory}/refusal', errors='ignore')"
                " | default('', true) | regex_findall('.+') }}"
            }
        }
        versions = (
            f"{{{{ {{'kubelet': machine.kubelet_version or '{self._kubelet}', "
            "'runtime': machine.runtime.version | default('1.7.24', true)} | to_json }}"
        )
        change = {"ansible.builtin.copy": {"dest": host, "content": versions}}
        fail = {
            "name": "Start the kubelet",
            "ansible.builtin.fail": {"msg": "kubelet {{ machine.kubelet_version }} does not start"},
            "when": (
                "machine.kubelet_version == "
                f"lookup('ansible.builtin.file', '{self.directory}/broken', errors='ignore')"
                " | default('', true)"
            ),
        }
        wait = {
            "name": "Wait as long as the test says",
            "ansible.builtin.shell": f"while [ -e {self.directory}/hold ]; do sleep 0.1; done",
        }
        delete = {"ansible.builtin.file": {"path": host, "state": "absent"}}
        files: dict[str, Sequence[dict[str, Any]]] = {
            "validate": [{**task, "when": "machine_action == 'delete'"} for task in (note, wait, delete, _END)],
            "plan": [refuse],
            "create": [note, wait, change, _END],
            "update": [note, wait, fail, change, _END],
            "delete": [],
        }
        tasks = self.roles / "toy/tasks"
        tasks.mkdir(parents=True)
        for name, content in files.items():
            (tasks / f"{name}.yml").write_text(yaml.safe_dump(list(content), sort_keys=False))
