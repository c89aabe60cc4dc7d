# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan the rollout of Machines: create, update, replace and delete them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..._text import count_of, first_names, sanitize
from .._drain._settings import REBOOT, REPLACE, WITH_DRAIN, forbidding_class
from .._drain.cordon import own_cordons
from .._nodes.node_view import NodeSystem, NodeView
from .._pool.policy import Policy
from .._pool.pool_file import Pool
from .._record.record import Record
from ..goals import MachineGoal
from ..plan import Plan, Target
from .planner import make_plan

HOST_SECONDS = 90.0  # for one host: drain, packages, a restart of the kubelet
_DRAIN = "drain"
_NAMES_SHOWN = 5


def make_machine_plan(
    views: Iterable[NodeView],
    target: Target,
    policy: Policy,
    record: Record,
    *,
    name: str,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    left_out: Mapping[str, str] | None = None,
) -> Plan:
    """Plan the rollout that makes machines what they are declared to be, or the rest of one that has started.

    Every machine is in exactly one of the plan's parts. Machines to delete are in a wave of their own, the last one.
    views: of the Nodes; others do not count. target: has the goals. name: of the record. labels:
    those that are declared for the Node of each machine, for one that does not exist yet: the canary covers it by them.
    left_out: machines that are not moved for another reason, with the reason.
    """
    by_name = {view.name: view for view in views}
    machines = [
        by_name.get(machine) or _node_to_be(machine, goal, (labels or {}).get(machine, {}))
        for machine, goal in target.goals.items()
        if machine in by_name or goal.action != "update"
    ]
    plan = make_plan(machines, Pool(name, "", policy), target, record, left_out=left_out)
    moving = {
        machine: target.goals[machine]
        for wave in plan.waves
        if not wave.finished
        for machine in wave.nodes
        if machine in target.goals
    }
    missing = sorted(target.goals.keys() - {view.name for view in machines})
    drained = tuple(sorted(machine for machine in moving if _needs_drain(moving[machine]) and machine in by_name))
    return replace(
        plan,
        refusals=(*plan.refusals, *_refusals(policy, moving, missing)),
        to_drain=drained,
        to_reboot=tuple(machine for machine in drained if moving[machine].disruption == REBOOT),
        estimate=plan.estimate + _host_seconds(plan, moving),
    )


def needs_run(plan: Plan, views: Iterable[NodeView]) -> bool:
    """Return whether a run has anything to do, or to say; if not, it writes nothing."""
    return plan.has_work or plan.is_resumed or bool(plan.refusals) or bool(own_cordons(views, plan.pool))


def left_behind_warnings(record: Record, plan: Plan, nodes: Iterable[NodeView]) -> list[str]:
    """Return what an earlier run has left behind, and this plan leaves alone. nodes: all of the cluster."""
    warnings = []
    rollout, target = record.open_rollout, plan.target
    if plan.has_work and rollout is not None and not rollout.is_for(target):
        warnings.append(
            f"the rollout of {sanitize(rollout.target.name)} is not finished ({rollout.phase}): this one takes its "
            "place, since other Machines are selected, or they declare something else"
        )
    left = own_cordons([view for view in nodes if view.name not in target.goals], record.pool)
    if left:
        names = f"{'Node' if len(left) == 1 else 'Nodes'} {first_names(left, _NAMES_SHOWN)}"
        warnings.append(
            f"{names}: still cordoned by an earlier run of {record.pool}, which may have changed the host by half, and "
            "left out of this one: select the Machine too, or check the host and run kubectl uncordon"
        )
    return warnings


def _node_to_be(name: str, goal: MachineGoal, labels: Mapping[str, str]) -> NodeView:
    """Return the view of a Node that does not exist: it has no uid, and is not down."""
    declared = {key: text for key, text in goal.labels.items() if text is not None}
    version = f"v{goal.kubelet_version}" if goal.kubelet_version else ""
    system = NodeSystem(version, runtime=goal.runtime)
    return NodeView(name, "", labels={**labels, **declared}, system=system, ready=True)


def _refusals(policy: Policy, moving: Mapping[str, MachineGoal], missing: Sequence[str]) -> list[str]:
    """Return why machines must not be moved so. missing: machines whose Node has gone since they were compared."""
    refusals = []
    if policy.on_failure == "rollback" and moving:
        refusals.append(
            "policy.onFailure: rollback is not possible with Machines: each machine that fails returns to its previous "
            "versions, and the others stay as they are: set halt"
        )
    if missing:
        refusals.append(f"{first_names(missing, _NAMES_SHOWN)} lost its Node while it was planned: run it again")
    by_reason: dict[str, list[str]] = {}
    for name in sorted(moving):
        disruption = _disruption(moving[name])
        if disruption == REBOOT and not policy.reboot.allowed:
            by_reason.setdefault("its config needs a reboot: set policy.reboot.allowed", []).append(name)
        forbidding = forbidding_class(disruption, policy.disruptions.forbid) if disruption else ""
        if forbidding:
            by_reason.setdefault(f"its class {disruption} is forbidden by policy.forbid ({forbidding})", []).append(
                name
            )
    for reason, names in by_reason.items():
        machines = f"{count_of(len(names), 'machine')} ({first_names(names, _NAMES_SHOWN)})"
        refusals.append(f"{machines}: {reason}")
    return refusals


def _disruption(goal: MachineGoal) -> str:
    """Return the class of what a machine undergoes, "" for nothing."""
    if goal.action == "replace":
        return REPLACE
    if goal.disruption and goal.action == "update":
        return goal.disruption
    return _DRAIN if goal.needs_drain and goal.action != "create" else ""


def _needs_drain(goal: MachineGoal) -> bool:
    return goal.needs_drain or (goal.action == "update" and goal.disruption in WITH_DRAIN)


def _host_seconds(plan: Plan, moving: Mapping[str, MachineGoal]) -> float:
    """Return the seconds that the changes of hosts add to the waves."""
    at_once = max(1, plan.limits.max_unavailable)
    counts = [
        sum(1 for name in wave.nodes if name in moving and moving[name].needs_host)
        for wave in plan.waves
        if not wave.finished
    ]
    return sum(-(-count // at_once) * HOST_SECONDS for count in counts)
