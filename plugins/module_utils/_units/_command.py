# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command line of a unit, and the arguments that systemd makes of it. Private to configok.node.

systemd.service(5), "Command lines": a word $NAME is replaced by the words of the variable, ${NAME} within a word by its
exact value, and $$ is a dollar sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ._words import Word, split_relaxed, split_words

__all__ = ["Argument", "Command", "arguments", "parse_command"]

_PREFIXES = "-@:+!|"
_VARIABLE_WORD = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\Z")
_WITHIN = re.compile(r"\$(\$|\{([A-Za-z_][A-Za-z0-9_]*)\})")


class Command(NamedTuple):
    """A command line: the text as it is in the unit, its prefix such as "-@:", and its words, program first."""

    line: str
    prefix: str
    program: str
    words: tuple[Word, ...]  # behind the program, and behind the name that "@" gives it


class Argument(NamedTuple):
    """One argument that the program gets. word: the index in Command.words of what it comes from; variable: the name,
    where that word is a variable."""

    text: str
    word: int
    variable: str = ""


def parse_command(line: str) -> Command:
    """Return the command in a value of ExecStart=. Raises ValueError, with a few words, where there is none."""
    words = split_words(line)
    if any(line[word.start : word.end] == ";" for word in words):
        raise ValueError("it holds more than one command")
    first = words[0].text if words else ""
    program = first.lstrip(_PREFIXES)
    prefix = first[: len(first) - len(program)]
    named = 2 if "@" in prefix else 1
    if not program or len(words) < named:
        raise ValueError("it names no program")
    return Command(line, prefix, program, tuple(words[named:]))


def arguments(command: Command, variables: Mapping[str, str]) -> list[Argument]:
    """Return the arguments behind the program, as systemd expands them."""
    found = []
    for index, word in enumerate(command.words):
        text = word.text.replace("%%", "%")
        if ":" in command.prefix:
            found.append(Argument(text, index))
            continue
        whole = _VARIABLE_WORD.match(text)
        if whole is None:
            found.append(Argument(_expanded(text, variables), index))
            continue
        name = whole[1]
        found += [Argument(part, index, name) for part in split_relaxed(variables.get(name, ""))]
    return found


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    return _WITHIN.sub(lambda found: "$" if found[1] == "$" else variables.get(found[2], ""), text)
