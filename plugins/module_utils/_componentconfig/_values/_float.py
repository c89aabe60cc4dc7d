# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Floating-point numbers as Go reads them from text: `1.5`, `1e3`, `1_000`, `0x1p4`.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re

__all__ = ["parse_float"]

_LARGEST = 3.4028235677973366e38  # what a float of 32 bits rounds to is finite below it
_DIGITS = r"[0-9](?:_?[0-9])*"
_DECIMAL = re.compile(rf"[-+]?(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][-+]?{_DIGITS})?")
_HEX_DIGITS = r"[0-9a-fA-F](?:_?[0-9a-fA-F])*"
_HEX = re.compile(rf"[-+]?0[xX]_?(?:{_HEX_DIGITS}\.?(?:{_HEX_DIGITS})?|\.{_HEX_DIGITS})[pP][-+]?{_DIGITS}")
_SPECIAL = re.compile(r"[-+]?inf(?:inity)?|nan", re.IGNORECASE)
_MOST = 200


def parse_float(text: str) -> float:
    """The number that `strconv.ParseFloat(text, 32)` reads; infinite and not-a-number where they are written out.

    Raises ValueError for what it refuses, numbers beyond 32 bits among them.
    """
    if _SPECIAL.fullmatch(text):
        return float(text)
    if len(text) > _MOST:
        raise ValueError(f"not a number: {text[:40]!r}")
    plain = text.replace("_", "")
    try:
        number = float.fromhex(plain) if _HEX.fullmatch(text) else float(plain if _DECIMAL.fullmatch(text) else "")
    except (ValueError, OverflowError):
        raise ValueError(f"not a number: {text[:40]!r}") from None
    if abs(number) >= _LARGEST:
        raise ValueError(f"not a number of 32 bits: {text[:40]!r}")
    return number
