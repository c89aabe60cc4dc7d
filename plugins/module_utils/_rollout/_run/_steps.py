# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out the steps of one node: a function for each kind of step.

A step takes the move that it is part of, and its own data. It returns None if it is done, so that the next step
follows. Otherwise the move ends with its result: POSTPONED if the whole move has to wait, or a failure with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Optional

from ..._nodeconfig.durations import describe_duration
from .._nodes._machine_access import apply_machine, delete_node
from .._nodes.node_access import assign_node
from ..goals import (
    Assign,
    AwaitNode,
    AwaitWatch,
    ChangeHost,
    Declare,
    DeleteNode,
    Drain,
    RebootNode,
    Step,
    TakeBack,
)
from ._move_result import MoveKind, MoveResult
from ._node_move import NodeMove
from ._take_back import take_back
from .host_change import ChangeNotBegun

_WATCH_LAG = 60.0  # seconds within which the watch shows a Node that was registered

StepResult = Optional[MoveResult]
DONE: Final = None
WAIT: Final = MoveResult(MoveKind.POSTPONED)


def carry_out(move: NodeMove, steps: Iterable[Step]) -> MoveResult:
    """Carry out the steps of a node, until one is not done. Return what the move has come to.

    Raises KubeError, RolloutError, WriteNotRepeated.
    """
    for step in steps:
        result = STEPS[type(step)](move, step)
        if result is not DONE:
            return result
    if move.assignment is None:
        return MoveResult(MoveKind.DELETED, reason="it is deleted")
    return MoveResult(MoveKind.ASSIGNED, move.assignment)


def _drain(move: NodeMove, step: Drain) -> StepResult:
    if move.view is None:
        return DONE
    drainer = move.tools.drainer
    if step.evicts:
        result = drainer.drain(move.view, move.tools.should_stop, reboot=step.reboot, for_host=step.for_host)
    else:
        result = drainer.cordon(move.view, reboot=step.reboot, for_host=step.for_host)
    if not result.drained:
        return MoveResult(MoveKind.NOT_DRAINED, reason=result.reason)
    move.is_drained = True
    return DONE


def _change_host(move: NodeMove, step: ChangeHost) -> StepResult:
    try:
        failure = move.change_host(step.action, step.goal)
    except ChangeNotBegun:
        if move.is_drained:
            move.tools.drainer.uncordon(move.name)
        return WAIT
    if failure and step.action == "update":
        failure = f"{failure}; {take_back(move, step.goal)}"
    return MoveResult(MoveKind.HOST_FAILED, reason=failure) if failure else DONE


def _delete_node(move: NodeMove, _step: DeleteNode) -> StepResult:
    failure = delete_node(move.tools.session.client, move.view) if move.view is not None else ""
    if failure:
        return MoveResult(MoveKind.HOST_FAILED, reason=failure)
    move.is_drained = False  # its cordon is gone with it
    move.tools.session.say(f"deleted {move.name}")
    return DONE


def _await_node(move: NodeMove, step: AwaitNode) -> StepResult:
    if move.await_node(lambda seen: seen is not None and seen.uid != step.old_uid):
        return DONE
    if move.tools.should_stop():
        return WAIT
    within = describe_duration(move.tools.host.node_timeout)
    return MoveResult(MoveKind.HOST_FAILED, reason=f"its Node was not registered within {within}")


def _assign(move: NodeMove, step: Assign) -> StepResult:
    if move.view is None:
        return MoveResult(MoveKind.LOST)
    nodes = move.tools.watcher.nodes
    move.assignment = assign_node(
        move.client,
        nodes.get(move.name, move.view),
        move.goal.source,
        possibly_assigned=step.possibly_assigned,
        forget_bad=step.forget_bad,
        confirm_after=move.tools.confirm_after,
        latest=lambda: nodes.get(move.name),
    )
    return DONE if move.assignment.view is not None else MoveResult(MoveKind.LOST)


def _declare(move: NodeMove, step: Declare) -> StepResult:
    move.assignment = apply_machine(
        move.client,
        move.name,
        step.goal,
        assigns=step.assigns,
        possibly_assigned=step.possibly_assigned,
        forget_bad=step.forget_bad,
        confirm_after=move.tools.confirm_after,
        old_uid=step.old_uid,
    )
    return DONE if move.assignment.view is not None else MoveResult(MoveKind.LOST)


def _await_watch(move: NodeMove, _step: AwaitWatch) -> StepResult:
    if move.assignment is None or move.assignment.view is None:
        return DONE
    clock, uid = move.tools.session.node_clock, move.assignment.view.uid
    deadline = clock.monotonic() + _WATCH_LAG
    while clock.monotonic() < deadline:
        seen = move.tools.watcher.nodes.get(move.name)
        if seen is not None and seen.uid == uid:
            break
        clock.sleep(0.1)
    return DONE


def _reboot_node(move: NodeMove, _step: RebootNode) -> StepResult:
    move.tools.rebooter.reboot(move.name, move.tools.should_stop)
    return MoveResult(MoveKind.REBOOTED)


def _take_back(move: NodeMove, step: TakeBack) -> StepResult:
    return MoveResult(MoveKind.ROLLED_BACK, reason=take_back(move, step.goal))


STEPS: Mapping[type[Step], Callable[[NodeMove, Any], StepResult]] = {
    Drain: _drain,
    ChangeHost: _change_host,
    DeleteNode: _delete_node,
    AwaitNode: _await_node,
    Assign: _assign,
    Declare: _declare,
    AwaitWatch: _await_watch,
    RebootNode: _reboot_node,
    TakeBack: _take_back,
}
"""How each kind of step is carried out."""
