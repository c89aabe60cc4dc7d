# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The assignment: an id that only grows, and both annotations in one patch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    LAST_ID,
    MAX_ID,
    Assignment,
    ConfigSource,
    InvalidAssignment,
    assignment_patch,
    next_id,
)
from support.fuzz.settings import fuzz

SOURCE = ConfigSource("configok-system", "workers-0123456789", "5f1c6dd2-8d3c-4d7a-9e57-0c6c0b1c2a11")


@fuzz(100)
@given(st.builds(Assignment, st.integers(1, MAX_ID), st.booleans(), st.none() | st.floats(0, 2592000)))
def test_an_assignment_is_parsed_as_it_was_encoded(assignment: Assignment) -> None:
    assert Assignment.parse(assignment.encode()) == assignment


def test_plain_ids_stay_human_readable() -> None:
    assert Assignment(7).encode() == "7"
    assert Assignment(7, forget_bad=True).encode() == '{"id":7,"forgetBad":true}'
    assert Assignment(7, confirm_after=120.0).encode() == '{"id":7,"confirmAfter":120}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is not JSON"),
        ("seven", "it is not JSON"),
        ("0", "the id must be a whole number from 1"),
        ("-1", "the id must be a whole number from 1"),
        ("true", "the id must be a whole number from 1"),
        ("7.5", "the id must be a whole number from 1"),
        (str(MAX_ID + 1), "the id must be a whole number from 1"),
        ("{}", "the id must be a whole number from 1"),
        ('{"id": 7, "forgetBad": "yes"}', "forgetBad must be true or false"),
        ('{"id": 7, "confirmAfter": "2m"}', "confirmAfter must be a number of seconds from 0 to 2592000"),
        ('{"id": 7, "confirmAfter": -1}', "confirmAfter must be a number of seconds from 0 to 2592000"),
        ('{"id": 7, "confirmAfter": null}', "confirmAfter must be a number of seconds from 0 to 2592000"),
        ('{"id": 7, "confirmAfter": true}', "confirmAfter must be a number of seconds from 0 to 2592000"),
        ('{"id": 7, "confirmAfter": NaN}', "(confirmAfter must be a number of seconds|it is not JSON)"),
        ('{"id": 7, "forgetbad": true}', "unknown field 'forgetbad'"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidAssignment, match=f"^invalid assignment, {message}"):
        Assignment.parse(text)


@pytest.mark.contract("assignment.answered")
@pytest.mark.parametrize(
    ("annotations", "answered", "expected"),
    [
        ({}, 0, 1),
        ({}, 4, 5),
        ({"configok.dev/assignment": "9"}, 4, 10),
        ({"configok.dev/assignment": "3"}, 4, 5),
        ({"configok.dev/assignment": "broken"}, 4, 5),
        ({"configok.dev/assignment": '{"id": 12, "forgetBad": true}'}, 0, 13),
    ],
)
def test_next_id_is_above_what_was_given_and_answered(
    annotations: dict[str, str], answered: int, expected: int
) -> None:
    assert next_id(annotations, answered) == expected


@pytest.mark.contract("assignment.answered")
@pytest.mark.parametrize("last", [MAX_ID, MAX_ID - 1, MAX_ID + 1, 2**60, LAST_ID, LAST_ID + 1, 10**4299])
@pytest.mark.parametrize("has_answered", [True, False])
def test_an_id_set_by_hand_leaves_room_for_the_ids_that_follow(last: int, has_answered: bool) -> None:
    """After any id, answered by the node or not, the node accepts the next one."""
    text, answered = str(last), 3
    for _rollout in range(5):
        if has_answered:
            try:
                answered = max(answered, Assignment.parse(text, answered=answered).id)
            except InvalidAssignment:
                pass
        following = next_id({"configok.dev/assignment": text}, answered)
        assert following > answered
        text = Assignment(following).encode()
        assert Assignment.parse(text, answered=answered).id == following


@pytest.mark.parametrize("digits", [21, 4300, 4301, 100_000])
def test_a_number_of_thousands_of_digits_is_refused_in_our_own_words(digits: int) -> None:
    with pytest.raises(InvalidAssignment, match=f"a number has {digits} digits, at most 20 are allowed") as caught:
        Assignment.parse("9" * digits)
    assert "set_int_max_str_digits" not in str(caught.value)


@pytest.mark.contract("source.annotation", "assignment.answered")
def test_one_patch_carries_both_annotations() -> None:
    patch = assignment_patch(SOURCE, Assignment(2), resource_version="17")
    assert patch["metadata"]["resourceVersion"] == "17"
    annotations = patch["metadata"]["annotations"]
    assert annotations == {"configok.dev/config-source": SOURCE.encode(), "configok.dev/assignment": "2"}


def test_unassigning_removes_the_source_under_a_new_assignment() -> None:
    assert assignment_patch(None, Assignment(3)) == {
        "metadata": {"annotations": {"configok.dev/config-source": None, "configok.dev/assignment": "3"}}
    }
