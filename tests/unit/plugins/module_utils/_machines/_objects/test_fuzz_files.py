# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any file becomes a catalog or a list of sentences, and what a catalog says is what the file said."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines
from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import Taint
from support.machine_files import (
    API_VERSION,
    cluster,
    cluster_api_machine,
    debian_host,
    machine,
    machine_set,
    text_of,
)

ARCHIVE = {"component": "kubelet", "version": "1.34.9", "path": "kubelet", "sha256": "0" * 64}
SOURCE = {"configMap": {"namespace": "a", "name": "b", "uid": "c"}}
VERSIONS = {"kubelet": "1.34.9", "containerRuntime": {"name": "containerd", "version": "1.7"}}
TAINT = {"key": "a", "value": "b", "effect": "NoExecute"}
NETWORK = {"serviceCIDR": "10.0.0.0/16", "dnsDomain": "cluster.local", "clusterDNS": ["10.0.0.10"]}
PROVIDER_SPEC = {"apiVersion": "example.com/v1", "kind": "Own", "role": "a.b.c", "capabilities": {"create": True}}
OBJECTS: list[dict[str, Any]] = [
    machine(
        labels={"a": "b"},
        cluster="east",
        versions=VERSIONS,
        configSource=SOURCE,
        nodeLabels={"a": "b"},
        taints=[TAINT],
        state="Present",
        providerConfig=debian_host(
            address="10.0.0.1",
            port=22,
            packages={"source": "x", "key": "y", "extra": ["runc"]},
            kubeletConfiguration={"maxPods": 50, "clusterDNS": ["10.0.0.10"]},
            kubeletFlags={"node-ip": "10.0.0.1"},
            cni={"name": "x", "plugins": [{"type": "bridge"}]},
        ),
    ),
    machine("b", pool="w", providerConfig={**debian_host(archives=[ARCHIVE]), "kind": "BinaryHost"}),
    machine_set({"name": "c", "address": "10.0.0.2", "labels": {"a": "b"}}, labels={"c": "d"}, taints=[TAINT]),
    cluster(endpoint="https://a:6443", kubernetesVersion="1.34.9", network=NETWORK),
    {"apiVersion": API_VERSION, "kind": "Provider", "metadata": {"name": "p"}, "spec": PROVIDER_SPEC},
    cluster_api_machine(taints=[TAINT], providerID="x"),
    {**cluster_api_machine("east"), "kind": "Cluster", "spec": {"controlPlaneEndpoint": {"host": "a", "port": 1}}},
]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for key, item in items for inner in paths_of(item, (*path, key)))]


PLACES = [(index, path) for index, item in enumerate(OBJECTS) for path in paths_of(item) if path]


def test_the_objects_are_valid_as_they_are() -> None:
    assert [item.name for item in read_catalog({"m.yaml": text_of(*OBJECTS)}).machines] == [
        "worker-1", "b", "c", "east-abc"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong", [None, True, 7, 1.5, "", "\x00", "x" * 300, [], {}, [[1]], {"a": {"b": [None]}}, [None]]
)
def test_a_wrong_value_at_any_place_is_read_or_refused(wrong: Any) -> None:
    for index, path in PLACES:
        check_with(index, path, wrong)


@settings(deadline=None)
@given(st.sampled_from(PLACES), VALUES)
def test_any_value_at_any_place_is_read_or_refused(place: tuple[int, tuple[Any, ...]], value: Any) -> None:
    check_with(*place, value)


def errors_of(text: str) -> tuple[str, ...]:
    try:
        read_catalog({"m.yaml": text})
    except InvalidMachines as error:
        return error.errors
    return ()


def check_with(index: int, path: tuple[Any, ...], value: Any) -> None:
    objects = copy.deepcopy(OBJECTS)
    holder: Any = objects[index]
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value
    errors = errors_of(text_of(*objects))
    assert all(text.startswith("m.yaml:") and len(text) < 2000 for text in errors), errors


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("{}[]:-,&*!|>'\"#%@`\n ab1?~<="), max_size=60) | st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert all(sentence.startswith("m.yaml:") for sentence in errors_of(text))


_NAME = st.from_regex(r"\A[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?\Z")
_KEY = st.from_regex(r"\A(?:[a-z]{1,5}\.example/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,5}[A-Za-z0-9])?\Z")
_VALUE = st.from_regex(r"\A(?:[A-Za-z0-9]([A-Za-z0-9._-]{0,5}[A-Za-z0-9])?)?\Z") | st.sampled_from(("1e3", "no", "0x1"))
_LABELS = st.dictionaries(_KEY, _VALUE, max_size=4)


@settings(deadline=None)
@given(
    st.lists(_NAME, unique=True, min_size=1, max_size=4),
    _LABELS,
    _LABELS,
    st.lists(st.tuples(_KEY, _VALUE), max_size=3, unique_by=lambda pair: pair[0]),
)
def test_a_set_says_the_same_as_its_machines(
    names: list[str], labels: dict[str, str], node_labels: dict[str, str], taints: list[tuple[str, str]]
) -> None:
    spec: dict[str, Any] = {
        "nodeLabels": node_labels,
        "taints": [{"key": key, "value": value, "effect": "NoSchedule"} for key, value in taints],
    }
    hosts = [{"name": name, "address": f"10.0.0.{number}"} for number, name in enumerate(names)]
    singles = [
        machine(host["name"], labels=labels, **spec, providerConfig=debian_host(address=host["address"]))
        for host in hosts
    ]
    of_set = read_catalog(
        {"m.yaml": "---\n".join(map(encode, (cluster(), machine_set(*hosts, labels=labels, **spec))))}
    )
    of_files = read_catalog({"m.yaml": "---\n".join(map(encode, (cluster(), *singles)))})
    for expanded, single in zip(of_set.machines, of_files.machines):
        assert expanded.machine_set == "workers"
        for field in ("name", "cluster", "provider", "labels", "node_labels", "taints", "state", "pool"):
            assert getattr(expanded, field) == getattr(single, field)
        assert single.labels == labels
        assert single.node_labels == node_labels
        assert single.taints == tuple(Taint(key, value, "NoSchedule") for key, value in taints)
