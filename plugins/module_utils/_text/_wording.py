# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Phrases for lists and counts: "a, b and 3 more", " (and 3 more)", "3 nodes". Pure.

In the lowest layer, so that all packages use the same words.
"""

from __future__ import annotations

from collections.abc import Sequence


def first_names(names: Sequence[str], limit: int, *, width: int = 0) -> str:
    """Return the first names and the number of the others: "a, b and 3 more".

    limit: how many names are shown; width: how many characters they may have, 0 for any number (the first is always
    shown).
    """
    text = ""
    for number, name in enumerate(names):
        if number == limit or (number and width and len(text) + len(name) > width):
            return f"{text} and {len(names) - number} more"
        text += f", {name}" if text else name
    return text


def and_list(names: Sequence[str]) -> str:
    """Return all names as a phrase: "a", "a and b", "a, b and c"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def and_more(count: int) -> str:
    """Return " (and 3 more)" for what follows the one that is named, "" for none."""
    return f" (and {count} more)" if count > 0 else ""


def count_of(number: int, noun: str) -> str:
    """Return "1 node" or "3 nodes"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
