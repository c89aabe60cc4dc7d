# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the files of a host under a root directory."""

from __future__ import annotations

import os

MAX_BYTES = 1024 * 1024
"""Bytes of a file that are read."""


def rooted(root: str, path: str) -> str:
    """Return a path of the host under the directory ``root``."""
    return os.path.join(root, path.lstrip("/"))


def names_in(root: str, directory: str) -> list[str]:
    """Return the names in a directory, sorted, or [] if it cannot be read."""
    try:
        return sorted(os.listdir(rooted(root, directory)))
    except OSError:
        return []


def read_text(root: str, path: str) -> str:
    """Return the text of a file, or "" if it cannot be read."""
    try:
        with open(rooted(root, path), "rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
