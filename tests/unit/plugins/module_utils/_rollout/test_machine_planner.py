# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of Machines: which are moved, in which order, and which are refused or left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions import transitions
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.machine_planner import (
    HOST_SECONDS,
    left_behind_warnings,
    make_machine_plan,
    needs_run,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.cordon import CordonMark
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import PLANNED, Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._report.rendering import render_plan
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import MachineGoal
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Plan, Target, Wave
from support.rollouts.views import a_source, a_view

NOW = "2026-01-01T00:00:00Z"
SAME = MachineGoal(None, kubelet_version="1.35.0", needs_host=False, needs_drain=False)
UPDATE = MachineGoal(None, kubelet_version="1.35.1")
LABEL = replace(SAME, labels={"disk": "ssd"})
CREATE = MachineGoal(None, action="create", kubelet_version="1.35.1", labels={"disk": "ssd", "old": None})
DELETE = MachineGoal(None, action="delete")
REPLACE = MachineGoal(None, action="replace", annotation='{"providerHash": "2"}')


def a_plan(
    goals: dict[str, MachineGoal], *views: NodeView, record: Record | None = None, labels: Any = None, **policy: Any
) -> Plan:
    """Return the plan of machines with these goals. views: instead of the healthy Nodes that they have."""
    nodes = {name: a_view(name) for name, goal in goals.items() if goal.action != "create"}
    nodes.update({view.name: view for view in views})
    target = Target.of_machines("machines-1", "1" * 16, goals)
    policy = {"canary": {"count": 1}, "waves": ["100%"], "maxUnavailable": 1, **policy}
    return make_machine_plan(
        nodes.values(), target, parse_policy(policy), record or Record("machines"), name="machines", labels=labels
    )


def waves(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {wave.name: wave.nodes for wave in plan.waves}


@pytest.mark.parametrize(
    ("goal", "view", "part"),
    [
        (SAME, a_view("m"), "already"),
        (SAME, a_view("m", ready=None), "already"),
        (SAME, a_view("m", agent=False), "skipped"),
        (UPDATE, a_view("m"), "canary"),
        (UPDATE, a_view("m", ready=False), "broken canary"),
        (UPDATE, a_view("m", agent=False), "skipped"),
        (UPDATE, a_view("m", cause="OptedOut"), "skipped"),
        (UPDATE, a_view("m", kubelet_version="v2.0.0-next"), "skipped"),
        (UPDATE, a_view("m", deleting=True), "skipped"),
        (UPDATE, a_view("m", kubelet_version="v1.35.1"), "already"),
        (LABEL, a_view("m"), "canary"),
        (LABEL, a_view("m", labels={"disk": "ssd"}), "already"),
        (CREATE, None, "canary"),
        (CREATE, a_view("m", agent=False, ready=False), "broken canary"),
        (DELETE, a_view("m"), "canary"),
        (DELETE, a_view("m", agent=False, ready=None, deleting=True), "canary"),
        (REPLACE, a_view("m", agent=False), "canary"),
        (SAME, a_view("m", cordoned_by=CordonMark("machines").encode()), "canary"),
        (SAME, a_view("m", cordoned_by=CordonMark("workers").encode()), "already"),
    ],
)
def test_each_machine_is_in_one_part_of_the_plan(goal: MachineGoal, view: NodeView | None, part: str) -> None:
    plan = a_plan({"m": goal, "other": SAME}, *([view] if view else []))
    parts = {
        **waves(plan),
        "already": tuple(name for name in plan.unmoved.already_on_target if name == "m"),
        "skipped": tuple(node.node for node in plan.unmoved.skipped),
    }
    assert [name for name, nodes in parts.items() if "m" in nodes] == [part]


def test_a_machine_to_delete_that_has_no_node_is_done() -> None:
    target = Target.of_machines("machines-1", "1" * 16, {"m": DELETE, "n": SAME})
    plan = make_machine_plan([a_view("n")], target, parse_policy({}), Record("machines"), name="machines")
    assert plan.unmoved.already_on_target == ("m", "n")
    assert not plan.has_work
    assert not needs_run(plan, [a_view("n")])
    assert render_plan(plan)[1] == "Nothing to do: 2 of 2 machines are as declared already."


def test_machines_to_create_are_covered_by_what_they_declare() -> None:
    goals = {"a": UPDATE, "b": UPDATE, "c": UPDATE, "new": CREATE}
    zones = {"new": {"topology.kubernetes.io/zone": "z9"}}
    plan = a_plan(goals, labels=zones, canary={"count": 2, "cover": ["zone", "disk"]})
    assert "new" in waves(plan)["canary"]
    assert plan.refusals == ()


def test_percentages_are_of_the_nodes_that_exist_while_these_are_changed() -> None:
    new = {f"n{number:02d}": CREATE for number in range(45)}
    existing = {f"m{number}": UPDATE for number in range(5)}
    assert a_plan({**existing, **new}, maxUnavailable="10%").limits.max_unavailable == 1
    labelled = dict.fromkeys(existing, LABEL)
    assert a_plan({**labelled, **new}, maxUnavailable="10%").limits.max_unavailable == 5
    assert a_plan(new, maxUnavailable="10%").limits.max_unavailable == 4
    reason = "maxUnavailable 5 allows everything: all 5 nodes of pool machines at once"
    assert a_plan({**existing, **new}, maxUnavailable=5).refusals == (reason,)


def test_what_an_earlier_run_has_left_and_this_one_leaves_out_is_named() -> None:
    marked = [a_view(name, cordoned_by=CordonMark("machines").encode()) for name in ("a", "b")]
    others = a_view("c", cordoned_by=CordonMark("workers").encode())
    begun = Rollout(
        1, Target.of_machines("machines-0", "0" * 64, {}), PLANNED, (Wave("canary", ("b",), 1.0),), 1, "", ""
    )
    record = Record("machines", rollout=begun)
    plan = a_plan({"a": UPDATE}, marked[0], record=record)
    warnings = left_behind_warnings(record, plan, [*marked, others])
    assert warnings[0].startswith("the rollout of machines-0 is not finished (Planned): this one takes its place")
    assert warnings[1].startswith("Node b: still cordoned by an earlier run of machines")
    assert left_behind_warnings(replace(record, rollout=None), plan, [marked[0], others]) == []
    assert left_behind_warnings(record, a_plan({"c": SAME}), []) == []


def test_deletions_come_last_and_alone_they_have_a_canary() -> None:
    goals = {"a": DELETE, "b": UPDATE, "c": UPDATE, "d": DELETE, "new": CREATE}
    assert list(waves(a_plan(goals)).values())[-1] == ("a", "d")
    assert waves(a_plan({"a": DELETE, "b": DELETE, "c": SAME})) == {"canary": ("a",), "wave 1": ("b",)}


def test_only_machines_that_have_pods_are_drained() -> None:
    plan = a_plan({"a": UPDATE, "b": LABEL, "c": DELETE, "new": CREATE, "d": REPLACE})
    assert plan.to_drain == ("a", "c", "d")
    assert plan.estimate > 4 * HOST_SECONDS


def test_a_config_that_needs_a_drain_or_a_reboot_has_it() -> None:
    goals = {"a": replace(LABEL, disruption="drain+state"), "b": replace(LABEL, disruption="restart"), "c": SAME}
    assert (a_plan(goals).to_drain, a_plan(goals).to_reboot) == (("a",), ())
    goals["b"] = replace(LABEL, disruption="reboot")
    plan = a_plan(goals, reboot={"allowed": True})
    assert (plan.to_drain, plan.to_reboot, plan.refusals) == (("a", "b"), ("b",), ())
    assert a_plan(goals).refusals == ("1 machine (b): its config needs a reboot: set policy.reboot.allowed",)
    goals["b"] = replace(LABEL, disruption="restart")
    assert "class restart is forbidden" in a_plan(goals, forbid=["restart"]).refusals[-1]


@pytest.mark.parametrize(
    ("goals", "policy", "reason"),
    [
        ({"a": UPDATE, "b": SAME}, {"forbid": ["drain"]}, "1 machine (a): its class drain is forbidden"),
        ({"a": REPLACE, "b": SAME}, {"forbid": ["replace"]}, "1 machine (a): its class replace is forbidden"),
        ({"a": LABEL, "b": CREATE}, {"forbid": ["drain", "replace"]}, ""),
        ({"a": UPDATE}, {"onFailure": "rollback"}, "policy.onFailure: rollback is not possible with Machines"),
        ({"a": UPDATE, "b": SAME}, {"maxUnavailable": 2}, "maxUnavailable 2 allows everything"),
        ({}, {}, "there is no Machine to plan for"),
    ],
)
def test_what_a_policy_forbids_is_refused(goals: Any, policy: dict[str, Any], reason: str) -> None:
    refusals = a_plan(goals, **policy).refusals
    assert [refusal for refusal in refusals if not refusal.startswith(reason)] == []
    assert bool(refusals) is bool(reason)


def test_a_machine_whose_node_has_gone_is_planned_again() -> None:
    target = Target.of_machines("machines-1", "1" * 16, {"m": UPDATE, "n": UPDATE})
    plan = make_machine_plan([a_view("n")], target, parse_policy({}), Record("machines"), name="machines")
    assert plan.refusals == ("m lost its Node while it was planned: run it again",)


def test_a_rollout_that_was_begun_keeps_its_waves() -> None:
    """Machines that it has deleted, or has not created yet, have not vanished; one without a goal of that kind has."""
    goals = {"a": DELETE, "b": CREATE, "c": UPDATE}
    target = Target.of_machines("machines-1", "1" * 16, goals)
    frozen = (Wave("canary", ("b",), 1.0), Wave("wave 1", ("c", "a", "gone"), 1.0))
    begun = Rollout(1, Target.from_dict(target.to_dict()), PLANNED, frozen, 4, "now", "now")
    record = Record("machines", rollout=begun)
    plan = make_machine_plan([a_view("c")], target, parse_policy({}), record, name="machines")
    assert waves(plan) == {"canary": ("b",), "wave 1": ("c", "a")}
    assert (plan.is_resumed, plan.unmoved.vanished) == (True, ("gone",))


def test_the_config_of_a_machine_is_not_given_again_to_a_node_that_refused_it() -> None:
    source = a_source()
    refused = a_view("m", source=source, config_ok="False", active=None)
    goals = {name: replace(UPDATE, source=source, needs_host=False) for name in ("m", "n")}
    assert [node.node for node in a_plan(goals, refused).unmoved.skipped] == ["m"]


def test_what_a_machine_was_is_recorded_when_it_enters_a_wave() -> None:
    views = [a_view("a"), a_view("b")]
    begun = transitions.start_rollout(Record("machines"), a_plan({"a": UPDATE, "b": SAME}), views, NOW)
    plan = a_plan({"a": UPDATE, "b": REPLACE}, record=begun)
    renewed = [replace(views[0], uid="registered again"), views[1]]
    entered = transitions.enter_wave(begun, plan, len(plan.waves) - 1, renewed, runner="r", now=NOW)
    machines = transitions.current_rollout(entered).start.previous_machines
    assert {name: was.uid for name, was in machines.items()} == {view.name: view.uid for view in views}
