# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How to make a unit start its component with another config file. Private to configok.node.

There are two ways. If a variable of the unit holds the flag and nothing else, as kubeadm's KUBELET_CONFIG_ARGS, the
variable is set again in an environment file that comes last. That overrides Environment= and every other file, and the
unit keeps its command line. Otherwise the command line is rewritten, with only the flag changed: it is replaced if it
is on the command line itself, and appended if it comes from a variable with other flags, since the last flag takes
effect.
"""

from __future__ import annotations

from typing import NamedTuple

from ._exec_start import (
    CONFIG_FLAG,
    Flag,
    UnitStart,
    UnsupportedUnit,
    config_flag,
    expand_arguments,
    parse_command,
    path_of,
)

__all__ = ["ConfigOverride", "find_override"]


class ConfigOverride(NamedTuple):
    """The variable, or the whole command line, to set. The other is ""."""

    variable: str
    exec_start: str


def find_override(start: UnitStart, target: str, *, variable: str = "", exec_start: str = "") -> ConfigOverride:
    """Return how to make the component read ``target``. Raises UnsupportedUnit if it would not.

    start: of the unit without our drop-in. variable, exec_start: the user's choice, "" to detect it.
    """
    if variable:
        override = ConfigOverride(variable, "")
    elif exec_start:
        override = ConfigOverride("", exec_start)
    else:
        override = _derive(start, target)
    _verify(start, override, target)
    return override


def _derive(start: UnitStart, target: str) -> ConfigOverride:
    flag = config_flag(start)
    if flag is None:
        return ConfigOverride("", _appended(start, target))
    variable = _variable_of_its_own(start, flag)
    if variable:
        return ConfigOverride(variable, "")
    return ConfigOverride("", _replaced(start, flag, target) or _appended(start, target))


def _variable_of_its_own(start: UnitStart, flag: Flag) -> str:
    """Return the variable that is a word of the command line and holds only the flag, or "" if there is none."""
    first = start.arguments[flag.first]
    holding = [index for index, argument in enumerate(start.arguments) if argument.word == first.word]
    return first.variable if holding == list(range(flag.first, flag.last + 1)) else ""


def _replaced(start: UnitStart, flag: Flag, target: str) -> str:
    """Return the command line with the flag replaced, or "" if a variable holds the flag and others."""
    first, last = start.arguments[flag.first], start.arguments[flag.last]
    if first.variable or (last.variable and [argument.word for argument in start.arguments].count(last.word) > 1):
        return ""
    line, words = start.command.line, start.command.words
    return line[: words[first.word].start] + f"--{CONFIG_FLAG}={target}" + line[words[last.word].end :]


def _appended(start: UnitStart, target: str) -> str:
    return f"{start.command.line} --{CONFIG_FLAG}={target}"


def _verify(start: UnitStart, override: ConfigOverride, target: str) -> None:
    """Expand the command line as systemd will, and raise UnsupportedUnit unless the flag takes effect."""
    changed = start
    if override.variable:
        variables = {**start.variables, override.variable: f"--{CONFIG_FLAG}={target}"}
        changed = start._replace(arguments=tuple(expand_arguments(start.command, variables)))
    else:
        try:
            command = parse_command(override.exec_start)
        except ValueError as error:
            raise UnsupportedUnit(f"cannot be given this exec_start: {error}") from error
        changed = start._replace(command=command, arguments=tuple(expand_arguments(command, start.variables)))
    flag = config_flag(changed)
    if flag is None or path_of(changed, flag.value) != target:
        means = f"the variable {override.variable}" if override.variable else "this exec_start"
        reads = f"it would read {flag.value}" if flag else "no --config would reach the component"
        raise UnsupportedUnit(f"cannot be told to read {target} by {means}: {reads}")
