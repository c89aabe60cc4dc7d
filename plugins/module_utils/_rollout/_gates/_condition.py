# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions on a number, such as "< 0.01". Pure."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_TEXT = re.compile(r"\s*(<=|>=|==|!=|<|>)\s*([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)\s*\Z")
_MAX_LENGTH = 64


@dataclass(frozen=True)
class Condition:
    """A comparison with a number."""

    operator: str
    number: float

    @classmethod
    def parse(cls, value: Any) -> Condition:
        """Return the condition in a text. Raises ValueError."""
        match = _TEXT.match(value) if isinstance(value, str) and len(value) <= _MAX_LENGTH else None
        if match is None or not math.isfinite(float(match.group(2))):
            raise ValueError(
                f"{str(value)[:50]!r} must be a comparison with a number in quotes, such as '< 0.01': "
                f"one of {' '.join(_OPERATORS)}, then the number"
            )
        return cls(match.group(1), float(match.group(2)))

    def __str__(self) -> str:
        return f"{self.operator} {self.number:g}"

    def is_met(self, value: float) -> bool | None:
        """Return whether a value meets the condition, None for a value that is not a number (NaN)."""
        return None if math.isnan(value) else _OPERATORS[self.operator](value, self.number)
