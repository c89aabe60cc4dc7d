# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving the nodes of one wave: assign, watch, read, judge, until the window says how it ended.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from .._kube._client import Client
from .._kube._errors import KubeError, ServerError, TooManyRequests, Unreachable
from .._kube._fanout import fan_out
from .._kube._watch import Event
from .._nodeconfig._config_source import ConfigSource
from .._nodeconfig._names import LABEL_CONFIG_OK
from .._nodeconfig._text import sanitize
from ._assign import Given, assign_one
from ._clock import Clock
from ._gate import DONT_KNOW, FAIL, GONE, Answer, Task, judge
from ._node_feed import NodeFeed
from ._node_view import NodeView, node_view
from ._observe import CONNECTIONS, read_nodes
from ._progress import Progress, names_in_short
from ._record import Exceptional
from ._window import FAILED, IN_FLIGHT, PASSED, SOAKING, STRUCK_OUT, UNKNOWN, WAITING, Step, Window

__all__ = ["Hooks", "WaveLoop", "WaveOrders"]

_TICK = 1.0  # seconds at most between two looks at the clock
_READS = 256  # Nodes at most that are read between two looks at the lock
_TRANSIENT = (Unreachable, ServerError, TooManyRequests)
_KIND = {FAILED: "failed", UNKNOWN: "unknown", STRUCK_OUT: "gone"}


@dataclass(frozen=True)
class WaveOrders:
    """What a wave is to do. sources: what each of its nodes is assigned, in the order in which they move.

    maybe_assigned: nodes that an earlier run of this rollout may have assigned already. not_ready_before: nodes that
    were
    not Ready when the wave began. watched: nodes of earlier waves, which may fail late, with what they were assigned.
    seen: the pool as it was when the wave began.
    """

    name: str
    selector: str
    sources: Mapping[str, ConfigSource | None]
    soak: float
    timeout: float
    maybe_assigned: Collection[str] = ()
    not_ready_before: Collection[str] = ()
    watched: Mapping[str, ConfigSource | None] = field(default_factory=dict)
    seen: Sequence[NodeView] = ()


@dataclass(frozen=True)
class Hooks:
    """What the engine does around the loop. keep: renews the lock, or ends the run; called by many threads.
    before_assigning: writes the record. soaking: likewise.

    down: lists the nodes of the pool that are not Ready.
    """

    keep: Callable[[], None]
    before_assigning: Callable[[tuple[str, ...], Mapping[str, Exceptional]], None]
    soaking: Callable[[Mapping[str, Exceptional]], object]
    down: Callable[[], Collection[str]]
    tell: Callable[[Progress], None]


class WaveLoop:
    """One wave in motion; run() returns the step with which it ended."""

    def __init__(self, client: Client, window: Window, orders: WaveOrders, hooks: Hooks, clock: Clock) -> None:
        self._client = client
        self._window = window
        self._orders = orders
        self._hooks = hooks
        self._clock = clock
        self._tasks: dict[str, Task] = {}
        self._changed: set[str] = set()
        self._late: dict[str, Exceptional] = {}
        self._said: list[tuple[str, str]] = []
        self._soaking_told = False
        self._down_seen = clock.monotonic()
        self.assigned = 0  # PATCHes that changed a Node

    def exceptions(self) -> dict[str, Exceptional]:
        """Return the nodes that did not come through so far, those of earlier waves that failed late included."""
        found = {
            name: Exceptional(name, _KIND[state], self._orders.name, self._window.reason(name))
            for name, state in self._window.ended().items()
        }
        return {**self._late, **found}

    def run(self) -> Step:
        """Move the wave until the window says how it ended. Raises RolloutError, KubeError."""
        for view in self._orders.seen:  # what failed since the wave before ended counts before anything is assigned
            self._notice_late(view)
        with NodeFeed(self._client, self._orders.selector) as feed:
            while True:
                self._hooks.keep()
                step = self._window.step(self._clock.monotonic())
                self._report()
                if step.assign:
                    self._assign(step.assign)
                    self._report()
                if step.outcome:
                    return step
                self._tell_soaking()
                self._look_at_down()
                self._wait(feed)
                self._judge()

    def _assign(self, names: tuple[str, ...]) -> None:
        self._hooks.before_assigning(names, self.exceptions())

        def work(name: str) -> Given:
            source = self._orders.sources[name]
            again = name in self._orders.maybe_assigned

            def is_done(view: NodeView) -> bool:
                self._hooks.keep()  # right before each write: many of them may take longer than the lock holds
                return view.is_on(source) or (again and not view.source_error and view.source == source)

            return assign_one(self._client, name, source, is_done=is_done)

        moved = []
        for name, result in fan_out(work, names, workers=CONNECTIONS):
            if isinstance(result, KubeError):
                self._answer(name, Answer(DONT_KNOW, f"it could not be assigned: {result}"))
            elif result.view is None:
                self._answer(name, Answer(GONE, "the Node was deleted"))
            else:
                self._take(name, result.view, result)
                moved += [name] if result.changed else []
        self.assigned += len(moved)
        if moved:
            self._hooks.tell(self._progress(f"assigned {names_in_short(sorted(moved))}"))

    def _take(self, name: str, view: NodeView, given: Given) -> None:
        was_ready = view.ready is True if given.changed else name not in self._orders.not_ready_before
        self._tasks[name] = Task(
            node_uid=view.uid,
            source=self._orders.sources[name],
            assignment=given.assignment,
            assigned_at=self._clock.monotonic(),
            was_ready=was_ready,
            timeout=self._orders.timeout,
            soak=self._orders.soak,
        )
        self._changed.add(name)

    def _wait(self, feed: NodeFeed) -> None:
        """Wait for an event or until something is due, and take all events that are there."""
        now = self._clock.monotonic()
        pause = min([_TICK, *(self._due_at(name) - now for name in self._open())])
        if self._changed:
            pause = 0.0
        event = self._clock.get(feed.events, pause)
        while event is not None:
            self._notice(event)
            event = feed.events.get_nowait() if not feed.events.empty() else None

    def _notice(self, event: Event) -> None:
        if event.error is not None:
            self._hooks.tell(self._progress(f"the watch of the nodes is interrupted, and tried again: {event.error}"))
        if event.object is None:
            return
        view = node_view(event.object)
        if view.name in self._tasks and self._window.state(view.name) in (IN_FLIGHT, SOAKING):
            self._changed.add(view.name)
        elif event.type != "DELETED":
            self._notice_late(view)

    def _notice_late(self, view: NodeView) -> None:
        """See whether a node that had passed has turned False: its label says so without reading the Node."""
        passed = view.name in self._tasks and self._window.state(view.name) == PASSED
        if not passed and view.name not in self._orders.watched:
            return
        source = self._tasks[view.name].source if passed else self._orders.watched[view.name]
        status = view.status
        if view.labels.get(LABEL_CONFIG_OK) != "False" or status is None or view.source != source:
            return
        if status.assignment != view.given or view.name in self._late:
            return
        reason = f"it had passed, then failed: {sanitize(status.error or status.cause, 1024)}"
        if passed:
            self._answer(view.name, Answer(FAIL, reason))
        else:
            self._late[view.name] = Exceptional(view.name, "failed", self._orders.name, reason)
            self._window.late_failure(view.name, reason)
            self._said.append((FAILED, f"{view.name}: {reason}"))

    def _judge(self) -> None:
        now = self._clock.monotonic()
        names = [name for name in self._open() if name in self._changed or self._due_at(name) <= now][:_READS]
        if not names:
            return
        try:
            views = read_nodes(self._client, names)
        except _TRANSIENT as error:
            self._hooks.tell(self._progress(f"the nodes cannot be read, and are tried again: {error}"))
            self._clock.sleep(_TICK)
            return
        self._changed.difference_update(names)
        now = self._clock.monotonic()
        for name, view in views.items():
            answer = judge(view, self._tasks[name], now)
            self._tasks[name] = self._tasks[name].after(answer)
            self._window.set_down(name, view is not None and view.ready is not True)
            self._answer(name, answer)

    def _answer(self, name: str, answer: Answer) -> None:
        if self._window.answer(name, answer):
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

    def _look_at_down(self) -> None:
        """Where only nodes that are down hold the wave up, look from time to time whether they have come back."""
        now = self._clock.monotonic()
        if self._window.stuck and now - self._down_seen > self._orders.timeout / 10:
            self._down_seen = now
            self._window.replace_down(self._hooks.down())

    def _open(self) -> list[str]:
        return [name for name in self._tasks if self._window.state(name) in (IN_FLIGHT, SOAKING)]

    def _due_at(self, name: str) -> float:
        return self._tasks[name].due_at

    def _progress(self, line: str) -> Progress:
        total = len(self._orders.sources)
        return Progress(self._orders.name, f"{self._orders.name}: {line}", total, dict(self._window.counts))
