# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a unit starts its component: command, arguments, flags. Private to configok.node.

systemd.service(5), "Command lines": a word $NAME is replaced by the words of the variable, ${NAME} within a word by its
exact value, and $$ is a dollar sign.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ._environment import read_variables
from ._unit_file import Word, last_value_of, split_relaxed, split_words, values_of

__all__ = [
    "Argument",
    "CONFIG_FLAG",
    "Command",
    "Flag",
    "UnsupportedUnit",
    "UnitStart",
    "config_flag",
    "expand_arguments",
    "flag_value",
    "last_flag",
    "parse_command",
    "path_of",
    "read_unit_start",
]

_PREFIXES = "-@:+!|"
_VARIABLE_WORD = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\Z")
_WITHIN = re.compile(r"\$(\$|\{([A-Za-z_][A-Za-z0-9_]*)\})")


class Command(NamedTuple):
    """A command line: the text as it is in the unit, its prefix such as "-@:", and its words, program first."""

    line: str
    prefix: str
    program: str
    words: tuple[Word, ...]  # after the program, and after the name that "@" gives it


class Argument(NamedTuple):
    """One argument of the program.

    word: the index of its origin in Command.words; variable: the name, if that word is a variable.
    """

    text: str
    word: int
    variable: str = ""


def parse_command(line: str) -> Command:
    """Return the command in a value of ExecStart=. Raises ValueError, with a phrase, if it has none."""
    words = split_words(line)
    if any(line[word.start : word.end] == ";" for word in words):
        raise ValueError("it holds more than one command")
    first = words[0].text if words else ""
    program = first.lstrip(_PREFIXES)
    prefix = first[: len(first) - len(program)]
    head_length = 2 if "@" in prefix else 1
    if not program or len(words) < head_length:
        raise ValueError("it names no program")
    return Command(line, prefix, program, tuple(words[head_length:]))


def expand_arguments(command: Command, variables: Mapping[str, str]) -> list[Argument]:
    """Return the arguments of the program, as systemd expands them."""
    arguments = []
    for index, word in enumerate(command.words):
        text = word.text.replace("%%", "%")
        if ":" in command.prefix:
            arguments.append(Argument(text, index))
            continue
        whole = _VARIABLE_WORD.match(text)
        if whole is None:
            arguments.append(Argument(_expanded(text, variables), index))
            continue
        name = whole[1]
        arguments += [Argument(part, index, name) for part in split_relaxed(variables.get(name, ""))]
    return arguments


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    return _WITHIN.sub(lambda match: "$" if match[1] == "$" else variables.get(match[2], ""), text)


class Flag(NamedTuple):
    """A flag: its value, and the indexes of its first and its last argument."""

    value: str
    first: int
    last: int


def last_flag(arguments: Sequence[str], name: str) -> Flag | None:
    """Return the last flag ``--name``, which takes effect, or None if it is not set."""
    flag = None
    for index, text in enumerate(arguments):
        if text == "--":
            break
        if text.startswith(f"--{name}="):
            flag = Flag(text.partition("=")[2], index, index)
        elif text == f"--{name}" and index + 1 < len(arguments):
            flag = Flag(arguments[index + 1], index, index + 1)
    return flag


CONFIG_FLAG = "config"


class UnsupportedUnit(ValueError):
    """A unit whose start is not supported; the message is one sentence without its subject, the unit."""


class UnitStart(NamedTuple):
    """A unit's command, the variables that expand it, the arguments, and the working directory."""

    command: Command
    variables: Mapping[str, str]
    arguments: tuple[Argument, ...]
    directory: str


def read_unit_start(texts: Sequence[str], files: Sequence[str], exec_start: str = "") -> UnitStart:
    """Return how a unit starts its component. Raises UnsupportedUnit.

    texts: of the unit, then of its drop-ins, in systemd's order; files: of its environment files; exec_start: a command
    line instead of the unit's own.
    """
    lines = [exec_start] if exec_start else values_of(texts, "Service", "ExecStart")
    if len(lines) != 1:
        raise UnsupportedUnit(f"has {len(lines) or 'no'} ExecStart= lines, where a component has one")
    try:
        command = parse_command(lines[0])
    except ValueError as error:
        raise UnsupportedUnit(f"has an ExecStart= that cannot be used: {error}") from error
    variables = read_variables(texts, files)
    directory = last_value_of(texts, "Service", "WorkingDirectory").lstrip("-")
    arguments = tuple(expand_arguments(command, variables))
    return UnitStart(command, variables, arguments, directory if directory.startswith("/") else "/")


def config_flag(start: UnitStart) -> Flag | None:
    """Return the flag that names the component's config file, or None if it is not set."""
    return last_flag([argument.text for argument in start.arguments], CONFIG_FLAG)


def flag_value(start: UnitStart, name: str) -> str:
    """Return the value of a flag, or "" if it is not set."""
    flag = last_flag([argument.text for argument in start.arguments], name)
    return flag.value if flag else ""


def path_of(start: UnitStart, value: str) -> str:
    """Return a path on the command line as an absolute one, "" for none."""
    return posixpath.normpath(posixpath.join(start.directory, value)) if value else ""
