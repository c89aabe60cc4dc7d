# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Define how a document is part of another file, and the flags in a file."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

from .._scalars.field_path import Path


class Embedding(NamedTuple):
    """Where a document is in another file, and how much of a config it is.

    tool: whose file it is. place: the path of the document in that file; () for a text, whose paths begin in itself.
    keys: keys of the tool by the keys of the kind that they stand for. implies_version: whether the document does not
    say its API version, so that each Kubernetes version reads it as its own. is_partial: whether the tool fills in what
    the document leaves out. is_whole_document: whether it says itself what it is, so that it may hold others in turn.
    tool_fields: those that the tool sets, and the document does not.
    """

    tool: str = ""
    place: Path = ()
    keys: Mapping[str, str] = {}
    implies_version: bool = False
    is_partial: bool = False
    is_whole_document: bool = False
    tool_fields: frozenset[str] = frozenset()

    def is_of_tool(self, path: Path, written: Container[Path]) -> bool:
        """Return whether a field is the tool's, which may set it. written: the paths of the fields of the document."""
        return path not in written if self.is_partial else bool(path) and path[0] in self.tool_fields

    def outer_path(self, path: Path) -> Path:
        """Return a path of the document as the path in the outer file."""
        return self.place + tuple(self.keys.get(part, part) if isinstance(part, str) else part for part in path)


class EmbeddedFlag(NamedTuple):
    """A flag in a file: its name as the component gets it, without the two dashes, and its place.

    value: None for a flag without one. path: in the outer file. error: why it is not a flag, "" for a flag.
    """

    name: str
    value: str | None
    path: Path
    line: int | None
    error: str = ""


class EmbeddedFlags(NamedTuple):
    """The flags of one component in a file, in their order."""

    component: str
    pairs: tuple[EmbeddedFlag, ...]
    file: str
