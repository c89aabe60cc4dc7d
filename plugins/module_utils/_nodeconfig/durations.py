# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations in settings, in what the condition says and in what a rollout prints.

Component configs have Go's durations, of which a setting's are a part: an agent of any version can read them.
"""

from __future__ import annotations

import re
from typing import Any

from .._componentconfig import ConfigError
from .._componentconfig._scalars.duration import parse_duration
from .._foreign import InvalidText

_SETTING = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s))+\Z|0\Z")
_MAX_SECONDS = 30 * 24 * 3600.0
_MAX_LENGTH = 64


class InvalidDuration(InvalidText):
    """A text or value that is not a setting's duration; the message says what is allowed."""


def setting_duration(value: Any, name: str = "") -> float:
    """Return the seconds in ``10m``, ``1h30m``, ``500ms`` or a plain number of seconds, 0 to 30 days.

    Raises InvalidDuration; the message begins with the name, if there is one.
    """
    seconds: float | None = None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = value if abs(value) <= _MAX_SECONDS else None  # some whole numbers do not fit a float
    elif isinstance(value, str) and len(value) <= _MAX_LENGTH and _SETTING.match(value):
        try:
            seconds = parse_duration(value)
        except ConfigError:
            pass  # longer than 292 years
    if seconds is None or not 0 <= seconds <= _MAX_SECONDS:
        subject = f"{name} " if name else ""
        raise InvalidDuration(
            f"{subject}{str(value)[:50]!r} must be a duration such as 10m, 90s or 1h30m, at most 720h"
        )
    return float(seconds)


def condition_duration(seconds: float) -> str:
    """Return seconds as the condition shows a setting: 2m, 90s, 500ms."""
    if seconds and seconds % 60 == 0:
        return f"{int(seconds // 60)}m"
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    return f"{seconds:g}s"


def describe_duration(seconds: float) -> str:
    """Return seconds as a rollout shows how long something takes, rounded: 90s, 11m, 1h5m."""
    whole = round(seconds)
    if seconds < 10 and seconds != whole:
        return f"{seconds:.1f}s"
    if whole < 120 and whole % 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return (f"{minutes}m" if minutes else "") + (f"{rest}s" if rest or not minutes else "")
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h" + (f"{minutes}m" if minutes else "")
