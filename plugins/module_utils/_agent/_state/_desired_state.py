# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Node's annotations ask of this node now, against what it has answered before. Private to configok.node.

Pure. Nothing that runs is changed unless the wish is "adopt" or "unassign".
"""

from __future__ import annotations

from typing import NamedTuple

from ..._nodeconfig._assignment import Assignment, ConfigSource, InvalidAssignment, InvalidConfigSource
from ._records import AnsweredAssignment, ConfigRecord

__all__ = ["NodeAnnotations", "DesiredState", "read_desired_state"]


class NodeAnnotations(NamedTuple):
    """What the agent watches of its own Node: the uid of the object, and three annotations (None: absent)."""

    uid: str
    source: str | None = None
    assignment: str | None = None
    status: str | None = None


class DesiredState(NamedTuple):
    """What is asked.

    kind: "local" (nothing assigned, nothing to do) | "keep" (assigned is what is used) | "adopt" | "unassign" |
    "failed" (this assignment failed before) | "lost" | "stale" | "invalid".
    answered: what this node has answered once it has said something to it. new: a new assignment. cause: of "invalid".
    """

    kind: str
    answered: AnsweredAssignment
    source: ConfigSource | None = None
    new: bool = False
    forget_bad: bool = False
    stale_id: int = 0
    cause: str = ""


def read_desired_state(
    node: NodeAnnotations, answered: AnsweredAssignment, current: ConfigRecord, namespace: str
) -> DesiredState:
    """Compare.

    answered: as recorded; it counts only for the Node object that it names, since a Node that is registered again
    starts its ids anew. current: the record in use. namespace: the one this node takes bundles from.
    """
    if answered.node_uid != node.uid:
        known = AnsweredAssignment(node_uid=node.uid)
    else:
        known = answered
    try:
        assignment = None if node.assignment is None else Assignment.parse(node.assignment, answered=answered.id)
    except InvalidAssignment as error:
        return DesiredState("invalid", known, cause=str(error))
    if node.source is None:
        return _without_source(node, answered, known, current, assignment)
    if assignment is not None and assignment.id < known.id:
        return DesiredState("stale", known, stale_id=assignment.id)
    try:
        source = _parse_source(node.source, namespace)
    except InvalidConfigSource as error:
        if assignment is not None and assignment.id > known.id:
            known = AnsweredAssignment(node.uid, assignment.id)
        return DesiredState("invalid", known, cause=str(error))
    if assignment is None:
        return DesiredState(
            "invalid", known, source, cause="invalid assignment, there is no id beside the config source"
        )
    if assignment.id > known.id:
        kind = "keep" if source == current.source else "adopt"
        answered = AnsweredAssignment(node.uid, assignment.id, source)
        return DesiredState(kind, answered, source, new=True, forget_bad=assignment.forget_bad)
    if known.source != source:
        return DesiredState("stale", known, stale_id=assignment.id)  # this id was given to something else before
    if known.failure is not None:
        return DesiredState("failed", known, source)
    return DesiredState("keep" if source == current.source else "adopt", known, source)


def _without_source(
    node: NodeAnnotations,
    recorded: AnsweredAssignment,
    known: AnsweredAssignment,
    current: ConfigRecord,
    assignment: Assignment | None,
) -> DesiredState:
    if current.source is None and known.source is None:
        if assignment is None or assignment.id <= known.id:
            return DesiredState("local", known)
        return DesiredState("local", AnsweredAssignment(node.uid, assignment.id), new=True)
    assignment_id = 0 if assignment is None else assignment.id
    if node.uid not in (current.node_uid, recorded.node_uid):
        # A Node that is registered again, or restored: what it brings along asks for nothing. What comes later does.
        return DesiredState("lost", AnsweredAssignment(node.uid, assignment_id))
    if assignment_id > known.id:  # also where it was cut short: the answer is written last
        return DesiredState("unassign", AnsweredAssignment(node.uid, assignment_id), new=True)
    return DesiredState("lost", known)


def _parse_source(text: str, namespace: str) -> ConfigSource:
    source = ConfigSource.parse(text)
    if source.namespace != namespace:
        raise InvalidConfigSource(
            f"invalid NodeConfigSource, configMap.namespace must be {namespace} on this node, not {source.namespace}"
        )
    return source
