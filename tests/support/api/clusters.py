# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of modules and playbooks do with a cluster, apart from the thing under test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access, apply_steps, plan_setup
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from embedded_apiserver.server import EmbeddedApiServer

__all__ = ["SandboxCluster", "look", "prepare"]


def look(client: Client, path: str) -> dict[str, Any] | None:
    """Return the object at path, or None if it does not exist."""
    try:
        return client.get(path)
    except NotFound:
        return None


@dataclass(frozen=True)
class SandboxCluster:
    """An embedded API server, its administrator's client and kubeconfig."""

    server: EmbeddedApiServer
    client: Client
    kubeconfig: str

    def add_node(
        self,
        name: str,
        *,
        version: str = "v1.35.0",
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
    ) -> None:
        """Create a Node that is Ready."""
        body = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": dict(labels or {}), "annotations": dict(annotations or {})},
        }
        self.client.create(paths.NODES, body)
        condition = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
        status = {"status": {"nodeInfo": {"kubeletVersion": version}, "conditions": [condition]}}
        self.client.patch(paths.node_status(name), status, kind="strategic")

    def annotations(self, name: str) -> dict[str, str]:
        """Return the annotations of a Node."""
        return self.client.get(paths.node(name))["metadata"].get("annotations") or {}

    def writes(self) -> list[Any]:
        """Return the requests other than reads since the log was last cleared."""
        return [call for call in self.server.requests.calls() if call.verb not in ("get", "list", "watch")]


def prepare(client: Client, access: Access | None = None) -> None:
    """Make the namespaces and the RBAC objects, as the role cluster does."""
    apply_steps(client, plan_setup(client, access or Access()).steps, dry_run=False)
