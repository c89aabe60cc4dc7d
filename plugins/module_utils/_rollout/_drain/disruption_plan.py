# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which nodes a change drains or reboots, and whether the policy allows it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..._componentconfig.compare import FieldChange
from ..._text import count_of, first_names
from .._nodes.left_out import leave_out
from ._settings import REBOOT, REPLACE, WITH_DRAIN, RebootSettings, forbidding_class

_NAMES_SHOWN = 4


class ChangeGroup(Protocol):
    """Nodes with the same changes: component and change of each, None when they are not known."""

    @property
    def nodes(self) -> Sequence[str]:
        """Return the names of the nodes."""

    @property
    def changes(self) -> Sequence[tuple[str, FieldChange]] | None:
        """Return the changes."""


@dataclass(frozen=True)
class DisruptionPlan:
    """What a change does to nodes in addition to a restart; names are sorted.

    to_reboot: they are in to_drain too. refusals: why the rollout must not start, one sentence each. left_out: the few
    nodes on which the policy forbids the change, with the reason.
    """

    to_drain: tuple[str, ...] = ()
    to_reboot: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


def plan_disruption(
    groups: Iterable[ChangeGroup], total: int, *, reboot: RebootSettings, forbid: tuple[str, ...]
) -> DisruptionPlan:
    """Return which nodes to drain and to reboot, and why the policy refuses the change.

    groups: the changes of a release or of an undo. total: how many nodes it has. reboot, forbid: of the policy. A
    condition that configs do not show, such as a volume plugin in use, counts as met.
    """
    to_drain: set[str] = set()
    to_reboot: set[str] = set()
    unknown: set[str] = set()
    nodes_by_field: dict[tuple[str, str, str], set[str]] = {}
    for group in groups:
        if group.changes is None:
            unknown.update(group.nodes)
            continue
        for component, change in group.changes:
            name = change.disruption.name
            nodes_by_field.setdefault((component, change.change.path, name), set()).update(group.nodes)
            if name in WITH_DRAIN:
                to_drain.update(group.nodes)
            if name == REBOOT:
                to_reboot.update(group.nodes)
    refusals = []
    reasons: dict[str, str] = {}
    for (component, path, name), nodes in sorted(nodes_by_field.items()):
        reason = _reason(name, reboot, forbid)
        if reason:
            where = f" on {_nodes_text(nodes)}" if nodes else ""
            refusals.append(f"{component} {path} changes{where}: {reason}")
            reasons.update(dict.fromkeys(nodes, f"{component} {path} would change: {reason}"))
    warnings = []
    if unknown and forbid:
        forbidden = f"is not known, and policy.forbid forbids {', '.join(forbid)}: publish what"
        refusals.append(f"what changes on {_nodes_text(unknown)} {forbidden} they use now with configok.node.provision")
        reasons.update(
            dict.fromkeys(unknown, f"what changes on it {forbidden} it uses now with configok.node.provision")
        )
    elif unknown:
        warnings.append(f"what changes on {_nodes_text(unknown)} is not known: they are moved without a drain")
    left_out = leave_out(reasons, total)
    return DisruptionPlan(
        tuple(sorted(to_drain - left_out.keys())),
        tuple(sorted(to_reboot - left_out.keys())),
        () if left_out else tuple(refusals),
        tuple(warnings),
        left_out,
    )


def _reason(name: str, reboot: RebootSettings, forbid: tuple[str, ...]) -> str:
    """Return why a change of this class must not be carried out, "" when it may."""
    forbidding = forbidding_class(name, forbid)
    if forbidding:
        also = "" if forbidding == name else f", as {forbidding} is"
        return f"its class {name} is forbidden by policy.forbid{also}"
    if name == REPLACE:
        return (
            "its class replace cannot be carried out by a rollout, because the container runtime changes too: replace "
            "the nodes, or give the field another class in disruptionOverrides"
        )
    if name == REBOOT and not reboot.allowed:
        return "it needs a reboot: set policy.reboot.allowed, or give the field another class in disruptionOverrides"
    return ""


def _nodes_text(names: Iterable[str]) -> str:
    nodes = sorted(names)
    return f"{count_of(len(nodes), 'node')} ({first_names(nodes, _NAMES_SHOWN)})"
