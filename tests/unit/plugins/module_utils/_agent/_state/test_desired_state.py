# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state: the annotations compared with the last answered assignment."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._state.desired_state import (
    DesiredKind,
    NodeAnnotations,
    read_desired_state,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import (
    LOCAL_CONFIG,
    AnsweredAssignment,
    AssignmentFailure,
    ConfigRecord,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource

NAMESPACE = "configok-system"
A = ConfigSource(NAMESPACE, "pool-a", "a" * 36)
B = ConfigSource(NAMESPACE, "pool-b", "b" * 36)
USING_A = ConfigRecord(A, node_uid="n", assignment=5)
ANSWERED_A = AnsweredAssignment("n", 5, A)
FAILED_B = AnsweredAssignment("n", 6, B, AssignmentFailure("CrashLoop", B.uid))


@pytest.mark.contract("assignment.stale", "source.absent-unassigns", "source.absent-is-lost", "source.absent-other-uid")
@pytest.mark.parametrize(
    ("source", "assignment", "node", "answered", "current", "kind", "new"),
    [
        (None, None, "n", AnsweredAssignment(), LOCAL_CONFIG, DesiredKind.LOCAL, False),
        (None, "3", "n", AnsweredAssignment(), LOCAL_CONFIG, DesiredKind.LOCAL, True),
        (A, "1", "n", AnsweredAssignment(), LOCAL_CONFIG, DesiredKind.ADOPT, True),
        (A, "5", "n", ANSWERED_A, USING_A, DesiredKind.KEEP, False),
        (A, "6", "n", ANSWERED_A, USING_A, DesiredKind.KEEP, True),
        (B, "6", "n", ANSWERED_A, USING_A, DesiredKind.ADOPT, True),
        (B, "6", "n", AnsweredAssignment("n", 6, B), USING_A, DesiredKind.ADOPT, False),  # answered, then interrupted
        (B, "6", "n", FAILED_B, USING_A, DesiredKind.FAILED, False),
        (B, "7", "n", FAILED_B, USING_A, DesiredKind.ADOPT, True),
        (A, "7", "n", FAILED_B, USING_A, DesiredKind.KEEP, True),
        (B, "4", "n", ANSWERED_A, USING_A, DesiredKind.STALE, False),
        (A, "4", "n", ANSWERED_A, USING_A, DesiredKind.STALE, False),
        (B, "5", "n", ANSWERED_A, USING_A, DesiredKind.STALE, False),  # the id was given to another source
        (B, None, "n", ANSWERED_A, USING_A, DesiredKind.INVALID, False),
        (B, "x", "n", ANSWERED_A, USING_A, DesiredKind.INVALID, False),
        (None, None, "n", ANSWERED_A, USING_A, DesiredKind.LOST, False),
        (None, "5", "n", ANSWERED_A, USING_A, DesiredKind.LOST, False),
        (None, "4", "n", ANSWERED_A, USING_A, DesiredKind.LOST, False),
        (None, "6", "n", ANSWERED_A, USING_A, DesiredKind.UNASSIGN, True),
        (
            None,
            "6",
            "n",
            AnsweredAssignment("n", 6),
            USING_A,
            DesiredKind.LOST,
            False,
        ),  # assignment 6 had an invalid source, which was removed since
        (None, "6", "n", AnsweredAssignment("n", 6), LOCAL_CONFIG, DesiredKind.LOCAL, False),
        (None, "7", "n", FAILED_B, LOCAL_CONFIG, DesiredKind.UNASSIGN, True),
        (None, "9", "other", ANSWERED_A, USING_A, DesiredKind.LOST, False),  # another Node object of the same name
        (
            None,
            "9",
            "other",
            AnsweredAssignment("other", 9),
            USING_A,
            DesiredKind.LOST,
            False,
        ),  # 9 came with that Node object
        (
            None,
            "10",
            "other",
            AnsweredAssignment("other", 9),
            USING_A,
            DesiredKind.UNASSIGN,
            True,
        ),  # 10 is newer
        (None, None, "other", AnsweredAssignment("other"), USING_A, DesiredKind.LOST, False),
        (None, "1", "other", AnsweredAssignment("other"), USING_A, DesiredKind.UNASSIGN, True),
        (A, "1", "other", ANSWERED_A, USING_A, DesiredKind.KEEP, True),
        (B, "1", "other", ANSWERED_A, USING_A, DesiredKind.ADOPT, True),
    ],
)
def test_the_desired_state_follows_from_the_assignment_and_the_last_answer(
    source: ConfigSource | None,
    assignment: str | None,
    node: str,
    answered: AnsweredAssignment,
    current: ConfigRecord,
    kind: DesiredKind,
    new: bool,
) -> None:
    view = NodeAnnotations(node, None if source is None else source.encode(), assignment)
    desired_state = read_desired_state(view, answered, current, NAMESPACE)
    assert (desired_state.kind, desired_state.is_new) == (kind, new)
    if kind in (DesiredKind.LOST, DesiredKind.STALE):
        assert desired_state.answered.failure is None or desired_state.answered == answered
    if new:
        assert (desired_state.answered.id, desired_state.answered.source) == (int(assignment or 0), source)


def test_an_invalid_source_is_answered_all_the_same() -> None:
    desired_state = read_desired_state(NodeAnnotations("n", "{}", "6"), ANSWERED_A, USING_A, NAMESPACE)
    assert (desired_state.kind, desired_state.answered) == (DesiredKind.INVALID, AnsweredAssignment("n", 6))
    again = read_desired_state(NodeAnnotations("n", "{}", "6"), desired_state.answered, USING_A, NAMESPACE)
    assert again.kind == DesiredKind.INVALID


@pytest.mark.contract("source.absent-other-uid")
@pytest.mark.parametrize(("assignment", "seen"), [(None, 0), ("9", 9)])
def test_the_ids_that_a_registered_node_brings_along_are_remembered(assignment: str | None, seen: int) -> None:
    desired_state = read_desired_state(NodeAnnotations("other", None, assignment), ANSWERED_A, USING_A, NAMESPACE)
    assert (desired_state.kind, desired_state.answered) == (DesiredKind.LOST, AnsweredAssignment("other", seen))


@pytest.mark.contract("assignment.answered")
def test_an_id_after_the_highest_that_can_be_chosen_is_accepted() -> None:
    highest = 2**53 - 1
    desired_state = read_desired_state(
        NodeAnnotations("n", B.encode(), str(highest + 1)), AnsweredAssignment("n", highest, A), USING_A, NAMESPACE
    )
    assert (desired_state.kind, desired_state.answered.id) == (DesiredKind.ADOPT, highest + 1)
    far = read_desired_state(NodeAnnotations("n", B.encode(), str(highest + 1)), ANSWERED_A, USING_A, NAMESPACE)
    assert (far.kind, far.answered) == (DesiredKind.INVALID, ANSWERED_A)


@pytest.mark.contract("assignment.forget-bad")
def test_forget_bad_travels_with_the_assignment() -> None:
    desired_state = read_desired_state(
        NodeAnnotations("n", B.encode(), '{"id": 6, "forgetBad": true}'), ANSWERED_A, USING_A, NAMESPACE
    )
    assert desired_state.forget_bad
