# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runner's roles suffice for a rollout on a real API server, and provisioning never revokes them unasked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from support.ansible_runs.playbooks import Playbooks, quick_pool
from support.api.clusters import SandboxCluster, prepare
from support.api.servers import Real
from support.configs.kubelet import KUBELET_HEADER
from support.rollouts.simulated_nodes import SimulatedNodes


@pytest.fixture
def nodes(real_api: Real, unique: str) -> Iterator[list[str]]:
    """Three nodes of a pool of their own, which answer."""
    client = real_api.client()
    names = [f"{unique}-{number}" for number in range(3)]
    with SimulatedNodes(client) as simulated:
        for name in names:
            simulated.add(name, labels={"pool": unique})
        yield names
    for name in names:
        client.delete(paths.node(name))


def test_the_runner_needs_no_more_than_its_roles(real_api: Real, unique: str, nodes: list[str], tmp_path: Path) -> None:
    admin = real_api.client()
    prepare(admin, Access(runner_subjects=({"kind": "User", "name": "runner"},)))
    user = Playbooks(tmp_path, real_api.kubeconfig_for("runner"))
    pool = quick_pool(unique, documents={"kubelet": {**yaml.safe_load(KUBELET_HEADER), "maxPods": 60}})
    del pool["layers"]
    user.write(pool, "")
    done = user.run("rollout")
    assert done.code == 0, done.output
    for name in nodes:
        assert admin.get(paths.node(name))["metadata"]["labels"]["configok.dev/config"] == done.stats["target"]
    reasons = [
        event["reason"]
        for event in admin.list(paths.events("configok-rollouts")).items
        if event["involvedObject"]["name"] == unique
    ]
    assert sorted(reasons) == ["RolloutComplete", "RolloutStarted"]
    runner = real_api.client("runner")
    for refused in (
        lambda: runner.delete(paths.node(nodes[0])),
        lambda: runner.patch(paths.node_status(nodes[0]), {"status": {}}, kind="strategic"),
        lambda: runner.list(paths.config_maps("kube-system")),
        lambda: runner.get(paths.role("configok-system", "configok-nodes")),
        lambda: runner.create(paths.NAMESPACES, {"metadata": {"name": unique}}),
    ):
        with pytest.raises(Forbidden):
            refused()


def test_provisioning_revokes_access_only_on_request(cluster: SandboxCluster, tmp_path: Path) -> None:
    subject = {"kind": "User", "name": "runner"}
    prepare(cluster.client, Access(runner_subjects=(subject,), node_configz=True, bundle_namespaces=("team-a",)))
    user = Playbooks(tmp_path, cluster.kubeconfig)
    done = user.run("provision", "-e", "provision_hosts=none", pool=False)
    assert done.code == 0, done.output
    assert done.changed == 0
    for name in ("configok-runner", "configok-nodes-configz"):
        assert cluster.client.get(paths.cluster_role_binding(name))["subjects"]
    assert cluster.client.get(paths.role_binding("team-a", "configok-runner"))["subjects"]
    asked = user.run("provision", "-e", "provision_hosts=none", "-e", '{"cluster_runner_subjects": []}', pool=False)
    assert asked.code == 0, asked.output
    assert asked.changed == 1
