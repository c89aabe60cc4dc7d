# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell which feature gates a minor knows, which are on, and which cannot be set."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from .overlays import overlays
from .releases import by_name, minor_name, newest_minor

Stage = Literal["", "Alpha", "Beta", "GA", "Deprecated"]
"""The stage of a feature gate, "" for a removed one."""

GATE_GROUPS: Mapping[str, Stage] = {"AllAlpha": "Alpha", "AllBeta": "Beta"}
"""The names that switch all gates of a stage, and are no gates themselves."""


@lru_cache(maxsize=1)
def _gate_data() -> dict[str, Any]:
    """Return the histories of the gates by name, and the gates that they need."""
    from .._data._gate_history import GATES

    data = json.loads(GATES)
    for _names, rows in data["gates"]:
        for row in rows:
            if len(row) == 2:
                row += data["usual"][row[1]]
    return {**data, "gates": by_name(data["gates"])}


def _gate_rows(gate: str) -> list[list[Any]]:
    """Return the history of a gate: rows of minor, stage, default and lock, or of a minor alone if it is gone then."""
    rows: list[list[Any]] = [*_gate_data()["gates"].get(gate, ())]
    for overlay in overlays():
        state = list(overlay.gates.get(gate, ()))
        if overlay.gates and state != (rows[-1][1:] if rows else []):
            rows.append([overlay.minor, *state])
    return rows


def _newest_minor_with_gates() -> int:
    return max((newest_minor(), *(overlay.minor for overlay in overlays() if overlay.gates)))


class FeatureGates:
    """The feature gates of one minor, with the settings of a config.

    A minor newer than the data has the gates of the newest one.
    """

    def __init__(self, minor: int, settings: Mapping[str, Any]) -> None:
        self.minor = minor
        self._nearest = min(minor, _newest_minor_with_gates())
        self._settings = {gate: value for gate, value in settings.items() if isinstance(value, bool)}

    def _state_at(self, gate: str) -> tuple[list[Any] | None, list[Any] | None]:
        """Return a gate's state at the minor, None if the minor lacks it, and its latest state up to the minor."""
        current = latest = None
        for row in _gate_rows(gate):
            if row[0] <= self._nearest:
                current = row[1:] or None
                latest = current or latest
        return current, latest

    def is_on(self, gate: str) -> bool:
        """Return whether a gate is on: a removed one stays in its last state, a future one is off."""
        current, latest = self._state_at(gate)
        if current is None:
            return bool(latest and latest[1])
        stage, default, locked = current
        if locked:
            return bool(default)
        if gate in self._settings:
            return self._settings[gate]
        for group, stage_of_group in GATE_GROUPS.items():
            if stage == stage_of_group and group in self._settings:
                return self._settings[group]
        return bool(default)

    def is_known(self, gate: str) -> bool:
        """Return whether the minor accepts the gate's name."""
        return gate in GATE_GROUPS or self._state_at(gate)[0] is not None

    def refused_settings(self) -> Iterator[tuple[str, str]]:
        """Yield the gates that the config must not set, each with the reason."""
        for gate, value in self._settings.items():
            if gate in GATE_GROUPS:
                continue
            current, latest = self._state_at(gate)
            if current is None:
                rows = _gate_rows(gate)
                if not rows:
                    yield gate, "unknown feature gate"
                elif latest is None:
                    yield gate, f"unknown feature gate: it comes with Kubernetes {minor_name(rows[0][0])}"
                else:
                    removed = max(row[0] for row in rows if len(row) == 1 and row[0] <= self._nearest)
                    yield gate, f"unknown feature gate: it is gone since Kubernetes {minor_name(removed)}"
            elif current[2] and value != bool(current[1]):
                yield gate, f"the gate is locked: only {str(bool(current[1])).lower()} is allowed"

    def unmet_dependencies(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of a gate that is on and a gate that it depends on and that is off."""
        for gate in _gate_data()["needs"]:
            needed = [gates for since, gates in gate_dependencies(gate) if since <= self._nearest]
            if needed and self.is_known(gate) and self.is_on(gate):
                for dependency in needed[-1]:
                    if self.is_known(dependency) and not self.is_on(dependency):
                        yield gate, dependency


class GateState(NamedTuple):
    """The state of a gate from a minor on: its stage, its default, and whether the default is locked."""

    since: int
    stage: Stage
    default: bool
    locked: bool

    def __str__(self) -> str:
        switch = "on" if self.default else "off"
        return f"{self.stage}, {switch}" + (", locked" if self.locked else "") if self.stage else "gone"


def gate_names() -> tuple[str, ...]:
    """Return all gates that one of the minors knows, sorted."""
    return tuple(sorted({*_gate_data()["gates"], *(gate for overlay in overlays() for gate in overlay.gates)}))


def gate_history(gate: str) -> list[GateState]:
    """Return the states of a gate, oldest first; none for a name that no minor knows."""
    return [
        GateState(row[0], row[1], bool(row[2]), bool(row[3])) if row[1:] else GateState(row[0], "", False, False)
        for row in _gate_rows(gate)
    ]


def gate_state(gate: str, minor: int) -> GateState | None:
    """Return the state of a gate at a minor, None if no minor up to it has the gate."""
    states = [state for state in gate_history(gate) if state.since <= minor]
    return states[-1] if states else None


def gate_dependencies(gate: str) -> list[tuple[int, list[str]]]:
    """Return the gates that a gate depends on, each list with its first minor."""
    return list(_gate_data()["needs"].get(gate, ()))
