# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""etcd spares a member only while a majority of all voters runs without it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._static_pods.etcd_members import (
    EtcdState,
    Member,
    MemberStatus,
)

A, B, C = (Member(name, f"n-{name}") for name in "abc")
WELL = MemberStatus(leader="a", last_entry=5000)
AWAY = MemberStatus(problem="https://10.0.0.3:2379: connection refused")


def state(*others: tuple[Member, MemberStatus | None], **fields: Any) -> EtcdState:
    """Return the state with this node's member a, and others."""
    members = (A, *(member for member, _status in others))
    statuses = {member.id: status for member, status in others if status is not None}
    return EtcdState("a", members, {"a": WELL, **statuses}, **fields)


@pytest.mark.parametrize(
    ("present", "reason"),
    [
        (state(), ""),
        (state((B, WELL), (C, WELL)), ""),
        (state((B, WELL), (C, WELL._replace(last_entry=4000))), ""),
        (state((B, WELL)), "2 of 2 members must run without it, and 1 do"),
        (state((B, WELL), (C, AWAY)), "2 of 3 members must run without it, and 1 do (n-c: https://10.0.0.3:2379: con"),
        (state((B, WELL), (C, None)), "and 1 do (n-c: it was not asked)"),
        (state((B, WELL), (Member("c", ""), None)), "and 1 do (the member c: it was never started)"),
        (state((B, WELL), (C, MemberStatus())), "and 1 do (n-c: it has no leader)"),
        (state((B, WELL), (C, WELL._replace(last_entry=3999))), "and 1 do (n-c: it is 1001 entries of the log behind)"),
        (state((B, WELL), (C._replace(is_learner=True), WELL)), "n-c has no vote yet"),
        (state((B, WELL), (C, WELL), alarms=("NOSPACE", "NOSPACE")), "it has the alarm NOSPACE: an operator must"),
    ],
)
def test_a_member_is_kept_while_the_others_need_it(present: EtcdState, reason: str) -> None:
    assert reason in present.reason_to_keep(is_fallback=False)
    assert bool(reason) == bool(present.reason_to_keep(is_fallback=False))


def test_for_options_that_worked_before_only_the_other_voters_count() -> None:
    learner = C._replace(is_learner=True), WELL
    for others, reason in (
        (((B, WELL), (C, WELL)), ""),
        (((B, WELL), (C, AWAY)), "2 of 3"),
        (((B, WELL), learner), "2 of 2"),
    ):
        assert reason in state(*others, alarms=("NOSPACE",)).reason_to_keep(is_fallback=True)


def test_five_members_spare_one_while_another_is_away() -> None:
    members = [Member(name, f"n-{name}") for name in "bcde"]
    assert (
        state(*((member, WELL) for member in members[:3]), (members[3], AWAY)).reason_to_keep(is_fallback=False) == ""
    )
    assert state(
        *((member, WELL) for member in members[:2]), *((member, AWAY) for member in members[2:])
    ).reason_to_keep(is_fallback=False)


def test_a_node_whose_member_is_not_in_the_list_is_not_judged_by_it() -> None:
    assert (
        EtcdState("z", (A, B, C), {}).reason_to_keep(is_fallback=False)
        == "the list of members does not have this node's"
    )


@pytest.mark.parametrize(
    ("size", "quota", "fits", "fits_as_fallback"),
    [
        (1 << 30, 0, True, True),
        (2 << 30, 0, False, False),
        (2 << 30, 4 << 30, True, True),
        (1000, 1001, False, True),
        (9 << 30, -1, True, True),
    ],
)
def test_a_quota_leaves_room_for_the_data_that_is_there(
    size: int, quota: int, fits: bool, fits_as_fallback: bool
) -> None:
    present = state((B, WELL._replace(size=size)), (C, WELL))
    for is_fallback, expected in ((False, fits), (True, fits_as_fallback)):
        assert (present.reason_against_quota(quota, is_fallback=is_fallback) == "") == expected
