# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals of nodes: what a Node lacks, and which nodes have reached theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_goals import (
    InstalledVersions,
    describe_drift,
    has_reached,
    installed_versions,
    taints_to_remove,
    unmet,
    with_versions,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import node_view, reduce_node
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import Goal, MachineGoal
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from support.rollouts.views import a_source, a_target, a_view

TAINT = ("dedicated", "db", "NoSchedule")
VIEW = a_view(
    "n",
    source=a_source(),
    kubelet_version="v1.34.9",
    runtime=("containerd", "1.7.24~ds1-6"),
    labels={"disk": "ssd"},
    taints=(TAINT, ("old", "", "NoExecute")),
    machine='{"provider": "DebianHost", "providerHash": "0123456789"}',
)


def test_the_annotation_says_what_is_installed() -> None:
    text = '{"machine":"n","kubelet":"1.34.9-1.1","runtime":"containerd 1.7.24~ds1-6","previous":{"kubelet":"1"}}'
    view = replace(VIEW, machine=text, system=VIEW.system._replace(runtime=("containerd", "1.7.24~ds1")))
    assert installed_versions(view) == InstalledVersions("1.34.9-1.1", ("containerd", "1.7.24~ds1-6"))
    goal = MachineGoal(None, kubelet_version="1.34.9-1.1", runtime=("containerd", "1.7.24~ds1-6"))
    assert unmet(view, goal) == ""
    earlier = InstalledVersions("1.34.8-1.1")
    assert with_versions(text, earlier) == '{"machine":"n","kubelet":"1.34.8-1.1"}'
    assert installed_versions(replace(view, machine="[not ours")) == InstalledVersions()
    assert with_versions("", earlier) == ""
    changed = '{"machine":"n","providerHash":"2222222222","previous":{"kubelet":"1","providerHash":"1111111111"}}'
    assert with_versions(changed, earlier) == '{"machine":"n","providerHash":"1111111111","kubelet":"1.34.8-1.1"}'


@pytest.mark.parametrize(
    ("declared", "missing"),
    [
        ({}, ""),
        ({"kubelet_version": "1.34.9"}, ""),
        ({"kubelet_version": "1.34"}, ""),
        ({"kubelet_version": "1.34.9-1.1"}, "it reports kubelet 1.34.9, not 1.34.9-1.1"),
        ({"kubelet_version": "1.34.10"}, "it reports kubelet 1.34.9, not 1.34.10"),
        ({"runtime": ("containerd", "1.7")}, ""),
        ({"runtime": ("containerd", "")}, ""),
        ({"runtime": ("cri-o", "1.7.24")}, "it reports containerd 1.7.24~ds1-6, not cri-o 1.7.24"),
        ({"runtime": ("containerd", "2.1")}, "it reports containerd 1.7.24~ds1-6, not containerd 2.1"),
        ({"labels": {"disk": "ssd", "gone": None}}, ""),
        ({"labels": {"disk": "hdd"}}, "it does not have the label disk=hdd"),
        ({"labels": {"disk": None}}, "it has the label disk"),
        ({"taints": (TAINT,)}, ""),
        ({"taints": (("dedicated", "db", "NoExecute"),)}, "it does not have the taint dedicated=db:NoExecute"),
        ({"untaint": ("old",)}, "it has the taint old:NoExecute"),
        ({"untaint": ("old:NoSchedule",)}, ""),
        ({"taints": (TAINT,), "untaint": ("dedicated",)}, ""),
        ({"action": "replace", "annotation": '{"providerHash":"0123456789","provider":"DebianHost"}'}, ""),
        ({"action": "replace", "annotation": '{"providerHash":"other"}'}, "it is not replaced yet"),
    ],
)
def test_what_a_node_lacks(declared: dict[str, Any], missing: str) -> None:
    goal = MachineGoal(a_source(), **declared)
    assert unmet(VIEW, goal) == missing
    assert has_reached(VIEW, goal) is not bool(missing)
    assert bool(describe_drift(VIEW, goal)) is bool(missing)


def test_a_goal_needs_the_config_too() -> None:
    assert has_reached(VIEW, Goal(a_source()))
    assert not has_reached(VIEW, MachineGoal(a_source(2), kubelet_version="1.34.9"))
    assert not has_reached(VIEW, MachineGoal(None))
    assert "another client assigned it" in describe_drift(VIEW, MachineGoal(a_source(2)))


def test_a_machine_to_delete_has_reached_its_goal_without_a_node() -> None:
    goal = MachineGoal(None, action="delete")
    assert has_reached(None, goal)
    assert not has_reached(VIEW, goal)
    assert not has_reached(None, MachineGoal(None, action="create"))


def test_a_taint_with_another_effect_is_another_taint() -> None:
    goal = MachineGoal(None, taints=(TAINT,), untaint=("old", "dedicated:NoExecute"))
    assert taints_to_remove(VIEW, goal) == (("old", "", "NoExecute"),)


def test_a_view_has_what_machines_are_compared_with() -> None:
    taints = [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}, {"key": "k", "effect": "NoExecute"}]
    node = {
        "metadata": {"name": "n", "annotations": {"configok.dev/machine": '{"machine":"n"}', "other": "x"}},
        "spec": {"taints": taints, "podCIDR": "10.0.0.0/24"},
        "status": {"nodeInfo": {"containerRuntimeVersion": "cri-o://1.30.2", "kubeletVersion": "v1.34.9"}},
    }
    view = node_view(reduce_node(node))
    assert view == node_view(node)
    assert view.system.runtime == ("cri-o", "1.30.2")
    assert view.taints == (TAINT, ("k", "", "NoExecute"))
    assert view.machine == '{"machine":"n"}'
    assert node_view({"metadata": {"name": "n"}}).system.runtime == ("", "")


def test_a_target_of_machines_is_stored_without_its_goals() -> None:
    target = Target.of_machines("machines-0123456789", "0123456789abcdef", {"n": MachineGoal(a_source())})
    stored = Target.from_dict(target.to_dict())
    assert stored == target
    assert (stored.is_machines, stored.is_init, stored.is_published, stored.source) == (True, False, True, None)
    assert (target.goal("n"), target.goal("other"), stored.goal("n")) == (MachineGoal(a_source()), None, None)


def test_a_target_without_a_kind_is_a_config() -> None:
    value = a_target().to_dict()
    assert "kind" not in value
    assert Target.from_dict(value).goal("any") == Goal(a_source())
    assert Target.init().goal("any") == Goal(None)
