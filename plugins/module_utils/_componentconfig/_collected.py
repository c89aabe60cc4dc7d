# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found in a document for several minors, put together.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ._documents._document import Document
from ._documents._findings import Finding, bounded, finding, in_reading_order
from ._kinds._types import Problem
from ._pool import Pool
from ._values._paths import Path, lookup
from ._values._versions import name

__all__ = ["Collected"]


class Collected:
    """Problems of one document, judged for a pool: the same one of several minors is one finding."""

    def __init__(self, document: Document, pool: Pool) -> None:
        """pool: the minors that are judged for."""
        self.document = document
        self.pool = pool
        self.minors = pool.minors
        self._found: dict[Finding, set[int]] = {}
        self._made: dict[tuple[Path, str, str, str], set[int]] = {}

    def add(self, problems: Iterable[Problem], level: str, minor: int | None = None) -> None:
        """Take problems of the document in, found for one minor or for all."""
        minors = self.minors if minor is None else (minor,)
        for problem in problems:
            # Most problems are found for many minors, and making a finding is the dear part.
            key = (problem.path, problem.message, level, problem.rule)
            if key in self._made:
                self._made[key].update(minors)
                continue
            value = problem.value
            if value is None and problem.path:
                value = lookup(self.document.data, problem.path)
            line = self.document.line_of(problem.path)
            file = self.document.file_of(problem.path)
            found = finding(file, line, problem.path, value, problem.message, level, problem.rule)
            self._made[key] = self._found.setdefault(found, set())
            self._made[key].update(minors)

    def add_finding(self, found: Finding, minors: Iterable[int]) -> None:
        """Take a finding in that has its file and line already."""
        self._found.setdefault(found, set()).update(minors)

    def findings(self) -> list[Finding]:
        """All of it as far as it is bounded, sorted by line, each with the minors and the nodes that it holds for."""
        result = []
        told: dict[frozenset[int], tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
        for found, held in self._found.items():
            minors = frozenset(held)
            if minors not in told:
                names = tuple(name(minor) for minor in sorted(minors))
                told[minors] = self.pool.suffix(minors), names, self.pool.nodes_of(minors)
            suffix, versions, nodes = told[minors]
            result.append(replace(found, message=found.message + suffix, versions=versions, nodes=nodes))
        return bounded(sorted(result, key=in_reading_order))
