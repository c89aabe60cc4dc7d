# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the examples of documentation pages, so that tests run them as they are written."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["blocks", "commands", "named_files"]

_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def blocks(page: Path, language: str) -> list[str]:
    """Return the texts of a page's blocks in a language."""
    return [text for _indent, name, text in _BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


def commands(page: Path) -> list[str]:
    """Return the commands that a page shows, one line each, in the order of the page."""
    return [line for text in blocks(page, "console") for line in text.replace("\\\n", "").splitlines() if line.strip()]


def named_files(page: Path) -> dict[str, str]:
    """Return the YAML files that a page shows, by the path in their first line."""
    texts = (text.split("\n", 1) for text in blocks(page, "yaml") if text.startswith("# "))
    return {first.removeprefix("# "): rest for first, rest in texts}
