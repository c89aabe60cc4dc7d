# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect what is wrong with the objects of files, one sentence each. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..._componentconfig.findings import Finding
from .. import InvalidMachines
from .documents import ObjectDocument

_MAX_ERRORS = 100


class ObjectErrors:
    """Errors and warnings about the objects of files, each once, in the order in which they are found."""

    def __init__(self) -> None:
        self._errors: dict[str, None] = {}
        self._warnings: dict[str, None] = {}

    def __bool__(self) -> bool:
        return bool(self._errors)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings."""
        return tuple(self._warnings)

    def add(self, finding: Finding, holder: ObjectDocument | None = None) -> None:
        """Add a finding that has its file and line. holder: the object that it is about, None for a whole file."""
        location = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        title = " ".join(filter(None, (holder.kind, holder.title))) if holder is not None else ""
        text = ": ".join(filter(None, (location, title, finding.text)))
        (self._errors if finding.is_refusal else self._warnings)[text] = None

    def add_all(self, findings: Iterable[Finding], holder: ObjectDocument | None = None) -> None:
        """Add findings that have their file and line."""
        for finding in findings:
            self.add(finding, holder)

    def add_at(self, holder: ObjectDocument, path: tuple[str | int, ...], message: str) -> None:
        """Add an error about a field of an object."""
        self.add(holder.document.locate(Finding(path, message)), holder)

    def warn(self, text: str) -> None:
        """Add a warning."""
        self._warnings[text] = None

    def raise_any(self) -> None:
        """Raise InvalidMachines if there are errors."""
        if self._errors:
            errors = list(self._errors)
            omitted = len(errors) - _MAX_ERRORS
            shown = errors[:_MAX_ERRORS] + ([f"{omitted} more errors are not shown: fix these first"] * (omitted > 0))
            raise InvalidMachines(shown)
