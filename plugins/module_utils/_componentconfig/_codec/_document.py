# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decode one document strictly, with the line of every field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._exceptions import ConfigError
from .._findings import RULE_DUPLICATE, Finding, InvalidConfig, Level, located, show
from .._scalars._field_path import Path, value_at
from ._yaml import key_text

__all__ = ["Builder", "Document", "MAX_BYTES", "MAX_DEPTH", "MAX_DOCUMENTS", "MAX_NODES", "decode", "split"]


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


@dataclass
class _Frame:
    container: Any
    path: Path
    line: int
    anchor: str | None
    start: tuple[int, int]
    key: str | None = None
    lines_by_key: dict[str, int] = field(default_factory=dict)
    merge_sources: list[Any] = field(default_factory=list)


class Builder:
    """Builds one document from events: `data`, `lines` and `findings`."""

    def __init__(self, file: str, max_depth: int, max_nodes: int, max_characters: int) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self.lines: dict[Path, int] = {}
        self.data: Any = None
        self._depth = max_depth
        self._remaining = (max_nodes, max_characters)
        self._limit = (max_nodes, max_characters)
        self._stack: list[_Frame] = []
        # Anchor -> its value, with the number of values and characters in it.
        self._anchors: dict[str, tuple[Any, int, int]] = {}

    @property
    def next_path(self) -> Path:
        """The path of the next value; before a key, that of the mapping."""
        if self._at_key():
            return self._stack[-1].path
        return self._child_path()

    def error(self, line: int | None, message: str, rule: str = "syntax", *, path: Path | None = None) -> InvalidConfig:
        """Return the error for a text that cannot be read; path: by default that of the open list or mapping."""
        if path is None:
            path = self._stack[-1].path if self._stack else ()
        return InvalidConfig([located(Finding(path, message, rule), self.file, line)])

    def report(self, line: int, path: Path, message: str, rule: str) -> None:
        """Add a finding that does not stop the decoding."""
        self.findings.append(located(Finding(path, message, rule, Level.POLICY), self.file, line))

    def open(self, container: Any, line: int, anchor: str | None = None) -> None:
        """Begin a mapping (`container` is an empty dict) or a list (an empty list)."""
        if len(self._stack) >= self._depth:
            raise self.error(line, f"nested deeper than {self._depth} levels", "too-deep")
        if self._at_key():
            raise self.error(line, "a key must be a string, not a list or a mapping", "key-type")
        self._charge(1, 0, line)
        path = self._child_path()
        if not path:
            self.lines[()] = line
        self._stack.append(_Frame(container, path, line, anchor, self._remaining))

    def close(self) -> None:
        """End the innermost mapping or list."""
        frame = self._stack.pop()
        for source in frame.merge_sources:
            for key, value in source.items():
                frame.container.setdefault(key, value)
        if frame.anchor is not None:
            nodes, characters = (before - after for before, after in zip(frame.start, self._remaining))
            self._anchors[frame.anchor] = (frame.container, nodes + 1, characters)
        self._add_value(frame.container, frame.line)

    def scalar(self, value: Any, line: int, anchor: str | None = None, *, plain_text: str | None = None) -> None:
        """Add a scalar; `plain_text` is its text if it was written without quotes."""
        size = len(value) if isinstance(value, str) else 0
        self._charge(1, size, line)
        if isinstance(value, float) and not math.isfinite(value):
            raise self.error(line, f"{plain_text or value} is no number that JSON knows", "number", path=self.next_path)
        if anchor is not None:
            self._anchors[anchor] = (value, 1, size)
        if self._at_key():
            self._add_key(value, line, plain_text)
        else:
            self._add_value(value, line)

    def alias(self, name: str, line: int) -> None:
        """Add the value of an anchor."""
        if name not in self._anchors:
            raise self.error(line, f"alias *{name} has no anchor before it, or stands inside it", "alias")
        value, nodes, characters = self._anchors[name]
        self._charge(nodes, characters, line)
        if not self._at_key():
            self._add_value(value, line)
        elif isinstance(value, (dict, list)):
            raise self.error(line, "a key must be a string, not a list or a mapping", "key-type")
        else:
            self._add_key(value, line, None)

    def _charge(self, nodes: int, characters: int, line: int) -> None:
        self._remaining = (self._remaining[0] - nodes, self._remaining[1] - characters)
        for remaining, limit, unit in zip(self._remaining, self._limit, ("values", "characters")):
            if remaining < 0:
                raise self.error(line, f"more than {limit} {unit}, aliases counted as often as used", "too-many")

    def _at_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1].container, dict) and self._stack[-1].key is None

    def _child_path(self) -> Path:
        if not self._stack:
            return ()
        frame = self._stack[-1]
        if isinstance(frame.container, list):
            return frame.path + (len(frame.container),)
        return frame.path + (frame.key or "",)

    def _add_key(self, value: Any, line: int, plain_text: str | None) -> None:
        frame = self._stack[-1]
        if value is None:
            raise self.error(line, "a key must be a string, not null", "key-type")
        if plain_text == "<<":
            frame.key = "<<"
            self.report(line, frame.path, "merge keys (<<) are not allowed in a component config", "merge-key")
            frame.lines_by_key["<<"] = -1
            return
        text = key_text(value)
        path = frame.path + (text,)
        if not isinstance(value, str):
            type_name = "boolean" if isinstance(value, bool) else "number"
            written = plain_text or text
            message = f"the key {written} is read as the {type_name} {text}: write it in quotes"
            self.report(line, path, message, "key-type")
        if text in frame.lines_by_key:
            message = f"duplicate field, first on line {frame.lines_by_key[text]}; the last one is used"
            self.report(line, path, message, RULE_DUPLICATE)
        else:
            frame.lines_by_key[text] = line
        self.lines[path] = line
        frame.key = text

    def _add_value(self, value: Any, line: int) -> None:
        if not self._stack:
            self.data = value
            self.lines.setdefault((), line)
            return
        frame = self._stack[-1]
        if isinstance(frame.container, list):
            self.lines[frame.path + (len(frame.container),)] = line
            frame.container.append(value)
            return
        key, frame.key = frame.key or "", None
        if key == "<<" and frame.lines_by_key.get("<<") == -1:
            del frame.lines_by_key["<<"]
            sources = value if isinstance(value, list) else [value]
            if not all(isinstance(source, dict) for source in sources):
                raise self.error(line, "a merge key (<<) needs a mapping or a list of mappings", "merge-key")
            frame.merge_sources.extend(sources)
        else:
            frame.container[key] = value


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
