# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON to builder events, without recursion and with lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import decoder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._findings import InvalidConfig
    from ._document import Builder

__all__ = ["parse_json"]

# The one part of the json package that stops where a string ends; in C where the interpreter has it.
_scanstring: Any = vars(decoder)["scanstring"]
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = (("true", True), ("false", False), ("null", None))
_DIGITS = 400


class _Reader:
    def __init__(self, text: str, builder: Builder) -> None:
        self.text = text
        self.builder = builder
        self.position = 0
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    def line(self) -> int:
        return bisect_right(self._newlines, self.position - 1) + 1

    def fail(self, expected: str) -> InvalidConfig:
        found = self.text[self.position : self.position + 1]
        what = f"found {found!r}" if found else "the text ends"
        message = f"not valid JSON, and a file that begins with {{ is read as JSON: {what} where {expected} should be"
        return self.builder.fail(self.line(), message)

    def peek(self) -> str:
        space = _SPACE.match(self.text, self.position)
        self.position = space.end() if space else self.position
        return self.text[self.position : self.position + 1]

    def take(self, character: str, expected: str) -> None:
        if self.peek() != character:
            raise self.fail(expected)
        self.position += 1

    def string(self) -> str:
        if self.peek() != '"':
            raise self.fail("a quoted key")
        try:
            value, self.position = _scanstring(self.text, self.position + 1, True)
        except ValueError as error:
            raise self.fail("a string without control characters and with valid escapes") from error
        # Go replaces half a surrogate pair; Python would keep it and fail later.
        return str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def value(self) -> Any:
        number = _NUMBER.match(self.text, self.position)
        if number is not None:
            text = number.group()
            if len(text) > _DIGITS:
                raise self.fail("a number of sensible length")
            self.position = number.end()
            whole = None if number.group(1) or number.group(2) else int(text)
            # Larger whole numbers are floats to Go, and to whoever reads what is written of them.
            return whole if whole is not None and -(2**63) <= whole < 2**64 else float(text)
        for word, meaning in _WORDS:
            if self.text.startswith(word, self.position):
                self.position += len(word)
                return meaning
        raise self.fail("a value")


def parse_json(text: str, builder: Builder) -> None:
    """Feed one JSON document to a builder; raises DecodeError through it."""
    reader = _Reader(text, builder)
    closers: list[str] = []
    expect_value = True
    while expect_value or closers:
        if expect_value:
            character = reader.peek()
            if character in ("{", "["):
                builder.open({} if character == "{" else [], reader.line())
                reader.position += 1
                closers.append("}" if character == "{" else "]")
                if reader.peek() == closers[-1]:
                    expect_value = False
                else:
                    _begin_item(reader, builder, closers[-1])
                continue
            line = reader.line()
            builder.scalar(reader.string() if character == '"' else reader.value(), line)
            expect_value = False
        elif reader.peek() == closers[-1]:
            reader.position += 1
            closers.pop()
            builder.close()
        else:
            reader.take(",", f"',' or '{closers[-1]}'")
            _begin_item(reader, builder, closers[-1])
            expect_value = True
    if reader.peek():
        raise reader.fail("the end of the file")


def _begin_item(reader: _Reader, builder: Builder, closer: str) -> None:
    """Read the key and the colon, where the container is an object."""
    if closer == "}":
        reader.peek()
        line = reader.line()
        builder.scalar(reader.string(), line)
        reader.take(":", "':'")
