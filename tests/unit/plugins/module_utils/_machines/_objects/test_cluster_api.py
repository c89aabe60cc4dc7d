# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Cluster API are Machines that it owns; what has no counterpart is a note."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines
from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    CLUSTER_API,
    MachineCatalog,
    ProviderConfig,
    Taint,
)
from support.machine_files import cluster, cluster_api_machine, machine, machine_set, text_of


def read(*objects: Any) -> MachineCatalog:
    return read_catalog({"capi.yaml": text_of(*objects)})


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_a_machine_of_cluster_api_is_read(version: str) -> None:
    item = cluster_api_machine(version=version, providerID="aws:///x", taints=[{"key": "a", "effect": "NoExecute"}])
    item["metadata"]["labels"] = {"pool": "w", "bad": 1}
    addresses = [{"type": "ExternalIP", "address": "1.2.3.4"}, {"type": "InternalIP", "address": "10.0.0.5"}]
    item["status"] = {"nodeRef": {"name": "ip-10-0-0-5"}, "addresses": addresses}
    if version == "v1beta2":
        reference = item["spec"]["infrastructureRef"]
        reference["apiGroup"] = reference.pop("apiVersion").partition("/")[0]
    catalog = read(item)
    (owned,) = catalog.machines
    assert (owned.name, owned.cluster, owned.owner) == ("ip-10-0-0-5", "east", CLUSTER_API)
    assert (owned.kubelet_version, owned.labels, owned.runtime) == ("1.34.9", {"pool": "w"}, None)
    assert owned.taints == (Taint("a", "", "NoExecute"),)
    group = "infrastructure.cluster.x-k8s.io" + ("/v1beta2" if version == "v1beta1" else "")
    fields = {"name": "east-abc-aws", "providerID": "aws:///x", "address": "10.0.0.5"}
    assert owned.provider == ProviderConfig(group, "AWSMachine", fields)
    assert catalog.clusters["east"].endpoint == ""
    assert catalog.provider_of(owned) is None
    assert catalog.notes == ()


def test_the_cluster_of_cluster_api_is_read() -> None:
    network = {"services": {"cidrBlocks": ["10.96.0.0/16", "fd00::/112"]}, "serviceDomain": "cluster.local"}
    endpoint = {"host": "fd00::1", "port": 443}
    item = {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": "east"},
        "spec": {"clusterNetwork": network, "controlPlaneEndpoint": endpoint, "topology": {"version": "v1.34.1"}},
    }
    east = read(item).clusters["east"]
    assert (east.endpoint, east.kubernetes_version) == ("https://[fd00::1]:443", "1.34.1")
    assert (east.service_cidr, east.dns_domain) == ("10.96.0.0/16,fd00::/112", "cluster.local")
    ours = cluster(endpoint="https://a:1")
    assert read(item, ours).clusters["east"].endpoint == "https://a:1"


@pytest.mark.parametrize("address", ["-oProxyCommand=touch /tmp/x", "a b", "{{ x }}", ""])
def test_an_invalid_address_is_not_read(address: str) -> None:
    item = cluster_api_machine()
    item["status"] = {"addresses": [{"type": "InternalIP", "address": address}]}
    assert "address" not in read(item).machines[0].provider.fields
    item["status"]["addresses"].append({"type": "InternalIP", "address": "10.0.0.5"})
    assert read(item).machines[0].provider.fields["address"] == "10.0.0.5"


def test_findings_of_the_text_are_reported() -> None:
    text = text_of(cluster_api_machine()).replace('"kind": "Machine"', '"kind": "Machine", "kind": "Machine"', 1)
    with pytest.raises(InvalidMachines, match="kind"):
        read_catalog({"capi.yaml": text})


NOTED: list[tuple[dict[str, Any], str]] = [
    (cluster_api_machine(), "capi.yaml:1: Machine east-abc: has no Node yet"),
    (cluster_api_machine(failureDomain="a"), "spec.failureDomain has no counterpart here"),
    (cluster_api_machine(bootstrap={"dataSecretName": "x"}), "spec.bootstrap has no counterpart here"),
    ({**cluster_api_machine(), "kind": "MachineDeployment"}, "its machines are read from their Machine objects"),
    ({**cluster_api_machine(), "kind": "MachineHealthCheck"}, "this kind has no counterpart here"),
    (
        {**cluster_api_machine(), "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1", "kind": "KubeadmConfig"},
        "only Cluster API's own objects are read",
    ),
]


@pytest.mark.parametrize(("item", "note"), NOTED, ids=[note for _item, note in NOTED])
def test_what_has_no_counterpart_is_a_note(item: dict[str, Any], note: str) -> None:
    assert any(note in text for text in read(item).notes)


ON_NODE = {"status": {"nodeRef": {"name": "node-1"}}}
CLUSTER = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": {"name": "east"}}
DUPLICATES: list[tuple[list[dict[str, Any]], str]] = [
    (
        [cluster_api_machine(), cluster_api_machine(clusterName="west")],
        'capi.yaml:3: Machine east-abc: metadata.name: "east-abc": another Machine has this name already, '
        "in capi.yaml:1",
    ),
    (
        [{**cluster_api_machine("a"), **ON_NODE}, {**cluster_api_machine("b"), **ON_NODE}],
        'capi.yaml:3: Machine b: status.nodeRef.name: "node-1": another Machine has this Node already, in capi.yaml:1',
    ),
    (
        [machine("east-abc"), cluster_api_machine()],
        'capi.yaml:1: Machine east-abc: metadata.name: "east-abc": another Machine has this name already, '
        "in capi.yaml:3",
    ),
    (
        [machine("node-1"), {**cluster_api_machine(), **ON_NODE}],
        'capi.yaml:1: Machine node-1: metadata.name: "node-1": another Machine has this name already, in capi.yaml:3',
    ),
    (
        [machine_set({"name": "east-abc"}), cluster_api_machine()],
        'spec.hosts[0].name: "east-abc": another Machine has this name already, in capi.yaml:3',
    ),
    ([CLUSTER, CLUSTER], 'capi.yaml:3: Cluster east: metadata.name: "east": another Cluster has this name already'),
]


@pytest.mark.parametrize(("objects", "error"), DUPLICATES, ids=[error for _objects, error in DUPLICATES])
def test_two_of_one_name_are_refused(objects: list[dict[str, Any]], error: str) -> None:
    with pytest.raises(InvalidMachines) as raised:
        read(*objects)
    [sentence] = raised.value.errors
    assert error in sentence, sentence


@pytest.mark.parametrize("item", [cluster_api_machine(), machine("east-abc"), cluster()])
def test_two_of_one_name_are_refused_on_one_line_too(item: dict[str, Any]) -> None:
    with pytest.raises(InvalidMachines) as raised:
        read({"apiVersion": "v1", "kind": "List", "items": [item, item]}, *([] if item == cluster() else [cluster()]))
    assert any("has this name already, in capi.yaml:1" in text for text in raised.value.errors)


@pytest.mark.parametrize(
    ("item", "error"),
    [
        ({**cluster_api_machine(), "apiVersion": "cluster.x-k8s.io/v1alpha3"}, "are v1beta1 and v1beta2"),
        (cluster_api_machine(clusterName=7), "capi.yaml:1: Machine east-abc: spec.clusterName: 7: is required"),
        (cluster_api_machine(name=""), "capi.yaml:1: Machine: metadata.name"),
        ({**cluster_api_machine(), "spec": []}, "spec.clusterName: is required"),
        (cluster_api_machine(name="a b"), 'metadata.name: "a b": must be a DNS-1123 subdomain'),
        (cluster_api_machine(clusterName="-x"), 'spec.clusterName: "-x": must be a DNS-1123 subdomain'),
        (
            {**cluster_api_machine(), "status": {"nodeRef": {"name": "-x"}}},
            'status.nodeRef.name: "-x": must be a DNS-1123 subdomain',
        ),
        (
            {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": {}},
            "capi.yaml:1: Cluster: metadata.name: is required, as a string",
        ),
    ],
)
def test_what_cannot_be_read(item: dict[str, Any], error: str) -> None:
    with pytest.raises(InvalidMachines) as raised:
        read(item)
    assert any(error in text for text in raised.value.errors)
