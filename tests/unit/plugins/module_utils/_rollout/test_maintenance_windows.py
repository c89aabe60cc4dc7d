# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Maintenance windows over midnight, over changes of the clocks, and as users write them."""

from __future__ import annotations

import zoneinfo
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout import InvalidPool
from ansible_collections.configok.node.plugins.module_utils._rollout._pool import maintenance_windows
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.maintenance_windows import (
    MaintenanceWindows,
    parse_time,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy

NIGHTS = {"days": ["Mon", "Tue"], "start": "22:00", "duration": "4h", "timezone": "Europe/Amsterdam"}


def windows(*entries: Any) -> MaintenanceWindows:
    return parse_policy({"maintenanceWindows": list(entries)}).maintenance_windows


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("now", "is_open"),
    [
        ("2026-11-23T21:59:59+01:00", False),  # a Monday
        ("2026-11-23T22:00:00+01:00", True),
        ("2026-11-23T21:00:00+00:00", True),
        ("2026-11-24T01:59:59+01:00", True),  # after midnight
        ("2026-11-24T02:00:00+01:00", False),
        ("2026-11-25T01:00:00+01:00", True),  # Tuesday's
        ("2026-11-25T22:30:00+01:00", False),  # a Wednesday
        ("2026-11-29T23:00:00+01:00", False),  # a Sunday
    ],
)
def test_a_window_is_open_by_the_clocks_of_its_zone_also_after_midnight(now: str, is_open: bool) -> None:
    assert windows(NIGHTS).is_open(at(now)) is is_open
    assert (windows(NIGHTS).next_opening(at(now)) is None) is is_open


def test_the_sentence_names_the_next_opening_its_day_and_how_long_that_is() -> None:
    assert windows(NIGHTS).describe_next(at("2026-11-24T08:00:00+00:00")) == (
        "the next window opens 2026-11-24T22:00+01:00 (Tue), in 13h"
    )
    assert windows(NIGHTS).describe_next(at("2026-11-24T20:59:30+00:00")).endswith(", in 30s")
    assert (
        windows(NIGHTS)
        .describe_next(at("2026-11-25T03:15:20+00:00"))
        .endswith("2026-11-30T22:00+01:00 (Mon), in 137h44m")
    )
    assert windows(NIGHTS).describe_next(at("2026-11-24T21:30:00+00:00")) == ""


def test_without_a_window_a_wave_may_begin_at_any_time() -> None:
    assert MaintenanceWindows().is_open(at("2026-11-24T08:00:00+00:00"))
    assert MaintenanceWindows().describe_next(at("2026-11-24T08:00:00+00:00")) == ""
    assert parse_policy(None).maintenance_windows == MaintenanceWindows()


def test_a_start_that_the_clocks_skip_is_when_they_have_been_set_forward() -> None:
    # In Amsterdam, 2026-03-29 02:00 is followed by 03:00.
    skipped = windows({"start": "02:30", "duration": "1h", "timezone": "Europe/Amsterdam"})
    assert not skipped.is_open(at("2026-03-29T01:29:00+00:00"))
    assert skipped.next_opening(at("2026-03-29T00:00:00+00:00")) == at("2026-03-29T03:30:00+02:00")
    assert skipped.closing(at("2026-03-29T01:30:00+00:00")) == at("2026-03-29T04:30:00+02:00")


def test_a_start_that_the_clocks_show_twice_is_the_first() -> None:
    # In Amsterdam, 2026-10-25 02:59 is followed by 02:00.
    twice = windows({"start": "02:30", "duration": "1h", "timezone": "Europe/Amsterdam"})
    assert twice.is_open(at("2026-10-25T00:30:00+00:00"))
    assert twice.closing(at("2026-10-25T00:30:00+00:00")) == at("2026-10-25T01:30:00+00:00")
    assert not twice.is_open(at("2026-10-25T01:30:00+00:00"))


def test_a_window_over_a_change_of_the_clocks_lasts_for_its_duration() -> None:
    night = windows({"start": "22:00", "duration": "8h", "timezone": "Europe/Amsterdam"})
    spring, autumn = at("2026-03-28T22:00:00+00:00"), at("2026-10-24T21:00:00+00:00")
    assert night.closing(spring) == at("2026-03-28T21:00:00+00:00") + timedelta(hours=8)
    assert night.closing(autumn) == at("2026-10-24T20:00:00+00:00") + timedelta(hours=8)


def test_windows_that_touch_are_one_opening() -> None:
    both = windows({"start": "22:00", "duration": "2h"}, {"days": ["Tue"], "start": "00:00", "duration": "1h"})
    assert both.closing(at("2026-11-23T22:30:00+00:00")) == at("2026-11-24T01:00:00+00:00")
    whole_week = windows({"days": ["Mon"], "start": "00:00", "duration": "168h"})
    assert whole_week.is_open(at("2026-11-29T23:59:59+00:00"))


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)),
    st.sampled_from(["Europe/Amsterdam", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]),
    st.sets(st.sampled_from(["Mon", "Tue", "Sat", "Sun"]), min_size=1),
    st.integers(0, 23),
    st.integers(1, 168),
)
def test_the_next_opening_is_open_and_the_moment_before_it_is_not(
    now: datetime, zone: str, days: set[str], hour: int, hours: int
) -> None:
    made = windows({"days": sorted(days), "start": f"{hour:02d}:30", "duration": f"{hours}h", "timezone": zone})
    moment = now.replace(tzinfo=timezone.utc)
    opening = made.next_opening(moment)
    if opening is None:
        closing = made.closing(moment)
        assert closing is not None
        assert closing > moment
        return
    assert opening > moment
    assert made.is_open(opening)
    assert not made.is_open(opening - timedelta(seconds=1))
    assert opening - moment <= timedelta(days=8)


@pytest.mark.parametrize(
    ("window", "sentence"),
    [
        ({"duration": "4h"}, "start: is required"),
        ({"start": "22:00"}, "duration: is required"),
        ({"start": 1320, "duration": "4h"}, "start: must be a time of day in quotes"),
        ({"start": "24:00", "duration": "4h"}, "start: '24:00' must be a time of day"),
        ({"start": "22:00", "duration": "0"}, "duration: '0' must be from 1m to 168h"),
        ({"start": "22:00", "duration": "169h"}, "duration: '169h' must be from 1m to 168h"),
        ({"start": "22:00", "duration": "4h", "days": ["Monday"]}, "days: 'Monday' must be one of Mon, Tue"),
        ({"start": "22:00", "duration": "4h", "days": []}, "days: must be a list of days"),
        (
            {"start": "22:00", "duration": "4h", "timezone": "Mars/Olympus"},
            "timezone: 'Mars/Olympus' is not a time zone",
        ),
        ({"start": "22:00", "duration": "4h", "timezone": "Europe"}, "timezone: 'Europe' is not a time zone"),
        ({"start": "22:00", "duration": "4h", "timezone": "../etc/passwd"}, "timezone: '../etc/passwd' must be"),
        ({"start": "22:00", "duration": "4h", "timezone": 1}, "timezone: '1' must be a time zone such as"),
        ({"start": "22:00", "duration": "4h", "day": ["Mon"]}, "day: unknown field: did you mean"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_path(window: Any, sentence: str) -> None:
    with pytest.raises(InvalidPool) as raised:
        windows(window)
    assert len(raised.value.errors) == 1
    assert raised.value.errors[0].startswith("policy.maintenanceWindows[0]")
    assert sentence in raised.value.errors[0]


def test_windows_that_are_not_a_list_are_refused() -> None:
    with pytest.raises(InvalidPool, match="must be a list of windows"):
        parse_policy({"maintenanceWindows": NIGHTS})
    with pytest.raises(InvalidPool, match=r"maintenanceWindows\[0\]: must be a mapping"):
        windows("nights")


def test_a_machine_without_a_time_zone_database_gets_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(key: str) -> None:
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")

    monkeypatch.setattr(maintenance_windows, "ZoneInfo", missing)
    monkeypatch.setattr(maintenance_windows, "available_timezones", set)
    with pytest.raises(InvalidPool, match="no time zone database: install the package tzdata, or use UTC"):
        windows(NIGHTS)
    assert windows({"start": "22:00", "duration": "4h"}).windows[0].zone is timezone.utc


def test_the_time_of_a_clock_is_read_with_its_zone() -> None:
    assert parse_time("2026-11-24T10:00:00.000001Z") == datetime(2026, 11, 24, 10, 0, 0, 1, timezone.utc)
