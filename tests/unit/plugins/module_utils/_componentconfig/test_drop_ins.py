# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers written as drop-ins, and findings on values that a kubelet would read differently."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check, check_each_version
from ansible_collections.configok.node.plugins.module_utils._componentconfig.drop_ins import (
    DropIn,
    drop_in_findings,
    write_drop_ins,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, bounded
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from support.configs.kubelet import KUBELET_HEADER, KUBELET_KIND
from support.fuzz.settings import fuzz

VARIABLE = "KUBELET_CONFIG_DROPIN_DIR_ALPHA"


def as_drop_ins(layers: list[tuple[str, str]], versions: list[str]) -> tuple[list[DropIn], list[Finding]]:
    config = load(layers)
    files = write_drop_ins(config)
    findings = check_each_version(config, partial(drop_in_findings, config), versions=versions)
    return files, bounded([*check(config, versions=versions), *findings])


def drop_ins_and_findings(*texts: str, versions: list[str]) -> tuple[list[DropIn], list[Finding]]:
    layers = [(f"layers/{name}.yaml", KUBELET_HEADER + text) for name, text in zip(("base", "pool", "site"), texts)]
    return as_drop_ins(layers, versions)


def summarize(*texts: str, versions: list[str]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (finding.level, finding.field, finding.versions)
        for finding in drop_ins_and_findings(*texts, versions=versions)[1]
    ]


def test_names_sort_as_the_layers_do() -> None:
    names = ["a/base.yaml", "Pool A.yml", "/etc/x.d/.conf", "content", *(f"{number}.yaml" for number in range(8))]
    files = write_drop_ins(load([(name, KUBELET_HEADER) for name in names]))
    assert [drop_in.name for drop_in in files[:4]] == [
        "010-base.conf",
        "020-pool-a.conf",
        "030-layer.conf",
        "040-content.conf",
    ]
    assert [drop_in.name for drop_in in files] == sorted(drop_in.name for drop_in in files)
    assert [drop_in.layer for drop_in in files] == names


def test_each_is_a_config_of_its_own() -> None:
    files, findings = drop_ins_and_findings(
        "maxPods: 100\n", "maxPods: null\nclusterDNS: [10.0.0.10]\n", versions=["1.36"]
    )
    assert [(drop_in.name, drop_in.text) for drop_in in files] == [
        ("10-base.conf", KUBELET_HEADER + "maxPods: 100\n"),
        ("20-pool.conf", KUBELET_HEADER + "maxPods: null\nclusterDNS:\n  - 10.0.0.10\n"),
    ]
    assert findings == []


@pytest.mark.parametrize(
    ("texts", "versions", "expected"),
    [
        (["maxPods: 1\n"], ["1.27"], [("policy", "", ("1.27",))]),
        (["maxPods: 1\n"], ["1.28", "1.29", "1.30"], [("warning", "", ("1.28", "1.29"))]),
        (["failSwapOn: false\n"], ["1.28"], [("warning", "", ("1.28",)), ("policy", "failSwapOn", ("1.28",))]),
        (
            ["maxPods: 60\n", "podsPerCore: 5\n"],
            ["1.28"],
            [("warning", "", ("1.28",)), ("policy", "maxPods", ("1.28",))],
        ),
        (["maxPods: 60\n", "maxPods: null\n"], ["1.31"], []),
        (["syncFrequency: 0s\n"], ["1.31", "1.32"], [("policy", "syncFrequency", ("1.31",))]),
        (
            ["evictionHard: {memory.available: 1Gi, nodefs.available: 9%, nodefs.inodesFree: 9%}\n"],
            ["1.31", "1.36"],
            [
                ("warning", "evictionHard", ("1.31", "1.36")),
                ("policy", "evictionHard[imagefs.available]", ("1.31", "1.36")),
                ("policy", "evictionHard[imagefs.inodesFree]", ("1.31", "1.36")),
            ],
        ),
    ],
)
def test_what_a_kubelet_makes_something_else_of(
    texts: list[str], versions: list[str], expected: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    assert summarize(*texts, versions=versions) == expected


def test_a_warning_says_what_the_kubelet_makes_of_a_drop_in() -> None:
    (warning, zero) = drop_ins_and_findings("failSwapOn: false\n", versions=["1.28"])[1]
    assert VARIABLE in warning.message
    assert str(zero) == (
        "layers/base.yaml:3: failSwapOn: false: as drop-ins the kubelet makes true of it, not false: defaults are "
        "filled into each drop-in and override what was there, and a zero, false or empty value in a drop-in does not"
    )


def test_only_a_kubelets_config_is_written_as_drop_ins() -> None:
    text = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
    with pytest.raises(ConfigError, match="only a KubeletConfiguration can be written as drop-ins"):
        as_drop_ins([("a.yaml", text)], [])


KIND = find_kind("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration")
FIELDS = st.sampled_from(sorted(KIND.fields if KIND else ()))
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(["", "0", "0s", "1Gi", "x"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["key", "format", ""]), inner, max_size=2)
    ),
    max_leaves=5,
)


@fuzz(100)
@given(st.lists(st.dictionaries(FIELDS, ODD, max_size=4), min_size=1, max_size=3))
def test_each_layer_becomes_a_drop_in_whatever_it_holds(layers: list[dict[str, Any]]) -> None:
    head = KUBELET_KIND
    texts = [(f"{number}.json", json.dumps({**head, **layer})) for number, layer in enumerate(layers)]
    files, _findings = as_drop_ins(texts, ["1.28", "1.31", "1.36"])
    assert len(files) == len(layers)
