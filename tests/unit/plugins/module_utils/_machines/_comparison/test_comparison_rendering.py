# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison of two clusters as text and as data."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from ansible_collections.configok.node.plugins.module_utils._machines._comparison._compare_clusters import (
    ClusterComparison,
    compare_clusters,
)
from ansible_collections.configok.node.plugins.module_utils._machines._comparison._members import Member
from ansible_collections.configok.node.plugins.module_utils._machines._comparison._rendering import (
    diff_of,
    render_comparison,
    to_dict,
)

HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
BEFORE = [
    Member(f"n{number}", "1.34.9", labels={"zone": "a"}, effective={"kubelet": HEAD}, group_labels={"zone": "a"})
    for number in range(4)
]
AFTER = [replace(member, effective={"kubelet": {**HEAD, "maxPods": 90}}) for member in BEFORE[:2]] + [
    BEFORE[2],
    replace(BEFORE[3], name="m3"),
]
COMPARISON = compare_clusters(BEFORE, AFTER)


def test_machines_with_the_same_differences_are_one_entry() -> None:
    lines = render_comparison(COMPARISON)
    assert [re.split(" {3,}", line.strip()) for line in lines] == [
        ["Only before: n3"],
        ["Only after: m3"],
        [""],
        ["2 machines (n0, n1):"],
        ["COMPONENT", "FIELD", "BEFORE", "AFTER", "DISRUPTION"],
        ["kubelet", "maxPods", "110", "90", "restart-may-reject"],
        [""],
        ["1 machine without a difference."],
    ]


def test_an_empty_comparison_and_equal_clusters_each_have_a_line() -> None:
    assert render_comparison(ClusterComparison()) == ["There is no machine to compare."]
    assert render_comparison(compare_clusters(BEFORE, BEFORE)) == ["4 machines without a difference."]


def test_groups_have_their_sizes() -> None:
    lines = render_comparison(compare_clusters(BEFORE, AFTER[:2], group_by="zone"))
    assert lines[0] == "Group a: 4 machines before, 2 machines after"
    assert any("maxPods" in line for line in lines)


def test_the_data_have_only_what_differs() -> None:
    value = to_dict(COMPARISON)
    assert json.loads(json.dumps(value)) == value
    assert [entry["before"] for entry in value["machines"]] == ["n0", "n1"]
    assert value["machines"][0]["differences"] == [
        {
            "component": "kubelet",
            "path": "maxPods",
            "before": "110",
            "after": "90",
            "disruption": "restart-may-reject",
        }
    ]
    assert (value["only_before"], value["only_after"]) == (["n3"], ["m3"])


def test_the_diff_has_both_sides() -> None:
    first = diff_of(COMPARISON)[0]
    assert (first["before"], first["after"]) == ("kubelet maxPods: 110\n", "kubelet maxPods: 90\n")


def test_a_hostile_name_cannot_reach_the_terminal() -> None:
    odd = replace(BEFORE[0], name="n\x1b[2J")
    comparison = compare_clusters([odd], [])
    assert all(line.isprintable() for line in render_comparison(comparison))
