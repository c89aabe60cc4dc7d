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

from ..._nodeconfig.config_status import Cause, read_condition
from ..._rollout._nodes.node_view import NodeView, node_view
from ..._rollout._report.pool_status import NodeCondition, node_state
from ..._text import sanitize

_AGENT = "configok-agent"  # the manager of what an agent writes: the first part of its user agent
_MAX_TIME = 40  # characters


class SeenNode(NamedTuple):
    """A Node as it was seen last.

    since: lastTransitionTime of ConfigOK, "" without one. heard: when its agent has written last, in seconds since 1970
    by the clock of the API server, None if the Node does not say.
    """

    view: NodeView
    since: str = ""
    heard: float | None = None

    @property
    def key(self) -> str:
        """Return what names the news of this node: the same node, assignment and transition are the same news."""
        return f"{self.view.uid}/{self.view.assigned.id}/{self.since}"

    @property
    def state(self) -> NodeCondition:
        """Return the node's state as in the status of its pool, but for one that adopts a config: it is pending."""
        state = node_state(self.view)
        return "pending" if state == "unknown" and self.view.cause == Cause.ADOPTING else state

    @property
    def has_joined(self) -> bool:
        """Return whether the node is ready for a config and was never assigned one."""
        view = self.view
        is_assigned = view.assigned.id or view.assigned.source is not None or view.assigned.error
        return not is_assigned and view.has_agent and view.ready is True and not view.leaving


def see_node(node: Mapping[str, Any]) -> SeenNode:
    """Return what is kept of a Node object. Thousands have the same labels: each text is kept once."""
    view = node_view(node)
    labels = {sys.intern(str(key)): sys.intern(str(value)) for key, value in view.labels.items()}
    since = sanitize((read_condition(node) or {}).get("lastTransitionTime") or "", _MAX_TIME)
    return SeenNode(replace(view, labels=labels, resource_version=""), since, _last_heard(node))


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
