# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving one wave of a plan through the gate, with lock and record. Private to configok.node: no compatibility is
promised.

Any run may be killed and run again: what was done is seen in the record and on the nodes, and is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from .._kube._client import Client
from . import _steps as steps
from ._clock import Clock
from ._errors import Interrupted, RolloutError, RolloutRefused
from ._events import tell_began, tell_ended
from ._node_view import NodeView
from ._observe import observe
from ._plan import CANARY, Plan
from ._progress import Progress
from ._record import COMPLETE, HALTED, PAUSED, Exceptional, Rollout
from ._record_store import read_record, update_record
from ._session import Session
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
    session = Session(client, plan, wave, runner, progress, clock or Clock(), lease_duration)
    mover = _Mover(session, plan, wave)
    try:
        with session.locked():
            return mover.move()
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
    session = Session(client, plan, "", runner, progress, clock or Clock(), lease_duration)
    now = session.clock.now()
    record = read_record(session.client, plan.pool)
    if steps.settled(record, plan, now) == record:
        return WaveResult("", COMPLETE, False)
    with session.locked():
        _record, changed = update_record(session.client, plan.pool, lambda found: steps.settled(found, plan, now))
    return WaveResult("", COMPLETE, changed)


class _Mover:
    """One run over one wave."""

    def __init__(self, session: Session, plan: Plan, wave: str) -> None:
        self._session = session
        self._plan = plan
        self._wave = wave

    def move(self) -> WaveResult:
        """Begin the rollout or go on with it, and move the wave."""
        session = self._session
        views = self._observe()
        session.keep()  # the list of a large pool may take longer than the lock holds
        rollout, began = session.update(lambda record: steps.begin(record, self._plan, views, session.clock.now()))
        if began:
            tell_began(session.events, self._plan.pool, rollout, session.runner)
        if rollout.taking_back:
            return self._take_back(rollout)
        place = self._place(rollout)
        if rollout.phase == COMPLETE or place < rollout.finished:
            return WaveResult(self._wave, rollout.phase, began)
        again = rollout.waves[place].nodes[: rollout.cursor]
        rollout = session.take(
            lambda record: steps.enter(record, self._plan, place, views, runner=session.runner, now=session.clock.now())
        )
        return self._run(rollout, place, views, again)

    def _run(self, rollout: Rollout, place: int, views: Sequence[NodeView], again: Collection[str]) -> WaveResult:
        wave, source = rollout.waves[place], rollout.target.source
        # A canary that fails stops the rollout, whatever the budget of the pool allows.
        budget, failed = (0, 0) if wave.name == CANARY else (self._plan.failure_budget, rollout.failures)
        window = self._window(wave.nodes, views, budget, failed)
        failed_before = {one.node for one in rollout.exceptions}
        orders = WaveOrders(
            name=wave.name,
            selector=self._plan.selector,
            sources=dict.fromkeys(wave.nodes, source),
            soak=wave.soak,
            timeout=self._plan.node_timeout,
            maybe_assigned=frozenset(again),
            not_ready_before=frozenset(rollout.down),
            seen=views,
            forget_bad=rollout.forget_bad,
            watched={
                name: source for earlier in rollout.waves[:place] for name in earlier.nodes if name not in failed_before
            },
        )

        def before_assigning(names: tuple[str, ...], found: Mapping[str, Exceptional]) -> None:
            ahead = self._plan.max_unavailable
            self._session.write(lambda record, now: steps.assigning(record, place, names, found, ahead=ahead, now=now))

        hooks = self._hooks(
            before_assigning,
            lambda found: self._session.write(lambda record, now: steps.soaking(record, found, now=now)),
        )
        loop = WaveLoop(self._session.client, window, orders, hooks, self._session.node_clock)
        step = loop.run()
        ended = self._session.write(
            lambda record, now: steps.ended(record, self._plan, place, step, loop.exceptions(), now=now)
        )
        self._tell_end(wave.name, step, window)
        tell_ended(self._session.events, self._plan.pool, ended)
        if ended.taking_back:
            return self._take_back(ended)
        question = ended.reason[len(step.full) :]  # what the operator is asked, behind the words of the nodes
        summary = step.reason + question
        return WaveResult(wave.name, ended.phase, True, ended.reason, dict(window.counts), ended.exceptions, summary)

    def _take_back(self, rollout: Rollout) -> WaveResult:
        """Take the nodes that are still on a failed config back to what they used before; broken ones have done so."""
        session = self._session
        session.keep()
        views = self._observe()
        rollout = session.take(
            lambda record: steps.take_back(record, views, runner=session.runner, now=session.clock.now())
        )
        by_name = {view.name: view for view in views}
        sources = {
            name: rollout.before[name]
            for name in rollout.returning
            if name in by_name and by_name[name].source in (rollout.target.source, rollout.before[name])
        }
        window = self._window(tuple(sources), views, len(sources), 0)
        orders = WaveOrders(
            _ROLLBACK,
            self._plan.selector,
            sources,
            0.0,
            self._plan.node_timeout,
            maybe_assigned=frozenset(sources),  # by a run that was killed, or whose answer was lost
        )
        loop = WaveLoop(self._session.client, window, orders, self._hooks(_nothing, _nothing), self._session.node_clock)
        step = loop.run()
        done = self._session.write(
            lambda record, now: steps.taken_back(record, step, len(sources), loop.exceptions(), now=now)
        )
        self._tell_end(_ROLLBACK, step, window)
        tell_ended(self._session.events, self._plan.pool, done)
        return WaveResult(self._wave, done.phase, True, done.reason, dict(window.counts), done.exceptions)

    def _window(self, nodes: tuple[str, ...], views: Sequence[NodeView], budget: int, failed: int) -> Window:
        return Window(
            nodes,
            limit=self._plan.max_unavailable,
            budget=budget,
            failed=failed,
            down=_down(views),
            timeout=self._plan.node_timeout + _GRACE,
        )

    def _hooks(
        self,
        before_assigning: Callable[[tuple[str, ...], Mapping[str, Exceptional]], None],
        soaking: Callable[[Mapping[str, Exceptional]], object],
    ) -> Hooks:
        session = self._session
        return Hooks(session.keep, before_assigning, soaking, lambda: _down(self._observe()), session.progress)

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

    def _observe(self) -> list[NodeView]:
        session = self._session
        return session.outage.ride_out(lambda: observe(session.client, selector=self._plan.selector))

    def _tell_end(self, wave: str, step: Step, window: Window) -> None:
        words = {"done": "through", "halt": "HALTED", "pause": "PAUSED"}
        line = f"{wave}: {words[step.outcome]}" + (f": {step.reason}" if step.reason else "")
        self._session.progress(Progress(wave, line, sum(window.counts.values()), dict(window.counts)))


def _down(views: Sequence[NodeView]) -> list[str]:
    return [view.name for view in views if view.ready is not True]


def _nothing(*_arguments: object) -> None:
    """Write nothing: which nodes are still to be taken back is seen on the nodes."""
