# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what must not be in a bundle although a component accepts it: secrets, relative paths, denied fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ._scalars.field_path import Path, format_path, value_at
from ._scalars.secrets import secret_paths
from ._schema.path_fields import PATH_FIELDS, is_relative
from .findings import RULE_DENIED, RULE_SECRET, Finding, Level, show
from .instance_fields import INSTANCE_FIELDS


def bundle_findings(data: Any, kind: str) -> Iterator[Finding]:
    """Yield what must not be in a bundle: many nodes share a bundle, and all of them can read it."""
    for path in secret_paths(data):
        message = "a secret must not be in a ConfigMap: name a file that holds it"
        yield Finding(path, message, RULE_SECRET, Level.POLICY)
    for name in PATH_FIELDS.get(kind, ()):
        for path, value in _matches(data, name.split(".")):
            if is_relative(name, value):
                message = "a path in a bundle must be absolute"
                yield Finding(path, message, "relative-path", Level.POLICY, show(value, path))
    for name in INSTANCE_FIELDS.get(kind, ()):
        value = value_at(data, (name,))
        if value not in (None, "", [], {}):
            message = "belongs to one node: put it into the node's instance config"
            yield Finding((name,), message, "instance-field", Level.POLICY, show(value, (name,)))


def denied_field_findings(data: Any, patterns: Sequence[str]) -> Iterator[Finding]:
    """Yield the fields of decoded data that a list of field paths denies, each once.

    A pattern names a field (`staticPodPath`, `authentication.x509`) and denies it with all fields below it. `*` stands
    for any one name or index (`authentication.*`, `registerWithTaints.*.key`). A field set to null is not set.
    """
    seen: set[Path] = set()
    for pattern in patterns:
        for path, value in matching_fields(data, pattern):
            if path not in seen:
                seen.add(path)
                suffix = "" if format_path(path) == pattern else f" ({pattern})"
                yield Finding(path, f"the field is denied{suffix}", RULE_DENIED, Level.POLICY, show(value, path))


def matching_fields(data: Any, pattern: str) -> Iterator[tuple[Path, Any]]:
    """Yield the paths and values in decoded data that a pattern matches; see `denied_field_findings`."""
    yield from _matches(data, pattern.replace("[]", ".*").split("."))


def _matches(data: Any, parts: Sequence[str], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if not parts:
        if data is not None:
            yield path, data
        return
    items: list[tuple[Any, Any]] = []
    if isinstance(data, dict):
        items = list(data.items())
        # A key of a map may hold dots itself: `evictionHard.memory.available`.
        rest = ".".join(parts)
        if len(parts) > 1 and rest in data and data[rest] is not None:
            yield path + (rest,), data[rest]
    elif isinstance(data, list):
        items = list(enumerate(data))
    for key, value in items:
        if parts[0] in ("*", str(key)):
            yield from _matches(value, parts[1:], path + (key,))
