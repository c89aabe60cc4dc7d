# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that components read, and when two of them have the same values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._store._rendered_files import (
    UndecodableConfig,
    decode_values,
    default_document,
    field_paths,
    policy_in_state_file,
    render_config,
    render_init_config,
    stale_state_files,
    state_file_keys,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import fingerprint


@pytest.mark.contract("render.no-defaults-written")
def test_without_an_instance_config_the_bytes_are_the_documents() -> None:
    assert render_config("a: 1 # comment\n", None) == b"a: 1 # comment\n"
    assert render_config("a: 1\n", " \n") == b"a: 1\n"


@pytest.mark.complaint("MCO #1720: per-node values over a shared config")
@pytest.mark.contract("render.instance-config")
def test_the_instance_config_is_laid_over_by_key_and_lists_as_a_whole() -> None:
    instance = "apiVersion: x\nkind: Y\nlabels: {b: 2}\ntaints: [t]\n"
    document = json.loads(render_config("apiVersion: v\nkind: K\nlabels: {a: 1, b: 1}\ntaints: [r, s]\n", instance))
    assert document == {"apiVersion": "v", "kind": "K", "labels": {"a": 1, "b": 2}, "taints": ["t"]}


@pytest.mark.parametrize(
    ("document", "instance"), [("a: [", "b: 1"), ("a: 1", "b: ["), ("- a", "b: 1"), ("a: 1", "- b")]
)
def test_documents_that_cannot_be_merged_are_refused(document: str, instance: str) -> None:
    with pytest.raises(UndecodableConfig):
        render_config(document, instance)


def test_an_init_config_that_cannot_be_read_as_yaml_is_left_to_the_component() -> None:
    assert render_init_config("kubelet", b"a: [\n", "/etc") == b"a: [\n"
    assert render_init_config("kubelet", b"\xff", "/etc") == b"\xff"
    assert render_init_config("other", b"staticPodPath: a\n", "/etc") == b"staticPodPath: a\n"


def test_an_init_config_with_a_relative_path_keeps_the_meaning_that_kubernetes_gives_it() -> None:
    text = b"staticPodPath: m\nproviderID: 1:20\nfailSwapOn: n\nmaxPods: 4.1e1\nclusterDomain: 2026-01-01\n"
    assert json.loads(render_init_config("kubelet", text, "/etc")) == {
        "staticPodPath": "/etc/m",
        "providerID": "1:20",
        "failSwapOn": False,
        "maxPods": 41,
        "clusterDomain": "2026-01-01",
    }
    # A fraction in JSON stays a fraction: the component does not accept it as a whole number.
    assert b'"maxPods": 1.0' in render_init_config("kubelet", b'{"staticPodPath": "m", "maxPods": 1.0}', "/etc")


def test_the_smallest_documents() -> None:
    assert json.loads(default_document("kubelet"))["kind"] == "KubeletConfiguration"
    assert json.loads(default_document("other")) == {}
    options = json.loads(default_document("kube-scheduler", has_options=True))
    assert (options["kind"], options["component"]) == ("ComponentOptions", "kube-scheduler")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("a: 1\n", "# c\na:   1", True),
        ("a: 1\nb: 2\n", "b: 2\na: 1\n", True),
        ("a: 1\n", '{"a": 1}', True),
        ("a: n\nb: 41\nc: 2026-01-01\n", "a: false\nb: 4.1e1\nc: '2026-01-01'\n", True),  # as Kubernetes reads it
        ("a: 1:20\n", "a: 80\n", False),
        ("a: 1\nb: {}\n", "a: 1\n", False),  # an empty value may disable a default
        ("a: 1\nb: []\n", "a: 1\n", False),
        ("a: 1\nb: null\n", "a: 1\n", False),
        ("a: {b: []}\n", "a: {}", False),
        ("a: 1", "a: '1'", False),
        ("a: 1", "a: true", False),
        ("a: [1, 2]", "a: [2, 1]", False),
        ("a: 0", "{}", False),
        ("a: ''", "{}", False),
    ],
)
def test_a_fingerprint_depends_on_the_values_alone(first: str, second: str, same: bool) -> None:
    assert (fingerprint(decode_values(first, "first")) == fingerprint(decode_values(second, "second"))) is same


@pytest.mark.contract("render.instance-config")
def test_null_in_the_instance_config_takes_a_field_back_and_empty_values_stay() -> None:
    """Rendering merges as the engine merges layers, so the validated config is the one written."""
    document = "a: {p: 1, q: 2}\nb: {}\nc: null\nd: [1]\n"
    rendered = json.loads(render_config(document, "a: {p: null}\nd: []\ne: {f: null}\n"))
    assert rendered == {"a": {"q": 2}, "b": {}, "d": [], "e": {}}


def test_an_empty_map_or_list_is_a_field_that_is_set() -> None:
    values: dict[str, Any] = {
        "kind": "K",
        "evictionHard": {},
        "enforceNodeAllocatable": [],
        "maxPods": None,
        "a": {"b": {}, "c": 1},
    }
    assert field_paths(values) == ["evictionHard", "enforceNodeAllocatable", "a.b", "a.c"]
    assert field_paths({}) == []


@pytest.mark.contract("adopt.state-files")
def test_no_hard_eviction_is_not_the_default_to_the_memory_manager() -> None:
    static = {"memoryManagerPolicy": "Static", "reservedMemory": [{"numaNode": 0}]}

    def key(change: dict[str, Any]) -> str:
        return state_file_keys("kubelet", {**static, **change})["memory_manager_state"]["key"]

    assert key({"evictionHard": {}}) != key({})
    assert key({"evictionHard": {"nodefs.available": "5%"}}) == key({"evictionHard": {}})
    assert key({"evictionHard": {}, "mergeDefaultEvictionSettings": True}) == key({})
    assert key({"kubeReserved": {}}) == key({})


@pytest.mark.contract("adopt.state-files")
def test_state_files_depend_on_their_own_fields_only() -> None:
    before = state_file_keys("kubelet", {"maxPods": 1})
    assert stale_state_files(before, state_file_keys("kubelet", {"maxPods": 2, "cpuManagerPolicy": "none"}), {}) == []
    static = state_file_keys("kubelet", {"cpuManagerPolicy": "static"})
    assert stale_state_files(before, static, {}) == ["cpu_manager_state"]
    assert stale_state_files(static, before, {}) == ["cpu_manager_state"]
    changed = state_file_keys("kubelet", {"memoryManagerPolicy": "Static", "reservedMemory": [{"numaNode": 0}]})
    assert stale_state_files(before, changed, {}) == ["memory_manager_state"]
    assert stale_state_files({}, changed, {}) == []
    assert state_file_keys("kube-proxy", {"cpuManagerPolicy": "static"}) == {}


def test_deep_nesting_is_an_error_and_not_the_end_of_the_process() -> None:
    with pytest.raises(UndecodableConfig, match=r"the init config:2: .*nested deeper"):
        decode_values("kind: x\na: " + "[" * 100_000, "the init config")


RESERVED = {"kubeReserved": {"cpu": "1", "memory": "1Gi"}, "systemReserved": {"cpu": "1"}}


@pytest.mark.parametrize(
    ("policies", "change", "stale"),
    [
        ({}, {"kubeReserved": {"cpu": "2"}}, []),  # no policy that assigns resources
        ({}, {"reservedSystemCPUs": "0-1", "reservedMemory": [{"numaNode": 0}]}, []),
        ({"cpuManagerPolicy": "static"}, {"kubeReserved": {"cpu": "2"}}, ["cpu_manager_state"]),
        ({"cpuManagerPolicy": "static"}, {"systemReserved": {"cpu": "1", "memory": "2Gi"}}, []),
        ({"cpuManagerPolicy": "static"}, {"cpuManagerPolicyOptions": {"a": "true"}}, ["cpu_manager_state"]),
        ({"memoryManagerPolicy": "Static"}, {"evictionHard": {"memory.available": "1Gi"}}, ["memory_manager_state"]),
        ({"memoryManagerPolicy": "Static"}, {"kubeReserved": {"cpu": "9", "memory": "1Gi"}}, []),
        ({"memoryManagerPolicy": "Static"}, {"reservedMemory": []}, []),
    ],
)
@pytest.mark.contract("adopt.state-files")
def test_reservations_matter_to_a_state_file_under_a_policy_that_hands_out(
    policies: dict[str, Any], change: dict[str, Any], stale: list[str]
) -> None:
    before = state_file_keys("kubelet", {**RESERVED, **policies})
    assert stale_state_files(before, state_file_keys("kubelet", {**RESERVED, **policies, **change}), {}) == stale


@pytest.mark.contract("adopt.state-files")
def test_a_state_file_says_itself_under_which_policy_it_was_written() -> None:
    static = state_file_keys("kubelet", {"cpuManagerPolicy": "static"})
    assert policy_in_state_file(b'{"policyName":"none","defaultCpuSet":"","checksum":1}') == "none"
    assert [policy_in_state_file(text) for text in (None, b"", b"[]", b"{", b"[" * 100_000)] == [""] * 5
    assert stale_state_files({}, static, {"cpu_manager_state": "none"}) == ["cpu_manager_state"]
    assert stale_state_files({}, static, {"cpu_manager_state": "static", "memory_manager_state": "None"}) == []
    assert stale_state_files({}, static, {"cpu_manager_state": ""}) == []
