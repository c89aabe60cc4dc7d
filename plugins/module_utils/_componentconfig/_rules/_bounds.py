# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules that are one number within bounds, as data.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ._context import Context, Fault, Rule

__all__ = ["Bound", "bound_rules"]


class Bound(NamedTuple):
    """A field, the least and the greatest number it may hold (None: no bound), and the two in words."""

    field: str
    least: float | None
    greatest: float | None
    words: str
    duration: bool = False


def _rule(bounds: tuple[Bound, ...]) -> Rule:
    def check(context: Context) -> Iterator[Fault]:
        for bound in bounds:
            path = tuple(bound.field.split("."))
            if not context.known(*path):
                continue
            value = context.seconds(*path) if bound.duration else context.get(*path)
            if value is None:
                continue
            if (bound.least is not None and value < bound.least) or (
                bound.greatest is not None and value > bound.greatest
            ):
                yield path, f"must be {bound.words}"

    return check


def bound_rules(table: Mapping[str, tuple[Bound, ...]]) -> dict[str, Rule]:
    """Rules by id from bounds by id; a field that has no value, given or by default, meets every bound."""
    return {rule: _rule(bounds) for rule, bounds in table.items()}
