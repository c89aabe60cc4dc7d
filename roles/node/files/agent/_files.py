# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a file that a command is given."""

from __future__ import annotations

import sys

__all__ = ["STANDARD_INPUT", "file_error", "read_file"]

STANDARD_INPUT = "-"


def read_file(name: str) -> bytes:
    """Return a file's content, or standard input for "-". Raises OSError."""
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    with open(name, "rb") as stream:
        return stream.read()


def file_error(error: OSError, name: str) -> str:
    """Return a sentence that says why a file cannot be read."""
    return f"{error.filename or name}: cannot be read: {error.strerror or error}"
