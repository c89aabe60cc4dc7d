# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pool and its nodes are like, as plain data. Private to configok.node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .._nodeconfig._assignment import ConfigSource
from .._nodeconfig._config_status import ComponentStatus
from ._node_view import NodeView, describe_drift
from ._record import DRIFTED, HALTED, Record
from ._rendering import render_table

__all__ = ["drifted_nodes", "node_facts", "node_state", "pool_status", "render_status"]


def node_facts(view: NodeView) -> dict[str, Any]:
    """Return what is known of a node's config, for M(configok.node.config_status_info)."""
    status = view.status
    return {
        "name": view.name,
        "uid": view.uid,
        "ready": view.ready is True,
        "kubelet_version": view.kubelet_version,
        "labels": dict(view.labels),
        "config_source": _plain(view.source),
        "config_source_error": view.source_error,
        "assignment": view.assigned_id,
        "answered": view.answered_id,
        "config_ok": {"status": view.config_ok, "reason": view.reason, "message": view.message},
        "cause": status.cause if status else "",
        "assigned": _plain(status.assigned) if status else None,
        "active": _plain(status.active) if status else None,
        "last_known_good": _plain(status.last_known_good) if status else None,
        "in_trial": status.in_trial if status else False,
        "components": {name: _component(one) for name, one in status.components.items()} if status else {},
        "agent_version": status.agent_version if status else "",
    }


def node_state(view: NodeView) -> str:
    """Return a node's own state in a word: ok, trial, pending (not answered yet), failed, unknown, or no agent."""
    if view.status_error:
        return "unknown"
    if not view.has_agent:
        return "no agent"
    if view.config_ok == "False":
        return "failed"
    if view.answered_id != view.assigned_id:
        return "pending"
    if view.config_ok != "True" or view.ready is not True:
        return "unknown"
    return "trial" if view.status is not None and view.status.in_trial else "ok"


def drifted_nodes(record: Record, nodes: Sequence[NodeView]) -> dict[str, str]:
    """Return the nodes that had passed in the pool's rollout and are assigned something else now, each with how."""
    rollout = record.rollout
    if rollout is None or rollout.is_rolling_back:
        return {}
    passed = {name for wave in rollout.waves[: rollout.waves_done] for name in wave.nodes} | set(
        rollout.already_on_target
    )
    passed -= {one.node for one in rollout.failed_nodes if one.kind != DRIFTED}
    passed |= {one.node for one in rollout.failed_nodes if one.kind == DRIFTED}
    found = {view.name: describe_drift(view, rollout.target.source) for view in nodes if view.name in passed}
    # What onFailure: rollback has taken back has not drifted.
    back = {
        view.name
        for view in nodes
        if rollout.phase == HALTED
        and view.name in rollout.previous_sources
        and view.source == rollout.previous_sources[view.name]
    }
    return {name: reason for name, reason in found.items() if reason and name not in back}


def pool_status(record: Record, nodes: Sequence[NodeView], *, moved_by: str | None = None) -> dict[str, Any]:
    """Return pool, revision, phase, nodes by state, and for each node that is not fine the reason in the agent's own
    words.

    moved_by: who holds the lock of a rollout in motion, "" when no runner does, None when that is not known.
    """
    rollout = record.rollout
    drifted = drifted_nodes(record, nodes)
    states = {view.name: DRIFTED if view.name in drifted else node_state(view) for view in nodes}
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
        "refused": [dict(vars(one)) for one in record.bad_configs],
        "forgotten": [dict(vars(one)) for one in record.cleared_configs],
        "waves": [
            {"name": wave.name, "nodes": len(wave.nodes), "finished": number < rollout.waves_done}
            for number, wave in enumerate(rollout.waves)
        ]
        if rollout
        else [],
        "size": len(nodes),
        "by_state": dict(sorted(Counter(states.values()).items())),
        "by_config": dict(sorted(Counter(_config(view) for view in nodes).items())),
        "not_fine": [
            {
                "node": view.name,
                "state": states[view.name],
                "reason": drifted.get(view.name) or _why(view, states[view.name]),
            }
            for view in nodes
            if states[view.name] not in ("ok", "trial")
        ],
        "exceptions": [dict(vars(one)) for one in rollout.failed_nodes] if rollout else [],
    }


def _why(view: NodeView, state: str) -> str:
    if state == "no agent":
        return "no agent has ever reported from it"
    if state == "pending":
        return f"assignment {view.assigned_id} is not answered yet; it last said: {view.report}"
    if view.ready is not True and view.config_ok == "True":
        return f"the Node is not Ready: {view.ready_reason}"
    return view.report


def _config(view: NodeView) -> str:
    if view.status is None:
        return "unknown"
    return view.status.active.name if view.status.active else "init"


def _component(status: ComponentStatus) -> dict[str, Any]:
    told = {"version": status.version, "config": status.config, "state": status.state, "note": status.note}
    return {**told, "shadowed": list(status.shadowed)}


def _plain(source: ConfigSource | None) -> dict[str, Any] | None:
    return None if source is None else source.to_dict()


# More than this, and the table shows only the nodes that are not fine: nobody reads thousands of lines.
_ROWS = 100
_HEADS = ("NAME", "CONFIGOK", "STATE", "CONFIG", "ASSIGNMENT", "KUBELET")


def render_status(
    pool: Mapping[str, Any] | None, nodes: Sequence[NodeView], not_fine: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return the reasons of the nodes that are not fine, then a table of all nodes.

    pool: what pool_status says, None where no pool was asked for; not_fine: node, state and reason of each such node.
    """
    lines = [] if pool is None else _pool(pool, not_fine)
    lines += [f"{one['node']}: {one['reason']}" for one in not_fine[:_ROWS]]
    if len(not_fine) > _ROWS:
        lines.append(f"... and {len(not_fine) - _ROWS} more")
    if not nodes:
        return [*lines, "No Node matches."]
    shown = nodes
    if len(nodes) > _ROWS:
        names = {one["node"] for one in not_fine}
        shown = [view for view in nodes if view.name in names][:_ROWS]
        lines.append(f"{len(nodes) - len(names)} of {len(nodes)} nodes are fine and not shown.")
    states = {one["node"]: one["state"] for one in not_fine}
    rows = [_row(view, states.get(view.name) or node_state(view)) for view in shown]
    return [*lines, *([""] if lines and shown else []), *render_table(_HEADS, rows)]


def _pool(pool: Mapping[str, Any], not_fine: Sequence[Mapping[str, str]]) -> list[str]:
    where = "never rolled out"
    if pool["phase"]:
        revision = f"revision {pool['revision']} ({pool['target']})" if pool["revision"] else "the init config"
        where = f"{revision}, {pool['phase']}"
    lines = [f"Pool {pool['pool']}: {where}, {pool['size']} node{'' if pool['size'] == 1 else 's'}"]
    if pool.get("moved_by"):
        lines.append(f"  moved by {pool['moved_by']}")
    elif pool.get("moved_by") == "":
        lines.append("  no runner is moving it: run it again to go on")
    reason = str(pool["reason"])
    for one in not_fine:  # their words come below
        reason = reason.replace(f": {one['node']}: {one['reason']}", "")
    return [*lines, f"  {reason}"] if reason else lines


def _row(view: NodeView, state: str) -> tuple[str, ...]:
    config = "<unknown>"
    if view.status is not None:
        config = view.status.active.name if view.status.active else "init"
    return (
        view.name,
        view.config_ok or "<none>",
        state,
        config,
        str(view.assigned_id or ""),
        view.kubelet_version,
    )
