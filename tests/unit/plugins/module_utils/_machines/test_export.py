# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The exported Machines of Nodes reconcile to no change, whatever the Nodes have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines, MachinesError
from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import (
    MachineAnnotation,
    provider_hash,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.cluster_changes import plan_cluster
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes.observe import observe
from ansible_collections.configok.node.plugins.module_utils._machines._changes.types import MachineAction
from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    BundleReference,
    Cluster,
    Machine,
    MachineCatalog,
    ProviderConfig,
    Runtime,
    Taint,
)
from ansible_collections.configok.node.plugins.module_utils._machines.export import ExportedMachines, export_machines
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.machine_files import debian_host

EAST = Cluster("east", "https://10.0.0.1:6443", "1.34.9", "10.96.0.0/16", "cluster.local", ("10.96.0.10",))
SOURCE = ConfigSource("configok-system", "workers-0a1b2c3d4e", "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11")
OTHER = ConfigSource("configok-system", "db-0a1b2c3d4e", "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d12")
POOLS = {"a-pool": SOURCE, "workers": SOURCE}
STATUS = {"assignment": 1, "cause": "Good"}


def a_node(
    name: str = "worker-1",
    *,
    labels: Mapping[str, str] | None = None,
    taints: Any = None,
    annotations: Mapping[str, str] | None = None,
    source: ConfigSource | None = None,
    address: str = "10.0.0.11",
    **info: str,
) -> dict[str, Any]:
    texts = dict(annotations or {})
    if source is not None:
        reference = {"namespace": source.namespace, "name": source.name, "uid": source.uid}
        texts["configok.dev/config-source"] = json.dumps({"configMap": reference})
    node_info = {
        "kubeletVersion": "v1.34.9",
        "containerRuntimeVersion": "containerd://1.7.24",
        "osImage": "Debian GNU/Linux 12 (bookworm)",
        **info,
    }
    return {
        "metadata": {"name": name, "uid": name, "labels": dict(labels or {}), "annotations": texts},
        "spec": {"taints": taints or []},
        "status": {
            "nodeInfo": node_info,
            "addresses": [{"type": "Hostname", "address": name}, {"type": "InternalIP", "address": address}],
        },
    }


def export(*nodes: dict[str, Any], **options: Any) -> ExportedMachines:
    return export_machines(nodes, cluster=EAST, pools=POOLS, **options)


def read(exported: ExportedMachines) -> MachineCatalog:
    return read_catalog({"east.yaml": exported.text})


def test_a_node_becomes_a_machine() -> None:
    labels = {
        "kubernetes.io/hostname": "worker-1",
        "beta.kubernetes.io/os": "linux",
        "topology.kubernetes.io/zone": "a",
        "topology.ebs.csi.aws.com/zone": "a",
        "configok.dev/config-ok": "True",
        "node-role.kubernetes.io/worker": "",
        "example.com/disk": "on",
    }
    taints = [
        {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
        {"key": "example.com/gpu", "value": "yes", "effect": "NoExecute"},
    ]
    exported = export(a_node(labels=labels, taints=taints, source=SOURCE))
    catalog = read(exported)
    (item,) = catalog.machines
    assert item == Machine(
        "worker-1",
        "east",
        item.provider,
        labels={"pool": "workers", "zone": "a"},
        kubelet_version="1.34.9",
        runtime=Runtime("containerd", "1.7.24"),
        pool="workers",
        node_labels={"node-role.kubernetes.io/worker": "", "example.com/disk": "on"},
        taints=(Taint("example.com/gpu", "yes", "NoExecute"),),
        origin=item.origin,
    )
    assert (item.provider.kind, item.provider.fields["address"]) == ("DebianHost", "10.0.0.11")
    east = catalog.clusters["east"]
    assert (east.endpoint, east.kubernetes_version, east.cluster_dns) == (EAST.endpoint, "1.34.9", ("10.96.0.10",))
    assert exported.names == ("worker-1",)
    assert exported.notes == ()
    assert exported.text.startswith("# The Machines of cluster east")


def test_nodes_are_sorted_and_the_text_is_stable() -> None:
    nodes = [a_node(name, address=f"10.0.0.{number}") for number, name in enumerate(("b", "a", "c"))]
    assert export(*nodes).text == export(*reversed(nodes)).text
    assert export(*nodes).names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (None, ("", None)),
        (SOURCE, ("workers", None)),
        (OTHER, ("", BundleReference(*OTHER))),
    ],
)
def test_the_config_source_of_a_node_is_exported_unless_a_pool_assigned_it(
    source: ConfigSource | None, expected: tuple[str, BundleReference | None]
) -> None:
    (item,) = read(export(a_node(source=source))).machines
    assert (item.pool, item.config_source) == expected


@pytest.mark.parametrize(
    ("image", "kind"),
    [
        ("Ubuntu 24.04.1 LTS", "DebianHost"),
        ("Red Hat Enterprise Linux 9.4 (Plow)", "RPMHost"),
        ("Rocky Linux 9.4", "RPMHost"),
        ("Amazon Linux 2023", "RPMHost"),
    ],
)
def test_the_provider_follows_from_the_operating_system(image: str, kind: str) -> None:
    (item,) = read(export(a_node(osImage=image))).machines
    assert item.provider.kind == kind


def test_another_operating_system_needs_a_provider() -> None:
    with pytest.raises(MachinesError, match=r"Node worker-1: .*\(Talos \(v1.9\)\): give provider_config"):
        export(a_node(osImage="Talos (v1.9)"))
    config = {"apiVersion": "provider.configok.dev/v1alpha1", "kind": "External", "create": "c.yml", "delete": "d.yml"}
    (item,) = read(export(a_node(osImage="Talos (v1.9)"), provider_config=config)).machines
    assert (item.provider.kind, item.provider.fields["address"]) == ("External", "10.0.0.11")


def test_what_cannot_be_declared_is_noted() -> None:
    deleting, foreign = a_node("gone"), a_node("capi", annotations={"cluster.x-k8s.io/machine": "m"})
    deleting["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    odd = a_node("odd", kubeletVersion="built", containerRuntimeVersion="rkt://1.0", address="fe80::1%eth0")
    twins = [a_node(name, address="10.0.0.9") for name in ("x", "y")]
    exported = export(deleting, foreign, odd, *twins)
    assert exported.names == ("odd", "x", "y")
    assert [note.partition(":")[0] for note in exported.notes] == [
        "Node capi is left out",
        "Node gone is left out",
        "Node odd",
        "Node odd",
        "Node x",
        "Node y",
    ]
    odd_machine, twin, _other = read(exported).machines
    assert (odd_machine.kubelet_version, odd_machine.runtime) == ("", None)
    assert "address" not in twin.provider.fields


@pytest.mark.parametrize("flags", [{}, {"node-ip": "10.0.0.11"}])
def test_fields_of_a_provider_that_no_node_holds_are_noted(flags: dict[str, str]) -> None:
    fields = {"kubeletFlags": flags} if flags else {}
    host = ProviderConfig("provider.configok.dev/v1alpha1", "DebianHost", fields)
    annotation = MachineAnnotation("worker-1", "DebianHost", provider_hash(host)).encode()
    node = a_node(annotations={"configok.dev/machine": annotation})
    assert bool(export(node).notes) == bool(flags)
    assert export(node, provider_config=debian_host(**fields)).notes == ()


def ours(config: ProviderConfig) -> dict[str, str]:
    """Return the annotations of a Node that a run with this config has made."""
    return {"configok.dev/machine": MachineAnnotation("worker-1", config.kind, provider_hash(config)).encode()}


def test_the_provider_of_the_node_comes_before_its_operating_system() -> None:
    binary = ProviderConfig("provider.configok.dev/v1alpha1", "BinaryHost", {})
    exported = export(a_node(annotations=ours(binary)))
    assert "kind: BinaryHost" in exported.text
    assert [note.partition(",")[0] for note in exported.notes] == [
        "Node worker-1: spec.providerConfig.archives: is required: at least one archive"
    ]
    assert "changes nothing" not in exported.text


def test_defaults_do_not_differ() -> None:
    text = {"create": "create.yml", "delete": "delete.yml"}
    external = {"apiVersion": "provider.configok.dev/v1alpha1", "kind": "External", **text}
    (declared,) = read(export(a_node(), provider_config=external)).machines
    exported = export(a_node(annotations=ours(declared.provider)), provider_config=external)
    assert declared.provider.defaulted
    assert exported.notes == ()
    assert "A run with it changes nothing." in exported.text


def test_an_export_promises_no_change_only_for_the_declared_provider() -> None:
    own = ProviderConfig("example.com/v1", "CloudHost", {})
    exported = export(a_node(annotations=ours(own)))
    assert "its provider is CloudHost, and DebianHost is declared" in exported.notes[0]
    assert "changes nothing" not in exported.text
    declared = export(
        a_node(annotations=ours(own)), provider_config={"apiVersion": "example.com/v1", "kind": "CloudHost"}
    )
    assert declared.notes == ()
    assert "changes nothing" in declared.text


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:8080", "https://rancher.example.com/k8s/clusters/c-1"])
def test_an_endpoint_that_cannot_be_one_is_left_out(endpoint: str) -> None:
    exported = export_machines([a_node()], cluster=replace(EAST, endpoint=endpoint), pools={})
    assert read(exported).clusters["east"].endpoint == ""
    assert exported.notes[0].startswith(f"{endpoint} is not declared as the endpoint of Cluster east: it must be a URL")


@pytest.mark.parametrize(
    ("cluster", "config", "sentence"),
    [
        (replace(EAST, name="East_1"), None, "metadata.name: "),
        (replace(EAST, service_cidr="10"), None, "spec.network.serviceCIDR: "),
        (EAST, {"apiVersion": "provider.configok.dev/v1alpha1", "kind": "BinaryHost"}, "archives: is required"),
        (EAST, debian_host(nothing=1), "spec.providerConfig.nothing: "),
        (EAST, {"kind": "DebianHost"}, "spec.providerConfig.apiVersion: is required"),
    ],
)
def test_what_a_run_refuses_is_not_written(cluster: Cluster, config: Any, sentence: str) -> None:
    with pytest.raises(InvalidMachines) as caught:
        export_machines([a_node()], cluster=cluster, pools={}, provider_config=config)
    assert sentence in str(caught.value)
    assert "the exported file:" in str(caught.value)


def test_labels_and_taints_of_others_are_left_out() -> None:
    labels = (
        "eks.amazonaws.com/nodegroup",
        "cloud.google.com/gke-nodepool",
        "kubernetes.azure.com/mode",
        "karpenter.sh/x",
    )
    taints = ("node.cilium.io/agent-not-ready", "karpenter.sh/disrupted", "ebs.csi.aws.com/agent-not-ready")
    node = a_node(labels=dict.fromkeys(labels, "x"), taints=[{"key": key, "effect": "NoSchedule"} for key in taints])
    (item,) = read(export(node)).machines
    assert (item.node_labels, item.taints) == ({}, ())


@pytest.mark.parametrize(("runtime", "sentence"), [("", "it reports no container runtime"), ("rkt://1.0", "(rkt 1.0)")])
def test_a_runtime_that_is_not_declared_is_named(runtime: str, sentence: str) -> None:
    assert sentence in export(a_node(containerRuntimeVersion=runtime)).notes[0]


def test_suse_has_no_dnf() -> None:
    with pytest.raises(MachinesError, match="no shipped provider fits"):
        export(a_node(osImage="SUSE Linux Enterprise Server 15 SP6"))


_NAME = st.from_regex(r"\A[A-Za-z0-9]([A-Za-z0-9._-]{0,8}[A-Za-z0-9])?\Z")
_PREFIX = st.sampled_from(
    ("", "example.com/", "node-role.kubernetes.io/", "kubernetes.io/", "configok.dev/", "a.b-c.d/")
)
_KEY = st.builds("{}{}".format, _PREFIX, _NAME)
_VALUE = _NAME | st.sampled_from(("", "true", "1", "1e3", "017", "null", "0x1f"))
_TAINTS = st.lists(
    st.fixed_dictionaries(
        {"key": _KEY, "effect": st.sampled_from(("NoSchedule", "PreferNoSchedule", "NoExecute"))},
        optional={"value": _VALUE},
    ),
    max_size=4,
    unique_by=lambda taint: (taint["key"], taint["effect"]),
)
_NODES = st.builds(
    a_node,
    labels=st.dictionaries(_KEY, _VALUE, max_size=5),
    taints=_TAINTS,
    source=st.sampled_from((None, SOURCE, OTHER)),
    kubeletVersion=st.sampled_from(("v1.34.9", "v1.33.2+k3s1", "v1.32.0-eks-1234567", "v1.35.0-rc.1", "unknown", "")),
    containerRuntimeVersion=st.sampled_from(
        ("containerd://1.7.24", "containerd://1.7.24~ds1", "cri-o://1.34.0", "docker://27.1.1", "x://1", "")
    ),
    osImage=st.sampled_from(("Debian GNU/Linux 12 (bookworm)", "Fedora Linux 42")),
    address=st.sampled_from(("10.0.0.11", "fd00::11", "worker-1.example.com")),
)


@given(_NODES)
def test_an_exported_machine_needs_no_change(node: dict[str, Any]) -> None:
    catalog = read(export(node))
    sources = {BundleReference(*OTHER): OTHER}
    inputs = ConfigInputs(pools=POOLS, references=sources, bundles={SOURCE: {}, OTHER: {}})
    (change,) = plan_cluster(catalog, {"worker-1": observe(node)}, inputs, server_version="v1.35.0")
    assert change.fields == ()
    assert change.action is MachineAction.NONE
