# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parse quantities and CPU lists as Kubernetes does, booleans and floats as Go's strconv does."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from .. import ConfigError

_SUFFIXES: dict[str, Fraction] = {
    **{suffix: Fraction(1024**power) for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
    **{suffix: Fraction(1000**power) for power, suffix in enumerate(("", "k", "M", "G", "T", "P", "E"))},
    **{suffix: Fraction(1, 1000**power) for power, suffix in enumerate(("m", "u", "n"), 1)},
}
UNITS = tuple(suffix for suffix in _SUFFIXES if suffix)
"""The units of quantities."""

_NEED_DIGITS = ("Pi", "Ei")
_QUANTITY = re.compile(r"([-+]?)([0-9]*(?:\.[0-9]*)?)(?:([KMGTPE]i|[kMGTPEmun]|)|[eE]([-+]?[0-9]{1,4}))")


def parse_quantity(value: str | int | float) -> Fraction:
    """Return the exact value of a quantity: `500m`, `1.5Gi`, `10e3`.

    Raises ConfigError for text that `resource.ParseQuantity` refuses. As there, a unit or a sign without a number is
    zero, except with the two largest units.
    """
    text = str(value)
    match = _QUANTITY.fullmatch(text) if 0 < len(text) <= 200 else None
    if match is None or isinstance(value, bool) or (match[3] in _NEED_DIGITS and not match[2].strip(".")):
        raise ConfigError(f"not a quantity: {text[:40]!r} (write for example 500m, 2, 100Mi, 1.5Gi)")
    sign, digits, suffix, exponent = match.groups()
    amount = Fraction(f"0{digits}0" if digits.endswith(".") else f"0{digits}")
    scale = Fraction(10) ** int(exponent) if exponent is not None else _SUFFIXES[suffix]
    return -amount * scale if sign == "-" else amount * scale


def format_quantity(amount: Fraction, unit: str) -> str:
    """Write an amount in one of UNITS, with at most three decimals: 1610612736 in Mi is `1536Mi`, in Gi `1.5Gi`.

    Raises ConfigError for another unit, and for an amount that needs more decimals.
    """
    if unit not in UNITS:
        raise ConfigError(f"not a unit of quantities: {unit[:20]!r} (they are {', '.join(UNITS)})")
    thousandths = amount / _SUFFIXES[unit] * 1000
    if thousandths.denominator != 1:
        raise ConfigError(f"{float(amount):g} cannot be written in {unit} exactly: take a smaller unit")
    whole, rest = divmod(abs(thousandths.numerator), 1000)
    decimals = f".{rest:03d}".rstrip("0") if rest else ""
    return f"{'-' if amount < 0 else ''}{whole}{decimals}{unit}"


_RANGE = re.compile(r"\s*\+?([0-9]{1,5})(?:-\+?([0-9]{1,5}))?\s*")


def parse_cpu_list(text: Any) -> frozenset[int]:
    """Return the CPUs of a list such as ``0-3,8``, without parts that are not a number or range up to 99999."""
    matches = (_RANGE.fullmatch(part) for part in str(text or "").split(","))
    ranges = sorted((int(match[1]), int(match[2] or match[1])) for match in matches if match is not None)
    cpus: set[int] = set()
    last = -1
    for first, end in ranges:
        cpus.update(range(max(first, last + 1), end + 1))  # each CPU once, however often the list names it
        last = max(last, end)
    return frozenset(cpus)


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
