# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command line of a unit, and the arguments that systemd makes of it. Private to configok.node.

systemd.service(5), "Command lines": a word $NAME is replaced by the words of the variable, ${NAME} within a word by its
exact value, and $$ is a dollar sign.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ._environment import variables
from ._unit_file import Word, assigned, last_assigned, split_relaxed, split_words

__all__ = [
    "Argument",
    "CONFIG_FLAG",
    "Command",
    "Flag",
    "UnsupportedUnit",
    "UnitStart",
    "arguments",
    "config_flag",
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
    words: tuple[Word, ...]  # behind the program, and behind the name that "@" gives it


class Argument(NamedTuple):
    """One argument that the program gets. word: the index in Command.words of what it comes from; variable: the name,
    where that word is a variable."""

    text: str
    word: int
    variable: str = ""


def parse_command(line: str) -> Command:
    """Return the command in a value of ExecStart=. Raises ValueError, with a few words, where there is none."""
    words = split_words(line)
    if any(line[word.start : word.end] == ";" for word in words):
        raise ValueError("it holds more than one command")
    first = words[0].text if words else ""
    program = first.lstrip(_PREFIXES)
    prefix = first[: len(first) - len(program)]
    named = 2 if "@" in prefix else 1
    if not program or len(words) < named:
        raise ValueError("it names no program")
    return Command(line, prefix, program, tuple(words[named:]))


def arguments(command: Command, variables: Mapping[str, str]) -> list[Argument]:
    """Return the arguments behind the program, as systemd expands them."""
    found = []
    for index, word in enumerate(command.words):
        text = word.text.replace("%%", "%")
        if ":" in command.prefix:
            found.append(Argument(text, index))
            continue
        whole = _VARIABLE_WORD.match(text)
        if whole is None:
            found.append(Argument(_expanded(text, variables), index))
            continue
        name = whole[1]
        found += [Argument(part, index, name) for part in split_relaxed(variables.get(name, ""))]
    return found


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    return _WITHIN.sub(lambda found: "$" if found[1] == "$" else variables.get(found[2], ""), text)


class Flag(NamedTuple):
    """A flag: its value, and the indexes of its first and its last argument."""

    value: str
    first: int
    last: int


def last_flag(arguments: Sequence[str], name: str) -> Flag | None:
    """Return the flag ``--name`` that wins; None where there is none."""
    found = None
    for index, text in enumerate(arguments):
        if text == "--":
            break
        if text.startswith(f"--{name}="):
            found = Flag(text.partition("=")[2], index, index)
        elif text == f"--{name}" and index + 1 < len(arguments):
            found = Flag(arguments[index + 1], index, index + 1)
    return found


CONFIG_FLAG = "config"


class UnsupportedUnit(ValueError):
    """A unit whose start cannot be understood; the text is one sentence without its subject, the unit."""


class UnitStart(NamedTuple):
    """A unit's command, the variables it is expanded with, the arguments, and the directory it runs in."""

    command: Command
    variables: Mapping[str, str]
    arguments: tuple[Argument, ...]
    directory: str


def read_unit_start(texts: Sequence[str], files: Sequence[str], exec_start: str = "") -> UnitStart:
    """Return how a unit starts its component. Raises NotUnderstood.

    texts: of the unit, then of its drop-ins, in systemd's order; files: of its environment files; exec_start: a command
    line in place of the unit's own.
    """
    lines = [exec_start] if exec_start else assigned(texts, "Service", "ExecStart")
    if len(lines) != 1:
        raise UnsupportedUnit(f"has {len(lines) or 'no'} ExecStart= lines, where a component has one")
    try:
        command = parse_command(lines[0])
    except ValueError as error:
        raise UnsupportedUnit(f"has an ExecStart= that cannot be used: {error}") from error
    known = variables(texts, files)
    directory = last_assigned(texts, "Service", "WorkingDirectory").lstrip("-")
    return UnitStart(command, known, tuple(arguments(command, known)), directory if directory.startswith("/") else "/")


def config_flag(start: UnitStart) -> Flag | None:
    """Return the flag that names the config file which the component reads, None where there is none."""
    return last_flag([argument.text for argument in start.arguments], CONFIG_FLAG)


def flag_value(start: UnitStart, name: str) -> str:
    """Return the value of a flag, "" where it is not given."""
    flag = last_flag([argument.text for argument in start.arguments], name)
    return flag.value if flag else ""


def path_of(start: UnitStart, value: str) -> str:
    """Return a path on the command line as an absolute one, "" for none."""
    return posixpath.normpath(posixpath.join(start.directory, value)) if value else ""
