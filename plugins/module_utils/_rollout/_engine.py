# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving one wave of a plan through the gate, with lock and record. Private to configok.node: no compatibility is
promised.

Any run may be killed and run again: what was done is seen in the record and on the nodes, and is not done again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from .._kube._client import Client
from .._kube._errors import KubeError, NotFound
from .._kube._paths import config_map
from . import _steps as steps
from ._clock import Clock
from ._errors import Interrupted, RolloutError, RolloutRefused
from ._events import tell_began, tell_ended
from ._lock import Lock
from ._node_feed import NodeFeed
from ._plan import BROKEN, CANARY, Plan
from ._progress import Progress
from ._record import COMPLETE, DRIFTED, HALTED, PAUSED, Exceptional, Record, Rollout
from ._record_store import read_record, update_record
from ._wave_loop import Hooks, WaveLoop, WaveOrders
from ._window import Step, Window

__all__ = ["WaveResult", "move_wave", "settle"]

_ROLLBACK = "rollback"
_GRACE = 60.0  # seconds that reading a node may take: the gate knows more than the window, so it comes first


@dataclass(frozen=True)
class WaveResult:
    """How a wave ended. phase: as in the record; counts: nodes by state; exceptions: nodes that did not get through;
    summary: the reason without the words of a node.
    """

    wave: str
    phase: str
    changed: bool
    reason: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    exceptions: tuple[Exceptional, ...] = ()
    summary: str = ""

    @property
    def failed(self) -> bool:
        """Return whether the rollout must not go on."""
        return self.phase in (HALTED, PAUSED)


def move_wave(
    client: Client,
    plan: Plan,
    wave: str,
    *,
    runner: str,
    progress: Callable[[Progress], None],
    clock: Clock | None = None,
    lease_duration: float = 15.0,
) -> WaveResult:
    """Move the wave of this name; the waves before it must be through. One that is through already changes nothing.

    runner: who moves, for other people to read; unique for each run. progress: is called when something changes.
    lease_duration: whole seconds. Raises RolloutRefused, Locked, LockLost, Interrupted, RolloutError, KubeError.
    """
    if plan.refusals:
        raise RolloutRefused(plan.refusals)
    if not plan.target.is_published:
        raise RolloutError(f"{plan.target.name} is not published: nothing can be assigned")
    mover = _Mover(client, plan, wave, runner, progress, clock or Clock())
    try:
        with _locked(client, plan, wave, runner, progress, mover.clock, lease_duration) as lock:
            return mover.move(lock)
    except KeyboardInterrupt as error:
        raise Interrupted(
            f"interrupted in {wave} of pool {plan.pool}: what is assigned goes on by itself, nothing else is assigned; "
            "run it again to go on"
        ) from error


def settle(
    client: Client,
    plan: Plan,
    *,
    runner: str,
    progress: Callable[[Progress], None],
    clock: Clock | None = None,
    lease_duration: float = 15.0,
) -> WaveResult:
    """Record a plan without anything to do as complete, unless the record says so already.

    Takes the lock only to write. Raises Locked, RolloutError, KubeError.
    """
    if plan.changes or plan.refusals or not plan.target.is_published:
        raise RolloutError(f"pool {plan.pool} has waves to move: it is not settled")
    clock = clock or Clock()
    record = read_record(client, plan.pool)
    if steps.settled(record, plan, clock.now()) == record:
        return WaveResult("", COMPLETE, False)
    with _locked(client, plan, "", runner, progress, clock, lease_duration):
        now = clock.now()
        _record, changed = update_record(client, plan.pool, lambda found: steps.settled(found, plan, now))
    return WaveResult("", COMPLETE, changed)


@contextmanager
def _locked(
    client: Client,
    plan: Plan,
    wave: str,
    runner: str,
    progress: Callable[[Progress], None],
    clock: Clock,
    lease_duration: float,
) -> Iterator[Lock]:
    lock = Lock(client, plan.pool, runner, clock=clock, duration=lease_duration)
    lock.acquire(lambda line: progress(Progress(wave, line)))
    try:
        yield lock
    finally:
        lock.release()


class _Mover:
    """One run over one wave."""

    def __init__(
        self, client: Client, plan: Plan, wave: str, runner: str, progress: Callable[[Progress], None], clock: Clock
    ) -> None:
        self.clock = clock
        self._client = client
        self._plan = plan
        self._wave = wave
        self._runner = runner
        self._progress = progress

    def move(self, lock: Lock) -> WaveResult:
        """Begin the rollout or go on with it, and move the wave."""
        with NodeFeed(self._client, self._plan.selector, self.clock) as feed:
            return self._move(lock, feed)

    def _move(self, lock: Lock, feed: NodeFeed) -> WaveResult:
        # The list of a large pool may take longer than the lock holds.
        views = feed.sync(lock.keep, lambda line: self._progress(Progress(self._wave, line)))
        rollout, began = self._update(lambda record: steps.begin(record, self._plan, views, self.clock.now()))
        if began:
            tell_began(self._client, self._plan.pool, rollout, self._runner)
        if rollout.taking_back:
            return self._take_back(lock, feed, rollout)
        place = self._place(rollout)
        if rollout.phase == COMPLETE or place < rollout.finished:
            return WaveResult(self._wave, rollout.phase, began)
        again = rollout.waves[place].nodes[: rollout.cursor]
        rollout, _changed = self._update(
            lambda record: steps.enter(record, self._plan, place, views, runner=self._runner, now=self.clock.now())
        )
        return self._run(lock, feed, rollout, place, again)

    def _run(self, lock: Lock, feed: NodeFeed, rollout: Rollout, place: int, again: Collection[str]) -> WaveResult:
        wave, source = rollout.waves[place], rollout.target.source
        # A canary that fails stops the rollout, whatever the budget of the pool allows.
        budget, failed = (0, 0) if wave.name == CANARY else (self._plan.failure_budget, rollout.failures)
        # The lane's own nodes wait for this config: they are no reason not to try it on a canary.
        lane = {name for later in rollout.waves[place + 1 :] if later.name == BROKEN for name in later.nodes}
        window = self._window(wave.nodes, feed, budget, failed, wave.name, lane)
        through = rollout.waves[:place]
        failed_before = {one.node for one in rollout.exceptions if one.kind != DRIFTED}
        kept = {name for earlier in through for name in earlier.nodes} | (set(self._plan.already) - set(wave.nodes))
        orders = WaveOrders(
            name=wave.name,
            sources=dict.fromkeys(wave.nodes, source),
            soak=wave.soak,
            timeout=self._plan.node_timeout,
            maybe_assigned=frozenset(again),
            not_ready_before=frozenset(rollout.down),
            watched={name for earlier in through if earlier.name != BROKEN for name in earlier.nodes} - failed_before,
            kept=dict.fromkeys(kept - failed_before, source),
            soaked=rollout.soaked,
        )

        def before_assigning(names: tuple[str, ...], found: Mapping[str, Exceptional]) -> None:
            ahead = self._plan.max_unavailable
            self._write(lambda record, now: steps.assigning(record, place, names, found, ahead=ahead, now=now))

        hooks = self._hooks(
            lock, before_assigning, lambda found: self._write(lambda record, now: steps.soaking(record, found, now=now))
        )
        hooks = replace(
            hooks,
            note=lambda: self._write(lambda record, _now: steps.soaked(record, loop.soaked())),
            lost=self._lost_target,
        )
        loop = WaveLoop(self._client, feed, window, orders, hooks, self.clock)
        try:
            step = loop.run()
        except KeyboardInterrupt:
            with suppress(KubeError, RolloutError):
                hooks.note()
            raise
        ended = self._write(
            lambda record, now: steps.ended(
                steps.soaked(record, loop.soaked()), self._plan, place, step, loop.exceptions(), now=now
            )
        )
        self._tell_end(wave.name, step, window)
        tell_ended(self._client, self._plan.pool, ended)
        if ended.taking_back:
            return self._take_back(lock, feed, ended)
        return WaveResult(
            wave.name, ended.phase, True, ended.reason, dict(window.counts), ended.exceptions, step.reason
        )

    def _take_back(self, lock: Lock, feed: NodeFeed, rollout: Rollout) -> WaveResult:
        """Take the nodes that are still on a failed config back to what they used before; broken ones have done so."""
        lock.keep()
        self._update(lambda record: steps.own(record, self._runner, self.clock.now()))
        sources = {
            view.name: rollout.before[view.name]
            for view in feed.sorted()
            if view.name in rollout.before and view.source == rollout.target.source and view.config_ok != "False"
        }
        window = self._window(tuple(sources), feed, len(sources), 0, _ROLLBACK)
        orders = WaveOrders(_ROLLBACK, sources, 0.0, self._plan.node_timeout)
        loop = WaveLoop(self._client, feed, window, orders, self._hooks(lock, _nothing, _nothing), self.clock)
        step = loop.run()
        done = self._write(lambda record, now: steps.taken_back(record, step, len(sources), loop.exceptions(), now=now))
        self._tell_end(_ROLLBACK, step, window)
        tell_ended(self._client, self._plan.pool, done)
        return WaveResult(self._wave, done.phase, True, done.reason, dict(window.counts), done.exceptions)

    def _window(
        self, nodes: tuple[str, ...], feed: NodeFeed, budget: int, failed: int, wave: str, lane: Collection[str] = ()
    ) -> Window:
        return Window(
            nodes,
            limit=self._plan.max_unavailable,
            budget=budget,
            failed=failed,
            down=[name for name, view in feed.views.items() if view.ready is not True],
            timeout=self._plan.node_timeout + _GRACE,
            canary=wave == CANARY,
            lane=wave == BROKEN,
            expected_down=lane,
        )

    def _hooks(
        self,
        lock: Lock,
        before_assigning: Callable[[tuple[str, ...], Mapping[str, Exceptional]], None],
        soaking: Callable[[Mapping[str, Exceptional]], object],
    ) -> Hooks:
        mutex = threading.Lock()

        def keep() -> None:
            with mutex:
                if lock.keep():
                    self._write(lambda record, _now: record)  # it had stalled: see whether the record is still its own

        return Hooks(keep, before_assigning, soaking, self._progress)

    def _lost_target(self) -> str:
        """Return why nodes cannot fetch the bundle any more, "" while they can (and while that cannot be seen)."""
        source = self._plan.target.source
        if source is None:
            return ""
        try:
            found = self._client.get(config_map(source.namespace, source.name), metadata_only=True)
        except NotFound:
            return f"the bundle {source.name} was deleted: run the rollout again, which publishes it anew"
        except KubeError:
            return ""
        if found["metadata"].get("uid") == source.uid:
            return ""
        return f"the bundle {source.name} was deleted and made again: run the rollout again, which assigns the new one"

    def _place(self, rollout: Rollout) -> int:
        names = [one.name for one in rollout.waves]
        if self._wave not in names:
            raise RolloutError(f"the rollout of pool {self._plan.pool} has no {self._wave}: it has {', '.join(names)}")
        place = names.index(self._wave)
        if place > rollout.finished:
            raise RolloutError(
                f"{self._wave} of pool {self._plan.pool} comes after {names[rollout.finished]}, which is not through"
            )
        return place

    def _update(self, change: Callable[[Record], Record]) -> tuple[Rollout, bool]:
        record, changed = update_record(self._client, self._plan.pool, change)
        return steps.rollout_of(record), changed

    def _write(self, change: Callable[[Record, str], Record]) -> Rollout:
        """Write a step, if the record is still this runner's."""
        rollout, _changed = self._update(
            lambda record: change(steps.mine(record, self._plan, self._runner), self.clock.now())
        )
        return rollout

    def _tell_end(self, wave: str, step: Step, window: Window) -> None:
        words = {"done": "through", "halt": "HALTED", "pause": "PAUSED"}
        line = f"{wave}: {words[step.outcome]}" + (f": {step.reason}" if step.reason else "")
        self._progress(Progress(wave, line, sum(window.counts.values()), dict(window.counts)))


def _nothing(*_arguments: object) -> None:
    """Write nothing: which nodes are still to be taken back is seen on the nodes."""
