# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config that a component ends up with: its file, and what wins over the file. Private to configok.node.

The bundle's document, this node's instance config over it, the drop-ins of ``--config-dir`` over that, then the flags.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..._componentconfig._codec._document import Document, decode
from ..._componentconfig._drop_ins import lay_documents_over
from ..._componentconfig._flags._flag_set import with_flags
from ..._componentconfig._load import merge_documents
from ..._componentconfig._schema._kinds import find_kind
from ._local_values import Inputs

__all__ = ["drop_in_documents", "effective", "is_by_flag"]


def drop_in_documents(inputs: Inputs) -> list[Document]:
    """Return the drop-ins, decoded, lowest first, without empty ones. Raises DecodeError."""
    found = [decode(text.encode("utf-8", "surrogateescape"), file=path) for path, text in inputs.drop_ins]
    return [layer for layer in found if layer.data is not None]


def effective(
    layers: Sequence[Document], argv: Sequence[str], minor: int, drop_ins: Sequence[Document] = ()
) -> Document:
    """Return the layers, lowest first, merged with the kubelet's drop-ins and the flags of a command line; every field
    knows where it is from.

    minor: of the component, for its way with drop-ins and the form of its flags. Only the kubelet has drop-ins, and
    flags that win over its file. The form (JSON or YAML) is that of the lowest layer, the document, as in checks
    offline: 110.0 is a whole number in YAML alone.
    """
    if not all(isinstance(layer.data, dict) for layer in (*layers, *drop_ins)):
        return layers[0]  # not a config at all, which is said of it
    merged = layers[0]
    if len(layers) > 1:
        merged = replace(merge_documents(layers), is_json=layers[0].is_json)
    kind = find_kind(merged.data.get("apiVersion"), merged.data.get("kind"))
    if kind is None or kind.component != "kubelet":
        return merged
    if drop_ins:
        merged = replace(lay_documents_over(merged, drop_ins, kind, minor), is_json=layers[0].is_json)
    data, origins = with_flags(merged.data, argv, kind, minor)
    lines: dict[Any, int] = {path: line for path, line in merged.lines.items() if not _below(path, origins)}
    files = {path: file for path, file in merged.files.items() if not _below(path, origins)}
    if not files:
        files = dict.fromkeys(lines, merged.file)
    return replace(merged, data=data, lines=lines, files={**files, **origins})


def is_by_flag(file: str) -> bool:
    """Return whether a finding's file is a flag."""
    return file.startswith("--")


def _below(path: Any, origins: Any) -> bool:
    return any(path[: len(origin)] == origin for origin in origins)
