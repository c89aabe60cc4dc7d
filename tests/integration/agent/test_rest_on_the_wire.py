# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server hears of `configok-agent run` while nothing happens: one watch, no periodic list."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access, apply_steps, plan_setup
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import ANNOTATION_CONFIG_STATUS
from support.api.servers import Embedded

STUB = Path(__file__).resolve().parents[3] / "playbooks/files/demo/stub_kubelet.py"
AGENT = "system:node:n1"
REST = 5.0  # seconds: 25 of the node's probe intervals
SETTLED = 1.0  # seconds without a request of the agent: five probe intervals


@pytest.mark.contract("manners.one-watch")
def test_an_idle_agent_keeps_one_watch_and_sends_no_requests(
    embedded_api: Embedded, make_node: Callable[..., Any], tmp_path: Path
) -> None:
    client, requests = embedded_api.client(), embedded_api.server.requests
    apply_steps(client, plan_setup(client, Access()).steps, dry_run=False)
    # The component heartbeats under a name of its own: what AGENT asks is the agent's.
    component = embedded_api.kubeconfig_for("component", ["system:masters"])
    config = tmp_path / "n1/state/components/kubelet/config.yaml"
    stub = [sys.executable, str(STUB), f"--config={config}", f"--kubeconfig={component}", "--hostname-override=n1"]
    node = make_node(embedded_api.node_kubeconfig("n1"), stub)
    assert config == node.config

    def is_reported() -> bool:
        try:
            conditions = client.get(node_path("n1")).get("status", {}).get("conditions") or []
        except NotFound:
            return False
        return any((condition["type"], condition["status"]) == ("ConfigOK", "True") for condition in conditions)

    node.start("supervisor")
    node.start("run")
    node.until("ConfigOK True", is_reported)
    settle(node, lambda: len(requests.calls(user=AGENT)))
    assert requests.calls(user="component")
    assert requests.count(user=AGENT, verb="watch") == 1
    assert requests.count(user=AGENT, verb="list") == 1  # the watch continues from it

    requests.clear()
    time.sleep(REST)  # that nothing is asked has no event to wait for
    assert requests.calls(user=AGENT) == []

    # It was listening all the time, on that watch: it says again what is taken away.
    client.patch(node_path("n1"), {"metadata": {"annotations": {ANNOTATION_CONFIG_STATUS: None}}})
    node.until("the status again", lambda: requests.count(user=AGENT, verb="patch"))
    assert requests.count(user=AGENT, verb="watch") == 0
    assert requests.count(user=AGENT, verb="list") == 0


def settle(node: Any, count: Callable[[], int]) -> None:
    """Wait until a count has not changed for a while."""
    last, since = count(), time.monotonic()

    def settled() -> bool:
        nonlocal last, since
        if (now := count()) != last:
            last, since = now, time.monotonic()
        return time.monotonic() - since >= SETTLED

    node.until("no more requests of the agent", settled)
