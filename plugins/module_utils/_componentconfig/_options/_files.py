# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the documents among the files of a ComponentOptions document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .._codec.plain_values import head_values, missing_head_fields
from .._schema._type_check import EmbeddedDocument
from .._schema.kinds import find_kind
from .._schema.releases import minor_name
from ..findings import Finding, not_judged
from ._document import Options
from ._findings import RULE_OPTIONS


def embedded_files(options: Options, minor: int) -> Iterator[EmbeddedDocument | Finding]:
    """Yield the documents that are the content of files, and a finding for each one that cannot be checked."""
    for file in options.files:
        content, path = file.content, (*file.field, "content")
        if not isinstance(content, Mapping):
            continue
        head = head_values(content)
        missing = missing_head_fields(head)
        kind = find_kind(head["apiVersion"], head["kind"])
        if missing:
            yield from (Finding((*path, key), "is required, as a string", RULE_OPTIONS) for key in missing)
        elif kind is None:
            yield not_judged((*path, "kind"), "a document", f"{head['apiVersion']} {head['kind']} is not a known kind")
        elif not kind.known_at(minor):
            message = f"Kubernetes {minor_name(minor)} does not read {kind.kind} in this version"
            yield Finding((*path, "apiVersion"), message, RULE_OPTIONS)
        else:
            yield EmbeddedDocument(path, dict(content), kind)
