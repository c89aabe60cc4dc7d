# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubelet's config with what its flags say laid over it, as the kubelet does before it validates.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._kinds._schema import Kind, at_minor
from .._values._paths import Path, lookup
from ._command_line import Given, read_command_line
from ._forms import read_value
from ._names import FEATURE_GATES
from ._table import Flag, flag_set

__all__ = ["beside", "field_at", "put", "uses_of", "with_flags"]


def with_flags(data: Any, argv: Sequence[str], kind: Kind, minor: int) -> tuple[Any, dict[Path, str]]:
    """Return the decoded config with the flags of a command line laid over it, and which flag set which field.

    ``argv`` begins with the program. A flag wins over its whole field, feature gates by key; a few add to a list. A
    flag whose value the kubelet would refuse is left out, as is one whose field the minor does not have.
    """
    known = flag_set(kind.component)
    if not isinstance(data, dict) or known is None:
        return data, {}
    result, origins = dict(data), {}
    for flag, texts in uses_of(read_command_line(argv[1:], known.flags).given, known.flags):
        field = field_at(kind, flag.field, minor)
        if field is None:
            continue
        try:
            value = read_value(flag.form, texts, str(at_minor(field, "type", minor)))
        except ValueError:
            continue
        if flag.only_on and not value:
            continue
        result = put(result, flag.field, beside(flag, result, value))
        below = [(*flag.field, key) for key in value] if flag.field == (FEATURE_GATES,) else [flag.field]
        origins.update(dict.fromkeys(below, f"--{flag.name}"))
    return result, origins


def beside(flag: Flag, data: Mapping[str, Any], value: Any) -> Any:
    """Return what the field has with a flag's value: that alone, or with the values that the data say already."""
    present = lookup(data, flag.field) if flag.adds else None
    if not isinstance(present, list):
        return value
    return [*present, *value] if flag.adds == "behind" else [*value, *present]


def uses_of(given: Iterable[Given], flags: Mapping[str, Flag]) -> list[tuple[Flag, list[str]]]:
    """Return the known flags, in the order of their last use, each with the values of all its uses."""
    texts: dict[str, list[str]] = {}
    for use in given:
        if use.name in flags:
            texts[use.name] = [*texts.pop(use.name, ()), use.text]
    return [(flags[name], values) for name, values in texts.items()]


def field_at(kind: Kind, path: Path, minor: int) -> Mapping[str, Any] | None:
    """Return what is known of a field, None where the kind does not have it at that minor."""
    fields: Mapping[str, Any] = kind.fields
    field: Mapping[str, Any] | None = None
    for part in path:
        field = fields.get(str(part))
        if field is None or not field.get("since", 0) <= minor <= field.get("last", minor):
            return None
        fields = field.get("fields") or {}
    return field


def put(data: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy with a value at a path; feature gates are merged by key, anything else is replaced."""
    name = str(path[0])
    present = data.get(name)
    if len(path) > 1:
        value = put(present if isinstance(present, Mapping) else {}, path[1:], value)
    elif name == FEATURE_GATES and isinstance(present, Mapping):
        value = {**present, **value}
    return {**data, name: value}
