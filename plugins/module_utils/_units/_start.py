# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a unit starts its component, and what the component is told. Private to configok.node."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ._command import Argument, Command, arguments, parse_command
from ._environment import variables
from ._flags import Flag, last_flag
from ._unit_text import assigned, last_assigned

__all__ = ["CONFIG_FLAG", "NotUnderstood", "Start", "config_flag", "flag_value", "path_of", "start_of"]

CONFIG_FLAG = "config"


class NotUnderstood(ValueError):
    """A unit whose start cannot be understood; the text is one sentence without its subject, the unit."""


class Start(NamedTuple):
    """A unit's command, the variables it is expanded with, the arguments, and the directory it runs in."""

    command: Command
    variables: Mapping[str, str]
    arguments: tuple[Argument, ...]
    directory: str


def start_of(texts: Sequence[str], files: Sequence[str], exec_start: str = "") -> Start:
    """Return how a unit starts its component. Raises NotUnderstood.

    texts: of the unit, then of its drop-ins, in systemd's order; files: of its environment files; exec_start: a command
    line in place of the unit's own.
    """
    lines = [exec_start] if exec_start else assigned(texts, "Service", "ExecStart")
    if len(lines) != 1:
        raise NotUnderstood(f"has {len(lines) or 'no'} ExecStart= lines, where a component has one")
    try:
        command = parse_command(lines[0])
    except ValueError as error:
        raise NotUnderstood(f"has an ExecStart= that cannot be used: {error}") from error
    known = variables(texts, files)
    directory = last_assigned(texts, "Service", "WorkingDirectory").lstrip("-")
    return Start(command, known, tuple(arguments(command, known)), directory if directory.startswith("/") else "/")


def config_flag(start: Start) -> Flag | None:
    """Return the flag that names the config file which the component reads, None where there is none."""
    return last_flag([argument.text for argument in start.arguments], CONFIG_FLAG)


def flag_value(start: Start, name: str) -> str:
    """Return the value of a flag, "" where it is not given."""
    flag = last_flag([argument.text for argument in start.arguments], name)
    return flag.value if flag else ""


def path_of(start: Start, value: str) -> str:
    """Return a path on the command line as an absolute one, "" for none."""
    return posixpath.normpath(posixpath.join(start.directory, value)) if value else ""
