# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leave machines out whose Nodes report a kubelet version with which they cannot be changed. Pure.

What a Node says of itself decides about that Node alone, so it refuses no run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..._componentconfig._schema.releases import is_kubernetes_version
from ..._rollout._nodes.left_out import is_within_skew, leave_out
from .plan_change import machine_name
from .types import MachineAction, MachineChange

_ADVICE = "left out, because only its Node reports that version: declare spec.versions.kubelet"


def without_reported(changes: Sequence[MachineChange], server_version: str) -> list[MachineChange]:
    """Return the changes without those that the reported versions of few Nodes refuse.

    A version that the API server does not support, or that cannot be read, counts for its own Node however many report
    it.
    """
    reporting = [change for change in changes if _relies_on_report(change)]
    outside = {change.name for change in reporting if not _is_supported(change, server_version)}
    reasons = {change.name: change.by_reported[0] for change in reporting if change.by_reported}
    within = {name: reason for name, reason in reasons.items() if name not in outside}
    few = leave_out(within, len(reporting) - len(outside))
    left_out = {name: reason for name, reason in reasons.items() if name in outside or name in few}
    left_out.update((change.name, _unreadable(change)) for change in changes if _is_unreadable(change))
    return [
        _left_alone(change, left_out[change.name])
        if change.name in left_out
        else replace(change, refusals=(*change.refusals, *change.by_reported), by_reported=())
        for change in changes
    ]


def _relies_on_report(change: MachineChange) -> bool:
    """Return whether only its Node says which kubelet a changed machine has."""
    machine = change.machine
    return change.is_change and machine is not None and change.observed is not None and not machine.kubelet_version


def _is_supported(change: MachineChange, server_version: str) -> bool:
    version = change.observed.kubelet_version if change.observed is not None else ""
    return is_kubernetes_version(version) and is_within_skew(version, server_version)


def _is_unreadable(change: MachineChange) -> bool:
    version = change.observed.kubelet_version if change.observed is not None else ""
    return change.action is MachineAction.UPDATE and bool(version) and not is_kubernetes_version(version)


def _unreadable(change: MachineChange) -> str:
    where = machine_name(change.machine) if change.machine is not None else change.name
    version = change.observed.kubelet_version if change.observed is not None else ""
    return f"{where}: its Node says that its kubelet has version {version[:40]!r}"


def _left_alone(change: MachineChange, reason: str) -> MachineChange:
    observed = change.observed
    return replace(
        change,
        action=MachineAction.NONE,
        fields=(),
        disruption="none",
        by_reported=(),
        adjusted=(),
        warnings=(*change.warnings, f"{reason}: {_ADVICE}"),
        source=observed.config.source if observed is not None else None,
        unfinished=False,
        trial=None,
    )
