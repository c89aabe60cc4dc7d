# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record keeps the phases of its rollout: each once, bounded, also when the answer to a write is lost."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    Record,
    Rollout,
    TimelineEntry,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    decode_record,
    encode_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Wave
from support.rollouts.faulty_clients import Losing
from support.rollouts.simulated_nodes import CRASHES
from support.rollouts.views import a_target
from support.rollouts.world import QUICK, MakeWorld

NOW = "2026-01-01T00:00:{:02d}Z"


def a_rollout(**changes: Any) -> Rollout:
    waves = (Wave("canary", ("a",), 0.0),)
    return replace(Rollout(1, a_target(), "Planned", waves, 1, NOW.format(0), NOW.format(0)), **changes)


def test_each_phase_is_added_once_with_its_reason_and_runner() -> None:
    rollout = a_rollout().with_timeline()
    assert rollout.timeline == (TimelineEntry(NOW.format(0), "Planned"),)
    moving = replace(rollout, phase="Canary", runner="me", changed_at=NOW.format(1)).with_timeline()
    assert replace(moving, changed_at=NOW.format(2)).with_timeline().timeline == moving.timeline
    paused = replace(moving, phase="Paused", reason="x" * 999, changed_at=NOW.format(3)).with_timeline()
    assert paused.timeline[1:] == (
        TimelineEntry(NOW.format(1), "Canary", "", "me"),
        TimelineEntry(NOW.format(3), "Paused", "x" * 300, "me"),
    )


def test_it_is_bounded_and_keeps_its_beginning() -> None:
    rollout = a_rollout()
    for number in range(500):
        rollout = replace(rollout, runner=f"run {number}").with_timeline()
    assert len(rollout.timeline) == 100
    assert [entry.runner for entry in (rollout.timeline[0], rollout.timeline[1], rollout.timeline[-1])] == [
        "run 0",
        "run 401",
        "run 499",
    ]


def test_it_is_written_and_read_and_unknown_fields_are_ignored() -> None:
    record = Record("workers", rollout=a_rollout(reason="why", runner="me").with_timeline())
    stored = encode_record(record)
    assert decode_record(stored) == record
    value = json.loads(stored["data"]["record"])
    value["rollout"]["timeline"][0]["added"] = "later"
    stored["data"]["record"] = json.dumps(value)
    assert decode_record(stored) == record


def test_a_record_without_a_timeline_is_not_written_for_it(make_world: MakeWorld) -> None:
    world = make_world(1)
    stored = encode_record(Record("workers", rollout=a_rollout()))
    world.client.create("/api/v1/namespaces/configok-rollouts/configmaps", stored)
    before = world.client.get(config_map("configok-rollouts", "workers"))
    assert not update_record(world.client, "workers", lambda record: record)[1]
    assert world.client.get(config_map("configok-rollouts", "workers")) == before


def test_a_rollout_leaves_its_phases_in_the_record(make_world: MakeWorld) -> None:
    world = make_world(6)
    world.rollout(world.publish(100))
    timeline = world.rollout_recorded().timeline
    phases = [entry.phase for entry in timeline]
    assert phases == [
        *("Planned", "Canary", "Soaking", "Canary"),
        *("Wave 1", "Soaking", "Wave 1"),
        *("Wave 2", "Soaking", "Complete"),
    ]
    assert [entry.time for entry in timeline] == sorted(entry.time for entry in timeline)
    assert {entry.runner for entry in timeline[1:]} == {"run 1"}


def test_a_halt_is_in_it_with_its_reason(make_world: MakeWorld) -> None:
    world = make_world(6)
    world.nodes.behaviour = lambda _name, _source: CRASHES
    world.rollout(world.publish(100), **QUICK)
    rollout = world.rollout_recorded()
    assert rollout.timeline[-1].phase == "Halted"
    assert rollout.timeline[-1].reason == rollout.reason[:300]


@pytest.mark.parametrize("at", range(1, 24))
@pytest.mark.parametrize("resend", [False, True])
def test_a_lost_answer_adds_nothing_twice(make_world: MakeWorld, at: int, resend: bool) -> None:
    world = make_world(4)
    world.rollout(world.publish(100), client=Losing(world.client, at, resend=resend))
    entries = [(entry.phase, entry.reason, entry.runner) for entry in world.rollout_recorded().timeline]
    assert entries[-1][0] == "Complete"
    assert all(first != second for first, second in zip(entries, entries[1:]))
