# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report shows, as data: the nodes by wave with their states, and what is wrong with them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeVar

from ..._text import count_of, first_names
from .._decisions.skipped import skip_reason
from .._nodes.node_view import NodeView
from .._record.record import COMPLETE, HALTED, PAUSED, SOAKING, FailedNode, Record, Rollout, moving_phase
from ..plan import BROKEN
from .pool_status import node_state, pool_status

# The states of a node in a report: those of its status, and two that only a rollout can tell.
NodeState = Literal["ok", "trial", "pending", "elsewhere", "failed", "unknown", "drifted", "no agent", "gone"]

# Each state with the text of the legend, in the order in which a report lists them.
STATES: Final[dict[NodeState, tuple[str, str]]] = {
    "failed": ("failed", "ConfigOK is False"),
    "unknown": ("unknown", "silent, not Ready, or unreadable"),
    "drifted": ("drifted", "passed, then assigned another config"),
    "gone": ("gone", "the Node no longer exists"),
    "no agent": ("no agent", "no agent has ever reported"),
    "pending": ("pending", "assigned, not answered yet"),
    "trial": ("trial", "uses the config, in its trial"),
    "ok": ("ok", "uses the config"),
    "elsewhere": ("not moved", "fine, on another config"),
}

_NAMES_SHOWN = 4
_MAX_NAME = 253  # characters
_DIGITS = re.compile("([0-9]+)")
_Key = TypeVar("_Key")


class FieldRow(NamedTuple):
    """A field that a rollout changes. before and after: short texts without secrets, None for an unset field."""

    component: str
    path: str
    before: str | None
    after: str | None
    disruption: str


class ChangeGroup(NamedTuple):
    """Nodes with the same changes.

    fields: None when what they used before is not known. summary: the heaviest class of disruption.
    """

    nodes: tuple[str, ...]
    fields: tuple[FieldRow, ...] | None
    summary: str = ""


class MachineEntry(NamedTuple):
    """A Machine in a report, as texts; "" for what is not known or not declared.

    phase: Provisioning, Running, Updating, Deleting or Failed. kubelet, runtime: as the Node reports them; those that
    are desired are "" if they are the same. action: what a run would do with it.
    """

    name: str
    phase: str
    kubelet: str = ""
    kubelet_desired: str = ""
    runtime: str = ""
    runtime_desired: str = ""
    config: str = ""
    config_ok: str = ""
    action: str = "none"
    reason: str = ""


@dataclass(frozen=True)
class PoolReport:
    """What a report is made of.

    changes: by groups of nodes; changes_note: why they cannot be shown, "" when they can. findings: sentences on the
    config. moved_by: the runner that moves the pool now, "" for none, None when it is not known. machines: the Machines
    of the files that the reader has named.
    """

    record: Record
    views: Sequence[NodeView]
    changes: Sequence[ChangeGroup] = ()
    changes_note: str = ""
    findings: Sequence[str] = ()
    moved_by: str | None = None
    machines: Sequence[MachineEntry] = ()


class NodeEntry(NamedTuple):
    """A node in a report; view: None for a node that no longer exists."""

    name: str
    state: NodeState
    zone: str = ""
    view: NodeView | None = None
    reason: str = ""

    @property
    def config(self) -> str:
        """Return the name of the config that the node reports to use, "" for none."""
        status = self.view.answer.status if self.view is not None else None
        if status is None:
            return ""
        return status.active.name if status.active else "init"


LaneProgress = Literal["done", "moving", "soaking", "paused", "halted", "not started", ""]


class Lane(NamedTuple):
    """A column of the node grid: a wave, or the nodes outside all waves. progress: "" for those."""

    title: str
    progress: LaneProgress
    nodes: tuple[NodeEntry, ...]


class Problem(NamedTuple):
    """Nodes in the same state for the same reason.

    reason: in the agent's own words, "" for nodes that are fine now. verdict: the rollout's, "" if it says the same.
    """

    state: NodeState
    nodes: tuple[str, ...]
    reason: str
    verdict: str


def natural_order(name: str) -> list[tuple[int, str]]:
    """Return a sort key that has node-9 before node-10."""
    parts = _DIGITS.split(name[:_MAX_NAME])  # every second one is a number
    return [(int(part), "") if index % 2 else (-1, part) for index, part in enumerate(parts)]


def lane_title(wave: str) -> str:
    """Return the title of a wave."""
    return "Broken nodes" if wave == BROKEN else moving_phase(wave)


def node_entries(report: PoolReport) -> dict[str, NodeEntry]:
    """Return all nodes of the pool by name, and those of its waves that no longer exist."""
    rollout = report.record.rollout
    reasons = {node["node"]: node for node in pool_status(report.record, report.views)["not_fine"]}
    entries = {}
    for view in report.views:
        state = _state(view, rollout, is_drifted=reasons.get(view.name, {}).get("state") == "drifted")
        reason = view.report if state == "pending" else str(reasons.get(view.name, {}).get("reason", ""))
        entries[view.name] = NodeEntry(view.name, state, view.zone, view, reason)
    for wave in rollout.waves if rollout is not None else ():
        for name in wave.nodes:
            reason = "" if rollout is not None and rollout.target.is_machines else "its Node no longer exists"
            entries.setdefault(name, NodeEntry(name, "gone", reason=reason))  # a machine may be deleted by its rollout
    return {name: entries[name] for name in sorted(entries, key=natural_order)}


def _state(view: NodeView, rollout: Rollout | None, *, is_drifted: bool) -> NodeState:
    if is_drifted:
        return "drifted"
    state = node_state(view)
    if state == "ok" or state == "trial":
        goal = None if rollout is None else rollout.target.goal(view.name)
        return state if goal is None or view.active == goal.source else "elsewhere"
    return "unknown" if state == "drifted" else state


def lanes(report: PoolReport, entries: dict[str, NodeEntry]) -> list[Lane]:
    """Return the waves, then the nodes that used the target already, then those that the rollout leaves out."""
    rollout = report.record.rollout
    if rollout is None:
        return [Lane("All nodes", "", tuple(entries.values()))] if entries else []
    columns = [
        Lane(lane_title(wave.name), _progress(rollout, position), _sorted(entries[name] for name in wave.nodes))
        for position, wave in enumerate(rollout.waves)
        if wave.nodes
    ]
    in_waves = {name for wave in rollout.waves for name in wave.nodes}
    others = [entry for name, entry in entries.items() if name not in in_waves]
    settled = [
        entry for entry in others if entry.state in ("ok", "trial") or entry.name in rollout.start.already_on_target
    ]
    names = {entry.name for entry in settled}
    columns.append(Lane("Already there", "", tuple(settled)))
    columns.append(Lane("Left out", "", tuple(entry for entry in others if entry.name not in names)))
    return [lane for lane in columns if lane.nodes]


def _sorted(entries: Iterable[NodeEntry]) -> tuple[NodeEntry, ...]:
    return tuple(sorted(entries, key=lambda entry: natural_order(entry.name)))


def _progress(rollout: Rollout, position: int) -> LaneProgress:
    if position < rollout.waves_done or rollout.phase == COMPLETE:
        return "done"
    has_begun = rollout.present_wave.assigned_up_to or rollout.is_moving or rollout.phase == PAUSED
    if position > rollout.waves_done or not has_begun:
        return "not started"
    if rollout.phase == SOAKING:
        return "soaking"
    if rollout.phase == PAUSED:
        return "paused"
    return "moving" if rollout.is_moving and rollout.phase != HALTED else "halted"


def left_out(report: PoolReport, lane: Lane) -> list[tuple[str, tuple[str, ...]]]:
    """Return the reasons for which the rollout leaves nodes out, each with the nodes; the most frequent first."""
    rollout = report.record.rollout
    names_by_reason: dict[str, list[str]] = {}
    for entry in lane.nodes:
        reason = None
        if rollout is not None and entry.view is not None:
            reason = skip_reason(entry.view, rollout.target, forget_bad=rollout.start.forget_bad)
        reason = reason or "it was not in the pool when the waves were frozen: run the rollout again to move it"
        names_by_reason.setdefault(reason, []).append(entry.name)
    return [(reason, tuple(names)) for reason, names in _largest_first(names_by_reason.items())]


def problems(report: PoolReport, entries: dict[str, NodeEntry]) -> list[Problem]:
    """Return the nodes that are not fine or did not pass, by state and reason; the states in the order of STATES."""
    rollout = report.record.rollout
    failed_nodes = {failed.node: failed for failed in rollout.failed_nodes} if rollout is not None else {}
    names_by_problem: dict[tuple[NodeState, str, str], list[str]] = {}
    for name in sorted(entries.keys() | failed_nodes.keys(), key=natural_order):
        entry = entries.get(name) or NodeEntry(name, "gone", reason="its Node no longer exists")
        verdict = _verdict(failed_nodes.get(name), entry.reason)
        if entry.reason or verdict:
            names_by_problem.setdefault((entry.state, entry.reason, verdict), []).append(name)
    order = list(STATES)
    grouped = _largest_first(names_by_problem.items())
    return sorted(
        (Problem(state, tuple(names), reason, verdict) for (state, reason, verdict), names in grouped),
        key=lambda problem: order.index(problem.state),
    )


def _verdict(failed: FailedNode | None, reason: str) -> str:
    if failed is None or (failed.reason and failed.reason in reason):
        return ""
    return f"{failed.kind} in {failed.wave}: {failed.reason}" if failed.reason else f"{failed.kind} in {failed.wave}"


def _largest_first(groups: Iterable[tuple[_Key, list[str]]]) -> list[tuple[_Key, list[str]]]:
    return sorted(groups, key=lambda group: (-len(group[1]), group[1]))


def notes(report: PoolReport) -> list[str]:
    """Return sentences on the config: the findings, fields that flags override, components that nodes do not run."""
    names_by_note: dict[str, list[str]] = {}
    for view in report.views:
        if view.answer.status is None:
            continue
        for component, status in view.answer.status.components.items():
            for field in status.shadowed:
                names_by_note.setdefault(f"{component}: the node overrides {field}", []).append(view.name)
        for component in view.answer.status.ignored:
            names_by_note.setdefault(f"{component}: the node does not run it", []).append(view.name)
    return [
        *report.findings,
        *(
            f"{note}, on {count_of(len(names), 'node')} ({first_names(names, _NAMES_SHOWN)})"
            for note, names in _largest_first(names_by_note.items())
        ),
    ]
