# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that others wrote, made safe to show: on a terminal, in a report, in the journal. Private to configok.node.

A node may write anything into its Node, and so may everybody who may write to the API. Whatever shows such text passes
it through here at the point where it is shown.
"""

from __future__ import annotations

from typing import Any

__all__ = ["sanitize", "sanitize_all", "sanitize_lines"]


def sanitize(text: object, limit: int = 0) -> str:
    """Return text as one line of printable characters, cut to limit characters where that is not 0.

    What does not print becomes a space: control characters (those of C1 and the escape that begins an ANSI sequence
    among them), line ends, marks that change the direction of text, characters without a width, and lone surrogates.
    """
    line = str(text)
    if not line.isprintable():
        line = "".join(character if character.isprintable() else " " for character in line)
    return line if not limit or len(line) <= limit else line[: limit - 3] + "..."


def sanitize_lines(text: str) -> str:
    """Return text of several lines, each as sanitize() leaves it; tabs stay."""
    return "\n".join("\t".join(map(sanitize, line.split("\t"))) for line in text.split("\n"))


def sanitize_all(value: Any) -> Any:
    """Return JSON-able data with all its texts, the keys of mappings included, as sanitize_lines() leaves them."""
    if isinstance(value, str):
        return sanitize_lines(value)
    if isinstance(value, dict):
        return {sanitize_all(key): sanitize_all(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [sanitize_all(part) for part in value]
    return value
