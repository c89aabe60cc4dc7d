# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts without a provider: what their Machines declare, and a provider that changes them in virtual time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node_status
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.machine_planner import (
    make_machine_plan,
    needs_run,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_goals import (
    installed_versions,
    unmet,
    unmet_versions,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import Pool
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from ansible_collections.configok.node.plugins.module_utils._rollout._run.host_change import MachineRequest
from ansible_collections.configok.node.plugins.module_utils._rollout._run.run_options import RunOptions
from ansible_collections.configok.node.plugins.module_utils._rollout._run.runner import PoolRunner
from ansible_collections.configok.node.plugins.module_utils._rollout._run.wave_run import WaveResult
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import MachineGoal
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Plan, Target
from support.rollouts.world import World

__all__ = ["NEW", "OLD", "RECORD", "Declared", "MachineWorld", "SimulatedHosts"]

RECORD = "machines"
OLD, NEW = "1.34.8", "1.34.9"
_RUNTIME = ("containerd", "1.7.24")


@dataclass(frozen=True)
class Declared:
    """What a Machine declares. provider: a hash of its providerConfig; another one needs a replacement."""

    kubelet: str = OLD
    runtime: tuple[str, str] = _RUNTIME
    source: ConfigSource | None = None
    labels: Mapping[str, str | None] = field(default_factory=dict)
    taints: tuple[tuple[str, str, str], ...] = ()
    untaint: tuple[str, ...] = ()
    present: bool = True
    provider: str = "p1"
    disruption: str = ""

    def annotation(self, name: str) -> str:
        """Return the annotation that a run writes."""
        versions = {"kubelet": self.kubelet, "runtime": " ".join(self.runtime)}
        return json.dumps({"machine": name, "provider": "Test", "providerHash": self.provider, **versions})

    def goal(self, name: str, view: NodeView | None) -> MachineGoal:
        """Return the goal of the machine, as the comparison with its Node gives it."""
        goal = MachineGoal(
            self.source,
            kubelet_version=self.kubelet,
            runtime=self.runtime,
            labels=self.labels,
            taints=self.taints,
            untaint=self.untaint,
            annotation=self.annotation(name),
            needs_host=False,
            needs_drain=False,
        )
        if not self.present:
            return replace(goal, action="delete", needs_host=True, needs_drain=True)
        if view is None:
            return replace(goal, action="create", needs_host=True)
        if view.machine and json.loads(view.machine)["providerHash"] != self.provider:
            return replace(goal, action="replace", needs_host=True, needs_drain=True)
        changes = bool(unmet_versions(view, goal))
        installed = installed_versions(view)
        changes_config = not view.is_assigned(self.source)
        previous = {
            "kubelet": installed.kubelet_version or view.system.kubelet_version[1:],
            "runtime": installed.runtime if installed.runtime[0] else view.system.runtime,
        }
        disruption = self.disruption if changes_config else ""
        return replace(goal, needs_host=changes, needs_drain=changes, previous=previous, disruption=disruption)


@dataclass
class SimulatedHosts:
    """The hosts of a world, and the provider of the machines on them.

    fails: by machine and action, why the provider fails. broken: versions of the kubelet that are never Ready. during:
    is called in the middle of each action. calls: (machine, action, version) of each action that has begun. errors:
    what must not be, as sentences.
    """

    world: World
    fails: dict[tuple[str, str], str] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    during: Callable[[MachineRequest], object] = lambda _request: None
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    at_work: set[str] = field(default_factory=set)
    most_at_work: int = 0
    hosts: dict[str, tuple[str, tuple[str, str]]] = field(default_factory=dict)  # versions of each host with a kubelet
    seconds: float = 20.0  # that a provider works on a host

    def add(self, name: str, declared: Declared, *, zone: str = "") -> None:
        """Let a host run what a Machine declares, before any run."""
        self.hosts[name] = (declared.kubelet, declared.runtime)
        self.world.nodes.add(name, zone=zone, version=f"v{declared.kubelet}")
        self._report(name)

    def change(self, request: MachineRequest) -> str:
        """Do what a provider does, in virtual time."""
        name = request.machine
        version = request.goal.kubelet_version
        if request.action == "rollback":
            version = str(request.goal.previous["kubelet"])
        self.calls.append((name, request.action, version))
        self.at_work.add(name)
        self.most_at_work = max(self.most_at_work, len(self.at_work))
        try:
            self._check(request)
            return self._change(request, version)
        finally:
            self.at_work.discard(name)

    def _change(self, request: MachineRequest, version: str) -> str:
        name, action, clock = request.machine, request.action, self.world.clock
        clock.sleep(self.seconds / 2)
        if action in ("update", "rollback"):
            self.world.nodes.set_ready(name, False)
        self.during(request)
        clock.sleep(self.seconds / 2)
        failure = self.fails.get((name, action), "")
        if failure:
            return failure
        if action == "delete":
            self.hosts.pop(name, None)
            if self._exists(name):
                self.world.nodes.set_ready(name, None)
            return ""
        runtime = request.goal.previous["runtime"] if action == "rollback" else request.goal.runtime
        self.hosts[name] = (version, tuple(runtime))
        if action == "create" and not self._exists(name):
            self.world.later(self.seconds / 6, lambda: self._register(name))
        else:
            self._report(name)
        return ""

    def _register(self, name: str) -> None:
        version, _runtime = self.hosts[name]
        self.world.nodes.add(name, version=f"v{version}", ready=False)
        self.world.clock.sleep(self.seconds / 6)
        self._report(name)

    def _report(self, name: str) -> None:
        """Let a kubelet report its versions, and whether it is Ready."""
        version, runtime = self.hosts[name]
        runtime = (
            runtime[0],
            runtime[1].partition("-")[0],
        )  # a package has a revision, of which its program knows nothing
        info = {"kubeletVersion": f"v{version}", "containerRuntimeVersion": "://".join(runtime)}
        self.world.client.patch(node_status(name), {"status": {"nodeInfo": info}}, kind="strategic")
        self.world.nodes.set_ready(name, version not in self.broken)

    def _exists(self, name: str) -> bool:
        try:
            self.world.nodes.view(name)
        except NotFound:
            return False
        return True

    def _check(self, request: MachineRequest) -> None:
        if request.action == "create" or not self._exists(request.machine):
            return
        pods = [pod for pod in self.world.pods.on(request.machine) if not pod.startswith("agent-")]
        if pods or not self.world.nodes.view(request.machine).unschedulable:
            self.errors.append(f"{request.action} of {request.machine} with {pods}, which is not drained")


@dataclass
class MachineWorld:
    """A world whose machines are declared, and runs that make them so."""

    world: World
    hosts: SimulatedHosts
    declared: dict[str, Declared]
    policy: dict[str, Any]
    name: str = RECORD  # of their record

    @classmethod
    def of(cls, world: World, count: int, *, prefix: str = "m", **policy: Any) -> MachineWorld:
        """Return a world with so many machines, which are as declared."""
        machines = cls(world, SimulatedHosts(world), {}, policy)
        for number in range(count):
            name = f"{prefix}{number:02d}"
            machines.declared[name] = Declared()
            machines.hosts.add(name, machines.declared[name], zone=f"z{number % 3}")
        return machines

    def declare(self, *names: str, **changes: Any) -> None:
        """Change what Machines declare; all, if none is named."""
        for name in names or tuple(self.declared):
            self.declared[name] = replace(self.declared.get(name, Declared()), **changes)

    def views(self) -> dict[str, NodeView]:
        """Return the Nodes of the machines."""
        return {view.name: view for view in list_nodes(self.world.client) if view.name in self.declared}

    def target(self) -> Target:
        """Return the target as a run computes it from the files and the Nodes."""
        views = self.views()
        goals = {name: declared.goal(name, views.get(name)) for name, declared in sorted(self.declared.items())}
        content = hashlib.sha256(repr(sorted(self.declared.items())).encode()).hexdigest()
        return Target.of_machines(f"machines-{content[:10]}", content, goals)

    def plan(self) -> Plan:
        """Plan as a run does."""
        policy = self.world.pool(**self.policy).policy
        return make_machine_plan(self.views().values(), self.target(), policy, self.record(), name=self.name)

    def run(self, *, client: Any = None) -> list[WaveResult]:
        """Plan and run, as the action does; nothing is written where nothing is to be done."""
        plan = self.plan()
        if not needs_run(plan, self.views().values()):
            return []
        world = self.world
        world.runs += 1
        options = RunOptions(
            f"run {world.runs}",
            world.tell,
            world.clock,
            world.lease_duration,
            change_machine=self.hosts.change,
            **world.options,
        )
        pool = Pool(self.name, "", world.pool(**self.policy).policy)
        with PoolRunner(client or world.client, pool, options, names=frozenset(self.declared)) as runner:
            return runner.run(plan)

    def record(self) -> Record:
        """Return the record of the machines."""
        return read_record(self.world.client, self.name)

    def rollout(self) -> Rollout:
        """Return their rollout; there must be one."""
        rollout = self.record().rollout
        assert rollout is not None
        return rollout

    def lacking(self) -> dict[str, str]:
        """Return what each machine lacks, by name."""
        lacking, views = {}, self.views()
        for name, declared in self.declared.items():
            view = views.get(name)
            if view is None:
                missing = "it has no Node" if declared.present else ""
            elif not declared.present:
                missing = "it has a Node"
            else:
                goal = declared.goal(name, view)
                missing = unmet(view, goal) or ("" if view.is_on(declared.source) else view.report)
                missing = missing or ("it is cordoned" if view.unschedulable or view.cordoned_by else "")
            if missing:
                lacking[name] = missing
        return lacking
