# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command line taken apart as the component takes it apart: flags with their values, in order.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ._table import Flag

__all__ = ["CommandLine", "Given", "read_command_line"]

_SHORT = {"v": "v", "h": "help"}


class Given(NamedTuple):
    """One use of a flag: its name with dashes, its value ("true" for a bare switch), the words that it was."""

    name: str
    text: str
    words: tuple[str, ...]


class CommandLine(NamedTuple):
    """The uses of flags, and why the component would refuse the rest, as sentences."""

    given: tuple[Given, ...]
    problems: tuple[str, ...]


def read_command_line(words: Sequence[str], flags: Mapping[str, Flag]) -> CommandLine:
    """Take the words behind the program apart.

    A known switch takes a value only behind "=", any other known flag the next word, whatever that is. An unknown one
    takes the next word where that is no flag.
    """
    given: list[Given] = []
    problems: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, text = _name_of(word)
        if not name:
            problems.append(f"{word!r} is no flag: the component takes nothing else")
            continue
        flag = flags.get(name)
        used = [word]
        if not equals:
            takes_next = flag.form != "bool" if flag is not None else bool(left) and not left[0].startswith("-")
            if takes_next and not left:
                problems.append(f"--{name} needs a value")
                continue
            text = "true"
            if takes_next:
                text = left.pop(0)
                used.append(text)
        given.append(Given(name, text, tuple(used)))
    return CommandLine(tuple(given), tuple(problems))


def _name_of(word: str) -> tuple[str, bool, str]:
    """The name in a word, "" for none, whether a value follows in the same word, and that value."""
    if word.startswith("--") and len(word) > 2:
        name, equals, text = word[2:].partition("=")
        return name.replace("_", "-"), bool(equals), text
    if word.startswith("-") and word[1:2] in _SHORT:  # -v 2, -v=2, -v2
        text = word[2:]
        return _SHORT[word[1]], bool(text), text[1:] if text.startswith("=") else text
    return "", False, ""
