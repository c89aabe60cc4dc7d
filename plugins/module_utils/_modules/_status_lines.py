# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of nodes and of their pool as lines for people, in the manner of kubectl: pure.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._rollout._node_view import NodeView
from .._rollout._plan_text import table
from .._rollout._status import node_state

__all__ = ["status_lines"]


# More than this, and the table shows only the nodes that are not fine: nobody reads thousands of lines.
_ROWS = 100
_HEADS = ("NAME", "CONFIGOK", "STATE", "CONFIG", "ASSIGNMENT", "KUBELET")


def status_lines(
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
    return [*lines, *([""] if lines and shown else []), *table(_HEADS, rows)]


def _pool(pool: Mapping[str, Any], not_fine: Sequence[Mapping[str, str]]) -> list[str]:
    where = "never rolled out"
    if pool["phase"]:
        revision = f"revision {pool['revision']} ({pool['target']})" if pool["revision"] else "the init config"
        where = f"{revision}, {pool['phase']}"
    lines = [f"Pool {pool['pool']}: {where}, {pool['size']} node{'' if pool['size'] == 1 else 's'}"]
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
        str(view.given or ""),
        view.kubelet_version,
    )
