# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reconcile Machines: one object from their files to the outcome. Private to configok.node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .._cluster import ClusterRefused
from .._cluster._bootstrap_credentials import BootstrapCredentials, cluster_ca
from .._cluster._bootstrap_token import BOOTSTRAP_LIFETIME
from .._cluster._local_configs import publish_local_config
from .._kube._api_client import Client
from .._kube._api_errors import KubeError
from .._kube._api_paths import NODES, node
from .._machines import MachinesError
from .._machines._changes._goals import content_hash_of, goals_of
from .._machines._changes._observe import observe
from .._machines._changes._plan_change import machine_name
from .._machines._changes._plan_changes import changed_names, plan_changes, provider_of, refusals_of
from .._machines._changes._types import MachineAction, MachineChange, ObservedMachine
from .._machines._objects._cluster_values import cluster_contradictions, cluster_kubelet_config
from .._machines._objects._selectors import select
from .._machines._objects._types import Cluster, Machine, MachineCatalog, Runtime
from .._machines._status._phases import statuses_of
from .._machines._status._rendering import diff_of, render_machine_plan
from .._machines._status._types import MachineStatus
from .._nodeconfig._untrusted import sanitize
from .._rollout import RolloutRefused
from .._rollout._decisions._machine_planner import make_machine_plan, needs_run
from .._rollout._decisions._window import Progress
from .._rollout._goals import MachineRequest
from .._rollout._nodes._node_view import node_view
from .._rollout._plan import Plan, Target
from .._rollout._pool._policy import Policy
from .._rollout._pool._pool_file import Pool
from .._rollout._record._record import COMPLETE, Record
from .._rollout._record._record_store import read_record
from .._rollout._record._revisions import record_machines
from .._rollout._report._rendering import render_plan
from .._rollout._run._run_options import RunOptions
from .._rollout._run._runner import PoolRunner
from .._rollout._run._wave_run import WaveResult
from .._rollout._timing import current_time
from ._document_changes import decode_or_empty
from ._machine_configs import ResolvedConfigs, resolve_configs
from ._machine_hosts import (
    HostAction,
    HostAnswer,
    HostRequest,
    MachineHosts,
    cluster_variables,
    machine_variables,
    unusable_versions,
    usable_addresses,
)
from ._overlaps import machine_rollouts

__all__ = ["MachineRollout", "MachineSelection", "PlannedMachines", "read_statuses", "select_machines"]


class MachineSelection(NamedTuple):
    """The Machines of a run, of one cluster."""

    catalog: MachineCatalog
    cluster: Cluster
    machines: tuple[Machine, ...]


@dataclass(frozen=True)
class PlannedMachines:
    """What a run would do. changes: of all selected machines. statuses: as they are now."""

    changes: tuple[MachineChange, ...]
    plan: Plan
    policy: Policy
    statuses: tuple[MachineStatus, ...]
    target: Target
    has_work: bool  # whether a run would write anything, if only to the record

    def lines(self) -> list[str]:
        """Return the plan as human-readable lines."""
        lines = render_machine_plan(self.changes)
        shown = set(refusals_of(self.changes))  # above, with the machines
        rest = replace(self.plan, refusals=tuple(text for text in self.plan.refusals if text not in shown))
        if rest.has_work or rest.refusals:
            lines += ["", *render_plan(rest, self.policy)]
        return lines

    def diffs(self) -> list[dict[str, str]]:
        """Return, for each machine that changes, what it is and what it would be, as Ansible shows a diff."""
        return diff_of(self.changes)


def select_machines(catalog: MachineCatalog, cluster: str, selector: str) -> MachineSelection:
    """Return the Machines of a cluster that a label selector selects. Raises MachinesError.

    cluster: "" for the only one of the catalog.
    """
    known = ", ".join(sorted(catalog.clusters)) or "none"
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


class _NoHosts:
    """Reaches no host: for reading."""

    def plan(self, requests: Sequence[HostRequest]) -> Mapping[str, HostAnswer]:
        """Return no answers."""
        del requests
        return {}

    def change(self, request: HostRequest) -> HostAnswer:
        """Refuse to change a host."""
        return HostAnswer(failure=f"the host of {request.name} is not to be changed")


def read_statuses(
    client: Client, selection: MachineSelection, name: str, failed: Mapping[str, str]
) -> tuple[MachineStatus, ...]:
    """Return the state of machines, and what a run would do with them, without asking their providers.

    name: of the record. failed: why machines did not pass. Raises MachinesError, RolloutError, KubeError.
    """
    options = RunOptions(runner="", report=lambda _event: None)
    return MachineRollout(client, selection, Policy(), options, _NoHosts(), name=name).statuses(failed)


class MachineRollout:
    """One reconciliation of Machines: plan, run.

    name: of the record and the lock. hosts: runs the providers. preflight: ask the providers before the first machine
    is changed.
    """

    def __init__(
        self,
        client: Client,
        selection: MachineSelection,
        policy: Policy,
        options: RunOptions,
        hosts: MachineHosts,
        *,
        name: str = "machines",
        preflight: bool = True,
    ) -> None:
        self._client = client
        self._selection = selection
        self._policy = policy
        self._options = options._replace(change_machine=self._change_machine)
        self._hosts = hosts
        self._name = name
        self._preflight = preflight
        self._machines = {machine.name: machine for machine in selection.machines}
        self._ca_certificate: str | None = None
        self.has_changed = False

    def plan(self) -> PlannedMachines:
        """Plan the run, and ask the providers. Changes nothing. Raises MachinesError, RolloutError, KubeError."""
        record = read_record(self._client, self._name)
        items = self._client.list(NODES).items
        changes = self._changes(items, record)
        goals = goals_of(changes)
        content_hash = content_hash_of(changes)
        target = Target.of_machines(f"machines-{content_hash[:10]}", content_hash, goals)
        views = [view for view in map(node_view, items) if view.name in goals]
        planned = make_machine_plan(
            views,
            target,
            self._policy,
            record,
            name=self._name,
            labels={name: machine.node_labels for name, machine in self._machines.items()},
        )
        refusals = [*refusals_of(changes), *self._creation_refusals(changes)]
        refusals += machine_rollouts(self._client, self._name, changed_names(changes))
        warnings: list[str] = []
        if not refusals and not planned.refusals and self._preflight:
            refusals, warnings = self._ask_providers(changes)
        planned = replace(planned, refusals=(*refusals, *planned.refusals), warnings=(*planned.warnings, *warnings))
        return PlannedMachines(
            tuple(changes),
            planned,
            self._policy,
            tuple(statuses_of(changes, failed=_failures(record), moving=_moving(record))),
            target,
            needs_run(planned, views),
        )

    def run(self, planned: PlannedMachines, *, author: str = "", cause: str = "") -> WaveResult:
        """Carry a plan out; the errors are those of PoolRunner.run, and MachinesError."""
        if planned.plan.refusals:
            raise RolloutRefused(planned.plan.refusals)
        if not planned.has_work:
            return WaveResult("", COMPLETE, False)
        client = self._client
        record_machines(client, self._name, planned.target, author=author, cause=cause, now=current_time())
        self.has_changed = True
        pool = Pool(self._name, "", self._policy)
        names = frozenset(change.name for change in planned.changes)
        with PoolRunner(client, pool, self._options, names=names) as runner:
            return runner.run(planned.plan)[-1]

    def statuses(self, failed: Mapping[str, str]) -> tuple[MachineStatus, ...]:
        """Return the state of the machines now. failed: why machines did not pass. Raises RolloutError, KubeError."""
        record = read_record(self._client, self._name)
        changes = self._changes(self._client.list(NODES).items, record)
        return tuple(statuses_of(changes, failed=failed))

    def _changes(self, items: Iterable[Mapping[str, Any]], record: Record) -> list[MachineChange]:
        observed = {machine.name: machine for machine in map(observe, items)}
        init_configs = {machine.name: self._kubelet_config(machine) for machine in self._selection.machines}
        mine = {name: observed[name] for name in self._machines if name in observed}
        resolved = resolve_configs(self._client, self._selection.machines, mine, init_configs)
        catalog = replace(self._selection.catalog, machines=resolved.machines)
        changes = plan_changes(
            catalog,
            observed,
            resolved.inputs,
            server_version=self._server_version(),
            selected=self._machines.keys(),
            unfinished=_unfinished(record, mine),
        )
        return [_with_contradictions(_with_source_problem(change, resolved), resolved) for change in changes]

    def _server_version(self) -> str:
        return str(self._client.get("/version").get("gitVersion") or "")

    def _ask_providers(self, changes: Sequence[MachineChange]) -> tuple[list[str], list[str]]:
        """Return what the providers have against the changes of hosts, and what is worth knowing about them."""
        requests = []
        for change in changes:
            machine = self._machines.get(change.name)
            if machine is None or not change.needs_host or change.action is MachineAction.NONE:
                continue
            runtime = machine.runtime
            addresses = () if change.observed is None else change.observed.addresses
            requests.append(
                self._request("plan", machine, machine.kubelet_version, runtime, addresses, planned=change.action.value)
            )
        answers = self._hosts.plan(requests) if requests else {}
        refusals, warnings = list[str](), list[str]()
        for name, answer in sorted(answers.items()):
            where = machine_name(self._machines[name])
            refusals += [f"{where}: {refusal}" for refusal in (answer.failure, *answer.refusals) if refusal]
            warnings += [f"{where}: {warning}" for warning in answer.warnings if warning]
        return refusals, warnings

    def _change_machine(self, request: MachineRequest) -> str:
        """Have the provider change a host (ChangeMachine). Return why that failed, "" for success."""
        machine = self._machines[request.machine]
        kubelet, runtime = machine.kubelet_version, machine.runtime
        if request.action == "rollback":
            kubelet, runtime = _previous_versions(request.goal.previous)
        unusable = unusable_versions(kubelet, runtime)
        if unusable:
            return unusable
        try:
            host_request = self._request(
                request.action,
                machine,
                kubelet,
                runtime,
                request.addresses,
                timeout=request.timeout,
                replaces=machine.name if request.action == "create" and request.goal.action == "replace" else "",
            )
            host_request = replace(host_request, should_stop=request.should_stop)
            return self._create(host_request) if request.action == "create" else self._change(host_request)
        except (ClusterRefused, KubeError, MachinesError) as error:
            return str(error)

    def _create(self, request: HostRequest) -> str:
        endpoint = self._selection.cluster.endpoint
        has_node = self._client.find(node(request.name)) is not None
        request = replace(request, machine={**request.machine, "has_node": has_node})
        # A kubelet asks for its certificate at the end of the change, which may take as long as the policy says.
        lifetime = max(BOOTSTRAP_LIFETIME, request.timeout)
        with BootstrapCredentials(
            self._client, machine=request.name, endpoint=endpoint, lifetime=lifetime
        ) as credentials:
            failure = self._change(replace(request, bootstrap_kubeconfig=credentials.kubeconfig))
            return failure or credentials.wait_for_node(request.timeout, request.should_stop)

    def _change(self, request: HostRequest) -> str:
        answer = self._hosts.change(request)
        for warning in answer.warnings:
            self._options.report(Progress("", sanitize(f"{request.name}: {warning}")))
        if not answer.failure and answer.local_config:
            publish_local_config(self._client, answer.local_config)
        return answer.failure

    def _request(
        self,
        action: HostAction,
        machine: Machine,
        kubelet_version: str,
        runtime: Runtime | None,
        addresses: Sequence[str],
        *,
        planned: str = "",
        replaces: str = "",
        timeout: float = 600.0,
    ) -> HostRequest:
        own = str(machine.provider.fields.get("address") or "")
        known = tuple(dict.fromkeys(address for address in (own, *usable_addresses(addresses)) if address))
        return HostRequest(
            action,
            planned or action,
            provider_of(self._selection.catalog, machine),
            machine_variables(
                machine, kubelet_version=kubelet_version, runtime=runtime, addresses=known, replaces=replaces
            ),
            cluster_variables(self._selection.cluster, self._cluster_ca()),
            self._kubelet_config(machine),
            known,
            timeout=timeout,
        )

    def _cluster_ca(self) -> str:
        """Return the CA of the cluster, "" if it is not known: only a new machine needs it."""
        if self._ca_certificate is None:
            try:
                self._ca_certificate = cluster_ca(self._client)
            except ClusterRefused:
                self._ca_certificate = ""
        return self._ca_certificate

    def _creation_refusals(self, changes: Sequence[MachineChange]) -> list[str]:
        """Return why no machine can be created."""
        if all(change.action not in (MachineAction.CREATE, MachineAction.REPLACE) for change in changes):
            return []
        try:
            cluster_ca(self._client)
        except ClusterRefused as error:
            return [str(error)]
        return []

    def _kubelet_config(self, machine: Machine) -> dict[str, Any]:
        """Return the init config of a machine: what its Cluster says, and what its provider adds."""
        return cluster_kubelet_config(self._selection.cluster, machine)


def _with_source_problem(change: MachineChange, resolved: ResolvedConfigs) -> MachineChange:
    problem = resolved.problems.get(change.name)
    if problem is None:
        return change
    where = machine_name(change.machine) if change.machine else f"Machine {change.name}"
    if change.is_change and problem.refuses(change.action):
        return replace(change, refusals=(*change.refusals, f"{where}: {problem.reason}"))
    return replace(change, warnings=(*change.warnings, f"{where} keeps its config source: {problem.reason}"))


def _with_contradictions(change: MachineChange, resolved: ResolvedConfigs) -> MachineChange:
    """Return the change with what its bundle and its Cluster say of the same field, if they do not agree."""
    documents = resolved.inputs.bundles.get(change.source) if change.source is not None else None
    if change.machine is None or change.cluster is None or change.source is None or not documents:
        return change
    config = decode_or_empty(documents.get("kubelet", ""))
    place = f"{machine_name(change.machine)}: bundle {change.source.namespace}/{change.source.name}"
    contradictions = cluster_contradictions(change.cluster, config, place)
    if change.is_change and change.action is not MachineAction.DELETE:
        return replace(change, refusals=(*change.refusals, *contradictions))
    return replace(change, warnings=(*change.warnings, *contradictions))


def _moving(record: Record) -> list[str]:
    """Return the machines that a run was moving when it ended."""
    rollout = record.rollout
    if rollout is None or rollout.has_ended:
        return []
    return [name for wave in rollout.waves[rollout.waves_done :][:1] for name in wave.nodes]


def _failures(record: Record) -> dict[str, str]:
    """Return the machines that have not passed in the last rollout, with the reason."""
    return {} if record.rollout is None else {failed.node: failed.reason for failed in record.rollout.failed_nodes}


def _unfinished(record: Record, observed: Mapping[str, ObservedMachine]) -> list[str]:
    """Return the machines that are not what they were, and not yet what they were to become.

    That includes those whose creation or change has failed half-way in a rollout that has ended since.
    """
    failed = [] if record.rollout is None else [failure.node for failure in record.rollout.failed_nodes]
    half_done = [name for name in failed if name in observed and _is_half_done(observed[name], record.pool)]
    return sorted({*_moving(record), *half_done})


def _is_half_done(machine: ObservedMachine, name: str) -> bool:
    return machine.cordoned_by == name or not (machine.is_ours or machine.has_agent)


def _runtime(runtime: tuple[str, str]) -> Runtime | None:
    name, version = runtime
    return Runtime(name, version) if name or version else None


def _previous_versions(previous: Mapping[str, Any]) -> tuple[str, Runtime | None]:
    runtime = previous.get("runtime") or ("", "")
    name, version = (str(part) for part in runtime)
    return str(previous.get("kubelet") or ""), _runtime((name, version))
