# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The mark of a cordon: whose it is, and who may take it back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._drain.cordon import (
    CordonMark,
    cordon_patch,
    is_cordoned_by_others,
    is_reboot_pending,
    marking_pool,
    own_cordons,
    uncordon_patch,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import node_view, reduce_node
from support.rollouts.views import a_view

ANNOTATION = "configok.dev/cordoned-by"


def test_one_patch_cordons_and_marks() -> None:
    patch = cordon_patch(CordonMark("workers", "2026-01-01T00:00:00Z"), resource_version="7")
    assert patch["spec"] == {"unschedulable": True}
    assert patch["metadata"]["resourceVersion"] == "7"
    value = json.loads(patch["metadata"]["annotations"][ANNOTATION])
    assert value == {"pool": "workers", "time": "2026-01-01T00:00:00Z"}


def test_one_patch_takes_both_back() -> None:
    patch = uncordon_patch(resource_version="7", keep_cordon=False)
    metadata = {"annotations": {ANNOTATION: None}, "resourceVersion": "7"}
    assert patch == {"metadata": metadata, "spec": {"unschedulable": None}}
    assert uncordon_patch(resource_version="7", keep_cordon=True) == {"metadata": metadata}


def test_a_node_shows_its_cordon_and_its_mark_also_when_it_is_reduced() -> None:
    node: dict[str, Any] = {
        "metadata": {"name": "n1", "annotations": {ANNOTATION: CordonMark("workers", "now").encode()}},
        "spec": {"unschedulable": True, "podCIDR": "10.0.0.0/24"},
        "status": {"nodeInfo": {"bootID": "b00t"}},
    }
    for view in (node_view(node), node_view(reduce_node(node))):
        assert (view.unschedulable, marking_pool(view), view.system.boot_id) == (True, "workers", "b00t")
    del node["spec"]["unschedulable"], node["metadata"]["annotations"]
    for view in (node_view(node), node_view(reduce_node(node))):
        assert (view.unschedulable, marking_pool(view)) == (False, "")


def test_only_the_marks_of_this_pool_are_its_own() -> None:
    views = [
        a_view("n3", cordoned_by=CordonMark("workers").encode(), unschedulable=True),
        a_view("n1", cordoned_by=CordonMark("workers").encode()),
        a_view("n2", cordoned_by=CordonMark("workers-2").encode(), unschedulable=True),
        a_view("n4", unschedulable=True),
        a_view("n5", cordoned_by="workers", unschedulable=True),
    ]
    assert own_cordons(views, "workers") == ("n1", "n3")


@pytest.mark.parametrize(
    "text",
    ["", "workers", "[]", "null", '{"pool": 1}', '{"pool": ""}', "{", '"workers"', '{"time": "now"}', "[" * 100_000],
)
def test_a_mark_that_no_rollout_has_written_is_ignored(text: str) -> None:
    assert CordonMark.parse(text) is None
    assert marking_pool(a_view("n1", cordoned_by=text, unschedulable=True)) == ""


def test_a_later_release_may_add_fields_to_a_mark() -> None:
    assert CordonMark.parse('{"pool":"workers","time":"now","reason":"drain"}') == CordonMark("workers", "now")


def test_a_mark_may_demand_a_reboot_and_keep_an_operators_cordon() -> None:
    mark = CordonMark("workers", "now", reboot_from="b00t", keep_cordon=True)
    assert CordonMark.parse(mark.encode()) == mark
    assert json.loads(mark.encode()) == {"pool": "workers", "time": "now", "rebootFrom": "b00t", "keepCordon": True}
    assert "spec" not in cordon_patch(mark, resource_version="7")


@pytest.mark.parametrize(
    ("reboot_from", "boot_id", "pool", "pending"),
    [
        ("b1", "b1", "workers", True),
        ("b1", "b2", "workers", False),
        ("b1", "b1", "workers-2", False),
        ("", "", "workers", False),
        ("", "b1", "workers", False),
    ],
)
def test_a_reboot_is_pending_until_the_boot_id_changes(
    reboot_from: str, boot_id: str, pool: str, pending: bool
) -> None:
    mark = CordonMark(pool, "now", reboot_from)
    assert is_reboot_pending(a_view("n1", cordoned_by=mark.encode(), boot_id=boot_id), "workers") is pending


def managed(*managers: str) -> dict[str, Any]:
    fields = [
        {"manager": "kubelet", "fieldsV1": {"f:status": {"f:conditions": {}}}},
        *({"manager": manager, "fieldsV1": {"f:spec": {"f:unschedulable": {}}}} for manager in managers),
    ]
    return {"metadata": {"managedFields": fields}}


def test_the_managed_fields_tell_a_cordon_that_an_operator_has_made_since() -> None:
    assert not is_cordoned_by_others(managed("configok-rollout"))
    assert is_cordoned_by_others(managed("kubectl-cordon"))
    assert not is_cordoned_by_others(managed()), "without a word about it, the mark decides"
    assert not is_cordoned_by_others({"metadata": {}})
    assert not is_cordoned_by_others({"metadata": {"managedFields": [{"manager": "x", "fieldsV1": None}]}})
