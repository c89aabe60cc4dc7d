# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of Machines are read as all others, and are shipped only where they are used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import Document, decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind, kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.explain import explain
from ansible_collections.configok.node.plugins.module_utils._machine_kinds.kinds import machine_kind, machine_kinds
from ansible_collections.configok.node.plugins.module_utils._machines._objects.checked_objects import (
    kubelet_refusals,
    read_object,
    read_part,
)
from support.machine_files import API_VERSION, cluster, debian_host, machine

COLLECTION = Path(__file__).resolve().parents[6]
BINARY_HOST = {**debian_host(), "kind": "BinaryHost"}
ARCHIVE = {"component": "kubelet", "version": "1.34.9", "path": "kubelet", "sha256": "0" * 64}


def test_no_component_reads_them() -> None:
    names = {kind.kind for kind in machine_kinds()}
    assert names == {
        "Machine", "MachineSet", "Cluster", "Provider", "DebianHost", "RPMHost", "BinaryHost", "External"
    }  # fmt: skip
    assert not any(kind.is_declared for kind in kinds())
    assert machine_kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration") is None
    assert all(kind.known_at(20) and kind.known_at(99) for kind in machine_kinds())


def test_an_object_gets_its_defaults() -> None:
    data, findings = read_object(Document(debian_host(packages={"hold": False}), "m"))
    assert findings == []
    assert data == {
        **debian_host(), "port": 22, "user": "root", "become": True, "packages": {"hold": False, "kubelet": "kubelet"}
    }  # fmt: skip
    assert read_object(Document(machine(), "m")).data["spec"]["state"] == "Present"


def test_a_check_finds_the_kind() -> None:
    (finding,) = check(decode(f"apiVersion: {API_VERSION}\nkind: Cluster\nmetadata: {{name: a}}\nspec: {{x: 1}}\n"))
    assert (finding.line, finding.field, finding.message) == (4, "spec.x", "unknown field of Cluster")


CONFIGS: list[tuple[dict[str, Any], str]] = [
    (debian_host(address="a b"), "address"),
    (debian_host(port=0), "port"),
    (debian_host(port="22"), "port"),
    (debian_host(packages={"kubelet": "Kubelet"}), "packages.kubelet"),
    ({**debian_host(packages={"kubelet": "kube let"}), "kind": "RPMHost"}, "packages.kubelet"),
    (debian_host(packages={"extra": ["-x"]}), "packages.extra[0]"),
    (debian_host(packages={"key": "/k"}), "packages.key"),
    (debian_host(kubeletFlags={"--node-ip": "1"}), "kubeletFlags[--node-ip]"),
    (debian_host(kubeletFlags={"node-ip": "a b"}), "kubeletFlags.node-ip"),
    (debian_host(kubeletFlags={"node-ip": 1}), "kubeletFlags.node-ip"),
    (debian_host(cni={"plugins": [{"type": "x"}]}), "cni.name"),
    (debian_host(cni={"name": "x"}), "cni.plugins"),
    (debian_host(cni={"name": "x", "plugins": [{}]}), "cni.plugins[0].type"),
    (BINARY_HOST, "archives"),
    ({**BINARY_HOST, "archives": [{**ARCHIVE, "sha256": "ab"}]}, "archives[0].sha256"),
    ({**BINARY_HOST, "archives": [{**ARCHIVE, "version": "x"}]}, "archives[0].version"),
    ({**BINARY_HOST, "archives": [{**ARCHIVE, "component": "cri-o"}]}, "archives[0].component"),
    ({**BINARY_HOST, "archives": [ARCHIVE, {**ARCHIVE, "version": "v1.34.9"}]}, "archives[1]"),
    ({**BINARY_HOST, "archives": [{**ARCHIVE, "path": ""}]}, "archives[0].path"),
    ({**debian_host(), "kind": "External", "create": "c.yml"}, "delete"),
]


@pytest.mark.parametrize(
    ("config", "field"), CONFIGS, ids=[f"{field} {index}" for index, (_c, field) in enumerate(CONFIGS)]
)
def test_what_is_wrong_with_the_config_of_a_provider(config: dict[str, Any], field: str) -> None:
    assert [finding.field for finding in read_object(Document(config, "m")).findings] == [field]


def test_two_empty_addresses_of_a_dns_server_stand_twice_too() -> None:
    document = Document({**cluster(), "spec": {"network": {"clusterDNS": ["", ""]}}}, "m")
    messages = [f"{finding.field}: {finding.message}" for finding in read_object(document).findings]
    assert "spec.network.clusterDNS[1]: must not stand twice" in messages


def test_a_part_with_another_one_over_it_has_the_places_of_both() -> None:
    text = "a: {apiVersion: provider.configok.dev/v1alpha1, kind: DebianHost, prot: 1}\n"
    text += "b:\n  name: x\n  adress: y\n  port: 1\n"
    data, findings = read_part(decode(text, file="m.yaml"), ("a",), ("b",), ("name",))
    assert (data["port"], data["kind"]) == (1, "DebianHost")
    assert {(finding.line, finding.field) for finding in findings} == {(1, "a.prot"), (4, "b.adress")}
    assert read_part(decode("a: [1]", file="m.yaml"), ("a",)) == ({}, [])


def test_fields_of_the_kubelet_are_those_of_its_version() -> None:
    document = decode("a: {maxPods: -1}\nb: {maxPod: 1}\n", file="m.yaml")
    findings = kubelet_refusals(document, ("a",), ("b",), "1.34.9")
    assert {(finding.line, finding.field) for finding in findings} == {(1, "a.maxPods"), (2, "b.maxPod")}
    assert kubelet_refusals(document, ("c",), (), "1.34.9") == []
    assert len(kubelet_refusals(document, ("a",), (), "1.99.0")) == len(kubelet_refusals(document, ("a",))) == 1


def test_machine_kinds_and_their_fields_are_explained() -> None:
    assert explain("", kind="Machine").lines == [
        "Machine (machines.configok.dev/v1alpha1)",
        "  description  The declarative spec of one Node.",
        "  fields       metadata",
        "               spec",
    ]
    effect = explain("spec.taints[].effect", kind="Machine")
    assert effect.heading == "spec.taints.effect, of Machine (machines.configok.dev/v1alpha1)"
    assert effect.facts["allowed"] == ["NoSchedule", "PreferNoSchedule", "NoExecute"]
    assert effect.facts["required"] == "yes"
    assert [row["rule"] for row in effect.facts["rules"]] == ["spec", "taints"]
    assert explain("port", kind="DebianHost").facts["default"] == "22"
    assert "disruption" not in explain("spec.state", kind="Machine").facts
    with pytest.raises(ConfigError, match=r"Machine has no field spec\.nodeLabel; did you mean spec\.nodeLabels"):
        explain("spec.nodeLabel", kind="Machine")
    with pytest.raises(ConfigError, match="did you mean Machine"):
        explain("", kind="Machin")


@pytest.mark.parametrize("kind", [kind.kind for kind in machine_kinds()])
def test_every_field_is_explained(kind: str) -> None:
    def walk(fields: dict[str, Any], parent: str) -> None:
        for name, entry in fields.items():
            assert explain(f"{parent}{name}", kind=kind).facts["description"]
            walk(entry.get("fields", {}), f"{parent}{name}.")

    known = next(item for item in machine_kinds() if item.kind == kind)
    walk(known.fields, "")


WITHOUT = """
import sys
from configok_agent._componentconfig.explain import explain
from configok_agent._componentconfig.check import check
from configok_agent._componentconfig._schema.kinds import declared_kinds
assert declared_kinds() == ()
print(check("apiVersion: machines.configok.dev/v1alpha1\\nkind: Machine\\n")[0].message)
"""


def test_the_agent_gets_none_of_them(tmp_path: Path) -> None:
    archive = tmp_path / "agent.pyz"
    pack = [sys.executable, str(COLLECTION / "tools/pack_agent.py"), str(archive)]
    subprocess.run(pack, check=True, capture_output=True)
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT], env={"PYTHONPATH": str(archive)}, check=True, capture_output=True, text=True
    )
    assert result.stdout.startswith("unknown kind")


def test_a_cluster_without_anything_is_valid() -> None:
    assert find_kind(API_VERSION, "Cluster") is not None
    assert read_object(Document(cluster(), "m")).findings == []
