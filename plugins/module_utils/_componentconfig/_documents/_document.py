# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A decoded document: plain data, and where each field of it was written.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._values._paths import Path
from ._findings import Finding

__all__ = ["Document"]


@dataclass(frozen=True)
class Document:
    """Decoded data (plain dicts, lists and scalars) with what was seen on the way.

    `findings` are duplicate keys, keys that are no strings, several documents and the like, all of level "policy":
    whether the component itself refuses a duplicate depends on kind and version, and `validate` decides it. `is_json`
    tells how it was written.
    """

    data: Any
    file: str
    findings: tuple[Finding, ...] = ()
    is_json: bool = False
    lines: Mapping[Path, int] = field(default_factory=dict, repr=False)
    files: Mapping[Path, str] = field(default_factory=dict, repr=False)

    def line_of(self, path: Path) -> int | None:
        """The line of a field, or of the nearest thing around it."""
        for length in range(len(path), -1, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return line
        return None

    def file_of(self, path: Path) -> str:
        """The file of a field: the layer that it is from, where the document was merged from several."""
        for length in range(len(path), -1, -1):
            file = self.files.get(path[:length])
            if file is not None:
                return file
        return self.file
