# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect the findings of one document for several Kubernetes minors, and for the nodes that run them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from .._text import first_names
from . import ConfigError
from ._codec._embedding import EmbeddedFlags
from ._codec.document import Document
from ._scalars.field_path import Path
from ._schema._type_check import EmbeddedDocument, TypeCheck
from ._schema.kinds import Kind, OperatingSystem
from ._schema.releases import minor_name, minor_names, parse_known_minor
from ._unexpanded_values import UnexpandedValues
from .expressions import CheckerSource
from .findings import Finding, Level, bounded, reading_order


class Flags(Protocol):
    """The flags of a component's command line; see `ComponentFlags`, which this file does not import."""

    @property
    def arguments(self) -> Sequence[str]:
        """The command line without the program."""

    def gates(self, component: str) -> Mapping[str, bool]:
        """Return the feature gates that the flags set."""

    def merged_over(self, document: Document, kind: Kind, minor: int) -> Document:
        """Return a document with the flags merged over it, if they win over a file of its kind."""

    def findings(self, document: Document, kind: Kind, minor: int) -> Iterable[Finding]:
        """Return what is wrong with the flags of the component that reads a document, which has them merged over it."""


class ArgumentCheck(Protocol):
    """Checks flags of components inside files; see `ARGUMENT_CHECK`, which this file does not import."""

    def embedded(self, flags: EmbeddedFlags, minor: int) -> Iterable[Finding]:
        """Return what is wrong with flags in a file of another tool, located."""

    def in_kubeadm_file(
        self, kind: Kind, checked: TypeCheck, minor: int, os: OperatingSystem = "linux"
    ) -> Iterable[Finding]:
        """Return what is wrong with the extra arguments of components in a document of kubeadm."""

    def in_options(self, data: Mapping[str, Any], base: Sequence[str] | None, minor: int) -> Iterable[Finding]:
        """Return what is wrong with the flags and files of ComponentOptions, without the content of files."""

    def files_in_options(
        self, data: Mapping[str, Any], base: Sequence[str] | None, minor: int
    ) -> tuple[int, Iterable[EmbeddedDocument | Finding]]:
        """Return the documents among the files of ComponentOptions, and the minor whose kinds they are."""


class Collector:
    """Collects the findings of one document for several minors; equal findings of several minors become one."""

    def __init__(
        self,
        document: Document,
        targets: Targets,
        flags: Flags | None = None,
        expressions: CheckerSource | None = None,
        arguments: ArgumentCheck | None = None,
        os: OperatingSystem = "linux",
    ) -> None:
        """targets: the minors and nodes that the document is checked for. flags: those of its component, if known.

        expressions: returns a checker of CEL expressions. arguments: checks the flags inside the document. os: the
        operating system of the nodes.
        """
        self.document = document
        self.targets = targets
        self.flags = flags
        self.expressions = expressions
        self.arguments = arguments
        self.os = os
        self._unexpanded = UnexpandedValues(document)
        self._minors_by_finding: dict[Finding, set[int]] = {}
        self._minors_by_key: dict[tuple[Path, str, Level, str], set[int]] = {}

    def add(self, findings: Iterable[Finding], minor: int | None = None) -> None:
        """Add findings about the document, for one minor or for all."""
        minors = self.targets.minors if minor is None else (minor,)
        for finding in findings:
            # Most findings hold for many minors, and locating one is the expensive part.
            key = (finding.path, finding.message, finding.level, finding.rule)
            known = self._minors_by_key.get(key)
            if known is None:
                located = self.document.locate(finding)
                if self._unexpanded.decide(finding, located.path):
                    continue
                known = self._minors_by_key[key] = self._minors_by_finding.setdefault(located, set())
            known.update(minors)

    def add_located(self, findings: Iterable[Finding], minors: Iterable[int] | None = None) -> None:
        """Add findings that have their file and line already, for some minors or for all."""
        held = self.targets.minors if minors is None else tuple(minors)
        for finding in findings:
            self._minors_by_finding.setdefault(finding, set()).update(held)

    def findings(self) -> list[Finding]:
        """Return the findings, bounded and in reading order, each with the minors and the nodes that it holds for."""
        findings = []
        described: dict[frozenset[int], tuple[str, tuple[str, ...], tuple[str, ...]]] = {}
        for finding, held in self._minors_by_finding.items():
            minors = frozenset(held)
            if minors not in described:
                versions = tuple(minor_name(minor) for minor in sorted(minors))
                described[minors] = self.targets.describe(minors), versions, self.targets.nodes_at(minors)
            suffix, versions, nodes = described[minors]
            if finding.level is Level.NOT_JUDGED:
                suffix = ""  # reports count the findings of one cause, and list the versions apart
            findings.append(finding._replace(message=finding.message + suffix, versions=versions, nodes=nodes))
        return bounded(sorted(findings, key=reading_order))


_NODES_NAMED = 3


class Targets:
    """The minors that a config is checked for, and which nodes run them."""

    def __init__(self, versions: Iterable[str], nodes: Mapping[str, str], default: int) -> None:
        """versions: Kubernetes versions. nodes: the version of each node, by name; they are checked for as well.

        default: the minor without versions and nodes. Raises ConfigError for a version that cannot be parsed or is
        older than the data.
        """
        self._nodes: dict[int, list[str]] = {}
        for node, version in sorted(nodes.items()):
            try:
                self._nodes.setdefault(parse_known_minor(version), []).append(node)
            except ConfigError as error:
                raise ConfigError(f"node {node}: {error}") from error
        minors = {parse_known_minor(version) for version in versions}
        self.minors = sorted(minors | set(self._nodes)) or [default]

    def nodes_at(self, minors: Iterable[int]) -> tuple[str, ...]:
        """Return the sorted names of the nodes that run one of these minors."""
        return tuple(sorted(node for minor in set(minors) for node in self._nodes.get(minor, ())))

    def describe(self, minors: Iterable[int]) -> str:
        """Return for a message which minors and nodes a finding holds for, "" for all."""
        held = set(minors)
        if held >= set(self.minors):
            return ""
        nodes = self.nodes_at(held)
        return f" (Kubernetes {minor_names(held)}" + (f": {first_names(nodes, _NODES_NAMED)})" if nodes else ")")
