# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which layer a field of a merged config is from, and which layers it won over.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ._documents._document import Document
from ._documents._findings import show
from ._merge import merge
from ._values._paths import Path, format_path, lookup

__all__ = ["Origin", "provenance"]

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
