# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell which components act on a feature gate, and which fields have an effect only while their gate is on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ._scalars.field_path import Path, format_path
from ._schema._defaults import is_zero
from ._schema._feature_gates import FeatureGates, gate_state
from ._schema._type_check import EmbeddedDocument, check_types, embedded_documents
from ._schema.kinds import Kind, fact_at, is_present_at, nested_objects
from ._schema.releases import known_minors, minor_name
from .findings import show

_ALL = "all"


@lru_cache(maxsize=1)
def _components_by_gate() -> dict[str, tuple[str, ...]]:
    from ._data._gate_components import COMPONENTS

    groups = json.loads(COMPONENTS)
    return {gate: tuple(components.split()) for components, gates in groups.items() for gate in gates}


def components_of_gate(gate: str) -> tuple[str, ...]:
    """Return the components that act on a gate, () if they are not known; "all" stands for each of them."""
    return _components_by_gate().get(gate, ())


def acts_on(component: str, gate: str) -> bool:
    """Return whether a component acts on a gate, or may do so."""
    known = components_of_gate(gate)
    return not known or component in known or _ALL in known


def _off_gate(entry: Mapping[str, Any], component: str, gates: FeatureGates) -> str:
    """Return the gate that keeps a field without effect at a minor, "" if none does.

    A gate that is gone counts only if the minor has none of the field's gates: a gate may get a new name.
    """
    names = [name for name in entry.get("gates", ()) if acts_on(component, name)]
    present = [name for name in names if gate_state(name, gates.minor) is not None]
    known = [name for name in present if gates.is_known(name)] or present
    return next((name for name in known if not gates.is_on(name)), "")


def gate_without_effect(
    kind: Kind, path: Path, values: Sequence[Any], gates: tuple[FeatureGates, FeatureGates]
) -> tuple[str, int] | None:
    """Return the gate, and the minor in which it is off, that keeps a change of a field's value without effect.

    values: before and after; None has no effect by itself. Returns None if the change has an effect.
    """
    off: tuple[str, int] | None = None
    for value, side in zip(values, gates):
        if value is None:
            continue
        names = (_off_gate(entry, kind.component, side) for entry in kind.entries_along(path))
        gate = next((name for name in names if name), "")
        if not gate:
            return None
        off = off or (gate, side.minor)
    return off


class FieldEffect(NamedTuple):
    """A field of a document that has an effect only on one side of an upgrade, since its gate is off on the other.

    since: the first minor in which the gate is on. ends: whether the new side is the one without effect.
    """

    path: Path
    value: Any
    gate: str
    since: int
    ends: bool
    kind: str
    source: str = ""

    def __str__(self) -> str:
        place = f" ({self.source})" if self.source else ""
        subject = f"{format_path(self.path)}: {show(self.value, self.path)}{place}"
        if self.ends:
            return f"{subject} has no effect up to {minor_name(self.since - 1)}: the feature gate {self.gate} is off"
        return f"{subject} has an effect from {minor_name(self.since)} on: the feature gate {self.gate} turns on"

    def as_dict(self) -> dict[str, Any]:
        """Return the effect as plain data, in the form of a meaning that changes."""
        return {
            "note": "gate",
            "since": minor_name(self.since),
            "subject": format_path(self.path),
            "before": f"no effect: the feature gate {self.gate} is off",
            "after": f"an effect: the feature gate {self.gate} is on",
            "value": show(self.value, self.path),
            "keep": "",
            "condition": "",
            "kind": self.kind,
            "place": self.source,
        }


def field_effects(
    kind: Kind, data: Mapping[str, Any], settings: Mapping[str, Any], minors: tuple[int, int]
) -> Iterator[FieldEffect]:
    """Yield the fields that a document sets, and whose gate is off at one of two minors and on at the other."""
    if kind.component != "kubeadm":  # its gates are its own
        newer = max(minors)
        checked = check_types(dict(data), kind, newer, is_json=False).data
        yield from _Walk(kind, settings, minors).object(checked, kind.fields, ())
        for part in embedded_documents(kind, checked, newer):
            if isinstance(part, EmbeddedDocument):
                yield from _Walk(part.kind, settings, minors).object(part.data, part.kind.fields, part.path)


class _Walk:
    def __init__(self, kind: Kind, settings: Mapping[str, Any], minors: tuple[int, int]) -> None:
        self.kind = kind
        self.minors = minors
        between = [minor for minor in known_minors() if min(minors) <= minor <= max(minors)]
        self.gates = [FeatureGates(minor, settings) for minor in between]

    def object(self, data: Mapping[str, Any], fields: Mapping[str, Any], path: Path) -> Iterator[FieldEffect]:
        for name, value in data.items():
            entry = fields.get(name)
            if entry is None or value in (None, "", [], {}):
                continue
            effect = self.effect(entry, value, (*path, name)) if entry.get("gates") else None
            if effect is not None:
                yield effect
            elif "fields" in entry:
                for place, item in nested_objects(value, entry):
                    yield from self.object(item, entry["fields"], (*path, name, *place))

    def effect(self, entry: Mapping[str, Any], value: Any, path: Path) -> FieldEffect | None:
        newer = max(self.minors)
        default = fact_at(entry, "default", newer)
        default = default["value"] if isinstance(default, dict) and "whenGate" in default else default
        if value == default or is_zero(value, entry, newer) or _is_empty(value):
            return None
        if not all(is_present_at(entry, minor) for minor in self.minors):
            return None
        off = [_off_gate(entry, self.kind.component, gates) for gates in self.gates]
        if not off[0] or off[-1]:
            return None
        since = next(gates.minor for gates, gate in zip(self.gates, off) if not gate)
        return FieldEffect(path, value, off[0], since, self.minors[1] < self.minors[0], self.kind.kind)


def _is_empty(value: Any) -> bool:
    return isinstance(value, dict) and all(item in (None, "", [], {}) for item in value.values())
