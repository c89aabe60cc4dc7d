# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the flags in a text: a command line, a list of flags, or an environment file among other variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .. import ConfigError
from .._scalars._unexpanded import EXPRESSION, is_unexpanded

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_FLAG = re.compile(r"--?[A-Za-z]|---")
_LATER_FLAG = re.compile(r"\s--[A-Za-z]")
_NAME_OF_FLAGS = re.compile(r"ARGS|ARGUMENTS|FLAGS|OPTS|OPTIONS|PARAMS", re.IGNORECASE)
_OF_GO = re.compile(r"GO[A-Z]+")  # GOGC, GOFLAGS: read by Go itself
_ESCAPED_IN_QUOTES = '"\\$`\n'


class FlagsText(NamedTuple):
    """The words of a command line without its program, and the names of variables that have no flags."""

    words: tuple[str, ...]
    other_variables: tuple[str, ...]


def parse_flags_text(text: str) -> FlagsText:
    """Return the flags in a text, in their order.

    Words are quoted as in a shell; a backslash at the end of a line continues it. A line that begins with a name and an
    equals sign, perhaps after `export`, sets variables, and the last setting of a variable counts. A variable has flags
    if its value begins with one, or with a program and flags after it. Other variables are left alone.

    Raises ConfigError for an open quotation.
    """
    flags: dict[str, list[str]] = {}  # of a variable by its name, of a line without variables by its number
    others: dict[str, None] = {}
    has_command_line = False
    for number, words in enumerate(_lines(text.removeprefix("\ufeff").replace("\r\n", "\n"))):
        line = str(number)
        for name, values in _settings(_without_keyword(words), line):
            flags.pop(name, None)
            others.pop(name, None)
            if name != line and not _has_flags(name, values):
                others[name] = None
                continue
            split = values if name == line else [word for part in _lines(values[0]) for word in part] + values[1:]
            flags[name] = split if name == line and has_command_line else _without_program(split)
            has_command_line = has_command_line or name == line
    return FlagsText(tuple(word for words in flags.values() for word in words), tuple(others))


def _without_keyword(words: list[str]) -> list[str]:
    """Return the words of a line without what says that it sets variables, in a shell or in a unit of systemd."""
    if words[0] == "export":
        return words[1:]
    return [words[0].partition("=")[2], *words[1:]] if words[0].startswith("Environment=") else words


def _settings(words: Sequence[str], number: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the variables of a line with the words of their values, or the words of any other line with its number."""
    name, values = number, list[str]()
    for word in words:
        assignment = _ASSIGNMENT.fullmatch(word)
        is_value = any(_FLAG.match(value) for value in values)  # A=true in --feature-gates A=true
        if assignment is None or is_value:
            values.append(word)
            continue
        if name != number or values:
            yield name, values
        name, values = assignment[1], [assignment[2]]
    if name != number or values:
        yield name, values


def _has_flags(name: str, values: Sequence[str]) -> bool:
    """Return whether a variable has flags: by its value, or by its name if the value may be anything.

    values: the value, and words after it on its line, which systemd treats as a part of it.
    """
    text = " ".join(values)
    if not EXPRESSION.sub("", text).strip():
        return not text or _NAME_OF_FLAGS.search(name) is not None
    if _OF_GO.fullmatch(name):
        return False
    return _FLAG.match(text.lstrip()) is not None or _LATER_FLAG.search(text) is not None


def _without_program(words: list[str]) -> list[str]:
    """Return the words without a program before the flags."""
    first = words[0] if words else "--"
    is_program = _FLAG.match(first) is None and "=" not in first and not is_unexpanded(first)
    return words[1:] if is_program else words


def _lines(text: str) -> Iterator[list[str]]:
    """Yield the words of each line that has any, without quotes and comments.

    An expression such as ${NAME} or $(command) stays as it is, with its spaces. Raises ConfigError.
    """
    words: list[str] = []
    word: list[str] | None = None  # None between words
    position, quote = 0, ""
    while position < len(text):
        character, following = text[position], text[position + 1 : position + 2]
        expression = EXPRESSION.match(text, position)
        position += 1
        is_space = not quote and expression is None and (character.isspace() or character + following == "\\\n")
        if is_space:
            position += character == "\\"
            if word is not None:
                words.append("".join(word))
                word = None
            if character == "\n" and words:
                yield words
                words = []
            continue
        if not quote and word is None and (character == "#" or (character == ";" and not words)):
            end = text.find("\n", position)
            position = end if end >= 0 else len(text)
            continue
        word = [] if word is None else word
        if expression is not None:
            word.append(expression[0])
            position = expression.end()
        elif character == "\\" and following and quote != "'" and (not quote or following in _ESCAPED_IN_QUOTES):
            word.append(" " if following == "\n" else following)
            position += 1
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        else:
            word.append(character)
    if quote:
        raise ConfigError("no closing quotation")
    if word is not None:
        words.append("".join(word))
    if words:
        yield words
