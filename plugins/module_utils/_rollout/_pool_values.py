# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read settings of a pool file into dataclasses, and convert their values. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from dataclasses import field as dataclass_field
from typing import Any, Final, TypeVar, cast

from .._foreign import InvalidText
from .._foreign.patterns import Pattern, parse_pattern
from .._nodeconfig.durations import setting_duration
from .._nodeconfig.strict_mapping import StrictFields

_PERCENT = re.compile(r"([0-9]{1,3})%\Z")
_COUNT = re.compile(r"[0-9]{1,7}\Z")
_MAX_COUNT = 1000000
_MAX_TEXT = 4096  # characters of a URL, a query or a path
_MAX_PATTERN = 500
_KINDS = (
    (type(None), "nothing"),
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "text"),
    (Mapping, "a mapping"),
    (Sequence, "a list"),
)
REQUIRED: Final = "is required"  # the usual error of a setting that is missing
_READ = "read"  # in the metadata of a field: takes it from the section with its key
_Choice = TypeVar("_Choice", bound=str)
_Settings = TypeVar("_Settings")


def setting(convert: Callable[[Any], Any], default: Any, *, key: str = "", missing: str = "") -> Any:
    """Return a field of a dataclass that is a key of its section.

    convert: returns the value, or raises ValueError. default: also in place of a wrong value. key: if it is not the
    name of the field in camel case. missing: the error if the key is missing, "" if it need not be there.
    """
    if missing:
        return custom_setting(lambda part, name: part.require(key or name, convert, default, missing=missing), default)
    return custom_setting(lambda part, name: part.get(key or name, convert, default), default)


def section(kind: type[Any]) -> Any:
    """Return a field of a dataclass that is a section of its own. kind: a dataclass of settings."""
    return custom_setting(lambda part, name: read_settings(kind, part.section(name)), kind())


def custom_setting(read: Callable[[StrictFields, str], Any], default: Any) -> Any:
    """Return a field of a dataclass that is read in another way. read: takes it from the section with its key."""
    return dataclass_field(default_factory=lambda: default, metadata={_READ: read})


def read_settings(kind: type[_Settings], section: StrictFields, **others: Any) -> _Settings:
    """Return a dataclass whose fields are all settings of a section; errors are collected in the section.

    others: the fields that are not settings.
    """
    settings = take_settings(kind, section, **others)
    section.reject_unknown()
    return settings


def take_settings(kind: type[_Settings], section: StrictFields, **others: Any) -> _Settings:
    """Return a dataclass whose fields are some of the settings of a section, as read_settings does."""
    read = {part.name: part.metadata[_READ] for part in fields(cast(Any, kind)) if _READ in part.metadata}
    return kind(**others, **{name: take(section, _camel_case(name)) for name, take in read.items()})


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


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


def required_text(value: Any) -> str:
    """Return a text that is not empty. Raises ValueError."""
    line = text(value)
    if not line or len(line) > _MAX_TEXT or "\0" in line:
        raise ValueError(f"must be a text of 1 to {_MAX_TEXT} characters")
    return line


def pattern(value: Any) -> Pattern:
    """Return a regular expression. Raises ValueError."""
    line = required_text(value)
    if len(line) > _MAX_PATTERN:
        raise ValueError(f"has {len(line)} characters, at most {_MAX_PATTERN} are allowed")
    try:
        return parse_pattern(line)
    except InvalidText as error:
        raise ValueError(f"{line[:60]!r} is not a regular expression: {error}") from error


def positive_duration(value: Any) -> float:
    """Return a duration above 0 in seconds. Raises ValueError."""
    seconds = setting_duration(value)
    if seconds <= 0:
        raise ValueError("must be longer than 0s")
    return seconds


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


def texts(value: Any) -> tuple[str, ...]:
    """Return a list of different texts. Raises ValueError."""
    if not is_list(value) or not all(isinstance(part, str) and part for part in value):
        raise ValueError("must be a list of texts")
    if len(set(value)) != len(value):
        raise ValueError("names something twice")
    return tuple(value)


def is_list(value: Any) -> bool:
    """Return whether a value is a list."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
