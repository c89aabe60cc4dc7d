# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the attempts of a wave must be evaluated."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._gate import Attempt
from ansible_collections.configok.node.plugins.module_utils._rollout._goals import Goal
from ansible_collections.configok.node.plugins.module_utils._rollout._run._attempt_schedule import AttemptSchedule
from support.rollouts.views import a_source

ATTEMPT = Attempt("uid", Goal(a_source()), 7, assigned_at=1000.0, was_ready=True, timeout=300.0, soak=120.0)


def schedule_of(**assigned_at: float) -> AttemptSchedule:
    """Return open attempts, each due 300 seconds after its assignment."""
    schedule = AttemptSchedule()
    for name, time in assigned_at.items():
        schedule.set(name, replace(ATTEMPT, assigned_at=time))
        schedule.open.add(name)
    return schedule


def test_an_attempt_is_due_once_at_its_time() -> None:
    schedule = schedule_of(b=1010.0, a=1000.0, c=1020.0)
    assert schedule.next_due() == 1300.0
    assert schedule.take_due(1299.9) == []
    assert schedule.take_due(1310.0) == ["a", "b"]
    assert schedule.next_due() == 1320.0


def test_only_open_attempts_are_due() -> None:
    schedule = schedule_of(a=1000.0, b=1010.0)
    schedule.open.discard("a")
    assert schedule.take_due(1400.0) == ["b"]
    schedule.open.discard("b")
    schedule.schedule("b")
    assert schedule.next_due() is None
    assert dict(schedule.items()).keys() == {"a", "b"}


def test_an_attempt_without_a_verdict_is_due_again() -> None:
    schedule = schedule_of(a=1000.0)
    assert schedule.take_due(1300.0) == ["a"]
    schedule.schedule("a")
    assert schedule.take_due(1300.0) == ["a"]


def test_a_new_time_replaces_the_earlier_one() -> None:
    schedule = schedule_of(a=1000.0)
    schedule.set("a", replace(ATTEMPT, assigned_at=1050.0))
    assert schedule.take_due(1349.9) == []
    assert schedule.take_due(1350.0) == ["a"]


def test_time_stands_still_while_the_nodes_cannot_be_observed() -> None:
    schedule = schedule_of(a=1000.0, b=1000.0)
    schedule.open.discard("b")
    schedule.delay_by(60.0)
    assert schedule.next_due() == 1360.0
    assert schedule["b"].assigned_at == 1000.0
    assert "c" not in schedule
    assert schedule.get("c") is None
