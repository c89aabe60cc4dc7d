# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubeconfig that names another server: the agent that runs reads it again, without a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NODES
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from support.api.servers import Embedded

NOBODY = "https://127.0.0.1:9"


def test_the_agent_reports_to_the_server_of_a_repaired_kubeconfig(
    embedded_api: Embedded, make_node: Callable[..., Any], tmp_path: Path
) -> None:
    good = Path(embedded_api.node_kubeconfig("n1")).read_text()
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(good)
    node = make_node(str(kubeconfig))
    node.start("supervisor")  # the kubelet has read it, and registers its Node
    client = embedded_api.client()

    def is_reported() -> bool:
        conditions = client.get(node_path("n1")).get("status", {}).get("conditions") or []
        return any(condition["type"] == "ConfigOK" and condition["status"] == "True" for condition in conditions)

    node.until("the Node is there", lambda: client.list(NODES).items)
    assert embedded_api.url in good
    kubeconfig.write_text(good.replace(embedded_api.url, NOBODY))
    node.start("run")
    node.until("the agent has found nobody", lambda: "cannot be" in (node.directory / "run.log").read_text())
    kubeconfig.write_text(good)
    node.until("ConfigOK True", is_reported)
