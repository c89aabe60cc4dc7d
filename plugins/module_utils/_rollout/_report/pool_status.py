# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a pool and its nodes, as data and as lines; its history. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.config_status import ComponentStatus, TrustStatus
from ..._text import count_of, first_names, sanitize
from .._nodes.node_goals import describe_drift
from .._nodes.node_view import NodeView
from .._record.record import DRIFTED, HALTED, PAUSED, Record
from .tables import render_table

# The states of a node in the status of its pool.
NodeCondition = Literal["ok", "trial", "pending", "failed", "unknown", "no agent", "drifted"]


def node_facts(view: NodeView) -> dict[str, Any]:
    """Return the facts of a node's config, for M(configok.node.config_status_info)."""
    status = view.answer.status
    return {
        "name": view.name,
        "uid": view.uid,
        "ready": view.ready is True,
        "kubelet_version": view.system.kubelet_version,
        "labels": dict(view.labels),
        "config_source": _source_facts(view.assigned.source),
        "config_source_error": view.assigned.error,
        "assignment": view.assigned.id,
        "answered": view.answered_id,
        "config_ok": {"status": view.answer.config_ok, "reason": view.answer.reason, "message": view.answer.message},
        "cause": status.cause if status else "",
        "assigned": _source_facts(status.assigned) if status else None,
        "active": _source_facts(status.active) if status else None,
        "last_known_good": _source_facts(status.last_known_good) if status else None,
        "in_trial": status.in_trial if status else False,
        "components": {name: _component_facts(component) for name, component in status.components.items()}
        if status
        else {},
        "agent_version": status.agent_version if status else "",
        "trust": _trust_facts(status.trust) if status else None,
    }


def node_state(view: NodeView) -> NodeCondition:
    """Return a node's state apart from the record: all states but drifted. Pending means not answered yet."""
    if view.answer.status_error:
        return "unknown"
    if not view.has_agent:
        return "no agent"
    if view.answer.config_ok == "False" and not view.is_in_doubt:
        return "failed"
    if view.answered_id != view.assigned.id:
        return "pending"
    if view.answer.config_ok != "True" or view.ready is not True or _reports_another_config(view):
        return "unknown"
    return "trial" if view.in_trial else "ok"


def _reports_another_config(view: NodeView) -> bool:
    """Return whether the config that a node names as the one in use differs from the assigned one."""
    return view.answer.status is not None and view.answer.status.active != view.assigned.source


def drifted_nodes(record: Record, nodes: Sequence[NodeView]) -> dict[str, str]:
    """Return the nodes that had passed in the pool's rollout and are assigned another config now, with the reason."""
    rollout = record.rollout
    if rollout is None or rollout.is_rolling_back:
        return {}
    passed = {name for wave in rollout.waves[: rollout.waves_done] for name in wave.nodes} | set(
        rollout.start.already_on_target
    )
    passed -= {failed.node for failed in rollout.failed_nodes if failed.kind != DRIFTED}
    passed |= {failed.node for failed in rollout.failed_nodes if failed.kind == DRIFTED}
    goals = [(view, rollout.target.goal(view.name)) for view in nodes if view.name in passed]
    drift_by_name = {view.name: describe_drift(view, goal) for view, goal in goals if goal is not None}
    # Nodes that onFailure: rollback has moved back have not drifted.
    sources = rollout.start.previous_sources if rollout.phase == HALTED else {}
    rolled_back = {view.name for view in nodes if view.name in sources and view.assigned.source == sources[view.name]}
    return {name: reason for name, reason in drift_by_name.items() if reason and name not in rolled_back}


def nodes_of(record: Record, nodes: Sequence[NodeView]) -> list[NodeView]:
    """Return the nodes that a record is about: of Machines, which have no selector, those that their rollout has."""
    rollout = record.rollout
    if rollout is None or not rollout.target.is_machines:
        return list(nodes)
    names = {name for wave in rollout.waves for name in wave.nodes} | set(rollout.start.already_on_target)
    return [view for view in nodes if view.name in names]


def pool_status(record: Record, nodes: Sequence[NodeView], *, moved_by: str | None = None) -> dict[str, Any]:
    """Return pool, revision, phase, nodes by state, and for each node that is not fine the reason from its agent.

    moved_by: the runner that holds the lock, "" for none, None when it is not known.
    """
    rollout = record.rollout
    nodes = nodes_of(record, nodes)
    drifted = drifted_nodes(record, nodes)
    states: dict[str, NodeCondition] = {
        view.name: DRIFTED if view.name in drifted else node_state(view) for view in nodes
    }
    return {
        "pool": record.pool,
        "revision": rollout.revision if rollout else 0,
        "latest_revision": record.latest.number if record.latest else 0,
        "target": rollout.target.name if rollout else "",
        "phase": rollout.phase if rollout else "",
        "reason": rollout.reason if rollout else "",
        "changed": rollout.changed_at if rollout else "",
        "runner": rollout.runner if rollout else "",
        "moved_by": moved_by,
        "requested": record.control.describe_request(),
        "approved": record.control.approved,
        "ignored_requests": record.control.problems(record.pool),
        "refused": [dict(vars(bad)) for bad in record.bad_configs],
        "forgotten": [dict(vars(cleared)) for cleared in record.cleared_configs],
        "waves": [
            {"name": wave.name, "nodes": len(wave.nodes), "finished": number < rollout.waves_done}
            for number, wave in enumerate(rollout.waves)
        ]
        if rollout
        else [],
        "size": len(nodes),
        "by_state": dict(sorted(Counter(states.values()).items())),
        "by_config": dict(sorted(Counter(_config_name(view, "unknown") for view in nodes).items())),
        "not_fine": [
            {
                "node": view.name,
                "state": states[view.name],
                "reason": drifted.get(view.name) or _state_reason(view, states[view.name]),
            }
            for view in nodes
            if states[view.name] not in ("ok", "trial")
        ],
        "exceptions": [dict(vars(failed)) for failed in rollout.failed_nodes] if rollout else [],
    }


def _state_reason(view: NodeView, state: NodeCondition) -> str:
    if state == "no agent":
        return "no agent has ever reported from it"
    if state == "pending":
        return f"assignment {view.assigned.id} is not answered yet; it last said: {view.report}"
    if view.ready is not True and view.answer.config_ok == "True":
        return f"the Node is not Ready: {view.ready_reason}"
    if state == "unknown" and view.answer.config_ok == "True" and _reports_another_config(view):
        return f"its status names a config that is not the assigned one; it last said: {view.report}"
    return view.report


def _config_name(view: NodeView, unknown: str) -> str:
    if view.answer.status is None:
        return unknown
    return view.answer.status.active.name if view.answer.status.active else "init"


def _component_facts(status: ComponentStatus) -> dict[str, Any]:
    return {
        "version": status.version,
        "config": status.config,
        "state": status.state,
        "note": status.note,
        "shadowed": list(status.shadowed),
    }


def revision_history(record: Record) -> list[dict[str, Any]]:
    """Return the revisions as plain data, the newest first; current marks the one that the pool was last moved to."""
    current = record.rollout.revision if record.rollout is not None else None
    return [{**vars(revision), "current": revision.number == current} for revision in reversed(record.revisions)]


_MAX_PROBLEM = 512  # characters: an agent's own are shorter
_HISTORY_HEADS = ("REVISION", "CHANGE-CAUSE", "AUTHOR", "TIME", "RESULT", "CURRENT")


def render_history(record: Record) -> list[str]:
    """Return the revisions as a table, the newest first; revision 0 is the init config, if the pool is on it."""
    rows = [
        (
            str(revision["number"]),
            sanitize(revision["cause"], _MAX_CAUSE) or "<none>",
            sanitize(revision["author"], _MAX_CAUSE) or "<none>",
            _to_seconds(str(revision["time"])),
            ", ".join(filter(None, (revision["result"], revision["pruned"] and "pruned"))) or "<none>",
            "*" if revision["current"] else "",
        )
        for revision in revision_history(record)
    ]
    rollout = record.rollout
    if rollout is not None and rollout.target.is_init:
        rows.append(("0", "the init config", "", _to_seconds(rollout.started_at), rollout.phase, "*"))
    if not rows:
        return [f"Pool {record.pool} has no revisions: nothing was published for it."]
    return render_table(_HISTORY_HEADS, rows)


def _to_seconds(time: str) -> str:
    """Return a time of the record without fractions of a second."""
    seconds, dot, _rest = sanitize(time).partition(".")
    return f"{seconds}Z" if dot else seconds


def _trust_facts(trust: TrustStatus | None) -> dict[str, Any] | None:
    if trust is None:
        return None
    return {
        "mode": trust.mode,
        "floors": dict(trust.floors),
        "signers": [signer._asdict() for signer in trust.signers],
        "problem": trust.problem,
    }


def _source_facts(source: ConfigSource | None) -> dict[str, Any] | None:
    return None if source is None else source.to_dict()


_MAX_CAUSE = 60  # characters in the table
# With more nodes than rows, the table shows only the nodes that are not fine.
_MAX_ROWS = 100
_MAX_PROBLEMS = 5
_NAMES_SHOWN = 4
_HEADS = ("NAME", "CONFIGOK", "STATE", "CONFIG", "ASSIGNMENT", "KUBELET")


def render_status(
    pool: Mapping[str, Any] | None, nodes: Sequence[NodeView], not_fine: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return the reasons of the nodes that are not fine, then a table of all nodes.

    pool: the result of pool_status, None without a pool; not_fine: node, state and reason of each such node.
    """
    lines = [] if pool is None else _pool_lines(pool, not_fine)
    lines += [f"{node['node']}: {node['reason']}" for node in not_fine[:_MAX_ROWS]]
    if len(not_fine) > _MAX_ROWS:
        lines.append(f"... and {len(not_fine) - _MAX_ROWS} more")
    lines += _trust_problems(nodes)
    if not nodes:
        return [*lines, "No Node matches."]
    shown = nodes
    if len(nodes) > _MAX_ROWS:
        names = {node["node"] for node in not_fine}
        shown = [view for view in nodes if view.name in names][:_MAX_ROWS]
        lines.append(f"{len(nodes) - len(names)} of {len(nodes)} nodes are fine and not shown.")
    states = {node["node"]: node["state"] for node in not_fine}
    rows = [_row(view, states.get(view.name) or node_state(view)) for view in shown]
    return [*lines, *([""] if lines and shown else []), *render_table(_HEADS, rows)]


def _trust_problems(nodes: Sequence[NodeView]) -> list[str]:
    """Return a line for each problem that nodes report of the trust in their bundle, with the nodes."""
    names: dict[str, list[str]] = {}
    for view in nodes:
        trust = view.answer.status.trust if view.answer.status is not None else None
        if trust is not None and trust.problem:
            names.setdefault(trust.problem, []).append(view.name)
    return [
        f"trust: {count_of(len(of), 'node')} ({first_names(sorted(of), _NAMES_SHOWN)}): "
        f"{sanitize(problem, _MAX_PROBLEM)}"
        for problem, of in sorted(names.items(), key=lambda item: (-len(item[1]), item[0]))[:_MAX_PROBLEMS]
    ]


def _pool_lines(pool: Mapping[str, Any], not_fine: Sequence[Mapping[str, str]]) -> list[str]:
    where = "never rolled out"
    if pool["phase"]:
        revision = f"revision {pool['revision']} ({pool['target']})" if pool["revision"] else "the init config"
        where = f"{revision}, {pool['phase']}"
    lines = [f"Pool {pool['pool']}: {where}, {count_of(pool['size'], 'node')}"]
    is_paused = pool["phase"] == PAUSED
    if pool.get("moved_by"):
        lines.append(f"  {pool['moved_by']} waits to continue" if is_paused else f"  moved by {pool['moved_by']}")
    elif pool.get("moved_by") == "":
        lines.append(f"  no runner {'waits' if is_paused else 'is moving it'}: run it again to continue")
    if pool.get("requested") and pool["requested"] not in pool["reason"]:
        lines.append(f"  to be {pool['requested']}")
    lines += [f"  {problem}" for problem in pool.get("ignored_requests", ())]
    reason = str(pool["reason"])
    for node in not_fine:  # their reasons follow below
        reason = reason.replace(f": {node['node']}: {node['reason']}", "")
    lines += [f"  {reason}"] if reason else []
    exceptions = _exception_names(pool.get("exceptions", ()))
    return [*lines, f"  exceptions: {exceptions}"] if exceptions else lines


def _exception_names(exceptions: Sequence[Mapping[str, str]]) -> str:
    """Return the nodes that did not succeed in the rollout, by kind."""
    names: dict[str, list[str]] = {}
    for failed in exceptions:
        names.setdefault(failed["kind"], []).append(failed["node"])
    return "; ".join(f"{kind} {first_names(of, _NAMES_SHOWN)}" for kind, of in sorted(names.items()))


def _row(view: NodeView, state: str) -> tuple[str, ...]:
    return (
        view.name,
        view.answer.config_ok or "<none>",
        state,
        _config_name(view, "<unknown>"),
        str(view.assigned.id or ""),
        view.system.kubelet_version,
    )
