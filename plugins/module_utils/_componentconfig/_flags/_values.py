# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubelet's config with what its flags say laid over it, as the kubelet does before it validates.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._kinds._schema import Kind, at_minor
from .._values._paths import Path
from ._names import FEATURE_GATES, field_of_flag, flags_of, pairs_of

__all__ = ["with_flags"]

_TRUE = frozenset(("", "1", "t", "T", "true", "TRUE", "True"))
_FALSE = frozenset(("0", "f", "F", "false", "FALSE", "False"))
_LANGLE = ("evictionHard", "evictionSoft")


class _NoValue(ValueError):
    """A flag that cannot be expressed as a field."""


def with_flags(data: Any, argv: Sequence[str], kind: Kind, minor: int) -> tuple[Any, dict[Path, str]]:
    """Return the decoded config with the flags of a command line laid over it, and which flag set which field.

    A flag whose value cannot be expressed as a field (its form is the flag's own) is left out.
    """
    if not isinstance(data, dict):
        return data, {}
    result, origins, seen = dict(data), {}, set()
    for flag, text in flags_of(argv):
        path = tuple(field_of_flag(flag, kind.fields).split("."))
        field = _field(kind.fields, path)
        if field is None or not field.get("since", 0) <= minor <= field.get("last", minor):
            continue
        again = path in seen or path == (FEATURE_GATES,)
        try:
            value = _value(path[-1], text, str(at_minor(field, "type", minor)))
        except ValueError:
            continue
        seen.add(path)
        result = _put(result, path, value, again=again)
        below = [(*path, key) for key in value] if path == (FEATURE_GATES,) else [path]
        origins.update(dict.fromkeys(below, f"--{flag}"))
    return result, origins


def _field(fields: Mapping[str, Any], path: Path) -> Mapping[str, Any] | None:
    field: Mapping[str, Any] | None = None
    for part in path:
        field = fields.get(str(part))
        if field is None:
            return None
        fields = field.get("fields") or {}
    return field


def _value(name: str, text: str, type_name: str) -> Any:
    if type_name == "bool":
        return _boolean(text)
    if type_name in ("int32", "int64", "int"):
        return int(text)
    if type_name == "list<string>":
        return [part for part in text.split(",") if part]
    if type_name in ("map<bool>", "map<string>", "map<quantity>"):
        pairs = pairs_of(text, "<" if name in _LANGLE else "=")
        return {key: _boolean(value) for key, value in pairs.items()} if type_name == "map<bool>" else pairs
    if type_name.startswith(("list<", "map<", "object", "time", "bytes")):
        raise _NoValue(type_name)
    return text


def _boolean(text: str) -> bool:
    if text not in _TRUE | _FALSE:
        raise _NoValue(text)
    return text in _TRUE


def _put(data: Mapping[str, Any], path: Path, value: Any, *, again: bool) -> dict[str, Any]:
    """Return a copy with a value at a path; again: a list or a map goes on instead of beginning anew."""
    name = str(path[0])
    present = data.get(name)
    if len(path) > 1:
        value = _put(present if isinstance(present, Mapping) else {}, path[1:], value, again=again)
    elif again and isinstance(value, dict) and isinstance(present, Mapping):
        value = {**present, **value}
    elif again and isinstance(value, list) and isinstance(present, list):
        value = [*present, *value]
    return {**data, name: value}
