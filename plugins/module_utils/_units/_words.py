# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A line of a unit, cut into words as systemd does it. Private to configok.node."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

__all__ = ["UnbalancedQuotes", "Word", "split_relaxed", "split_words"]

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
    """One word, quotes and escapes resolved, and where it stands in the line: from start up to end."""

    text: str
    start: int
    end: int


def split_words(line: str) -> list[Word]:
    """Return the words of a value such as that of ExecStart= or Environment=. Raises UnbalancedQuotes.

    A line break behind a backslash is a space, also within quotes.
    """
    return _split(line.replace(_LINE_BREAK, "  "), escapes=True)


def split_relaxed(value: str) -> list[str]:
    """Return the words of a variable's value, as $VARIABLE on a command line is cut up: quotes, but no escapes.

    Nothing is refused: a quote that is not closed goes to the end.
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
            meant, length = _escaped(line[position + 1 :]) if escapes else (line[position + 1], 1)
            text += meant
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
    """Return what stands behind a backslash, and its length. An escape that nobody knows stays as it is."""
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
