# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decode one document strictly, with the line of every field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import ConfigError
from .._findings import Finding, located, show
from .._scalars._field_path import Path, value_at
from ._builder import Builder

__all__ = ["Document", "MAX_BYTES", "MAX_DEPTH", "MAX_DOCUMENTS", "MAX_NODES", "decode", "split"]


@dataclass(frozen=True)
class Document:
    """Decoded data (plain dicts, lists and scalars) with its findings and the line of every field.

    `findings` are duplicate keys, keys that are not strings, several documents and the like, all of level POLICY:
    whether the component itself refuses a duplicate depends on kind and version, and `check` decides it. `is_json` is
    whether the text was JSON. `files` has the layer of every field of a merged document.
    """

    data: Any
    file: str
    findings: tuple[Finding, ...] = ()
    is_json: bool = False
    lines: Mapping[Path, int] = field(default_factory=dict, repr=False)
    files: Mapping[Path, str] = field(default_factory=dict, repr=False)

    def line_of(self, path: Path) -> int | None:
        """Return the line of a field, or of the nearest field around it."""
        for length in range(len(path), -1, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return line
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
        return located(finding, self.file_of(finding.path), self.line_of(finding.path))


MAX_DOCUMENTS = 64


def split(text: str) -> list[str]:
    """Split a YAML text into documents as Kubernetes does: at lines that begin with `---`.

    Each part begins with empty lines, so that its lines keep their numbers. Parts without content are left out; a text
    without content is one part. Raises ConfigError for more than MAX_DOCUMENTS.
    """
    parts: list[list[str]] = [[]]
    lines = text.split("\n")
    if sum(line.startswith("---") for line in lines) > MAX_DOCUMENTS:
        raise ConfigError(f"more than {MAX_DOCUMENTS} documents in one file")
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
        from ._json_reader import parse_json

        parse_json(text, builder)
    else:
        from ._yaml import parse_yaml

        parse_yaml(text, builder)
    return Document(builder.data, file, tuple(builder.findings), is_json, builder.lines)
