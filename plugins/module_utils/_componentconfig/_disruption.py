# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a changed field asks of a node: a restart, a drain, the removal of a state file, a reboot.

The facts are schema/change_impact.json and schema/change_conditions.json. Private to configok.node: no compatibility is
promised.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from ._exceptions import ConfigError
from ._scalars._field_path import Path, parse_path
from ._schema._kinds import Kind

__all__ = ["Disruption", "check_overrides", "disruption_classes", "disruption_of", "heaviest_class"]

_BELOW = {
    "none": "nothing has to be done: no running component reads it",
    "live": "the component reads the file again by itself",
}
_USUAL = "restart"
_MORE_THAN_RESTART = "coordinate"  # this class and all that are heavier
_KUBELET = "KubeletConfiguration"
_RESTART = "a restart of the component applies it"


@dataclass(frozen=True)
class Disruption:
    """What a change asks of a node: a class, what the class means, and what else is known ("" where nothing is).

    `state_file` has to be removed, `peer` has to follow, `when` is a condition that cannot be seen in the configs.
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
        """It as plain data, for a module's result."""
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

    return cast("dict[str, Any]", json.loads(IMPACT))


def disruption_classes() -> dict[str, str]:
    """All classes and what they mean, from the lightest to the heaviest."""
    return {**_BELOW, **{name: " ".join(meaning) for name, meaning in _impact_data()["classes"].items()}}


def heaviest_class(names: Iterable[str]) -> str | None:
    """The heaviest of some classes, None of none."""
    order = list(disruption_classes())
    return max(names, key=order.index, default=None)


def check_overrides(overrides: Mapping[str, str], kind: Kind | None) -> None:
    """Raise ValueError for a class that is none, or a field that the kind does not have."""
    for field, name in overrides.items():
        if name not in disruption_classes():
            raise ConfigError(
                f"{field}: {name!r} is no class of disruption, they are: {', '.join(disruption_classes())}"
            )
        try:
            parts = parse_path(field)
        except ConfigError as error:
            raise ConfigError(f"disruption override: {error}") from error
        if kind is not None and not _is_field(parts, kind.fields):
            raise ConfigError(f"{field} is no field of {kind.kind}, so its disruption cannot be overridden")


def _is_field(parts: Path, fields: Mapping[str, Any]) -> bool:
    for part in parts:
        if part not in fields:
            return False
        fields = fields[str(part)].get("fields", {})
        if not fields:
            break  # below a map of plain values are keys
    return bool(parts)


def disruption_of(
    path: Path,
    kind: str,
    minor: int,
    configs: Sequence[Mapping[str, Any]] = (),
    overrides: Mapping[str, str] | None = None,
    *,
    by_version: bool = False,
) -> Disruption:
    """What a change at a path asks of a node whose component is of that minor.

    configs: the effective configs before and after; a condition holds where it holds for one of them. overrides: the
    user's own classes by field path; the longest path that fits wins over all else. by_version: nobody says the field,
    it comes and goes with a Kubernetes version, so what runs on the node is as it was.
    """
    names = [".".join(str(part) for part in path[:length]) for length in range(len(path), 0, -1)]
    row = _row(names, kind, minor, configs)
    order = list(disruption_classes())
    if by_version and order.index(row["class"]) >= order.index(_MORE_THAN_RESTART):
        row = {"class": _USUAL, "note": ["a field of the other version, with its default: what runs is as it was"]}
    own = next((overrides[name] for name in names if overrides and name in overrides), None)
    if own is not None:
        row = {**(row if own == row["class"] else {}), "class": own, "note": ["as overridden"]}
    general = kind != _KUBELET and row["class"] == _USUAL
    return Disruption(
        row["class"],
        _RESTART if general else disruption_classes()[row["class"]],
        " ".join(row.get("note", ())),
        row.get("stateFile", ""),
        row.get("peer", ""),
        row["when"] if isinstance(row.get("when"), str) and "=" not in row["when"] else "",
    )


def _row(names: Sequence[str], kind: str, minor: int, configs: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    if kind != _KUBELET:
        row = _impact_data()["files"].get(kind, {"class": _USUAL})
        return cast("Mapping[str, Any]", row if row.get("since", 0) <= minor else {"class": _USUAL})
    fields = _impact_data()["fields"]
    known = next((fields[name] for name in names if name in fields), {"class": _USUAL})
    for row in _impact_data()["conditions"]:
        if row["field"] in names and _holds(row, minor, configs):
            return {"note": known.get("note", ()), **row}
    return cast("Mapping[str, Any]", known)


def _holds(row: Mapping[str, Any], minor: int, configs: Sequence[Mapping[str, Any]]) -> bool:
    if not row.get("since", 0) <= minor <= row.get("last", minor):
        return False
    if "when" not in row:
        return True
    met = any(all(config.get(field) == value for field, value in row["when"].items()) for config in configs)
    return met != bool(row.get("unless"))
