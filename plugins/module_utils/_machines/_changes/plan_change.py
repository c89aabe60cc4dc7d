# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide what has to change on one machine, how, and why it must not. Pure.

A declared label or taint is ensured. One that an earlier run has set, and that is no longer declared, is removed.
All others on the Node are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..._componentconfig._schema.releases import is_kubernetes_version, parse_minor
from ..._componentconfig.disruption import heaviest_class
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.bundle_trial import Trial
from ..._rollout._nodes.reported_versions import is_version
from .._objects.cluster_values import cluster_field, cluster_values
from .._objects.types import Capabilities, Cluster, Machine, Provider, Runtime
from ._config_check import check_config, config_disruption
from ._machine_annotation import cluster_hash, provider_hash
from ._skew import check_skew
from .config_inputs import KUBELET, ConfigInputs, UnknownSource, effective_config, source_name
from .runtimes import is_runtime
from .types import CLUSTER_PATH, ChangedField, MachineAction, MachineChange, ObservedMachine

# Classes of disruption of changes outside the configs.
_LIVE: Final = "live"
_DRAIN: Final = "drain"
_REPLACE: Final = "replace"
_NO_EXECUTE: Final = "NoExecute"

# Labels that a kubelet must not set or remove on its own Node, but could name in the annotation.
_PROTECTED_LABELS: Final = "node-restriction.kubernetes.io"
_PROTECTED_TAINTS: Final = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")

_HOST_FIELD_NAMES: Final = {
    "spec.versions.kubelet": "the kubelet's version",
    "spec.versions.containerRuntime": "the container runtime's version",
    "kind": "the kind of container runtime",
    "spec.providerConfig": "the provider's config",
}


class Surroundings(NamedTuple):
    """What surrounds a machine. server_version: of the API server. cluster: None for one that no file declares."""

    provider: Provider
    cluster: Cluster | None
    server_version: str
    inputs: ConfigInputs


def plan_change(
    machine: Machine, observed: ObservedMachine | None, surroundings: Surroundings, *, unfinished: bool = False
) -> MachineChange:
    """Return the change of a machine.

    observed: its Node, None if it does not exist. unfinished: a run was moving the machine and has ended before it had
    passed.
    """
    if machine.state == "Absent":
        return _deletion(machine, observed, surroundings)
    inputs = surroundings.inputs
    source, refusals = None, list[str]()
    try:
        source = inputs.source_of(machine)
    except UnknownSource as error:
        refusals.append(str(error))
        source = observed.config.source if observed is not None else None
    is_half_created = unfinished and observed is not None and not observed.is_ours and not observed.has_agent
    if observed is None or is_half_created:
        return _creation(machine, observed, source, surroundings, refusals)
    skew = check_skew(machine, observed, surroundings.server_version)
    warnings = [text for text in (observed.annotation_error,) if text]
    fields = [
        *_version_fields(machine, observed, surroundings.provider.capabilities),
        *_cluster_fields(machine, observed, source, surroundings),
        *_label_fields(machine, observed),
        *_taint_fields(machine, observed),
        *_source_fields(machine, observed, source, inputs),
    ]
    warnings += _kept_labels(machine, observed)
    if observed.deleting:
        refusals.append("its Node is being deleted: wait until it is gone, then run again")
    if source is not None and not observed.has_agent:
        refusals.append(
            f"no agent reports from its Node, so it cannot use {source_name(source)}: prepare the host with the role"
            " configok.node.node"
        )
    action, field_refusals = _action(fields, surroundings.provider)
    refusals += field_refusals
    adjusted: tuple[str, ...] = ()
    by_reported = list[str]()
    by_version = refusals if machine.kubelet_version else by_reported
    if action is MachineAction.NONE and unfinished:
        action = MachineAction.UPDATE
    if _installs_versions(action, fields):
        by_version += skew.refusals
    else:  # the versions do not fit already: another change makes that neither better nor worse
        warnings += skew.refusals
    warnings += skew.warnings
    if action is not MachineAction.NONE:
        warnings += [
            f"{changed.path}: it evicts all pods that do not tolerate it, whatever their PodDisruptionBudgets say"
            for changed in fields
            if isinstance(changed.after, str) and changed.after.endswith(_NO_EXECUTE)
        ]
    if _is_config_affected(fields):
        checked = check_config(machine, observed, source, inputs)
        by_version += checked.refusals
        warnings += checked.warnings
        adjusted = checked.adjusted
    return MachineChange(
        name=machine.name,
        action=action,
        machine=machine,
        observed=observed,
        fields=tuple(fields),
        disruption=heaviest_class(changed.disruption for changed in fields) or "none",
        refusals=_located(machine, refusals),
        by_reported=_located(machine, by_reported),
        warnings=_located(machine, warnings),
        adjusted=adjusted,
        source=source,
        provider=surroundings.provider,
        cluster=surroundings.cluster,
        unfinished=unfinished,
        trial=_trial(observed, source, inputs),
    )


def machine_name(machine: Machine) -> str:
    """Return a Machine for the beginning of a sentence, with the place that declares it."""
    return f"{machine.origin}: Machine {machine.name}" if machine.origin else f"Machine {machine.name}"


def _located(machine: Machine, sentences: list[str]) -> tuple[str, ...]:
    return tuple(f"{machine_name(machine)}: {sentence}" for sentence in dict.fromkeys(sentences))


def _deletion(machine: Machine, observed: ObservedMachine | None, surroundings: Surroundings) -> MachineChange:
    refusals, warnings = list[str](), list[str]()
    if observed is not None:
        if not surroundings.provider.capabilities.delete:
            refusals.append(_incapable(surroundings.provider, "spec.state", "delete the machine"))
        if not observed.is_ours:
            warnings.append("no run has written its Node: what the provider did not install stays on the host")
    return MachineChange(
        name=machine.name,
        action=MachineAction.NONE if observed is None else MachineAction.DELETE,
        machine=machine,
        observed=observed,
        fields=() if observed is None else (ChangedField("spec.state", "Present", "Absent", _DRAIN),),
        disruption="none" if observed is None else _DRAIN,
        refusals=_located(machine, refusals),
        warnings=_located(machine, warnings),
        source=observed.config.source if observed is not None else None,
        provider=surroundings.provider,
        cluster=surroundings.cluster,
    )


def _creation(
    machine: Machine,
    observed: ObservedMachine | None,
    source: ConfigSource | None,
    surroundings: Surroundings,
    refusals: list[str],
) -> MachineChange:
    """Return the change that makes a Node of a host, or continues to."""
    provider = surroundings.provider
    if not provider.capabilities.create:
        refusals.append(_incapable(provider, "metadata.name", "create a machine"))
    if not machine.kubelet_version and provider.capabilities.kubelet:
        refusals.append("spec.versions.kubelet: a machine without a Node needs it: write for example 1.34.2")
    skew = check_skew(machine, None, surroundings.server_version)
    checked = check_config(machine, None, source, surroundings.inputs) if machine.kubelet_version else None
    fields = [
        ChangedField(path, None, value, "none")
        for path, value in (
            ("spec.versions.kubelet", machine.kubelet_version),
            ("spec.versions.containerRuntime", str(machine.runtime or "")),
            (_source_path(machine), source_name(source)),
        )
        if value
    ]
    fields += [ChangedField(f"spec.nodeLabels[{key}]", None, value, "none") for key, value in _items(machine)]
    fields += [ChangedField(f"spec.taints[{taint.identity}]", None, str(taint), "none") for taint in machine.taints]
    return MachineChange(
        name=machine.name,
        action=MachineAction.CREATE,
        machine=machine,
        observed=observed,
        fields=tuple(fields),
        refusals=_located(machine, [*refusals, *skew.refusals, *(checked.refusals if checked else ())]),
        warnings=_located(machine, [*skew.warnings, *(checked.warnings if checked else ())]),
        source=source,
        provider=provider,
        cluster=surroundings.cluster,
        unfinished=observed is not None,
        trial=_trial(observed, source, surroundings.inputs),
    )


def _trial(observed: ObservedMachine | None, source: ConfigSource | None, inputs: ConfigInputs) -> Trial | None:
    if source is None or (observed is not None and observed.config.active == source):
        return None
    return inputs.trials.get(source)


def _items(machine: Machine) -> list[tuple[str, str]]:
    return sorted(machine.node_labels.items())


def _version_fields(machine: Machine, observed: ObservedMachine, capabilities: Capabilities) -> Iterator[ChangedField]:
    kubelet, runtime = machine.kubelet_version, machine.runtime
    if not is_version(kubelet, observed.kubelet_version, observed.annotation.kubelet):
        yield ChangedField("spec.versions.kubelet", observed.kubelet_version, kubelet, _DRAIN)
    if not is_runtime(runtime, observed.runtime, observed.annotation.runtime):
        is_other_kind = observed.runtime is not None and runtime is not None and observed.runtime.name != runtime.name
        yield ChangedField(
            "spec.versions.containerRuntime",
            str(_installed_runtime(observed) or "") or None,
            str(runtime),
            _REPLACE if is_other_kind and not capabilities.runtime_kind else _DRAIN,
        )
    declared, installed = provider_hash(machine.provider), observed.annotation
    if observed.is_ours and (installed.provider_hash, installed.provider) != (declared, machine.provider.kind):
        yield ChangedField(
            "spec.providerConfig",
            f"{installed.provider} {installed.provider_hash}",
            f"{machine.provider.kind} {declared}",
            _DRAIN,
        )


def _cluster_fields(
    machine: Machine, observed: ObservedMachine, source: ConfigSource | None, surroundings: Surroundings
) -> Iterator[ChangedField]:
    """Yield the values of the Cluster that have changed since its provider wrote the init config that a node uses."""
    cluster = surroundings.cluster
    if cluster is None or source is not None or not observed.is_ours:
        return
    if observed.annotation.cluster_hash == cluster_hash(cluster):
        return
    config = effective_config(surroundings.inputs, machine.name, observed, None, KUBELET)
    if config is None:
        return
    for name, value in cluster_values(cluster).items():
        if config.get(name) != value:
            yield ChangedField(f"{CLUSTER_PATH}{cluster_field(name)}", config.get(name), value, _DRAIN)


def _installed_runtime(observed: ObservedMachine) -> Runtime | None:
    """Return the runtime with all parts of its version that are known."""
    applied = observed.annotation.runtime
    has_version = applied is not None and bool(applied.version)
    return applied if has_version and is_runtime(applied, observed.runtime, applied) else observed.runtime


def _label_fields(machine: Machine, observed: ObservedMachine) -> Iterator[ChangedField]:
    for key, value in _items(machine):
        present = observed.labels.get(key)
        if present != value:
            yield ChangedField(f"spec.nodeLabels[{key}]", present, value, _LIVE)
    for key in sorted(set(observed.annotation.labels) - set(machine.node_labels)):
        if key in observed.labels and not _is_protected(key):
            yield ChangedField(f"spec.nodeLabels[{key}]", observed.labels[key], None, _LIVE)


def _kept_labels(machine: Machine, observed: ObservedMachine) -> list[str]:
    return [
        f"spec.nodeLabels: the label {key} stays on the Node: remove it with kubectl label, since a node could have"
        " asked for its removal itself"
        for key in sorted(set(observed.annotation.labels) - set(machine.node_labels))
        if key in observed.labels and _is_protected(key)
    ]


def _is_protected(label: str) -> bool:
    prefix = label.partition("/")[0]
    return prefix == _PROTECTED_LABELS or prefix.endswith(f".{_PROTECTED_LABELS}")


def _taint_fields(machine: Machine, observed: ObservedMachine) -> Iterator[ChangedField]:
    present = {taint.identity: taint for taint in observed.taints}
    declared = {taint.identity: taint for taint in machine.taints}
    for key, taint in sorted(declared.items()):
        if present.get(key) != taint:
            before = str(present[key]) if key in present else None
            is_evicting = taint.effect == _NO_EXECUTE
            yield ChangedField(f"spec.taints[{key}]", before, str(taint), _DRAIN if is_evicting else _LIVE)
    for key in sorted(set(observed.annotation.taints) - set(declared)):
        if key in present and not key.startswith(_PROTECTED_TAINTS):
            yield ChangedField(f"spec.taints[{key}]", str(present[key]), None, _LIVE)


def _source_path(machine: Machine) -> str:
    return "spec.configSource" if machine.config_source is not None else "spec.pool"


def _source_fields(
    machine: Machine, observed: ObservedMachine, source: ConfigSource | None, inputs: ConfigInputs
) -> Iterator[ChangedField]:
    if observed.config.source == source:
        return
    yield ChangedField(
        _source_path(machine),
        source_name(observed.config.source),
        source_name(source),
        config_disruption(machine, observed, source, inputs),
    )


def _action(fields: list[ChangedField], provider: Provider) -> tuple[MachineAction, list[str]]:
    """Return how a machine gets its fields, and what its provider cannot do."""
    if not fields:
        return MachineAction.NONE, []
    refusals = []
    is_replacement = False
    for changed in fields:
        if _can_update(changed, provider.capabilities):
            continue
        if provider.capabilities.replace:
            is_replacement = True
        else:
            name = _HOST_FIELD_NAMES.get("kind" if changed.disruption == _REPLACE else changed.path, "the init config")
            change = f"{changed.before or 'unknown'} -> {changed.after}"
            refusals.append(f"{_incapable(provider, changed.path, f'change {name}')} ({change})")
    return MachineAction.REPLACE if is_replacement else MachineAction.UPDATE, refusals


def _can_update(changed: ChangedField, capabilities: Capabilities) -> bool:
    """Return whether a provider can change a field in place; what the API server takes needs no provider."""
    if changed.path == "spec.versions.kubelet":
        return capabilities.kubelet
    if changed.path == "spec.versions.containerRuntime":
        return capabilities.runtime and changed.disruption != _REPLACE
    if changed.path == "spec.providerConfig" or changed.path.startswith(CLUSTER_PATH):
        return capabilities.kubelet or capabilities.runtime
    return True


def _installs_versions(action: MachineAction, fields: list[ChangedField]) -> bool:
    """Return whether a change installs a kubelet or a container runtime."""
    is_replacement = action is MachineAction.REPLACE
    return is_replacement or any(changed.path.startswith("spec.versions.") for changed in fields)


def _incapable(provider: Provider, path: str, what: str) -> str:
    instead = "" if path in ("spec.state", "metadata.name") else " in place, nor replace the machine"
    return f"{path}: its provider {provider.kind} cannot {what}{instead}: undo it in the file, or use another provider"


def _is_config_affected(fields: list[ChangedField]) -> bool:
    """Return whether another minor of the kubelet reads the config, or the kubelet another config.

    A providerConfig has the fields of the init config.
    """
    for changed in fields:
        if changed.path in ("spec.pool", "spec.configSource", "spec.providerConfig"):
            return True
        if changed.path == "spec.versions.kubelet":
            versions = [str(version) for version in (changed.before, changed.after)]
            if not all(map(is_kubernetes_version, versions)):
                return True
            if len({parse_minor(version) for version in versions}) > 1:
                return True
    return False
