# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving the nodes of one wave: watch, judge, assign, until the window says how it ended.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from .._kube._api_client import Client
from .._kube._api_errors import CredentialsError, KubeError, Unauthorized, Unreachable
from .._kube._parallel import run_parallel
from .._nodeconfig._assignment import ConfigSource
from .._nodeconfig._untrusted import sanitize
from ._gate import DONT_KNOW, FAIL, GONE, Attempt, GateResult, evaluate
from ._node_access import MAX_CONNECTIONS, NodeAssignment, assign_node, read_nodes
from ._node_view import NodeView, describe_drift
from ._node_watcher import NodeWatcher
from ._outage import MAX_OUTAGE
from ._record import DRIFTED, FailedNode
from ._rendering import Progress, names_in_short
from ._rollout_errors import ApiUnavailable
from ._timing import Clock
from ._window import FAILED, IN_FLIGHT, PASSED, SOAKING, STRUCK_OUT, UNKNOWN, WAITING, Window, WindowStep

__all__ = ["Hooks", "WaveExecutor", "WaveJob"]

_TICK = 1.0  # seconds at most between two looks at the clock
_BATCH = MAX_CONNECTIONS  # Nodes at most that are assigned between two looks at which nodes are available
_LOOK_AT_TARGET = 5.0  # seconds between two looks whether the bundle is still there
_NOTE = 30.0  # seconds at least between two notes of how long the nodes have soaked
_NO_NODES_FAULT = (CredentialsError, Unauthorized, Unreachable)  # errors of the runner, which end the run
_KIND = {FAILED: "failed", UNKNOWN: "unknown", STRUCK_OUT: "gone"}


@dataclass(frozen=True)
class WaveJob:
    """What a wave is to do. sources: what each of its nodes is assigned, in the order in which they move.

    maybe_assigned: nodes that an earlier run of this rollout may have assigned already. not_ready_before: nodes that
    were not Ready when the wave began. watched: nodes of earlier waves, which may fail late, each with the name of its
    wave. kept: what each node that needs no more moving is assigned, those of watched included. soaked: for how many
    seconds nodes had soaked when an earlier run ended. forget_bad: nodes that refused the config before are assigned it
    again.
    """

    name: str
    sources: Mapping[str, ConfigSource | None]
    soak: float
    timeout: float
    maybe_assigned: Collection[str] = ()
    not_ready_before: Collection[str] = ()
    watched: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, ConfigSource | None] = field(default_factory=dict)
    soaked: Mapping[str, int] = field(default_factory=dict)
    forget_bad: bool = False


@dataclass(frozen=True)
class Hooks:
    """What the engine does around the loop. keep: renews the lock, or ends the run; called by many threads.
    before_assigning: writes the record. soaking: likewise. note: likewise, how long the nodes have soaked. lost: says
    why the config cannot be assigned any more, "" while it can. outages: counts the outages of the API server so far.
    """

    keep: Callable[[], None]
    before_assigning: Callable[[tuple[str, ...], Mapping[str, FailedNode]], None]
    soaking: Callable[[Mapping[str, FailedNode]], object]
    tell: Callable[[Progress], None]
    note: Callable[[], object] = lambda: None
    lost: Callable[[], str] = str
    outages: Callable[[], int] = int


class WaveExecutor:
    """One wave in motion; run() returns the step with which it ended. feed: has been synced."""

    def __init__(
        self, client: Client, feed: NodeWatcher, window: Window, orders: WaveJob, hooks: Hooks, clock: Clock
    ) -> None:
        self._client = client
        self._feed = feed
        self._window = window
        self._orders = orders
        self._hooks = hooks
        self._clock = clock
        self._tasks: dict[str, Attempt] = {}
        self._changed: set[str] = set()
        self._unseen: set[str] = set()  # assigned, and the feed has not shown that yet
        self._vanished: dict[str, NodeView] = {}  # what was last known of nodes that are gone
        self._late: dict[str, FailedNode] = {}
        self._drifted: dict[str, FailedNode] = {}
        self._said: list[tuple[str, str]] = []
        self._soaking_told = False
        self._blind_since: float | None = None
        self._noted_at = clock.monotonic()
        self._target_seen = float("-inf")
        self.assigned = 0  # PATCHes that changed a Node

    def exceptions(self) -> dict[str, FailedNode]:
        """Return the nodes that did not come through so far, those of earlier waves that failed late included."""
        found = {
            name: FailedNode(name, _KIND[state], self._orders.name, self._window.reason(name))
            for name, state in self._window.unsuccessful().items()
        }
        return {**self._drifted, **self._late, **found}

    def soaked(self) -> dict[str, int]:
        """Return for how many whole seconds each node has soaked that has been looked at, 0 where it does not soak."""
        now = self._clock.monotonic()
        return {
            name: int(min(now - task.good_since, task.soak))
            if task.good_since is not None and self._window.state(name) in (SOAKING, PASSED)
            else 0
            for name, task in self._tasks.items()
        }

    def run(self) -> WindowStep:
        """Move the wave until the window says how it ended. Raises RolloutError, KubeError."""
        for (
            view
        ) in self._feed.sorted_nodes():  # what has changed since the wave before ended counts before anything else
            self._notice(view)
        pause = 0.0
        while True:
            self._hooks.keep()
            outages = self._hooks.outages()
            self._take_events(pause)
            if self._is_blind():
                pause = _TICK
                continue
            self._judge()
            lost = self._look_at_target()
            if lost:
                self._report()
                return WindowStep(outcome="pause", reason=lost)
            step = self._window.next_step(self._clock.monotonic(), _BATCH)
            self._report()
            if step.to_assign:
                down = self._window.unavailable
                self._hooks.before_assigning(step.to_assign, self.exceptions())
                self._take_events(0.0)
                # Who is down may have changed meanwhile, or is seen to have.
                if self._hooks.outages() != outages or self._is_blind() or self._window.unavailable - down:
                    self._window.take_back_assignments(step.to_assign)
                    pause = 0.0
                    continue
                self._assign(step.to_assign)
                self._report()
            if step.outcome:
                return step
            self._tell_soaking()
            pause = 0.0 if step.to_assign else self._pause()

    def _assign(self, names: tuple[str, ...]) -> None:
        forget_bad = self._orders.forget_bad

        def work(name: str) -> NodeAssignment:
            source = self._orders.sources[name]
            again = name in self._orders.maybe_assigned

            def is_done(view: NodeView) -> bool:
                self._hooks.keep()  # right before each write: many of them may take longer than the lock holds
                assigned = again and view.is_assigned(source)
                return view.is_on(source) or (assigned and not (forget_bad and view.config_ok == "False"))

            view = self._feed.nodes.get(name)
            if view is None or view.deleting:
                return NodeAssignment(None)
            return assign_node(self._client, view, source, is_done=is_done, forget_bad=forget_bad)

        moved = []
        for name, result in run_parallel(work, names, workers=MAX_CONNECTIONS, threads=self._clock):
            if isinstance(result, _NO_NODES_FAULT):
                raise result
            if isinstance(result, KubeError):
                self._answer(name, GateResult(DONT_KNOW, f"it could not be assigned: {result}"))
            elif result.view is None:
                self._answer(name, GateResult(GONE, "the Node was deleted"))
            else:
                self._take(name, result.view, result)
                moved += [name] if result.changed else []
        self.assigned += len(moved)
        if moved:
            self._hooks.tell(self._progress(f"assigned {names_in_short(sorted(moved))}"))

    def _take(self, name: str, view: NodeView, given: NodeAssignment) -> None:
        soaked = self._orders.soaked.get(name, 0)
        was_ready = view.ready is True if given.changed else name not in self._orders.not_ready_before
        self._tasks[name] = Attempt(
            node_uid=view.uid,
            source=self._orders.sources[name],
            assignment=given.assignment,
            assigned_at=self._clock.monotonic(),
            was_ready=was_ready,
            timeout=self._orders.timeout,
            soak=self._orders.soak,
            good_since=None if given.changed or not soaked else self._clock.monotonic() - soaked,
        )
        self._changed.add(name)
        if given.changed:
            self._unseen.add(name)

    def _pause(self) -> float:
        """Return for how long nothing is due unless something happens."""
        now = self._clock.monotonic()
        return max(0.0, min([_TICK, *(self._tasks[name].next_check_at - now for name in self._open())]))

    def _take_events(self, pause: float) -> None:
        for event in self._feed.take_events(pause):
            if event.error is not None:
                line = f"the watch of the nodes is interrupted, and tried again: {event.error}"
                self._hooks.tell(self._progress(line))
            elif event.view is not None:
                self._note(event.type, event.view)

    def _note(self, event: str, view: NodeView) -> None:
        gone = event == "DELETED"
        if gone:
            self._vanished[view.name] = view
        self._window.set_unavailable(view.name, not gone and view.ready is not True)
        task = self._tasks.get(view.name)
        if task is not None and (gone or view.uid != task.node_uid or view.assigned_id >= task.assignment):
            self._unseen.discard(view.name)
        if task is not None and self._window.state(view.name) in (IN_FLIGHT, SOAKING):
            self._changed.add(view.name)
        elif not gone:
            self._notice(view)

    def _is_blind(self) -> bool:
        """Return whether the nodes are not known now. Nothing is judged or assigned then, and their time stands still.

        Raises ApiAway when that lasts too long.
        """
        now = self._clock.monotonic()
        if self._feed.error is not None:
            if self._blind_since is None:
                self._blind_since = now
            if now - self._blind_since > MAX_OUTAGE:
                raise ApiUnavailable(
                    f"the nodes could not be watched for {MAX_OUTAGE:.0f}s ({self._feed.error}): nothing else is "
                    "assigned, and what is assigned goes on by itself; run it again to go on"
                ) from self._feed.error
            return True
        if self._blind_since is not None:
            seconds = now - self._blind_since
            self._blind_since = None
            self._hooks.tell(self._progress(f"the nodes are watched again after {seconds:.0f}s"))
            self._window.delay_by(seconds)
            self._tasks.update({name: self._tasks[name].delayed_by(seconds) for name in self._open()})
        return False

    def _notice(self, view: NodeView) -> None:
        """See whether a node that had passed has turned False since, or was assigned something else."""
        passed = view.name in self._tasks and self._window.state(view.name) == PASSED
        if not passed and view.name not in self._orders.kept:
            return
        source = self._tasks[view.name].source if passed else self._orders.kept[view.name]
        self._notice_drift(view, describe_drift(view, source))
        if not passed and view.name not in self._orders.watched:
            return
        status = view.status
        if view.config_ok != "False" or status is None or not view.has_answered(source) or view.name in self._late:
            return
        reason = f"it had passed, then failed: {sanitize(status.error or status.cause, 1024)}"
        if passed:
            self._answer(view.name, GateResult(FAIL, reason))
        else:
            self._late[view.name] = FailedNode(view.name, "failed", self._orders.watched[view.name], reason)
            self._window.late_failure(view.name, reason)
            self._said.append((FAILED, f"{view.name}: {reason}"))

    def _notice_drift(self, view: NodeView, reason: str) -> None:
        if not reason:
            self._drifted.pop(view.name, None)
        elif view.name not in self._drifted:
            self._drifted[view.name] = FailedNode(view.name, DRIFTED, self._orders.name, reason)
            self._said.append((DRIFTED, f"{view.name}: {reason}"))

    def _judge(self) -> None:
        now = self._clock.monotonic()
        due = [name for name in self._open() if self._tasks[name].next_check_at <= now]
        self._read_unseen([name for name in due if name in self._unseen])
        for name in self._open():
            if name in self._unseen or (name not in self._changed and self._tasks[name].next_check_at > now):
                continue
            self._changed.discard(name)
            answer = evaluate(self._feed.nodes.get(name), self._tasks[name], now, last_seen=self._vanished.get(name))
            self._tasks[name] = self._tasks[name].with_result(answer)
            self._answer(name, answer)

    def _read_unseen(self, names: list[str]) -> None:
        """Read nodes whose time is up before the watch has even shown their assignment."""
        if not names:
            return
        views = read_nodes(self._client, names, threads=self._clock)
        self._unseen.difference_update(names)
        for name, view in views.items():
            if view is None:
                self._feed.nodes.pop(name, None)
            else:
                self._feed.nodes[name] = view

    def _answer(self, name: str, answer: GateResult) -> None:
        if self._window.record(name, answer):
            state = self._window.state(name)
            self._said.append((state, name if state in (SOAKING, PASSED) else f"{name}: {answer.reason}"))

    def _report(self) -> None:
        said, self._said = self._said, []
        for state, text in said:
            if state not in (SOAKING, PASSED):
                self._hooks.tell(self._progress(f"{'NO VERDICT' if state == UNKNOWN else state.upper()}: {text}"))
        soak = f", soaking {self._orders.soak:g}s" if self._orders.soak else ""
        for state, what in ((SOAKING, f"ConfigOK{soak}"), (PASSED, "passed")):
            names = sorted(text for one, text in said if one == state)
            if names:
                self._hooks.tell(self._progress(f"{what}: {names_in_short(names)}"))

    def _tell_soaking(self) -> None:
        counts = self._window.counts
        if not self._soaking_told and counts[SOAKING] and not counts[WAITING] and not counts[IN_FLIGHT]:
            self._soaking_told = True
            self._hooks.soaking(self.exceptions())

        now = self._clock.monotonic()
        if counts[SOAKING] and now - self._noted_at > max(_NOTE, self._orders.soak / 10):
            self._noted_at = now
            self._hooks.note()

    def _look_at_target(self) -> str:
        now = self._clock.monotonic()
        if now - self._target_seen < _LOOK_AT_TARGET:
            return ""
        self._target_seen = now
        return self._hooks.lost()

    def _open(self) -> list[str]:
        return [name for name in self._tasks if self._window.state(name) in (IN_FLIGHT, SOAKING)]

    def _progress(self, line: str) -> Progress:
        total = len(self._orders.sources)
        return Progress(self._orders.name, f"{self._orders.name}: {line}", total, dict(self._window.counts))
