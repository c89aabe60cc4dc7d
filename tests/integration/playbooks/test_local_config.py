# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node prints of itself reaches the cluster as it is, and a rollout reports what the node denies."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from support.ansible_runs.playbooks import ROOT, Playbooks, finish, quick_pool, start
from support.api.clusters import prepare
from support.api.servers import Embedded
from support.rollouts.simulated_nodes import SimulatedNodes


def test_a_check_reports_denied_fields_before_anything_is_published(embedded_api: Embedded, tmp_path: Path) -> None:
    client, kubeconfig = embedded_api.client(), embedded_api.admin_kubeconfig
    prepare(client)
    init = {"kind": "KubeletConfiguration", "maxPods": 110, "nodeStatusMaxImages": "{{ lookup('pipe', 'id') }}"}
    printed = {"components": {"kubelet": {"init": init, "instance": {}, "deny": {"additional": ["maxPods"]}}}}
    (tmp_path / "printed.json").write_text(json.dumps(printed))
    tasks = [{"ansible.builtin.include_tasks": str(ROOT / "playbooks/tasks/local_config.yml")}]
    variables = {"__node_agent_command": f"/bin/sh -c 'cat {tmp_path}/printed.json #'"}
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "vars": variables, "tasks": tasks}
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    done = finish(start(["play.yml"], directory=tmp_path, kubeconfig=kubeconfig))
    assert done.code == 0, done.output
    [stored] = [
        item
        for item in client.list(paths.config_maps("configok-rollouts")).items
        if item["metadata"]["name"].startswith("local-config-")
    ]
    assert "lookup('pipe'" in stored["data"]["local-config.json"], "what a node prints is never a template"
    with SimulatedNodes(client) as nodes:
        for number in range(4):
            nodes.add(f"n{number}", local_config=stored["metadata"]["name"].rpartition("-")[2])
        user = Playbooks(tmp_path, kubeconfig)
        user.write(quick_pool(), "maxPods: 60\n")
        refused = user.run("rollout", "--check")
    assert refused.code != 0
    assert "the field is denied" in refused.output
    assert "4 nodes (n0, n1, n2, n3)" in refused.output
    assert client.list(paths.config_maps("configok-system")).items == []
