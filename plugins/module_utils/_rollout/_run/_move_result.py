# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the work on one node has come to, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from .._decisions._gate import Verdict
from .._nodes.node_access import NodeAssignment


class MoveKind(Enum):
    """What the work on a node has come to."""

    ASSIGNED = "assigned"  # or it was already; the Node is gone if the assignment has no view
    POSTPONED = "postponed"  # a write had no answer: whether the node may move is decided again
    LOST = "lost"  # the Node is gone, or about to be, which the reason says
    NOT_ASSIGNED = "not assigned"
    NOT_DRAINED = "not drained"  # and it was not assigned anything
    DELETED = "deleted"  # a machine that was to be deleted
    HOST_FAILED = "host failed"  # the provider could not change the host of a machine
    REBOOTED = "rebooted"
    NOT_REBOOTED = "not rebooted"
    ROLLED_BACK = "rolled back"  # it has failed, and was taken back or could not be
    UNCORDONED = "uncordoned"
    NOT_UNCORDONED = "not uncordoned"


@dataclass(frozen=True)
class MoveResult:
    """The result of a node's job. reason: one sentence, "" without one."""

    kind: MoveKind
    assignment: NodeAssignment | None = None
    reason: str = ""


class MoveVerdict(NamedTuple):
    """What a result says of its node. prefix: what comes before the result's reason."""

    verdict: Verdict
    prefix: str = ""


VERDICTS: Mapping[MoveKind, MoveVerdict] = {
    MoveKind.LOST: MoveVerdict(Verdict.GONE),
    MoveKind.NOT_ASSIGNED: MoveVerdict(Verdict.UNKNOWN, "it could not be assigned: "),
    MoveKind.NOT_DRAINED: MoveVerdict(Verdict.UNKNOWN, "it could not be drained: "),
    MoveKind.NOT_REBOOTED: MoveVerdict(Verdict.UNKNOWN, "it could not be rebooted: "),
    MoveKind.DELETED: MoveVerdict(Verdict.PASS),
    MoveKind.HOST_FAILED: MoveVerdict(Verdict.FAIL),
    MoveKind.ROLLED_BACK: MoveVerdict(Verdict.FAIL),
}
"""The results that are a verdict on their node; the others are not."""
