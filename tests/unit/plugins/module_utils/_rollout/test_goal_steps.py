# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps by which each kind of goal is reached, for each situation of a node, and how a mover carries them out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import NodeAssignment
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import PreviousMachine
from ansible_collections.configok.node.plugins.module_utils._rollout._run import _steps
from ansible_collections.configok.node.plugins.module_utils._rollout._run._move_result import MoveKind, MoveResult
from ansible_collections.configok.node.plugins.module_utils._rollout._run._node_facts import NodeFacts
from ansible_collections.configok.node.plugins.module_utils._rollout._run._node_move import NodeMove
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import (
    Assign,
    AwaitNode,
    AwaitWatch,
    ChangeHost,
    Declare,
    DeleteNode,
    Drain,
    Goal,
    MachineGoal,
    Situation,
    Step,
    TakeBack,
)
from support.rollouts.views import a_source, a_view

CONFIG = Goal(a_source())
UPDATE = MachineGoal(a_source(), kubelet_version="1.35.1", needs_host=True)
LABELS = MachineGoal(a_source(), labels={"disk": "ssd"}, needs_host=False, needs_drain=False)
CREATE = MachineGoal(a_source(), "create")
REPLACE = MachineGoal(a_source(), "replace")
DELETE = MachineGoal(None, "delete")

UP = Situation(uid="1", is_ready=True, former_uid="1")
DOWN = replace(UP, is_ready=False)
MARKED = replace(UP, is_marked=True)
NO_NODE = Situation()
ASSIGN = Assign(possibly_assigned=False, forget_bad=False)
TO_DELETE = (Drain(for_host=True), ChangeHost("delete", DELETE), DeleteNode())


@pytest.mark.parametrize(
    ("node", "steps"),
    [
        (UP, [ASSIGN]),
        (replace(UP, possibly_assigned=True, forget_bad=True), [Assign(possibly_assigned=True, forget_bad=True)]),
        (replace(UP, asks_drain=True), [Drain(), ASSIGN]),
        (replace(UP, asks_drain=True, asks_reboot=True), [Drain(reboot=True), ASSIGN]),
        (MARKED, [Drain(), ASSIGN]),
        (replace(UP, asks_drain=True, uses_config=True), [ASSIGN]),
        (replace(DOWN, asks_drain=True), [Drain(), ASSIGN]),
        (replace(DOWN, asks_drain=True, is_broken_wave=True), [Drain(evicts=False), ASSIGN]),
    ],
)
def test_a_config_is_assigned_to_a_node_that_is_drained_if_its_change_asks_for_it(
    node: Situation, steps: list[Step]
) -> None:
    assert list(CONFIG.steps(node)) == steps


@pytest.mark.parametrize(
    ("goal", "node", "steps"),
    [
        (LABELS, UP, [Declare(LABELS, assigns=False)]),
        (LABELS, replace(UP, asks_drain=True), [Drain(), Declare(LABELS, assigns=False)]),
        (LABELS, replace(UP, asks_drain=True, has_reached_goal=True), [Declare(LABELS, assigns=False)]),
        (
            LABELS,
            replace(UP, possibly_assigned=True, forget_bad=True),
            [Declare(LABELS, assigns=False, possibly_assigned=True, forget_bad=True)],
        ),
        (UPDATE, UP, [Drain(for_host=True), ChangeHost("update", UPDATE), Declare(UPDATE, assigns=True)]),
        (
            UPDATE,
            replace(DOWN, is_broken_wave=True),
            [Drain(evicts=False, for_host=True), ChangeHost("update", UPDATE), Declare(UPDATE, assigns=True)],
        ),
    ],
)
def test_a_machine_is_drained_and_its_host_changed_before_its_node_is_declared(
    goal: MachineGoal, node: Situation, steps: list[Step]
) -> None:
    assert list(goal.steps(node)) == steps


@pytest.mark.parametrize(
    ("node", "changes_host"),
    [
        (MARKED, True),
        (replace(MARKED, possibly_assigned=True), False),
        (replace(MARKED, possibly_assigned=True, changes_versions=True), True),
        (replace(UP, changes_versions=True), False),
    ],
)
def test_a_host_that_may_be_half_changed_is_changed_again(node: Situation, changes_host: bool) -> None:
    steps = LABELS.steps(node)
    assert (ChangeHost("update", LABELS) in steps) is changes_host
    assert (Drain(for_host=True) in steps) is changes_host
    assert steps[-1] == Declare(LABELS, changes_host, node.possibly_assigned)


def test_a_new_machine_gets_a_host_and_a_node() -> None:
    made = [ChangeHost("create", CREATE), AwaitNode(), Declare(CREATE, assigns=True), AwaitWatch()]
    assert list(CREATE.steps(NO_NODE)) == made
    assert list(CREATE.steps(replace(UP, is_marked=True, has_reached_goal=True))) == made


@pytest.mark.parametrize("goal", [CREATE, REPLACE])
def test_a_machine_that_an_earlier_run_has_made_is_only_declared(goal: MachineGoal) -> None:
    assert list(goal.steps(replace(UP, has_reached_goal=True))) == [
        Declare(goal, assigns=False, possibly_assigned=True)
    ]


def test_a_replaced_machine_is_deleted_first_unless_an_earlier_run_has_deleted_it() -> None:
    old = replace(UP, uid="old", former_uid="old")
    deleted = [Drain(for_host=True), ChangeHost("delete", REPLACE), DeleteNode()]
    made = [
        ChangeHost("create", REPLACE),
        AwaitNode("old"),
        Declare(REPLACE, assigns=True, old_uid="old"),
        AwaitWatch(),
    ]
    assert list(REPLACE.steps(old)) == [*deleted, *made]
    assert list(REPLACE.steps(replace(old, uid="new"))) == made
    assert list(REPLACE.steps(Situation(former_uid="old"))) == made


def test_a_deleted_machine_loses_its_pods_its_host_and_its_node() -> None:
    assert DELETE.steps(UP) == TO_DELETE
    for node in (DOWN, replace(UP, is_deleting=True)):
        assert DELETE.steps(node) == (Drain(evicts=False, for_host=True), *TO_DELETE[1:])
    assert DELETE.steps(NO_NODE) == ()


def test_only_a_machine_has_steps_back() -> None:
    assert CONFIG.steps_back(UP) == ()
    assert UPDATE.steps_back(UP) == (Drain(for_host=True), TakeBack(UPDATE))
    assert UPDATE.steps_back(DOWN) == (Drain(evicts=False, for_host=True), TakeBack(UPDATE))
    assert UPDATE.steps_back(MARKED) == (TakeBack(UPDATE),)


@pytest.mark.parametrize(
    ("goal", "node", "is_half_done"),
    [
        (CONFIG, replace(MARKED, is_ready=False), False),
        (UPDATE, MARKED, True),
        (LABELS, MARKED, False),
        (LABELS, replace(MARKED, changes_versions=True), True),
        (UPDATE, DOWN, False),
        (CREATE, replace(DOWN, former_uid=""), True),
        (CREATE, replace(UP, former_uid=""), False),
        (CREATE, replace(DOWN, former_uid="", has_reached_goal=True), False),
    ],
)
def test_a_change_of_a_host_is_half_done_if_its_node_is_marked_or_new_and_down(
    goal: Goal, node: Situation, is_half_done: bool
) -> None:
    assert goal.is_half_done(node) is is_half_done


def test_a_situation_is_what_node_record_and_plan_say() -> None:
    mark = '{"pool":"workers"}'
    view = a_view("n", source=a_source(), assigned_id=1, unschedulable=True, cordoned_by=mark, ready=False)
    facts = NodeFacts(
        "workers",
        {"n": view},
        to_drain={"n"},
        machines={"n": PreviousMachine("before", "v1.35.0")},
        is_broken_wave=True,
    )
    assert facts.situation("n", view, UPDATE, possibly_assigned=True) == Situation(
        uid="uid-of-n",
        is_marked=True,
        uses_config=True,
        former_uid="before",
        changes_versions=True,
        asks_drain=True,
        is_broken_wave=True,
        possibly_assigned=True,
    )
    assert NodeFacts("workers", {}).situation("n", None, UPDATE) == Situation()
    assert NodeFacts("others", {"n": view}).situation("n", view, DELETE).is_marked is False


def test_only_a_machine_whose_versions_are_known_can_be_taken_back() -> None:
    before = {"n": PreviousMachine("before", "v1.35.0")}
    returning = replace(UPDATE, previous={"kubelet": "1.35.0", "runtime": ("containerd", "2.1.0")})
    assert NodeFacts("p", {}, machines=before).can_roll_back("n", UPDATE)
    assert NodeFacts("p", {}).can_roll_back("n", returning)
    assert NodeFacts("p", {}).previous("n", returning) == PreviousMachine("", "1.35.0", "containerd", "2.1.0")
    assert not NodeFacts("p", {}).can_roll_back("n", UPDATE)
    for goal in (CONFIG, LABELS, CREATE, DELETE):
        assert not NodeFacts("p", {}, machines={"n": PreviousMachine("before")}).can_roll_back("n", goal)


def test_each_kind_of_step_is_carried_out_by_a_function_of_its_own() -> None:
    assert set(_steps.STEPS) == set(get_args(Step))
    assert len(set(_steps.STEPS.values())) == len(_steps.STEPS)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let each step note itself, and be done; return the notes."""
    notes: list[Any] = []
    monkeypatch.setattr(_steps, "STEPS", {kind: lambda _move, step: notes.append(step) for kind in get_args(Step)})
    return notes


def a_move() -> NodeMove:
    tools: Any = None
    return NodeMove(tools, "n", a_view("n"), CONFIG)


def test_steps_follow_each_other_in_order(asked: list[Any]) -> None:
    move = a_move()
    move.assignment = NodeAssignment(a_view("n"), 7, True)
    assert _steps.carry_out(move, TO_DELETE) == MoveResult(MoveKind.ASSIGNED, move.assignment)
    assert asked == list(TO_DELETE)
    assert _steps.carry_out(a_move(), ()) == MoveResult(MoveKind.DELETED, reason="it is deleted")


@pytest.mark.parametrize("result", [_steps.WAIT, MoveResult(MoveKind.HOST_FAILED, reason="no answer")])
def test_a_step_that_waits_or_has_failed_ends_the_move(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, result: MoveResult
) -> None:
    monkeypatch.setitem(_steps.STEPS, ChangeHost, lambda _move, _step: result)
    assert _steps.carry_out(a_move(), TO_DELETE) == result
    assert asked == [TO_DELETE[0]]
