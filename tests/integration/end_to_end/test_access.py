# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node may do, on the real API server: our RBAC adds bundles to read, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import Assignment, assignment_patch
from support.agents.fleet import Fleet
from support.api.servers import Real, start_real

RULES = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
NAMESPACES = ("configok-system", "configok-rollouts", "kube-system", "default")


def rules(node: Client) -> set[tuple[str, str]]:
    """Return what a node may do by RBAC: (namespace, rule) for each resource rule."""
    allowed = set()
    for namespace in NAMESPACES:
        review: dict[str, Any] = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": namespace},
        }
        status = node.create(RULES, review)["status"]
        for rule in status["resourceRules"] + status["nonResourceRules"]:
            allowed.add((namespace, str(sorted((key, sorted(values)) for key, values in rule.items()))))
    return allowed


@pytest.mark.usefixtures("real_api")  # so that its absence is reported as for every other test
def test_our_rbac_gives_nodes_bundles_to_read_and_nothing_else(tmp_path: Path) -> None:
    """On a server of its own: other tests may have prepared the shared one already."""
    with start_real(tmp_path) as api:
        node = api.client("system:node:n1", ["system:nodes"])
        before = rules(node)
        (tmp_path / "pool").mkdir()
        fleet = Fleet(api, None, "workers", [], tmp_path / "pool")
        fleet.write("maxPods: 60")
        provisioned = fleet.user.run("provision", "-e", "provision_hosts=none")
        assert provisioned.code == 0, provisioned.output
        added = rules(node) - before
    assert added == {
        ("configok-system", "[('apiGroups', ['']), ('resources', ['configmaps']), ('verbs', ['get'])]"),
    }


def test_a_node_writes_no_other_node(real_api: Real, unique: str) -> None:
    admin = real_api.client()
    node = real_api.client(f"system:node:{unique}-a", ["system:nodes"])
    for name in (f"{unique}-a", f"{unique}-b"):
        admin.create(paths.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
    body = {"status": {"conditions": [{"type": "ConfigOK", "status": "True", "reason": "x", "message": "x"}]}}
    node.patch(paths.node_status(f"{unique}-a"), body, kind="strategic")
    with pytest.raises(Forbidden):
        node.patch(paths.node_status(f"{unique}-b"), body, kind="strategic")
    with pytest.raises(Forbidden):
        node.patch(paths.node(f"{unique}-b"), assignment_patch(None, Assignment(1)))
    for path in (paths.config_maps("configok-system"), paths.config_maps("configok-rollouts")):
        with pytest.raises(Forbidden):
            node.create(path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": unique}})
        with pytest.raises(Forbidden):
            node.list(path)
