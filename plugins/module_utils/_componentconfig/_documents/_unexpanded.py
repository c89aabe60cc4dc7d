# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leave out of a document what another program replaces before a component reads it: variables and templates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._codec.document import Document
from .._codec.plain_values import HEAD_FIELDS
from .._scalars._unexpanded import UNEXPANDED, is_unexpanded
from .._scalars.field_path import Path
from ..findings import Finding, not_judged

_LITERAL_FIELDS = frozenset(("args", "command", "env", "expression", "expressions"))
"""Fields whose values may have dollar signs and braces of their own: command lines, and expressions."""


def unexpanded_findings(document: Document) -> Iterator[Finding]:
    """Yield a finding for each unexpanded value of a document, and for each key."""
    for path in _unexpanded_paths(document.data, ()):
        yield document.locate(not_judged(path, "a value", UNEXPANDED))


def without_unexpanded(document: Document) -> Document:
    """Return a document without its unexpanded values, with a finding for each; without its head, it has only these."""
    findings = tuple(unexpanded_findings(document))
    if not findings:
        return document
    data = _pruned(document.data)
    is_validated = isinstance(data, dict) and all(key in data for key in HEAD_FIELDS if key in document.data)
    return document._replace(data=data, findings=(*document.findings, *findings), is_validated=is_validated)


def _unexpanded_paths(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, item in value.items():
            if is_unexpanded(key):
                yield (*path, key)
            elif not _is_literal(value, key):
                yield from _unexpanded_paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unexpanded_paths(item, (*path, index))
    elif is_unexpanded(value):
        yield path


def _is_literal(value: dict[Any, Any], key: Any) -> bool:
    """Return whether a field has dollar signs of its own, or is the value of a flag, which is judged as one.

    An object, such as the `args` of a plugin, is neither.
    """
    is_argument = key == "value" and value.keys() == {"name", "value"}
    return is_argument or (key in _LITERAL_FIELDS and not isinstance(value[key], dict))


def _pruned(value: Any) -> Any:
    """Return a value without its unexpanded parts. A list with such an item is left out whole: its indexes count."""
    if isinstance(value, dict):
        kept = {}
        for key, item in value.items():
            if _is_literal(value, key):
                kept[key] = item
            elif not is_unexpanded(key) and not _is_left_out(item):
                kept[key] = _pruned(item)
        return kept
    if isinstance(value, list):
        return [_pruned(item) for item in value]
    return value


def _is_left_out(value: Any) -> bool:
    return is_unexpanded(value) or (isinstance(value, list) and any(map(is_unexpanded, value)))
