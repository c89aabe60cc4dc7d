# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build one document's data from the events of a parser, within limits."""

from __future__ import annotations

import math
from typing import Any

from .._scalars.field_path import Path
from ..findings import RULE_DUPLICATE, Finding, InvalidConfig, Level, located


def key_text(value: object) -> str:
    """Return the JSON key for a scalar key."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return str(value)


class _Frame:
    def __init__(self, container: Any, path: Path, line: int, anchor: str | None, start: tuple[int, int]) -> None:
        self.container = container
        self.path = path
        self.line = line
        self.anchor = anchor
        self.start = start
        self.key: str | None = None
        self.lines_by_key: dict[str, int] = {}
        self.merge_sources: list[Any] = []


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
            raise self.error(line, f"{plain_text or value} is not a JSON number", "number", path=self.next_path)
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
