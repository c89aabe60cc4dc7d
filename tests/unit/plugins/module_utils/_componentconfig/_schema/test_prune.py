# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that mean the same as absent, and values that mean "nothing", by kind."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import canonical
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import prune
from support.configs.kubelet import KUBELET_KIND


def same(old: Any, new: Any) -> bool:
    return canonical(prune(old)) == canonical(prune(new))


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
def test_values_that_change_nothing_are_the_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert same({**KUBELET_KIND, **old}, {**KUBELET_KIND, **new})


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
def test_values_that_change_something_are_not_the_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert not same({**KUBELET_KIND, **old}, {**KUBELET_KIND, **new})


def test_no_taints_are_not_the_taints_that_kubeadm_gives_by_default() -> None:
    head = {"apiVersion": "kubeadm.k8s.io/v1beta2", "kind": "JoinConfiguration"}
    assert not same({**head, "nodeRegistration": {}}, {**head, "nodeRegistration": {"taints": []}})


def test_of_an_unknown_kind_only_null_is_absent() -> None:
    assert same({"kind": "X", "a": None}, {"kind": "X"})
    assert not same({"kind": "X", "a": []}, {"kind": "X"})
    assert same(None, None)
    assert not same(None, {})
