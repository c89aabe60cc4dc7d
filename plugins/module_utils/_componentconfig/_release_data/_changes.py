# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a release's gates and defaults differs from the newest release that the collection ships.

A module that uses release data ships this file, so it does not import the flags of the components.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from .. import ConfigError
from .._codec.plain_values import fingerprint
from .._scalars.duration import nanoseconds
from .._scalars.field_path import parse_path
from .._scalars.numbers import parse_quantity
from .._schema._defaults import default_value, zero_value
from .._schema._feature_gates import GATE_GROUPS, FeatureGates, GateState, gate_names, gate_state
from .._schema._type_check import check_types
from .._schema.kinds import Kind, fact_at, kinds
from .._schema.releases import minor_name, newest_minor
from ..findings import show
from .file_format import ReleaseData

_ZEROS: tuple[Any, ...] = ("", 0, False, [], {})


class Change(NamedTuple):
    """A gate, a flag or a field that differs. before, after: its state as text, "" for none."""

    subject: Literal["gate", "flag", "field"]
    name: str
    kind: Literal["gone", "new", "changed"]
    before: str
    after: str

    def __str__(self) -> str:
        states = {"gone": f"gone, was {self.before}", "new": f"new, {self.after}"}
        return f"{self.subject} {self.name}: {states.get(self.kind, f'{self.before} -> {self.after}')}"


def digest_of(data: ReleaseData) -> str:
    """Return the hash that a person accepts: of the changes of gates and fields, and of the flags as they are."""
    base = newest_minor()
    changes = [list(change) for change in (*gate_changes(data, base), *field_changes(data, base))]
    flags = {
        component: {name: [flag.type or "bool", flag.default] for name, flag in sorted(rows.items())}
        for component, rows in sorted(data.flags.values.items())
    }
    return fingerprint([minor_name(data.minor), minor_name(base), changes, flags])


def gate_changes(data: ReleaseData, base: int) -> Iterator[Change]:
    """Yield the gates that differ from those of a minor, if the data have gates."""
    if not data.gates.sources:
        return
    for name in sorted({*gate_names(), *data.gates.values} - set(GATE_GROUPS)):
        known = gate_state(name, base)
        state = data.gates.values.get(name)
        before = str(known) if known is not None and known.stage else ""
        after = str(GateState(data.minor, state.stage, state.default, state.locked)) if state is not None else ""
        if before != after:
            yield Change("gate", name, "new" if not before else "changed" if after else "gone", before, after)


def field_changes(data: ReleaseData, base: int) -> Iterator[Change]:
    """Yield the fields whose default differs from that of a minor, and those that it does not have."""
    for kind_name, fields in sorted(data.defaults.values.items()):
        kind = kind_of_defaults(kind_name)
        changed = changed_defaults(data).get(kind_name, {})
        for path in sorted(fields):
            name = f"{kind_name} {path}"
            after = _shown(path, fields[path])
            if kind is None or kind.entry_at(parse_path(path), base) is None:
                yield Change("field", name, "new", "", f"default {after}")
            elif path in changed:
                yield Change("field", name, "changed", _shown(path, default_at(kind, path, base)), after)


def changed_defaults(data: ReleaseData) -> dict[str, dict[str, Any]]:
    """Return the defaults of known fields that differ from those of the newest shipped release, by kind and path."""
    base = newest_minor()
    result: dict[str, dict[str, Any]] = {}
    for kind_name, fields in data.defaults.values.items():
        kind = kind_of_defaults(kind_name)
        if kind is None:
            continue
        for path, value in fields.items():
            entry = kind.entry_at(parse_path(path), base)
            if entry is not None and not is_same_default(kind, path, base, default_at(kind, path, base), value):
                result.setdefault(kind_name, {})[path] = _absent(entry, base) if value is None else value
    return result


def _absent(entry: Mapping[str, Any], minor: int) -> Any:
    """Return the default of a field that has none: the zero of its type, None only if the field has been without."""
    rows = entry.get("defaults")
    if "default" not in entry if rows is None else any(value is None for _since, value in rows):
        return None
    type_name = str(fact_at(entry, "type", minor))
    if type_name.startswith("map<"):
        return {}
    return "0s" if type_name.startswith("duration") else zero_value(type_name)


def check_defaults(data: ReleaseData, file: str) -> None:
    """Raise ConfigError for a default that its field cannot have. file: what the message calls the data."""
    for kind_name, fields in changed_defaults(data).items():
        kind = kind_of_defaults(kind_name)
        document: dict[str, Any] = {}
        for path, value in fields.items():
            *parents, name = path.split(".")
            inner = document
            for parent in parents:
                inner = inner.setdefault(parent, {})
                if not isinstance(inner, dict):
                    raise ConfigError(f"{file}: layers.defaults: {kind_name} has {path} inside a field with a value")
            inner[name] = value
        findings = check_types(document, kind, newest_minor(), is_json=True).findings if kind is not None else ()
        for finding in findings:
            raise ConfigError(f"{file}: layers.defaults: {kind_name} {finding}")


def kind_of_defaults(name: str) -> Kind | None:
    """Return the newest API version of a kind, None for an unknown one."""
    return next((kind for kind in reversed(kinds()) if kind.kind == name and kind.last is None), None)


def default_at(kind: Kind, path: str, minor: int) -> Any:
    """Return the default of a field as a component without any settings has it."""
    *parents, name = parse_path(path)
    fields = kind.entries_along(tuple(parents))[-1].get("fields", {}) if parents else kind.fields
    return default_value(str(name), {}, fields, minor, FeatureGates(minor, {}))


def is_same_default(kind: Kind, path: str, minor: int, before: Any, after: Any) -> bool:
    """Return whether two defaults of a field mean the same, as no default and the zero of the type do."""
    type_name = str(fact_at(kind.entry_at(parse_path(path), minor) or {}, "type", minor))
    sides = [_meaning(value, type_name) for value in (before, after)]
    return bool(sides[0] == sides[1])


def _meaning(value: Any, type_name: str) -> Any:
    """Return a value without its notation, None for the zero of its type."""
    try:
        if type_name.startswith("duration") and isinstance(value, str):
            value = nanoseconds(value)
        elif type_name == "quantity" and isinstance(value, str):
            value = parse_quantity(value)
    except ConfigError:
        return value
    return None if value in _ZEROS else value


def _shown(path: str, value: Any) -> str:
    return "none" if value is None else str(show(value, parse_path(path)))
