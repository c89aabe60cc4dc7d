# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON that anybody may have written: in an annotation, or in a bundle. Private to configok.node."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["load_json"]

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
