# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derive the phase of a Machine from its Node, its planned change and the rollout's record. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from ..._nodeconfig.assignment import ConfigSource
from .._changes.types import MachineAction, MachineChange, ObservedMachine
from .._objects.types import Runtime

_INIT: Final = "init"
_MAX_ATTENTION: Final = 100  # machines of a summary, which a workflow of AWX hands from job to job


class MachinePhase(Enum):
    """The phase of a Machine."""

    PROVISIONING = "Provisioning"
    RUNNING = "Running"
    UPDATING = "Updating"
    DELETING = "Deleting"
    FAILED = "Failed"


@dataclass(frozen=True)
class MachineStatus:
    """The status of one Machine.

    node: "" without a Node. config_desired, config_observed: the names of config sources, "" without a Machine or
    without a Node. action: what a run would do. reason: "" for a healthy one.
    """

    name: str
    phase: MachinePhase
    node: str = ""
    node_uid: str = ""
    kubelet_desired: str = ""
    kubelet_observed: str = ""
    runtime_desired: Runtime | None = None
    runtime_observed: Runtime | None = None
    config_desired: str = ""
    config_observed: str = ""
    config_ok: str = ""
    action: str = "none"
    reason: str = ""


def statuses_of(
    changes: Iterable[MachineChange], *, failed: Mapping[str, str] | None = None, moving: Collection[str] = ()
) -> list[MachineStatus]:
    """Return the status of each machine.

    failed: the machines that failed in the rollout of the record, with the reason. moving: those of its current wave.
    """
    failures = failed or {}
    return [_status(change, failures.get(change.name), is_moving=change.name in moving) for change in changes]


def _status(change: MachineChange, failure: str | None, *, is_moving: bool) -> MachineStatus:
    machine, observed = change.machine, change.observed
    is_declared = machine is not None and machine.state != "Absent" and not machine.owner
    phase, reason = _phase(change, failure, is_moving=is_moving)
    return MachineStatus(
        name=change.name,
        phase=phase,
        node=observed.name if observed is not None else "",
        node_uid=observed.uid if observed is not None else "",
        kubelet_desired=machine.kubelet_version if machine is not None else "",
        kubelet_observed=observed.kubelet_version if observed is not None else "",
        runtime_desired=machine.runtime if machine is not None else None,
        runtime_observed=observed.runtime if observed is not None else None,
        config_desired=_name(change.source) if is_declared else "",
        config_observed=_name(observed.config.source) if observed is not None else "",
        config_ok=observed.config.ok if observed is not None else "",
        action=change.action.value,
        reason=change.refusals[0] if change.refusals else reason,
    )


def _phase(change: MachineChange, failure: str | None, *, is_moving: bool) -> tuple[MachinePhase, str]:
    """Return the phase and its reason, "" for a healthy machine."""
    machine, observed = change.machine, change.observed
    is_absent = machine is not None and machine.state == "Absent"
    if is_absent and observed is None:
        if failure is not None:
            return MachinePhase.FAILED, f"{failure}; without a Node nothing is deleted: reset its host yourself"
        return MachinePhase.DELETING, "it is deleted: its file can be removed"
    if failure is not None and (change.is_change or _problem(observed)):
        return MachinePhase.FAILED, failure
    if is_absent or (observed is not None and observed.deleting):
        return MachinePhase.DELETING, "" if is_moving else "its Node is being deleted" if not is_absent else ""
    if observed is None or change.action is MachineAction.CREATE:
        return MachinePhase.PROVISIONING, "" if is_moving else "it has no Node yet" if observed is None else ""
    problem = _problem(observed)
    if is_moving or change.unfinished:
        return MachinePhase.UPDATING, problem
    if machine is None:
        return (MachinePhase.FAILED if problem else MachinePhase.RUNNING), problem or "no file declares it"
    if problem:
        return MachinePhase.FAILED, problem
    return MachinePhase.RUNNING, _remark(observed)


def _problem(observed: ObservedMachine | None) -> str:
    """Return why a Node is not healthy, "" for a healthy one."""
    if observed is None:
        return "it has no Node"
    if observed.ready is not True:
        return "its Node is not Ready" if observed.ready is False else "its Node does not report"
    return observed.config.message if observed.config.ok == "False" else ""


def _remark(observed: ObservedMachine) -> str:
    if not observed.has_agent:
        return "no agent reports from it"
    return observed.config.message if observed.config.ok == "Unknown" else ""


def _name(source: ConfigSource | None) -> str:
    return source.name if source is not None else _INIT


def to_dict(status: MachineStatus) -> dict[str, Any]:
    """Return a status as plain data."""
    return {
        "name": status.name,
        "phase": status.phase.value,
        "nodeRef": {"name": status.node, "uid": status.node_uid} if status.node else None,
        "versions": {
            "desired": _versions(status.kubelet_desired, status.runtime_desired),
            "observed": _versions(status.kubelet_observed, status.runtime_observed),
        },
        "config": {"desired": status.config_desired, "observed": status.config_observed},
        "configOK": status.config_ok,
        "action": status.action,
        "reason": status.reason,
    }


def _versions(kubelet: str, runtime: Runtime | None) -> dict[str, Any]:
    return {"kubelet": kubelet, "containerRuntime": None if runtime is None else runtime._asdict()}


def summarize(statuses: Sequence[MachineStatus]) -> dict[str, Any]:
    """Return the numbers of machines by phase and action as plain data, and the machines that need attention.

    These are not Running, or have a reason; at most 100 of them are among the data.
    """
    phases = Counter(status.phase for status in statuses)
    actions = Counter(status.action for status in statuses)
    attention = [status for status in statuses if status.phase is not MachinePhase.RUNNING or status.reason]
    return {
        "total": len(statuses),
        "phases": {phase.value: phases[phase] for phase in MachinePhase},
        "actions": {action.value: actions[action.value] for action in MachineAction},
        "attention": [to_dict(status) for status in attention[:_MAX_ATTENTION]],
    }
