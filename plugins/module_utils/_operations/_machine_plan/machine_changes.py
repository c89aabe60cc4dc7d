# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Select the Machines of a cluster, and read what has to change on their Nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..._kube.api_client import Client
from ..._kube.api_paths import NODES, VERSION
from ..._machines import MachinesError
from ..._machines._changes.cluster_changes import plan_cluster
from ..._machines._changes.observe import observe
from ..._machines._changes.plan_change import machine_name
from ..._machines._changes.types import MachineChange, ObservedMachine
from ..._machines._objects.cluster_values import cluster_kubelet_config
from ..._machines._objects.selectors import select
from ..._machines._objects.types import Cluster, Machine, MachineCatalog
from ..._machines._status import MachineStatus, statuses_of
from ..._rollout._record.record import Record
from ..._rollout._record.record_store import read_record
from ._machine_configs import ResolvedConfigs, resolve_configs


class MachineSelection(NamedTuple):
    """The Machines of a run, of one cluster.

    allows_not_judged: whether a kubelet may be of a release whose data are not whole.
    """

    catalog: MachineCatalog
    cluster: Cluster
    machines: tuple[Machine, ...]
    allows_not_judged: bool = False


def select_machines(catalog: MachineCatalog, cluster: str, selector: str) -> MachineSelection:
    """Return the Machines that a selector selects. cluster: "" for the catalog's only one. Raises MachinesError."""
    known = ", ".join(sorted(catalog.clusters)) or "none"
    if not catalog.clusters and not catalog.machines:
        raise MachinesError("machine_files declare no Cluster and no Machine: name the files that do")
    if not cluster and len(catalog.clusters) != 1:
        raise MachinesError(
            f"the files have {len(catalog.clusters)} clusters ({known}): say which one with machine_cluster"
        )
    name = cluster or next(iter(catalog.clusters))
    if name not in catalog.clusters:
        raise MachinesError(f"the files have no Cluster {name}: they have {known}")
    machines = [machine for machine in catalog.machines if machine.cluster == name]
    selected = tuple(select(machines, selector))
    if not machines:
        raise MachinesError(f"the files have no Machine of the cluster {name}: nothing can be reconciled")
    if not selected:
        raise MachinesError(
            f"none of the {len(machines)} Machines of the cluster {name} matches machine_selector {selector}"
        )
    return MachineSelection(catalog, catalog.clusters[name], selected)


def read_changes(
    client: Client, selection: MachineSelection, nodes: Iterable[Mapping[str, Any]], record: Record
) -> list[MachineChange]:
    """Return what has to change on the selected machines. nodes: of the cluster. Raises KubeError."""
    observed = {machine.name: machine for machine in map(observe, nodes)}
    machines = selection.machines
    init_configs = {machine.name: cluster_kubelet_config(selection.cluster, machine) for machine in machines}
    mine = {name: observed[name] for name in init_configs if name in observed}
    resolved = resolve_configs(client, machines, mine, init_configs)
    inputs = replace(resolved.inputs, allows_not_judged=selection.allows_not_judged)
    others = [machine for machine in selection.catalog.machines if machine.name not in init_configs]
    server_version = str(client.get(VERSION).get("gitVersion") or "")

    def plan(unfinished: Collection[str]) -> list[MachineChange]:
        return plan_cluster(
            replace(selection.catalog, machines=(*resolved.machines, *others)),
            observed,
            inputs,
            server_version=server_version,
            selected=init_configs.keys(),
            unfinished=unfinished,
        )

    half_done = _half_done(record, mine)
    changes = plan(half_done)
    passed = {change.name for change in changes if not change.is_change and _is_settled(change.observed)}
    moving = set(_present_wave(record)) - passed
    if moving - half_done:
        changes = plan(moving | half_done)
    return [_with_source_problem(change, resolved) for change in changes]


def read_statuses(
    client: Client, selection: MachineSelection, name: str, failed: Mapping[str, str]
) -> tuple[MachineStatus, ...]:
    """Return the state of machines, and what a run would do with them, without asking their providers.

    name: of the record. failed: why machines did not pass. Raises MachinesError, RolloutError, KubeError.
    """
    record = read_record(client, name)
    changes = read_changes(client, selection, client.list(NODES).items, record)
    return tuple(statuses_of(changes, failed=failed, moving=machines_in_motion(record, changes)))


def _with_source_problem(change: MachineChange, resolved: ResolvedConfigs) -> MachineChange:
    problem = resolved.problems.get(change.name)
    if problem is None:
        return change
    where = machine_name(change.machine) if change.machine else f"Machine {change.name}"
    if change.is_change and problem.refuses(change.action):
        return replace(change, refusals=(*change.refusals, f"{where}: {problem.reason}"))
    return replace(change, warnings=(*change.warnings, f"{where} keeps its config source: {problem.reason}"))


def machines_in_motion(record: Record, changes: Iterable[MachineChange]) -> list[str]:
    """Return the machines of the present wave that have not passed yet. changes: from read_changes."""
    wave = set(_present_wave(record))
    return [change.name for change in changes if change.name in wave and change.is_change]


def failures_of(record: Record) -> dict[str, str]:
    """Return the machines that have not passed in the last rollout, with the reason."""
    return {} if record.rollout is None else {failed.node: failed.reason for failed in record.rollout.failed_nodes}


def _present_wave(record: Record) -> list[str]:
    """Return the machines that a run moves, or was moving when it ended."""
    rollout = record.rollout
    if rollout is None or rollout.has_ended:
        return []
    return [name for wave in rollout.waves[rollout.waves_done :][:1] for name in wave.nodes]


def _half_done(record: Record, observed: Mapping[str, ObservedMachine]) -> set[str]:
    """Return the machines that are not what they were, and not yet what they were to become.

    That includes those whose creation or change has failed half-way in a rollout that has ended since.
    """
    names = {*failures_of(record), *_present_wave(record)}
    return {name for name in names if name in observed and _is_half_done(observed[name], record.pool)}


def _is_half_done(machine: ObservedMachine, name: str) -> bool:
    return machine.cordoned_by == name or not (machine.is_ours or machine.has_agent)


def _is_settled(machine: ObservedMachine | None) -> bool:
    """Return whether a Node is healthy and uses what it is assigned, as one that has passed the gate."""
    if machine is None or not machine.is_ours or machine.ready is not True or machine.deleting:
        return False
    return not machine.has_agent or (machine.config.ok == "True" and machine.config.active == machine.config.source)
