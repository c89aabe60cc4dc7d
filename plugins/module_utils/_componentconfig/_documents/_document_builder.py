# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds data from a parser's events, whatever the parser, and refuses what is too deep or too much.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from .._values._paths import Path
from .._values._scalars import key_text
from ._findings import POLICY, DecodeError, Finding, finding

__all__ = ["Builder"]


@dataclass
class _Frame:
    container: Any
    path: Path
    line: int
    anchor: str | None
    start: tuple[int, int]
    key: str | None = None
    own: dict[str, int] = field(default_factory=dict)
    merged: list[Any] = field(default_factory=list)


class Builder:
    """Takes the events of one document; `data`, `lines` and `findings` are what came of them."""

    def __init__(self, file: str, max_depth: int, max_nodes: int, max_characters: int) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self.lines: dict[Path, int] = {}
        self.data: Any = None
        self._depth = max_depth
        self._left = (max_nodes, max_characters)
        self._limit = (max_nodes, max_characters)
        self._stack: list[_Frame] = []
        # What each stands for, with how many values and characters that is.
        self._anchors: dict[str, tuple[Any, int, int]] = {}

    @property
    def place(self) -> Path:
        """The path of the value that comes next; at a key, that of the mapping."""
        if self._at_key():
            return self._stack[-1].path
        return self._next_path()

    def fail(self, line: int | None, message: str, rule: str = "syntax", *, path: Path | None = None) -> DecodeError:
        """The error to raise for a text that cannot be read; path: where it is not that of the list or mapping."""
        if path is None:
            path = self._stack[-1].path if self._stack else ()
        return DecodeError(finding(self.file, line, path, None, message, rule=rule))

    def note(self, line: int, path: Path, value: Any, message: str, rule: str) -> None:
        """Add a finding that does not stop the reading."""
        self.findings.append(finding(self.file, line, path, value, message, POLICY, rule))

    def open(self, container: Any, line: int, anchor: str | None = None) -> None:
        """Begin a mapping (give an empty dict) or a list (an empty list)."""
        if len(self._stack) >= self._depth:
            raise self.fail(line, f"nested deeper than {self._depth} levels", "too-deep")
        if self._at_key():
            raise self.fail(line, "a key must be a string, not a list or a mapping", "key-type")
        self._count(1, 0, line)
        path = self._next_path()
        if not path:
            self.lines[()] = line
        self._stack.append(_Frame(container, path, line, anchor, self._left))

    def close(self) -> None:
        """End the mapping or list begun last."""
        frame = self._stack.pop()
        for source in frame.merged:
            for key, value in source.items():
                frame.container.setdefault(key, value)
        if frame.anchor is not None:
            nodes, characters = (then - now for then, now in zip(frame.start, self._left))
            self._anchors[frame.anchor] = (frame.container, nodes + 1, characters)
        self._put(frame.container, frame.line)

    def scalar(self, value: Any, line: int, anchor: str | None = None, *, plain_text: str | None = None) -> None:
        """Add a scalar; `plain_text` is its text where it was written without quotes."""
        size = len(value) if isinstance(value, str) else 0
        self._count(1, size, line)
        if isinstance(value, float) and not math.isfinite(value):
            raise self.fail(line, f"{plain_text or value} is no number that JSON knows", "number", path=self.place)
        if anchor is not None:
            self._anchors[anchor] = (value, 1, size)
        if self._at_key():
            self._key(value, line, plain_text)
        else:
            self._put(value, line)

    def alias(self, name: str, line: int) -> None:
        """Add what an anchor stands for."""
        if name not in self._anchors:
            raise self.fail(line, f"alias *{name} has no anchor before it, or stands inside it", "alias")
        value, nodes, characters = self._anchors[name]
        self._count(nodes, characters, line)
        if not self._at_key():
            self._put(value, line)
        elif isinstance(value, (dict, list)):
            raise self.fail(line, "a key must be a string, not a list or a mapping", "key-type")
        else:
            self._key(value, line, None)

    def _count(self, nodes: int, characters: int, line: int) -> None:
        self._left = (self._left[0] - nodes, self._left[1] - characters)
        for left, limit, what in zip(self._left, self._limit, ("values", "characters")):
            if left < 0:
                raise self.fail(line, f"more than {limit} {what}, aliases counted as often as used", "too-many")

    def _at_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1].container, dict) and self._stack[-1].key is None

    def _next_path(self) -> Path:
        if not self._stack:
            return ()
        frame = self._stack[-1]
        if isinstance(frame.container, list):
            return frame.path + (len(frame.container),)
        return frame.path + (frame.key or "",)

    def _key(self, value: Any, line: int, plain_text: str | None) -> None:
        frame = self._stack[-1]
        if value is None:
            raise self.fail(line, "a key must be a string, not null", "key-type")
        if plain_text == "<<":
            frame.key = "<<"
            self.note(line, frame.path, None, "merge keys (<<) are not allowed in a component config", "merge-key")
            frame.own["<<"] = -1
            return
        text = key_text(value)
        path = frame.path + (text,)
        if not isinstance(value, str):
            kind = "boolean" if isinstance(value, bool) else "number"
            written = plain_text or text
            message = f"the key {written} is read as the {kind} {text}: write it in quotes"
            self.note(line, path, None, message, "key-type")
        if text in frame.own:
            message = f"duplicate field, first on line {frame.own[text]}; the last one is used"
            self.note(line, path, None, message, "duplicate")
        else:
            frame.own[text] = line
        self.lines[path] = line
        frame.key = text

    def _put(self, value: Any, line: int) -> None:
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
        if key == "<<" and frame.own.get("<<") == -1:
            del frame.own["<<"]
            sources = value if isinstance(value, list) else [value]
            if not all(isinstance(source, dict) for source in sources):
                raise self.fail(line, "a merge key (<<) needs a mapping or a list of mappings", "merge-key")
            frame.merged.extend(sources)
        else:
            frame.container[key] = value
