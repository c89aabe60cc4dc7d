# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The confirmation of an assignment, step by step."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._state.confirmation import (
    confirmation_due,
    is_confirmation_close,
    plan_confirmation,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ComponentsObservation
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import Moment
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import (
    AnsweredAssignment,
    AssignmentFailure,
    Confirmation,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigOkStatus

ASKED = AnsweredAssignment("node", 7, confirmation=Confirmation(60.0))
COUNTING = ASKED._replace(confirmation=Confirmation(60.0, "boot-1", 1000.0, {"kubelet": "i1"}))
GIVEN = ASKED._replace(confirmation=Confirmation(60.0, "boot-1", 1000.0, {"kubelet": "i1"}, is_given=True))


def at(now: float, boot: str = "boot-1") -> Moment:
    return Moment(now, boot, "2026-01-01T00:00:00Z")


def seen(invocation: str = "i1", *, probed_at: float = 0.0) -> ComponentsObservation:
    return ComponentsObservation(
        healthy=True,
        failed="",
        detail="",
        within=0.0,
        stopped="",
        seconds=0.0,
        healthy_for=0.0,
        states={},
        invocations={"kubelet": invocation},
        probed_at=probed_at,
    )


@pytest.mark.contract("confirm.after-the-soak", "confirm.probes-again", "confirm.begins-again")
@pytest.mark.parametrize(
    ("answered", "config_ok", "components", "moment", "expected"),
    [
        (AnsweredAssignment("node", 7), "True", seen(), at(1000), None),
        (ASKED, "Unknown", seen(), at(1000), None),
        (ASKED, "True", seen(), at(1000), COUNTING),
        (COUNTING, "True", seen(probed_at=1059), at(1059), None),
        (COUNTING, "True", seen(probed_at=1059), at(1061), None),  # no probe since the end of the soak
        (COUNTING, "True", seen(probed_at=1060), at(1061), GIVEN),
        (COUNTING, "True", seen(probed_at=1900), at(1900), GIVEN),  # the agent was away meanwhile
        (COUNTING, "False", seen(probed_at=1060), at(1061), ASKED),
        (COUNTING, "Unknown", seen(probed_at=1060), at(1061), ASKED),
        (
            COUNTING,
            "True",
            seen("i2", probed_at=1060),
            at(1061),
            ASKED._replace(confirmation=Confirmation(60.0, "boot-1", 1061.0, {"kubelet": "i2"})),
        ),
        (
            COUNTING,
            "True",
            seen(probed_at=1060),
            at(1061, "boot-2"),
            ASKED._replace(confirmation=Confirmation(60.0, "boot-2", 1061.0, {"kubelet": "i1"})),
        ),
        (GIVEN, "False", seen("i2"), at(2000, "boot-2"), None),
    ],
)
def test_the_confirmation_is_planned_from_what_is_observed(
    answered: AnsweredAssignment,
    config_ok: ConfigOkStatus,
    components: ComponentsObservation,
    moment: Moment,
    expected: AnsweredAssignment | None,
) -> None:
    assert plan_confirmation(answered, config_ok, components, moment=moment) == expected


@pytest.mark.contract("confirm.after-the-soak")
def test_without_a_soak_the_first_true_is_the_confirmation() -> None:
    asked = ASKED._replace(confirmation=Confirmation(0.0))
    planned = plan_confirmation(asked, "True", seen(), moment=at(1000))
    assert planned is not None
    assert planned.confirmed_id == 7


@pytest.mark.parametrize(
    ("answered", "now", "due", "is_close"),
    [
        (ASKED, 1000, float("inf"), False),
        (COUNTING, 1000, 1060.0, False),
        (COUNTING, 1030, 1060.0, True),
        (COUNTING, 1060, float("inf"), True),  # it was probed for, and the answer is awaited
        (COUNTING, 1076, float("inf"), False),
        (GIVEN, 1000, float("inf"), False),
    ],
)
def test_when_it_is_due(answered: AnsweredAssignment, now: float, due: float, is_close: bool) -> None:
    assert confirmation_due(answered, at(now)) == due
    assert is_confirmation_close(answered, at(now)) is is_close


@pytest.mark.contract("confirm.survives-a-restart")
@pytest.mark.parametrize("answered", [ASKED, COUNTING, GIVEN])
def test_it_is_kept_in_the_store(answered: AnsweredAssignment) -> None:
    assert AnsweredAssignment.decode(answered.encode()) == answered


def test_a_failure_takes_it_back() -> None:
    assert GIVEN.with_failure(AssignmentFailure("CrashLoop", "uid")).confirmed_id == 0
