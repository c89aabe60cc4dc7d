# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an unquoted YAML scalar means to Kubernetes.

Private to configok.node: no compatibility is promised.

Kubernetes reads YAML 1.1 through sigs.k8s.io/yaml (go-yaml v2): `on`, `no` and `y` are booleans, `017` is octal,
`1:30` and a date are strings, `1_000` is a number.
"""

from __future__ import annotations

import math
import re
from typing import Union

__all__ = ["Scalar", "resolve", "key_text"]

Scalar = Union[None, bool, int, float, str]

_CONSTANTS: dict[str, Scalar] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_CONSTANTS.update({word: True for base in ("y", "yes", "true", "on") for word in (base, base.title(), base.upper())})
_CONSTANTS.update({word: False for base in ("n", "no", "false", "off") for word in (base, base.title(), base.upper())})
_CONSTANTS.update(dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan))
_CONSTANTS.update({word: math.inf for base in (".inf", ".Inf", ".INF") for word in (base, "+" + base)})
_CONSTANTS.update({"-" + base: -math.inf for base in (".inf", ".Inf", ".INF")})

_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def _integer(text: str) -> int | None:
    if len(text) > 70 or not _INTEGER.fullmatch(text):
        return None
    digits = text.lstrip("+-").lower()
    if digits.startswith(("0x", "0b", "0o")) or not digits.startswith("0"):
        value = int(digits, 0)
    else:
        value = int(digits, 8)
    value = -value if text.startswith("-") else value
    return value if -(2**63) <= value < 2**64 else None


def resolve(text: str) -> Scalar:
    """The value of a plain (unquoted, untagged) scalar. Infinite and not-a-number floats come back as such."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    plain = text.replace("_", "")
    integer = _integer(plain)
    if integer is not None:
        return integer
    if _FLOAT.fullmatch(plain):
        number = float(plain)
        return text if math.isinf(number) else number
    return text


def key_text(value: Scalar) -> str:
    """How a scalar key is written once it has become a JSON key."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return str(value)
