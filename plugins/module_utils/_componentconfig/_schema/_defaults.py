# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component makes of a config: its defaults filled in, and what it does not see left out.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from .._exceptions import ConfigError
from .._scalars._duration import nanoseconds
from .._scalars._numbers import parse_quantity
from ._feature_gates import FeatureGates
from ._kinds import Kind, fact_at
from ._releases import known_minors

__all__ = ["default_value", "apply_defaults", "effective_value", "is_zero", "zero_value"]


def default_value(
    name: str, siblings: Mapping[str, Any], fields: Mapping[str, Any], minor: int, gates: FeatureGates
) -> Any:
    """The default that a minor gives one field of an object; None where it has none.

    `siblings` is the object as written, `fields` what is known of its fields: a default may depend on a feature gate,
    and be the value of another field where that is set.
    """
    field = fields.get(name, {})
    default = fact_at(field, "default", minor)
    if isinstance(default, dict) and "whenGate" in default:
        default = default["value"] if gates.is_on(default["whenGate"]) else None
    source = field.get("defaultFrom")
    if source is not None:
        other = siblings.get(source)
        if other is not None and not is_zero(other, fields[source], minor):
            return other
    return default


def effective_value(
    name: str, siblings: Mapping[str, Any], fields: Mapping[str, Any], minor: int, gates: FeatureGates
) -> Any:
    """What the component uses for one field of an object: the value as written, or the default of this minor.

    A field that is no pointer in Go cannot hold a zero: 0, "", "0s" and false mean absent where there is a default. A
    switch beside a map may add the default's keys to it.
    """
    value = siblings.get(name)
    if value is None:
        return default_value(name, siblings, fields, minor, gates)
    switch = fields.get(name, {}).get("defaultAddedBy")
    known = switch in fields and fields[switch].get("since", 0) <= minor
    if known and siblings.get(switch) is True and isinstance(value, dict):
        return {**(default_value(name, siblings, fields, minor, gates) or {}), **value}
    if is_zero(value, fields.get(name, {}), minor):
        default = default_value(name, siblings, fields, minor, gates)
        return value if default is None else default
    return value


def is_zero(value: Any, field: Mapping[str, Any], minor: int) -> bool:
    """Whether a scalar is what Go takes for absent: the zero of its type, in a field that is no pointer."""
    kind = str(fact_at(field, "type", minor))
    if fact_at(field, "nullable", minor) or isinstance(value, (list, dict)):
        return False
    if kind == "object" or kind.startswith(("list<", "map<")):
        return False  # of a wrong type, and so no zero
    try:
        if kind.startswith("duration") and isinstance(value, str):
            return nanoseconds(value) == 0
        if kind == "quantity":
            return parse_quantity(value) == 0
    except (TypeError, ConfigError):
        return False
    return value in ("", 0, False)


def zero_value(kind: str) -> Any:
    """Return what Go makes of null in a list or map: the element is there, with the zero value of its type."""
    if kind == "bool":
        return False
    if kind in ("int32", "int64", "int", "float", "quantity"):
        return 0
    if kind == "object":
        return {}
    return [] if kind.startswith("list<") else ""


def apply_defaults(data: Mapping[str, Any], kind: Kind, minor: int) -> dict[str, Any]:
    """The fully resolved form of a document of a kind, as the component of one minor sees it.

    Defaults are written out, also inside lists and maps of objects; what means the same as absent, and fields that the
    minor does not know, are left out. Values of a wrong type stay as they are. A minor outside the data is taken as
    the nearest. Nothing of the result is shared with `data`.
    """
    at = min(max(minor, known_minors()[0]), known_minors()[-1])
    given = data.get("featureGates")
    resolve = _Resolve(at, FeatureGates(at, given if isinstance(given, Mapping) else {}))
    head = {key: data[key] for key in ("apiVersion", "kind") if key in data}
    return {**head, **resolve.object(data, kind.fields)}


class _Resolve:
    def __init__(self, minor: int, gates: FeatureGates) -> None:
        self.minor = minor
        self.gates = gates

    def object(self, data: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
        known = {
            name: field
            for name, field in fields.items()
            if field.get("since", 0) <= self.minor <= field.get("last", self.minor)
        }
        # In the order of the document, what it does not name behind.
        names = [name for name in data if name in known] + [name for name in known if name not in data]
        result = {}
        for name in names:
            value = self.value(effective_value(name, data, known, self.minor, self.gates), known[name])
            kind = str(fact_at(known[name], "type", self.minor))
            nothing: Any = [] if kind.startswith("list<") else {}
            empty = value is None or value == nothing or is_zero(value, known[name], self.minor)
            pointer = value is not None and fact_at(known[name], "nullable", self.minor)
            if not empty or pointer or default_value(name, data, known, self.minor, self.gates) is not None:
                result[name] = value
        return result

    def value(self, value: Any, field: Mapping[str, Any]) -> Any:
        kind = str(fact_at(field, "type", self.minor))
        value = _without_nulls(value, kind)
        inner = field.get("fields")
        if inner is None:
            return deepcopy(value)
        if kind == "object":
            if value is None and not fact_at(field, "nullable", self.minor):
                value = {}
            return self.object(value, inner) if isinstance(value, dict) else deepcopy(value)
        if isinstance(value, list):
            return [self.object(one, inner) if isinstance(one, dict) else deepcopy(one) for one in value]
        if isinstance(value, dict):
            return {
                key: self.object(one, inner) if isinstance(one, dict) else deepcopy(one) for key, one in value.items()
            }
        return deepcopy(value)


def _without_nulls(value: Any, kind: str) -> Any:
    """Replace null elements of a list or map by the zero value of their type, as decoding in Go does."""
    if kind.startswith("list<") and isinstance(value, list):
        return [zero_value(kind[5:-1]) if item is None else item for item in value]
    if kind.startswith("map<") and isinstance(value, dict):
        return {key: zero_value(kind[4:-1]) if item is None else item for key, item in value.items()}
    return value
