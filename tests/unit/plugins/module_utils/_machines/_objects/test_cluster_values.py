# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows from a Cluster is in every node's config, and another value elsewhere is an error."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines
from ansible_collections.configok.node.plugins.module_utils._machines._objects.cluster_values import (
    cluster_contradictions,
    cluster_kubelet_config,
    missing_cluster_values,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    Cluster,
    Machine,
    ProviderConfig,
)
from support.machine_files import cluster, debian_host, machine, machine_set, text_of

EAST = Cluster("east", cluster_dns=("10.96.0.10",), dns_domain="cluster.local", origin="m.yaml:9")
NETWORK = {"clusterDNS": ["10.96.0.10"], "dnsDomain": "cluster.local"}
HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}


def test_the_init_config_has_the_values_of_the_cluster_and_of_the_provider() -> None:
    config = ProviderConfig("x", "y", {"kubeletConfiguration": {"maxPods": 50, "clusterDomain": "cluster.local"}})
    assert cluster_kubelet_config(EAST, Machine("a", "east", config)) == {
        **HEAD,
        "clusterDNS": ["10.96.0.10"],
        "clusterDomain": "cluster.local",
        "maxPods": 50,
    }
    assert cluster_kubelet_config(Cluster("west"), Machine("a", "west", ProviderConfig("x", "y"))) == HEAD


@pytest.mark.parametrize(
    ("config", "fields"),
    [
        ({}, []),
        ({"clusterDNS": ["10.96.0.10"]}, []),
        ({"clusterDNS": [], "clusterDomain": ""}, []),
        ({"clusterDNS": ["10.0.0.1"]}, ["clusterDNS"]),
        ({"clusterDNS": ["10.96.0.10", "10.0.0.1"], "clusterDomain": "x"}, ["clusterDNS", "clusterDomain"]),
    ],
)
def test_contradictions_name_both_places(config: dict[str, object], fields: list[str]) -> None:
    sentences = cluster_contradictions(EAST, config, "bundle kube-system/a")
    assert [sentence.split(": ")[1] for sentence in sentences] == fields
    for sentence in sentences:
        assert sentence.startswith("bundle kube-system/a: ")
        assert "Cluster east (m.yaml:9): change one of them" in sentence
    assert cluster_contradictions(Cluster("west"), config, "x") == []


def test_a_bundle_without_the_values_is_reported() -> None:
    assert missing_cluster_values(EAST, {"clusterDomain": "x"}, "bundle a/b") == [
        'bundle a/b: clusterDNS: is not set, and spec.network.clusterDNS of Cluster east is ["10.96.0.10"]: nodes with'
        " this config do not have it, unless their instance config sets it"
    ]


def test_a_file_that_contradicts_itself_is_refused() -> None:
    fields = {"clusterDomain": "other", "maxPods": -3, "maxPod": 1}
    hosts = ({"name": "a", "kubeletConfiguration": {"clusterDomain": "x"}}, {"name": "b"})
    text = text_of(
        cluster(network=NETWORK),
        machine(providerConfig=debian_host(kubeletConfiguration=fields)),
        machine_set(*hosts, providerConfig=debian_host(kubeletConfiguration={"maxPods": "3"})),
    )
    with pytest.raises(InvalidMachines) as raised:
        read_catalog({"m.yaml": text})
    field = "spec.providerConfig.kubeletConfiguration"
    assert raised.value.errors == (
        f"m.yaml:3: Machine worker-1: {field}.maxPod: 1: unknown field of KubeletConfiguration, did you mean maxPods?",
        f"m.yaml:3: Machine worker-1: {field}.maxPods: -3: must be >= 0",
        f'm.yaml:3: Machine worker-1: {field}.clusterDomain: "other": must be "cluster.local", which follows from'
        " spec.network.dnsDomain of Cluster east (m.yaml:1): change one of them",
        f'm.yaml:5: MachineSet workers: spec.template.{field}.maxPods: "3": must be a whole number, without quotes',
        'm.yaml:5: MachineSet workers: spec.hosts[0].kubeletConfiguration.clusterDomain: "x": must be "cluster.local",'
        " which follows from spec.network.dnsDomain of Cluster east (m.yaml:1): change one of them",
    )


@pytest.mark.parametrize(("version", "is_known"), [("1.33.1", False), ("1.35.0", True)])
def test_the_fields_are_those_of_the_kubelet_version(version: str, is_known: bool) -> None:
    fields = {"userNamespaces": {"idsPerPod": 65536}} if is_known else {"noSuchField": 1}
    item = machine(versions={"kubelet": version}, providerConfig=debian_host(kubeletConfiguration=fields))
    files = {"m.yaml": text_of(cluster(), item)}
    if is_known:
        assert len(read_catalog(files).machines) == 1
    else:
        with pytest.raises(InvalidMachines, match="unknown field of KubeletConfiguration"):
            read_catalog(files)
