# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn changes into the goals of a rollout, and hash what is declared. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from ..._rollout._nodes.reported_versions import is_version
from ..._rollout.goals import MachineGoal
from .._objects.types import Machine, Runtime
from ._machine_annotation import MachineAnnotation, cluster_hash, provider_hash
from .runtimes import is_runtime
from .types import CLUSTER_PATH, MachineAction, MachineChange, ObservedMachine

_VERSION_PATHS: Final = frozenset({"spec.versions.kubelet", "spec.versions.containerRuntime"})
_NEW: Final = (MachineAction.CREATE, MachineAction.REPLACE)
_LABELS: Final = "spec.nodeLabels["
_TAINTS: Final = "spec.taints["


def goals_of(changes: Iterable[MachineChange]) -> dict[str, MachineGoal]:
    """Return the goal of each declared machine, also of those that are on it, so that a later run finds all of them.

    A machine that needs nothing has a goal without work for its host, and without annotation if its Node has none. One
    that another program owns has no goal.
    """
    return {
        change.name: _goal(change, change.machine)
        for change in changes
        if change.machine is not None and not change.machine.owner
    }


def content_hash_of(changes: Iterable[MachineChange]) -> str:
    """Return the SHA-256, in hexadecimal, of what is declared for all machines of a run.

    Nothing that a run changes is part of it, so a run after one that was interrupted continues the same rollout.
    """
    specs = [
        _declared(change.machine, change)
        for change in changes
        if change.machine is not None and not change.machine.owner
    ]
    text = json.dumps(sorted(specs, key=lambda spec: spec["name"]), sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _declared(machine: Machine, change: MachineChange) -> dict[str, Any]:
    if machine.state == "Absent":
        return {"name": machine.name, "state": machine.state}
    return {
        "name": machine.name,
        "cluster": [machine.cluster, cluster_hash(change.cluster)],
        # All fields: a target that has failed is another one with another source of packages, or another address.
        "provider": [machine.provider.api_version, machine.provider.kind, dict(machine.provider.fields)],
        "kubelet": machine.kubelet_version,
        "runtime": list(machine.runtime or ()),
        "source": None if change.source is None else change.source.to_dict(),
        "labels": dict(machine.node_labels),
        "taints": sorted(list(taint) for taint in machine.taints),
    }


def _goal(change: MachineChange, machine: Machine) -> MachineGoal:
    if change.action is MachineAction.DELETE or machine.state == "Absent":
        has_node = change.observed is not None
        return MachineGoal(change.source, "delete", needs_host=has_node, needs_drain=has_node)
    previous = {} if change.observed is None or change.action in _NEW else _previous(machine, change.observed)
    is_new = change.action in _NEW
    return MachineGoal(
        source=change.source,
        action="create" if change.action is MachineAction.CREATE else "replace" if is_new else "update",
        kubelet_version=machine.kubelet_version,
        runtime=(machine.runtime.name, machine.runtime.version) if machine.runtime is not None else ("", ""),
        labels={**dict.fromkeys(_removed(change, _LABELS)), **machine.node_labels},
        taints=tuple((taint.key, taint.value, taint.effect) for taint in machine.taints),
        untaint=_removed(change, _TAINTS),
        annotation=_annotation(change, machine, previous),
        needs_host=change.needs_host,
        needs_drain=change.needs_drain,
        disruption="" if change.disruption == "none" else change.disruption,
        previous=previous,
    )


def _removed(change: MachineChange, kind: str) -> tuple[str, ...]:
    """Return the keys of the labels, or the identities of the taints, to remove from a Node that stays.

    kind: how the paths of these fields begin.
    """
    return tuple(
        changed.path[len(kind) : -1]
        for changed in change.fields
        if changed.path.startswith(kind) and changed.after is None and change.action not in _NEW
    )


def _previous(machine: Machine, observed: ObservedMachine) -> dict[str, Any]:
    """Return the versions of a rollback, also when a run was killed after it had changed the host."""
    kubelet = observed.kubelet_version
    if is_version(machine.kubelet_version, kubelet, machine.kubelet_version):
        if observed.annotation.kubelet and not is_version(machine.kubelet_version, observed.annotation.kubelet):
            kubelet = observed.annotation.kubelet  # the host is ahead of the annotation
        else:
            kubelet = str(observed.annotation.previous.get("kubelet") or kubelet)
    runtime, applied = observed.runtime, observed.annotation.runtime
    applied = applied if applied is not None and applied.version else None  # a kind alone says nothing of the version
    if not is_runtime(machine.runtime, runtime, machine.runtime):
        if applied is not None and is_runtime(applied, runtime, applied):
            runtime = applied  # with the parts of its version that the Node does not report
    elif applied is not None and not is_runtime(machine.runtime, applied):
        runtime = applied
    else:
        name, _space, version = str(observed.annotation.previous.get("runtime") or "").partition(" ")
        runtime = Runtime(name, version) if name else runtime
    return {"kubelet": kubelet, "runtime": tuple(runtime) if runtime is not None else ("", "")}


def _annotation(change: MachineChange, machine: Machine, previous: dict[str, Any]) -> str:
    if not change.is_change and change.observed is not None and not change.observed.is_ours:
        return ""
    texts = {
        "kubelet": previous.get("kubelet", ""),
        "runtime": " ".join(previous.get("runtime", ())).strip(),
        **_previous_hashes(change),
    }
    observed = change.observed
    init_config = cluster_hash(change.cluster)
    if observed is not None and observed.is_ours and not change.needs_host:
        init_config = observed.annotation.cluster_hash  # which is left as it is
    keeps_previous = change.needs_host and change.action is MachineAction.UPDATE
    return MachineAnnotation(
        machine=machine.name,
        provider=machine.provider.kind,
        provider_hash=provider_hash(machine.provider),
        labels=tuple(machine.node_labels),
        taints=tuple(taint.identity for taint in machine.taints),
        kubelet=machine.kubelet_version,
        runtime=machine.runtime,
        cluster_hash=init_config,
        previous={name: text for name, text in texts.items() if text} if keeps_previous else {},
    ).encode()


def _previous_hashes(change: MachineChange) -> dict[str, str]:
    """Return the hashes before the change of those that it changes, also in a second run of it."""
    observed = change.observed
    if observed is None:
        return {}
    paths = {changed.path for changed in change.fields}
    changed_hashes = {}
    if "spec.providerConfig" in paths:
        changed_hashes["providerHash"] = observed.annotation.provider_hash
    if any(path.startswith(CLUSTER_PATH) for path in paths):
        changed_hashes["clusterHash"] = observed.annotation.cluster_hash
    if changed_hashes or paths & _VERSION_PATHS:
        return changed_hashes
    return {name: str(observed.annotation.previous.get(name) or "") for name in ("providerHash", "clusterHash")}
