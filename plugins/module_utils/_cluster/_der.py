# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads DER, the encoding of certificates, as strictly as Go does. Pure.

Only what a certificate signing request needs: definite lengths in their shortest form, tags of one octet, no depth.
"""

from __future__ import annotations

from typing import Final, NamedTuple

INTEGER: Final = 0x02
OBJECT_IDENTIFIER: Final = 0x06
UTF8_STRING: Final = 0x0C
PRINTABLE_STRING: Final = 0x13
SEQUENCE: Final = 0x30
SET: Final = 0x31
CONTEXT_0: Final = 0xA0  # [0], constructed

_MAX_LENGTH_OCTETS = 3  # 16 MiB, more than any object of the API


class DerError(ValueError):
    """The bytes are not DER, or not of the expected form."""


class Element(NamedTuple):
    """One value: its tag octet and its content."""

    tag: int
    content: bytes


def elements(data: bytes) -> list[Element]:
    """Return the values that follow each other in data, which end with it. Raises DerError."""
    values = []
    start = 0
    while start < len(data):
        element, start = _read(data, start)
        values.append(element)
    return values


def content(element: Element, tag: int) -> bytes:
    """Return the content of a value. Raises DerError unless it has this tag."""
    if element.tag != tag:
        raise DerError(f"a value has the tag {element.tag:#04x} instead of {tag:#04x}")
    return element.content


def _read(data: bytes, start: int) -> tuple[Element, int]:
    tag = data[start]
    if tag & 0x1F == 0x1F:
        raise DerError("a tag has more than one octet")
    if start + 1 >= len(data):
        raise DerError("a value has no length")
    length = data[start + 1]
    begin = start + 2
    if length >= 0x80:
        octets = length & 0x7F
        encoded = data[begin : begin + octets]
        if not 0 < octets <= _MAX_LENGTH_OCTETS or len(encoded) != octets:
            raise DerError("a length is indefinite, too large or cut off")
        length = int.from_bytes(encoded, "big")
        if length < 0x80 or encoded[0] == 0:
            raise DerError("a length is not in its shortest form")
        begin += octets
    end = begin + length
    if end > len(data):
        raise DerError("a value is cut off")
    return Element(tag, data[begin:end]), end
