# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out the steps of one node: a function for each kind of step.

A step takes the move that it is part of, and its own data. It returns None if it is done, so that the next step
follows. Otherwise the move ends with its result: POSTPONED if the whole move has to wait, or a failure with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Optional

from ..._nodeconfig.durations import describe_duration
from .._nodes._machine_access import apply_machine, delete_node
from .._nodes.node_access import assign_node
from .._nodes.node_goals import InstalledVersions, unmet_versions, with_versions
from .._nodes.node_list import find_node
from .._nodes.reported_versions import without_v
from .._record.record import PreviousMachine
from ..goals import (
    Assign,
    AwaitNode,
    AwaitWatch,
    ChangeHost,
    Declare,
    DeleteNode,
    Drain,
    MachineGoal,
    RebootNode,
    Step,
    TakeBack,
)
from ._move_result import MoveKind, MoveResult
from ._node_move import NodeMove
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
        failure = f"{failure}; {_return_to_previous(move, step.goal)}"
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
    return MoveResult(MoveKind.ROLLED_BACK, reason=_return_to_previous(move, step.goal))


def _return_to_previous(move: NodeMove, goal: MachineGoal) -> str:
    """Return the host and the config of a machine to what they were. Return the outcome in words.

    A machine whose host could not be taken back stays cordoned. Raises KubeError, RolloutError.
    """
    name, tools = move.name, move.tools
    previous = tools.facts.previous(name, goal)
    if previous is None:
        return "what it was before is not known, so that it was not taken back"
    try:
        failure = move.change_host("rollback", replace(goal, previous=_versions(previous)), may_stop=False)
    except ChangeNotBegun:
        failure = "the run was interrupted"
    if failure:
        tools.left_cordoned.add(name)
        return f"it could not be taken back to {_describe(previous)} and stays cordoned: {failure}"
    earlier = _earlier_goal(move, goal, previous)
    view = find_node(tools.session.client, name)
    if view is not None and view.machine == goal.annotation:  # it has got everything of the goal
        is_assigned = view.assigned.source == goal.source  # and not something else since
        earlier = earlier if is_assigned else replace(earlier, source=view.assigned.source)
        assigns = is_assigned and earlier.source != goal.source
        apply_machine(tools.session.client, name, earlier, assigns=assigns, possibly_assigned=True)
    if move.await_node(lambda seen: seen is not None and bool(seen.ready) and not unmet_versions(seen, earlier)):
        tools.drainer.uncordon(name)
        return f"it is back on {_describe(previous)}"
    within = "yet" if tools.should_stop() else f"within {describe_duration(tools.host.node_timeout)}"
    return f"it was taken back to {_describe(previous)}, and is not Ready {within}"


def _earlier_goal(move: NodeMove, goal: MachineGoal, previous: PreviousMachine) -> MachineGoal:
    """Return the goal of a machine that is taken back: its config and its versions; its labels stay."""
    kubelet, runtime = without_v(previous.kubelet_version), (previous.runtime_name, previous.runtime_version)
    source = move.tools.facts.previous_source(move.name, goal)
    annotation = with_versions(goal.annotation, InstalledVersions(kubelet, runtime))
    return MachineGoal(source, kubelet_version=kubelet, runtime=runtime, annotation=annotation)


def _versions(previous: PreviousMachine) -> dict[str, object]:
    """Return the versions of a machine as MachineGoal.previous has them."""
    return {
        "kubelet": without_v(previous.kubelet_version),
        "runtime": (previous.runtime_name, previous.runtime_version),
    }


def _describe(previous: PreviousMachine) -> str:
    runtime = f"{previous.runtime_name} {previous.runtime_version}".strip()
    kubelet = f"kubelet {without_v(previous.kubelet_version)}"
    return f"{kubelet} and {runtime}" if runtime else kubelet


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
