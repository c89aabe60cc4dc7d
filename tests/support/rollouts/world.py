# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with a pool of simulated nodes, and what a user does to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NAMESPACES
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials
from ansible_collections.configok.node.plugins.module_utils._kube.transport import ClientSettings, Timing
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.planner import make_plan
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.wave_limits import Progress
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import Pool, parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import publish_bundle
from ansible_collections.configok.node.plugins.module_utils._rollout._run.run_options import RunOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._run.runner import PoolRunner
from ansible_collections.configok.node.plugins.module_utils._rollout._run.wave_run import WaveResult
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Plan, Target
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from embedded_apiserver.server import EmbeddedApiServer
from support.configs.kubelet import kubelet_config
from support.rollouts.local_transport import LocalTransport
from support.rollouts.simulated_nodes import GOOD, SimulatedNodes, status_of
from support.rollouts.simulated_pods import SimulatedPods
from support.rollouts.virtual_clock import ServerClock, VirtualClock

__all__ = ["QUICK", "MakeWorld", "World"]

_TOKEN = "admin"
POLICY: dict[str, Any] = {
    "canary": {"count": 2, "soak": "5s"},
    "waves": ["50%", "100%"],
    "soak": "2s",
    "maxUnavailable": 2,
    "failureBudget": 1,
    "nodeTimeout": "60m",
}


# Nodes that give up soon.
QUICK: dict[str, Any] = {"nodeTimeout": "100s", "healthTimeout": "1s", "restartDelay": "1s", "timeToCrash": "1s"}


class MakeWorld(Protocol):
    """Makes a World of so many nodes in three zones; latency as for World.start()."""

    def __call__(self, count: int, *, latency: float = ...) -> World: ...


@dataclass
class World:
    """A cluster with one pool, and what a user does to it. All of it lives in virtual time, unless it is over HTTP."""

    clock: Clock
    server: EmbeddedApiServer
    client: Client
    nodes: SimulatedNodes
    pods: SimulatedPods
    reports: list[Progress] = field(default_factory=list)
    runs: int = 0
    lease_duration: float = 5.0
    options: dict[str, Any] = field(default_factory=dict)  # further RunOptions
    documents: dict[str, Any] = field(default_factory=dict)  # of the pool file
    hooks: dict[str, Callable[[], object]] = field(default_factory=dict)

    @classmethod
    def start(cls, count: int, *, latency: float = 0.005, **clock_options: float) -> World:
        """Start a cluster with so many nodes in three zones.

        latency: seconds that a request takes to the API server, and its answer back. clock_options: of VirtualClock.
        """
        random.seed(0)  # pauses are random, and tests are not
        clock = VirtualClock(begins=100.0, **clock_options)
        pods = SimulatedPods(clock)
        server = EmbeddedApiServer(clock=ServerClock(clock))
        server.add_token(_TOKEN, "admin", ("system:masters",))
        client = Client(
            Credentials(server="http://in-this-process", token=_TOKEN),
            timing=Timing(clock.sleep, clock.monotonic),
            transport=LocalTransport(server, _TOKEN, clock, latency=latency, pods=pods),
        )
        return cls(clock, server, client, _nodes(count, SimulatedNodes(client, clock=clock, delays=(1.0, 3.0))), pods)

    @classmethod
    def start_over_http(cls, count: int) -> World:
        """Start a cluster with so many nodes in real time, with sockets, threads that run at once, and no pods."""
        server = EmbeddedApiServer().start()
        server.add_token(_TOKEN, "admin", ("system:masters",))
        client = Client(Credentials(server=server.url, token=_TOKEN), ClientSettings(pool_size=32))
        nodes = _nodes(count, SimulatedNodes(client))
        return cls(Clock(), server, client, nodes, SimulatedPods(Clock()), lease_duration=1.0)

    def stop(self) -> None:
        """End all threads of this cluster."""
        if isinstance(self.clock, VirtualClock):
            self.clock.end()
        else:
            self.nodes.__exit__()
        self.client.close()
        self.server.stop()

    def pool(self, **policy: Any) -> Pool:
        settings = {"documents": self.documents, "policy": {**POLICY, **policy}}
        return parse_pool({"pool": "workers", "selector": "pool=workers", **settings})

    def publish(self, max_pods: int) -> Target:
        text = kubelet_config(f"maxPods: {max_pods}")
        bundle = build_bundle("workers", {"kubelet": text}, trial=Trial(1.0, 3))
        return publish_bundle(self.client, bundle, now=self.clock.now()).target

    def record(self) -> Record:
        return read_record(self.client, "workers")

    def rollout_recorded(self) -> Rollout:
        """Return the rollout in the pool's record; there must be one."""
        rollout = self.record().rollout
        assert rollout is not None
        return rollout

    def plan(self, target: Target, **policy: Any) -> Plan:
        return make_plan(list_nodes(self.client, selector="pool=workers"), self.pool(**policy), target, self.record())

    def runner(self, client: Any = None, name: str = "", **policy: Any) -> PoolRunner:
        """Return a run of its own."""
        self.runs += 1
        options = RunOptions(name or f"run {self.runs}", self.tell, self.clock, self.lease_duration, **self.options)
        return PoolRunner(client or self.client, self.pool(**policy), options)

    def move(self, made: Plan, wave: str, *, client: Any = None, runner: str = "") -> WaveResult:
        with self.runner(client, runner) as pool_runner:
            return pool_runner.run_wave(made, wave)

    def complete(self, made: Plan) -> WaveResult:
        """Record a plan without work as complete."""
        return self.runner().complete(made)

    def rollout(self, target: Target, *, client: Any = None, **policy: Any) -> list[WaveResult]:
        """Plan, then run wave after wave until one fails, as the playbook does."""
        plan = self.plan(target, **policy)
        if not plan.has_work:
            self.runs += 1
            return []
        with self.runner(client, **policy) as pool_runner:
            return pool_runner.run(plan)

    def later(self, seconds: float, do: Callable[[], object]) -> None:
        """Do something after `seconds`, in a thread of its own."""

        def run() -> None:
            self.clock.sleep(seconds)
            do()

        self.clock.start(run, f"in {seconds:g}s")

    def until(self, holds: Callable[[], bool], seconds: float = 600.0) -> None:
        """Wait until something is so."""
        deadline = self.clock.monotonic() + seconds
        while not holds():
            assert self.clock.monotonic() < deadline
            self.clock.sleep(0.1)

    def answer(self, name: str) -> None:
        """Have a node that was silent so far say that it is fine on what it is assigned."""
        view = self.nodes.view(name)
        if view.assigned.id > view.answered_id:
            self.nodes.say(name, *status_of(view, view.assigned.source, GOOD)[-1])

    def say_later(self, name: str, behaviour: str) -> None:
        """Have a node report now what this behaviour ends with."""
        view = self.nodes.view(name)
        self.nodes.say(name, *status_of(view, view.assigned.source, behaviour)[-1])

    def assign(self, name: str, source: ConfigSource | None) -> None:
        """Assign a node something by hand, and wait until it is fine on that."""
        assign_nodes(self.client, source, names=[name])
        self.until(lambda: self.nodes.view(name).is_on(source))

    def confirm(self, name: str) -> None:
        """Have the agent of a node confirm what it is assigned."""
        view = self.nodes.view(name)
        if view.answer.status is not None:
            self.nodes.report(view, view.answer.status._replace(confirmed=view.assigned.id))

    def break_node(self, name: str) -> None:
        """Make a node one whose component is failing, and which is not Ready."""
        view = self.nodes.view(name)
        verdict, status = status_of(view, None, GOOD)[-1]
        failing = {"kubelet": status.components["kubelet"]._replace(state="failing")}
        self.nodes.say(name, verdict._replace(status="False"), status._replace(components=failing))
        self.nodes.set_ready(name, False)

    def when(self, words: str, do: Callable[[], object]) -> None:
        """Do something as soon as the runner first says a line with these words."""
        self.hooks[words] = do

    def tell(self, progress: Progress) -> None:
        """Take what the runner says."""
        self.reports.append(progress)
        for words in [words for words in self.hooks if words in progress.line]:
            self.hooks.pop(words)()

    def lines(self) -> list[str]:
        return [progress.line for progress in self.reports]


def _nodes(count: int, nodes: SimulatedNodes) -> SimulatedNodes:
    """Create the namespaces and so many nodes, and let the nodes answer."""
    for name in ("configok-system", "configok-rollouts"):
        nodes.client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for number in range(count):
        nodes.add(f"n{number:02d}", zone=f"z{number % 3}")
    return nodes.__enter__()
