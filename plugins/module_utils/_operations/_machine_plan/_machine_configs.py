# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the configs that Machines name: of pools, of published bundles, and of their Nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..._cluster.local_configs import read_local_configs
from ..._kube.api_client import Client
from ..._kube.api_paths import config_map
from ..._machines._changes.config_inputs import ConfigInputs
from ..._machines._changes.types import MachineAction, ObservedMachine
from ..._machines._objects.types import BundleReference, Machine
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.bundle import Bundle, InvalidBundle
from ..._rollout._nodes.node_list import MAX_CONNECTIONS
from ..._rollout._record.record import COMPLETE, PAUSED, Record
from ..._rollout._record.record_store import read_record
from .._pool_nodes import MAX_BUNDLES, read_bundles


class SourceProblem(NamedTuple):
    """Why the declared config source of a machine cannot be used; the machine keeps the one that it has.

    is_passing: a new machine must wait for its end, a present one may be changed meanwhile. is_moving: another run
    moves the nodes of the pool now.
    """

    reason: str
    is_passing: bool = False
    is_moving: bool = False

    def refuses(self, action: MachineAction) -> bool:
        """Return whether a machine must not be changed so."""
        if self.is_moving:
            return True
        return action is MachineAction.CREATE if self.is_passing else action is not MachineAction.DELETE


class PoolConfig(NamedTuple):
    """The config of a pool. source: None for the init config. problem: why it cannot be used, None if it can."""

    source: ConfigSource | None = None
    problem: SourceProblem | None = None


class ResolvedConfigs(NamedTuple):
    """Machines whose config source is decided, and what is known of the configs. problems: by machine."""

    machines: tuple[Machine, ...]
    inputs: ConfigInputs
    problems: Mapping[str, SourceProblem]


def pool_config(record: Record) -> PoolConfig:
    """Return the config of a pool, from its record: that of its last complete rollout."""
    rollout, pool = record.rollout, record.pool
    if rollout is None:
        reason = f"pool {pool} was never rolled out: run configok.node.rollout with its pool file first"
        return PoolConfig(problem=SourceProblem(reason))
    if rollout.phase == COMPLETE:
        return PoolConfig(rollout.target.source)
    if rollout.has_ended:
        reason = (
            f"the last rollout of pool {pool} is {rollout.phase}: end it with configok.node.rollout or "
            "configok.node.undo"
        )
        return PoolConfig(problem=SourceProblem(reason, is_passing=True))
    if rollout.phase == PAUSED:
        advice = "resume it with configok.node.resume and configok.node.rollout, or end it with configok.node.abort"
    else:
        advice = "wait until it has ended; if it no longer moves, run configok.node.rollout again"
    reason = f"pool {pool} has a rollout in progress ({rollout.phase}): {advice}"
    return PoolConfig(problem=SourceProblem(reason, is_moving=True))


def resolve_configs(
    client: Client,
    machines: Sequence[Machine],
    observed: Mapping[str, ObservedMachine],
    init_configs: Mapping[str, Mapping[str, Any]],
) -> ResolvedConfigs:
    """Read the configs that these machines name, and those that their Nodes use.

    A machine whose config source cannot be used keeps what its Node is assigned. Raises RolloutError, KubeError.
    """
    pools = {
        name: pool_config(read_record(client, name)) for name in sorted({machine.pool for machine in machines} - {""})
    }
    references, missing = _resolve_references(client, machines)
    problems: dict[str, SourceProblem] = {}
    resolved = []
    for machine in machines:
        pool = pools.get(machine.pool, PoolConfig())
        problem = pool.problem or (missing.get(machine.config_source) if machine.config_source else None)
        if problem is not None:
            problems[machine.name] = problem
            present = observed.get(machine.name)
            machine = _with_source(machine, None if present is None else present.config.source, references)
        elif machine.pool and pool.source is None:
            machine = _with_source(machine, None, references)
        resolved.append(machine)
    usable = {name: pool.source for name, pool in pools.items() if pool.source is not None}
    declared = {*usable.values(), *references.values()}
    active = {machine.config.active for machine in observed.values() if machine.config.active is not None} - declared
    hashes = {machine.config.local for machine in observed.values()} - {""}
    bundles = read_bundles(client, [*sorted(declared), *sorted(active)[:MAX_BUNDLES]])
    inputs = ConfigInputs(
        pools=usable,
        references=references,
        bundles={source: bundle.documents for source, bundle in bundles.items()},
        trials={source: bundle.trial for source, bundle in bundles.items()},
        local_configs=read_local_configs(client, hashes, workers=MAX_CONNECTIONS),
        init_configs=init_configs,
    )
    return ResolvedConfigs(tuple(resolved), inputs, problems)


def _with_source(
    machine: Machine, source: ConfigSource | None, references: dict[BundleReference, ConfigSource]
) -> Machine:
    """Return a machine that declares this config source, which becomes one of the references."""
    if source is None:
        return replace(machine, pool="", config_source=None)
    reference = BundleReference(source.namespace, source.name, source.uid)
    references[reference] = source
    return replace(machine, pool="", config_source=reference)


def _resolve_references(
    client: Client, machines: Iterable[Machine]
) -> tuple[dict[BundleReference, ConfigSource], dict[BundleReference, SourceProblem]]:
    """Return the config source of each reference, or why it has none."""
    resolved: dict[BundleReference, ConfigSource] = {}
    problems: dict[BundleReference, SourceProblem] = {}
    for reference in sorted({machine.config_source for machine in machines if machine.config_source is not None}):
        where = f"the bundle {reference.namespace}/{reference.name}"
        item = client.find(config_map(reference.namespace, reference.name))
        if item is None:
            problems[reference] = SourceProblem(f"{where} does not exist: publish it, or name one that is published")
            continue
        source = ConfigSource(reference.namespace, reference.name, str(item["metadata"].get("uid") or ""))
        if reference.uid and reference.uid != source.uid:
            problems[reference] = SourceProblem(
                f"{where} has the uid {source.uid}, not {reference.uid}: it was deleted and published again; give its "
                "present uid, or none"
            )
            continue
        try:
            Bundle.from_config_map(item, source)
        except InvalidBundle as error:
            problems[reference] = SourceProblem(f"{where} cannot be used: {error}")
            continue
        resolved[reference] = source
    return resolved, problems
