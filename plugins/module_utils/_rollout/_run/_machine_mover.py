# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Create, update, replace, delete or take back one machine of a wave. Each of them runs in a thread of its own.

Private to configok.node.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError
from ..._kube.api_paths import node
from ..._nodeconfig.assignment import ConfigSource
from ..._nodeconfig.durations import describe_duration
from ..._text import sanitize
from .._drain._drainer import Drainer, DrainResult
from .._drain.cordon import marking_pool
from .._drain.rebooter import Rebooter
from .._nodes._machine_access import apply_machine, delete_node
from .._nodes._node_watcher import NodeWatcher
from .._nodes.node_goals import InstalledVersions, has_reached, unmet_versions, with_versions
from .._nodes.node_view import NodeView, node_view
from .._nodes.reported_versions import without_v
from .._outage import WriteNotRepeated
from .._record.record import PreviousMachine
from ..goals import Goal, MachineGoal
from ._move_result import MoveKind, MoveResult
from ._node_mover import NodeMover, as_result
from ._session import RunSession
from .host_change import ChangeMachine, ChangeNotBegun, HostAction, MachineRequest

_POLL = 2.0  # seconds between two looks at a Node
_WATCH_LAG = 60.0  # seconds within which the watch shows a Node that was registered
_MAX_REASON = 600  # characters


@dataclass(frozen=True)
class HostOptions:
    """How hosts are changed, and what they were before.

    change: has the provider change a host. timeout: seconds for one change. node_timeout: seconds for a Node to be
    registered, or to return. machines, sources: what the Nodes were, and what they used, when the rollout began.
    rollout: its identity, which a run that continues the rollout has too.
    """

    change: ChangeMachine
    timeout: float
    node_timeout: float
    machines: Mapping[str, PreviousMachine]
    sources: Mapping[str, ConfigSource | None]
    rollout: str = ""


class MachineMover(NodeMover):
    """The work on the machines of one rollout; safe for many threads, each with a machine of its own.

    A half-done change of a host is done again: the record says which machines may have been begun, the mark of the
    cordon that the change of a host may not have ended.
    """

    def __init__(
        self,
        session: RunSession,
        watcher: NodeWatcher,
        drainer: Drainer,
        rebooter: Rebooter,
        host: HostOptions,
        *,
        to_drain: Collection[str],
        to_reboot: Collection[str],
        confirm_after: float,
        is_broken_wave: bool = False,
    ) -> None:
        super().__init__(
            session,
            watcher,
            drainer,
            rebooter,
            to_drain=to_drain,
            to_reboot=to_reboot,
            confirm_after=confirm_after,
            is_broken_wave=is_broken_wave,
        )
        self._host = host
        self._left_cordoned: set[str] = set()  # their hosts are in no state that is known

    # --- what the wave asks

    def has_changed_host(self, name: str, goal: Goal) -> bool:
        """Return whether this rollout changes the host of a machine, in this run or an earlier one."""
        if not isinstance(goal, MachineGoal):
            return False
        return goal.needs_host or goal.action != "update" or self._changes_versions(name, goal)

    def can_roll_back(self, name: str, goal: Goal) -> bool:
        """Return whether a machine that fails returns to its previous versions."""
        return goal.changes_machine and self.has_changed_host(name, goal) and bool(self._previous(name, goal))

    def is_half_done(self, view: NodeView, goal: Goal) -> bool:
        """Return whether an earlier run has begun to change a machine, which is therefore unavailable."""
        if not isinstance(goal, MachineGoal):
            return False
        if self._is_marked(view):
            return self.has_changed_host(view.name, goal)
        previous = self._host.machines.get(view.name)
        is_new = previous is None or previous.uid != view.uid
        return is_new and view.ready is not True and not has_reached(view, goal)

    def move(
        self, name: str, view: NodeView | None, goal: Goal, *, possibly_assigned: bool, forget_bad: bool
    ) -> MoveResult:
        """Make a machine what it is declared to be, and assign its config. Raises KubeError, RolloutError.

        The write that makes a node unavailable is not repeated after an outage, since other nodes may be down then.
        """
        if not isinstance(goal, MachineGoal):
            return super().move(name, view, goal, possibly_assigned=possibly_assigned, forget_bad=forget_bad)
        try:
            if goal.action == "delete":
                return self._delete(view, goal)
            if goal.action in ("create", "replace"):
                return self._create(name, view, goal)
            if view is None or view.deleting:
                return MoveResult(MoveKind.LOST)
            return self._update(view, goal, possibly_assigned=possibly_assigned, forget_bad=forget_bad)
        except WriteNotRepeated as stopped:
            return MoveResult(MoveKind.LOST) if view is None else self._look_again(view, goal, stopped.error)

    # --- the actions

    def _update(self, view: NodeView, goal: MachineGoal, *, possibly_assigned: bool, forget_bad: bool) -> MoveResult:
        name = view.name
        # The mark of a rollout before this one says that the host may be half changed.
        is_begun = self._is_marked(view) and (self._changes_versions(name, goal) or not possibly_assigned)
        needs_host = goal.needs_host or is_begun
        needs_drain = needs_host or (name in self._to_drain and not has_reached(view, goal))
        client: Client = self._session.single_attempt_client
        reboot = name in self._to_reboot
        if needs_drain and not self._is_down(view):
            result = self._drainer.drain(view, self._must_stop, reboot=reboot, for_host=needs_host)
            if not result.drained:
                return MoveResult(MoveKind.NOT_DRAINED, reason=result.reason)
            client = self._session.client  # the node is unavailable already
        elif needs_drain:
            result = self._drainer.cordon(view, reboot=reboot, for_host=needs_host)
            if not result.drained:
                return MoveResult(MoveKind.NOT_DRAINED, reason=result.reason)
            client = self._session.client
        if needs_host:
            try:
                failure = self._change(name, "update", goal)
            except ChangeNotBegun:
                self._drainer.uncordon(name)
                return MoveResult(MoveKind.POSTPONED)
            if failure:
                return MoveResult(MoveKind.HOST_FAILED, reason=f"{failure}; {self._take_back(name, goal)}")
        assignment = apply_machine(
            client,
            name,
            goal,
            assigns=needs_host,
            possibly_assigned=possibly_assigned,
            forget_bad=forget_bad,
            confirm_after=self._confirm_after,
        )
        return as_result(assignment)

    def _create(self, name: str, view: NodeView | None, goal: MachineGoal) -> MoveResult:
        """Make a host a Node. To replace it, delete the host and the Node before, unless an earlier run has."""
        apply = partial(apply_machine, self._session.client, name, goal, confirm_after=self._confirm_after)
        if view is not None and not self._is_marked(view) and has_reached(view, goal):
            return as_result(apply(assigns=False, possibly_assigned=True))
        previous = self._host.machines.get(name)
        old_uid = previous.uid if previous is not None and goal.action == "replace" else ""
        if view is not None and view.uid == old_uid:
            deleted = self._delete(view, goal)
            if deleted.kind is not MoveKind.DELETED:
                return deleted
        try:
            failure = self._change(name, "create", goal)
        except ChangeNotBegun:
            return MoveResult(MoveKind.POSTPONED)
        if failure:
            return MoveResult(MoveKind.HOST_FAILED, reason=failure)
        if not self._await(name, lambda seen: seen is not None and seen.uid != old_uid):
            if self._must_stop():
                return MoveResult(MoveKind.POSTPONED)
            within = describe_duration(self._host.node_timeout)
            return MoveResult(MoveKind.HOST_FAILED, reason=f"its Node was not registered within {within}")
        assignment = apply(assigns=True, old_uid=old_uid)
        if assignment.view is not None:
            self._await_watch(name, assignment.view.uid)
        return as_result(assignment)

    def _delete(self, view: NodeView | None, goal: MachineGoal) -> MoveResult:
        """Delete the host and the Node of a machine. A Node that is gone was the last thing of it."""
        if view is None:
            return MoveResult(MoveKind.DELETED, reason="it is deleted")
        # Also where the plan knew of no Node to drain: this one was registered since.
        down = view.ready is not True or view.deleting
        result = self._cordon_for_host(view, is_down=down)
        if not result.drained:
            return MoveResult(MoveKind.NOT_DRAINED, reason=result.reason)
        try:
            failure = self._change(view.name, "delete", goal) or delete_node(self._session.client, view)
        except ChangeNotBegun:
            self._drainer.uncordon(view.name)
            return MoveResult(MoveKind.POSTPONED)
        if failure:
            return MoveResult(MoveKind.HOST_FAILED, reason=failure)
        self._session.say(f"deleted {view.name}")
        return MoveResult(MoveKind.DELETED, reason="it is deleted")

    def roll_back(self, name: str, goal: Goal, reason: str) -> MoveResult:
        """Take a machine back to its previous versions and config. Raises RolloutError."""
        view = self._watcher.nodes.get(name)
        if not isinstance(goal, MachineGoal) or view is None:
            return MoveResult(MoveKind.ROLLED_BACK, reason=reason)
        try:
            if not self._is_marked(view):  # it was up, and failed later
                result = self._cordon_for_host(view, is_down=view.ready is not True)
                if not result.drained:
                    left = f"it was not taken back, since it could not be drained: {result.reason}"
                    return MoveResult(MoveKind.ROLLED_BACK, reason=f"{reason}; {left}")
            outcome = self._take_back(name, goal)
        except (KubeError, WriteNotRepeated) as error:
            outcome = f"it could not be taken back: {error}"
        return MoveResult(MoveKind.ROLLED_BACK, reason=f"{reason}; {outcome}")

    def uncordon(self, name: str) -> MoveResult:
        """Uncordon a machine, unless its host is in no state that is known. Raises RolloutError."""
        if name in self._left_cordoned:
            return MoveResult(MoveKind.NOT_UNCORDONED, reason="its host could not be taken back")
        return super().uncordon(name)

    # --- parts of them

    def _cordon_for_host(self, view: NodeView, *, is_down: bool) -> DrainResult:
        """Cordon a Node whose host is changed next; drain it unless its kubelet is down. Raises KubeError."""
        if is_down:
            return self._drainer.cordon(view, for_host=True)
        return self._drainer.drain(view, self._must_stop, for_host=True)

    def _take_back(self, name: str, goal: MachineGoal) -> str:
        """Return the host and the config of a machine to what they were. Return the outcome in words."""
        previous = self._previous(name, goal)
        if previous is None:
            return "what it was before is not known, so that it was not taken back"
        try:
            failure = self._change(name, "rollback", replace(goal, previous=_versions(previous)), may_stop=False)
        except ChangeNotBegun:
            failure = "the run was interrupted"
        if failure:
            self._left_cordoned.add(name)
            return f"it could not be taken back to {_describe(previous)} and stays cordoned: {failure}"
        earlier = self._earlier_goal(name, goal, previous)
        item = self._session.client.find(node(name))
        view = None if item is None else node_view(item)
        if view is not None and view.machine == goal.annotation:  # it has got everything of the goal
            is_assigned = view.source == goal.source  # and not something else since
            earlier = earlier if is_assigned else replace(earlier, source=view.source)
            assigns = is_assigned and earlier.source != goal.source
            apply_machine(self._session.client, name, earlier, assigns=assigns, possibly_assigned=True)
        if self._await(name, lambda seen: seen is not None and bool(seen.ready) and not unmet_versions(seen, earlier)):
            self._drainer.uncordon(name)
            return f"it is back on {_describe(previous)}"
        within = "yet" if self._must_stop() else f"within {describe_duration(self._host.node_timeout)}"
        return f"it was taken back to {_describe(previous)}, and is not Ready {within}"

    def _earlier_goal(self, name: str, goal: MachineGoal, previous: PreviousMachine) -> MachineGoal:
        """Return the goal of a machine that is taken back: its config and its versions; its labels stay."""
        kubelet, runtime = without_v(previous.kubelet_version), (previous.runtime_name, previous.runtime_version)
        source = self._host.sources.get(name, goal.source)
        annotation = with_versions(goal.annotation, InstalledVersions(kubelet, runtime))
        return MachineGoal(source, kubelet_version=kubelet, runtime=runtime, annotation=annotation)

    def _change(self, name: str, action: HostAction, goal: MachineGoal, *, may_stop: bool = True) -> str:
        """Have the provider change a host. Return why that failed, "" for success. Raises ChangeNotBegun."""
        if may_stop and self._must_stop():
            raise ChangeNotBegun
        self._session.keep_lock()  # another runner must not change the same host
        self._session.say(f"{_VERBS[action]} {name}")
        request = MachineRequest(
            name,
            action,
            goal,
            self._host.timeout,
            self._session.client,
            self._must_stop if may_stop else (lambda: False),
            self._host.rollout,
        )
        return sanitize(self._host.change(request), _MAX_REASON).rstrip(".")

    def _await(self, name: str, holds: Callable[[NodeView | None], bool]) -> bool:
        """Wait until a Node is so, for the time that a node has. Return whether it is."""
        clock = self._session.node_clock
        deadline = clock.monotonic() + self._host.node_timeout
        while True:
            item = self._session.client.find(node(name))
            if holds(None if item is None else node_view(item)):
                return True
            if self._must_stop() or clock.monotonic() >= deadline:
                return False
            clock.sleep(_POLL)

    def _await_watch(self, name: str, uid: str) -> None:
        """Wait until the watch has shown a Node that is new: its events before are those of another."""
        clock = self._session.node_clock
        deadline = clock.monotonic() + _WATCH_LAG
        while clock.monotonic() < deadline:
            seen = self._watcher.nodes.get(name)
            if seen is not None and seen.uid == uid:
                return
            clock.sleep(0.1)

    def _must_stop(self) -> bool:
        return self.is_stopping

    def _is_marked(self, view: NodeView) -> bool:
        return marking_pool(view) == self._session.pool

    def _is_down(self, view: NodeView) -> bool:
        """Return whether the pods of a node would not end: its kubelet is down, and that is known to this rollout."""
        return view.ready is not True and (self._is_broken_wave or self._is_marked(view))

    def _previous(self, name: str, goal: Goal) -> PreviousMachine | None:
        """Return what a machine was when the rollout began; the goal says it for a record that does not."""
        previous = self._host.machines.get(name)
        if previous is None and isinstance(goal, MachineGoal) and goal.previous:
            runtime_name, runtime_version = goal.previous.get("runtime") or ("", "")
            return PreviousMachine("", str(goal.previous.get("kubelet") or ""), str(runtime_name), str(runtime_version))
        return previous

    def _changes_versions(self, name: str, goal: MachineGoal) -> bool:
        previous = self._previous(name, goal)
        return previous is not None and bool(unmet_versions(_view_of(previous), goal))


_VERBS: Mapping[HostAction, str] = {
    "create": "creating",
    "update": "updating",
    "rollback": "taking back",
    "delete": "deleting",
}


def _view_of(previous: PreviousMachine) -> NodeView:
    runtime = (previous.runtime_name, previous.runtime_version)
    return NodeView("", previous.uid, kubelet_version=previous.kubelet_version, runtime=runtime)


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
