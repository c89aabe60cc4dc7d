# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Editors accept the Machine files that the collection reads, and mark what it refuses."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines
from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from support.machine_files import (
    API_VERSION,
    cluster,
    cluster_api_machine,
    debian_host,
    machine,
    machine_set,
    text_of,
)

ROOT = Path(__file__).resolve().parents[3]
jsonschema = pytest.importorskip("jsonschema", reason="the test environment of make test has it")


def tool() -> Any:
    spec = importlib.util.spec_from_file_location("write_machine_files", ROOT / "tools/write_machine_files.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = tool()
KINDS = TOOL.documents(TOOL.FACTS)
SCHEMA = TOOL.json_schema(KINDS)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
OWN = {"apiVersion": "example.com/v1", "kind": "CloudHost", "any": [1]}
EXTERNAL = {**debian_host(), "kind": "External"}
ARCHIVE = {"component": "kubelet", "version": "1.34.9", "path": "kubelet", "sha256": "0" * 64}
PROVIDER_SPEC = {
    "apiVersion": "example.com/v1",
    "kind": "CloudHost",
    "role": "a.b.c",
    "capabilities": {"replace": True},
}
PROVIDER = {"apiVersion": API_VERSION, "kind": "Provider", "metadata": {"name": "p"}, "spec": PROVIDER_SPEC}
VALID = [
    machine(),
    machine(versions={"kubelet": "v1.34.9", "containerRuntime": {"name": "containerd"}}, pool="w", state="Absent"),
    machine(configSource={"configMap": {"namespace": "a", "name": "b"}}, taints=[{"key": "a", "effect": "NoExecute"}]),
    machine(
        providerConfig=debian_host(
            port=2222, packages={"extra": ["runc"], "hold": False}, cni={"name": "a", "plugins": [{"type": "x"}]}
        )
    ),
    machine(providerConfig={**debian_host(), "kind": "BinaryHost", "archives": [ARCHIVE]}),
    machine(providerConfig={**EXTERNAL, "create": "c.yml", "delete": "d.yml", "values": {"size": 1}}),
    machine(versions={"containerRuntime": None}, providerConfig=debian_host(become=None)),
    machine(providerConfig=OWN),
    machine_set({"name": "a", "address": "10.0.0.1", "labels": {"x": "y"}}, labels={"p": "q"}),
    machine_set({"name": "a", "create": "c.yml", "delete": "d.yml"}, providerConfig=EXTERNAL),
    cluster("east", endpoint="https://a:6443", network={"serviceCIDR": "10.0.0.0/16", "clusterDNS": ["10.0.0.10"]}),
    PROVIDER,
    cluster_api_machine(),
    {"apiVersion": "v1", "kind": "List", "items": [machine("b")]},
]
INVALID = [
    machine(pol="x"),
    machine(pool=1),
    machine(pool="w", configSource={"configMap": {"namespace": "a", "name": "b"}}),
    machine(versions={"kubelet": "1.34"}),
    machine(versions={"containerRuntime": {"name": "rkt"}}),
    machine(taints=[{"key": "a"}]),
    machine(state="Gone"),
    machine("Upper"),
    machine(providerConfig=debian_host(adress="x")),
    machine(providerConfig=debian_host(port=0)),
    machine(providerConfig=EXTERNAL),
    machine(providerConfig={**debian_host(), "kind": "CloudHost"}),
    machine(providerConfig={"size": 1}),
    machine_set({"address": "10.0.0.1"}),
    cluster("east", endpoint="http://a"),
    cluster("east", network={"clusterDns": []}),
    {"apiVersion": API_VERSION, "kind": "Machine", "metadata": {"name": "a"}},
    {"apiVersion": "v1", "kind": "Secret"},
]


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("item", VALID, ids=range(len(VALID)))
def test_what_is_read_is_valid(item: Any) -> None:
    others = [PROVIDER] if item is not PROVIDER else []
    others += [cluster("east")] if item["kind"] != "Cluster" else []
    read_catalog({"m.yaml": text_of(item, *others)})
    assert list(VALIDATOR.iter_errors(item)) == []


@pytest.mark.parametrize("item", INVALID, ids=range(len(INVALID)))
def test_what_is_refused_is_invalid(item: Any) -> None:
    with pytest.raises(InvalidMachines):
        read_catalog({"m.yaml": text_of(item, cluster("other"))})
    assert not VALIDATOR.is_valid(item)


def test_every_field_has_a_description_in_both() -> None:
    page = TOOL.page(KINDS)
    for kind, document in KINDS.items():
        assert f"## {kind}\n" in page
        for path, row in document["fields"].items():
            assert row["description"].endswith((".", ")")), (kind, path)


def test_the_files_of_the_checkout_are_up_to_date() -> None:
    assert TOOL.PAGE.read_text(encoding="utf-8") == TOOL.page(KINDS)
    assert f'"$id": "{TOOL.SCHEMA_URL}"' in TOOL.SCHEMA.read_text(encoding="utf-8")
