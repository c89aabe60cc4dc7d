# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads unit files and environment files as systemd does: values, words, variables."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_PLAIN_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", '"': '"', "'": "'", "s": " ",
}  # fmt: skip
_CODED_ESCAPE = re.compile(r"x([0-9a-fA-F]{2})|([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})")
_LINE_BREAK = "\\\n"
_JOINED = " \0"  # as long as a line break, and one space to systemd; the end of a line is never within a value
_SPACE = " \t\n\r"
_WORD_SPACE = _SPACE + "\0"
_LINE_ENDS = re.compile(r"\r\n|\n\r|[\n\r\0]")
_BYTE_ORDER_MARK = "\ufeff"
_SPECIFIER = re.compile(r"%(.)", re.DOTALL)

# Of environment files.
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ENVIRONMENT_SPACE = " \t\r"
_ENVIRONMENT_LINE_ENDS = "\n\r"
_ESCAPED_IN_QUOTES = '"\\`$'


class UnbalancedQuotes(ValueError):
    """A quote that is not closed: systemd ignores such a line."""


class Word(NamedTuple):
    """One word, with quotes and escapes resolved, and its position in the line: from start up to end."""

    text: str
    start: int
    end: int


def split_words(line: str) -> list[Word]:
    """Return the words of a value such as that of ExecStart= or Environment=. Raises UnbalancedQuotes.

    A line break after a backslash is a space, also within quotes.
    """
    return _split(line.replace(_LINE_BREAK, _JOINED), escapes=True)


def split_relaxed(value: str) -> list[str]:
    """Return the words of a variable's value, as systemd splits $VARIABLE on a command line: quotes, but no escapes.

    Nothing is refused: a quote that is not closed extends to the end, and a backslash there is dropped.
    """
    return [word.text for word in _split(value, escapes=False)]


def _split(line: str, *, escapes: bool) -> list[Word]:
    words: list[Word] = []
    position = 0
    while True:
        while position < len(line) and line[position] in _WORD_SPACE:
            position += 1
        if position == len(line):
            return words
        word = _word(line, position, escapes=escapes)
        words.append(word)
        position = word.end


def _word(line: str, start: int, *, escapes: bool) -> Word:
    text, quote, position = "", "", start
    while position < len(line):
        character = line[position]
        if character == "\\" and (position + 1 < len(line) or not escapes):
            rest = line[position + 1 :]
            unescaped, length = _escaped(rest) if escapes else (rest[:1], 1)
            text += unescaped
            position += 1 + length
            continue
        if quote:
            if character == quote:
                quote = ""
            elif character != "\0":
                text += character
        elif character in "\"'":
            quote = character
        elif character in _WORD_SPACE:
            break
        else:
            text += character
        position += 1
    if quote and escapes:
        raise UnbalancedQuotes(f"a quote is not closed: {line[start : start + 80]}")
    return Word(text, start, min(position, len(line)))


def _escaped(rest: str) -> tuple[str, int]:
    """Return the text of an escape and its length, given what follows its backslash. An unknown one and NUL stay."""
    if rest[0] in _PLAIN_ESCAPES:
        return _PLAIN_ESCAPES[rest[0]], 1
    coded = _CODED_ESCAPE.match(rest)
    if coded is None:
        return "\\" + rest[0], 1
    hexadecimal = coded[1] or coded[3] or coded[4]
    code = int(hexadecimal, 16) if hexadecimal else int(coded[2], 8)
    if not 0 < code <= sys.maxunicode:
        return "\\" + rest[0], 1
    return chr(code), coded.end()


_COMMENTS = ("#", ";")


def values_of(texts: Sequence[str], section: str, key: str) -> list[str]:
    """Return the values of a key that holds a list, in order: those after the last empty assignment.

    texts: of the unit, then of its drop-ins, in systemd's order. A value keeps its line breaks, each after its
    backslash, so that it can be written unchanged.
    """
    values: list[str] = []
    for text in texts:
        for where, name, value in _assignments(text):
            if (where, name) == (section, key):
                values = [*values, value] if value else []
    return values


def last_value_of(texts: Sequence[str], section: str, key: str) -> str:
    """Return the last value of a key that holds one value, or "" if it has none."""
    values = values_of(texts, section, key)
    return values[-1] if values else ""


def _assignments(text: str) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in _logical_lines(text):
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            continue
        key, equals, value = line.partition("=")
        if equals:
            yield section, _stripped(key), _stripped(value)


def _logical_lines(text: str) -> Iterator[str]:
    """Yield the lines that are not empty, continued lines joined, without comments.

    A continuation ends at the first line that is not continued itself, be that line empty, or at the end of the file.
    """
    pending: list[str] = []
    for line in _LINE_ENDS.split(text[1:] if text.startswith(_BYTE_ORDER_MARK) else text):
        if _stripped(line).startswith(_COMMENTS):
            continue
        if is_continued(line):
            pending.append(line[:-1])
            continue
        joined = _joined([*pending, line])
        pending = []
        if joined:
            yield joined
    joined = _joined(pending)
    if joined:
        yield joined


def _joined(parts: Sequence[str]) -> str:
    """Return lines with a line break between them, without the empty ones at both ends."""
    held = [index for index, part in enumerate(parts) if _stripped(part)]
    return _stripped(_LINE_BREAK.join(parts[held[0] : held[-1] + 1])) if held else ""


def _stripped(text: str) -> str:
    """Return a text without the characters at its ends that are white space to systemd, line breaks included."""
    text = text.strip(_SPACE)
    while text.startswith(_LINE_BREAK):
        text = text[len(_LINE_BREAK) :].lstrip(_SPACE)
    return text


def is_continued(line: str) -> bool:
    """Return whether the next line continues a line: it ends in a backslash that no other one escapes."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def expand_specifiers(text: str, specifiers: Mapping[str, str]) -> str:
    """Return a text with its specifiers (letter -> text) replaced; others stay as they are. See systemd.unit(5)."""
    return _SPECIFIER.sub(lambda match: "%" if match[1] == "%" else specifiers.get(match[1], match[0]), text)


def environment_files(texts: Sequence[str], specifiers: Mapping[str, str]) -> list[str]:
    """Return the paths or patterns of a unit's EnvironmentFile=, in order: later ones win.

    The "-" in front, which allows a file to be missing, is removed.
    """
    values = (expand_specifiers(value, specifiers) for value in values_of(texts, "Service", "EnvironmentFile"))
    return [value[1:] if value.startswith("-") else value for value in values]


def read_variables(texts: Sequence[str], files: Sequence[str], specifiers: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with which a unit's command line is expanded.

    texts: of the unit, then of its drop-ins. files: the texts of its environment files, in order. A file overrides
    Environment=, whatever their order, and UnsetEnvironment= overrides both (systemd.exec(5)).
    """
    variables: dict[str, str] = {}
    for value in values_of(texts, "Service", "Environment"):
        variables.update(_environment_assignments(value, specifiers))
    for text in files:
        variables.update(parse_environment_file(text))
    return _without_unset(variables, values_of(texts, "Service", "UnsetEnvironment"))


def _environment_assignments(value: str, specifiers: Mapping[str, str]) -> dict[str, str]:
    assignments = {}
    for word in _balanced_words(value):
        name, equals, assigned_value = expand_specifiers(word.text, specifiers).partition("=")
        if equals and _VARIABLE_NAME.match(name):
            assignments[name] = assigned_value
    return assignments


def _balanced_words(value: str) -> list[Word]:
    try:
        return split_words(value)
    except UnbalancedQuotes:
        return []  # as systemd does


def _without_unset(variables: Mapping[str, str], values: Sequence[str]) -> dict[str, str]:
    remaining = dict(variables)
    for value in values:
        for word in _balanced_words(value):
            name, equals, unset = word.text.partition("=")
            if name in remaining and (not equals or remaining[name] == unset):
                del remaining[name]
    return remaining


def parse_environment_file(text: str) -> dict[str, str]:
    """Return the variables that an environment file assigns. Lines that systemd ignores are ignored."""
    variables = {}
    position = 0
    while position < len(text):
        name, position = _assigned_name(text, position)
        if name is None:
            continue
        value, position = _assigned_value(text, position)
        if _VARIABLE_NAME.match(name):
            variables[name] = value
    return variables


def _assigned_name(text: str, position: int) -> tuple[str | None, int]:
    """Return the name up to "=" and the position after it; None for a line that assigns nothing."""
    end = position
    while end < len(text) and text[end] not in _ENVIRONMENT_LINE_ENDS:
        end += 1
    line = text[position:end]
    if line.lstrip(_ENVIRONMENT_SPACE)[:1] in ("#", ";") or "=" not in line:
        return None, end + 1
    name = line.partition("=")[0]
    return name.strip(_ENVIRONMENT_SPACE), position + len(name) + 1


def _assigned_value(text: str, position: int) -> tuple[str, int]:
    """Return the value and the position after its line.

    Quotes count at its start and after a quoted part; an unquoted part loses the white space at its end.
    """
    parts: list[str] = []
    while position < len(text) and text[position] not in _ENVIRONMENT_LINE_ENDS:
        if text[position] in _ENVIRONMENT_SPACE:
            position += 1
        elif text[position] == "'":
            end = text.find("'", position + 1)
            end = len(text) if end < 0 else end
            parts.append(text[position + 1 : end])
            position = end + 1
        elif text[position] == '"':
            part, position = _double_quoted(text, position + 1)
            parts.append(part)
        else:
            part, position = _unquoted(text, position)
            parts.append(part)
    return "".join(parts), position + 1


def _double_quoted(text: str, position: int) -> tuple[str, int]:
    part = ""
    while position < len(text) and text[position] != '"':
        if text[position] == "\\":
            following = text[position + 1 : position + 2]
            if following and following in _ESCAPED_IN_QUOTES:
                part += following
            elif following and following != "\n":
                part += "\\" + following
            position += 2
        else:
            part += text[position]
            position += 1
    return part, position + 1


def _unquoted(text: str, position: int) -> tuple[str, int]:
    part, kept = "", 0
    while position < len(text) and text[position] not in _ENVIRONMENT_LINE_ENDS:
        if text[position] == "\\":
            following = text[position + 1 : position + 2]
            if following not in _ENVIRONMENT_LINE_ENDS:
                part += following
            kept = len(part)
            position += 2
        else:
            part += text[position]
            if text[position] not in _ENVIRONMENT_SPACE:
                kept = len(part)
            position += 1
    return part[:kept], position
