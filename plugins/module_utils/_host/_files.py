# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host's files below a root, as they are, or as if they were not there. Private to configok.node."""

from __future__ import annotations

import os

__all__ = ["MOST", "below", "text_of"]

MOST = 1024 * 1024
"""Bytes of a file that are looked at."""


def below(root: str, path: str) -> str:
    """Return where a path of the host is, for a host that lies below ``root``."""
    return os.path.join(root, path.lstrip("/"))


def text_of(root: str, path: str) -> str:
    """Return the text of a file, "" where it cannot be read."""
    try:
        with open(below(root, path), "rb") as file:
            return file.read(MOST).decode("utf-8", "replace")
    except OSError:
        return ""
