# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the values of single fields: booleans, numbers, texts; unknown names. Private to configok.node.

The agent's hooks import it, so it must load quickly.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Callable

__all__ = ["boolean", "integer", "matching", "unknown_fields"]


def unknown_fields(value: Mapping[Any, Any], known: Collection[str]) -> list[str]:
    """Return the names of a mapping's fields that are not known, sorted."""
    return sorted(str(name) for name in value if name not in known)


def boolean(value: Any) -> bool:
    """Return a boolean. Raises ValueError."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def integer(minimum: int, maximum: int) -> Callable[[Any], int]:
    """Return the converter of a whole number."""

    def convert(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
            raise ValueError(f"must be a whole number from {minimum} to {maximum}")
        return value

    return convert


def matching(pattern: re.Pattern[str], sentence: str, *, longest: int = 4096) -> Callable[[Any], str]:
    """Return the converter of a text that matches a pattern. sentence: the error if it does not."""

    def convert(value: Any) -> str:
        if not isinstance(value, str) or len(value) > longest or not pattern.match(value):
            raise ValueError(sentence)
        return value

    return convert
