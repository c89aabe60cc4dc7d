# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config that a kubelet of each version makes of its main file and its drop-ins."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._defaults import apply_defaults
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from ansible_collections.configok.node.plugins.module_utils._componentconfig.drop_ins import (
    effective_with_drop_ins,
    empty_value_findings,
    merge_drop_ins,
    support_at,
)
from support.configs.kubelet import KUBELET_KIND
from support.fuzz.settings import fuzz

KIND = find_kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration")
EVICTION = {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
}
EVICTION_30 = {**EVICTION, "imagefs.inodesFree": "5%"}
CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "maxPods": st.none() | st.integers(0, 200),
        "failSwapOn": st.none() | st.booleans(),
        "syncFrequency": st.none() | st.sampled_from(["0s", "1m", "5m"]),
        "clusterDNS": st.none() | st.lists(st.sampled_from(["10.0.0.10", "10.0.0.11"]), max_size=2),
        "evictionHard": st.none()
        | st.dictionaries(st.sampled_from(["memory.available", "nodefs.available"]), st.just("1Gi")),
        "logging": st.none() | st.fixed_dictionaries({}, optional={"format": st.sampled_from(["json", "text"])}),
    },
)
RULES = st.sampled_from([28, 29, 31, 32, 36])


def used(minor: int, main: dict[str, Any], *drop_ins: dict[str, Any]) -> dict[str, Any]:
    """Return the config that the kubelet uses, with defaults."""
    assert KIND is not None
    return apply_defaults(
        merge_drop_ins({**KUBELET_KIND, **main}, [{**KUBELET_KIND, **drop_in} for drop_in in drop_ins], KIND, minor),
        KIND,
        minor,
    )


@pytest.mark.parametrize(
    ("minor", "name", "environment"),
    [
        (28, "objects", "KUBELET_CONFIG_DROPIN_DIR_ALPHA"),
        (29, "internal", "KUBELET_CONFIG_DROPIN_DIR_ALPHA"),
        (30, "internal", ""),
        (31, "internal", ""),
        (32, "versioned", ""),
        (37, "versioned", ""),
    ],
)
def test_each_minor_has_its_rule(minor: int, name: str, environment: str) -> None:
    rule = support_at(minor)
    assert rule is not None
    assert (rule.merge.value, rule.environment) == (name, environment)
    assert rule.note("maxPods") != rule.note("evictionHard")


def test_there_is_no_directory_before_1_28() -> None:
    assert support_at(27) is None
    assert used(27, {"maxPods": 60}, {"maxPods": 70})["maxPods"] == 60


@pytest.mark.parametrize(
    ("main", "drop_ins", "field", "by_minor"),
    [
        # The plain case is the same everywhere.
        ({"maxPods": 60}, [{"maxPods": 70}], "maxPods", {28: 70, 29: 70, 32: 70}),
        ({"clusterDNS": ["a", "b"]}, [{"clusterDNS": ["c"]}], "clusterDNS", {28: ["c"], 29: ["c"], 32: ["c"]}),
        ({}, [{"maxPods": 70}, {"maxPods": 80}], "maxPods", {28: 80, 29: 80, 32: 80}),
        # A drop-in's defaults win in 1.28.
        ({"maxPods": 60}, [{"failSwapOn": True}], "maxPods", {28: 110, 29: 60, 32: 60}),
        ({}, [{"maxPods": 60}, {"failSwapOn": True}], "maxPods", {28: 110, 29: 60, 32: 60}),
        # A zero does not win in 1.28.
        ({}, [{"failSwapOn": False}], "failSwapOn", {28: True, 29: False, 32: False}),
        ({"podsPerCore": 5}, [{"podsPerCore": 0}], "podsPerCore", {28: 5, 29: None, 32: None}),
        ({"clusterDNS": ["a"]}, [{"clusterDNS": []}], "clusterDNS", {28: ["a"], 29: None, 32: None}),
        ({"reservedSystemCPUs": "1"}, [{"reservedSystemCPUs": "0"}], "reservedSystemCPUs", {28: "0", 29: "0", 32: "0"}),
        # null removes a value from 1.32 on; before that only the value of another drop-in.
        ({"maxPods": 60}, [{"maxPods": None}], "maxPods", {28: 110, 29: 60, 31: 60, 32: 110}),
        ({"maxPods": 60}, [{"maxPods": 70}, {"maxPods": None}], "maxPods", {29: 60, 31: 60, 32: 110}),
        # The defaults of evictionHard are set before the drop-ins are merged.
        (
            {},
            [{"evictionHard": {"memory.available": "1Gi"}}],
            "evictionHard",
            {
                28: {**EVICTION, "memory.available": "1Gi"},
                29: {**EVICTION, "memory.available": "1Gi"},
                31: {**EVICTION_30, "memory.available": "1Gi"},
                32: {**EVICTION_30, "memory.available": "1Gi"},
            },
        ),
        (
            {"evictionHard": {"nodefs.available": "20%"}},
            [{"evictionHard": {"memory.available": "1Gi"}}],
            "evictionHard",
            {32: {"nodefs.available": "20%", "memory.available": "1Gi"}},
        ),
        ({"evictionHard": {"nodefs.available": "20%"}}, [{"evictionHard": None}], "evictionHard", {32: {}}),
        ({}, [{"maxPods": 60}], "evictionHard", {28: EVICTION, 29: EVICTION, 32: EVICTION_30}),
        # Objects and maps by key.
        (
            {"featureGates": {"A": True, "B": True}},
            [{"featureGates": {"B": False}}],
            "featureGates",
            {28: {"A": True, "B": False}, 29: {"A": True, "B": False}, 32: {"A": True, "B": False}},
        ),
    ],
)
def test_what_is_used(
    main: dict[str, Any], drop_ins: list[dict[str, Any]], field: str, by_minor: dict[int, Any]
) -> None:
    before = copy.deepcopy((main, drop_ins))
    assert {minor: used(minor, main, *drop_ins).get(field) for minor in by_minor} == by_minor
    assert (main, drop_ins) == before


@fuzz(200)
@given(RULES, CONFIGS, CONFIGS, CONFIGS)
def test_a_drop_in_twice_is_a_drop_in_once(
    minor: int, main: dict[str, Any], first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert used(minor, main, first, second, second) == used(minor, main, first, second)
    assert used(minor, main) == used(minor, main, *[])


@fuzz(200)
@given(st.sampled_from([29, 31, 32, 36]), CONFIGS, CONFIGS, CONFIGS)
def test_no_value_is_invented(minor: int, main: dict[str, Any], first: dict[str, Any], second: dict[str, Any]) -> None:
    """Except for defaults, every top-level scalar and list is from the main file or a drop-in."""
    assert KIND is not None
    result = merge_drop_ins({**KUBELET_KIND, **main}, [first, second], KIND, minor)
    for field in ("maxPods", "failSwapOn", "syncFrequency", "clusterDNS"):
        assert field not in result or result[field] in [layer.get(field) for layer in (main, first, second)]


def test_the_switch_that_adds_the_defaults_of_eviction_holds_for_the_main_file_alone() -> None:
    """cmd/kubelet/app/server.go: the defaults are added when the main file is loaded, before the drop-ins."""
    assert KIND is not None
    switch, few = {"mergeDefaultEvictionSettings": True}, {"evictionHard": {"memory.available": "50Mi"}}
    nodefs = {"evictionHard": {"nodefs.available": "7%"}}
    added = {**EVICTION_30, "memory.available": "50Mi"}
    for main, drop_in, expected in (
        ({**switch, **few}, {"maxPods": 5}, added),
        ({**switch, **few}, nodefs, {**added, "nodefs.available": "7%"}),
        (few, switch, few["evictionHard"]),
        (few, {**switch, **nodefs}, {"memory.available": "50Mi", "nodefs.available": "7%"}),
        ({}, {**switch, **few}, added),
    ):
        result = effective_with_drop_ins({**KUBELET_KIND, **main}, [{**KUBELET_KIND, **drop_in}], KIND, 36)
        assert result["evictionHard"] == expected


@pytest.mark.parametrize(
    ("main", "drop_ins", "field", "by_minor"),
    [
        # From 1.32 on, an empty value of the main file is the default again, also if the directory has no file.
        ({"enforceNodeAllocatable": []}, None, "enforceNodeAllocatable", {28: [], 31: [], 32: [], 37: []}),
        (
            {"enforceNodeAllocatable": []},
            [],
            "enforceNodeAllocatable",
            {27: [], 28: [], 29: [], 31: [], 32: ["pods"], 36: ["pods"], 37: ["pods"]},
        ),
        ({"enforceNodeAllocatable": []}, [{"maxPods": 5}], "enforceNodeAllocatable", {31: [], 32: ["pods"]}),
        # A drop-in's own empty value is not encoded again.
        ({}, [{"enforceNodeAllocatable": []}], "enforceNodeAllocatable", {31: [], 32: []}),
        # The default of evictionHard is filled in before the merge, and not after it.
        ({"evictionHard": {}}, [], "evictionHard", {31: {}, 32: {}, 36: {}}),
        ({"evictionHard": {}}, [{"maxPods": 5}], "evictionHard", {31: {}, 32: {}, 36: {}}),
        # A pointer has a value that is written.
        ({"failSwapOn": False, "cgroupsPerQOS": False}, [], "failSwapOn", {31: False, 36: False}),
        ({"clusterDNS": []}, [], "clusterDNS", {31: None, 36: None}),
    ],
)
def test_empty_values_of_the_main_file_are_merged_as_the_minor_does(
    main: dict[str, Any], drop_ins: list[dict[str, Any]] | None, field: str, by_minor: dict[int, Any]
) -> None:
    assert KIND is not None
    file, above = {**KUBELET_KIND, **main}, None if drop_ins is None else [{**KUBELET_KIND, **it} for it in drop_ins]
    before = copy.deepcopy(file)
    assert {minor: effective_with_drop_ins(file, above, KIND, minor).get(field) for minor in by_minor} == by_minor
    assert file == before


def test_an_empty_value_of_a_wrong_type_or_an_unknown_field_stays_for_the_checks() -> None:
    assert KIND is not None
    wrong = {**KUBELET_KIND, "clusterDNS": {}, "maxPods": [], "noSuchField": []}
    assert merge_drop_ins(wrong, [], KIND, 36) == wrong


def test_an_empty_value_without_effect_is_named() -> None:
    assert KIND is not None
    main = {**KUBELET_KIND, "enforceNodeAllocatable": [], "evictionHard": {}, "clusterDNS": []}
    [finding] = empty_value_findings(main, [], KIND, 36)
    assert (finding.field, finding.level) == ("enforceNodeAllocatable", "warning")
    assert finding.message.endswith('with --config-dir, an empty value of this file means the default, ["pods"]')
    for drop_ins, minor in ((None, 36), ([], 31)):
        assert list(empty_value_findings(main, drop_ins, KIND, minor)) == []
