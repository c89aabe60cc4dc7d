# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide what has to change on all machines of a run. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ..._nodeconfig.well_known import ANNOTATION_MACHINE
from .. import MachinesError
from .._objects.cluster_values import cluster_contradictions, missing_cluster_values
from .._objects.types import Machine, MachineCatalog, Provider
from ._reported_kubelets import without_reported
from ._skew import cluster_contradiction
from .config_inputs import INIT_CONFIG, KUBELET, ConfigInputs, effective_config
from .plan_change import Surroundings, machine_name, plan_change
from .types import CLUSTER_PATH, MachineAction, MachineChange, ObservedMachine


def plan_cluster(
    catalog: MachineCatalog,
    observed: Mapping[str, ObservedMachine],
    inputs: ConfigInputs,
    *,
    server_version: str,
    selected: Collection[str] | None = None,
    unfinished: Collection[str] = (),
) -> list[MachineChange]:
    """Return the change of each selected machine, also of those that need none, sorted by name.

    observed: the Nodes of the cluster, by name. selected: the Machines of the cluster that the run is about, None for
    all of the catalog. unfinished: those that the rollout of the record was moving when its last run ended. A Node that
    a Machine has made and that no file declares is among the changes, with a warning and without an action; so is a
    machine that is left out because of the kubelet version that its Node reports.
    Raises MachinesError for a provider that the catalog lacks.
    """
    by_name = {machine.name: machine for machine in catalog.machines}
    names = by_name.keys() if selected is None else by_name.keys() & set(selected)
    contradictions = {
        cluster: sentence
        for cluster in sorted({by_name[name].cluster for name in names} & catalog.clusters.keys())
        if (sentence := cluster_contradiction(catalog.clusters[cluster], server_version))
    }
    changes = []
    for name in names:
        machine = by_name[name]
        if machine.owner:
            changes.append(_foreign_change(machine, observed.get(name), catalog, server_version, inputs))
            continue
        surroundings = Surroundings(
            provider_of(catalog, machine), catalog.clusters.get(machine.cluster), server_version, inputs
        )
        change = plan_change(machine, observed.get(name), surroundings, unfinished=name in unfinished)
        if machine.cluster in contradictions:
            change = replace(change, refusals=(contradictions[machine.cluster], *change.refusals))
        changes.append(with_cluster_check(change, inputs))
    changes = without_reported(changes, server_version)
    changes += [_orphan(node) for name, node in observed.items() if node.is_ours and name not in by_name]
    return sorted(changes, key=lambda change: change.name)


def with_cluster_check(change: MachineChange, inputs: ConfigInputs) -> MachineChange:
    """Return a change with what in its config contradicts the Cluster.

    That refuses the change, and is a warning for a machine that is left as it is. An init config that the change writes
    again does not count. A value that the config of a new machine lacks is a warning.
    """
    machine, cluster = change.machine, change.cluster
    if machine is None or cluster is None or change.action is MachineAction.DELETE or machine.state == "Absent":
        return change
    is_new = change.action in (MachineAction.CREATE, MachineAction.REPLACE)
    observed = None if is_new else change.observed
    config = effective_config(inputs, change.name, observed, change.source, KUBELET)
    is_written = any(changed.path.startswith(CLUSTER_PATH) for changed in change.fields)
    if config is None or is_written:
        return change
    source = change.source
    name = INIT_CONFIG if source is None else f"bundle {source.namespace}/{source.name}"
    place = f"{machine_name(machine)}: {name}"
    contradictions = tuple(cluster_contradictions(cluster, config, place))
    if not change.is_change:
        return replace(change, warnings=(*change.warnings, *contradictions))
    missing = tuple(missing_cluster_values(cluster, config, place)) if is_new else ()
    return replace(change, refusals=(*change.refusals, *contradictions), warnings=(*change.warnings, *missing))


def provider_of(catalog: MachineCatalog, machine: Machine) -> Provider:
    """Return the provider of a Machine. Raises MachinesError."""
    config = machine.provider
    for provider in catalog.providers:
        if (provider.api_version, provider.kind) == (config.api_version, config.kind):
            return provider
    known = ", ".join(sorted(provider.kind for provider in catalog.providers)) or "none"
    raise MachinesError(
        f"{machine_name(machine)}: spec.providerConfig: no Provider declares {config.api_version} {config.kind} (known:"
        f" {known})"
    )


def changed_names(changes: Iterable[MachineChange]) -> list[str]:
    """Return the machines that a run moves, sorted."""
    return sorted(change.name for change in changes if change.is_change)


def refusals_of(changes: Iterable[MachineChange]) -> list[str]:
    """Return why the plan is refused, each sentence once."""
    return list(dict.fromkeys(sentence for change in changes for sentence in change.refusals))


def _foreign_change(
    machine: Machine,
    observed: ObservedMachine | None,
    catalog: MachineCatalog,
    server_version: str,
    inputs: ConfigInputs,
) -> MachineChange:
    """Return a change without an action for a machine that another program owns, with what its Node lacks."""
    cluster, warnings = catalog.clusters.get(machine.cluster), list[str]()
    if observed is None:
        warnings.append(f"{machine_name(machine)}: it has no Node yet: {machine.owner} owns the machine")
    else:
        provider = Provider(machine.provider.api_version, machine.provider.kind, "")
        change = plan_change(machine, observed, Surroundings(provider, cluster, server_version, inputs))
        # The config of the Node is not among what its owner declares.
        paths = [changed.path for changed in change.fields if changed.path not in ("spec.pool", "spec.configSource")]
        if paths:
            names = ", ".join(paths)
            warnings.append(f"{machine_name(machine)}: {names}: left as it is: {machine.owner} owns the machine")
    return MachineChange(
        name=machine.name,
        action=MachineAction.NONE,
        machine=machine,
        observed=observed,
        warnings=tuple(warnings),
        source=observed.config.source if observed is not None else None,
        cluster=cluster,
    )


def _orphan(observed: ObservedMachine) -> MachineChange:
    warnings: Sequence[str] = (
        f"Node {observed.name}: no file declares its Machine, so it is left alone: to delete it, declare it"
        f" with state Absent first; to keep it, remove the annotation {ANNOTATION_MACHINE}",
    )
    return MachineChange(observed.name, MachineAction.NONE, None, observed, warnings=tuple(warnings))
