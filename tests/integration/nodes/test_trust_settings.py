# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role node sets whose bundles a real node trusts: nothing is restarted for it, not even the agent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import read_status
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import config_map_name
from support.ansible_runs.playbooks import PlaybookRun
from support.machines import Node, NodeSpec, Testbed, Unavailable
from support.session.unavailable import leave_out
from support.trust.signing import make_key

CONFIGURATION = "/etc/configok/agent.yaml"


@pytest.fixture
def bed() -> Iterator[Testbed]:
    """A provisioned node."""
    try:
        started = Testbed.start("trust-settings", [NodeSpec("plain", layout="plain")])
    except Unavailable as problem:
        leave_out(problem)
    with started:
        started.nodes[0].provision()
        yield started


def agent(node: Node) -> str:
    """Return what a restart of the agent would change, but not a reload."""
    properties = "--property=MainPID,InvocationID,ExecMainStartTimestampMonotonic,NRestarts"
    return node.run(["systemctl", "show", properties, "configok-agent.service"]).stdout


def changed(run: PlaybookRun, node: Node) -> str:
    [line] = [line for line in run.output.splitlines() if line.startswith(f"{node.name} ") and "changed=" in line]
    return line.split("changed=")[1].split()[0]


@pytest.mark.slow
def test_a_change_of_trust_restarts_nothing(bed: Testbed, tmp_path: Path) -> None:
    [node] = bed.nodes
    alice, bob = make_key(tmp_path, "alice"), make_key(tmp_path, "bob")
    trust: dict[str, Any] = {
        "node_trust_mode": "warn",
        "node_trust_pools": ["workers"],
        "node_trust_clusters": ["testbed"],
        "node_trust_keys": [alice.line],
    }
    before, starts, text = agent(node), node.kubelet_starts(), node.read(CONFIGURATION)
    assert "trust" not in json.loads(text)

    refused = node.play("provision", {**trust, "node_trust_pools": []})
    assert refused.code != 0
    assert "trust.pools must name the pools of this node, because mode is warn" in refused.output
    assert node.play("provision", {**trust, "node_trust_mode": "always"}).code != 0
    looked = node.provision(check=True, diff=True, **trust)
    assert alice.line in looked.output
    assert node.read(CONFIGURATION) == text

    node.provision(**trust)
    assert json.loads(node.read(CONFIGURATION))["trust"]["keys"] == [alice.line]
    assert changed(node.provision(**trust), node) == "0"
    rotated = {**trust, "node_trust_mode": "require", "node_trust_keys": [bob.line], "node_trust_revoked": [alice.line]}
    node.provision(**rotated)
    assert (agent(node), node.kubelet_starts()) == (before, starts)
    status = read_status(node.get())
    assert status is not None
    assert status.trust is not None
    assert status.trust.mode == "require"
    published = bed.client.get(config_map("configok-rollouts", config_map_name(status.local_config) or ""))
    assert json.loads(published["data"]["local-config.json"])["trust"]["keys"] == [bob.line]

    node.provision(**{**trust, "node_trust_mode": False}, node_agent_options={"healthTimeout": "3m"})
    assert agent(node) == before, "the agent has started again in the same process"
    journal = node.run(["journalctl", "--unit=configok-agent.service", "--output=cat", "--no-pager"]).stdout
    assert journal.count("the agent's own config has changed, the agent starts again") == 1
    assert node.kubelet_starts() == starts
