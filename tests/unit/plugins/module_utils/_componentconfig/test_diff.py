# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences field by field."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import (
    Change,
    diff,
    effective_diff,
)
from support.configs.kubelet import KUBELET_KIND


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({}, {}, []),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": None}, {}, []),
        ({"a": 1}, {"a": True}, [Change("a", 1, True)]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 2}}, [Change("a.b", 1, 3)]),
        ({"a": [1, 2]}, {"a": [2, 1]}, [Change("a", [1, 2], [2, 1])]),
        ({}, {"a": {"b": {"c": 1}}}, [Change("a.b.c", None, 1)]),
        ({"a": {"b.c": 1}}, {}, [Change("a[b.c]", 1, None)]),
        ({"a": {"b": 1}}, {"a": "x"}, [Change("a", {"b": 1}, "x")]),
        ({}, {"a": {}}, [Change("a", None, {})]),
        ({"b": 1, "a": 1}, {}, [Change("a", 1, None), Change("b", 1, None)]),
    ],
)
def test_a_diff_has_the_fields_that_changed(old: Any, new: Any, changes: list[Change]) -> None:
    assert diff(old, new) == changes


def paths(old: dict[str, Any], new: dict[str, Any], minors: tuple[int, int] = (36, 36)) -> list[str]:
    return [field.change.path for field in effective_diff({**KUBELET_KIND, **old}, {**KUBELET_KIND, **new}, minors)]


@pytest.mark.parametrize(
    ("old", "new", "minors", "expected"),
    [
        ({}, {"maxPods": 110}, (36, 36), []),
        ({}, {"maxPods": 120}, (36, 36), ["maxPods"]),
        ({"syncFrequency": "60s"}, {"syncFrequency": "1m"}, (36, 36), []),
        ({"clusterDNS": []}, {"clusterDNS": None}, (36, 36), []),
        ({"syncFrequency": "0s"}, {}, (36, 36), []),
        ({"containerLogMaxFiles": 7}, {}, (36, 36), ["containerLogMaxFiles"]),
        ({}, {}, (26, 27), ["eventBurst", "eventRecordQPS", "kubeAPIBurst", "kubeAPIQPS", "memoryThrottlingFactor"]),
    ],
)
def test_an_effective_diff_counts_the_defaults_of_both_minors(
    old: dict[str, Any], new: dict[str, Any], minors: tuple[int, int], expected: list[str]
) -> None:
    assert set(paths(old, new, minors)) >= set(expected)
    if minors[0] == minors[1]:
        assert paths(old, new, minors) == expected


def test_a_field_that_an_upgrade_brings_asks_for_no_drain() -> None:
    disruptions = {
        field.change.path: field.disruption.name for field in effective_diff(KUBELET_KIND, KUBELET_KIND, (26, 36))
    }
    assert disruptions["podLogsDir"] == "restart"
    assert disruptions["failCgroupV1"] == "restart-crash-risk"
    assert "logging.flushFrequency" not in disruptions  # 5000000000 and 5s
    back = {field.change.path: field.disruption.name for field in effective_diff(KUBELET_KIND, KUBELET_KIND, (36, 26))}
    assert back["podLogsDir"] == "restart"
    own = effective_diff(KUBELET_KIND, KUBELET_KIND, (26, 36), {"podLogsDir": "reboot"})
    assert {field.change.path: field.disruption.name for field in own}["podLogsDir"] == "reboot"
    moved = {**KUBELET_KIND, "podLogsDir": "/srv/logs"}
    disruptions = {field.change.path: field.disruption.name for field in effective_diff(KUBELET_KIND, moved, (26, 36))}
    assert disruptions["podLogsDir"] == "drain"


def test_one_side_may_be_empty() -> None:
    (change,) = effective_diff({}, {**KUBELET_KIND, "maxPods": 9}, (36, 36))
    assert str(change) == "maxPods: 110 -> 9"
    (change,) = effective_diff({**KUBELET_KIND, "maxPods": 9}, {}, (36, 36))
    assert str(change) == "maxPods: 9 -> 110"


def test_secrets_are_not_shown() -> None:
    (change,) = effective_diff({}, {**KUBELET_KIND, "clusterDNS": ["token"]}, (36, 36))
    assert "a secret" not in str(change)
    (change,) = effective_diff({}, {**KUBELET_KIND, "staticPodURLHeader": {"token": ["a"]}}, (36, 36))
    assert str(change) == "staticPodURLHeader.token: <unset> -> (a secret, not shown)"
    (change,) = effective_diff({}, {**KUBELET_KIND, "clusterDomain": "Bearer abcdefghijklmnopqrstuvwx"}, (36, 36))
    assert str(change) == "clusterDomain: <unset> -> (a secret, not shown)"
