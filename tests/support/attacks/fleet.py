# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes under attack: real agents on a real API server, some without a layer and some with it.

Both kinds get the same assignment by the same identity, so each attempt shows both sides at once.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    assignment_patch,
    next_id,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ConfigStatus,
    read_condition,
    read_status,
)
from support.agents.node import AgentNode
from support.api.servers import ApiServer

__all__ = ["Answer", "Fleet"]

_WITHOUT_FLAGS = str(Path(__file__).with_name("without_flags.py"))
_LONGEST = 40.0  # seconds until a node answers, on a machine under load
_CHANGING = ("Adopting", "FetchFailed", "")


class Answer(NamedTuple):
    """How a node has answered an assignment. status: of the condition."""

    status: str
    reason: str
    structured: ConfigStatus

    @property
    def uid(self) -> str:
        """Return the UID of the bundle that the node uses, "" for its local config."""
        return self.structured.active.uid if self.structured.active else ""

    @property
    def cause(self) -> str:
        """Return the cause in the structured status."""
        return self.structured.cause


class Fleet:
    """Nodes of real processes. A context manager that ends them, and deletes their Nodes."""

    def __init__(self, api: ApiServer, archive: Path) -> None:
        self.api = api
        self.admin = api.client()
        self.nodes: dict[str, AgentNode] = {}
        self._archive = archive
        self._directory = Path(tempfile.mkdtemp(prefix="cko-"))  # short, for sockets

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_error: object) -> None:
        for node in self.nodes.values():
            node.stop()
        for name in self.nodes:
            try:
                self.admin.delete(paths.node(name))
            except NotFound:
                continue
        self.admin.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def add(
        self,
        name: str,
        *,
        component: str = "kubelet",
        kubelet: Mapping[str, Any] | None = None,
        command: list[str] | None = None,
        hidden: bool = False,
        register: bool = False,
        **options: Any,
    ) -> AgentNode:
        """Start a node.

        kubelet: more fields of the component in its AgentConfiguration. command: what is run instead of the stub.
        hidden: the stub's process shows no flags.
        register: create the Node, since the component does not.
        options: more fields of the AgentConfiguration.
        """
        directory = self._directory / name
        directory.mkdir()
        kubeconfig = self.api.node_kubeconfig(name)
        node = AgentNode(directory, self._archive, kubeconfig, command, name=name, component=component, options=options)
        if kubelet:
            node.change(lambda data: data["components"][component].update(kubelet))
        if hidden:
            # The agent reads the flags once the component answers, when they are hidden.
            node.service_command.insert(1, _WITHOUT_FLAGS)
            port = yaml.safe_load((directory / "instance.yaml").read_text())["healthzPort"]
            url = f"http://127.0.0.1:{port}/healthz"
            node.change(lambda data: data["components"][component].update(healthURL=url))
        if register:
            self.admin.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        self.nodes[name] = node
        node.start("supervisor")
        node.start("run")
        return node

    def wait_until_ready(self) -> None:
        """Wait until all nodes report ConfigOK True."""
        for name, node in self.nodes.items():
            node.until(f"{name}: ConfigOK True", partial(self._is_ready, name), _LONGEST)

    def _is_ready(self, name: str) -> bool:
        return self.answer(name).status == "True"

    def answer(self, name: str) -> Answer:
        """Return what a node reports."""
        try:
            node = self.admin.get(paths.node(name))
        except NotFound:
            node = {}
        condition = read_condition(node) or {}
        return Answer(condition.get("status", ""), condition.get("reason", ""), read_status(node) or ConfigStatus())

    def publish(self, bundle: Mapping[str, Any], client: Client | None = None) -> ConfigSource:
        """Create a bundle, as the administrator or as the client's identity."""
        created = (client or self.admin).create(paths.config_maps(bundle["metadata"]["namespace"]), dict(bundle))
        metadata = created["metadata"]
        return ConfigSource(metadata["namespace"], metadata["name"], metadata["uid"])

    def assign(
        self,
        source: ConfigSource | None,
        names: Sequence[str],
        client: Client | None = None,
        *,
        forget_bad: bool = False,
        path: Callable[[str], str] = paths.node_status,
    ) -> dict[str, int]:
        """Assign to nodes, by a patch of nodes/status unless path says otherwise. Return the ids by node."""
        ids = {}
        for name in names:
            annotations = self.admin.get(paths.node(name))["metadata"].get("annotations") or {}
            ids[name] = next_id(annotations, self.answer(name).structured.assignment)
            patch = assignment_patch(source, Assignment(ids[name], forget_bad))
            (client or self.admin).patch(path(name), patch)
        return ids

    def answers(self, ids: Mapping[str, int]) -> dict[str, Answer]:
        """Wait until each node has answered the assignment of this id, and return the answers."""
        deadline = time.monotonic() + _LONGEST
        done: dict[str, Answer] = {}
        while len(done) < len(ids):
            for name in set(ids) - set(done):
                answer = self.answer(name)
                if answer.structured.assignment >= ids[name] and answer.cause not in _CHANGING:
                    done[name] = answer
            if time.monotonic() > deadline:
                late = {name: self.answer(name) for name in set(ids) - set(done)}
                logs = "\n".join(self.nodes[name].logs()[-3000:] for name in late)
                raise AssertionError(f"not answered in {_LONGEST:g} s: {late}\n{logs}")
            time.sleep(0.05)
        return done

    def effective(self, name: str) -> Any:
        """Return the file that the component of a node reads."""
        return yaml.safe_load(self.nodes[name].config.read_text())
