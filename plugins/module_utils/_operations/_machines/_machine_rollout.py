# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reconcile Machines: one object from their files to the outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..._cluster import ClusterRefused
from ..._cluster.authorities import client_ca, cluster_ca
from ..._cluster.bootstrap_credentials import BOOTSTRAP_LIFETIME, BootstrapCredentials
from ..._cluster.creation_checks import bootstrap_refusals, creation_refusals
from ..._cluster.local_configs import publish_local_config
from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError
from ..._kube.api_paths import NODES, node
from ..._machines import MachinesError
from ..._machines._changes.cluster_changes import changed_names, provider_of, refusals_of
from ..._machines._changes.goals import content_hash_of, goals_of
from ..._machines._changes.plan_change import machine_name
from ..._machines._changes.types import MachineAction, MachineChange
from ..._machines._objects.cluster_values import cluster_kubelet_config
from ..._machines._objects.types import Machine, Runtime
from ..._machines._status import MachineStatus, diff_of, render_machine_plan, statuses_of
from ..._rollout import RolloutRefused
from ..._rollout._decisions.machine_planner import left_behind_warnings, make_machine_plan, needs_run
from ..._rollout._decisions.transitions import complete_rollout
from ..._rollout._decisions.wave_limits import Progress
from ..._rollout._nodes.node_view import NodeView, node_view
from ..._rollout._pool.policy import Policy
from ..._rollout._pool.pool_file import Pool
from ..._rollout._record.record import COMPLETE, Record
from ..._rollout._record.record_store import read_record
from ..._rollout._record.revisions import record_machines
from ..._rollout._report.rendering import render_plan
from ..._rollout._run.host_change import ChangeNotBegun, MachineRequest
from ..._rollout._run.run_options import RunOptions
from ..._rollout._run.runner import PoolRunner
from ..._rollout._run.wave_run import WaveResult
from ..._rollout.plan import Plan, Target
from ..._rollout.timing import current_time
from ..._text import first_names, sanitize
from .._machine_plan.machine_changes import (
    MachineSelection,
    failures_of,
    machines_in_motion,
    read_changes,
    read_statuses,
)
from .._overlaps import machine_rollouts
from .._pool_nodes import read_pool_records
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

_NAMES_SHOWN = 5


@dataclass(frozen=True)
class PlannedMachines:
    """What a run would do.

    changes: of all selected machines. statuses: as they are now. packages: by machine, what its provider would install.
    """

    changes: tuple[MachineChange, ...]
    plan: Plan
    policy: Policy
    statuses: tuple[MachineStatus, ...]
    target: Target
    has_work: bool  # whether a run would write anything, if only to the record
    packages: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return the plan as human-readable lines."""
        lines = render_machine_plan(self.changes, self.packages)
        shown = set(refusals_of(self.changes))  # above, with the machines
        rest = replace(self.plan, refusals=tuple(text for text in self.plan.refusals if text not in shown))
        if rest.has_work or rest.refusals:
            lines += ["", *render_plan(rest, self.policy)]
        elif rest.warnings:
            lines += ["", "Warnings:", *(f"  {text}" for text in rest.warnings)]
        return lines

    def diffs(self) -> list[dict[str, str]]:
        """Return, for each machine that changes, what it is and what it would be, as Ansible shows a diff."""
        return diff_of(self.changes)


class _Comparison(NamedTuple):
    """What has to change, at one moment. nodes: all of the cluster."""

    record: Record
    changes: list[MachineChange]
    nodes: list[NodeView]
    plan: Plan


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
        self._options = options._replace(change_machine=self._change_machine, confirm_plan=self._confirm)
        self._hosts = hosts
        self._name = name
        self._preflight = preflight
        self._machines = {machine.name: machine for machine in selection.machines}
        self._addresses: dict[str, tuple[str, ...]] = {}  # by machine, as its Node had them when it was planned
        self._authorities: dict[Callable[[Client], str], str] = {}
        self.has_changed = False

    def plan(self) -> PlannedMachines:
        """Plan the run, and ask the providers. Changes nothing. Raises MachinesError, RolloutError, KubeError."""
        now = self._compare()
        record, changes, planned = now.record, now.changes, now.plan
        refusals = self._refusals(now)
        others = read_pool_records(self._client, self._name)
        refusals += machine_rollouts(others, changed_names(changes))
        warnings = [*left_behind_warnings(record, planned, now.nodes), *others.unreadable]
        packages: dict[str, Sequence[tuple[str, str]]] = {}
        if not refusals and not planned.refusals and self._preflight:
            answers = self._ask_providers(changes)
            refusals = self._sentences(answers, lambda answer: (answer.failure, *answer.refusals))
            warnings += self._sentences(answers, lambda answer: answer.warnings)
            packages = {name: answer.versions for name, answer in answers.items()}
        planned = replace(planned, refusals=(*refusals, *planned.refusals), warnings=(*planned.warnings, *warnings))
        return PlannedMachines(
            tuple(changes),
            planned,
            self._policy,
            tuple(statuses_of(changes, failed=failures_of(record), moving=machines_in_motion(record, changes))),
            planned.target,
            needs_run(planned, [view for view in now.nodes if view.name in planned.target.goals]),
            packages,
        )

    def _compare(self) -> _Comparison:
        """Compare the Machines with their Nodes, and plan what is missing. Raises MachinesError, KubeError."""
        record = read_record(self._client, self._name)
        items = self._client.list(NODES).items
        changes = read_changes(self._client, self._selection, items, record)
        goals = goals_of(changes)
        content_hash = content_hash_of(changes)
        trials = [change.trial for change in changes if change.trial is not None]
        longest = max(trials, key=lambda trial: trial.duration, default=None)
        target = Target.of_machines(f"machines-{content_hash[:10]}", content_hash, goals, trial=longest)
        nodes = [node_view(item) for item in items]
        plan = make_machine_plan(
            [view for view in nodes if view.name in goals],
            target,
            self._policy,
            record,
            name=self._name,
            labels={name: machine.node_labels for name, machine in self._machines.items()},
        )
        return _Comparison(record, changes, nodes, plan)

    def _refusals(self, now: _Comparison) -> list[str]:
        """Return what stops a plan, beyond what its own refusals say, and before its providers are asked."""
        creation = creation_refusals(self._client) if _created(now.changes) else []
        return [*refusals_of(now.changes), *_skipped(now.plan, now.changes), *creation]

    def _confirm(self, plan: Plan) -> Plan:
        """Plan again under the lock, since another run may have changed machines while the providers were asked.

        What is done already is left out. Work on a host that its provider was not asked about is refused.
        """
        now = self._compare()
        refusals = self._refusals(now)
        if now.plan.target.content_hash != plan.target.content_hash:
            refusals.append("the config of a pool, or a bundle, was changed while this was planned: run it again")
        added = sorted({name for name, _action in _host_work(now.plan) - _host_work(plan)})
        if added:
            refusals.append(f"{first_names(added, _NAMES_SHOWN)} was changed while this was planned: run it again")
        created = _created(now.changes)
        if created and not refusals:
            refusals += bootstrap_refusals(self._client, created[0])
        return replace(now.plan, refusals=(*refusals, *now.plan.refusals))

    def run(self, planned: PlannedMachines, *, author: str = "", cause: str = "") -> WaveResult:
        """Carry a plan out; the errors are those of PoolRunner.run, and MachinesError."""
        if planned.plan.refusals:
            raise RolloutRefused(planned.plan.refusals)
        if not planned.has_work:
            return self._present_result(planned.plan)
        self._addresses = {
            change.name: change.observed.addresses for change in planned.changes if change.observed is not None
        }
        client = self._client
        revision, self.has_changed = record_machines(
            client, self._name, planned.target, author=author, cause=cause, now=current_time()
        )
        plan = replace(planned.plan, revision=revision.number)
        pool = Pool(self._name, "", self._policy)
        with PoolRunner(client, pool, self._options, names=frozenset(planned.target.goals)) as runner:
            try:
                return runner.run(plan)[-1]
            finally:
                self.has_changed = self.has_changed or runner.has_changed

    def _present_result(self, plan: Plan) -> WaveResult:
        """Return how a rollout without work has ended: one that was halted stays so until its Machines change."""
        rollout = complete_rollout(read_record(self._client, self._name), plan, current_time()).rollout
        if rollout is None or rollout.phase == COMPLETE:
            return WaveResult("", COMPLETE, False)
        return WaveResult("", rollout.phase, False, rollout.reason, failed_nodes=rollout.failed_nodes)

    def statuses(self, failed: Mapping[str, str]) -> tuple[MachineStatus, ...]:
        """Return the state of the machines now. failed: why machines did not pass. Raises RolloutError, KubeError."""
        return read_statuses(self._client, self._selection, self._name, failed)

    def _ask_providers(self, changes: Sequence[MachineChange]) -> Mapping[str, HostAnswer]:
        """Return what the providers say of the changes of hosts, by machine."""
        requests = []
        for change in changes:
            machine = self._machines.get(change.name)
            if machine is None or not change.needs_host or change.action is MachineAction.NONE:
                continue
            addresses = () if change.observed is None else change.observed.addresses
            request = self._request("plan", machine, machine.kubelet_version, machine.runtime, addresses)
            request = request.with_variables(changes=[changed.path for changed in change.fields])
            requests.append(replace(request, planned=change.action.value))
        return self._hosts.plan(requests) if requests else {}

    def _sentences(
        self, answers: Mapping[str, HostAnswer], sentences_of: Callable[[HostAnswer], Iterable[str]]
    ) -> list[str]:
        return [
            f"{machine_name(self._machines[name])}: {sentence}"
            for name, answer in sorted(answers.items())
            for sentence in sentences_of(answer)
            if sentence
        ]

    def _change_machine(self, request: MachineRequest) -> str:
        """Have the provider change a host (ChangeMachine). Return why that failed. Raises ChangeNotBegun."""
        machine = self._machines[request.machine]
        kubelet, runtime = machine.kubelet_version, machine.runtime
        if request.action == "rollback":
            kubelet, runtime = _previous_versions(request.goal.previous)
        unusable = unusable_versions(kubelet, runtime)
        if unusable:
            return unusable
        try:
            addresses = self._addresses.get(machine.name, ())
            host_request = self._request(request.action, machine, kubelet, runtime, addresses)
            is_replaced = request.action == "create" and request.goal.action == "replace"
            host_request = host_request.with_variables(
                replaces=machine.name if is_replaced else "", rollout=request.rollout
            )
            host_request = replace(host_request, timeout=request.timeout, should_stop=request.should_stop)
            change = self._create if request.action == "create" else self._change
            return change(host_request, request.client)
        except (ClusterRefused, KubeError, MachinesError) as error:
            return str(error)

    def _create(self, request: HostRequest, client: Client) -> str:
        endpoint = self._selection.cluster.endpoint
        request = request.with_variables(has_node=client.find(node(request.name)) is not None)
        # A kubelet asks for its certificate at the end of the change, which may take as long as the policy says.
        lifetime = max(BOOTSTRAP_LIFETIME, request.timeout)
        with BootstrapCredentials(
            self._client, machine=request.name, endpoint=endpoint, lifetime=lifetime
        ) as credentials:
            failure = self._change(replace(request, bootstrap_kubeconfig=credentials.kubeconfig), client)
            return failure or credentials.wait_for_node(request.timeout, request.should_stop)

    def _change(self, request: HostRequest, client: Client) -> str:
        answer = self._hosts.change(request)
        if answer.not_begun:
            raise ChangeNotBegun
        warnings = list(answer.warnings)
        if not answer.failure and answer.local_config:
            try:
                publish_local_config(client, answer.local_config)
            except (ClusterRefused, KubeError) as error:  # the host is changed, and does not need it
                warnings.append(f"its own config is not published: {error}")
        for warning in warnings:
            self._options.report(Progress("", sanitize(f"{request.name}: {warning}")))
        return answer.failure

    def _request(
        self,
        action: HostAction,
        machine: Machine,
        kubelet_version: str,
        runtime: Runtime | None,
        addresses: Sequence[str],
    ) -> HostRequest:
        own = str(machine.provider.fields.get("address") or "")
        known = tuple(dict.fromkeys(address for address in (own, *usable_addresses(addresses)) if address))
        return HostRequest(
            action,
            action,
            provider_of(self._selection.catalog, machine),
            machine_variables(machine, kubelet_version=kubelet_version, runtime=runtime, addresses=known),
            cluster_variables(
                self._selection.cluster,
                ca_certificate=self._authority(cluster_ca, action),
                client_ca_certificate=self._authority(client_ca, action),
            ),
            cluster_kubelet_config(self._selection.cluster, machine),
            known,
        )

    def _authority(self, read: Callable[[Client], str], action: HostAction) -> str:
        """Return the CA that `read` returns, "" if it is not known. Raises ClusterRefused then for a new machine."""
        if read not in self._authorities:
            try:
                self._authorities[read] = read(self._client)
            except ClusterRefused:
                if action == "create":
                    raise
                return ""
        return self._authorities[read]


def _created(changes: Sequence[MachineChange]) -> list[str]:
    """Return the machines whose hosts are to join the cluster."""
    return [change.name for change in changes if change.action in (MachineAction.CREATE, MachineAction.REPLACE)]


def _host_work(plan: Plan) -> set[tuple[str, str]]:
    """Return the machines whose hosts a plan changes, and how."""
    return {(name, goal.action) for name, goal in plan.target.goals.items() if goal.needs_host}


def _skipped(plan: Plan, changes: Sequence[MachineChange]) -> list[str]:
    """Return why machines that are to be changed cannot be; nodes that a resumed rollout leaves for later are not."""
    reasons = {} if plan.is_resumed else {skipped.node: skipped.reason for skipped in plan.unmoved.skipped}
    return [
        f"{machine_name(change.machine)}: its Node cannot be changed: {reasons[change.name]}: fix that first, or "
        "leave the machine out with machine_selector"
        for change in changes
        if change.machine is not None and change.is_change and change.name in reasons
    ]


def _previous_versions(previous: Mapping[str, Any]) -> tuple[str, Runtime | None]:
    name, version = map(str, previous.get("runtime") or ("", ""))
    return str(previous.get("kubelet") or ""), Runtime(name, version) if name or version else None
