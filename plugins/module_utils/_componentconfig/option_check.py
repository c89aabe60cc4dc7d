# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the flags and files of ComponentOptions, and the flags of components inside other files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._options._files import embedded_files
from ._options._findings import command_line, emulated_minor, option_findings
from ._schema._type_check import EmbeddedDocument
from ._schema.releases import nearest_known_minor
from .certainty import with_certainty
from .component_arguments import ArgumentsInFiles, argument_findings
from .component_options import Options, read_options
from .findings import RULE_GATES_KNOWN, Finding, Level


class _OptionCheck(ArgumentsInFiles):
    """Checks ComponentOptions, too."""

    def in_options(self, data: Mapping[str, Any], base: Sequence[str] | None, minor: int) -> Iterator[Finding]:
        """Yield what is wrong with the flags and files of ComponentOptions, without the content of files.

        base: the arguments of the component's init manifest without the program, None if they are not known. minor: may
        be a later one.
        """
        nearest = nearest_known_minor(minor)
        options = read_options(data)
        line = command_line(options, base)
        findings = (
            *option_findings(options, line, nearest),
            *argument_findings(
                options.component,
                line.arguments,
                nearest,
                is_whole=line.is_whole,
                gates_minor=emulated_minor(line, nearest),
            ),
        )
        for finding in findings:
            yield with_certainty(_at_its_place(finding, options), minor)

    def files_in_options(
        self, data: Mapping[str, Any], base: Sequence[str] | None, minor: int
    ) -> tuple[int, Iterator[EmbeddedDocument | Finding]]:
        """Return the documents among the files of ComponentOptions, and the minor whose kinds they are.

        It is an older one than `minor`, a known one, if the component emulates that. base: see `in_options`.
        """
        options = read_options(data)
        emulated = emulated_minor(command_line(options, base), minor)
        return emulated, embedded_files(options, emulated)


def _at_its_place(finding: Finding, options: Options) -> Finding:
    """Return a finding without the flag and its value in the message if its place has both.

    What is wrong with a part of the manifest, such as one of its feature gates, is not at a place of the document.
    """
    if finding.path[:1] != ("flags",) or finding.level is Level.NOT_JUDGED:
        return finding
    name = str(finding.path[1]).replace("_", "-") if len(finding.path) > 1 else ""
    message = finding.message.removeprefix(f"--{name}: ")
    gate = message.partition(":")[0]
    texts = str(options.flags.get(name))
    if not name or (finding.rule == RULE_GATES_KNOWN and gate not in texts):
        return finding._replace(path=(), message=f"with the flags of the manifest: {finding.message}")
    return finding._replace(message=message.removeprefix(f"{finding.value}: "))


OPTION_CHECK = _OptionCheck()
"""Has the flags of all components and what options need: `check` takes it where there may be such documents."""
