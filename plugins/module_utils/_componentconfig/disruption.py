# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what changing a field asks of a node: a restart, a drain, the removal of a state file, a reboot.

The facts are schema/change_impact.json and schema/change_conditions.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from . import ConfigError
from ._options import COMPONENT_OPTIONS
from ._scalars.field_path import Path, parse_path, value_at
from ._schema._option_forms import OPTION_FORMS
from ._schema.kinds import KUBELET_CONFIGURATION, STATIC_POD, Kind, is_present_at, kinds
from ._schema.releases import by_name

_LIGHT_CLASSES = {
    "none": "nothing has to be done: no running component reads it",
    "live": "the component reads the file again by itself",
}
_RESTART_CLASS = "restart"
# These name no program.
_NOUNS = {
    STATIC_POD: "the component",
    **{name: f"the {name}" for name in ("component", "client", "controller-manager")},
}
_CRASH_RISK = "restart-crash-risk"


@dataclass(frozen=True)
class Disruption:
    """A class of disruption with its meaning and what else is known about the change ("" for nothing).

    `state_file` must be removed, `peer` must follow, `when` is a condition that the configs do not show.
    """

    name: str
    meaning: str
    note: str = ""
    state_file: str = ""
    peer: str = ""
    when: str = ""

    def __str__(self) -> str:
        name = self.name.replace("+state", f" and remove {self.state_file}") if self.state_file else self.name
        return name + (f" with {self.peer}" if self.peer else "") + (f", if {self.when}" if self.when else "")

    def as_dict(self) -> dict[str, Any]:
        """Return the disruption as plain data, for a module's result."""
        return {
            "disruption": self.name,
            "meaning": self.meaning,
            "note": self.note,
            "state_file": self.state_file,
            "peer": self.peer,
            "condition": self.when,
        }


@lru_cache(maxsize=1)
def _impact_data() -> dict[str, Any]:
    from ._data._change_impact import IMPACT

    data = json.loads(IMPACT)
    fields = {kind: by_name(rows) for kind, rows in data["fields"].items()}
    return {**data, "fields": fields, "files": by_name(data["files"])}


def disruption_classes() -> dict[str, str]:
    """Return all classes with their meaning, from the lightest to the heaviest."""
    return {**_LIGHT_CLASSES, **{name: " ".join(meaning) for name, meaning in _impact_data()["classes"].items()}}


def heaviest_class(names: Iterable[str]) -> str | None:
    """Return the heaviest of some classes, None without any."""
    order = list(disruption_classes())
    return max(names, key=order.index, default=None)


def check_overrides(overrides: Mapping[str, str], kind: Kind | None) -> None:
    """Raise ConfigError for an unknown class of disruption, and for a field that the kind does not have."""
    for field, name in overrides.items():
        if name not in disruption_classes():
            raise ConfigError(
                f"{field}: {name!r} is not a class of disruption; the classes are: {', '.join(disruption_classes())}"
            )
        try:
            path = parse_path(field)
        except ConfigError as error:
            raise ConfigError(f"disruption override: {error}") from error
        if kind is not None and not kind.has_field_path(path):
            raise ConfigError(f"{field} is not a field of {kind.kind}, so its disruption cannot be overridden")


def disruption_of(
    path: Path,
    kind: str,
    minor: int,
    configs: Sequence[Mapping[str, Any]] = (),
    overrides: Mapping[str, str] | None = None,
    *,
    from_version_change: bool = False,
) -> Disruption:
    """Return what a change at a path asks of a node whose component is of a minor.

    configs: the configs before and after, in this order; a condition holds if it holds for one of them. overrides: the
    user's own classes by field path; the longest path that matches wins over the data. from_version_change: neither
    config sets the field, it comes or goes with a Kubernetes version, so the node runs as before, unless its default
    may end the component.
    """
    names = [".".join(str(part) for part in path[:length]) for length in range(len(path), 0, -1)]
    row = _impact_of(names, kind, minor, configs)
    if kind == COMPONENT_OPTIONS and OPTION_FORMS:
        row = {"class": OPTION_FORMS[0].class_of_change(path, minor, configs)}
    order = list(disruption_classes())
    is_switched_on = row["class"] == _CRASH_RISK and bool(configs) and bool(value_at(configs[-1], path))
    if from_version_change and order.index(row["class"]) > order.index(_RESTART_CLASS) and not is_switched_on:
        row = {
            "class": _RESTART_CLASS,
            "note": ["a field of the other version, with its default: what runs is as it was"],
        }
    override = next((overrides[name] for name in names if overrides and name in overrides), None)
    if override is not None:
        row = {**(row if override == row["class"] else {}), "class": override, "note": ["as overridden"]}
    return Disruption(
        row["class"],
        _meaning(row["class"], kind),
        " ".join(row.get("note", ())),
        row.get("stateFile", ""),
        row.get("peer", ""),
        row["when"] if isinstance(row.get("when"), str) and "=" not in row["when"] else "",
    )


def _meaning(name: str, kind: str) -> str:
    """Return what a class requires, in words of the component that reads a kind."""
    if kind == KUBELET_CONFIGURATION:
        return disruption_classes()[name]
    component = next((known.component for known in kinds() if known.kind == kind), "component")
    component = _NOUNS.get(component, component)
    if name == _RESTART_CLASS:
        return f"a restart of {component} applies it"
    meaning = disruption_classes()[name]
    for word in ("the kubelet", "kubelet", "the component"):
        meaning = meaning.replace(word, component)
    return meaning


def _impact_of(names: Sequence[str], kind: str, minor: int, configs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    data = _impact_data()
    file_row = data["files"].get(kind, {}) if kind != KUBELET_CONFIGURATION else {}
    default = {"class": _RESTART_CLASS, **(file_row if file_row.get("since", 0) <= minor else {})}
    fields = data["fields"].get(kind, {})
    known = next((fields[name] for name in names if name in fields), default)
    for row in data["conditions"]:
        if row["kind"] == kind and row["field"] in names and _applies(row, minor, configs):
            return {"note": known.get("note", ()), **row}
    return cast("Mapping[str, Any]", known)


def _applies(row: Mapping[str, Any], minor: int, configs: Sequence[Mapping[str, Any]]) -> bool:
    if not is_present_at(row, minor):
        return False
    if row.get("onlyAdds"):
        return len(configs) == 2 and not configs[0].get(row["field"])
    if "when" not in row:
        return True
    met = any(all(config.get(field) == value for field, value in row["when"].items()) for config in configs)
    return met != bool(row.get("unless"))
