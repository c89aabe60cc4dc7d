# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The maintenance windows of a pool: parse them, whether one is open, when the next one opens. Pure.

A window begins at a time of day in its time zone and lasts for a duration, also over midnight
and over a change of the clocks. Where the clocks skip its start, it begins when they have been set forward; where they
show its start twice, it begins the first time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from ..._nodeconfig.durations import describe_duration, setting_duration
from ..._nodeconfig.strict_mapping import StrictFields
from .._pool_values import is_list, read_settings, setting

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_START = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])\Z")
_WEEK = timedelta(days=7)
_MIN_DURATION = timedelta(minutes=1)
_ZONE = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*\Z")


def _days(value: Any) -> frozenset[int]:
    if not is_list(value) or not value:
        raise ValueError(f"must be a list of days: {', '.join(_DAYS)}")
    unknown = [str(day)[:20] for day in value if day not in _DAYS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} must be one of {', '.join(_DAYS)}")
    return frozenset(_DAYS.index(day) for day in value)


def _start(value: Any) -> time:
    if isinstance(value, int):
        raise ValueError('must be a time of day in quotes, such as "22:00": YAML reads 22:00 as the number 1320')
    match = _START.match(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f'{str(value)[:20]!r} must be a time of day from "00:00" to "23:59"')
    return time(int(match.group(1)), int(match.group(2)))


def _duration(value: Any) -> timedelta:
    duration = timedelta(seconds=setting_duration(value))
    if not _MIN_DURATION <= duration <= _WEEK:
        raise ValueError(f"{str(value)[:20]!r} must be from 1m to 168h")
    return duration


def _zone(value: Any) -> tzinfo:
    if value == "UTC":  # which needs no database
        return timezone.utc
    if not isinstance(value, str) or not _ZONE.match(value):
        raise ValueError(f"{str(value)[:60]!r} must be a time zone such as Europe/Amsterdam or UTC")
    try:
        return ZoneInfo(value)
    except (LookupError, OSError, ValueError) as error:  # a directory of the database is an OSError
        if not available_timezones():
            raise ValueError(
                f"{value[:60]!r} cannot be looked up, because this machine has no time zone database: "
                "install the package tzdata, or use UTC"
            ) from error
        raise ValueError(f"{value[:60]!r} is not a time zone: write one such as Europe/Amsterdam or UTC") from error


@dataclass(frozen=True)
class MaintenanceWindow:
    """A window that opens each week. days: 0 is Monday; start: the time of day in the zone."""

    days: frozenset[int] = setting(_days, frozenset(range(7)))
    start: time = setting(_start, time(0), missing='is required: a time of day such as "22:00"')
    duration: timedelta = setting(_duration, _MIN_DURATION, missing="is required: for example 4h")
    zone: tzinfo = setting(_zone, timezone.utc, key="timezone")

    def openings(self, first: datetime, last: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Yield start and end, in UTC, of each opening that starts on a day between two moments, or one day around."""
        day = first.astimezone(self.zone).date() - timedelta(days=1)
        last_day = last.astimezone(self.zone).date() + timedelta(days=1)
        while day <= last_day:
            if day.weekday() in self.days:
                # In UTC, a duration is the time that passes, whatever the clocks in the zone show.
                start = datetime.combine(day, self.start, self.zone).astimezone(timezone.utc)
                yield start, start + self.duration
            day += timedelta(days=1)


@dataclass(frozen=True)
class MaintenanceWindows:
    """All windows of a pool. Without a window, a rollout may move at any time."""

    windows: tuple[MaintenanceWindow, ...] = ()

    def is_open(self, now: datetime) -> bool:
        """Return whether a wave may begin now."""
        return not self.windows or self.closing(now) is not None

    def closing(self, now: datetime) -> datetime | None:
        """Return when the present opening ends, None if there is none; openings that touch are one."""
        end: datetime | None = None
        for start, close in sorted(self._openings(now)):
            if start <= (end or now) < close:
                end = close
        return end

    def next_opening(self, now: datetime) -> datetime | None:
        """Return when the next window opens, in its own time zone; None while one is open, or if there are none."""
        if self.is_open(now):
            return None
        starts = [
            (start, window)
            for window in self.windows
            for start, _end in window.openings(now, now + _WEEK)
            if start > now
        ]
        start, window = min(starts, key=lambda opening: opening[0])
        return start.astimezone(window.zone)

    def describe_next(self, now: datetime) -> str:
        """Return "the next window opens 2026-11-24T22:00+01:00 (Tue), in 13h", "" while a wave may begin."""
        opening = self.next_opening(now)
        if opening is None:
            return ""
        rest = (opening - now).total_seconds()
        shown = describe_duration(rest if rest < 3600 else rest // 60 * 60)
        return f"the next window opens {opening.isoformat(timespec='minutes')} ({_DAYS[opening.weekday()]}), in {shown}"

    def _openings(self, now: datetime) -> Iterator[tuple[datetime, datetime]]:
        for window in self.windows:
            yield from window.openings(now - _WEEK, now + 2 * _WEEK)


def parse_time(text: str) -> datetime:
    """Return the moment of a text from Clock.now()."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)


def parse_maintenance_windows(fields: StrictFields, name: str = "maintenanceWindows") -> MaintenanceWindows:
    """Return policy.maintenanceWindows; errors are collected in the fields. name: of the list in the fields."""
    value = fields.take(name)
    if value is None:
        return MaintenanceWindows()
    if not is_list(value):
        fields.error(name, value, "must be a list of windows, each with days, start, duration and timezone")
        return MaintenanceWindows()
    windows = [
        read_settings(MaintenanceWindow, fields.nested(f"{name}[{index}]", window))
        for index, window in enumerate(value)
    ]
    return MaintenanceWindows(tuple(windows))
