# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text to a document: strict YAML and JSON, with the line of every field.

Private to configok.node: no compatibility is promised.

The parsers hand over events, so nothing here recurses, and size, depth, and the number of nodes and characters
(aliases counted as often as they are used) are bounded before anything is built.
"""

from __future__ import annotations

from ._document import Document
from ._document_builder import Builder

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_NODES", "decode"]

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 64
MAX_NODES = 20_000


def _text(source: str | bytes, builder: Builder, max_bytes: int) -> str:
    raw = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    if len(raw) > max_bytes:
        raise builder.fail(None, f"{len(raw)} bytes, at most {max_bytes} are read", "too-large")
    encoding = "utf-8"
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
        builder.note(1, (), None, "the file is UTF-16: write it in UTF-8", "encoding")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise builder.fail(line, f"not valid {encoding.upper()} text", "encoding") from error
    return text[1:] if text.startswith("\ufeff") else text


def decode(
    source: str | bytes,
    *,
    file: str = "config",
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    max_nodes: int = MAX_NODES,
) -> Document:
    """Decode one document as Kubernetes does: JSON where the text begins with `{`, else YAML 1.1 without timestamps.

    Takes text or bytes and the name of the file for messages; returns a `Document` (data is None for an empty one).
    Raises DecodeError, and nothing else, for what is not a document or exceeds a limit.
    """
    builder = Builder(file, max_depth, max_nodes, max_bytes)
    text = _text(source, builder, max_bytes)
    is_json = text.lstrip().startswith("{")
    if is_json:
        from ._decode_json import parse_json

        parse_json(text, builder)
    else:
        from ._decode_yaml import parse_yaml

        parse_yaml(text, builder)
    return Document(builder.data, file, tuple(builder.findings), is_json, builder.lines)
