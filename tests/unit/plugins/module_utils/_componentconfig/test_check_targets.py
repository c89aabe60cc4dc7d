# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config for a pool of several versions: a finding names the versions and the nodes that it concerns."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._collector import Targets
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.kubelet import KUBELET_HEADER

NODES = {"old-1": "v1.27.3", "old-2": "v1.27.16", "mid-1": "v1.31.4", "new-1": "v1.36.0"}


def summarize(text: str) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    return [
        (finding.field, finding.message, finding.versions, finding.nodes)
        for finding in check(KUBELET_HEADER + text, nodes=NODES)
    ]


@pytest.mark.parametrize(
    ("text", "path", "message", "versions", "nodes"),
    [
        (
            "crashLoopBackOff: {}\n",
            "crashLoopBackOff",
            "unknown field: KubeletConfiguration knows it from Kubernetes 1.32 "
            "(Kubernetes 1.27, 1.31: mid-1, old-1, old-2)",
            ("1.27", "1.31"),
            ("mid-1", "old-1", "old-2"),
        ),
        (
            "tlsCurvePreferences: [29]\n",
            "tlsCurvePreferences",
            "unknown field: KubeletConfiguration knows it from Kubernetes 1.36 "
            "(Kubernetes 1.27, 1.31: mid-1, old-1, old-2)",
            ("1.27", "1.31"),
            ("mid-1", "old-1", "old-2"),
        ),
        (
            "featureGates: {KubeletCgroupDriverFromCRI: true}\n",
            "featureGates.KubeletCgroupDriverFromCRI",
            "unknown feature gate: it comes with Kubernetes 1.28 (Kubernetes 1.27: old-1, old-2)",
            ("1.27",),
            ("old-1", "old-2"),
        ),
        (
            "maxPods: -1\n",
            "maxPods",
            "must be >= 0",
            ("1.27", "1.31", "1.36"),
            ("mid-1", "new-1", "old-1", "old-2"),
        ),
    ],
)
def test_what_some_nodes_lack(
    text: str, path: str, message: str, versions: tuple[str, ...], nodes: tuple[str, ...]
) -> None:
    assert summarize(text) == [(path, message, versions, nodes)]


def test_the_description_names_a_few_nodes_and_the_list_has_them_all() -> None:
    pool = Targets([], {f"n{number}": "1.27" for number in range(5)} | {"other": "1.36"}, 30)
    assert pool.describe([27]) == " (Kubernetes 1.27: n0, n1, n2 and 2 more)"
    assert pool.nodes_at([27, 36]) == ("n0", "n1", "n2", "n3", "n4", "other")


def test_minors_come_from_versions_and_nodes_or_from_the_default() -> None:
    assert Targets(["1.35"], {"a": "v1.31.1"}, 30).minors == [31, 35]
    assert Targets(["1.35"], {"a": "v1.31.1"}, 30).describe([35]) == " (Kubernetes 1.35)"
    assert Targets([], {}, 30).minors == [30]


def test_a_node_of_no_version_is_named() -> None:
    with pytest.raises(ConfigError, match="node a: not a Kubernetes version: 'new'"):
        Targets([], {"a": "new"}, 30)
