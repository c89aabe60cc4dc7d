# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as data: the target of a rollout, its waves, and the nodes that it skips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from .._nodeconfig.assignment import ConfigSource
from .._nodeconfig.bundle_trial import Trial
from .goals import Goal, GoalAction, MachineGoal

OnFailure = Literal["halt", "rollback"]  # what happens to a wave's nodes when the wave fails

INIT: Final = "init"

TargetKind = Literal["config", "machines"]
CONFIG: Final = "config"  # one config for all nodes
MACHINES: Final = "machines"  # each node has a goal of its own


@dataclass(frozen=True)
class Target:
    """A bundle that is published (uid set), one that is not yet (uid ""), the init config (name "init"), or Machines.

    trial: None for the init config, which becomes last-known-good at once. goals: of Machines, by name; a record does
    not keep them, so a target that was read from it has none.
    """

    name: str
    namespace: str = ""
    uid: str = ""
    content_hash: str = ""
    components: tuple[str, ...] = ()
    trial: Trial | None = None
    kind: TargetKind = CONFIG
    goals: Mapping[str, MachineGoal] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def init(cls) -> Target:
        """Return the init config as a target: what every node was provisioned with."""
        return cls(INIT)

    @classmethod
    def of_machines(
        cls, name: str, content_hash: str, goals: Mapping[str, MachineGoal], *, trial: Trial | None = None
    ) -> Target:
        """Return what these Machines declare as a target. The hash is of all that they declare: it names the target.

        goals: of every Machine, also of one that needs no change, by its name. trial: the longest of their bundles.
        """
        return cls(name, content_hash=content_hash, trial=trial, kind=MACHINES, goals=goals)

    def goal(self, node: str) -> Goal | None:
        """Return what a node of this name is to reach, None when that is not known: Machines read from a record."""
        return self.goals.get(node) if self.is_machines else Goal(self.source)

    def machines_to(self, *actions: GoalAction) -> frozenset[str]:
        """Return the machines with which one of these actions is done."""
        return frozenset(name for name, goal in self.goals.items() if goal.action in actions)

    @property
    def is_machines(self) -> bool:
        """Return whether each node has a goal of its own, which its Machine declares."""
        return self.kind == MACHINES

    @property
    def is_init(self) -> bool:
        """Return whether this is the init config."""
        return not self.namespace and not self.is_machines

    @property
    def is_published(self) -> bool:
        """Return whether nodes can be assigned it."""
        return self.is_init or self.is_machines or bool(self.uid)

    @property
    def source(self) -> ConfigSource | None:
        """Return the config source to assign, None for the init config.

        It is also None for a bundle that is not published: check is_published first. Machines have no common source:
        use goal().
        """
        return ConfigSource(self.namespace, self.name, self.uid) if self.uid else None

    def to_dict(self) -> dict[str, Any]:
        """Return the target as plain data."""
        return {
            "name": self.name,
            "namespace": self.namespace,
            "uid": self.uid,
            "content_hash": self.content_hash,
            "components": list(self.components),
            "trial": None if self.trial is None else self.trial.encode(),
            **({"kind": self.kind} if self.is_machines else {}),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Target:
        """Read the output of to_dict. Raises KeyError, InvalidTrial."""
        return cls(
            str(value["name"]),
            str(value["namespace"]),
            str(value["uid"]),
            str(value["content_hash"]),
            _texts(value["components"]),
            None if value["trial"] is None else Trial.parse(value["trial"]),
            MACHINES if value.get("kind") == MACHINES else CONFIG,
        )


# The waves that are not numbered.
BROKEN: Final = "broken"
BROKEN_CANARY: Final = "broken canary"  # the first broken nodes, if the config has passed nowhere
BROKEN_WAVES: Final = (BROKEN_CANARY, BROKEN)
CANARY: Final = "canary"
ROLLBACK: Final = "rollback"


def wave_name(number: int) -> str:
    """Return the name of the wave with this number, from 1."""
    return f"wave {number}"


@dataclass(frozen=True)
class Wave:
    """Nodes that move together.

    name: "broken canary", "broken", "canary", "wave 1", ...; soak: seconds; finished: in an earlier run.
    """

    name: str
    nodes: tuple[str, ...]
    soak: float
    finished: bool = False


def replace_canary(waves: tuple[Wave, ...], position: int, nodes: tuple[str, ...]) -> tuple[Wave, ...]:
    """Return the waves with these nodes in the canary, which is at that position, and in no later wave."""
    taken = set(nodes)
    later = [
        replace(wave, nodes=tuple(name for name in wave.nodes if name not in taken)) for wave in waves[position + 1 :]
    ]
    return (*waves[:position], replace(waves[position], nodes=nodes), *later)


@dataclass(frozen=True)
class SkippedNode:
    """A node that this rollout does not touch, and the reason in one sentence."""

    node: str
    reason: str


@dataclass(frozen=True)
class UnmovedNodes:
    """The nodes that a plan has in no wave, by the reason.

    already_on_target: nodes that use the target. vanished: nodes of the waves that no longer exist. left_out: skipped
    nodes that do not join the last wave later, as new nodes do.
    """

    already_on_target: tuple[str, ...] = ()
    skipped: tuple[SkippedNode, ...] = ()
    vanished: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class PlanLimits(NamedTuple):
    """The limits that a rollout keeps, as numbers for its pool. node_timeout: seconds for a node to answer."""

    max_unavailable: int
    failure_budget: int
    node_timeout: float
    on_failure: OnFailure


class Proof(NamedTuple):
    """What speaks for a target before its rollout starts.

    has_passed: nodes have already passed on it. is_used: a node that is Ready uses it.
    """

    has_passed: bool = False
    is_used: bool = False


@dataclass(frozen=True)
class Plan:
    """The waves of a rollout, the nodes that it does not move, and the limits that it keeps.

    pool_size: the number of nodes that percentages are of, frozen for the rollout. proof: of the target. uncovered:
    what the canary does not cover. refusals: why the rollout must not start. estimate: seconds. is_resumed: the waves
    are those of a rollout that an earlier run has started. to_drain, to_reboot: nodes of which the change asks this.
    """

    pool: str
    selector: str
    target: Target
    revision: int
    pool_size: int
    waves: tuple[Wave, ...]
    unmoved: UnmovedNodes
    limits: PlanLimits
    proof: Proof = Proof()
    uncovered: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    estimate: float = 0.0
    is_resumed: bool = False
    to_drain: tuple[str, ...] = ()
    to_reboot: tuple[str, ...] = ()

    @property
    def has_work(self) -> bool:
        """Return whether a wave is left to move."""
        return any(not wave.finished for wave in self.waves)

    def wave(self, name: str) -> Wave:
        """Return the wave of this name. Raises KeyError."""
        for wave in self.waves:
            if wave.name == name:
                return wave
        raise KeyError(name)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(text) for text in value)
