# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a rollout, as data. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ._target import Target

__all__ = ["BROKEN", "CANARY", "LeftOut", "Plan", "Wave", "wave_name", "with_canaries"]

BROKEN = "broken"
CANARY = "canary"


def wave_name(number: int) -> str:
    """Return the name of the wave with this number, from 1."""
    return f"wave {number}"


@dataclass(frozen=True)
class Wave:
    """Nodes that move together. name: "broken", "canary", "wave 1", ...; soak: seconds; finished: done by an earlier
    run.
    """

    name: str
    nodes: tuple[str, ...]
    soak: float
    finished: bool = False


def with_canaries(waves: tuple[Wave, ...], place: int, nodes: tuple[str, ...]) -> tuple[Wave, ...]:
    """Return the waves with these nodes in the canary, which is at that place, and in no later wave."""
    taken = set(nodes)
    later = [
        replace(wave, nodes=tuple(name for name in wave.nodes if name not in taken)) for wave in waves[place + 1 :]
    ]
    return (*waves[:place], replace(waves[place], nodes=nodes), *later)


@dataclass(frozen=True)
class LeftOut:
    """A node that this rollout does not touch, and why in one sentence."""

    node: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """Who moves when.

    size: nodes of the pool, the frozen denominator. already: nodes that use the target. refusals: why the rollout must
    not start. estimate: seconds. running: the waves are those of a rollout that an earlier run has begun. passed: nodes
    have shown already that they are good with the target.
    """

    pool: str
    target: Target
    revision: int
    size: int
    waves: tuple[Wave, ...]
    already: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    max_unavailable: int
    failure_budget: int
    node_timeout: float
    on_failure: str
    selector: str
    uncovered: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    estimate: float = 0.0
    running: bool = False
    passed: bool = False

    @property
    def changes(self) -> bool:
        """Return whether there is anything left to do."""
        return any(not wave.finished for wave in self.waves)

    def wave(self, name: str) -> Wave:
        """Return the wave of this name. Raises KeyError."""
        for wave in self.waves:
            if wave.name == name:
                return wave
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain data, for a module's result."""
        plain = {key: value for key, value in vars(self).items() if key not in ("target", "waves", "left_out")}
        return {
            **{key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()},
            "target": self.target.to_dict(),
            "waves": [{**vars(wave), "nodes": list(wave.nodes)} for wave in self.waves],
            "left_out": [dict(vars(one)) for one in self.left_out],
            "changes": self.changes,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Plan:
        """Read what to_dict made, as it comes back through a playbook. Raises KeyError, TypeError or ValueError."""
        return cls(
            pool=str(value["pool"]),
            target=Target.from_dict(value["target"]),
            revision=int(value["revision"]),
            size=int(value["size"]),
            waves=tuple(
                Wave(str(one["name"]), _names(one["nodes"]), float(one["soak"]), bool(one["finished"]))
                for one in value["waves"]
            ),
            already=_names(value["already"]),
            left_out=tuple(LeftOut(str(one["node"]), str(one["reason"])) for one in value["left_out"]),
            max_unavailable=int(value["max_unavailable"]),
            failure_budget=int(value["failure_budget"]),
            node_timeout=float(value["node_timeout"]),
            on_failure=str(value["on_failure"]),
            selector=str(value["selector"]),
            uncovered=_names(value["uncovered"]),
            gone=_names(value["gone"]),
            refusals=_names(value["refusals"]),
            warnings=_names(value["warnings"]),
            estimate=float(value["estimate"]),
            running=bool(value["running"]),
            passed=bool(value["passed"]),
        )


def _names(value: Any) -> tuple[str, ...]:
    return tuple(str(one) for one in value)
