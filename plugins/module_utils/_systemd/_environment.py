# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables with which systemd starts a component: Environment=, EnvironmentFile=. Private to configok.node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ._unit_file import UnbalancedQuotes, Word, split_words, values_of

__all__ = ["environment_files", "parse_environment_file", "read_variables"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SPACE = " \t\r"
_LINE_ENDS = "\n\r"
_ESCAPED_IN_QUOTES = '"\\`$'


def environment_files(texts: Sequence[str]) -> list[str]:
    """Return the paths or patterns of a unit's EnvironmentFile=, in order: later ones win.

    The "-" in front, which allows a file to be missing, is removed.
    """
    return [value.lstrip("-") for value in values_of(texts, "Service", "EnvironmentFile")]


def read_variables(texts: Sequence[str], files: Sequence[str]) -> dict[str, str]:
    """Return the variables with which a unit's command line is expanded.

    texts: of the unit, then of its drop-ins. files: the texts of its environment files, in order. A file overrides
    Environment=, whatever their order, and UnsetEnvironment= overrides both (systemd.exec(5)).
    """
    variables: dict[str, str] = {}
    for value in values_of(texts, "Service", "Environment"):
        variables.update(_assignments(value))
    for text in files:
        variables.update(parse_environment_file(text))
    return _without(variables, values_of(texts, "Service", "UnsetEnvironment"))


def _assignments(value: str) -> dict[str, str]:
    assignments = {}
    for word in _words(value):
        name, equals, assigned_value = word.text.partition("=")
        if equals and _NAME.match(name):
            assignments[name] = assigned_value.replace("%%", "%")
    return assignments


def _words(value: str) -> list[Word]:
    try:
        return split_words(value)
    except UnbalancedQuotes:
        return []  # as systemd does


def _without(variables: Mapping[str, str], values: Sequence[str]) -> dict[str, str]:
    remaining = dict(variables)
    for value in values:
        for word in _words(value):
            name, equals, unset = word.text.partition("=")
            if name in remaining and (not equals or remaining[name] == unset):
                del remaining[name]
    return remaining


def parse_environment_file(text: str) -> dict[str, str]:
    """Return the variables that an environment file assigns. Lines that systemd ignores are ignored."""
    variables = {}
    position = 0
    while position < len(text):
        name, position = _name(text, position)
        if name is None:
            continue
        value, position = _value(text, position)
        if _NAME.match(name):
            variables[name] = value
    return variables


def _name(text: str, position: int) -> tuple[str | None, int]:
    """Return the name up to "=" and the position after it; None for a line that assigns nothing."""
    end = position
    while end < len(text) and text[end] not in _LINE_ENDS:
        end += 1
    line = text[position:end]
    if line.lstrip(_SPACE)[:1] in ("#", ";") or "=" not in line:
        return None, end + 1
    name = line.partition("=")[0]
    return name.strip(_SPACE), position + len(name) + 1


def _value(text: str, position: int) -> tuple[str, int]:
    """Return the value and the position after its line.

    Quotes count at its start and after a quoted part; an unquoted part loses the white space at its end.
    """
    parts: list[str] = []
    while position < len(text) and text[position] not in _LINE_ENDS:
        if text[position] in _SPACE:
            position += 1
        elif text[position] == "'":
            end = text.find("'", position + 1)
            end = len(text) if end < 0 else end
            parts.append(text[position + 1 : end])
            position = end + 1
        elif text[position] == '"':
            part, position = _double_quoted(text, position + 1)
            parts.append(part)
        else:
            part, position = _unquoted(text, position)
            parts.append(part)
    return "".join(parts), position + 1


def _double_quoted(text: str, position: int) -> tuple[str, int]:
    part = ""
    while position < len(text) and text[position] != '"':
        if text[position] == "\\" and position + 1 < len(text):
            following = text[position + 1]
            if following in _ESCAPED_IN_QUOTES:
                part += following
            elif following != "\n":
                part += "\\" + following
            position += 2
        else:
            part += text[position]
            position += 1
    return part, position + 1


def _unquoted(text: str, position: int) -> tuple[str, int]:
    part, kept = "", 0
    while position < len(text) and text[position] not in _LINE_ENDS:
        if text[position] == "\\" and position + 1 < len(text):
            if text[position + 1] != "\n":
                part += text[position + 1]
                kept = len(part)
            position += 2
        else:
            part += text[position]
            if text[position] not in _SPACE:
                kept = len(part)
            position += 1
    return part[:kept], position
