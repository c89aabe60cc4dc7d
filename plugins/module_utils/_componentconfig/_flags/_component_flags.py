# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the flags that a component runs with, and merge them over its file, for a check of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import ConfigError
from .._codec._document import Document
from .._findings import RULE_UNKNOWN_FLAG, Finding, Level, located
from .._scalars._field_path import Path
from .._schema._feature_gates import FeatureGates
from .._schema._kinds import MAIN_KINDS, Kind
from .._schema._releases import minor_name
from ._flag_set import FlagSet, apply_flags, flag_set, values_by_flag, values_without_field
from ._kubelet_flags import FEATURE_GATES
from ._pflag import Flag, parse_command_line, parse_flag_value

__all__ = ["ComponentFlags", "with_flags"]

_GATES = "feature-gates"
_RULE = "flags"
_COMMAND_LINE = "command line"


class ComponentFlags:
    """The flags of the component that reads a file, as arguments without the program."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = tuple(arguments)

    def gates(self, component: str) -> dict[str, bool]:
        """Return the feature gates that the flags set."""
        for flag, values in self._values(_flags_of(component)):
            if flag.name == _GATES:
                try:
                    return dict(parse_flag_value("mapBool", values))
                except ConfigError:
                    return {}
        return {}

    def merged_over(self, document: Document, kind: Kind, minor: int) -> Document:
        """Return a document with the flags merged over it, if they win over a file of its kind."""
        flags = _flags_of(kind.component)
        if kind.kind != MAIN_KINDS.get(kind.component):
            return document
        arguments = self._arguments
        if flags.ignored_with_file:
            known = flags.flags
            arguments = tuple(
                argument
                for use in parse_command_line(arguments, known).uses
                if use.name in known and flags.win_over_file(known[use.name], minor)
                for argument in use.arguments
            )
        return with_flags(document, ["", *arguments], kind, minor) if arguments else document

    def findings(self, kind: Kind, minor: int) -> Iterator[Finding]:
        """Yield what is wrong with the flags of the component that reads files of a kind."""
        flags = _flags_of(kind.component)
        command_line = parse_command_line(self._arguments, flags.flags)
        for error in command_line.errors:
            yield located(Finding((), error, _RULE), _COMMAND_LINE)
        for name in dict.fromkeys(use.name for use in command_line.uses if use.name not in flags.flags):
            message = _unknown_flag(name, flags)
            if message:
                yield located(Finding((), message, RULE_UNKNOWN_FLAG), f"--{name}")
        for flag, values in self._values(flags):
            for message, level in _flag_problems(flag, values, flags, kind, minor):
                yield located(Finding((), message, _RULE, level), f"--{flag.name}")
        if FEATURE_GATES in kind.fields:
            return  # the rules of the file check its gates and those of the flags together
        gates = FeatureGates(minor, self.gates(kind.component))
        for gate, message in gates.refused_settings():
            yield located(Finding((FEATURE_GATES, gate), message, "gates-known"), f"--{_GATES}")
        for gate, dependency in gates.unmet_dependencies():
            message = f"the gate {gate} may only be on while {dependency} is on"
            yield located(Finding((FEATURE_GATES, gate), message, "gates-deps"), f"--{_GATES}")

    def names(self, component: str) -> frozenset[str]:
        """Return the names of the flags, without dashes, also of those that the component does not have."""
        return frozenset(use.name for use in parse_command_line(self._arguments, _flags_of(component).flags).uses)

    def values_without_field(self, kind: Kind, minor: int) -> dict[Path, Any]:
        """Return what the flags set that become fields of the component's file later than a minor."""
        is_main = kind.kind == MAIN_KINDS.get(kind.component)
        return values_without_field(self._arguments, kind, minor) if is_main else {}

    def _values(self, flags: FlagSet) -> list[tuple[Flag, list[str]]]:
        return values_by_flag(parse_command_line(self._arguments, flags.flags).uses, flags.flags)


def with_flags(document: Document, argv: Sequence[str], kind: Kind, minor: int) -> Document:
    """Return a document with the flags of a command line, program first, merged over it; each field keeps its origin.

    The file of a field that a flag sets is the flag.
    """
    data, origins = apply_flags(document.data, argv, kind, minor)
    lines: dict[Any, int] = {path: line for path, line in document.lines.items() if not _below(path, origins)}
    files = {path: file for path, file in document.files.items() if not _below(path, origins)}
    if not files:
        files = dict.fromkeys(lines, document.file)
    return replace(document, data=data, lines=lines, files={**files, **origins})


def _below(path: Any, origins: Mapping[Any, str]) -> bool:
    return any(path[: len(origin)] == origin for origin in origins)


def _flags_of(component: str) -> FlagSet:
    """Return the flags of a component; of one whose flags are not known, that of the feature gates."""
    known = flag_set(component)
    return known if known is not None else FlagSet(component, {_GATES: Flag(_GATES, "mapBool")}, False)


def _unknown_flag(name: str, flags: FlagSet) -> str:
    """Return what is wrong with a flag of an unknown name, "" if it may be one of a component with unknown flags."""
    import difflib  # not at the top: most command lines need no suggestion

    similar = difflib.get_close_matches(name, flags.flags, 1, 0.85)
    if similar:
        return f"{flags.component} has no such flag, did you mean --{similar[0]}?"
    return f"{flags.component} has no such flag" if flag_set(flags.component) is not None else ""


def _flag_problems(
    flag: Flag, values: Sequence[str], flags: FlagSet, kind: Kind, minor: int
) -> Iterator[tuple[str, Level]]:
    """Yield what is wrong with a flag and its values."""
    if flag.last is not None and flag.last < minor:
        yield f"{flags.component} has it up to Kubernetes {minor_name(flag.last)} only", Level.COMPONENT
    elif minor < flag.since:
        yield f"{flags.component} has it from Kubernetes {minor_name(flag.since)} on", Level.COMPONENT
    else:
        try:
            parse_flag_value(flag.form, values)
        except ConfigError as error:
            yield str(error), Level.COMPONENT
    if flag.field and not flags.win_over_file(flag, minor) and kind.kind == MAIN_KINDS.get(kind.component):
        yield f"{flags.component} ignores it when it reads a config file", Level.WARNING
