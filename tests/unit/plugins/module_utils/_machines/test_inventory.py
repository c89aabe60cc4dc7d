# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts, groups and variables from Machines and Nodes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    BundleReference,
    Machine,
    ProviderConfig,
    Runtime,
    Taint,
)
from ansible_collections.configok.node.plugins.module_utils._machines.inventory import (
    InventoryHost,
    InventorySettings,
    cached_facts,
    inventory_hosts,
    node_facts,
    reduced_node,
)

SOURCE = {"configMap": {"namespace": "configok-system", "name": "workers-0123456789", "uid": "a" * 36}}


def make_node(name: str = "n1", **changes: Any) -> dict[str, Any]:
    """Return a Node object; changes: conditions, addresses, labels, annotations, spec, version."""
    conditions = {"Ready": "True", **changes.get("conditions", {})}
    return {
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "labels": changes.get("labels", {}),
            "annotations": changes.get("annotations", {}),
        },
        "spec": changes.get("spec", {}),
        "status": {
            "nodeInfo": {
                "kubeletVersion": changes.get("version", "v1.34.9"),
                "containerRuntimeVersion": "containerd://1.7.24",
                "osImage": "Debian GNU/Linux 12",
                "machineID": "m" * 32,
            },
            "conditions": [
                {"type": kind, "status": status, "message": "long"} for kind, status in conditions.items() if status
            ],
            "addresses": changes.get("addresses", [{"type": "InternalIP", "address": "10.0.0.1"}]),
            "images": [{"names": ["image"], "sizeBytes": 1}],
        },
    }


def make_machine(name: str = "n1", **changes: Any) -> Machine:
    fields = {"address": "192.0.2.1", "user": "admin", **changes.pop("fields", {})}
    provider = ProviderConfig("provider.configok.dev/v1alpha1", "DebianHost", fields)
    return Machine(name, "east", provider, **changes)


def host_of(node: dict[str, Any] | None = None, machine: Machine | None = None, **settings: Any) -> InventoryHost:
    """Return the only host of these."""
    machines, nodes = [machine] if machine else [], [node_facts(node)] if node else []
    [host] = inventory_hosts(machines, nodes, InventorySettings(**settings)).hosts
    return host


def test_the_facts_of_a_node_are_small_and_plain() -> None:
    annotations = {"configok.dev/assignment": "7", "example.com/secret": "x"}
    taint = {"key": "dedicated", "value": "db", "effect": "NoSchedule", "timeAdded": "2026"}
    node = make_node(
        labels={"pool": "a", "configok.dev/config": "workers-0123456789"},
        annotations={**annotations, "configok.dev/config-source": json.dumps(SOURCE)},
        conditions={"ConfigOK": "False"},
        spec={"unschedulable": True, "taints": [taint]},
    )
    facts = node_facts(node)
    assert json.loads(json.dumps(facts)) == facts
    assert facts["annotations"].keys() == {"configok.dev/assignment", "configok.dev/config-source"}
    assert facts["kubelet_version"] == "1.34.9"
    assert facts["runtime"] == {"name": "containerd", "version": "1.7.24"}
    assert facts["conditions"] == {"Ready": "True", "ConfigOK": "False"}
    assert facts["config"] == "workers-0123456789"
    assert facts["config_source"] == SOURCE
    assert facts["taints"] == [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]
    assert facts["unschedulable"] is True
    assert "images" not in facts


def test_an_empty_node_has_facts() -> None:
    host = host_of({"metadata": {"name": "n1"}})
    assert host.groups == ("not_ready", "config_ok_unknown")
    assert "ansible_host" not in host.variables


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"version_1_34_9", "ready", "config_ok_unknown"}),
        ({"conditions": {"Ready": "Unknown"}}, {"version_1_34_9", "not_ready", "config_ok_unknown"}),
        ({"conditions": {"Ready": ""}}, {"version_1_34_9", "not_ready", "config_ok_unknown"}),
        ({"conditions": {"ConfigOK": "True"}}, {"version_1_34_9", "ready", "config_ok_true"}),
        ({"conditions": {"ConfigOK": "False"}}, {"version_1_34_9", "ready", "config_ok_false"}),
        ({"conditions": {"ConfigOK": "root"}}, {"version_1_34_9", "ready", "config_ok_unknown"}),
        ({"version": "v1.34.9+k3s-1"}, {"version_1_34_9_k3s_1", "ready", "config_ok_unknown"}),
        (
            {"labels": {"topology.kubernetes.io/zone": "eu-1.a"}, "version": ""},
            {"zone_eu_1_a", "ready", "config_ok_unknown"},
        ),
        (
            {"annotations": {"configok.dev/config-source": json.dumps(SOURCE)}, "version": ""},
            {"pool_workers", "ready", "config_ok_unknown"},
        ),
        (
            {"annotations": {"configok.dev/config-source": "{"}, "version": ""},
            {"ready", "config_ok_unknown"},
        ),
        (
            {"annotations": {"configok.dev/machine": '{"machine": "n1", "provider": "RPMHost"}'}, "version": ""},
            {"provider_RPMHost", "ready", "config_ok_unknown"},
        ),
        ({"annotations": {"configok.dev/machine": "[]"}, "version": ""}, {"ready", "config_ok_unknown"}),
    ],
)
def test_a_node_is_in_the_groups_of_its_state(changes: dict[str, Any], expected: set[str]) -> None:
    assert set(host_of(make_node(**changes)).groups) == expected


def test_a_machine_is_a_host_without_a_cluster() -> None:
    machine = make_machine(
        kubelet_version="1.35.0",
        runtime=Runtime("containerd", "1.7"),
        pool="workers",
        labels={"zone": "a"},
        node_labels={"example.com/disk": "ssd"},
        taints=(Taint("dedicated", "db", "NoSchedule"),),
        fields={"port": 2222, "packages": {"source": "deb"}},
    )
    host = host_of(machine=machine)
    assert set(host.groups) == {"pool_workers", "version_1_35_0", "zone_a", "cluster_east", "provider_DebianHost"}
    assert "node" not in host.variables
    assert {key: host.variables[key] for key in ("ansible_host", "ansible_user", "ansible_port", "node_name")} == {
        "ansible_host": "192.0.2.1",
        "ansible_user": "admin",
        "ansible_port": 2222,
        "node_name": "n1",
    }
    declared = host.variables["machine"]
    assert declared["provider"]["packages"] == {"source": "deb"}
    assert declared["provider"]["kind"] == "DebianHost"
    assert declared["taints"] == [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]
    assert json.loads(json.dumps(declared)) == declared


def test_what_is_observed_counts_and_what_is_declared_is_reached() -> None:
    machine = make_machine(kubelet_version="1.35.0", pool="new", config_source=BundleReference("ns", "name"))
    node = make_node(version="v1.34.9", annotations={"configok.dev/config-source": json.dumps(SOURCE)})
    host = host_of(node, machine)
    assert {"version_1_34_9", "pool_new", "cluster_east"} <= set(host.groups)
    assert host.variables["ansible_host"] == "192.0.2.1"
    assert host.variables["machine"]["config_source"] == {"configMap": {"namespace": "ns", "name": "name", "uid": ""}}
    assert host.variables["node"]["name"] == "n1"


def test_only_a_full_join_tells_what_is_missing() -> None:
    machines, nodes = [make_machine("a"), make_machine("b")], [node_facts(make_node(name)) for name in ("b", "c")]
    hosts = {host.name: host for host in inventory_hosts(machines, nodes, InventorySettings(is_joined=True)).hosts}
    assert list(hosts) == ["a", "b", "c"]
    assert "without_node" in hosts["a"].groups
    assert not {"without_node", "without_machine"} & set(hosts["b"].groups)
    assert "without_machine" in hosts["c"].groups
    filtered = inventory_hosts(machines, nodes, InventorySettings()).hosts
    assert not any({"without_node", "without_machine"} & set(host.groups) for host in filtered)


def test_a_machine_to_delete_is_in_a_group() -> None:
    assert "absent" in host_of(machine=make_machine(state="Absent")).groups


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (("InternalIP", "ExternalIP", "Hostname"), "10.0.0.1"),
        (("ExternalIP", "InternalIP"), "198.51.100.1"),
        (("Hostname",), "host.example.com"),
        ((), None),
    ],
)
def test_the_first_known_type_of_address_is_connected_to(types: tuple[str, ...], expected: str | None) -> None:
    addresses = [
        {"type": "Hostname", "address": "host.example.com"},
        {"type": "InternalIP", "address": "10.0.0.1"},
        {"type": "InternalIP", "address": "fd00::1"},
        {"type": "ExternalIP", "address": "198.51.100.1"},
    ]
    host = host_of(make_node(addresses=addresses), addresses=types)
    assert host.variables.get("ansible_host") == expected


@pytest.mark.parametrize("address", ["-oProxyCommand=sh", "a b", "{{ x }}", "", "a\n", "x" * 300])
def test_an_invalid_address_is_ignored(address: str) -> None:
    host = host_of(make_node(addresses=[{"type": "InternalIP", "address": address}]))
    assert "ansible_host" not in host.variables


@pytest.mark.parametrize(
    ("choice", "expected"), [("name", "n1"), ("hostname", "host.example.com"), ("address", "10.0.0.1")]
)
def test_the_name_of_a_host_can_be_chosen(choice: str, expected: str) -> None:
    addresses = [{"type": "Hostname", "address": "host.example.com"}, {"type": "InternalIP", "address": "10.0.0.1"}]
    host = host_of(make_node(addresses=addresses), host_name=choice)
    assert (host.name, host.variables["node_name"]) == (expected, "n1")


@pytest.mark.parametrize("claimed", ["victim", "b.example.com", "localhost", "127.0.0.1", "all", "ready"])
def test_a_node_cannot_take_the_name_of_another_host(claimed: str) -> None:
    def node(name: str, hostname: str) -> dict[str, Any]:
        return node_facts(make_node(name, addresses=[{"type": "Hostname", "address": hostname}]))

    nodes = [node("liar", claimed), node("b", "b.example.com"), node("victim", "victim")]
    hosts = inventory_hosts([], nodes, InventorySettings(host_name="hostname")).hosts
    assert len({host.name for host in hosts}) == 3
    assert {host.variables["node_name"]: host.name for host in hosts}["liar"] == "liar"
    assert {host.variables["node_name"]: host.name for host in hosts}["victim"] == "victim"


@pytest.mark.parametrize(
    ("name", "holder"),
    [
        ("localhost", "the controller"),
        ("127.0.0.1", "the controller"),
        ("all", "a group"),
        ("ungrouped", "a group"),
        ("ready", "a group"),
        ("absent", "a group"),
        ("cluster_x", "a group"),
    ],
)
def test_a_name_with_another_meaning_in_ansible_is_left_out(name: str, holder: str) -> None:
    nodes, machines = [node_facts(make_node(name)), node_facts(make_node("n1"))], [make_machine(name)]
    of_nodes = inventory_hosts([], nodes, InventorySettings(cluster="x"))
    assert [host.name for host in of_nodes.hosts] == ["n1"]
    assert of_nodes.warnings == [f"Node {name} is left out: its name is that of {holder}"]
    of_files = inventory_hosts(machines, nodes[1:], InventorySettings(cluster="x"))
    assert [host.name for host in of_files.hosts] == ["n1"]
    assert of_files.warnings == [f"Machine {name} is left out: its name is that of {holder}"]
    assert inventory_hosts(machines, nodes, InventorySettings(cluster="x")).warnings == of_nodes.warnings


def test_an_address_of_another_provider_is_checked_too() -> None:
    provider = ProviderConfig("infrastructure.cluster.x-k8s.io/v1beta1", "AWSMachine", {"address": "-oProxyCommand=x"})
    assert "ansible_host" not in host_of(machine=Machine("n1", "east", provider)).variables


def test_a_default_does_not_become_a_variable() -> None:
    fields = {"address": "10.0.0.1", "user": "root", "port": 22}
    provider = ProviderConfig("provider.configok.dev/v1alpha1", "DebianHost", fields, frozenset(("user", "port")))
    host = host_of(machine=Machine("n1", "east", provider))
    assert host.variables["ansible_host"] == "10.0.0.1"
    assert not {"ansible_user", "ansible_port"} & host.variables.keys()
    assert host.variables["machine"]["provider"]["user"] == "root"


KEYS = ["a.example/b", "zone", "role"]


def label_groups(node: dict[str, str] | None, machine: Machine | None = None) -> set[str]:
    """Return the groups by label. node: the labels of the Node."""
    host = host_of(None if node is None else make_node(labels=node), machine, label_groups=KEYS)
    return {group for group in host.groups if group.startswith("label_")}


def test_only_chosen_labels_are_groups() -> None:
    labels = {"a.example/b": "c-d.e", "zone": "", "other": "x"}
    assert label_groups(labels) == {"label_a_example_b_c_d_e", "label_zone"}
    assert label_groups(None, make_machine(labels=labels)) == label_groups(labels)
    assert not any(group.startswith("label_") for group in host_of(make_node(labels=labels)).groups)


def test_what_a_machine_declares_counts_before_what_a_kubelet_reports() -> None:
    machine = make_machine(labels={"zone": "a"}, node_labels={"role": "worker", "zone": "b"})
    assert label_groups({"zone": "c", "role": "control-plane"}, machine) == {"label_zone_a", "label_role_worker"}


@pytest.mark.parametrize("value", ["{{ 1 }}", "a b", "../x", "-", "\x1b[2J", "all", "\u202e", "x" * 300])
def test_a_hostile_label_makes_a_safe_group(value: str) -> None:
    [group] = label_groups({"zone": value})
    assert re.fullmatch(r"label_zone_[A-Za-z0-9_]+", group)
    assert host_of(make_node(labels={"zone": value}), label_groups=[value]).name == "n1"


@given(st.text(max_size=40), st.text(max_size=40))
def test_every_group_has_a_safe_name_and_no_text_has_control_characters(version: str, provider: str) -> None:
    annotation = json.dumps({"provider": provider})
    node = make_node(version=version, annotations={"configok.dev/machine": annotation}, labels={version: provider})
    host = host_of(node, cluster=provider, label_groups=[version])
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", group) for group in host.groups)
    assert host.variables["node"]["kubelet_version"].isprintable()


def test_a_reduced_node_has_the_facts_of_the_node() -> None:
    addresses = [{"type": "Hostname", "address": "host.example.com"}, {"type": "InternalIP", "address": "10.0.0.1"}]
    taints = [{"key": "a", "value": "b", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}]
    node = {
        **make_node(addresses=addresses),
        "spec": {"unschedulable": True, "taints": taints, "podCIDR": "10.0.0.0/8"},
    }
    for whole in (node, {}, {"metadata": {"name": "n1"}, "status": None}):
        assert node_facts(reduced_node(whole)) == node_facts(whole)
    assert cached_facts(json.dumps([reduced_node(node)])) == [node_facts(node)]


@pytest.mark.parametrize("text", [None, 3, "", "{", "3", "[3]", "{}x", '[{"metadata": {"name": "-oProxyCommand=x"}}]'])
def test_what_no_run_has_cached_is_read_again(text: object) -> None:
    assert cached_facts(text) is None
