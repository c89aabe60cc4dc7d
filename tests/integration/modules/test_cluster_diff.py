# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_diff on two real API servers: exactly what was changed by hand, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
)
from ansible_collections.configok.node.plugins.modules import cluster_diff
from support.ansible_runs.modules import run_module
from support.api.clusters import prepare
from support.api.populations import add_node, publish_bundle, publish_configs
from support.api.servers import Real, start_real

COUNT = 6
CONFIG = {"maxPods": 90, "clusterDomain": "cluster.local"}
TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}


class Cluster(NamedTuple):
    """A cluster of identical nodes."""

    kubeconfig: str
    client: Client
    local_config: str


def populated(server: Real, prefix: str) -> Cluster:
    """Return a cluster with nodes that use one bundle."""
    client = server.client()
    prepare(client)
    source = publish_bundle(client, prefix, CONFIG)
    local_config = publish_configs(client, {"maxPods": 50}, {"podsPerCore": 4})
    for number in range(COUNT):
        add_node(
            client,
            f"{prefix}-{number}",
            labels={"pool": prefix, "zone": f"z{number % 2}"},
            taints=[TAINT],
            source=source,
            local_config=local_config,
        )
    return Cluster(server.admin_kubeconfig, client, local_config)


@pytest.fixture(scope="module")
def second_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """Return another real API server, with an etcd of its own."""
    with start_real(tmp_path_factory.mktemp("second")) as server:
        assert isinstance(server, Real)
        yield server


@pytest.fixture
def clusters(real_api: Real, second_server: Real, unique: str) -> Iterator[tuple[Cluster, Cluster]]:
    """Two clusters that are set up alike."""
    pair = populated(real_api, unique), populated(second_server, unique)
    yield pair
    for cluster in pair:
        for number in range(COUNT):
            cluster.client.delete(paths.node(f"{unique}-{number}"))


def move(cluster: Cluster, name: str, source: ConfigSource | None, local_config: str = "") -> None:
    """Let a node use another config, as its agent would."""
    status = ConfigStatus(active=source, assigned=source, local_config=local_config or cluster.local_config)
    annotations = {
        ANNOTATION_CONFIG_STATUS: status.encode(),
        ANNOTATION_CONFIG_SOURCE: None if source is None else source.encode(),
    }
    cluster.client.patch(paths.node(name), {"metadata": {"annotations": annotations}})


def compare(before: Any, after: Any, unique: str, **options: Any) -> dict[str, Any]:
    """Return the result of the module. before, after: clusters, or options of a side."""
    sides = [{"kubeconfig": side.kubeconfig} if isinstance(side, Cluster) else side for side in (before, after)]
    arguments = {"before": sides[0], "after": sides[1], "selector": f"pool={unique}", **options}
    return run_module(cluster_diff.main, arguments, diff=True)


def test_clusters_that_are_set_up_alike_do_not_differ(clusters: tuple[Cluster, Cluster], unique: str) -> None:
    result = compare(*clusters, unique)
    assert (result["differs"], result["machines"], result["notes"], result["changed"]) == (False, [], [], False)
    assert result["lines"] == [f"{COUNT} machines without a difference."]
    assert compare(*clusters, unique, group_by="pool")["differs"] is False


def test_the_difference_is_exactly_what_was_changed_by_hand(clusters: tuple[Cluster, Cluster], unique: str) -> None:
    after = clusters[1]
    client = after.client
    names = [f"{unique}-{number}" for number in range(COUNT)]
    # One label, one taint, two versions, and on three nodes another config: one field of the bundle, one of the
    # instance config, and the init config.
    client.patch(paths.node(names[0]), {"metadata": {"labels": {"zone": "z9"}}})
    client.patch(paths.node(names[1]), {"spec": {"taints": [{**TAINT, "effect": "NoExecute"}]}}, kind="merge")
    versions = {"kubeletVersion": "v1.34.10", "containerRuntimeVersion": "containerd://2.1.4"}
    client.patch(paths.node_status(names[2]), {"status": {"nodeInfo": versions}}, kind="merge")
    changed = publish_bundle(client, unique, {**CONFIG, "clusterDomain": "other.local", "syncFrequency": "60s"})
    move(after, names[3], changed)
    source = ConfigSource.parse(client.get(paths.node(names[4]))["metadata"]["annotations"][ANNOTATION_CONFIG_SOURCE])
    move(after, names[4], source, publish_configs(client, {"maxPods": 50}, {"podsPerCore": 5}))
    move(after, names[5], None)

    result = compare(*clusters, unique)
    differences = {
        entry["before"]: [(d["component"], d["path"], d["before"], d["after"]) for d in entry["differences"]]
        for entry in result["machines"]
    }
    assert differences == {
        names[0]: [("node", "labels[zone]", "z0", "z9")],
        names[1]: [
            ("node", "taints[dedicated:NoExecute]", None, "dedicated=batch:NoExecute"),
            ("node", "taints[dedicated:NoSchedule]", "dedicated=batch:NoSchedule", None),
        ],
        names[2]: [
            ("node", "versions.kubelet", "1.34.9", "1.34.10"),
            ("node", "versions.containerRuntime", "containerd 1.7.24", "containerd 2.1.4"),
        ],
        names[3]: [("kubelet", "clusterDomain", '"cluster.local"', '"other.local"')],
        names[4]: [("kubelet", "podsPerCore", "4", "5")],
        names[5]: [
            ("kubelet", "clusterDomain", '"cluster.local"', None),
            ("kubelet", "maxPods", "90", "50"),
            ("kubelet", "podsPerCore", "4", None),
        ],
    }
    assert (result["only_before"], result["only_after"], result["notes"]) == ([], [], [])
    assert result["disruption"] == "drain"
    assert len(result["diff"]) == COUNT

    client.delete(paths.node(names[0]))
    try:
        assert compare(*clusters, unique)["only_before"] == [names[0]]
    finally:
        add_node(client, names[0], labels={"pool": unique})


def test_a_group_is_compared_by_what_most_have(clusters: tuple[Cluster, Cluster], unique: str) -> None:
    after = clusters[1]
    changed = publish_bundle(after.client, unique, {**CONFIG, "maxPods": 80})
    for number in range(COUNT - 1):
        move(after, f"{unique}-{number}", changed)
    (group,) = compare(*clusters, unique, group_by="pool")["groups"]
    assert (group["group"], group["sizes"]) == (unique, {"before": COUNT, "after": COUNT})
    assert [(d["path"], d["before"], d["after"]) for d in group["differences"]] == [("maxPods", "90", "80")]
    assert group["uneven"] == [f"after: {COUNT - 1} of {COUNT} have the most common config"]


def machine_files(
    directory: Path, unique: str, provider: dict[str, Any] | None = None, **spec: Any
) -> dict[str, list[str]]:
    """Write a Machine for each node, and return them as a side. provider: further fields of their providerConfig."""
    api_version = "machines.configok.dev/v1alpha1"
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": api_version,
            "kind": "Cluster",
            "metadata": {"name": "east"},
            "spec": {"endpoint": "https://10.0.0.10:6443", "kubernetesVersion": "1.34.9"},
        }
    ]
    for number in range(COUNT):
        metadata = {"name": f"{unique}-{number}", "labels": {"pool": unique}}
        values = {
            "cluster": "east",
            "versions": {"kubelet": "1.34.9", "containerRuntime": {"name": "containerd", "version": "1.7.24"}},
            "nodeLabels": {"zone": f"z{number % 2}"},
            "taints": [TAINT],
            "providerConfig": {
                "apiVersion": "provider.configok.dev/v1alpha1",
                "kind": "DebianHost",
                **(provider or {}),
            },
            **spec,
        }
        objects.append({"apiVersion": api_version, "kind": "Machine", "metadata": metadata, "spec": values})
    files = directory / "machines.yaml"
    files.write_text("\n---\n".join(map(json.dumps, objects)))
    return {"machine_files": [str(files)]}


def test_a_cluster_is_compared_with_its_files(clusters: tuple[Cluster, Cluster], unique: str, tmp_path: Path) -> None:
    cluster = clusters[0]
    name = ConfigSource.parse(
        cluster.client.get(paths.node(f"{unique}-0"))["metadata"]["annotations"][ANNOTATION_CONFIG_SOURCE]
    ).name
    reference = {"configMap": {"namespace": "configok-system", "name": name}}
    declared = machine_files(tmp_path, unique, configSource=reference)
    result = compare(declared, cluster, unique)
    assert (result["differs"], result["machines"]) == (False, [])
    cluster.client.patch(paths.node(f"{unique}-1"), {"metadata": {"labels": {"zone": "z7"}}})
    (entry,) = compare(declared, cluster, unique)["machines"]
    assert (entry["before"], entry["differences"][0]["path"], len(entry["differences"])) == (
        f"{unique}-1",
        "labels[zone]",
        1,
    )


def test_the_init_configs_of_files_are_compared_with_those_of_nodes(
    clusters: tuple[Cluster, Cluster], unique: str, tmp_path: Path
) -> None:
    cluster = clusters[0]
    for number in range(COUNT):
        move(cluster, f"{unique}-{number}", None)  # their init config has maxPods: 50
    same = machine_files(tmp_path, unique, {"kubeletConfiguration": {"maxPods": 50}})
    result = compare(same, cluster, unique)
    assert (result["differs"], result["notes"]) == (False, [])

    result = compare(machine_files(tmp_path, unique, {"kubeletConfiguration": {"maxPods": 99}}), cluster, unique)
    assert (result["differs"], result["disruption"], len(result["machines"])) == (True, "restart-may-reject", COUNT)
    assert result["machines"][0]["differences"] == [
        {
            "component": "kubelet",
            "path": "maxPods",
            "before": "99",
            "after": "50",
            "disruption": "restart-may-reject",
        }
    ]
