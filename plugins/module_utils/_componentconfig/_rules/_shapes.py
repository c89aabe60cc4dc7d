# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes rules of what many rules have in common: a value at a place that must be of a kind, present, or alone.

Places are patterns: `profiles[].pluginConfig[].name`, `apiEndpoints{}.bindPort`.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Callable

from .._values._duration import nanoseconds
from .._values._paths import Path
from ._context import Context, Fault, Rule

__all__ = [
    "all_of",
    "checked",
    "found",
    "members",
    "parent_and_name",
    "present",
    "repeated",
    "required",
    "unique",
    "within",
]


def found(data: Any, pattern: str, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value at a pattern, with its path; what is absent or null is none."""
    if data is None:
        return
    if not pattern:
        yield path, data
        return
    part, *rest_of = pattern.split(".", 1)
    rest, name = "".join(rest_of), part.rstrip("[]{}")
    value = data.get(name) if isinstance(data, dict) else None
    here = path + (name,)
    if part.endswith("[]"):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from found(item, rest, here + (index,))
    elif part.endswith("{}"):
        for key, item in (value if isinstance(value, dict) else {}).items():
            yield from found(item, rest, here + (key,))
    else:
        yield from found(value, rest, here)


def parent_and_name(pattern: str) -> tuple[str, str]:
    """A pattern as that of the object around it and the name of its last field."""
    *parent, name = pattern.rsplit(".", 1)
    return "".join(parent), name


def members(data: Any, pattern: str, absent: Any = None) -> Iterator[tuple[Path, Any]]:
    """As `found`, but what its object does not have counts as `absent` (None: is left out): Go knows zeros only."""
    parent, name = parent_and_name(pattern)
    for path, holder in found(data, parent):
        value = holder.get(name) if isinstance(holder, dict) else None
        value = absent if value is None else value
        if value is not None:
            yield path + (name,), value


def checked(pattern: str, allowed: Callable[[Any], bool], words: str, absent: Any = None) -> Rule:
    """Every value at the pattern must be allowed; `absent` stands for one that its object does not have."""

    def check(c: Context) -> Iterator[Fault]:
        values = found(c.data, pattern) if pattern.endswith("]") else members(c.data, pattern, absent)
        for path, value in values:
            if not allowed(value):
                yield path, words

    return check


def within(pattern: str, least: float | None, greatest: float | None, words: str, absent: Any = None) -> Rule:
    """Every number or duration (bounds then in nanoseconds) at the pattern must lie within both bounds."""

    def allowed(value: Any) -> bool:
        number = nanoseconds(value) if isinstance(value, str) else value
        return (least is None or number >= least) and (greatest is None or number <= greatest)

    return checked(pattern, allowed, f"must be {words}", absent)


def required(pattern: str, words: str = "is required") -> Rule:
    """Every object that may hold the pattern's last field must, and not empty."""
    return checked(pattern, bool, words, absent="")


def present(pattern: str) -> Rule:
    """Every object that may hold the pattern's last field must; it may be empty."""
    return checked(pattern, lambda value: value != "", "is required", absent="")


def repeated(values: Iterable[tuple[Path, Any]], words: str = "must not stand twice") -> Iterator[Fault]:
    """The paths of those values that were there before."""
    seen: list[Any] = []
    for path, value in values:
        if value in seen:
            yield path, words
        seen.append(value)


def unique(pattern: str, words: str = "must not stand twice") -> Rule:
    """No two values at the pattern may be the same; empty ones are another rule's."""

    def check(c: Context) -> Iterator[Fault]:
        yield from repeated(((path, value) for path, value in found(c.data, pattern) if value != ""), words)

    return check


def all_of(*rules: Rule) -> Rule:
    """One rule of several."""

    def check(c: Context) -> Iterator[Fault]:
        for rule in rules:
            yield from rule(c)

    return check
