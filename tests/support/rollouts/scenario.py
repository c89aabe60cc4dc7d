# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scripted fleet, a target and a policy: rollouts of it, run as often as a test likes, and their timeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Plan, Target
from support.rollouts.runner_process import Faults, Killed, RunnerProcess
from support.rollouts.scripted_fleet import Fleet, ScriptedFleet, a_world
from support.rollouts.timeline import Timeline
from support.rollouts.world import World

__all__ = ["End", "Scenario", "scenario"]


@dataclass(frozen=True)
class End:
    """How a pool ended: what the record says, and what each node has.

    nodes: what each is assigned ("target", "init" or a uid), and the status of ConfigOK. failed: kind of each node that
    the record names. bad: whether it is certain of each config that is refused.
    """

    phase: str
    nodes: Mapping[str, tuple[str, str]]
    failed: Mapping[str, str]
    bad: Mapping[str, bool]
    results: tuple[str, ...]


@dataclass
class Scenario:
    """A world in which the same rollout may be run again and again."""

    world: World
    scripted: ScriptedFleet
    target: Target
    policy: Mapping[str, Any]
    timeline: Timeline
    latency: float
    processes: int = 0

    def plan(self) -> Plan:
        """Plan the rollout as it stands."""
        return self.world.plan(self.target, **self.policy)

    def process(self, faults: Faults | None = None) -> RunnerProcess:
        """Return another runner that may run here."""
        self.processes += 1
        return RunnerProcess(
            self.world, self.timeline, f"runner-{self.processes}", faults or Faults(), latency=self.latency
        )

    def run(self, process: RunnerProcess | None = None) -> Exception | None:
        """Run the rollout until it ends, is killed or is refused. Return the error that ended it, None for a result."""
        process = process or self.process()
        try:
            self.world.rollout(self.target, client=process.client, **self.policy)
        except (RolloutError, KubeError) as error:
            return error
        except Killed:
            process.dead = True
        return None

    @property
    def rollout(self) -> Rollout | None:
        """Return the rollout in the record, None before it has begun."""
        rollout = self.world.record().rollout
        return rollout if rollout is not None and rollout.is_for(self.target) else None

    @property
    def phase(self) -> str:
        """Return the phase in the record, "" before the rollout has begun."""
        return "" if self.rollout is None else self.rollout.phase

    def story(self) -> str:
        """Return what the runners said, for the message of a failed assertion."""
        return "\n".join(self.world.lines())

    def end(self) -> End:
        """Return how the pool ended so far."""
        record = self.world.record()
        words, nodes = {self.target.uid: "target", "": "init"}, {}
        for name, track in self.timeline.nodes.items():
            if track.exists:
                nodes[name] = (words.get(track.uid, track.uid), self.world.nodes.view(name).answer.config_ok)
        return End(
            self.phase,
            nodes,
            {} if self.rollout is None else {failed.node: failed.kind for failed in self.rollout.failed_nodes},
            {words.get(bad.uid, bad.uid): bad.confirmed for bad in record.bad_configs},
            tuple(revision.result for revision in record.revisions),
        )


@contextmanager
def scenario(fleet: Fleet, policy: Mapping[str, Any], *, latency: float = 0.005) -> Iterator[Scenario]:
    """Start a world with this fleet, in which nothing has been rolled out yet."""
    with a_world(fleet, latency=latency) as (world, scripted):
        target = world.publish(100)
        timeline = Timeline(world, world.pool(**policy).policy.answer.timeout, target.uid, runners=set())
        scripted.begin(target)
        yield Scenario(world, scripted, target, policy, timeline, latency)
