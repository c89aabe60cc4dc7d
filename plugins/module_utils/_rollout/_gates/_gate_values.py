# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the values of gates. Pure."""

from __future__ import annotations

from typing import Any

from ..._foreign import InvalidText
from ..._foreign.patterns import Pattern, parse_pattern
from ..._nodeconfig.durations import setting_duration
from .._pool_values import text

_MAX_TEXT = 4096  # characters of a URL, a query or a path
_MAX_PATTERN = 500


def required_text(value: Any) -> str:
    """Return a text that is not empty. Raises ValueError."""
    line = text(value)
    if not line or len(line) > _MAX_TEXT or "\0" in line:
        raise ValueError(f"must be a text of 1 to {_MAX_TEXT} characters")
    return line


def pattern(value: Any) -> Pattern:
    """Return a regular expression. Raises ValueError."""
    line = required_text(value)
    if len(line) > _MAX_PATTERN:
        raise ValueError(f"has {len(line)} characters, at most {_MAX_PATTERN} are allowed")
    try:
        return parse_pattern(line)
    except InvalidText as error:
        raise ValueError(f"{line[:60]!r} is not a regular expression: {error}") from error


def positive_duration(value: Any) -> float:
    """Return a duration above 0 in seconds. Raises ValueError."""
    seconds = setting_duration(value)
    if seconds <= 0:
        raise ValueError("must be longer than 0s")
    return seconds
