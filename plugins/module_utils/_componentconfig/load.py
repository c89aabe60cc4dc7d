# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load the layers of one config and say which layer each field is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import ConfigError
from ._codec.document import Document, decode
from ._codec.plain_values import HEAD_FIELDS, fingerprint, merge
from ._codec.yaml_text import encode_all
from ._options import COMPONENT_OPTIONS
from ._options._layers import with_removed_flags
from ._scalars.field_path import Path, format_path, leaf_paths, value_at
from ._schema.kinds import Kind, find_kind
from .findings import Finding, InvalidConfig, Level, show


class Config(NamedTuple):
    """A config that was merged from layers: the document, which knows where each field is from, and the layers.

    others: the further documents of a file of several ones, as kubeadm's are; `data` and the like are of the first.
    """

    document: Document
    layers: tuple[Document, ...]
    others: tuple[Document, ...] = ()

    @property
    def documents(self) -> tuple[Document, ...]:
        """The document, and the further ones of its file."""
        return (self.document, *self.others)

    @property
    def written_documents(self) -> tuple[Document, ...]:
        """The documents as their component reads them: those of a single file are not merged, and keep their nulls."""
        return (self.layers[0], *self.others) if len(self.layers) == 1 else self.documents

    @property
    def data(self) -> dict[str, Any]:
        """The merged values, apiVersion and kind among them."""
        data: dict[str, Any] = self.document.data
        return data

    @property
    def kind(self) -> Kind | None:
        """The kind in its API version, None if the data lack it."""
        return find_kind(self.data.get("apiVersion"), self.data.get("kind"))

    @property
    def text(self) -> str:
        """The config as YAML, all documents; written on request, since that takes most of a large config's time."""
        return encode_all([document.data for document in self.documents if document.is_validated])

    @property
    def fingerprint(self) -> str:
        """A hash of the values; see `fingerprint`."""
        return fingerprint(self.data)

    def origins(self) -> list[Origin]:
        """Return the origin of every field; see `origins_of`."""
        return origins_of(self.layers, self.data)


def load(layers: Sequence[tuple[str, str | bytes]]) -> Config:
    """Decode layers, each a file name and its text, lowest first, and merge them into one config.

    Every layer needs the same apiVersion and kind. Raises InvalidConfig with a finding for each layer that cannot be
    used, ConfigError without any layer, and ImportError if PyYAML is missing.
    """
    documents: list[Document] = []
    findings: list[Finding] = []
    for file, text in layers:
        try:
            documents.append(decode(text, file=file))
        except InvalidConfig as error:
            findings.extend(error.findings)
    findings += layer_findings(documents)
    if findings:
        raise InvalidConfig(findings)
    if not documents:
        raise ConfigError("a config needs at least one layer")
    return Config(merge_documents(documents), tuple(documents))


def merge_documents(documents: Sequence[Document]) -> Document:
    """Merge documents and keep, for every field, the file and the line of the layer that won.

    Takes at least one document whose data is a mapping (or empty).
    """
    lines: dict[Path, int] = {}
    files: dict[Path, str] = {}
    values = [document.data or {} for document in documents]
    data = merge(values)
    if data.get("kind") == COMPONENT_OPTIONS:
        data = with_removed_flags(values, data)
    for document in documents:
        for path, line in document.lines.items():
            # A later layer replaces the field, and all fields below it unless both values are mappings.
            lines[path] = line
            files[path] = document.file
    findings = tuple(finding for document in documents for finding in document.findings)
    return Document(data, documents[-1].file, findings, False, lines, files)


def layer_findings(documents: Sequence[Document]) -> list[Finding]:
    """Return why layers, lowest first, cannot be merged into one config."""
    return [finding for document in documents for finding in _mismatches(document, documents[0])]


def _mismatches(layer: Document, lowest: Document) -> list[Finding]:
    """Return why a layer cannot be merged with the lowest one."""
    data = layer.data
    if not isinstance(data, dict):
        message = "the file is empty" if data is None else "must be a mapping with apiVersion and kind"
        return [layer.locate(Finding((), message, "layer", Level.POLICY))]
    findings = []
    for key in HEAD_FIELDS:
        expected = lowest.data.get(key) if isinstance(lowest.data, dict) else None
        if not data.get(key):
            message = "every layer needs apiVersion and kind"
        elif expected and data[key] != expected:
            message = f"must be {expected}, as in {lowest.file}"
        else:
            continue
        findings.append(layer.locate(Finding((key,), message, "layer", Level.POLICY)))
    return findings


@dataclass(frozen=True)
class Origin:
    """A field's value, the file and line that set it, and the origins that it replaced, the last one first."""

    path: Path
    value: Any
    file: str
    line: int | None
    overrides: tuple[Origin, ...] = ()

    def __str__(self) -> str:
        text = f"{format_path(self.path)}: {show(self.value, self.path)} ({self._location()})"
        replaced = ", ".join(f"{show(origin.value, origin.path)} ({origin._location()})" for origin in self.overrides)
        return text + (f", not {replaced}" if replaced else "")

    def as_dict(self) -> dict[str, Any]:
        """Return the origin as plain data, without secrets."""
        return {
            "path": format_path(self.path),
            "value": show(self.value, self.path),
            "file": self.file,
            "line": self.line,
            "overrides": [
                {"value": show(origin.value, origin.path), "file": origin.file, "line": origin.line}
                for origin in self.overrides
            ],
        }

    def _location(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


def origins_of(layers: Sequence[Document], merged: Any) -> list[Origin]:
    """Return the origin of every field of a config that was merged from layers, lowest first, in the config's order.

    Leaves out apiVersion and kind. A list is one field, and so is a mapping without keys. A layer that resets a field
    with null is not an origin, unless the null is kept.
    """
    origins = []
    for path in leaf_paths(merged, nulls=True):
        if path in _HEAD_PATHS:
            continue
        is_removed = value_at(merged, path) is None
        candidates = [
            Origin(path, merge([value]) if isinstance(value, dict) else value, layer.file, layer.line_of(path))
            for layer in reversed(layers)
            if (value := value_at(layer.data, path)) is not None or (is_removed and path in layer.lines)
        ]
        winner = candidates[0]
        origins.append(Origin(path, winner.value, winner.file, winner.line, tuple(candidates[1:])))
    return origins


_HEAD_PATHS = tuple((field,) for field in HEAD_FIELDS)
