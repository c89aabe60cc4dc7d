# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of one config, each field with the file and line that it is from.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ._documents._decode import decode
from ._documents._document import Document
from ._documents._encode import encode
from ._documents._findings import POLICY, DecodeError, Finding, finding
from ._merge import merge
from ._values._paths import Path

__all__ = ["Rendered", "merge_documents", "render"]


class Rendered(NamedTuple):
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


def render(layers: Sequence[tuple[str, str | bytes]]) -> Rendered:
    """Decode layers, each a file name and its text, lowest first, and merge them into one config.

    Every layer needs the same apiVersion and kind. Faults are findings, never raised; the merged config is not judged:
    give `Rendered.document` to `validate`.
    """
    documents: list[Document] = []
    findings: list[Finding] = []
    for file, text in layers:
        try:
            documents.append(decode(text, file=file))
        except DecodeError as error:
            findings.append(error.finding)
    for document in documents:
        findings.extend(_misfit(document, documents[0]))
    if findings or not documents:
        return Rendered(findings, None)
    return Rendered([], merge_documents(documents), documents)


def _misfit(document: Document, first: Document) -> list[Finding]:
    data = document.data
    if not isinstance(data, dict):
        message = "the file is empty" if data is None else "must be a mapping with apiVersion and kind"
        return [finding(document.file, document.line_of(()), (), None, message, POLICY, "layer")]
    found = []
    for key in ("apiVersion", "kind"):
        wanted = first.data.get(key) if isinstance(first.data, dict) else None
        if not data.get(key):
            message = "every layer needs apiVersion and kind"
        elif wanted and data[key] != wanted:
            message = f"must be {wanted}, as in {first.file}"
        else:
            continue
        found.append(finding(document.file, document.line_of((key,)), (key,), data.get(key), message, POLICY, "layer"))
    return found
