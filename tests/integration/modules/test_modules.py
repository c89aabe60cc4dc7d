# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules on both API servers: what only a server with all its defaults and admission can show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, KubeError
from ansible_collections.configok.node.plugins.module_utils._kube.parallel import run_parallel
from ansible_collections.configok.node.plugins.modules import cluster_access, config_bundle, config_source
from support.ansible_runs.modules import run_module
from support.api.clusters import prepare
from support.api.servers import ApiServer
from support.configs.kubelet import kubelet_config

COUNT = 200
DOCUMENT = kubelet_config("maxPods: 60")


@pytest.fixture
def many(api: ApiServer, unique: str) -> Iterator[str]:
    """The label selector of many Nodes."""
    client = api.client(pool_size=32)
    names = [f"{unique}-{number:03}" for number in range(COUNT)]

    def create(name: str) -> dict[str, Any]:
        return client.create(paths.NODES, {"metadata": {"name": name, "labels": {"pool": unique}}})

    def delete(name: str) -> dict[str, Any]:
        return client.delete(paths.node(name))

    for function in (create, delete):
        for _name, result in run_parallel(function, names):
            assert not isinstance(result, KubeError), result
        if function is create:
            yield f"pool={unique}"


def _bind_cluster_admin(api: ApiServer, path: str) -> None:
    """Replace one of our bindings with one of cluster-admin."""
    client = api.client()
    binding = client.get(path)
    client.delete(path)
    metadata = {"name": binding["metadata"]["name"], "labels": binding["metadata"]["labels"]}
    role = {**binding["roleRef"], "name": "cluster-admin"}
    client.create(path.rpartition("/")[0], {**binding, "metadata": metadata, "roleRef": role})


def test_access_is_the_same_after_a_second_run(api: ApiServer) -> None:
    arguments = {
        "kubeconfig": api.admin_kubeconfig,
        "node_configz": True,
        "runner_subjects": [
            {"kind": "User", "name": "runner"},
            {"kind": "ServiceAccount", "namespace": "default", "name": "awx"},
        ],
    }
    assert run_module(cluster_access.main, arguments, check=True).get("failed") is None
    assert run_module(cluster_access.main, arguments).get("failed") is None
    again = run_module(cluster_access.main, arguments, diff=True)
    assert again["changed"] is False, again["diff"]
    _bind_cluster_admin(api, paths.cluster_role_binding("configok-runner"))
    for check in (True, False):
        [changed] = run_module(cluster_access.main, arguments, check=check)["objects"]
        assert (changed["kind"], changed["change"]) == ("ClusterRoleBinding", "recreated")
    assert run_module(cluster_access.main, arguments)["changed"] is False
    no_subjects = {"kubeconfig": api.admin_kubeconfig, "node_configz": False, "runner_subjects": []}
    less = run_module(cluster_access.main, no_subjects)
    assert {step["name"] for step in less["objects"]} == {"configok-nodes-configz", "configok-runner"}
    # Not done: a server without controllers would never end to delete the namespaces that other tests use.
    removal = run_module(
        cluster_access.main,
        {"kubeconfig": api.admin_kubeconfig, "state": "absent", "force": True},
        check=True,
    )
    assert removal["changed"] is True
    assert api.client().get(paths.namespace("configok-system"))["status"]["phase"] == "Active"


@pytest.mark.complaint("kubernetes #72510: 1,000 nodes repointed by hand")
def test_many_nodes_in_one_call(api: ApiServer, unique: str, many: str) -> None:
    client = api.client()
    prepare(client)
    arguments: dict[str, Any] = {"kubeconfig": api.admin_kubeconfig}
    bundle = run_module(config_bundle.main, {**arguments, "pool": unique, "documents": {"kubelet": DOCUMENT}})
    arguments.update(label_selector=many, config_source=bundle["config_source"])
    first = run_module(config_source.main, arguments)
    assert sum(result["changed"] for result in first["assignments"]) == COUNT
    assert run_module(config_source.main, arguments)["changed"] is False
    stored = client.list(paths.NODES, label_selector=many, metadata_only=True).items
    assert len({item["metadata"]["annotations"]["configok.dev/config-source"] for item in stored}) == 1
    del arguments["config_source"]
    last = run_module(config_source.main, {**arguments, "state": "absent"})
    assert {result["assignment"] for result in last["assignments"]} == {2}


def test_a_node_identity_reads_bundles_and_nothing_else(api: ApiServer, unique: str) -> None:
    prepare(api.client())
    arguments = {"kubeconfig": api.admin_kubeconfig, "pool": unique, "documents": {"kubelet": DOCUMENT}}
    name = run_module(config_bundle.main, arguments)["bundle"]["name"]
    node = api.client(f"system:node:{unique}", ["system:nodes"])
    path = paths.config_map("configok-system", name)
    assert node.get(path)["data"]["kubelet"] == DOCUMENT
    for refused in (
        lambda: node.list(paths.config_maps("configok-system")),
        lambda: node.delete(path),
        lambda: node.get(paths.config_map("configok-rollouts", unique)),
    ):
        with pytest.raises(Forbidden):
            refused()
