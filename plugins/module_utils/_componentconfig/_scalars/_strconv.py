# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parse booleans and floats as Go's strconv does."""

from __future__ import annotations

import re

from .._exceptions import ConfigError

__all__ = ["parse_bool", "parse_float"]

_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def parse_bool(text: str) -> bool | None:
    """Return the boolean that `strconv.ParseBool` reads, or None for text that it refuses."""
    return _BOOLEANS.get(text)


_LARGEST = 3.4028235677973366e38  # smaller numbers are finite as a float of 32 bits
_DIGITS = r"[0-9](?:_?[0-9])*"
_DECIMAL = re.compile(rf"[-+]?(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][-+]?{_DIGITS})?")
_HEX_DIGITS = r"[0-9a-fA-F](?:_?[0-9a-fA-F])*"
_HEX = re.compile(rf"[-+]?0[xX]_?(?:{_HEX_DIGITS}\.?(?:{_HEX_DIGITS})?|\.{_HEX_DIGITS})[pP][-+]?{_DIGITS}")
_SPECIAL = re.compile(r"[-+]?inf(?:inity)?|nan", re.IGNORECASE)
_MAX_LENGTH = 200


def parse_float(text: str) -> float:
    """Return the number that `strconv.ParseFloat(text, 32)` reads; infinite and not-a-number are written in words.

    Raises ConfigError for text that it refuses, numbers beyond 32 bits among them.
    """
    if _SPECIAL.fullmatch(text):
        return float(text)
    if len(text) > _MAX_LENGTH:
        raise ConfigError(f"not a number: {text[:40]!r}")
    plain = text.replace("_", "")
    try:
        number = float.fromhex(plain) if _HEX.fullmatch(text) else float(plain if _DECIMAL.fullmatch(text) else "")
    except (ValueError, OverflowError):
        raise ConfigError(f"not a number: {text[:40]!r}") from None
    if abs(number) >= _LARGEST:
        raise ConfigError(f"not a number of 32 bits: {text[:40]!r}")
    return number
