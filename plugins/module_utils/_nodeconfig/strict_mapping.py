# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a user's mapping strictly, and collect all errors. The hooks import it, so it must be light."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Callable, NamedTuple, TypeVar

_ALIKE = 0.8  # difflib's ratio; a transposed pair of letters in a word of six has 0.83
_INDEX = re.compile(r"\[[0-9]+\]")
_Value = TypeVar("_Value")
_Default = TypeVar("_Default")


class MessageForm(NamedTuple):
    """The wording of the errors in one kind of file."""

    file: str  # what the mapping at the top is called
    error: Callable[[str, Any, str], str]  # path, value (None: not shown), sentence -> message
    not_a_mapping: Callable[[Any], str]  # value -> sentence
    unknown: Callable[[str, Sequence[str]], Iterable[tuple[str, str]]]  # path, fields in it -> (field, sentence)


class StrictFields:
    """A mapping whose fields are taken one by one; errors are collected, never raised.

    value: the user's; None is an empty mapping, except at the top. path: its position, "" at the top. errors: shared by
    all sections. sections: all of them, this one included. Converters return a field's value, or raise ValueError; its
    message is shown.
    """

    def __init__(
        self, value: Any, path: str, errors: list[str], form: MessageForm, *, sections: list[StrictFields] | None = None
    ) -> None:
        self.errors = errors
        self._form = form
        self._path = path
        self._fields: dict[str, Any] = {}
        self._taken: dict[str, None] = {}  # in this order
        self._sections = [] if sections is None else sections
        self._sections.append(self)
        if isinstance(value, Mapping):
            self._fields = {str(name): field for name, field in value.items()}
        elif value is not None or not path:
            errors.append(form.error(path or form.file, None, form.not_a_mapping(value)))

    def take(self, name: str) -> Any:
        """Return a field as it was written, or None if it is missing."""
        self._taken[name] = None
        return self._fields.get(name)

    def get(self, name: str, convert: Callable[[Any], _Value], default: _Default) -> _Value | _Default:
        """Return the converted field, or the default if it is missing, null or wrong."""
        value = self.take(name)
        return default if value is None else self.convert(name, value, convert, default)

    def require(
        self, name: str, convert: Callable[[Any], _Value], substitute: _Default, *, missing: str = "is required"
    ) -> _Value | _Default:
        """Return the converted field, or the substitute if it is wrong or missing, which is an error too."""
        value = self.take(name)
        if value is None:
            self.error(name, None, missing)
            return substitute
        return self.convert(name, value, convert, substitute)

    def convert(
        self, name: str, value: Any, convert: Callable[[Any], _Value], substitute: _Default
    ) -> _Value | _Default:
        """Return a field's converted value, or the substitute if it is wrong."""
        try:
            return convert(value)
        except ValueError as error:
            self.error(name, value, str(error))
            return substitute

    def section(self, name: str) -> StrictFields:
        """Return the fields below a field."""
        return self.nested(name, self.take(name))

    def nested(self, name: str, value: Any) -> StrictFields:
        """Return the fields of a mapping that was taken. name: its position below this mapping."""
        return StrictFields(value, _join(self._path, name), self.errors, self._form, sections=self._sections)

    def error(self, name: str, value: Any, sentence: str) -> None:
        """Report an error in a field. value: None if the message is not to show it."""
        self.errors.append(self._form.error(_join(self._path, name), value, sentence))

    def reject_unknown(self) -> None:
        """Report the fields that were not taken."""
        unknown = [name for name in self._fields if name not in self._taken]
        for name, sentence in self._form.unknown(self._path, unknown):
            self.error(name, None, sentence)

    def keys(self) -> dict[str, tuple[str, ...]]:
        """Return the names of all fields that were taken, by the path of their mapping; entries of a list share one."""
        keys: dict[str, dict[str, None]] = {}
        for section in self._sections:
            keys.setdefault(without_indexes(section._path), {}).update(section._taken)
        return {path: tuple(names) for path, names in keys.items()}


def without_indexes(path: str) -> str:
    """Return a path without the indexes of lists, such as policy.gates.name for policy.gates[0].name."""
    return _INDEX.sub("", path)


def suggest_key(name: str, path: str, keys: Mapping[str, Sequence[str]]) -> str:
    """Return the path of the key that a name resembles, or "" if it resembles none.

    path: of the mapping that has the name; its own keys come first. keys: by path, the keys of each mapping.
    """
    import difflib  # not at the top: the hooks pay for every import, and suggest nothing

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


def unknown_fields(value: Mapping[Any, Any], known: Collection[str]) -> list[str]:
    """Return the names of a mapping's fields that are not known, sorted."""
    return sorted(str(name) for name in value if name not in known)


def boolean(value: Any) -> bool:
    """Return a boolean. Raises ValueError."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def integer(minimum: int, maximum: int) -> Callable[[Any], int]:
    """Return the converter of a whole number."""

    def convert(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
            raise ValueError(f"must be a whole number from {minimum} to {maximum}")
        return value

    return convert


def matching(pattern: re.Pattern[str], sentence: str, *, longest: int = 4096) -> Callable[[Any], str]:
    """Return the converter of a text that matches a pattern. sentence: the error if it does not."""

    def convert(value: Any) -> str:
        if not isinstance(value, str) or len(value) > longest or not pattern.match(value):
            raise ValueError(sentence)
        return value

    return convert


def one_of(*allowed: str) -> Callable[[Any], str]:
    """Return the converter of a text from a fixed set."""

    def convert(value: Any) -> str:
        if value not in allowed:
            raise ValueError("must be " + " or ".join(allowed))
        return str(value)

    return convert
