# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes text that others wrote safe to show."""

from __future__ import annotations

import re
from typing import Any

_PIPELINE_COMMAND = re.compile(r"##(?=(?:vso)?\[)", re.IGNORECASE)


def sanitize(text: object, limit: int = 0) -> str:
    """Return text as one line of printable characters, cut to limit characters (0: not cut).

    Unprintable characters become spaces: control characters (including those of C1 and the escape that begins an ANSI
    sequence), line ends, marks that change the direction of text, characters without a width, and lone surrogates. A
    space breaks commands of Azure Pipelines, which it reads anywhere in its log.
    """
    line = str(text)
    if not line.isprintable():
        line = "".join(character if character.isprintable() else " " for character in line)
    if "##" in line:
        line = _PIPELINE_COMMAND.sub("# #", line)
    return line if not limit or len(line) <= limit else line[: limit - 3] + "..."


def sanitize_lines(text: str) -> str:
    """Return text of several lines, each sanitized; tabs stay."""
    return "\n".join("\t".join(map(sanitize, line.split("\t"))) for line in text.split("\n"))


def sanitize_all(value: Any) -> Any:
    """Return JSON-able data with all its texts sanitized, including the keys of mappings."""
    if isinstance(value, str):
        return sanitize_lines(value)
    if isinstance(value, dict):
        return {sanitize_all(key): sanitize_all(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [sanitize_all(part) for part in value]
    return value
