# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what `validate` has found in files, as human-readable lines, or in the formats of CI systems.

A format is a pure function from a Report to text, in a file of its own; `writer_of` imports the one that is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Callable, NamedTuple

from .._componentconfig.findings import Finding, Level, NotJudged, Verdict, not_judged_causes, verdict_of
from .._files import STANDARD_INPUT
from .._text import sanitize

__all__ = ["FileReport", "Report", "writer_of"]


class FileReport(NamedTuple):
    """A file as the user named it, or "-", and what is wrong with it."""

    name: str
    findings: tuple[Finding, ...]


class Report(NamedTuple):
    """What was found in all files.

    versions: the Kubernetes minors that the files are for. failing: the levels of findings that fail the run. skipped:
    the files without component config. directory: the working directory, where relative names begin.
    is_version_assumed: whether the user has named no version. scope: what is left out by design. is_verbose:
    whether each place that was not judged is shown.
    """

    files: tuple[FileReport, ...]
    versions: tuple[str, ...]
    failing: tuple[Level, ...]
    skipped: tuple[str, ...] = ()
    directory: str = "/"
    is_version_assumed: bool = False
    scope: tuple[str, ...] = ()
    is_verbose: bool = False

    @property
    def findings(self) -> Iterator[Finding]:
        """All findings, file by file."""
        return (finding for file in self.files for finding in file.findings)

    def is_failing(self, finding: Finding) -> bool:
        """Return whether a finding fails the run."""
        return finding.level in self.failing

    @property
    def not_judged(self) -> list[NotJudged]:
        """What was not judged in all files, one entry for each cause."""
        return not_judged_causes(self.findings)

    def verdict_of(self, file: FileReport) -> Verdict:
        """Return the verdict on one of the files."""
        return verdict_of(file.findings, self.failing)

    @property
    def has_failed(self) -> bool:
        """Whether a finding of any file fails the run."""
        return any(map(self.is_failing, self.findings))

    def is_error(self, finding: Finding) -> bool:
        """Return whether a finding is shown as an error, not as a warning.

        What the component itself refuses is an error even if it does not fail the run.
        """
        return finding.level is Level.COMPONENT or self.is_failing(finding)

    def path_of(self, name: str) -> str:
        """Return a file's path below the working directory, which CI systems expect; absolute if it is not below."""
        if name == STANDARD_INPUT:
            return "stdin"
        path = os.path.normpath(name)
        below = os.path.join(self.directory, "")
        return sanitize(path[len(below) :] if path.startswith(below) else path)


def writer_of(name: str) -> Callable[[Report], str]:
    """Return the function that writes a report in one of the formats of --output."""
    if name == "json":
        from ._json import write_json as write
    elif name == "github":
        from ._github import write_github as write
    elif name == "junit":
        from ._junit import write_junit as write
    elif name == "sarif":
        from ._sarif import write_sarif as write
    else:
        from ._text import write_text as write
    return write
