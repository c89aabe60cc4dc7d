# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which nodes a rollout skips, and why. Pure."""

from __future__ import annotations

import re

from ..._componentconfig._schema.releases import is_kubernetes_version
from ..._nodeconfig.config_status import Cause
from ..._nodeconfig.well_known import VERSION
from ..._text import sanitize
from .._nodes.node_view import NodeView
from ..plan import Target

_VERSION = re.compile(r"v?([0-9]{1,9})\.([0-9]{1,9})\.")


def agent_fits(agent_version: str, collection_version: str = VERSION) -> bool:
    """Return whether an agent has the same or a neighbouring minor version; an unparsable version fits."""
    agent, collection = _VERSION.match(agent_version), _VERSION.match(collection_version)
    if agent is None or collection is None:
        return True
    return agent.group(1) == collection.group(1) and abs(int(agent.group(2)) - int(collection.group(2))) <= 1


def skip_reason(view: NodeView, target: Target, *, forget_bad: bool = False) -> str | None:
    """Return why a rollout to target skips a node, in a sentence; None when it moves the node.

    forget_bad: a node that refused the target before is assigned it again. A node that did not trust it is in any case,
    since it may have been signed meanwhile, and so is a node that doubts that it was at fault.
    """
    goal = target.goal(view.name)
    if goal is not None and goal.makes_or_deletes_node:
        return None  # its host is made, or goes: whatever its Node says
    if view.leaving:
        return view.leaving
    is_assigned = target.is_published and goal is not None and view.has_answered(goal.source)
    has_refused = is_assigned and view.answer.config_ok == "False"
    needs_host = goal is not None and goal.has_work_on_host  # whatever its config
    is_tried_again = forget_bad or view.is_untrusting or view.is_in_doubt
    if has_refused and not is_tried_again and not needs_host:
        return f"it was given this config before: {view.report}"
    if view.answer.status_error:
        return view.report
    if view.system.kubelet_version and not is_kubernetes_version(view.system.kubelet_version):
        return f"its kubelet says that its version is {view.system.kubelet_version[:40]!r}"
    status = view.answer.status
    if status is None or not view.has_agent:
        return "no agent has ever reported from it"
    if view.cause == Cause.OPTED_OUT:
        return "dynamic configuration is turned off on it"
    if not agent_fits(status.agent_version):
        return f"its agent {sanitize(status.agent_version)} does not work with collection {VERSION}"
    if status.confirmed is None:
        return f"its agent {sanitize(status.agent_version)} is too old: it cannot confirm the end of a soak"
    return None
