# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads SSH's wire format (RFC 4251, section 5) within bounds."""

from __future__ import annotations


class InvalidSshData(ValueError):
    """Data that is not as OpenSSH writes it, or that is not valid; the message says why in one sentence."""


class WireReader:
    """Bytes that are taken one field after the other. what: the name of the data in messages."""

    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._what = what
        self.position = 0

    def take(self, length: int) -> bytes:
        """Return that many bytes. Raises InvalidSshData, as every method here."""
        end = self.position + length
        if end > len(self._data):
            raise InvalidSshData(f"{self._what} is cut off")
        data = self._data[self.position : end]
        self.position = end
        return data

    def number(self, length: int) -> int:
        """Return an unsigned number of so many bytes."""
        return int.from_bytes(self.take(length), "big")

    def string(self) -> bytes:
        """Return a string, which begins with its length in 4 bytes."""
        return self.take(self.number(4))

    def text(self) -> str:
        """Return a string that must be UTF-8 without NUL."""
        try:
            text = self.string().decode()
        except UnicodeDecodeError as error:
            raise InvalidSshData(f"{self._what} has a text that is not UTF-8") from error
        if "\0" in text:
            raise InvalidSshData(f"{self._what} has a text with a NUL character")
        return text

    def at_end(self) -> bool:
        """Return whether everything was taken."""
        return self.position == len(self._data)

    def end(self) -> None:
        """Refuse data that follows."""
        if not self.at_end():
            raise InvalidSshData(f"{self._what} has {len(self._data) - self.position} bytes too many")


def encode_string(data: bytes) -> bytes:
    """Return a string in wire format."""
    return len(data).to_bytes(4, "big") + data
