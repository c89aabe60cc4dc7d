# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decode one document strictly, with the line of every field. JSON is read here, YAML in _yaml."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from json import decoder
from typing import Any, NamedTuple

from .. import ConfigError
from .._scalars.field_path import Path, value_at
from ..findings import Finding, InvalidConfig, located, show
from ._builder import Builder
from ._embedding import EmbeddedFlags, Embedding
from .plain_values import head_values

# The one part of the json package that stops at the end of a string; in C if the interpreter has it.
_scanstring: Any = vars(decoder)["scanstring"]
_JSON_SPACE = re.compile(r"[ \t\r\n]*")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_JSON_LITERALS = (("true", True), ("false", False), ("null", None))
_MAX_DIGITS = 400


class Document(NamedTuple):
    """Decoded data (plain dicts, lists and scalars) with its findings and the line of every field.

    `findings` are duplicate keys, keys that are not strings, several documents and the like, all of level POLICY:
    whether the component itself refuses a duplicate depends on kind and version, and `check` decides it. `is_json` is
    whether the text was JSON. `files` has the layer of every field of a merged document. `embedding` is how the
    document is part of another file, None for a document by itself; its paths begin in the document, those of located
    findings in the file. `flags` are those in the document. Of a document that is not validated, only findings and
    flags count.
    """

    data: Any
    file: str
    findings: tuple[Finding, ...] = ()
    is_json: bool = False
    lines: Mapping[Path, int] = {}
    files: Mapping[Path, str] = {}
    embedding: Embedding | None = None
    flags: tuple[EmbeddedFlags, ...] = ()
    is_validated: bool = True

    @property
    def head(self) -> dict[str, Any]:
        """The apiVersion and kind as Kubernetes reads them, None for a missing one; see `head_values`."""
        return head_values(self.data if isinstance(self.data, dict) else {}, is_json=self.is_json)

    def line_of(self, path: Path) -> int | None:
        """Return the line of a field, or of the nearest field around it."""
        for length in range(len(path), -1, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return line
            if path[:length] in self.files:
                return None  # the field is from a command line, what is around it from a file
        return None

    def file_of(self, path: Path) -> str:
        """Return the file of a field: in a merged document the layer that set it."""
        for length in range(len(path), -1, -1):
            file = self.files.get(path[:length])
            if file is not None:
                return file
        return self.file

    def locate(self, finding: Finding, *, look_up: bool = True) -> Finding:
        """Return the finding with its file and line and, unless it has a value, the value at its path.

        look_up: whether to add the document's value to a finding without one.
        """
        if finding.value is None and look_up and finding.path:
            finding = finding._replace(value=show(value_at(self.data, finding.path), finding.path))
        finding = located(finding, self.file_of(finding.path), self.line_of(finding.path))
        return finding if self.embedding is None else finding._replace(path=self.embedding.outer_path(finding.path))


MAX_DOCUMENTS = 64


def split(text: str, max_documents: int = MAX_DOCUMENTS) -> list[str]:
    """Split a YAML text into documents as Kubernetes does: at lines that begin with `---`.

    Each part begins with empty lines, so that its lines keep their numbers. Parts without content are left out; a text
    without content is one part. Raises ConfigError for more than max_documents.
    """
    parts: list[list[str]] = [[]]
    lines = text.split("\n")
    if sum(line.startswith("---") for line in lines) > max_documents:
        raise ConfigError(f"more than {max_documents} documents in one file")
    for number, line in enumerate(lines):
        if line.startswith("---"):
            parts.append([""] * number + ([line[3:]] if line[3:].strip() else [""]))
        else:
            parts[-1].append(line)
    return [
        "\n".join(part) for part in parts if any(line.strip() and not line.lstrip().startswith("#") for line in part)
    ] or [text]


MAX_BYTES = 1024 * 1024
MAX_DEPTH = 64
MAX_NODES = 20_000


def _decode_bytes(source: str | bytes, builder: Builder, max_bytes: int) -> str:
    raw = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    if len(raw) > max_bytes:
        raise builder.error(None, f"{len(raw)} bytes, at most {max_bytes} are read", "too-large")
    encoding = "utf-8"
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
        builder.report(1, (), "the file is UTF-16: write it in UTF-8", "encoding")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise builder.error(line, f"not valid {encoding.upper()} text", "encoding") from error
    return text[1:] if text.startswith("\ufeff") else text


def decode(
    source: str | bytes,
    *,
    file: str = "config",
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    max_nodes: int = MAX_NODES,
) -> Document:
    """Decode one document as Kubernetes does: JSON if the text begins with `{`, else YAML 1.1 without timestamps.

    file: the name for messages. The data of an empty document is None. Raises InvalidConfig for text that is not a
    document or exceeds a limit, and ImportError without PyYAML.
    """
    builder = Builder(file, max_depth, max_nodes, max_bytes)
    text = _decode_bytes(source, builder, max_bytes)
    is_json = text.lstrip().startswith("{")
    if is_json:
        _parse_json(text, builder)
    else:
        from .yaml_text import parse_yaml

        parse_yaml(text, builder)
    return Document(builder.data, file, tuple(builder.findings), is_json, builder.lines)


class _JsonReader:
    def __init__(self, text: str, builder: Builder) -> None:
        self.text = text
        self.builder = builder
        self.position = 0
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    def line(self) -> int:
        return bisect_right(self._newlines, self.position - 1) + 1

    def error(self, expected: str) -> InvalidConfig:
        character = self.text[self.position : self.position + 1]
        actual = f"found {character!r}" if character else "the text ends"
        message = f"not valid JSON, and a file that begins with {{ is read as JSON: {actual} where {expected} should be"
        return self.builder.error(self.line(), message)

    def peek(self) -> str:
        space = _JSON_SPACE.match(self.text, self.position)
        self.position = space.end() if space else self.position
        return self.text[self.position : self.position + 1]

    def expect(self, character: str, expected: str) -> None:
        if self.peek() != character:
            raise self.error(expected)
        self.position += 1

    def string(self) -> str:
        if self.peek() != '"':
            raise self.error("a quoted key")
        try:
            value, self.position = _scanstring(self.text, self.position + 1, True)
        except ValueError as error:
            raise self.error("a string without control characters and with valid escapes") from error
        # Go replaces half a surrogate pair; Python would keep it and fail later.
        return str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def value(self) -> Any:
        number = _JSON_NUMBER.match(self.text, self.position)
        if number is not None:
            text = number.group()
            if len(text) > _MAX_DIGITS:
                raise self.error("a number of sensible length")
            self.position = number.end()
            whole = None if number.group(1) or number.group(2) else int(text)
            # Larger whole numbers are floats to Go, and to all readers of the written file.
            return whole if whole is not None and -(2**63) <= whole < 2**64 else float(text)
        for word, meaning in _JSON_LITERALS:
            if self.text.startswith(word, self.position):
                self.position += len(word)
                return meaning
        raise self.error("a value")


def _parse_json(text: str, builder: Builder) -> None:
    """Feed one JSON document to a builder; raises InvalidConfig."""
    reader = _JsonReader(text, builder)
    closers: list[str] = []
    expect_value = True
    while expect_value or closers:
        if expect_value:
            character = reader.peek()
            if character in ("{", "["):
                builder.open({} if character == "{" else [], reader.line())
                reader.position += 1
                closers.append("}" if character == "{" else "]")
                if reader.peek() == closers[-1]:
                    expect_value = False
                else:
                    _begin_item(reader, builder, closers[-1])
                continue
            line = reader.line()
            builder.scalar(reader.string() if character == '"' else reader.value(), line)
            expect_value = False
        elif reader.peek() == closers[-1]:
            reader.position += 1
            closers.pop()
            builder.close()
        else:
            reader.expect(",", f"',' or '{closers[-1]}'")
            _begin_item(reader, builder, closers[-1])
            expect_value = True
    if reader.peek():
        raise reader.error("the end of the file")


def _begin_item(reader: _JsonReader, builder: Builder, closer: str) -> None:
    """Read the key and the colon if the container is an object."""
    if closer == "}":
        reader.peek()
        line = reader.line()
        builder.scalar(reader.string(), line)
        reader.expect(":", "':'")
