# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a unit starts its component, and how to make it read another config file.

systemd.service(5), "Command lines": a word $NAME is replaced by the words of the variable, ${NAME} within a word by its
exact value, and $$ is a dollar sign. A word that begins with a single $ is a variable, whatever follows.

There are two ways to override the config file. If a variable of the unit holds the flag and nothing else, as kubeadm's
KUBELET_CONFIG_ARGS, the variable is set again in an environment file that comes last. That overrides Environment= and
every other file, and the unit keeps its command line. Otherwise the command line is rewritten, with only the flag
changed: it is replaced if it is on the command line itself, and appended if it comes from a variable with other flags,
since the last flag takes effect.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .unit_file import (
    Word,
    expand_specifiers,
    is_continued,
    last_value_of,
    read_variables,
    split_relaxed,
    split_words,
    values_of,
)

_PREFIXES = "-@:+!|"
_VARIABLE_WORD = re.compile(r"\$(?![{$])(.*)\Z", re.DOTALL)
_WITHIN = re.compile(r"\$(\$|\{([^}:]*)\})")  # ${NAME:-default} is not systemd's: it stays as it is
_LITERAL_SEMICOLON = "\\;"


class Command(NamedTuple):
    """A command line: the text as a unit can hold it, its prefix such as "-@:", its program and its words."""

    line: str
    prefix: str
    program: str
    words: tuple[Word, ...]  # after the program, and after the name that "@" gives it


class Argument(NamedTuple):
    """One argument of the program. word: its index in Command.words. variable: the name, if that is a variable."""

    text: str
    word: int
    variable: str = ""


def parse_command(line: str) -> Command:
    """Return the command in a value of ExecStart=. Raises ValueError, with a phrase, if it has none."""
    if is_continued(line):
        line += "\\"  # the argument stays a backslash, and does not join the next line of a drop-in
    words = [
        word._replace(text=";") if line[word.start : word.end] == _LITERAL_SEMICOLON else word
        for word in split_words(line)
    ]
    if any(line[word.start : word.end] == ";" for word in words):
        raise ValueError("it holds more than one command")
    first = words[0].text if words else ""
    program = first.lstrip(_PREFIXES)
    prefix = first[: len(first) - len(program)]
    head_length = 2 if "@" in prefix else 1
    if not program or len(words) < head_length:
        raise ValueError("it names no program")
    return Command(line, prefix, program, tuple(words[head_length:]))


def expand_arguments(command: Command, variables: Mapping[str, str], specifiers: Mapping[str, str]) -> list[Argument]:
    """Return the arguments of the program, as systemd expands them."""
    arguments = []
    for index, word in enumerate(command.words):
        text = expand_specifiers(word.text, specifiers)
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
    """A unit's command, the variables and the specifiers that expand it, the arguments, and the working directory."""

    command: Command
    variables: Mapping[str, str]
    arguments: tuple[Argument, ...]
    directory: str
    specifiers: Mapping[str, str]


def read_unit_start(
    texts: Sequence[str],
    files: Sequence[str],
    exec_start: str = "",
    specifiers: Mapping[str, str] | None = None,
) -> UnitStart:
    """Return how a unit starts its component. Raises UnsupportedUnit.

    texts: of the unit, then of its drop-ins, in systemd's order; files: of its environment files; exec_start: a command
    line instead of the unit's own; specifiers: letter -> text.
    """
    specifiers = specifiers or {}
    lines = [exec_start] if exec_start else values_of(texts, "Service", "ExecStart")
    if len(lines) != 1:
        raise UnsupportedUnit(f"has {len(lines) or 'no'} ExecStart= lines, where a component has one")
    try:
        command = parse_command(lines[0])
    except ValueError as error:
        raise UnsupportedUnit(f"has an ExecStart= that cannot be used: {error}") from error
    command = command._replace(program=expand_specifiers(command.program, specifiers))
    variables = read_variables(texts, files, specifiers)
    directory = expand_specifiers(last_value_of(texts, "Service", "WorkingDirectory").lstrip("-"), specifiers)
    arguments = tuple(expand_arguments(command, variables, specifiers))
    return UnitStart(command, variables, arguments, directory if directory.startswith("/") else "/", specifiers)


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


class ConfigOverride(NamedTuple):
    """The variable, or the whole command line, to set. The other is ""."""

    variable: str
    exec_start: str


def find_override(start: UnitStart, target: str, *, variable: str = "", exec_start: str = "") -> ConfigOverride:
    """Return how to make the component read ``target``. Raises UnsupportedUnit if it would not.

    start: of the unit without our drop-in. variable, exec_start: the user's choice, "" to detect it.
    """
    if variable:
        override = ConfigOverride(variable, "")
    elif exec_start:
        override = ConfigOverride("", exec_start)
    else:
        override = _derive(start, target)
    _verify(start, override, target)
    return override


def _derive(start: UnitStart, target: str) -> ConfigOverride:
    flag = config_flag(start)
    if flag is None:
        return ConfigOverride("", _appended(start, target))
    variable = _variable_of_its_own(start, flag)
    if variable:
        return ConfigOverride(variable, "")
    return ConfigOverride("", _replaced(start, flag, target) or _appended(start, target))


def _variable_of_its_own(start: UnitStart, flag: Flag) -> str:
    """Return the variable that is a word of the command line and holds only the flag, or "" if there is none."""
    first = start.arguments[flag.first]
    holding = [index for index, argument in enumerate(start.arguments) if argument.word == first.word]
    return first.variable if holding == list(range(flag.first, flag.last + 1)) else ""


def _replaced(start: UnitStart, flag: Flag, target: str) -> str:
    """Return the command line with the flag replaced, or "" if a variable holds the flag and others."""
    first, last = start.arguments[flag.first], start.arguments[flag.last]
    if first.variable or (last.variable and [argument.word for argument in start.arguments].count(last.word) > 1):
        return ""
    line, words = start.command.line, start.command.words
    return line[: words[first.word].start] + f"--{CONFIG_FLAG}={target}" + line[words[last.word].end :]


def _appended(start: UnitStart, target: str) -> str:
    return f"{start.command.line} --{CONFIG_FLAG}={target}"


def _verify(start: UnitStart, override: ConfigOverride, target: str) -> None:
    """Read the override as systemd will, and raise UnsupportedUnit unless the flag takes effect."""
    variables = start.variables
    command = start.command
    if override.variable:
        variables = {**variables, override.variable: f"--{CONFIG_FLAG}={target}"}
    else:
        command = _written(override.exec_start)
    arguments = tuple(expand_arguments(command, variables, start.specifiers))
    changed = start._replace(command=command, variables=variables, arguments=arguments)
    flag = config_flag(changed)
    if flag is None or path_of(changed, flag.value) != target:
        means = f"the variable {override.variable}" if override.variable else "this exec_start"
        reads = f"it would read {flag.value}" if flag else "no --config would reach the component"
        raise UnsupportedUnit(f"cannot be told to read {target} by {means}: {reads}")


_FOLLOWING = "Restart=always"


def _written(exec_start: str) -> Command:
    """Return the command that a drop-in with this command line has. Raises UnsupportedUnit.

    The line after it must stay a line of its own, and no line break may begin another setting.
    """
    texts = [f"[Service]\nExecStart=\nExecStart={exec_start}\n{_FOLLOWING}\n"]
    lines = values_of(texts, "Service", "ExecStart")
    is_whole = lines == [exec_start.strip()] and values_of(texts, "Service", "Restart") == [
        _FOLLOWING.partition("=")[2]
    ]
    if not is_whole:
        raise UnsupportedUnit("cannot be given this exec_start: it must be one line of a unit, complete in itself")
    try:
        return parse_command(exec_start)
    except ValueError as error:
        raise UnsupportedUnit(f"cannot be given this exec_start: {error}") from error
