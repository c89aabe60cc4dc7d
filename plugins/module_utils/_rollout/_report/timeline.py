# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The timeline of a rollout: what each wave did and for how long, and the scale to draw it on. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from itertools import zip_longest
from typing import Literal, NamedTuple

from .._record.record import ABORTED, COMPLETE, HALTED, PAUSED, PLANNED, SOAKING, UNPROVEN, TimelineEntry
from .pool_report import lane_title

Activity = Literal["planned", "moving", "soaking", "paused", "halted", "ended"]

_ACTIVITIES: dict[str, Activity] = {
    PLANNED: "planned",
    SOAKING: "soaking",
    PAUSED: "paused",
    HALTED: "halted",
    COMPLETE: "ended",
    ABORTED: "ended",
    UNPROVEN: "ended",
}
_MAX_TICKS = 6
_YEARS = range(2000, 3000)  # others are damage, and far from the bounds of a datetime
_PASSAGE = 5.0  # seconds that the end of a wave and the start of the next may take
_TICK_SECONDS = (1, 5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)


class Step(NamedTuple):
    """A phase of a rollout.

    wave: its title, "" before the first one. end: None for the last phase of a rollout that has ended.
    """

    start: datetime
    end: datetime | None
    phase: str
    activity: Activity
    wave: str
    reason: str
    runner: str

    @property
    def seconds(self) -> float | None:
        """Return how long the phase took, None for one without an end."""
        return None if self.end is None else (self.end - self.start).total_seconds()


class Tick(NamedTuple):
    """A mark on the scale: its position, from 0 to 1, and its label."""

    position: float
    label: str


class Timeline(NamedTuple):
    """The steps of a rollout on a scale."""

    steps: Sequence[Step]
    start: datetime
    end: datetime

    def position(self, time: datetime) -> float:
        """Return where a time is on the scale, from 0 to 1."""
        length = (self.end - self.start).total_seconds()
        return 0.0 if length <= 0 else min(1.0, max(0.0, (time - self.start).total_seconds() / length))

    @property
    def ticks(self) -> list[Tick]:
        """Return the marks of the scale: a few round times."""
        length = (self.end - self.start).total_seconds()
        if length <= 0:
            return []
        step = next((seconds for seconds in _TICK_SECONDS if length / seconds <= _MAX_TICKS), 0)
        step = step or 86400 * int(length // (86400 * _MAX_TICKS) + 1)
        first = self.start.timestamp() // step * step + step
        times = [datetime.fromtimestamp(first + number * step, timezone.utc) for number in range(_MAX_TICKS + 1)]
        return [Tick(self.position(time), _label(time, step)) for time in times if time < self.end]


def _label(time: datetime, step: int) -> str:
    if step >= 86400:
        return time.strftime("%b %d")
    return time.strftime("%H:%M:%S" if step < 60 else "%H:%M")


def parse_time(text: str) -> datetime | None:
    """Return the time in the text of a record, None for a text that cannot be read."""
    try:
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
        time = time.astimezone(timezone.utc) if time.tzinfo else time.replace(tzinfo=timezone.utc)
    except (ValueError, OverflowError):
        return None
    return time if time.year in _YEARS else None


def timeline_of(entries: Iterable[TimelineEntry], generated: datetime | None, *, has_ended: bool) -> Timeline | None:
    """Return the timeline of a rollout up to the time of the report, None when its times cannot be read."""
    timed = [(time, entry) for entry in entries for time in (parse_time(entry.time),) if time is not None]
    if not timed:
        return None
    steps = []
    wave = ""
    for (start, entry), following in zip_longest(timed, timed[1:]):
        activity = _ACTIVITIES.get(entry.phase, "moving")
        if activity == "moving":
            wave = _title(entry.phase)
        end = max(start, following[0]) if following is not None else None
        if end is None and not has_ended:
            end = max(start, generated or start)
        steps.append(Step(start, end, entry.phase, activity, wave, entry.reason, entry.runner))
    steps = [step for step, before in zip(steps, [None, *steps]) if not _is_passage(step, before)]
    begin = min(step.start for step in steps)
    end = max(step.end or step.start for step in steps)
    return Timeline(steps, begin, max(end, begin + timedelta(seconds=1)))


def _title(phase: str) -> str:
    return lane_title("broken") if phase == "Wave 0" else phase


def _is_passage(step: Step, before: Step | None) -> bool:
    """Return whether a step is only the moment between the soak of a wave and the next wave."""
    is_same_wave = before is not None and before.activity == "soaking" and before.wave == step.wave
    return is_same_wave and step.activity == "moving" and step.seconds is not None and step.seconds < _PASSAGE
