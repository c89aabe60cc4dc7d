# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decode all documents of the files, with the lines of the files. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..._componentconfig._codec.document import Document, decode
from ..._componentconfig.findings import RULE_DUPLICATE, Finding, InvalidConfig
from ..._text import sanitize

MAX_FILE_BYTES = 16 * 1024 * 1024
_MAX_DOCUMENTS = 20_000  # of one file
_MAX_VALUES = 1_000_000  # of one document
_LIST = "List"
_MAX_TITLE = 253  # characters, of the longest name of an object
_FIRST_LINE = re.compile(r"first on line ([0-9]+)")


class ObjectDocument(NamedTuple):
    """The document of one object, whose data is a mapping with apiVersion and kind, both strings."""

    document: Document

    @property
    def data(self) -> dict[str, Any]:
        """The values."""
        data: dict[str, Any] = self.document.data
        return data

    @property
    def api_version(self) -> str:
        """The API version."""
        return str(self.document.data["apiVersion"])

    @property
    def kind(self) -> str:
        """The kind."""
        return str(self.document.data["kind"])

    @property
    def name(self) -> str:
        """The name as written, "" for none."""
        metadata = self.document.data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return name if isinstance(name, str) else ""

    @property
    def title(self) -> str:
        """The name as text for a message: one line, without control characters."""
        return sanitize(self.name, _MAX_TITLE)

    @property
    def origin(self) -> str:
        """The file and the line at which the object begins."""
        return f"{self.document.file}:{self.document.line_of(()) or 1}"

    def has(self, path: tuple[str | int, ...]) -> bool:
        """Return whether the object sets a field."""
        value: Any = self.data
        for part in path:
            if not ((isinstance(value, dict) and part in value) or (isinstance(value, list) and isinstance(part, int))):
                return False
            value = value[part]  # type: ignore[index]  # the condition above has looked
        return True


def decode_objects(file: str, text: str) -> tuple[list[ObjectDocument], list[Finding]]:
    """Return the objects of a YAML or JSON file, also those in a List, and why documents cannot be read as objects.

    Documents without content are left out.
    """
    objects: list[ObjectDocument] = []
    findings: list[Finding] = []
    if len(text) > MAX_FILE_BYTES:
        message = f"the file is too large: {len(text)} characters, at most {MAX_FILE_BYTES} are read"
        return [], [Finding((), message, "too-large", file=file)]
    parts = _parts_of(text)
    if len(parts) > _MAX_DOCUMENTS:
        message = f"the file has {len(parts)} documents, at most {_MAX_DOCUMENTS} are read"
        return [], [Finding((), message, "too-many", file=file)]
    for offset, part in parts:
        try:
            document = decode(part, file=file, max_bytes=4 * MAX_FILE_BYTES, max_nodes=_MAX_VALUES)
        except InvalidConfig as error:
            findings += [_moved(finding, offset) for finding in error.findings]
            continue
        document = _moved_document(document, offset)
        if _is_list(document):
            findings += [finding for finding in document.findings if _item_of(finding.path) is None]
        for item in _items_of(document):
            problem = _head_problem(item)
            if problem is not None:
                findings += [*item.findings, item.locate(problem)]
            elif item.data is not None:
                objects.append(ObjectDocument(item))
    return objects, findings


def _parts_of(text: str) -> list[tuple[int, str]]:
    """Split a text at lines that begin with `---`, as Kubernetes does; each part with the number of lines before it."""
    text = text[1:] if text.startswith("\ufeff") else text
    parts: list[tuple[int, list[str]]] = [(0, [])]
    for number, line in enumerate(text.split("\n")):
        if line.startswith("---"):
            parts.append((number, [line[3:]]))
        else:
            parts[-1][1].append(line)
    return [
        (offset, "\n".join(lines))
        for offset, lines in parts
        if any(line.strip() and not line.lstrip().startswith("#") for line in lines)
    ]


def _moved(finding: Finding, offset: int) -> Finding:
    """Return a finding about a document with the line of its file."""
    message = finding.message
    if finding.rule == RULE_DUPLICATE:
        # A component would use the last one.
        first = _FIRST_LINE.search(message)
        message = "duplicate field" + (f", first on line {int(first[1]) + offset}: remove one of them" if first else "")
    return finding._replace(message=message, line=finding.line + offset if finding.line is not None else offset + 1)


def _moved_document(document: Document, offset: int) -> Document:
    lines = {path: line + offset for path, line in document.lines.items()}
    return document._replace(lines=lines, findings=tuple(_moved(finding, offset) for finding in document.findings))


def _head_problem(document: Document) -> Finding | None:
    """Return why a document is not an object, None if it is one or has no content."""
    data = document.data
    if data is None:
        return None
    if not isinstance(data, dict):
        return Finding((), "must be an object with apiVersion and kind", "kind")
    for field in ("apiVersion", "kind"):
        if not isinstance(data.get(field), str) or not data[field]:
            return Finding((field,), "is required, as a string", "kind")
    return None


def _is_list(document: Document) -> bool:
    """Return whether a document is a List, as kubectl writes it."""
    data = document.data
    return isinstance(data, dict) and isinstance(data.get("items"), list) and str(data.get("kind")).endswith(_LIST)


def _item_of(path: tuple[Any, ...]) -> int | None:
    """Return the index of the item of a List that has a path, None for a path of the List itself."""
    return path[1] if path[:1] == ("items",) and len(path) > 1 and isinstance(path[1], int) else None


def _items_of(document: Document) -> Iterator[Document]:
    """Yield the items of a List; any other document as it is."""
    if not _is_list(document):
        yield document
        return
    lines: dict[int, dict[tuple[Any, ...], int]] = {}
    for path, line in document.lines.items():
        index = _item_of(path)
        if index is not None:
            lines.setdefault(index, {})[path[2:]] = line
    findings: dict[int, list[Finding]] = {}
    for finding in document.findings:
        index = _item_of(finding.path)
        if index is not None:
            findings.setdefault(index, []).append(finding._replace(path=finding.path[2:]))
    for index, item in enumerate(document.data["items"]):
        yield Document(item, document.file, tuple(findings.get(index, ())), document.is_json, lines.get(index, {}))
