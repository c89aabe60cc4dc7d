# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what a Machine declares to its Node: labels, taints, annotation and assignment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._kube.api_client import Client
from ..._kube.api_errors import Conflict, NotFound
from ..._kube.api_paths import node
from ..._nodeconfig.assignment import Assignment, assignment_patch
from ..._nodeconfig.well_known import ANNOTATION_MACHINE
from .. import RolloutError
from ..goals import MachineGoal
from .node_access import NodeAssignment, needs_assignment, next_assignment_id
from .node_goals import taints_to_remove
from .node_view import NodeView, node_view

_MAX_ATTEMPTS = 8


def apply_machine(
    client: Client,
    name: str,
    goal: MachineGoal,
    *,
    assigns: bool,
    possibly_assigned: bool = False,
    forget_bad: bool = False,
    confirm_after: float | None = None,
    old_uid: str = "",
) -> NodeAssignment:
    """Write everything that a Machine declares to its Node, by one PATCH; nothing, if the Node has all of it.

    assigns: give the node a new assignment even if it uses the config, since its host was changed. possibly_assigned:
    whether an earlier run may have assigned it; otherwise it is assigned, since its agent has to confirm it.
    confirm_after, forget_bad: as for assign_node. old_uid: of a Node that is replaced, and no longer counts.
    Raises KubeError, RolloutError.
    """
    conflict: Conflict | None = None
    sent = 0
    for _attempt in range(_MAX_ATTEMPTS):
        item = client.find(node(name))
        view = None if item is None else node_view(item)
        if item is None or view is None or view.deleting or (old_uid and view.uid == old_uid):
            return NodeAssignment(None)
        if sent and view.assigned.id == sent and view.assigned.source == goal.source:
            return NodeAssignment(view, sent, True)  # our own PATCH, whose answer was lost
        body = machine_patch(item, goal)
        assignment_id = view.assigned.id
        is_needed = needs_assignment(view, goal.source, confirm_after, forget_bad=forget_bad)
        if assigns or not possibly_assigned or is_needed:
            assignment_id = sent = next_assignment_id(view)
            _merge(body, assignment_patch(goal.source, Assignment(sent, forget_bad, confirm_after)))
        if not body:
            return NodeAssignment(view, assignment_id)
        _merge(body, {"metadata": {"resourceVersion": view.resource_version}})
        try:
            client.patch(node(name), body, metadata_only=True)
        except Conflict as error:
            conflict = error
        except NotFound:
            return NodeAssignment(None)
        else:
            return NodeAssignment(view, assignment_id, bool(sent))
    raise conflict or RolloutError(f"Node {name} changes too often to be written")


def machine_patch(item: Mapping[str, Any], goal: MachineGoal) -> dict[str, Any]:
    """Return the merge patch that gives a Node the labels, taints and annotation of its goal, {} for none."""
    view = node_view(item)
    labels = {key: text for key, text in goal.labels.items() if view.labels.get(key) != text}
    body: dict[str, Any] = {"metadata": {"labels": labels}} if labels else {}
    if goal.annotation and goal.annotation != view.machine:
        _merge(body, {"metadata": {"annotations": {ANNOTATION_MACHINE: goal.annotation}}})
    # A merge patch replaces the whole list: the taints of others, with the times of theirs, are kept as they are.
    removed = taints_to_remove(view, goal)
    declared = {(key, effect) for key, _value, effect in goal.taints}
    taints = [
        taint
        for taint in (item.get("spec") or {}).get("taints") or ()
        if _taint(taint) not in removed
        and ((taint.get("key"), taint.get("effect")) not in declared or _taint(taint) in goal.taints)
    ]
    present = {_taint(taint) for taint in taints}
    taints += [
        {"key": key, **({"value": text} if text else {}), "effect": effect}
        for key, text, effect in goal.taints
        if (key, text, effect) not in present
    ]
    if {_taint(taint) for taint in taints} != set(view.taints):
        body["spec"] = {"taints": taints or None}
    return body


def delete_node(client: Client, view: NodeView) -> str:
    """Delete a Node, and no other of its name. Return why it was not deleted, "" when it is gone. Raises KubeError."""
    try:
        client.delete(node(view.name), uid=view.uid)
    except NotFound:
        return ""
    except Conflict:
        return "its Node was registered again meanwhile"
    return ""


def _taint(taint: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(taint.get("key") or ""), str(taint.get("value") or ""), str(taint.get("effect") or "")


def _merge(body: dict[str, Any], other: Mapping[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, Mapping) and isinstance(body.get(key), dict):
            _merge(body[key], value)
        else:
            body[key] = value
