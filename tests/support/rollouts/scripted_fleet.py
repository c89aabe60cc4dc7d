# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fleets as data: what each node does with a config, and what happens to the nodes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node, node_status
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import ANNOTATION_CONFIG_STATUS
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT, status_of
from support.rollouts.world import World

__all__ = ["Action", "Fleet", "Incident", "IncidentAction", "NodeScript", "ScriptedFleet", "Step", "a_world", "script"]

# What a node does. The last six are lies: a condition that looks good, and must not count.
Action = Literal[
    "adopting",
    "good",
    "failed",
    "not ready",
    "ready unknown",
    "ready",
    "deleted",
    "good for an older assignment",
    "good for a later assignment",
    "good on another config",
    "good without a status",
    "good with a damaged status",
    "good and frozen",
]
IncidentAction = Literal["not ready", "ready unknown", "ready", "deleted", "appears", "reassigned"]
_LONGEST = 6 * 3600.0  # seconds: no rollout of a fleet takes so long
_READY: Mapping[str, bool | None] = {"not ready": False, "ready unknown": None, "ready": True}


@dataclass(frozen=True)
class Step:
    """An action of a node. after: seconds since the step before, or since the assignment."""

    after: float
    action: Action


@dataclass(frozen=True)
class NodeScript:
    """What a node does when it is assigned the target. With any other config it is fine.

    start: the Ready condition before the rollout. "failing": not Ready, and its component is failing. "odd version":
    its kubelet reports a version that is not one of Kubernetes.
    """

    steps: tuple[Step, ...]
    start: Literal["ready", "not ready", "ready unknown", "failing", "no agent", "odd version"] = "ready"
    version: str = "v1.35.0"


def script(*steps: tuple[float, Action], **attributes: Any) -> NodeScript:
    """Return a script from pairs of seconds and actions."""
    return NodeScript(tuple(Step(after, action) for after, action in steps), **attributes)


@dataclass(frozen=True)
class Incident:
    """What happens to a node whether or not it is assigned anything. at: seconds after the rollout begins.

    "appears": the node does not exist before. "reassigned": another client assigns it the init config.
    """

    at: float
    number: int
    action: IncidentAction


@dataclass(frozen=True)
class Fleet:
    """The nodes n00, n01, ... in three zones, and the incidents, in any order."""

    nodes: tuple[NodeScript, ...]
    incidents: tuple[Incident, ...] = ()

    @property
    def names(self) -> list[str]:
        """Return the names of all nodes, also of those that appear later."""
        return [_name(number) for number in range(len(self.nodes))]


@contextmanager
def a_world(fleet: Fleet, *, latency: float = 0.005) -> Iterator[tuple[World, ScriptedFleet]]:
    """Start a world with the nodes of a fleet, and stop it in the end. Everything answers the init config so far."""
    world = World.start(0, latency=latency, longest=_LONGEST)
    try:
        yield world, ScriptedFleet(world, fleet)
    finally:
        world.stop()


@dataclass
class ScriptedFleet:
    """The nodes of a world that act by their scripts."""

    world: World
    fleet: Fleet
    scripts: dict[str, NodeScript] = field(default_factory=dict)
    _source: ConfigSource | None = None
    _acts: bool = False

    def __post_init__(self) -> None:
        """Create the nodes that exist from the beginning."""
        self.world.nodes.behaviour = self._behave
        late = {incident.number for incident in self.fleet.incidents if incident.action == "appears"}
        for number, node_script in enumerate(self.fleet.nodes):
            self.scripts[_name(number)] = node_script
            if number not in late:
                self._create(number)

    def begin(self, target: Target) -> None:
        """From now on the scripts apply to this target, and the time of the incidents begins."""
        self._source, self._acts = target.source, True
        if self.fleet.incidents:
            self.world.clock.start(self._play_incidents, "incidents")

    def _create(self, number: int) -> None:
        name = _name(number)
        node_script = self.scripts[name]
        start = node_script.start
        self.world.nodes.add(
            name,
            zone=f"z{number % 3}",
            ready=start != "not ready",
            agent=start != "no agent",
            version="v2.0.0-next" if start == "odd version" else node_script.version,
        )
        if start == "ready unknown":
            self.world.nodes.set_ready(name, None)
        elif start == "failing":
            self.world.break_node(name)

    def _behave(self, name: str, source: ConfigSource | None) -> str:
        if not self._acts or source != self._source:
            return GOOD
        self.world.clock.start(partial(self._play, name, source), f"script of {name}")
        return SILENT

    def _play(self, name: str, source: ConfigSource | None) -> None:
        first: NodeView | None = None
        for step in self.scripts[name].steps:
            self.world.clock.sleep(step.after)
            try:
                view = self.world.nodes.view(name)
                first = first or view
                if view.assigned.id != first.assigned.id or view.assigned.source != source or view.uid != first.uid:
                    return  # it is assigned something else by now
                self._act(name, source, first, step.action)
            except NotFound:
                return

    def _act(self, name: str, source: ConfigSource | None, view: NodeView, action: Action) -> None:
        nodes = self.world.nodes
        adopting, good = status_of(view, source, GOOD)
        if action in _READY:
            nodes.set_ready(name, _READY[action])
        elif action == "adopting":
            nodes.say(name, *adopting)
        elif action == "good and frozen":
            nodes.frozen.add(name)
            nodes.say(name, good[0], good[1]._replace(confirmed=0))
        elif action == "good":
            nodes.say(name, *good)
        elif action == "failed":
            nodes.say(name, *status_of(view, source, CRASHES)[-1])
        elif action == "deleted":
            self.world.client.delete(node(name))
        elif action == "good for an older assignment":
            nodes.say(name, good[0], good[1]._replace(assignment=view.assigned.id - 1))
        elif action == "good for a later assignment":
            nodes.say(name, good[0], good[1]._replace(assignment=view.assigned.id + 7))
        elif action == "good on another config":
            nodes.say(name, good[0], good[1]._replace(active=None))
        else:
            condition = {"type": "ConfigOK", "status": "True", "reason": "all checks passed", "message": "trust me"}
            body: dict[str, Any] = {"status": {"conditions": [condition]}}
            if action == "good with a damaged status":
                body["metadata"] = {"annotations": {ANNOTATION_CONFIG_STATUS: '{"assignment": "all of them'}}
            self.world.client.patch(node_status(name), body, kind="strategic")

    def _play_incidents(self) -> None:
        began = self.world.clock.monotonic()
        for incident in sorted(self.fleet.incidents, key=lambda incident: incident.at):
            self.world.clock.sleep(began + incident.at - self.world.clock.monotonic())
            name = _name(incident.number)
            try:
                if incident.action == "appears":
                    if self.world.client.find(node(name)) is None:
                        self._create(incident.number)
                elif incident.action == "deleted":
                    self.world.client.delete(node(name))
                elif incident.action == "reassigned":
                    assign_nodes(self.world.client, None, names=[name], forget_bad=True)
                else:
                    self.world.nodes.set_ready(name, _READY[incident.action])
            except (NotFound, RolloutError):
                continue  # it was deleted, or has not appeared yet


def _name(number: int) -> str:
    return f"n{number:02d}"
