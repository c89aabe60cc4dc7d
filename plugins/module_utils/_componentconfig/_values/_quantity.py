# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes quantities: `500m`, `1.5Gi`, `10e3`.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from fractions import Fraction

__all__ = ["parse_quantity"]

_SUFFIXES: dict[str, Fraction] = {
    **{suffix: Fraction(1024**power) for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
    **{suffix: Fraction(1000**power) for power, suffix in enumerate(("", "k", "M", "G", "T", "P", "E"))},
    **{suffix: Fraction(1, 1000**power) for power, suffix in enumerate(("m", "u", "n"), 1)},
}
_QUANTITY = re.compile(r"([-+]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:([KMGTPE]i|[kMGTPEmun]|)|[eE]([-+]?[0-9]{1,4}))")


def parse_quantity(value: str | int | float) -> Fraction:
    """The exact value of a quantity; raises ValueError with a sentence for what `resource.ParseQuantity` refuses."""
    text = str(value)
    match = _QUANTITY.fullmatch(text) if len(text) <= 200 else None
    if match is None or isinstance(value, bool):
        raise ValueError(f"not a quantity: {text[:40]!r} (write for example 500m, 2, 100Mi, 1.5Gi)")
    sign, digits, suffix, exponent = match.groups()
    amount = Fraction(digits if not digits.endswith(".") else digits + "0")
    scale = Fraction(10) ** int(exponent) if exponent is not None else _SUFFIXES[suffix]
    return -amount * scale if sign == "-" else amount * scale
