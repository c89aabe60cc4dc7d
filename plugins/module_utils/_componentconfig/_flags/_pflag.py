# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command line taken apart as the component takes it apart: flags with their values, in order.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._exceptions import ConfigError
from .._findings import show
from .._scalars._duration import nanoseconds
from .._scalars._field_path import Path
from .._scalars._numbers import parse_quantity

__all__ = ["CommandLine", "FORMS", "Flag", "FlagUse", "parse_command_line", "parse_flag_value"]

_SHORT = {"v": "v", "h": "help"}


class FlagUse(NamedTuple):
    """One use of a flag: its name with dashes, its value ("true" for a bare switch), the words that it was."""

    name: str
    text: str
    words: tuple[str, ...]


class CommandLine(NamedTuple):
    """The uses of flags, and why the component would refuse the rest, as sentences."""

    given: tuple[FlagUse, ...]
    problems: tuple[str, ...]


def parse_command_line(words: Sequence[str], flags: Mapping[str, Flag]) -> CommandLine:
    """Take the words behind the program apart.

    A known switch takes a value only behind "=", any other known flag the next word, whatever that is. An unknown one
    takes the next word where that is no flag.
    """
    given: list[FlagUse] = []
    problems: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, text = _name_of(word)
        if not name:
            problems.append(f"{word!r} is no flag: the component takes nothing else")
            continue
        flag = flags.get(name)
        used = [word]
        if not equals:
            takes_next = flag.form != "bool" if flag is not None else bool(left) and not left[0].startswith("-")
            if takes_next and not left:
                problems.append(f"--{name} needs a value")
                continue
            text = "true"
            if takes_next:
                text = left.pop(0)
                used.append(text)
        given.append(FlagUse(name, text, tuple(used)))
    return CommandLine(tuple(given), tuple(problems))


def _name_of(word: str) -> tuple[str, bool, str]:
    """The name in a word, "" for none, whether a value follows in the same word, and that value."""
    if word.startswith("--") and len(word) > 2:
        name, equals, text = word[2:].partition("=")
        return name.replace("_", "-"), bool(equals), text
    if word.startswith("-") and word[1:2] in _SHORT:  # -v 2, -v=2, -v2
        text = word[2:]
        return _SHORT[word[1]], bool(text), text[1:] if text.startswith("=") else text
    return "", False, ""


_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}  # strconv.ParseBool
_OCTAL = re.compile(r"[+-]?0[0-7_]+")


def parse_flag_value(form: str, texts: Sequence[str], field_type: str = "") -> Any:
    """Return what the uses of one flag, in their order, say; at least one.

    field_type: of the field that takes the value, which may hold a duration as nanoseconds. Raises ValueError with what
    is allowed where the component would refuse the flag.
    """
    value = FORMS[form](texts)
    if form == "duration" and field_type.startswith("int"):
        return nanoseconds(value)
    return value


def _wrong(text: str, allowed: str) -> ConfigError:
    """What to raise for a plain value. Of lists and maps nothing is shown: what is not in form may hold a secret."""
    return ConfigError(f"{show(text)}: {allowed}")


def _string(texts: Sequence[str]) -> str:
    return texts[-1]


def _boolean(texts: Sequence[str]) -> bool:
    if texts[-1] not in _BOOLEANS:
        raise _wrong(texts[-1], "must be true or false")
    return _BOOLEANS[texts[-1]]


def _integer(texts: Sequence[str]) -> int:
    text = texts[-1]
    try:
        text.encode("ascii")  # int() takes the digits of all scripts, Go those of one
        return int(text, 8) if _OCTAL.fullmatch(text) else int(text, 0)
    except ValueError:
        raise _wrong(text, "must be a whole number") from None


def _float(texts: Sequence[str]) -> int | float:
    try:
        texts[-1].encode("ascii")
        value = float(texts[-1])
    except ValueError:
        raise _wrong(texts[-1], "must be a number") from None
    if not math.isfinite(value):  # a file cannot say it: JSON has no such number
        raise _wrong(texts[-1], "must be a finite number")
    return int(value) if value.is_integer() else value


def _duration(texts: Sequence[str]) -> str:
    try:
        nanoseconds(texts[-1])
    except ConfigError:
        raise _wrong(texts[-1], "must be a duration, for example 90s, 1m30s or 500ms") from None
    return texts[-1]


def _list(texts: Sequence[str]) -> list[str]:
    found: list[str] = []
    for text in texts:
        if text:
            try:
                found += next(csv.reader([text], strict=True))
            except csv.Error:
                raise ConfigError("must be a list with commas between") from None
    return found


def _pairs(texts: Sequence[str], separator: str) -> Iterator[tuple[str, str]]:
    for text in texts:
        for part in text.split(","):
            if not part:
                continue
            key, found, value = part.partition(separator)
            if not found:
                raise ConfigError(f"must be a list of key{separator}value with commas between")
            yield key.strip(), value.strip()


def _map(texts: Sequence[str]) -> dict[str, str]:
    return dict(_pairs(texts, "="))


def _thresholds(texts: Sequence[str]) -> dict[str, str]:
    return dict(_pairs(texts, "<"))


def _switches(texts: Sequence[str]) -> dict[str, bool]:
    return {key: _boolean([value]) for key, value in _pairs(texts, "=")}


def _headers(texts: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in _pairs(texts, ":"):
        found.setdefault(key, []).append(value)
    return found


def _taints(texts: Sequence[str]) -> list[dict[str, str]]:
    return [_taint(part) for part in texts[-1].split(",") if texts[-1]]


def _taint(text: str) -> dict[str, str]:
    left, colon, effect = text.partition(":")
    key, _equals, value = left.partition("=")
    if not key or not colon or not effect or ":" in effect:
        raise ConfigError("must be a list of key=value:effect with commas between")
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def _reserved_memory(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [_reservation(part) for text in texts if text for part in text.split(";")]


def _reservation(text: str) -> dict[str, Any]:
    number, colon, limits = text.partition(":")
    error = "must be a list of NODE:memory=QUANTITY with semicolons between"
    if not colon or not re.fullmatch(r"\s*[0-9]+\s*", number):
        raise ConfigError(error)
    amounts = dict(_pairs([limits], "="))
    try:
        for quantity in amounts.values():
            parse_quantity(quantity)
        node = int(number)
    except (ConfigError, ValueError):  # int() refuses thousands of digits
        raise ConfigError(error) from None
    return {"numaNode": node, "limits": amounts}


def _levels(texts: Sequence[str]) -> list[dict[str, Any]]:
    levels = []
    for pattern, level in _pairs(texts, "="):
        if not pattern or not re.fullmatch("[0-9]{1,4000}", level):  # int() refuses more digits
            raise ConfigError("must be a list of file=LEVEL with commas between")
        levels.append({"filePattern": pattern, "verbosity": int(level)})
    return levels


def _profile(texts: Sequence[str]) -> list[dict[str, str]]:
    return [{"schedulerName": texts[-1]}]


FORMS: Mapping[str, Callable[[Sequence[str]], Any]] = {
    "string": _string,
    "bool": _boolean,
    "int": _integer,
    "float": _float,
    "duration": _duration,
    "list": _list,
    "map": _map,
    "mapLess": _thresholds,
    "mapBool": _switches,
    "headers": _headers,
    "taints": _taints,
    "reservedMemory": _reserved_memory,
    "vmodule": _levels,
    "profileName": _profile,
}
"""The forms by the names that the data have for them; each takes the texts of all uses of a flag."""


@dataclass(frozen=True)
class Flag:
    """One flag. Sentences have no subject, and are "" where there is none.

    form: how its value is written, a name of `_forms`. field: the path of the field it stands for, () for none.
    since, last: the minors that have the flag. stays: why it stays on the command line where the file has no field for
    it; is_of_node: as such a value belongs to one node. gone: why nothing is lost when it goes with its last minor.
    refused, refused_empty: what to do, where it cannot go on beside a file, at all or with an empty value.
    becomes: the flag that replaced it. port_of: the flag whose address this port completes. wins_since: the minor since
    which it wins over the file, where a file makes the component ignore the other flags. only_on: it can switch its
    field on, not off. only_without_file: it stands for no field, and has no effect beside a file.
    adds: where it adds its values to those of the file, "before" or "behind" them.
    """

    name: str
    form: str = "string"
    field: Path = ()
    since: int = 0
    last: int | None = None
    stays: str = ""
    is_of_node: bool = False
    gone: str = ""
    refused: str = ""
    refused_empty: str = ""
    becomes: str = ""
    port_of: str = ""
    wins_since: int | None = None
    only_on: bool = False
    only_without_file: bool = False
    adds: str = ""
    defaults: tuple[tuple[int, Any], ...] = ()

    def known_at(self, minor: int) -> bool:
        """Whether that minor's component takes the flag."""
        return self.since <= minor and (self.last is None or minor <= self.last)

    def default_at(self, minor: int) -> Any:
        """The value of its field without the flag and without a file, where a file's default is another one; None where
        both are the same."""
        found = None
        for since, value in self.defaults:
            if since <= minor:
                found = value
        return found
