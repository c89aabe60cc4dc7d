# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Feature gates: what a minor knows, what is on, what may not be set.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ._releases import minor_name, newest_minor

__all__ = ["GateState", "FeatureGates", "gate_history", "gate_names", "gate_dependencies"]

_GROUPS = {"AllAlpha": "Alpha", "AllBeta": "Beta"}


@lru_cache(maxsize=1)
def _gate_data() -> dict[str, Any]:
    from .._data._gate_history import GATES

    return cast("dict[str, Any]", json.loads(GATES))


class FeatureGates:
    """The feature gates of one minor with those that a config sets; a minor newer than the data is judged as the
    newest."""

    def __init__(self, minor: int, given: Mapping[str, Any]) -> None:
        self.minor = minor
        self.certain = minor <= newest_minor()
        self._at = min(minor, newest_minor())
        self._given = {gate: value for gate, value in given.items() if isinstance(value, bool)}

    def _row(self, gate: str) -> tuple[list[Any] | None, list[Any] | None]:
        """The gate's state now (None where the minor does not have it) and the last state that it had until now."""
        now = last = None
        for row in _gate_data()["gates"].get(gate, ()):
            if row[0] <= self._at:
                now = row[1:] or None
                last = now or last
        return now, last

    def on(self, gate: str) -> bool:
        """Whether a gate is on; one that is gone stays as it was last, one that is not there yet is off."""
        now, last = self._row(gate)
        if now is None:
            return bool(last and last[1])
        stage, default, locked = now
        if locked:
            return bool(default)
        if gate in self._given:
            return self._given[gate]
        for group, of_stage in _GROUPS.items():
            if stage == of_stage and group in self._given:
                return self._given[group]
        return bool(default)

    def known(self, gate: str) -> bool:
        """Whether the minor accepts the gate's name."""
        return gate in _GROUPS or self._row(gate)[0] is not None

    def unknown_or_locked(self) -> Iterator[tuple[str, str]]:
        """The gates that the config may not set, each with the reason."""
        for gate, value in self._given.items():
            if gate in _GROUPS:
                continue
            now, last = self._row(gate)
            if now is None:
                rows = _gate_data()["gates"].get(gate)
                if not rows:
                    yield gate, "unknown feature gate"
                elif last is None:
                    yield gate, f"unknown feature gate: it comes with Kubernetes {minor_name(rows[0][0])}"
                else:
                    gone = max(row[0] for row in rows if len(row) == 1 and row[0] <= self._at)
                    yield gate, f"unknown feature gate: it is gone since Kubernetes {minor_name(gone)}"
            elif now[2] and value != bool(now[1]):
                yield gate, f"the gate is locked: only {str(bool(now[1])).lower()} is allowed"

    def missing_needs(self) -> Iterator[tuple[str, str]]:
        """Gates that are on, by the config, while a gate they need is off: pairs of both."""
        needs = _gate_data()["needs"]
        table = needs.get(str(self._at), {})
        for gate, wanted in table.items():
            if self.known(gate) and self.on(gate):
                for other in wanted:
                    if self.known(other) and not self.on(other):
                        yield gate, other


class GateState(NamedTuple):
    """What a gate is from a minor on: its stage, its default, whether that is locked; stage "" where it is gone."""

    since: int
    stage: str
    default: bool
    locked: bool


def gate_names() -> tuple[str, ...]:
    """All gates that one of the minors knows, sorted."""
    return tuple(sorted(_gate_data()["gates"]))


def gate_history(gate: str) -> list[GateState]:
    """The states of a gate, oldest first; none for a name that no minor knows."""
    return [
        GateState(row[0], row[1], bool(row[2]), bool(row[3])) if row[1:] else GateState(row[0], "", False, False)
        for row in _gate_data()["gates"].get(gate, ())
    ]


def gate_dependencies(gate: str) -> list[tuple[int, list[str]]]:
    """The gates that a gate needs, from the minors on that check it; from a minor that says otherwise anew."""
    found: list[tuple[int, list[str]]] = []
    for minor, table in sorted((int(key), table) for key, table in _gate_data()["needs"].items()):
        needed = list(table.get(gate, ()))
        if needed != (found[-1][1] if found else []):
            found.append((minor, needed))
    return found
