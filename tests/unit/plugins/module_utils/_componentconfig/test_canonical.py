# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Equal data have equal bytes, and a component is not restarted for nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._canonical import canonical, same

HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}


def test_the_form() -> None:
    assert (
        canonical({"b": [1, 1.0, 1.5, True, None], "a": "\u00e9"}) == '{"a":"\u00e9","b":[1,1,1.5,true,null]}'.encode()
    )


@pytest.mark.parametrize("data", [float("nan"), {"a": float("inf")}, {1: 2}])
def test_what_json_cannot_hold(data: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        canonical(data)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"maxPods": None}),
        ({}, {"clusterDNS": []}),
        ({}, {"kubeReserved": {}}),
        ({}, {"authentication": {"x509": {}}}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"memoryThrottlingFactor": 1}, {"memoryThrottlingFactor": 1.0}),
    ],
)
def test_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert same({**HEAD, **old}, {**HEAD, **new})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"evictionHard": {}}),  # no eviction at all, not the default
        ({}, {"enforceNodeAllocatable": []}),
        ({}, {"tracing": {}}),
        ({"clusterDNS": ["a", "b"]}, {"clusterDNS": ["b", "a"]}),
        ({"failSwapOn": False}, {"failSwapOn": 0}),
        ({"maxPods": 1}, {"maxPods": "1"}),
        ({}, {"unknown": {}}),
    ],
)
def test_not_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert not same({**HEAD, **old}, {**HEAD, **new})


def test_of_an_unknown_kind_only_null_is_absent() -> None:
    assert same({"kind": "X", "a": None}, {"kind": "X"})
    assert not same({"kind": "X", "a": []}, {"kind": "X"})
    assert same(None, None)
    assert not same(None, {})
