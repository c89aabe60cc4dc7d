# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a user's mapping strictly and collects all errors. Private to configok.node."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, TypeVar

from ._durations import InvalidDuration, setting_duration

__all__ = ["NodeCount", "StrictFields", "suggest_key"]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_PERCENT = re.compile(r"([0-9]{1,3})%\Z")
_COUNT = re.compile(r"[0-9]{1,7}\Z")
_MAX_COUNT = 1000000
_ALIKE = 0.8  # difflib's ratio; a transposed pair of letters in a word of six has 0.83
_Choice = TypeVar("_Choice", bound=str)
_Default = TypeVar("_Default", float, Optional[float])


def suggest_key(name: str, path: str, keys: Mapping[str, Sequence[str]]) -> str:
    """Return the path of the key that a name resembles, or "" if it resembles none.

    path: of the mapping that has the name; its own keys come first. keys: by path, the keys of each mapping.
    """
    parents = sorted(keys, key=lambda parent: parent != path)
    for parent in parents:
        if name in keys[parent] and parent != path:
            return _join(parent, name)
    for parent in parents:
        by_lower_case = {key.lower(): key for key in keys[parent]}
        alike = difflib.get_close_matches(name.lower(), by_lower_case, 1, _ALIKE)
        if alike:
            return _join(parent, by_lower_case[alike[0]])
    return ""


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


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


class StrictFields:
    """A mapping whose fields are taken one by one; errors are collected, never raised.

    value: the user's, or None. path: its position, "" at the top. errors: shared by all parts.
    keys: by the path of a mapping, the keys that it may have; an unknown field is compared with them.
    """

    def __init__(self, value: Any, path: str, errors: list[str], keys: Mapping[str, Sequence[str]]) -> None:
        self.errors = errors
        self._keys = keys
        self._path = path
        self._remaining: dict[str, Any] = {}
        if isinstance(value, Mapping):
            self._remaining = {str(key): part for key, part in value.items()}
        elif value is not None or not path:
            errors.append(f"{path or 'the pool'}: must be a mapping, not {_kind(value)}")

    def take(self, name: str) -> Any:
        """Return a field as it was written, or None if it is missing."""
        return self._remaining.pop(name, None)

    def done(self) -> None:
        """Report the fields that were not taken."""
        for name in sorted(self._remaining):
            suggestion = suggest_key(name, self._path, self._keys)
            self._wrong(name[:100], "unknown field" + (f": did you mean {suggestion}?" if suggestion else ""))

    def part(self, name: str) -> StrictFields:
        """Return the fields below a field."""
        return StrictFields(self.take(name), self._at(name), self.errors, self._keys)

    def text(self, name: str, default: str) -> str:
        """Return a text."""
        value = self.take(name)
        if value is None:
            return default
        if not isinstance(value, str):
            self._wrong(name, f"must be a text, not {_kind(value)}")
            return default
        return value.strip()

    def label(self, name: str, longest: int) -> str:
        """Return a required DNS label."""
        value = self.take(name)
        if not isinstance(value, str) or not _LABEL.match(value) or len(value) > longest:
            shown = "is missing" if value is None else f"{str(value)[:60]!r}"
            self._wrong(name, f"{shown}: it must be a DNS label (a-z, 0-9, -) of at most {longest} characters")
            return ""
        return value

    def texts(self, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return a list of different texts."""
        value = self.take(name)
        if value is None:
            return default
        if not _is_list(value) or not all(isinstance(part, str) and part for part in value):
            self._wrong(name, "must be a list of texts")
            return default
        if len(set(value)) != len(value):
            self._wrong(name, "names something twice")
        return tuple(value)

    def mapping(self, name: str) -> dict[str, Any]:
        """Return a mapping, empty if it is missing."""
        value = self.take(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self._wrong(name, f"must be a mapping, not {_kind(value)}")
            return {}
        return {str(key): part for key, part in value.items()}

    def choice(self, name: str, allowed: tuple[_Choice, ...], default: _Choice) -> _Choice:
        """Return one of the allowed words."""
        value = self.take(name)
        if value is None:
            return default
        for choice in allowed:
            if value == choice:
                return choice
        self._wrong(name, f"{str(value)[:60]!r} must be one of {', '.join(allowed)}")
        return default

    def duration(self, name: str, default: _Default) -> _Default:
        """Return seconds."""
        value = self.take(name)
        if value is None:
            return default
        try:
            return setting_duration(value, self._at(name))
        except InvalidDuration as error:
            self.errors.append(str(error).replace(f"{self._at(name)} ", f"{self._at(name)}: ", 1))
            return default

    def amount(self, name: str, default: NodeCount) -> NodeCount:
        """Return a count, or a percentage."""
        value = self.take(name)
        return default if value is None else self._amount(value, name) or default

    def amounts(self, name: str, default: tuple[NodeCount, ...]) -> tuple[NodeCount, ...]:
        """Return a list of counts and percentages, at least one."""
        value = self.take(name)
        if value is None:
            return default
        if not _is_list(value) or not value:
            self._wrong(name, "must be a list such as [10%, 30%, 100%]")
            return default
        amounts = [self._amount(part, f"{name}[{index}]") for index, part in enumerate(value)]
        return tuple(amount for amount in amounts if amount is not None)

    def _amount(self, value: Any, name: str) -> NodeCount | None:
        match = _PERCENT.match(value) if isinstance(value, str) else None
        if match and int(match.group(1)) <= 100:
            return NodeCount(int(match.group(1)), True)
        if isinstance(value, str) and _COUNT.match(value):
            value = int(value)  # what a template makes of a number
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_COUNT:
            return NodeCount(value)
        self._wrong(name, f"{str(value)[:60]!r} must be a number of nodes, or a percentage from 0% to 100%")
        return None

    def _at(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def _wrong(self, name: str, what: str) -> None:
        self.errors.append(f"{self._at(name)}: {what}")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__
