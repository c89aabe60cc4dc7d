# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the values of a pool file. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from .._nodeconfig.strict_mapping import StrictFields

_PERCENT = re.compile(r"([0-9]{1,3})%\Z")
_COUNT = re.compile(r"[0-9]{1,7}\Z")
_MAX_COUNT = 1000000
_KINDS = (
    (type(None), "nothing"),
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "text"),
    (Mapping, "a mapping"),
    (Sequence, "a list"),
)
_Choice = TypeVar("_Choice", bound=str)


@dataclass(frozen=True)
class NodeCount:
    """A number of nodes, or a part of a pool in percent."""

    value: int
    percent: bool = False

    def __str__(self) -> str:
        return f"{self.value}%" if self.percent else str(self.value)

    def as_limit(self, total: int) -> int:
        """Return the number for a limit: rounded down, but a part that is not 0% is at least one node."""
        if not self.percent:
            return self.value
        return max(1, total * self.value // 100) if self.value else 0

    def as_goal(self, total: int) -> int:
        """Return the number for a goal: rounded up."""
        return -(-total * self.value // 100) if self.percent else min(self.value, total)


def not_a_mapping(value: Any) -> str:
    """Return the sentence about a value that must be a mapping."""
    return f"must be a mapping, not {_kind_of(value)}"


def _kind_of(value: Any) -> str:
    """Return what a value of YAML is, in words: Ansible has classes of its own."""
    return next((words for kind, words in _KINDS if isinstance(value, kind)), type(value).__name__)


def text(value: Any) -> str:
    """Return a text without surrounding space. Raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"must be a text, not {_kind_of(value)}")
    return value.strip()


def mapping(value: Any) -> dict[str, Any]:
    """Return a mapping with text keys. Raises ValueError."""
    if not isinstance(value, Mapping):
        raise ValueError(not_a_mapping(value))
    return {str(key): part for key, part in value.items()}


def choice(allowed: tuple[_Choice, ...]) -> Callable[[Any], _Choice]:
    """Return the converter of a text that is one of a fixed set."""

    def convert(value: Any) -> _Choice:
        for choice in allowed:
            if value == choice:
                return choice
        raise ValueError(f"{str(value)[:60]!r} must be one of {', '.join(allowed)}")

    return convert


def node_count(value: Any) -> NodeCount:
    """Return a number of nodes or a percentage of a pool. Raises ValueError."""
    match = _PERCENT.match(value) if isinstance(value, str) else None
    if match and int(match.group(1)) <= 100:
        return NodeCount(int(match.group(1)), True)
    number = int(value) if isinstance(value, str) and _COUNT.match(value) else value  # a template makes it a text
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= _MAX_COUNT:
        return NodeCount(number)
    raise ValueError(f"{str(number)[:60]!r} must be a number of nodes, or a percentage from 0% to 100%")


def node_counts(fields: StrictFields, name: str, default: tuple[NodeCount, ...]) -> tuple[NodeCount, ...]:
    """Return a list of counts and percentages, at least one. An error names the entry."""
    value = fields.take(name)
    if value is None:
        return default
    if not is_list(value) or not value:
        fields.error(name, value, "must be a list such as [10%, 30%, 100%]")
        return default
    counts = [fields.convert(f"{name}[{index}]", part, node_count, None) for index, part in enumerate(value)]
    return tuple(count for count in counts if count is not None)


def texts(fields: StrictFields, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return a list of different texts."""
    return as_texts(fields, name, fields.take(name), default)


def as_texts(fields: StrictFields, name: str, value: Any, default: tuple[str, ...]) -> tuple[str, ...]:
    """Return a value that must be a list of different texts. name: for an error."""
    if value is None:
        return default
    if not is_list(value) or not all(isinstance(part, str) and part for part in value):
        fields.error(name, value, "must be a list of texts")
        return default
    if len(set(value)) != len(value):
        fields.error(name, value, "names something twice")
    return tuple(value)


def is_list(value: Any) -> bool:
    """Return whether a value is a list."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
