# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How to make a unit start its component with another config file. Private to configok.node.

Two ways. Where a variable of the unit holds the flag and nothing else, as kubeadm's KUBELET_CONFIG_ARGS, the variable
is set anew, in an environment file that comes last: that wins over Environment= and over every other file, and the
unit's command line stays its own. Everywhere else the command line is written anew, with nothing changed but the flag:
replaced where it stands there, put at the end where it comes out of a variable with other flags, since the last wins.
"""

from __future__ import annotations

from typing import NamedTuple

from ._exec_start import CONFIG_FLAG, Flag, UnitStart, UnsupportedUnit, arguments, config_flag, parse_command, path_of

__all__ = ["ConfigOverride", "find_override"]


class ConfigOverride(NamedTuple):
    """What to set: a variable, or the whole command line. The other is ""."""

    variable: str
    exec_start: str


def find_override(start: UnitStart, target: str, *, variable: str = "", exec_start: str = "") -> ConfigOverride:
    """Return how to let the component read ``target``. Raises NotUnderstood where it would not.

    start: of the unit without our drop-in. variable, exec_start: what the user decided, "" to find it out.
    """
    if variable:
        setting = ConfigOverride(variable, "")
    elif exec_start:
        setting = ConfigOverride("", exec_start)
    else:
        setting = _found(start, target)
    _prove(start, setting, target)
    return setting


def _found(start: UnitStart, target: str) -> ConfigOverride:
    flag = config_flag(start)
    if flag is None:
        return ConfigOverride("", _appended(start, target))
    variable = _variable_of_its_own(start, flag)
    if variable:
        return ConfigOverride(variable, "")
    return ConfigOverride("", _replaced(start, flag, target) or _appended(start, target))


def _variable_of_its_own(start: UnitStart, flag: Flag) -> str:
    """Return the variable that is a word of the command line and holds the flag and nothing else, else ""."""
    first = start.arguments[flag.first]
    holding = [index for index, argument in enumerate(start.arguments) if argument.word == first.word]
    return first.variable if holding == list(range(flag.first, flag.last + 1)) else ""


def _replaced(start: UnitStart, flag: Flag, target: str) -> str:
    """Return the command line with the flag's words replaced; "" where a variable with more than the flag is in it."""
    first, last = start.arguments[flag.first], start.arguments[flag.last]
    if first.variable or (last.variable and [one.word for one in start.arguments].count(last.word) > 1):
        return ""
    line, words = start.command.line, start.command.words
    return line[: words[first.word].start] + f"--{CONFIG_FLAG}={target}" + line[words[last.word].end :]


def _appended(start: UnitStart, target: str) -> str:
    return f"{start.command.line} --{CONFIG_FLAG}={target}"


def _prove(start: UnitStart, setting: ConfigOverride, target: str) -> None:
    """Expand the command line as systemd will, and see that the flag wins."""
    changed = start
    if setting.variable:
        known = {**start.variables, setting.variable: f"--{CONFIG_FLAG}={target}"}
        changed = start._replace(arguments=tuple(arguments(start.command, known)))
    else:
        try:
            command = parse_command(setting.exec_start)
        except ValueError as error:
            raise UnsupportedUnit(f"cannot be given this exec_start: {error}") from error
        changed = start._replace(command=command, arguments=tuple(arguments(command, start.variables)))
    flag = config_flag(changed)
    if flag is None or path_of(changed, flag.value) != target:
        what = f"the variable {setting.variable}" if setting.variable else "this exec_start"
        reads = f"it would read {flag.value}" if flag else "no --config would reach the component"
        raise UnsupportedUnit(f"cannot be told to read {target} by {what}: {reads}")
