# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read how long a server asks to wait (Retry-After), and limit it; read its clock (Date)."""

from __future__ import annotations

MAX_RETRY_AFTER = 300.0  # seconds: whatever a server asks for, it is asked again after five minutes


def bounded_retry_after(seconds: object) -> float | None:
    """Return the seconds of a Retry-After, at most MAX_RETRY_AFTER, or None if it is not a positive number."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds >= 0:
        return None
    return float(min(seconds, MAX_RETRY_AFTER))


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds that a Retry-After header asks for, at most MAX_RETRY_AFTER, or None if it cannot be read.

    value: a number or an HTTP date; now: wall-clock time.
    """
    if not value:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return bounded_retry_after(float(text))
    date = parse_date(text)
    return None if date is None else bounded_retry_after(max(0.0, date - now))


def parse_date(value: str | None) -> float | None:
    """Return an HTTP date in seconds since 1970, None if it cannot be read."""
    from email.utils import parsedate_to_datetime  # not at the top: ``status`` imports this file, and reads no date

    try:
        return parsedate_to_datetime(value or "").timestamp()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
