# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parses time spans as systemd does (systemd.time(7))."""

from __future__ import annotations

import re

_PART = re.compile(r"\s*([0-9]+)(?:\.([0-9]*))?\s*([A-Za-z\u00b5\u03bc]*)\s*", re.ASCII)
_SECONDS: dict[str, float] = {
    name: seconds
    for names, seconds in (
        ("us usec \u00b5s \u03bcs", 1e-6),
        ("ms msec", 1e-3),
        ("s sec second seconds", 1.0),
        ("m min minute minutes", 60.0),
        ("h hr hour hours", 3600.0),
        ("d day days", 86400.0),
        ("w week weeks", 604800.0),
        ("M month months", 2629800.0),
        ("y year years", 31557600.0),
    )
    for name in names.split()
}
_MAX_TEXT = 200  # characters; systemd's own spans have at most a few dozen


def parse_time_span(text: str) -> float | None:
    """Return a time span in seconds, the unit of a number without one, or None if it is invalid.

    The span "infinity" is the number of that name.
    """
    stripped = text.strip()
    if stripped == "infinity":
        return float("inf")
    if not stripped or len(stripped) > _MAX_TEXT:
        return None
    total, position = 0.0, 0
    while position < len(stripped):
        part = _PART.match(stripped, position)
        seconds = _SECONDS.get(part[3] or "s") if part else None
        if part is None or seconds is None:
            return None
        total += float(f"{part[1]}.{part[2] or '0'}") * seconds
        position = part.end()
    return total
