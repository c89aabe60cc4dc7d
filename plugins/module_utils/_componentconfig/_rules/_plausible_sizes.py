# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that quantities and durations have a plausible size: a valid one of an absurd size has a wrong unit.

The dimensions, their bounds and their fields are those of schema/plausible_quantities.json.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from .. import ConfigError
from .._scalars._amount_words import amount_words, duration_words
from .._scalars.field_path import Path
from .._scalars.numbers import parse_quantity
from .._schema.kinds import DataModule
from . import value_table
from ._rule import EffectiveConfig, Rule, Violations, number_of, values_at

PLAUSIBLE_SIZE: Final = "plausible-size"
"""The id of the rules, and the name of the table of their facts."""

_Dimension = Mapping[str, Any]
_NUMBER = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)([A-Za-z\u00b5\u03bc]*)")


_PARSERS: dict[str, Callable[[Any], Fraction]] = {
    "quantity": parse_quantity,
    "duration": lambda value: Fraction(number_of(value)),
    "count": Fraction,
    "seconds": Fraction,
}
"""The function that parses a value, by the kind of a dimension."""


def _size(dimension: _Dimension, value: Any) -> Fraction | None:
    """Return the size of a value, None if it has none: a percentage, or what another rule refuses."""
    try:
        return _PARSERS[dimension["of"]](value)
    except ConfigError:
        return None


def _words(dimension: _Dimension, size: Fraction) -> str:
    if dimension["of"] == "duration":
        return duration_words(int(size))
    if dimension["of"] == "seconds":
        return duration_words(int(size) * 10**9)
    singular, plural = dimension["noun"]
    return f"{amount_words(size)} {singular if size == 1 else plural}"


def _suggestion(dimension: _Dimension, value: Any, *, is_too_little: bool) -> str:
    """Return what was probably meant: the same number with another unit, "" if no unit makes it plausible."""
    is_duration = dimension["of"] == "duration"
    written = _NUMBER.fullmatch(f"{value}ns" if is_duration and isinstance(value, int) else str(value))
    if written is None or (is_duration and not is_too_little):
        return ""
    number, unit = written.groups()
    if not unit and Fraction(number) <= dimension.get("percent", 0):
        return f"; did you mean {number}%?"
    least = _bound(dimension, "likely" if "likely" in dimension else "least")
    for candidate in dimension.get("units", ()):
        size = _size(dimension, number + candidate) if candidate != unit else None
        if size is not None and least <= size <= _bound(dimension, "most"):
            words = f" ({_words(dimension, size)})" if candidate == "m" else ""  # thousandths or minutes
            return f"; did you mean {number}{candidate}{words}?"
    return ""


def _bound(dimension: _Dimension, name: str) -> Fraction:
    return _PARSERS[dimension["of"]](dimension[name])


def _values(config: EffectiveConfig, dimension: _Dimension) -> Iterator[tuple[Path, Any]]:
    """Yield the values of a dimension's fields that the document has."""
    for pattern, keys in dimension["fields"].items():
        for path, value in values_at(config.data, pattern):
            if not keys:
                yield path, value
            elif isinstance(value, dict):
                for key in value if keys == ["*"] else [key for key in keys if key in value]:
                    yield path + (key,), value[key]


def plausible_sizes(component: DataModule, section: str) -> Rule:
    """Return the rule that a section's quantities and durations have a plausible size; see `sections_of`."""

    def check(config: EffectiveConfig) -> Violations:
        sizes = value_table(PLAUSIBLE_SIZE, component)
        for name, fields in sizes["fields"][section].items():
            dimension: _Dimension = {**sizes["dimensions"][name], "fields": fields}
            least, most = _bound(dimension, "least"), _bound(dimension, "most")
            for path, value in _values(config, dimension):
                size = _size(dimension, value)
                if size is None or size <= 0 or least <= size <= most:
                    continue
                effect = dimension["tooLittle" if size < least else "tooMuch"]
                suggestion = _suggestion(dimension, value, is_too_little=size < least)
                yield path, f"is {_words(dimension, size)}: {effect}{suggestion}"

    return check
