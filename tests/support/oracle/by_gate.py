# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by feature gate: each that a minor knows turned, unknown ones, and values that are not switches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._componentconfig._data._gate_history import GATES
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import by_name

from .case import Case, config

__all__ = ["by_gate"]

_STEP = 25  # of the gates that the minor does not know, every 25th is sufficient
_TOGETHER = 10  # gates that are not locked, turned in one case; locked ones are turned one by one


def by_gate(minor: int) -> Iterator[Case]:
    """Return cases of each gate of the minor, turned from its default, and of some unknown gates."""
    unknown: list[str] = []
    unlocked: dict[str, bool] = {}
    data = json.loads(GATES)
    for gate, rows in sorted(by_name(data["gates"]).items()):
        state = _state(rows, minor, data["usual"])
        if state is None:
            unknown.append(gate)
            continue
        _stage, default, locked = state
        if not locked:
            unlocked[gate] = not default
        else:
            yield config(f"gate {gate} turned", {f"featureGates.{gate}": not default})
            yield config(f"gate {gate} locked", {f"featureGates.{gate}": bool(default)})
    for first in range(0, len(unlocked), _TOGETHER):
        turned = dict(list(unlocked.items())[first : first + _TOGETHER])
        yield config(f"gate {min(turned)} and others turned", {"featureGates": turned})
    for gate in unknown[::_STEP]:
        yield config(f"gate {gate} unknown", {f"featureGates.{gate}": True})
    for gates in ({"AllAlpha": True}, {"AllBeta": False}, {"": True}, {"allAlpha": True}, {"AllAlpha ": True}):
        yield config(f"gate set {gates}", {"featureGates": gates})
    no_switches: tuple[Any, ...] = (1, "true", [True], {})
    for value in no_switches:
        yield config(f"gate value {value!r}", {"featureGates": {"TopologyManager": value}})


def _state(rows: list[list[Any]], minor: int, usual: dict[str, list[Any]]) -> list[Any] | None:
    """Return the stage, default and lock of a gate in the minor, or None if the minor does not have it."""
    state: list[Any] | None = None
    for row in rows:
        if row[0] <= minor:
            state = row[1:] or None
    if state is not None and len(state) == 1:
        return [*state, *usual[state[0]]]
    return state
