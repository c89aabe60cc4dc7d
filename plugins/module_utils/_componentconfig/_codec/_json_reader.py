# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Feed JSON to the builder, without recursion and with lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import decoder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._findings import InvalidConfig
    from ._builder import Builder

__all__ = ["parse_json"]

# The one part of the json package that stops at the end of a string; in C if the interpreter has it.
_scanstring: Any = vars(decoder)["scanstring"]
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_LITERALS = (("true", True), ("false", False), ("null", None))
_MAX_DIGITS = 400


class _Reader:
    def __init__(self, text: str, builder: Builder) -> None:
        self.text = text
        self.builder = builder
        self.position = 0
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    def line(self) -> int:
        return bisect_right(self._newlines, self.position - 1) + 1

    def error(self, expected: str) -> InvalidConfig:
        character = self.text[self.position : self.position + 1]
        actual = f"found {character!r}" if character else "the text ends"
        message = f"not valid JSON, and a file that begins with {{ is read as JSON: {actual} where {expected} should be"
        return self.builder.error(self.line(), message)

    def peek(self) -> str:
        space = _SPACE.match(self.text, self.position)
        self.position = space.end() if space else self.position
        return self.text[self.position : self.position + 1]

    def expect(self, character: str, expected: str) -> None:
        if self.peek() != character:
            raise self.error(expected)
        self.position += 1

    def string(self) -> str:
        if self.peek() != '"':
            raise self.error("a quoted key")
        try:
            value, self.position = _scanstring(self.text, self.position + 1, True)
        except ValueError as error:
            raise self.error("a string without control characters and with valid escapes") from error
        # Go replaces half a surrogate pair; Python would keep it and fail later.
        return str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def value(self) -> Any:
        number = _NUMBER.match(self.text, self.position)
        if number is not None:
            text = number.group()
            if len(text) > _MAX_DIGITS:
                raise self.error("a number of sensible length")
            self.position = number.end()
            whole = None if number.group(1) or number.group(2) else int(text)
            # Larger whole numbers are floats to Go, and to all readers of the written file.
            return whole if whole is not None and -(2**63) <= whole < 2**64 else float(text)
        for word, meaning in _LITERALS:
            if self.text.startswith(word, self.position):
                self.position += len(word)
                return meaning
        raise self.error("a value")


def parse_json(text: str, builder: Builder) -> None:
    """Feed one JSON document to a builder; raises InvalidConfig."""
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
            reader.expect(",", f"',' or '{closers[-1]}'")
            _begin_item(reader, builder, closers[-1])
            expect_value = True
    if reader.peek():
        raise reader.error("the end of the file")


def _begin_item(reader: _Reader, builder: Builder, closer: str) -> None:
    """Read the key and the colon if the container is an object."""
    if closer == "}":
        reader.peek()
        line = reader.line()
        builder.scalar(reader.string(), line)
        reader.expect(":", "':'")
