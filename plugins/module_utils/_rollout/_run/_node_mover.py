# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drain, assign, reboot and uncordon one node of a wave. Each of them runs in a thread of its own.

Private to configok.node.
"""

from __future__ import annotations

from collections.abc import Collection

from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError
from ..._kube.api_paths import node
from .. import RebootFailed
from .._drain._drainer import Drainer
from .._drain.cordon import is_reboot_pending, marking_pool
from .._drain.rebooter import Rebooter
from .._nodes._node_watcher import NodeWatcher
from .._nodes.node_access import NodeAssignment, assign_node
from .._nodes.node_view import NodeView, node_view
from .._outage import MAX_SINGLE_FAILURE, WriteNotRepeated
from ..goals import Goal
from ._move_result import MoveKind, MoveResult
from ._session import RunSession

_PAUSE = 1.0  # seconds after a write without an answer


class NodeMover:
    """The requests for the nodes of one pool; safe for many threads, each with a node of its own.

    to_drain, to_reboot: the nodes of which the change asks this. confirm_after: the seconds after which agents are to
    confirm their assignment. is_broken_wave: nodes whose kubelet is down are moved
    without a drain, because their pods would not end.
    """

    def __init__(
        self,
        session: RunSession,
        watcher: NodeWatcher,
        drainer: Drainer,
        rebooter: Rebooter,
        *,
        to_drain: Collection[str],
        to_reboot: Collection[str],
        confirm_after: float,
        is_broken_wave: bool = False,
    ) -> None:
        self._session = session
        self._watcher = watcher
        self._drainer = drainer
        self._rebooter = rebooter
        self._to_drain = to_drain
        self._to_reboot = to_reboot
        self._confirm_after = confirm_after
        self._is_broken_wave = is_broken_wave
        self._refused_since: dict[str, float] = {}  # nodes of which the writes have no answer, while reads have
        self._not_rebooted: set[str] = set()  # they use their new config, and could not be rebooted yet
        self.is_stopping = False  # ends drains, and waits for reboots, that are under way

    def is_cordoned(self, name: str) -> bool:
        """Return whether a node may have a cordon of this pool."""
        view = self._watcher.nodes.get(name)
        return name in self._to_drain or (view is not None and marking_pool(view) == self._session.pool)

    def has_changed_host(self, name: str, goal: Goal) -> bool:
        """Return whether the rollout changes the host of a node."""
        return False

    def can_roll_back(self, name: str, goal: Goal) -> bool:
        """Return whether a node that fails is taken back by the run: agents take back configs themselves."""
        return False

    def is_half_done(self, view: NodeView, goal: Goal) -> bool:
        """Return whether an earlier run has begun to change the host of a node."""
        return False

    def roll_back(self, name: str, goal: Goal, reason: str) -> MoveResult:
        """Take a node back that has failed. Raises RolloutError."""
        return MoveResult(MoveKind.ROLLED_BACK, reason=reason)

    def move(
        self, name: str, view: NodeView | None, goal: Goal, *, possibly_assigned: bool, forget_bad: bool
    ) -> MoveResult:
        """Drain a node if its change asks for it, and assign it. Raises KubeError, RolloutError.

        The write that makes the node unavailable is not repeated after an outage, since other nodes may be down then.
        """
        if view is None or view.deleting:
            return MoveResult(MoveKind.LOST)
        try:
            return self._move(view, goal, possibly_assigned=possibly_assigned, forget_bad=forget_bad)
        except WriteNotRepeated as stopped:
            return self._look_again(view, goal, stopped.error)

    def _move(self, view: NodeView, goal: Goal, *, possibly_assigned: bool, forget_bad: bool) -> MoveResult:
        name = view.name
        client: Client = self._session.single_attempt_client
        if self.is_cordoned(name) and not view.is_on(goal.source):
            reboot = name in self._to_reboot
            if self._is_broken_wave and view.ready is not True:
                result = self._drainer.cordon(view, reboot=reboot)
            else:
                result = self._drainer.drain(view, lambda: self.is_stopping, reboot=reboot)
            if not result.drained:
                return MoveResult(MoveKind.NOT_DRAINED, reason=result.reason)
            client = self._session.client  # the node is unavailable already
        assignment = assign_node(
            client,
            self._watcher.nodes.get(name, view),
            goal.source,
            possibly_assigned=possibly_assigned,
            forget_bad=forget_bad,
            confirm_after=self._confirm_after,
            latest=lambda: self._watcher.nodes.get(name),
        )
        return as_result(assignment)

    def _look_again(self, before: NodeView, goal: Goal, error: KubeError | None) -> MoveResult:
        """Wait for the API server, and return whether a write without an answer has taken effect after all."""
        name, clock = before.name, self._session.clock
        clock.sleep(max(_PAUSE, (error.retry_after if error else None) or 0.0))
        if self.is_cordoned(name):
            self._drainer.uncordon(name)
        item = self._session.client.find(node(name))
        if item is None:
            return MoveResult(MoveKind.LOST)
        view = node_view(item)
        if view.uid == before.uid and view.is_assigned(goal.source) and view.assigned_id > before.assigned_id:
            return as_result(NodeAssignment(before, view.assigned_id, True))
        if error is not None:
            since = self._refused_since.setdefault(name, clock.monotonic())
            if clock.monotonic() - since > MAX_SINGLE_FAILURE:
                raise error
        return MoveResult(MoveKind.POSTPONED)

    def needs_reboot(self, view: NodeView) -> bool:
        """Return whether a node that uses its new config must be rebooted for it, and was not yet."""
        return is_reboot_pending(view, self._session.pool)

    def reboot(self, name: str) -> MoveResult:
        """Reboot a node, and wait until it is Ready again. Raises RolloutError.

        A node that was uncordoned meanwhile, because its reboot failed in an earlier run, is drained again.
        """
        self._not_rebooted.add(name)
        view = self._watcher.nodes.get(name)
        if view is None:
            return MoveResult(MoveKind.NOT_REBOOTED, reason="the Node was deleted")
        try:
            result = self._drainer.drain(view, lambda: self.is_stopping, reboot=True)
            if not result.drained:
                return MoveResult(MoveKind.NOT_REBOOTED, reason=f"it could not be drained: {result.reason}")
            self._rebooter.reboot(name, lambda: self.is_stopping)
        except (KubeError, RebootFailed, WriteNotRepeated) as error:
            return MoveResult(MoveKind.NOT_REBOOTED, reason=str(error))
        self._not_rebooted.discard(name)
        return MoveResult(MoveKind.REBOOTED)

    def uncordon(self, name: str) -> MoveResult:
        """Uncordon a node if its cordon is this pool's. Raises RolloutError.

        The mark stays on a node that could not be rebooted, so that the next run reboots it.
        """
        try:
            self._drainer.uncordon(name, keep_reboot=name in self._not_rebooted)
        except KubeError as error:
            return MoveResult(MoveKind.NOT_UNCORDONED, reason=str(error))
        return MoveResult(MoveKind.UNCORDONED)


def as_result(assignment: NodeAssignment) -> MoveResult:
    """Return an assignment as the result of a job; one without a view says that the Node is gone."""
    return MoveResult(MoveKind.LOST if assignment.view is None else MoveKind.ASSIGNED, assignment)
