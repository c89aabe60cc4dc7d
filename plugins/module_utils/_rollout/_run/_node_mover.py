# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Move, reboot, take back and uncordon one node of a wave. Each of them runs in a thread of its own."""

from __future__ import annotations

from ..._kube.api_errors import KubeError
from .. import RebootFailed
from .._nodes.node_access import NodeAssignment
from .._nodes.node_list import find_node
from .._nodes.node_view import NodeView
from .._outage import MAX_SINGLE_FAILURE, WriteNotRepeated
from ..goals import STEPS_TO_REBOOT, Goal
from ._move_result import MoveKind, MoveResult
from ._node_move import MoveTools, NodeMove
from ._steps import carry_out
from ._wave_job import WaveJob

_PAUSE = 1.0  # seconds after a write without an answer


class NodeMover:
    """The work on the nodes of one wave; safe for many threads, each with a node of its own.

    The goal of a node says the steps. A half-done change of a host is done again: the record says which machines may
    have been begun, the mark of the cordon that the change of a host may not have ended.
    """

    def __init__(self, tools: MoveTools, job: WaveJob) -> None:
        self.tools = tools
        self._job = job
        self._refused_since: dict[str, float] = {}  # nodes of which the writes have no answer, while reads have
        self._not_rebooted: set[str] = set()  # they use their new config, and could not be rebooted yet

    def move(self, name: str, view: NodeView | None, *, possibly_assigned: bool) -> MoveResult:
        """Carry out the steps by which a node reaches its goal. Raises KubeError, RolloutError.

        The write that makes the node unavailable is not repeated after an outage, since other nodes may be down then.
        """
        facts, goal, forget_bad = self.tools.facts, self._job.goals[name], self._job.forget_bad
        if (view is None or view.leaving) and not goal.makes_or_deletes_node:
            return MoveResult(MoveKind.LOST, reason="" if view is None or view.deleting else view.leaving)
        situation = facts.situation(name, view, goal, possibly_assigned=possibly_assigned, forget_bad=forget_bad)
        try:
            return carry_out(NodeMove(self.tools, name, view, goal), goal.steps(situation))
        except WriteNotRepeated as stopped:
            return MoveResult(MoveKind.LOST) if view is None else self._look_again(view, goal, stopped.error)

    def _look_again(self, before: NodeView, goal: Goal, error: KubeError | None) -> MoveResult:
        """Wait for the API server, and return whether a write without an answer has taken effect after all."""
        name, session, clock = before.name, self.tools.session, self.tools.session.clock
        clock.sleep(max(_PAUSE, (error.retry_after if error else None) or 0.0))
        if self.tools.facts.is_cordoned(name):
            self.tools.drainer.uncordon(name)
        view = find_node(session.client, name)
        if view is None:
            return MoveResult(MoveKind.LOST)
        if view.uid == before.uid and view.is_assigned(goal.source) and view.assigned.id > before.assigned.id:
            return MoveResult(MoveKind.ASSIGNED, NodeAssignment(before, view.assigned.id, True))
        if error is not None:
            since = self._refused_since.setdefault(name, clock.monotonic())
            if clock.monotonic() - since > MAX_SINGLE_FAILURE:
                raise error
        return MoveResult(MoveKind.POSTPONED)

    def reboot(self, name: str) -> MoveResult:
        """Reboot a node, and wait until it is Ready again. Raises RolloutError.

        A node that was uncordoned meanwhile, because its reboot failed in an earlier run, is drained again.
        """
        self._not_rebooted.add(name)
        view = self.tools.watcher.nodes.get(name)
        if view is None:
            return MoveResult(MoveKind.NOT_REBOOTED, reason="the Node was deleted")
        try:
            result = carry_out(NodeMove(self.tools, name, view, self._job.goals[name]), STEPS_TO_REBOOT)
        except (KubeError, RebootFailed, WriteNotRepeated) as error:
            return MoveResult(MoveKind.NOT_REBOOTED, reason=str(error))
        if result.kind is MoveKind.NOT_DRAINED:
            return MoveResult(MoveKind.NOT_REBOOTED, reason=f"it could not be drained: {result.reason}")
        self._not_rebooted.discard(name)
        return result

    def roll_back(self, name: str, reason: str) -> MoveResult:
        """Take a node back that has failed. reason: why it has failed. Raises RolloutError."""
        view, goal = self.tools.watcher.nodes.get(name), self._job.goals[name]
        steps = () if view is None else goal.steps_back(self.tools.facts.situation(name, view, goal))
        if not steps:
            return MoveResult(MoveKind.ROLLED_BACK, reason=reason)
        try:
            result = carry_out(NodeMove(self.tools, name, view, goal), steps)
        except (KubeError, WriteNotRepeated) as error:
            outcome = f"it could not be taken back: {error}"
        else:
            outcome = result.reason
            if result.kind is MoveKind.NOT_DRAINED:
                outcome = f"it was not taken back, since it could not be drained: {result.reason}"
        return MoveResult(MoveKind.ROLLED_BACK, reason=f"{reason}; {outcome}")

    def uncordon(self, name: str) -> MoveResult:
        """Uncordon a node if its cordon is this pool's. Raises RolloutError.

        The mark stays on a node that could not be rebooted, so that the next run reboots it. A machine stays cordoned
        if its host is in no state that is known.
        """
        if name in self.tools.left_cordoned:
            return MoveResult(MoveKind.NOT_UNCORDONED, reason="its host could not be taken back")
        try:
            self.tools.drainer.uncordon(name, keep_reboot=name in self._not_rebooted)
        except KubeError as error:
            return MoveResult(MoveKind.NOT_UNCORDONED, reason=str(error))
        return MoveResult(MoveKind.UNCORDONED)
