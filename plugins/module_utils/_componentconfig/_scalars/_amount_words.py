# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write amounts and durations in words, so that a wrong unit is easy to see: "100 million", "5 nanoseconds"."""

from __future__ import annotations

from fractions import Fraction

_LARGE = ((10**15, "quadrillion"), (10**12, "trillion"), (10**9, "billion"), (10**6, "million"))
_DURATIONS = (
    (365 * 24 * 3600 * 10**9, "year"),
    (24 * 3600 * 10**9, "day"),
    (3600 * 10**9, "hour"),
    (60 * 10**9, "minute"),
    (10**9, "second"),
    (10**6, "millisecond"),
    (10**3, "microsecond"),
    (1, "nanosecond"),
)  # with the nanoseconds of each
_MOST = 10**18
"""The largest amount that is written; Kubernetes' own numbers are about nine times as large."""


def _rounded(amount: Fraction) -> str:
    """Return a number with four significant digits, without zeros at its end."""
    return f"{float(f'{float(amount):.4g}'):.12f}".rstrip("0").rstrip(".")


def amount_words(amount: Fraction | int) -> str:
    """Return a positive amount in words: "500", "0.5", "100 million"."""
    if amount > _MOST:
        return f"more than {amount_words(_MOST)}"
    if amount * 10**9 < 1:
        return "less than 0.000000001"
    for size, name in _LARGE:
        if amount >= size:
            return f"{_rounded(Fraction(amount) / size)} {name}"
    return _rounded(Fraction(amount)) if amount < 1 else f"{float(amount):.10g}"


def duration_words(nanoseconds: int) -> str:
    """Return a positive duration in its largest unit: "5 nanoseconds", "1.5 hours", "114.2 years"."""
    size, name = next((size, name) for size, name in _DURATIONS if nanoseconds >= size)
    number = _rounded(Fraction(nanoseconds, size))
    return f"{number} {name}" if number == "1" else f"{number} {name}s"
