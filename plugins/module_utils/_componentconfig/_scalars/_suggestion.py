# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suggest the name that was probably meant by one that is not known."""

from __future__ import annotations

from collections.abc import Iterable

MAX_SUGGESTIONS = 50
"""The number of unknown names of a document for which callers search a similar name, which is expensive."""
_MAX_LENGTH = 100
"""The longest word that is compared: the time grows with its square."""


def did_you_mean(word: str, names: Iterable[str], *, alike: float = 0.6) -> str:
    """Return ": did you mean NAME?" with the most similar of the names, "" if no name is similar.

    alike: how similar a name is at least, from 0 to 1. Names that differ in case only are always similar.
    """
    by_lower_case = {name.lower(): name for name in sorted(names)}
    if len(word) > _MAX_LENGTH:
        return ""
    similar = word.lower() if word.lower() in by_lower_case else most_similar(word.lower(), by_lower_case, alike)
    return f": did you mean {by_lower_case[similar]}?" if similar else ""


def most_similar(word: str, names: Iterable[str], alike: float) -> str:
    """Return the most similar of the names, "" if none is as similar as `alike`, from 0 to 1."""
    import difflib  # not at the top: most configs need no suggestion

    return next(iter(difflib.get_close_matches(word, names, 1, alike)), "")
