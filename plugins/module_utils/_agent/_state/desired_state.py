# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the desired state from the Node's annotations and the answered assignment.

Pure. The config in use changes only if the desired state is ADOPT or UNASSIGN.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ..._nodeconfig.assignment import Assignment, ConfigSource, InvalidAssignment, InvalidConfigSource
from .records import AnsweredAssignment, ConfigRecord, Confirmation


class NodeAnnotations(NamedTuple):
    """What the agent watches of its own Node: the uid of the object, and three annotations (None: absent)."""

    uid: str
    source: str | None = None
    assignment: str | None = None
    status: str | None = None


class DesiredKind(Enum):
    """What the annotations ask for.

    LOCAL: nothing is assigned, and nothing was. KEEP: the config in use is assigned. FAILED: the assignment has failed
    on this node. LOST: nothing is assigned, though something was. STALE: the assignment's id is older than the answered
    one, or was given to another source before. INVALID: the annotations cannot be used.
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

    answered: the answered assignment once this state is recorded. is_new: whether the assignment is new. forget_bad:
    whether it asks to clear the bad mark of its source. stale_id: the assignment's id, if STALE. cause: why INVALID.
    """

    kind: DesiredKind
    answered: AnsweredAssignment
    source: ConfigSource | None = None
    is_new: bool = False
    forget_bad: bool = False
    stale_id: int = 0
    cause: str = ""


def read_desired_state(
    node: NodeAnnotations, answered: AnsweredAssignment, current: ConfigRecord, namespace: str
) -> DesiredState:
    """Return what the annotations ask for.

    answered: as recorded; it counts only for the Node object that it names, since the ids of a Node that is registered
    again start from scratch. current: the record in use. namespace: the one that this node takes bundles from.
    """
    known = answered if answered.node_uid == node.uid else AnsweredAssignment(node_uid=node.uid)
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
            DesiredKind.INVALID, known, source, cause="invalid assignment, there is no id with the config source"
        )
    if assignment.id > known.id:
        kind = DesiredKind.KEEP if source == current.source else DesiredKind.ADOPT
        answered = _answer(node, assignment, source)
        return DesiredState(kind, answered, source, is_new=True, forget_bad=assignment.forget_bad)
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
        return DesiredState(DesiredKind.LOCAL, _answer(node, assignment), is_new=True)
    assignment_id = 0 if assignment is None else assignment.id
    if node.uid not in (current.node_uid, recorded.node_uid):
        # A Node that was registered again or restored: only an assignment after this one asks for something.
        return DesiredState(DesiredKind.LOST, AnsweredAssignment(node.uid, assignment_id))
    if assignment is not None and assignment.id > known.id:  # also after an interrupted attempt: the answer comes last
        return DesiredState(DesiredKind.UNASSIGN, _answer(node, assignment), is_new=True)
    return DesiredState(DesiredKind.LOST, known)


def _answer(node: NodeAnnotations, assignment: Assignment, source: ConfigSource | None = None) -> AnsweredAssignment:
    after = assignment.confirm_after
    confirmation = None if after is None else Confirmation(after)
    return AnsweredAssignment(node.uid, assignment.id, source, confirmation=confirmation)


def _parse_source(text: str, namespace: str) -> ConfigSource:
    source = ConfigSource.parse(text)
    if source.namespace != namespace:
        raise InvalidConfigSource(
            f"invalid NodeConfigSource, configMap.namespace must be {namespace} on this node, not {source.namespace}"
        )
    return source
