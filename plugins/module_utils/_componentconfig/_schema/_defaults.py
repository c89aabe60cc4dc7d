# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply a component's defaults to a config, and leave out the fields that it does not read."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from .. import ConfigError
from .._codec.plain_values import HEAD_FIELDS
from .._scalars.duration import nanoseconds
from .._scalars.numbers import parse_quantity
from ._feature_gates import FeatureGates
from .kinds import Kind, fact_at, is_present_at
from .releases import nearest_known_minor


def default_value(
    name: str, siblings: Mapping[str, Any], fields: Mapping[str, Any], minor: int, gates: FeatureGates
) -> Any:
    """Return the default of one field of an object at a minor, None for none.

    siblings: the object as written. fields: the entries of its fields. A default may depend on a feature gate, or be
    the value of another field if that is set.
    """
    entry = fields.get(name, {})
    default = fact_at(entry, "default", minor)
    if isinstance(default, dict) and "whenGate" in default:
        default = default["value"] if gates.is_on(default["whenGate"]) else None
    source = entry.get("defaultFrom")
    if source is not None:
        value = siblings.get(source)
        if value is not None and not is_zero(value, fields[source], minor):
            return value
    return default


def effective_value(
    name: str, siblings: Mapping[str, Any], fields: Mapping[str, Any], minor: int, gates: FeatureGates
) -> Any:
    """Return the value that the component uses for one field of an object: the written one, or the minor's default.

    A field that is not a pointer in Go cannot hold a zero: 0, "", "0s" and false mean absent if there is a default. A
    sibling switch may add the default's keys to a map.
    """
    value = siblings.get(name)
    if value is None:
        return default_value(name, siblings, fields, minor, gates)
    switch = fields.get(name, {}).get("defaultAddedBy")
    has_switch = switch in fields and fields[switch].get("since", 0) <= minor
    if has_switch and siblings.get(switch) is True and isinstance(value, dict):
        return {**(default_value(name, siblings, fields, minor, gates) or {}), **value}
    if is_zero(value, fields.get(name, {}), minor):
        default = default_value(name, siblings, fields, minor, gates)
        return value if default is None else default
    return value


def is_zero(value: Any, entry: Mapping[str, Any], minor: int) -> bool:
    """Return whether Go reads a scalar as absent: the zero of its type, in a field that is not a pointer."""
    type_name = str(fact_at(entry, "type", minor))
    if fact_at(entry, "nullable", minor) or isinstance(value, (list, dict)):
        return False
    if type_name == "object" or type_name.startswith(("list<", "map<")):
        return False  # a value of a wrong type is not a zero
    try:
        if type_name.startswith("duration") and isinstance(value, str):
            return nanoseconds(value) == 0
        if type_name == "quantity":
            return parse_quantity(value) == 0
    except (TypeError, ConfigError):
        return False
    return value in ("", 0, False)


def zero_value(type_name: str) -> Any:
    """Return the zero value of a type, as which Go reads null in a list or map."""
    if type_name == "bool":
        return False
    if type_name in ("int32", "int64", "int", "float", "quantity"):
        return 0
    if type_name == "object":
        return {}
    return [] if type_name.startswith("list<") else ""


def apply_defaults(data: Mapping[str, Any], kind: Kind, minor: int) -> dict[str, Any]:
    """Return a document of a kind with all defaults, as the component of one minor uses it.

    Defaults are written out, also inside lists and maps of objects. Values that mean the same as absent, and fields
    that the minor does not know, are left out. Values of a wrong type stay as they are. For a minor outside the data
    the nearest one is used. The result shares nothing with `data`.
    """
    nearest = nearest_known_minor(minor)
    settings = data.get("featureGates")
    defaulter = _Defaulter(nearest, FeatureGates(nearest, settings if isinstance(settings, Mapping) else {}))
    head = {key: data[key] for key in HEAD_FIELDS if key in data}
    return {**head, **defaulter.object(data, kind.fields)}


class _Defaulter:
    def __init__(self, minor: int, gates: FeatureGates) -> None:
        self.minor = minor
        self.gates = gates

    def object(self, data: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
        entries = {name: entry for name, entry in fields.items() if is_present_at(entry, self.minor)}
        # The fields of the document in its order, then all others.
        names = [name for name in data if name in entries] + [name for name in entries if name not in data]
        result = {}
        for name in names:
            value = self.value(effective_value(name, data, entries, self.minor, self.gates), entries[name])
            type_name = str(fact_at(entries[name], "type", self.minor))
            empty: Any = [] if type_name.startswith("list<") else {}
            is_empty = value is None or value == empty or is_zero(value, entries[name], self.minor)
            is_pointer = value is not None and fact_at(entries[name], "nullable", self.minor)
            if not is_empty or is_pointer or default_value(name, data, entries, self.minor, self.gates) is not None:
                result[name] = value
        return result

    def value(self, value: Any, entry: Mapping[str, Any]) -> Any:
        type_name = str(fact_at(entry, "type", self.minor))
        value = _without_nulls(value, type_name)
        inner = entry.get("fields")
        if inner is None:
            return deepcopy(value)
        if type_name == "object":
            if value is None and not fact_at(entry, "nullable", self.minor):
                value = {}
            return self.object(value, inner) if isinstance(value, dict) else deepcopy(value)
        if isinstance(value, list):
            return [self.object(item, inner) if isinstance(item, dict) else deepcopy(item) for item in value]
        if isinstance(value, dict):
            return {
                key: self.object(item, inner) if isinstance(item, dict) else deepcopy(item)
                for key, item in value.items()
            }
        return deepcopy(value)


def _without_nulls(value: Any, type_name: str) -> Any:
    """Replace null elements of a list or map by the zero value of their type, as decoding in Go does."""
    if type_name.startswith("list<") and isinstance(value, list):
        return [zero_value(type_name[5:-1]) if item is None else item for item in value]
    if type_name.startswith("map<") and isinstance(value, dict):
        return {key: zero_value(type_name[4:-1]) if item is None else item for key, item in value.items()}
    return value
