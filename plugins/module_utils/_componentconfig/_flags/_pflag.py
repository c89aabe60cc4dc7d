# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parse command lines and flag values as the component's own parser does."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from .. import ConfigError
from .._scalars._syntax import is_ip, is_ip_port, is_port
from .._scalars._unexpanded import is_unexpanded
from .._scalars.duration import nanoseconds
from .._scalars.field_path import Path
from .._scalars.numbers import parse_bool, parse_quantity
from ..findings import show

_SHORT = {"v": "v", "h": "help"}


_SWITCHES = ("bool", "tristate")
"""The forms of flags that take a value only after an equals sign."""
ListPosition = Literal["", "before", "behind"]


class FlagUse(NamedTuple):
    """One use of a flag: its name with dashes, its value ("true" for a bare switch), its arguments."""

    name: str
    value: str
    arguments: tuple[str, ...]


class CommandLine(NamedTuple):
    """The uses of flags, and a sentence for each argument that the component would refuse."""

    uses: tuple[FlagUse, ...]
    errors: tuple[str, ...]


def parse_command_line(arguments: Sequence[str], flags: Mapping[str, Flag]) -> CommandLine:
    """Parse the arguments of a program; see `parse_words`."""
    parsed = [part for _index, part in parse_words(arguments, flags)]
    uses = tuple(part for part in parsed if isinstance(part, FlagUse))
    return CommandLine(uses, tuple(part for part in parsed if isinstance(part, str)))


def parse_words(arguments: Sequence[str], flags: Mapping[str, Flag]) -> Iterator[tuple[int, FlagUse | str]]:
    """Yield each use of a flag, or a sentence for an argument that the component would refuse, with its position.

    A known switch takes a value only after "=", any other known flag takes the next argument, whatever it is. An
    unknown flag takes the next argument unless it is a flag. An argument that another program replaces first is a
    use of a flag with its text as the name: it may be any number of flags.
    """
    index = 0
    while index < len(arguments):
        position, argument = index, arguments[index]
        index += 1
        name, equals, value = _split_argument(argument)
        if not name and is_unexpanded(argument):
            yield position, FlagUse(argument, "", (argument,))
            continue
        if not name:
            yield position, f"{argument!r} is not a flag: the component takes nothing else"
            continue
        flag = flags.get(name)
        if not equals:
            is_next_plain = index < len(arguments) and not arguments[index].startswith("-")
            takes_next = flag.form not in _SWITCHES if flag is not None else is_next_plain
            if takes_next and index == len(arguments):
                yield position, f"--{name} needs a value"
                continue
            value = "true"
            if takes_next:
                value = arguments[index]
                index += 1
        yield position, FlagUse(name, value, tuple(arguments[position:index]))


def _split_argument(argument: str) -> tuple[str, bool, str]:
    """Return the flag's name, "" for none, whether the same argument has the value, and the value."""
    if argument.startswith("--") and len(argument) > 2:
        name, equals, value = argument[2:].partition("=")
        return name.replace("_", "-"), bool(equals), value
    if argument.startswith("-") and argument[1:2] in _SHORT:  # -v 2, -v=2, -v2
        value = argument[2:]
        return _SHORT[argument[1]], bool(value), value[1:] if value.startswith("=") else value
    return "", False, ""


_OCTAL = re.compile(r"[+-]?0[0-7_]+")


def parse_flag_value(form: str, values: Sequence[str], field_type: str = "") -> Any:
    """Return the value that the uses of one flag, at least one, give in their order.

    field_type: of the field that takes the value, which may hold a duration as nanoseconds. Raises ConfigError for
    a value that the component would refuse; the message says what is allowed.
    """
    value = FORMS[form](values)
    if form == "duration" and field_type.startswith("int"):
        return nanoseconds(value)
    return value


def _error(text: str, allowed: str) -> ConfigError:
    """Return the error for a plain value. Lists and maps are not shown, since a malformed one may hold a secret."""
    return ConfigError(f"{show(text)}: {allowed}")


def _text(is_allowed: Callable[[str], bool], allowed: str) -> Callable[[Sequence[str]], str]:
    """Return the parser of a value that stays the text that it is. allowed: what the error says."""

    def parse(values: Sequence[str]) -> str:
        if not is_allowed(values[-1]):
            raise _error(values[-1], allowed)
        return values[-1]

    return parse


def _parses(parse: Callable[[str], Any]) -> Callable[[str], bool]:
    """Return whether a function takes a text, which otherwise raises ConfigError."""

    def is_allowed(text: str) -> bool:
        try:
            parse(text)
        except ConfigError:
            return False
        return True

    return is_allowed


def _is_port_range(text: str) -> bool:
    if not text.strip():
        return True
    first, *rest = re.split(r"([-+])", text.strip(), maxsplit=1)
    sign, second = rest or ("", "")
    are_ports = is_port(first, 0) and (not sign or is_port(second, 0))
    return are_ports and (sign != "-" or int(first) <= int(second))


def _boolean(values: Sequence[str]) -> bool:
    value = parse_bool(values[-1])
    if value is None:
        raise _error(values[-1], "must be true or false")
    return value


def _require_plain(text: str) -> None:
    """Raise ValueError for digits of another script or spaces around a number: Python takes them, and Go does not."""
    text.encode("ascii")
    if text != text.strip():
        raise ValueError("spaces")


def _level(values: Sequence[str]) -> int:
    if not re.fullmatch("[0-9]{1,10}", values[-1]) or int(values[-1]) >= 2**31:
        raise _error(values[-1], "must be a whole number, 0 or more")
    return int(values[-1])


def _integer(values: Sequence[str]) -> int:
    text = values[-1]
    try:
        _require_plain(text)
        return int(text, 8) if _OCTAL.fullmatch(text) else int(text, 0)
    except ValueError:
        raise _error(text, "must be a whole number") from None


def _bounded(bits: int) -> Callable[[Sequence[str]], int]:
    """Return the parser of a signed integer of so many bits."""

    def parse(values: Sequence[str]) -> int:
        number = _integer(values)
        if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
            raise _error(values[-1], f"must be a whole number of {bits} bits")
        return number

    return parse


def _unsigned(values: Sequence[str]) -> int:
    number = _integer(values)
    if not 0 <= number < 2**64:
        raise _error(values[-1], "must be a whole number, 0 or more")
    return number


def _float(values: Sequence[str]) -> int | float:
    try:
        _require_plain(values[-1])
        value = float(values[-1])
    except ValueError:
        raise _error(values[-1], "must be a number") from None
    if not math.isfinite(value):  # a file cannot say it: JSON has no such number
        raise _error(values[-1], "must be a finite number")
    return int(value) if value.is_integer() else value


def _list(values: Sequence[str]) -> list[str]:
    items: list[str] = []
    for text in values:
        if text:
            try:
                items += next(csv.reader([text], strict=True))
            except csv.Error:
                raise ConfigError("must be a list with commas between") from None
    return items


def _pairs(values: Sequence[str], separator: str) -> Iterator[tuple[str, str]]:
    for text in values:
        for part in text.split(","):
            if not part:
                continue
            key, has_separator, value = part.partition(separator)
            if not has_separator:
                raise ConfigError(f"must be a list of key{separator}value with commas between")
            yield key.strip(), value.strip()


def _strings_to_strings(values: Sequence[str]) -> dict[str, str]:
    """Parse as pflag's StringToString: a value with one equals sign is one pair, whatever commas it has."""
    result = {}
    for text in values:
        pairs = [text.strip('"')] if text.count("=") == 1 else _list([text])
        for pair in pairs:
            key, has_separator, value = pair.partition("=")
            if not has_separator:
                raise ConfigError("must be key=value, or a list of them in quotes with commas between")
            result[key] = value
    return result


def _loose_map(values: Sequence[str]) -> dict[str, str]:
    parts = [part.partition("=") for text in values for part in text.split(",") if part]
    return {key.strip(): value.strip() for key, _equals, value in parts}


def _switches(values: Sequence[str]) -> dict[str, bool]:
    return {key: _boolean([value]) for key, value in _pairs(values, "=")}


def _headers(values: Sequence[str]) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for key, value in _pairs(values, ":"):
        headers.setdefault(key, []).append(value)
    return headers


def _taints(values: Sequence[str]) -> list[dict[str, str]]:
    taints = [(part, _taint(part)) for part in values[-1].split(",") if values[-1]]
    return [taint for part, taint in taints if not part.endswith("-")]  # one to remove: silently dropped


def _taint(text: str) -> dict[str, str]:
    pair, colon, effect = text.partition(":")
    key, equals, value = pair.partition("=")
    if not key or ":" in effect or "=" in value or (colon and not effect) or (equals and not colon):
        raise ConfigError("must be a list of key=value:effect with commas between")
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def _reserved_memory(values: Sequence[str]) -> list[dict[str, Any]]:
    return [_reservation(part) for text in values if text for part in text.split(";")]


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


def _levels(values: Sequence[str]) -> list[dict[str, Any]]:
    levels = []
    for pattern, level in _pairs(values, "="):
        if not pattern or not re.fullmatch("[0-9]{1,4000}", level):  # int() refuses more digits
            raise ConfigError("must be a list of file=LEVEL with commas between")
        levels.append({"filePattern": pattern, "verbosity": int(level)})
    return levels


def _whole_numbers(values: Sequence[str]) -> list[int]:
    return [int(_integer([part])) for text in values for part in text.split(",") if text]


def _certificates(values: Sequence[str]) -> list[str]:
    for text in values:
        files = text.partition(":")[0].split(",")
        if len(files) != 2 or not all(files):
            raise ConfigError("must be certificate,key or certificate,key:name,...")
    return list(values)


_Parser = Callable[[Sequence[str]], Any]
_ADDING_UP: Mapping[str, _Parser] = {
    "list": _list,
    "map": lambda values: dict(_pairs(values, "=")),
    "mapLess": lambda values: dict(_pairs(values, "<")),
    "mapBool": _switches,
    "looseMap": _loose_map,
    "stringToString": _strings_to_strings,
    "headers": _headers,
    "reservedMemory": _reserved_memory,
    "vmodule": _levels,
    "array": list,
    "intList": _whole_numbers,
    "certKeyPairs": _certificates,
}
_LAST_USE: Mapping[str, _Parser] = {
    "string": lambda values: values[-1],
    "bool": _boolean,
    "int": _bounded(64),
    "int32": _bounded(32),
    "uint": _unsigned,
    "level": _level,
    "float": _float,
    "duration": _text(_parses(nanoseconds), "must be a duration, for example 90s, 1m30s or 500ms"),
    "taints": _taints,
    "profileName": lambda values: [{"schedulerName": values[-1]}],
    "quantity": _text(_parses(parse_quantity), "must be a quantity, for example 500Mi"),
    "ip": _text(lambda text: not text.strip() or is_ip(text.strip()), "must be an IP address"),
    "addressPort": _text(
        lambda text: not text or is_ip(text) or is_ip_port(text, 0), "must be an IP address, perhaps with a port"
    ),
    "portRange": _text(_is_port_range, "must be a range of ports, for example 30000-32767"),
    "tristate": _text(
        lambda text: text == "raw" or text.startswith("v") or parse_bool(text) is not None,
        "must be true, false or raw",
    ),
}
FORMS: Mapping[str, _Parser] = {**_ADDING_UP, **_LAST_USE}
"""The parser of each form in which the value of a flag is written; it takes the values of all uses of a flag."""
REPEATABLE = frozenset(_ADDING_UP)
"""The forms of flags whose uses add up; of any other flag the last use wins."""


class FlagVariant(NamedTuple):
    """What differs in a flag when another flag has a value, from a minor on.

    field: the path of its field then, () for the same. default: that of the field without a file, None for the same.
    """

    flag: str
    value: str
    since: int
    field: Path = ()
    default: Any = None


class MigrationAdvice(NamedTuple):
    """What happens to a flag if its component gets a file. Reasons are sentences without a subject, "" for none.

    keep: why it stays on the command line if the file has no field for it. drop: why nothing is lost without the flag
    after its last minor. refuse, refuse_empty: what to do if it cannot stay with a file, at all or with an empty value.
    replaced_by: the flag that replaced it.
    """

    keep: str = ""
    drop: str = ""
    refuse: str = ""
    refuse_empty: str = ""
    replaced_by: str = ""


@dataclass(frozen=True)
class Flag:
    """One flag.

    form: how its value is written, a key of `FORMS`. field: the path of its field, () for none. since, last: the
    minors that have the flag. advice: what happens to it if there is a file. is_of_node: the value belongs to one
    node. port_of: the flag whose address this port completes. wins_since: the minor from which on it wins over the
    file of a component that ignores other flags then. only_enables: it can switch its field on, not off.
    only_without_file: it has no field and no effect with a file. list_position: where it adds its values to a list
    of the file. defaults, own_defaults, values: see `default_at`, `own_default_at` and `values_at`. variants: see
    `with_values`.
    """

    name: str
    form: str = "string"
    field: Path = ()
    since: int = 0
    last: int | None = None
    advice: MigrationAdvice = MigrationAdvice()
    is_of_node: bool = False
    port_of: str = ""
    wins_since: int | None = None
    only_enables: bool = False
    only_without_file: bool = False
    list_position: ListPosition = ""
    defaults: tuple[tuple[int, Any], ...] = ()
    own_defaults: tuple[tuple[int, Any], ...] = ()
    values: tuple[tuple[int, Sequence[str]], ...] = ()
    variants: tuple[FlagVariant, ...] = ()

    def with_values(self, values: Mapping[str, str], minor: int) -> Flag:
        """Return the flag with the field and the default that it has with the values of other flags."""
        for variant in self.variants:
            if variant.since <= minor and values.get(variant.flag) == variant.value:
                defaults = self.defaults if variant.default is None else ((variant.since, variant.default),)
                return replace(self, field=variant.field or self.field, defaults=defaults)
        return self

    def known_at(self, minor: int) -> bool:
        """Return whether the component of a minor has the flag."""
        return self.since <= minor and (self.last is None or minor <= self.last)

    def default_at(self, minor: int) -> Any:
        """Return the default of its field without a file, None if it is the same as with one."""
        return _value_at(self.defaults, minor)

    def own_default_at(self, minor: int) -> Any:
        """Return its default at a minor that does not have its field, None if it is the field's first one."""
        return _value_at(self.own_defaults, minor)

    def values_at(self, minor: int) -> Sequence[str]:
        """Return the only values that it takes, () if it takes any."""
        return _value_at(self.values, minor) or ()


def _value_at(history: Sequence[tuple[int, Any]], minor: int) -> Any:
    """Return the value that holds at a minor, None for one before the history begins."""
    values = [value for since, value in history if since <= minor]
    return values[-1] if values else None
