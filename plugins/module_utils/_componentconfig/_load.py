# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of one config, each field with the file and line that it is from.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ._codec._document import Document, decode
from ._codec._plain_values import merge
from ._codec._yaml import encode
from ._findings import Finding, InvalidConfig, Level, show
from ._scalars._field_path import Path, format_path, lookup

__all__ = ["Origin", "Config", "merge_documents", "provenance", "load"]


class Config(NamedTuple):
    """The config that layers make: what was found, the document, which knows where a field is from, and the layers
    themselves.

    Where a layer cannot be used, `text` and `layers` are empty and `document` is None.
    """

    findings: list[Finding]
    document: Document | None
    layers: Sequence[Document] = ()

    @property
    def text(self) -> str:
        """The config as YAML; written when it is asked for, since most of a large one's time goes there."""
        return encode(self.document.data) if self.document is not None else ""


def merge_documents(documents: Sequence[Document]) -> Document:
    """Merge documents and keep, for every field, the file and the line of the layer that won.

    Takes at least one document whose data is a mapping (or empty).
    """
    lines: dict[Path, int] = {}
    files: dict[Path, str] = {}
    data = merge([document.data or {} for document in documents])
    for document in documents:
        for path, line in document.lines.items():
            # What a later layer says replaces what stood there, and all below it where it was no mapping.
            lines[path] = line
            files[path] = document.file
    findings = tuple(found for document in documents for found in document.findings)
    return Document(data, documents[-1].file, findings, False, lines, files)


def load(layers: Sequence[tuple[str, str | bytes]]) -> Config:
    """Decode layers, each a file name and its text, lowest first, and merge them into one config.

    Every layer needs the same apiVersion and kind. Faults are findings, never raised; the merged config is not judged:
    give `Rendered.document` to `validate`.
    """
    documents: list[Document] = []
    findings: list[Finding] = []
    for file, text in layers:
        try:
            documents.append(decode(text, file=file))
        except InvalidConfig as error:
            findings.extend(error.findings)
    for document in documents:
        findings.extend(_misfit(document, documents[0]))
    if findings or not documents:
        return Config(findings, None)
    return Config([], merge_documents(documents), documents)


def _misfit(document: Document, first: Document) -> list[Finding]:
    data = document.data
    if not isinstance(data, dict):
        message = "the file is empty" if data is None else "must be a mapping with apiVersion and kind"
        return [document.locate(Finding((), message, "layer", Level.POLICY))]
    found = []
    for key in ("apiVersion", "kind"):
        wanted = first.data.get(key) if isinstance(first.data, dict) else None
        if not data.get(key):
            message = "every layer needs apiVersion and kind"
        elif wanted and data[key] != wanted:
            message = f"must be {wanted}, as in {first.file}"
        else:
            continue
        found.append(document.locate(Finding((key,), message, "layer", Level.POLICY)))
    return found


_HEAD = (("apiVersion",), ("kind",))


@dataclass(frozen=True)
class Origin:
    """A field's value, the file and line that say so, and the origins that it won over, the last one first."""

    path: Path
    value: Any
    file: str
    line: int | None
    overrides: tuple[Origin, ...] = ()

    def __str__(self) -> str:
        text = f"{format_path(self.path)}: {show(self.value, self.path)} ({self._place()})"
        over = ", ".join(f"{show(one.value, one.path)} ({one._place()})" for one in self.overrides)
        return text + (f", not {over}" if over else "")

    def as_dict(self) -> dict[str, Any]:
        """It as plain data; secrets are not shown."""
        return {
            "path": format_path(self.path),
            "value": show(self.value, self.path),
            "file": self.file,
            "line": self.line,
            "overrides": [
                {"value": show(one.value, one.path), "file": one.file, "line": one.line} for one in self.overrides
            ],
        }

    def _place(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


def provenance(layers: Sequence[Document], merged: Any) -> list[Origin]:
    """The origin of every field of a config that was merged from layers, lowest first, in the config's order.

    Without apiVersion and kind. Lists are one field each; so is a mapping without keys. A layer that takes a field back
    with null is not named.
    """
    found = []
    for path in _fields(merged):
        if path in _HEAD:
            continue
        holders = [
            Origin(path, merge([value]) if isinstance(value, dict) else value, layer.file, layer.line_of(path))
            for layer in reversed(layers)
            if (value := lookup(layer.data, path)) is not None
        ]
        first = holders[0]
        found.append(Origin(path, first.value, first.file, first.line, tuple(holders[1:])))
    return found


def _fields(data: Any, path: Path = ()) -> Iterator[Path]:
    for key, value in data.items():
        if isinstance(value, dict) and value:
            yield from _fields(value, path + (key,))
        else:
            yield path + (key,)
