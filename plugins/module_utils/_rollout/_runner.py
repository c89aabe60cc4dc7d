# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving one wave of a plan through the gate, with lock and record. Private to configok.node: no compatibility is
promised.

Any run may be killed and run again: what was done is seen in the record and on the nodes, and is not done again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from .._kube._api_client import Client
from .._kube._api_errors import KubeError, NotFound
from .._kube._api_paths import config_map
from . import _transitions as steps
from ._node_view import NodeView
from ._node_watcher import NodeWatcher
from ._plan import BROKEN, CANARY, Plan
from ._record import COMPLETE, DRIFTED, HALTED, PAUSED, FailedNode, Rollout
from ._record_store import read_record, update_record
from ._rendering import Progress
from ._rollout_errors import Interrupted, RolloutError, RolloutRefused
from ._session import RunSession, announce_end, announce_start
from ._timing import Clock
from ._wave import Hooks, WaveExecutor, WaveJob
from ._window import Window, WindowStep

__all__ = ["WaveResult", "run_wave", "complete"]

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
    failed_nodes: tuple[FailedNode, ...] = ()
    summary: str = ""

    @property
    def failed(self) -> bool:
        """Return whether the rollout must not go on."""
        return self.phase in (HALTED, PAUSED)


def run_wave(
    client: Client,
    plan: Plan,
    wave: str,
    *,
    runner: str,
    report: Callable[[Progress], None],
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
    session = RunSession(client, plan, wave, runner, report, clock or Clock(), lease_duration)
    mover = _Mover(session, plan, wave)
    with _interruptible(f"{wave} of pool {plan.pool}"), session.hold_lock():
        return mover.move()


def complete(
    client: Client,
    plan: Plan,
    *,
    runner: str,
    report: Callable[[Progress], None],
    clock: Clock | None = None,
    lease_duration: float = 15.0,
) -> WaveResult:
    """Record a plan without anything to do as complete, unless the record says so already.

    A rollout that was halted, and whose config nobody has cleared, or that was paused short of its nodes stays so: the
    result says why. Takes the lock only to write. Raises Locked, Interrupted, RolloutError, KubeError.
    """
    if plan.has_work or plan.refusals or not plan.target.is_published:
        raise RolloutError(f"pool {plan.pool} has waves to move: it is not settled")
    session = RunSession(client, plan, "", runner, report, clock or Clock(), lease_duration)
    now = session.clock.now()
    with _interruptible(f"pool {plan.pool}"):
        record = read_record(session.client, plan.pool)
        changed = False
        if steps.complete_rollout(record, plan, now) != record:
            with session.hold_lock():
                record, changed = update_record(
                    session.client, plan.pool, lambda found: steps.complete_rollout(found, plan, now)
                )
        rollout = steps.current_rollout(record)
        if rollout.phase == COMPLETE:
            return WaveResult("", COMPLETE, changed)
        return WaveResult("", rollout.phase, changed, rollout.reason, failed_nodes=rollout.failed_nodes)


@contextmanager
def _interruptible(where: str) -> Iterator[None]:
    """Turn Ctrl-C into a sentence."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise Interrupted(
            f"interrupted in {where}: what is assigned goes on by itself, nothing else is assigned; "
            "run it again to go on"
        ) from error


class _Mover:
    """One run over one wave."""

    def __init__(self, session: RunSession, plan: Plan, wave: str) -> None:
        self._session = session
        self._plan = plan
        self._wave = wave

    def move(self) -> WaveResult:
        """Begin the rollout or go on with it, and move the wave."""
        session = self._session
        with NodeWatcher(
            session.direct_client, self._plan.selector, session.node_clock, monotonic=session.clock.monotonic
        ) as feed:
            return self._move(feed)

    def _move(self, feed: NodeWatcher) -> WaveResult:
        session = self._session
        # The list of a large pool may take longer than the lock holds.
        views = feed.sync(session.keep_lock, lambda line: session.report(Progress(self._wave, line)))
        rollout, began = session.update_record(
            lambda record: steps.start_rollout(record, self._plan, views, session.clock.now())
        )
        if began:
            announce_start(session.direct_client, self._plan.pool, rollout, session.runner)
        if rollout.is_rolling_back:
            return self._take_back(feed, rollout)
        place = self._place(rollout)
        if rollout.phase == COMPLETE or place < rollout.waves_done:
            return WaveResult(self._wave, rollout.phase, began)
        again = rollout.waves[place].nodes[: rollout.assigned_up_to]
        rollout = session.claim_record(
            lambda record: steps.enter_wave(
                record, self._plan, place, views, runner=session.runner, now=session.clock.now()
            )
        )
        return self._run(feed, rollout, place, again)

    def _run(self, feed: NodeWatcher, rollout: Rollout, place: int, again: Collection[str]) -> WaveResult:
        wave, source = rollout.waves[place], rollout.target.source
        # A canary that fails stops the rollout, whatever the budget of the pool allows.
        budget, failed = (0, 0) if wave.name == CANARY else (self._plan.failure_budget, rollout.failures)
        through = rollout.waves[:place]
        failed_before = {one.node for one in rollout.failed_nodes if one.kind != DRIFTED}
        lane = steps.broken_nodes_to_ignore(rollout, place, _down(feed))
        window = self._window(wave.nodes, feed, budget, failed, wave.name, lane)
        kept = {name for earlier in through for name in earlier.nodes} | (
            set(self._plan.already_on_target) - set(wave.nodes)
        )
        orders = WaveJob(
            name=wave.name,
            sources=dict.fromkeys(wave.nodes, source),
            soak=wave.soak,
            timeout=self._plan.node_timeout,
            maybe_assigned=frozenset(again),
            not_ready_before=frozenset(rollout.not_ready_at_start),
            forget_bad=rollout.forget_bad,
            watched={
                name: earlier.name
                for earlier in through
                if earlier.name != BROKEN
                for name in earlier.nodes
                if name not in failed_before
            },
            kept=dict.fromkeys(kept - failed_before, source),
            soaked=rollout.soaked_seconds,
        )

        def before_assigning(names: tuple[str, ...], found: Mapping[str, FailedNode]) -> None:
            ahead = self._plan.max_unavailable
            self._session.write_transition(
                lambda record, now: steps.before_assigning(record, place, names, found, lookahead=ahead, now=now)
            )

        session = self._session
        hooks = self._hooks(
            before_assigning,
            lambda found: self._session.write_transition(
                lambda record, now: steps.mark_soaking(record, found, now=now)
            ),
        )
        session = self._session
        hooks = replace(
            hooks,
            note=lambda: session.write_transition(lambda record, _now: steps.save_soak(record, loop.soaked())),
            lost=self._lost_target,
        )
        loop = WaveExecutor(session.client, feed, window, orders, hooks, session.node_clock)
        try:
            step = loop.run()
        except KeyboardInterrupt:
            if not session.outage.is_under_way:
                with suppress(KubeError, RolloutError):
                    hooks.note()
            raise
        ended = session.write_transition(
            lambda record, now: steps.finish_wave(
                steps.save_soak(record, loop.soaked()), self._plan, place, step, loop.exceptions(), now=now
            )
        )
        self._tell_end(wave.name, step, window)
        announce_end(self._session.direct_client, self._plan.pool, ended)
        if ended.is_rolling_back:
            return self._take_back(feed, ended)
        question = ended.reason[len(step.full_reason) :]  # what the operator is asked, behind the words of the nodes
        summary = step.reason + question
        return WaveResult(wave.name, ended.phase, True, ended.reason, dict(window.counts), ended.failed_nodes, summary)

    def _take_back(self, feed: NodeWatcher, rollout: Rollout) -> WaveResult:
        """Take the nodes that are still on a failed config back to what they used before; broken ones have done so."""
        session = self._session
        session.keep_lock()
        views = feed.sorted_nodes()
        rollout = session.claim_record(
            lambda record: steps.start_rollback(record, views, runner=session.runner, now=session.clock.now())
        )
        by_name = {view.name: view for view in views}
        lane = steps.broken_nodes_to_ignore(
            rollout, rollout.waves_done - 1, _down(feed)
        )  # it may be the lane that was halted
        sources = {
            name: rollout.previous_sources[name]
            for name in sorted(rollout.rolling_back, key=lambda name: name in lane)
            if name in by_name and by_name[name].source in (rollout.target.source, rollout.previous_sources[name])
        }
        window = self._window(tuple(sources), feed, len(sources), 0, _ROLLBACK, lane)
        orders = WaveJob(
            _ROLLBACK,
            sources,
            0.0,
            self._plan.node_timeout,
            maybe_assigned=frozenset(sources),  # by a run that was killed, or whose answer was lost
        )
        loop = WaveExecutor(session.client, feed, window, orders, self._hooks(_nothing, _nothing), session.node_clock)
        step = loop.run()
        done = self._session.write_transition(
            lambda record, now: steps.finish_rollback(record, step, len(sources), loop.exceptions(), now=now)
        )
        self._tell_end(_ROLLBACK, step, window)
        announce_end(self._session.direct_client, self._plan.pool, done)
        return WaveResult(self._wave, done.phase, True, done.reason, dict(window.counts), done.failed_nodes)

    def _window(
        self, nodes: tuple[str, ...], feed: NodeWatcher, budget: int, failed: int, wave: str, lane: Collection[str] = ()
    ) -> Window:
        return Window(
            nodes,
            max_unavailable=self._plan.max_unavailable,
            failure_budget=budget,
            earlier_failures=failed,
            unavailable=[view.name for view in _down(feed)],
            timeout=self._plan.node_timeout + _GRACE,
            is_canary=wave == CANARY,
            is_broken_wave=wave == BROKEN,
            expected_unavailable=lane,
        )

    def _hooks(
        self,
        before_assigning: Callable[[tuple[str, ...], Mapping[str, FailedNode]], None],
        soaking: Callable[[Mapping[str, FailedNode]], object],
    ) -> Hooks:
        session = self._session
        return Hooks(session.keep_lock, before_assigning, soaking, session.report, outages=lambda: session.outage.count)

    def _lost_target(self) -> str:
        """Return why nodes cannot fetch the bundle any more, "" while they can (and while that cannot be seen)."""
        source = self._plan.target.source
        if source is None:
            return ""
        try:
            found = self._session.direct_client.get(config_map(source.namespace, source.name), metadata_only=True)
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
        if place > rollout.waves_done:
            raise RolloutError(
                f"{self._wave} of pool {self._plan.pool} comes after {names[rollout.waves_done]}, which is not through"
            )
        return place

    def _tell_end(self, wave: str, step: WindowStep, window: Window) -> None:
        words = {"done": "through", "halt": "HALTED", "pause": "PAUSED"}
        line = f"{wave}: {words[step.outcome]}" + (f": {step.reason}" if step.reason else "")
        self._session.report(Progress(wave, line, sum(window.counts.values()), dict(window.counts)))


def _down(feed: NodeWatcher) -> list[NodeView]:
    """Return the nodes of the pool that are not Ready."""
    return [view for view in feed.nodes.values() if view.ready is not True]


def _nothing(*_arguments: object) -> None:
    """Write nothing: which nodes are still to be taken back is seen on the nodes."""
