# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What we refuse although a component would take it: secrets, relative paths, denied fields.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ._denied_fields import INSTANCE_FIELDS
from ._findings import POLICY, Finding, Problem, bounded, finding
from ._scalars._field_path import Path, format_path, lookup
from ._scalars._secrets import secrets
from ._schema._path_fields import PATH_FIELDS, is_relative

__all__ = ["bundle_findings", "denied", "denied_field_findings", "matching_fields"]


def bundle_findings(data: Any, kind: str) -> Iterator[Problem]:
    """What may not stand in a bundle, since a bundle is shared by nodes and can be read by all of them."""
    for path in secrets(data):
        yield Problem(path, "a secret may not stand in a ConfigMap: name a file that holds it", "secret")
    for name in PATH_FIELDS.get(kind, ()):
        for path, value in _matches(data, name.split(".")):
            if is_relative(name, value):
                yield Problem(path, "a path in a bundle must be absolute", "relative-path", value)
    for name in INSTANCE_FIELDS.get(kind, ()):
        value = lookup(data, (name,))
        if value not in (None, "", [], {}):
            yield Problem(
                (name,), "belongs to one node: put it into the node's instance config", "instance-field", value
            )


def denied_field_findings(data: Any, patterns: Sequence[str]) -> Iterator[Problem]:
    """The fields of decoded data that a list of field paths denies; see `denied`."""
    seen: set[Path] = set()
    for pattern in patterns:
        for path, value in matching_fields(data, pattern):
            if path not in seen:
                seen.add(path)
                suffix = "" if format_path(path) == pattern else f" ({pattern})"
                yield Problem(path, f"the field is denied{suffix}", "denied", value)


def denied(data: Any, patterns: Sequence[str], *, file: str = "config") -> list[Finding]:
    """The fields of decoded data that a list of field paths denies, each a finding of level "policy".

    A pattern names a field (`staticPodPath`, `authentication.x509`) and denies it with all below it; `*` stands for
    any one name or index (`authentication.*`, `registerWithTaints.*.key`). A field set to null is not set.
    """
    return bounded(
        [
            finding(file, None, problem.path, problem.value, problem.message, POLICY, problem.rule)
            for problem in denied_field_findings(data, patterns)
        ]
    )


def matching_fields(data: Any, pattern: str) -> Iterator[tuple[Path, Any]]:
    """The paths and values in decoded data that a pattern matches; see `denied`."""
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
