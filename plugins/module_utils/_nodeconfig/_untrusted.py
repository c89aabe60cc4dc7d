# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON that anybody may have written: in an annotation, or in a bundle. Private to configok.node."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["load_json", "sanitize", "sanitize_all", "sanitize_lines"]

_MAX_DIGITS = 20  # of a whole number; Python itself refuses 4,301, and works hard on less


def load_json(text: str) -> Any:
    """Decode JSON whose whole numbers have a bounded length. Raises ValueError with a short text."""
    try:
        return json.loads(text, parse_int=_whole_number)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _whole_number(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number has {len(digits)} digits, at most {_MAX_DIGITS} are allowed")
    return int(digits)


def sanitize(text: object, limit: int = 0) -> str:
    """Return text as one line of printable characters, cut to limit characters where that is not 0.

    What does not print becomes a space: control characters (those of C1 and the escape that begins an ANSI sequence
    among them), line ends, marks that change the direction of text, characters without a width, and lone surrogates.
    """
    line = str(text)
    if not line.isprintable():
        line = "".join(character if character.isprintable() else " " for character in line)
    return line if not limit or len(line) <= limit else line[: limit - 3] + "..."


def sanitize_lines(text: str) -> str:
    """Return text of several lines, each as sanitize() leaves it; tabs stay."""
    return "\n".join("\t".join(map(sanitize, line.split("\t"))) for line in text.split("\n"))


def sanitize_all(value: Any) -> Any:
    """Return JSON-able data with all its texts, the keys of mappings included, as sanitize_lines() leaves them."""
    if isinstance(value, str):
        return sanitize_lines(value)
    if isinstance(value, dict):
        return {sanitize_all(key): sanitize_all(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [sanitize_all(part) for part in value]
    return value
