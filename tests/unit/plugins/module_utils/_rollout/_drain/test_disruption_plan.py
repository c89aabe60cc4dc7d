# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes a change drains or reboots, what a policy forbids, and the keys of a pool file about it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import Change, FieldChange
from ansible_collections.configok.node.plugins.module_utils._componentconfig.disruption import (
    Disruption,
    disruption_classes,
)
from ansible_collections.configok.node.plugins.module_utils._operations.bundle_changes import diff_documents
from ansible_collections.configok.node.plugins.module_utils._rollout import InvalidPool
from ansible_collections.configok.node.plugins.module_utils._rollout._drain._settings import (
    DrainSettings,
    RebootSettings,
    forbidding_class,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.disruption_plan import (
    DisruptionPlan,
    plan_disruption,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy
from support.configs.kubelet import kubelet_config

ALLOWED = RebootSettings(allowed=True)


class Group(NamedTuple):
    nodes: tuple[str, ...]
    changes: list[tuple[str, FieldChange]] | None


def a_change(path: str, name: str) -> tuple[str, FieldChange]:
    return "kubelet", FieldChange(Change(path, 1, 2), Disruption(name, ""))


def plan(*groups: Group, reboot: RebootSettings = ALLOWED, forbid: tuple[str, ...] = ()) -> DisruptionPlan:
    total = len({name for group in groups for name in group.nodes})
    return plan_disruption(groups, total, reboot=reboot, forbid=forbid)


@pytest.mark.parametrize("name", list(disruption_classes()))
def test_the_classes_that_need_a_drain(name: str) -> None:
    decided = plan(Group(("n1",), [a_change("maxPods", name)]))
    assert bool(decided.to_drain) is (name in ("drain", "drain+state", "reboot", "replace"))
    assert bool(decided.to_reboot) is (name == "reboot")
    assert bool(decided.refusals) is (name == "replace")


def test_only_the_nodes_with_such_a_change_are_drained() -> None:
    decided = plan(
        Group(("n2", "n1"), [a_change("cpuManagerPolicy", "drain+state"), a_change("maxPods", "restart-may-reject")]),
        Group(("n3",), [a_change("maxPods", "restart-may-reject")]),
        Group(("n4",), [a_change("kubeletCgroups", "reboot")]),
    )
    assert decided == DisruptionPlan(to_drain=("n1", "n2", "n4"), to_reboot=("n4",))


@pytest.mark.complaint(
    "kubespray #8535: changing the CPU manager policy crash-loops until a state file is deleted and the node drained"
)
def test_the_engines_own_diff_decides() -> None:
    before, after = kubelet_config("cpuManagerPolicy: none"), kubelet_config("cpuManagerPolicy: static")
    changes = diff_documents({"kubelet": before}, {"kubelet": after}, ["1.35"])
    assert plan(Group(("n1",), changes)).to_drain == ("n1",)
    overridden = diff_documents(
        {"kubelet": before}, {"kubelet": after}, ["1.35"], {"kubelet": {"cpuManagerPolicy": "restart"}}
    )
    assert plan(Group(("n1",), overridden)) == DisruptionPlan()


def test_a_reboot_that_the_policy_does_not_allow_refuses_the_change_with_its_field() -> None:
    group = Group(("n1", "n2"), [a_change("kubeletCgroups", "reboot")])
    assert plan(group, reboot=RebootSettings()).refusals == (
        "kubelet kubeletCgroups changes on 2 nodes (n1, n2): it needs a reboot: set policy.reboot.allowed, or give the "
        "field another class in disruptionOverrides",
    )


def test_a_replacement_cannot_be_carried_out() -> None:
    (refusal,) = plan(Group(("n1",), [a_change("cgroupDriver", "replace")])).refusals
    assert refusal.startswith("kubelet cgroupDriver changes on 1 node (n1): its class replace cannot be carried out")
    assert refusal.endswith("or give the field another class in disruptionOverrides")


def test_a_refusal_names_each_field_once_with_all_its_nodes() -> None:
    decided = plan(
        Group(("n1", "n3"), [a_change("cpuManagerPolicy", "drain+state")]),
        Group(("n2", "n4", "n5"), [a_change("cpuManagerPolicy", "drain+state"), a_change("seccompDefault", "drain")]),
        forbid=("drain",),
    )
    assert decided.refusals == (
        "kubelet cpuManagerPolicy changes on 5 nodes (n1, n2, n3, n4 and 1 more): its class drain+state is forbidden "
        "by policy.forbid, as drain is",
        "kubelet seccompDefault changes on 3 nodes (n2, n4, n5): its class drain is forbidden by policy.forbid",
    )


@pytest.mark.parametrize(
    ("forbid", "forbidden"),
    [
        ((), set()),
        (("reboot",), {"reboot"}),
        (("drain+state",), {"drain+state"}),
        (("drain",), {"drain", "drain+state", "reboot", "replace"}),
        (("restart-may-reject", "reboot"), {"restart-may-reject", "reboot"}),
        (("restart",), set(disruption_classes()) - {"none", "live"}),
    ],
)
def test_a_class_forbids_those_that_include_it(forbid: tuple[str, ...], forbidden: set[str]) -> None:
    assert {name for name in disruption_classes() if forbidding_class(name, forbid)} == forbidden


def test_changes_that_are_not_known_are_a_warning_or_refused_where_a_class_is_forbidden() -> None:
    group = Group(("n1", "n2"), None)
    assert plan(group).warnings == ("what changes on 2 nodes (n1, n2) is not known: they are moved without a drain",)
    assert plan(group, forbid=("reboot",)).refusals == (
        "what changes on 2 nodes (n1, n2) is not known, and policy.forbid forbids reboot: publish what they use now "
        "with configok.node.provision",
    )


def test_a_release_without_nodes_drains_none_and_is_still_refused() -> None:
    decided = plan(Group((), [a_change("cgroupDriver", "replace")]))
    assert (decided.to_drain, len(decided.refusals)) == ((), 1)
    assert decided.refusals[0].startswith("kubelet cgroupDriver changes: its class replace")


# --- the pool file


def test_a_policy_has_defaults() -> None:
    policy = parse_policy({})
    assert policy.drain == DrainSettings(timeout=600.0, grace_period=None, force=False, delete_empty_dir_data=False)
    assert policy.reboot == RebootSettings(allowed=False, timeout=600.0, playbook="")
    assert policy.disruptions.forbid == ()


def test_the_keys_of_a_policy_are_read() -> None:
    policy = parse_policy(
        {
            "drain": {"timeout": "1h", "gracePeriod": "90s", "force": True, "deleteEmptyDirData": True},
            "reboot": {"allowed": True, "timeout": "20m", "playbook": "playbooks/reboot.yml"},
            "forbid": ["replace", "restart-containers"],
        }
    )
    assert policy.drain == DrainSettings(3600.0, 90, True, True)
    assert policy.reboot == RebootSettings(True, 1200.0, "playbooks/reboot.yml")
    assert policy.disruptions.forbid == ("replace", "restart-containers")


@pytest.mark.parametrize(("value", "seconds"), [(0, 0), ("0", 0), ("500ms", 1), (30, 30), ("1m", 60)])
def test_a_grace_period_is_whole_seconds(value: Any, seconds: int) -> None:
    assert parse_policy({"drain": {"gracePeriod": value}}).drain.grace_period == seconds


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"drain": {"timeout": 0}}, "policy.drain.timeout: 0 would wait without an end"),
        ({"drain": {"timeout": "soon"}}, "policy.drain.timeout: 'soon' must be a duration"),
        ({"drain": {"gracePeriod": -1}}, "policy.drain.gracePeriod: '-1' must be a duration"),
        ({"drain": {"force": "yes"}}, "policy.drain.force: must be true or false"),
        ({"drain": {"deleteLocalData": True}}, "policy.drain.deleteLocalData: unknown field"),
        ({"drain": []}, "policy.drain: must be a mapping"),
        ({"reboot": {"allowed": 1}}, "policy.reboot.allowed: must be true or false"),
        ({"reboot": {"timeout": "0s"}}, "policy.reboot.timeout: 0 would wait without an end"),
        ({"reboot": True}, "policy.reboot: must be a mapping"),
        ({"forbid": "drain"}, "policy.forbid: must be a list"),
        ({"forbid": ["drains"]}, "policy.forbid: 'drains' must be one of restart, restart-clients"),
        ({"forbid": ["none"]}, "policy.forbid: 'none' must be one of"),
        ({"forbid": ["drain", "drain"]}, "policy.forbid: names something twice"),
    ],
)
def test_errors_name_their_key(policy: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidPool) as error:
        parse_policy(policy)
    assert any(sentence.startswith(words) for sentence in error.value.errors), error.value.errors


def test_what_a_few_nodes_say_that_they_use_leaves_them_out() -> None:
    liar, others = Group(("n1",), [a_change("kubeletCgroups", "reboot")]), Group(("n2", "n3"), [a_change("a", "drain")])
    decided = plan(liar, others, reboot=RebootSettings(allowed=False))
    assert (decided.refusals, decided.to_drain, decided.to_reboot) == ((), ("n2", "n3"), ())
    assert decided.left_out["n1"].startswith("kubelet kubeletCgroups would change: it needs a reboot")
    unknown = plan(Group(("n1",), None), others, forbid=("replace",))
    assert (unknown.refusals, list(unknown.left_out)) == ((), ["n1"])
    half = plan(Group(("n1", "n4"), None), others, forbid=("replace",))
    assert (len(half.refusals), half.left_out) == (1, {})
