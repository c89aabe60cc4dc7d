# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parse and format Go durations, such as `1h2m3.5s`."""

from __future__ import annotations

import re

from .. import ConfigError

_UNITS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART = re.compile("([0-9]*)(?:\\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)")
_LARGEST = 2**63 - 1


def nanoseconds(text: str) -> int:
    """Return a Go duration in nanoseconds, exactly. Raises ConfigError for text that `time.ParseDuration` refuses."""
    error = f"not a duration: {text[:40]!r} (write for example 90s, 1m30s, 500ms)"
    body = text[1:] if text[:1] in ("+", "-") else text
    if body == "0":
        return 0
    total = position = 0
    while position < len(body):
        part = _PART.match(body, position)
        if part is None or not (part.group(1) or part.group(2)) or len(part.group()) > 64:
            raise ConfigError(error)
        unit = _UNITS[part.group(3)]
        fraction = part.group(2) or ""
        total += int(part.group(1) or "0") * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0)
        position = part.end()
    if not body or total > _LARGEST + text.startswith("-"):
        raise ConfigError(error)
    return -total if text.startswith("-") else total


def parse_duration(text: str) -> float:
    """Return a Go duration in seconds. Raises ConfigError as `nanoseconds` does."""
    return nanoseconds(text) / 1e9


def format_duration(seconds: float) -> str:
    """Return seconds as a Go duration that a component reads as the same: 90 is `1m30s`, 0.5 is `500ms`."""
    remaining = round(abs(seconds) * 10**9)
    sign = "-" if seconds < 0 and remaining else ""
    if remaining < 10**9:
        for unit in ("ms", "us", "ns"):
            if remaining % _UNITS[unit] == 0:
                return f"{sign}{remaining // _UNITS[unit]}{unit}" if remaining else "0s"
    hours, remaining = divmod(remaining, _UNITS["h"])
    minutes, remaining = divmod(remaining, _UNITS["m"])
    whole, fraction = divmod(remaining, 10**9)
    rest = f".{fraction:09d}".rstrip("0") if fraction else ""
    text = (f"{hours}h" if hours else "") + (f"{minutes}m" if minutes else "")
    return sign + text + (f"{whole}{rest}s" if whole or fraction or not text else "")
