# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the flags that a component runs with, and merge them over its file, for a check of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._codec.document import Document
from .._scalars._unexpanded import is_unexpanded
from .._scalars.field_path import Path
from .._schema._feature_gates import FeatureGates
from .._schema.kinds import MAIN_KINDS, Kind
from ..findings import Finding, located
from ._flag_findings import RULE_FLAGS, flag_problems, flags_of, gates_of
from ._flag_set import FlagSet, apply_flags, values_without_field
from ._pflag import CommandLine, parse_command_line
from .kubelet_flags import FEATURE_GATES

_COMMAND_LINE = "command line"


class ComponentFlags:
    """The flags of the component that reads a file, as `arguments` without the program."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = tuple(arguments)

    def gates(self, component: str) -> dict[str, bool]:
        """Return the feature gates that the flags set."""
        return gates_of(_values(self._parsed(flags_of(component))))

    def merged_over(self, document: Document, kind: Kind, minor: int) -> Document:
        """Return a document with the flags merged over it, if they win over a file of its kind."""
        flags = flags_of(kind.component)
        if kind.kind != MAIN_KINDS.get(kind.component):
            return document
        arguments = self.arguments
        if flags.ignored_with_file:
            known = flags.flags
            arguments = tuple(
                argument
                for use in parse_command_line(arguments, known).uses
                if use.name in known and flags.win_over_file(known[use.name], minor)
                for argument in use.arguments
            )
        return with_flags(document, ["", *arguments], kind, minor) if arguments else document

    def names(self, component: str) -> frozenset[str]:
        """Return the names of the flags, without dashes, also of those that the component does not have."""
        return frozenset(_values(self._parsed(flags_of(component))))

    def values_without_field(self, kind: Kind, minor: int) -> dict[Path, Any]:
        """Return what the flags set that become fields of the component's file later than a minor."""
        is_main = kind.kind == MAIN_KINDS.get(kind.component)
        return values_without_field(self.arguments, kind, minor) if is_main else {}

    def findings(self, document: Document, kind: Kind, minor: int) -> Iterator[Finding]:
        """Yield what is wrong with the flags of the component that reads a document; they are merged over it."""
        flags = flags_of(kind.component)
        command_line = self._parsed(flags)
        for error in command_line.errors:
            yield located(Finding((), error, RULE_FLAGS), _COMMAND_LINE)
        uses = _values(command_line)
        in_file = document.data.get(FEATURE_GATES) if FEATURE_GATES in kind.fields else None
        settings = {**(in_file if isinstance(in_file, dict) else {}), **gates_of(uses)}
        problems = flag_problems(
            flags,
            uses,
            minor,
            FeatureGates(minor, settings),
            reads_file=kind.kind == MAIN_KINDS.get(kind.component),
            checks_gates=FEATURE_GATES not in kind.fields,  # the rules of the file check its gates and these together
        )
        for flag, finding in problems:
            yield located(finding, flag if is_unexpanded(flag) else f"--{flag}")

    def _parsed(self, flags: FlagSet) -> CommandLine:
        return parse_command_line(self.arguments, flags.flags)


def _values(command_line: CommandLine) -> dict[str, list[str]]:
    """Return the values of all uses of each flag, known or not."""
    values: dict[str, list[str]] = {}
    for use in command_line.uses:
        values.setdefault(use.name, []).append(use.value)
    return values


def with_flags(document: Document, argv: Sequence[str], kind: Kind, minor: int) -> Document:
    """Return a document with the flags of a command line, program first, merged over it; each field keeps its origin.

    The file of a field that a flag sets is the flag.
    """
    data, origins = apply_flags(document.data, argv, kind, minor)
    lines: dict[Any, int] = {path: line for path, line in document.lines.items() if not _below(path, origins)}
    files = {path: file for path, file in document.files.items() if not _below(path, origins)}
    if not files:
        files = dict.fromkeys(lines, document.file)
    return document._replace(data=data, lines=lines, files={**files, **origins})


def _below(path: Any, origins: Mapping[Any, str]) -> bool:
    return any(path[: len(origin)] == origin for origin in origins)
