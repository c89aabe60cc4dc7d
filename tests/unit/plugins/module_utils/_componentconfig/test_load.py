# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers merge as the kubelet's drop-in files do from 1.32 on, and every field keeps its origin."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import merge
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import InvalidConfig
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from support.configs.kubelet import KUBELET_HEADER
from support.fuzz.settings import fuzz

OBJECTS = st.dictionaries(
    st.sampled_from("abc"),
    st.recursive(
        st.none() | st.integers() | st.lists(st.integers(), max_size=2),
        lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    ),
    max_size=3,
)


@pytest.mark.parametrize(
    ("layers", "result"),
    [
        ([], {}),
        ([{"a": 1}, {"b": 2}], {"a": 1, "b": 2}),
        ([{"a": 1}, {"a": 2}, {"a": 3}], {"a": 3}),
        ([{"a": {"x": 1, "y": 1}}, {"a": {"y": 2}}], {"a": {"x": 1, "y": 2}}),
        ([{"a": [1, 2]}, {"a": [3]}], {"a": [3]}),
        ([{"a": [1, 2]}, {"a": []}], {"a": []}),
        ([{"a": {"x": [1]}}, {"a": {"x": [2]}}], {"a": {"x": [2]}}),
        ([{"a": 1}, {"a": None}], {}),
        ([{"a": {"x": 1, "y": 1}}, {"a": {"x": None}}], {"a": {"y": 1}}),
        ([{"a": 1}, {"a": {"x": None, "y": 1}}], {"a": {"y": 1}}),
        ([{"a": {"x": 1}}, {"a": 0}], {"a": 0}),
        ([{"a": None}], {}),
    ],
)
def test_merge(layers: list[dict[str, Any]], result: dict[str, Any]) -> None:
    before = copy.deepcopy(layers)
    assert merge(layers) == result
    assert layers == before


@fuzz(100)
@given(OBJECTS, OBJECTS, OBJECTS)
def test_a_layer_twice_is_a_layer_once(low: dict[str, Any], middle: dict[str, Any], high: dict[str, Any]) -> None:
    merged = merge([low, middle, high])
    assert merge([low, middle, high, high]) == merged
    assert merge([merged]) == merged
    assert merge([merge([low, middle]), high]) == merged


# Of the same shape and without null, which removes only the values below it.
SHAPED = st.fixed_dictionaries(
    {},
    optional={
        "scalar": st.integers(0, 2),
        "list": st.lists(st.integers(0, 2), max_size=2),
        "map": st.dictionaries(st.sampled_from("abc"), st.integers(0, 2)),
        "object": st.fixed_dictionaries({}, optional={"map": st.dictionaries(st.sampled_from("ab"), st.booleans())}),
    },
)


@fuzz(200)
@given(SHAPED, SHAPED, SHAPED)
def test_it_does_not_matter_which_are_merged_first(
    low: dict[str, Any], middle: dict[str, Any], high: dict[str, Any]
) -> None:
    assert merge([low, merge([middle, high])]) == merge([merge([low, middle]), high])


BASE = (
    KUBELET_HEADER
    + "maxPods: 110\nevictionHard:\n  memory.available: 100Mi\n  nodefs.available: 10%\nclusterDNS: [10.0.0.10]\n"
)
POOL = KUBELET_HEADER + "# more pods here\nmaxPods: -1\nevictionHard:\n  memory.available: bogus\nclusterDNS: null\n"


def test_render() -> None:
    rendered = load([("base.yaml", BASE), ("pool.yaml", POOL)])
    assert (
        rendered.text
        == KUBELET_HEADER + "maxPods: -1\nevictionHard:\n  memory.available: bogus\n  nodefs.available: 10%\n"
    )
    assert decode(rendered.text).data == rendered.data


def test_provenance_reaches_the_findings() -> None:
    document = load([("base.yaml", BASE), ("pool.yaml", POOL)]).document
    assert document.file_of(("evictionHard", "nodefs.available")) == "base.yaml"
    assert document.line_of(("evictionHard", "nodefs.available")) == 6
    assert [(finding.file, finding.line, finding.field) for finding in check(document, versions=["1.35"])] == [
        ("pool.yaml", 4, "maxPods"),
        ("pool.yaml", 5, "evictionHard"),
        ("pool.yaml", 6, "evictionHard[memory.available]"),
    ]


def test_duplicates_in_a_layer_are_found_by_validate() -> None:
    document = load([("base.yaml", BASE), ("pool.yaml", KUBELET_HEADER + "maxPods: 1\nmaxPods: 2\n")]).document
    assert [(finding.file, finding.line, finding.rule) for finding in check(document)] == [
        ("base.yaml", 4, "evict-partial"),
        ("pool.yaml", 4, "duplicate"),
    ]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("kind: KubeletConfiguration\n", "apiVersion"),
        ("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeProxyConfiguration\n", "kind"),
        ("", ""),
        ("- a\n", ""),
        ("a: [\n", "a"),
    ],
)
def test_a_layer_that_does_not_fit(text: str, path: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        load([("base.yaml", BASE), ("bad.yaml", text)])
    assert {(finding.file, finding.field) for finding in caught.value.findings} >= {("bad.yaml", path)}


def test_a_load_without_layers_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one layer"):
        load([])
