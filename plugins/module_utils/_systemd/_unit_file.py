# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads unit files as systemd does: sections, values, words. Private to configok.node."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["UnbalancedQuotes", "Word", "last_value_of", "split_relaxed", "split_words", "values_of"]

_PLAIN_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", '"': '"', "'": "'", "s": " ",
}  # fmt: skip
_CODED_ESCAPE = re.compile(r"x([0-9a-fA-F]{2})|([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})")
_LINE_BREAK = "\\\n"
_SPACE = " \t\n\r"


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
    return _split(line.replace(_LINE_BREAK, "  "), escapes=True)


def split_relaxed(value: str) -> list[str]:
    """Return the words of a variable's value, as systemd splits $VARIABLE on a command line: quotes, but no escapes.

    Nothing is refused: a quote that is not closed extends to the end.
    """
    return [word.text for word in _split(value, escapes=False)]


def _split(line: str, *, escapes: bool) -> list[Word]:
    words: list[Word] = []
    position = 0
    while True:
        while position < len(line) and line[position] in _SPACE:
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
        if character == "\\" and position + 1 < len(line):
            unescaped, length = _escaped(line[position + 1 :]) if escapes else (line[position + 1], 1)
            text += unescaped
            position += 1 + length
            continue
        if quote:
            if character == quote:
                quote = ""
            else:
                text += character
        elif character in "\"'":
            quote = character
        elif character in _SPACE:
            break
        else:
            text += character
        position += 1
    if quote and escapes:
        raise UnbalancedQuotes(f"a quote is not closed: {line[start : start + 80]}")
    return Word(text, start, position)


def _escaped(rest: str) -> tuple[str, int]:
    """Return the text of an escape, given what follows its backslash, and its length. An unknown escape stays."""
    if rest[0] in _PLAIN_ESCAPES:
        return _PLAIN_ESCAPES[rest[0]], 1
    coded = _CODED_ESCAPE.match(rest)
    if coded is None:
        return "\\" + rest[0], 1
    hexadecimal = coded[1] or coded[3] or coded[4]
    code = int(hexadecimal, 16) if hexadecimal else int(coded[2], 8)
    if code > sys.maxunicode:
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
            yield section, key.strip(), value.strip()


def _logical_lines(text: str) -> Iterator[str]:
    """Yield the lines that are not empty, continued lines joined, without comments."""
    pending: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith(_COMMENTS) or (not stripped and not pending):
            continue
        pending.append(line)
        if not _is_continued(line):
            yield "\n".join(pending).strip()
            pending = []
    if pending:
        yield "\n".join(pending).strip()[:-1].rstrip()


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1
