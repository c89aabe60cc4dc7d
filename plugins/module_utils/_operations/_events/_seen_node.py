# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an event source keeps of a Node: its view, and the times that the API server gave. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from ..._nodeconfig.config_status import Cause
from ..._nodeconfig.well_known import CONDITION_CONFIG_OK
from ..._rollout._nodes.node_view import NodeView, node_view
from ..._rollout._report.pool_status import NodeCondition, node_state
from ..._text import sanitize

_AGENT = "configok-agent"  # the manager of what an agent writes: the first part of its user agent
_MAX_TIME = 40  # characters


class SeenNode(NamedTuple):
    """A Node as it was seen last.

    since: when ConfigOK or Ready has changed, "" if the Node does not say. heard: when its agent last wrote, in
    seconds since 1970 by the clock of the API server, None if the Node does not say.
    """

    view: NodeView
    since: str = ""
    heard: float | None = None

    @property
    def key(self) -> str:
        """Return what names news of one kind: the same node, assignment and transition are the same news."""
        return f"{self.view.uid}/{self.view.assigned.id}/{self.since}"

    @property
    def state(self) -> NodeCondition:
        """Return the node's state as in the status of its pool, but one that answers or adopts a config is pending.

        What it says until then is about the assignment before.
        """
        state = node_state(self.view)
        if state in ("failed", "unknown") and self.view.assigned.id > self.view.answered_id:
            return "pending"
        return "pending" if state == "unknown" and self.view.cause == Cause.ADOPTING else state

    @property
    def has_joined(self) -> bool:
        """Return whether the node is ready for a config, and has never had an assignment.

        A node that has answered one and has none now has lost it: that is drift.
        """
        view = self.view
        is_assigned = view.assigned.id or view.answered_id or view.assigned.source is not None or view.assigned.error
        return not is_assigned and view.has_agent and view.ready is True and not view.leaving

    @property
    def may_drift(self) -> bool:
        """Return whether the node has an agent, and has or had an assignment."""
        view = self.view
        return view.has_agent and bool(view.assigned.id or view.answered_id or view.assigned.error)


def see_node(node: Mapping[str, Any]) -> SeenNode:
    """Return what is kept of a Node object. Thousands have the same labels: each key is kept once."""
    view = node_view(node)
    labels = {sys.intern(str(key)): str(value) for key, value in view.labels.items()}
    return SeenNode(replace(view, labels=labels, resource_version=""), _changed_at(node), _last_heard(node))


def _changed_at(node: Mapping[str, Any]) -> str:
    conditions = (node.get("status") or {}).get("conditions") or ()
    times = [
        sanitize(condition.get("lastTransitionTime") or "", _MAX_TIME)
        for condition in conditions
        if condition.get("type") in ("Ready", CONDITION_CONFIG_OK)
    ]
    return max(times, default="")


def _last_heard(node: Mapping[str, Any]) -> float | None:
    entries = (node.get("metadata") or {}).get("managedFields") or ()
    times = [parse_time(entry.get("time")) for entry in entries if entry.get("manager") == _AGENT]
    return max((time for time in times if time is not None), default=None)


def parse_time(text: object) -> float | None:
    """Return a time of the API, such as 2026-11-30T08:00:00Z, in seconds since 1970; None for anything else."""
    try:
        return datetime.fromisoformat(str(text).replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return None
