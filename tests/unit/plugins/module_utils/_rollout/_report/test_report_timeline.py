# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The timeline of a report: what each wave did, for how long, and where that is on the scale."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Rollout, TimelineEntry
from ansible_collections.configok.node.plugins.module_utils._rollout._report.timeline import (
    Timeline,
    parse_time,
    timeline_of,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Wave
from support.fuzz.hostile import TEXTS
from support.fuzz.settings import fuzz
from support.rollouts.views import a_target

BEGIN = datetime(2026, 1, 1, 12, 0, tzinfo=timezone.utc)
WAVES = (Wave("canary", ("a",), 0.0), Wave("wave 1", ("b",), 0.0))


def at(seconds: float) -> str:
    return (BEGIN + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def a_rollout(*phases: tuple[float, str], phase: str = "Complete") -> Rollout:
    timeline = tuple(TimelineEntry(at(seconds), name, "", "me") for seconds, name in phases)
    return replace(Rollout(1, a_target(), phase, WAVES, 2, at(0), at(100)), timeline=timeline)


def timeline_until(rollout: Rollout, generated: datetime | None) -> Timeline | None:
    return timeline_of(rollout.timeline, generated, has_ended=rollout.has_ended)


def steps_of(timeline: Timeline | None) -> list[tuple[str, str, str, float | None]]:
    assert timeline is not None
    return [(step.phase, step.wave, step.activity, step.seconds) for step in timeline.steps]


def test_each_phase_belongs_to_the_wave_that_moves() -> None:
    rollout = a_rollout(
        *((0, "Planned"), (1, "Canary"), (10, "Soaking"), (70, "Canary"), (70.5, "Wave 1"), (80, "Paused")),
        *((200, "Wave 1"), (230, "Soaking"), (260, "Complete")),
    )
    assert steps_of(timeline_until(rollout, BEGIN)) == [
        ("Planned", "", "planned", 1.0),
        ("Canary", "Canary", "moving", 9.0),
        ("Soaking", "Canary", "soaking", 60.0),
        ("Wave 1", "Wave 1", "moving", 9.5),
        ("Paused", "Wave 1", "paused", 120.0),
        ("Wave 1", "Wave 1", "moving", 30.0),
        ("Soaking", "Wave 1", "soaking", 30.0),
        ("Complete", "Wave 1", "ended", None),
    ]


@pytest.mark.parametrize(("phase", "seconds"), [("Wave 1", 50.0), ("Paused", 50.0), ("Halted", None)])
def test_a_rollout_that_has_not_ended_lasts_until_the_report(phase: str, seconds: float | None) -> None:
    rollout = a_rollout((0, "Planned"), (10, phase), phase=phase)
    assert steps_of(timeline_until(rollout, BEGIN + timedelta(seconds=60)))[-1][3] == seconds


def test_a_rollout_that_is_rolling_back_has_not_ended() -> None:
    rollout = replace(a_rollout((0, "Planned"), (10, "Halted"), phase="Halted"), is_rolling_back=True)
    assert steps_of(timeline_until(rollout, BEGIN + timedelta(seconds=60)))[-1] == ("Halted", "", "halted", 50.0)


def test_broken_nodes_have_a_row_of_their_own() -> None:
    timeline = timeline_until(a_rollout((0, "Planned"), (1, "Wave 0"), (9, "Complete")), None)
    assert steps_of(timeline)[1] == ("Wave 0", "Broken nodes", "moving", 8.0)


def test_times_that_cannot_be_read_are_left_out() -> None:
    rollout = a_rollout((0, "Planned"), (9, "Complete"))
    damaged = replace(rollout, timeline=(*rollout.timeline[:1], TimelineEntry("soon", "Canary"), rollout.timeline[1]))
    assert [step[0] for step in steps_of(timeline_until(damaged, None))] == ["Planned", "Complete"]
    assert timeline_until(replace(rollout, timeline=(TimelineEntry("x", "Canary"),)), None) is None
    assert timeline_until(replace(rollout, timeline=()), None) is None


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-01-01T12:00:00Z", BEGIN),
        ("2026-01-01T12:00:00.000000Z", BEGIN),
        ("2026-01-01T14:00:00+02:00", BEGIN),
        ("2026-01-01T12:00:00", BEGIN),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59Z", None),
        ("now", None),
        ("", None),
    ],
)
def test_times_of_a_record(text: str, time: datetime | None) -> None:
    assert parse_time(text) == time


@pytest.mark.parametrize(
    ("seconds", "labels"),
    [
        (5, ["12:00:01", "12:00:02", "12:00:03", "12:00:04"]),
        (100, ["12:00:30", "12:01:00", "12:01:30"]),
        (2700, ["12:10", "12:20", "12:30", "12:40"]),
        (86400 * 4, ["Jan 02", "Jan 03", "Jan 04", "Jan 05"]),
        (86400 * 365, ["Feb 12", "Apr 14", "Jun 14", "Aug 14", "Oct 14", "Dec 14"]),
    ],
)
def test_the_scale_has_a_few_round_times(seconds: int, labels: list[str]) -> None:
    timeline = timeline_until(a_rollout((0, "Planned"), (seconds, "Complete")), None)
    assert timeline is not None
    assert [tick.label for tick in timeline.ticks] == labels


@fuzz(100)
@given(
    st.lists(
        st.tuples(
            st.floats(-1e9, 1e9).map(at) | TEXTS,
            st.sampled_from(["Planned", "Canary", "Wave 1", "Soaking", "Paused", "Halted", "Complete", "Unheard"]),
        ),
        max_size=12,
    ),
    st.sampled_from(["Wave 1", "Paused", "Halted", "Complete"]),
    st.floats(-1e9, 1e9),
)
def test_any_timeline_fits_its_scale(entries: list[tuple[str, str]], phase: str, now: float) -> None:
    rollout = replace(a_rollout(phase=phase), timeline=tuple(TimelineEntry(*entry) for entry in entries))
    timeline = timeline_until(rollout, BEGIN + timedelta(seconds=now))
    if timeline is None:
        return
    assert timeline.start < timeline.end
    assert len(timeline.ticks) <= 7
    for step in timeline.steps:
        assert 0 <= timeline.position(step.start) <= timeline.position(step.end or step.start) <= 1
        assert step.seconds is None or step.seconds >= 0
    assert all(0 <= tick.position <= 1 for tick in timeline.ticks)
