# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Node's annotations ask for, compared with what this node has answered. Private to configok.node.

Pure. Nothing that runs is changed unless the desired state is ADOPT or UNASSIGN.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ..._nodeconfig._assignment import Assignment, ConfigSource, InvalidAssignment, InvalidConfigSource
from ._records import AnsweredAssignment, ConfigRecord

__all__ = ["DesiredKind", "DesiredState", "NodeAnnotations", "read_desired_state"]


class NodeAnnotations(NamedTuple):
    """What the agent watches of its own Node: the uid of the object, and three annotations (None: absent)."""

    uid: str
    source: str | None = None
    assignment: str | None = None
    status: str | None = None


class DesiredKind(Enum):
    """What the annotations ask for.

    LOCAL: nothing is assigned, and nothing is to be done. KEEP: the config in use. FAILED: an assignment that has
    failed on this node. LOST: nothing, though the config in use was assigned. STALE: an id that is older than the
    answered one, or that was given to another source before.
    """

    LOCAL = 1
    KEEP = 2
    ADOPT = 3
    UNASSIGN = 4
    FAILED = 5
    LOST = 6
    STALE = 7
    INVALID = 8


class DesiredState(NamedTuple):
    """What the Node's annotations ask for.

    answered: what this node has answered once it has reported this. new: a new assignment. cause: of INVALID.
    """

    kind: DesiredKind
    answered: AnsweredAssignment
    source: ConfigSource | None = None
    new: bool = False
    forget_bad: bool = False
    stale_id: int = 0
    cause: str = ""


def read_desired_state(
    node: NodeAnnotations, answered: AnsweredAssignment, current: ConfigRecord, namespace: str
) -> DesiredState:
    """Return what the annotations ask for.

    answered: as recorded; it counts only for the Node object that it names, since a Node that is registered again
    starts its ids again. current: the record in use. namespace: the one this node takes bundles from.
    """
    if answered.node_uid != node.uid:
        known = AnsweredAssignment(node_uid=node.uid)
    else:
        known = answered
    try:
        assignment = None if node.assignment is None else Assignment.parse(node.assignment, answered=answered.id)
    except InvalidAssignment as error:
        return DesiredState(DesiredKind.INVALID, known, cause=str(error))
    if node.source is None:
        return _without_source(node, answered, known, current, assignment)
    if assignment is not None and assignment.id < known.id:
        return DesiredState(DesiredKind.STALE, known, stale_id=assignment.id)
    try:
        source = _parse_source(node.source, namespace)
    except InvalidConfigSource as error:
        if assignment is not None and assignment.id > known.id:
            known = AnsweredAssignment(node.uid, assignment.id)
        return DesiredState(DesiredKind.INVALID, known, cause=str(error))
    if assignment is None:
        return DesiredState(
            DesiredKind.INVALID, known, source, cause="invalid assignment, there is no id beside the config source"
        )
    if assignment.id > known.id:
        kind = DesiredKind.KEEP if source == current.source else DesiredKind.ADOPT
        answered = AnsweredAssignment(node.uid, assignment.id, source)
        return DesiredState(kind, answered, source, new=True, forget_bad=assignment.forget_bad)
    if known.source != source:
        # This id was given to another source before.
        return DesiredState(DesiredKind.STALE, known, stale_id=assignment.id)
    if known.failure is not None:
        return DesiredState(DesiredKind.FAILED, known, source)
    return DesiredState(DesiredKind.KEEP if source == current.source else DesiredKind.ADOPT, known, source)


def _without_source(
    node: NodeAnnotations,
    recorded: AnsweredAssignment,
    known: AnsweredAssignment,
    current: ConfigRecord,
    assignment: Assignment | None,
) -> DesiredState:
    if current.source is None and known.source is None:
        if assignment is None or assignment.id <= known.id:
            return DesiredState(DesiredKind.LOCAL, known)
        return DesiredState(DesiredKind.LOCAL, AnsweredAssignment(node.uid, assignment.id), new=True)
    assignment_id = 0 if assignment is None else assignment.id
    if node.uid not in (current.node_uid, recorded.node_uid):
        # A Node that is registered again, or restored: what it brings along asks for nothing. What comes later does.
        return DesiredState(DesiredKind.LOST, AnsweredAssignment(node.uid, assignment_id))
    if assignment_id > known.id:  # also where it was cut short: the answer is written last
        return DesiredState(DesiredKind.UNASSIGN, AnsweredAssignment(node.uid, assignment_id), new=True)
    return DesiredState(DesiredKind.LOST, known)


def _parse_source(text: str, namespace: str) -> ConfigSource:
    source = ConfigSource.parse(text)
    if source.namespace != namespace:
        raise InvalidConfigSource(
            f"invalid NodeConfigSource, configMap.namespace must be {namespace} on this node, not {source.namespace}"
        )
    return source
