# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Move a pool: one lock, one list and one watch for all waves of a plan; record completion.

A run may be killed at any time and repeated: the record and the nodes show what is done already, and it is not
done again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from ..._kube.api_client import Client
from ..._kube.api_errors import KubeError
from ..._text import first_names
from .. import ApiUnavailable, Interrupted, RolloutError, RolloutRefused
from .._decisions import transitions
from .._drain._drainer import Drainer
from .._drain.cordon import own_cordons
from .._gates._node_gates import NodeGates
from .._nodes._node_watcher import LIST_CHECK_INTERVAL, NodeWatcher
from .._nodes.node_view import NodeView
from .._outage import MIN_OUTAGE, Interruption
from .._pool.pool_file import Pool
from .._record.record import COMPLETE
from ..plan import Plan
from ..timing import Clock
from ._node_facts import UnsettledNodes
from ._session import RunSession
from .bundle_pruning import prune_after_rollout
from .run_options import RunOptions
from .wave_run import WaveResult, WaveRun

_NAMES_SHOWN = 5
_FIRST_LIST = 10.0  # seconds of failed attempts after which a run ends that has not begun to move nodes


class PoolRunner:
    """Moves the nodes of one pool. A context manager: it lists and watches the Nodes from entering it to leaving it.

    The lock of the pool is held only while nodes are moved. names: of machines, which are the pool; None for the Nodes
    that the pool's selector matches.
    """

    def __init__(
        self, client: Client, pool: Pool, options: RunOptions, *, names: Collection[str] | None = None
    ) -> None:
        self._pool = pool
        self._options = options
        self._session = RunSession(
            client,
            pool.name,
            runner=options.runner,
            report=options.report,
            clock=options.clock or Clock(),
            lease_duration=options.lease_duration,
            longest_outage=_longest_outage(pool),
        )
        self._watcher = NodeWatcher(
            self._session.direct_client,
            pool.selector,
            self._session.clock,
            gates=NodeGates(pool.policy.gates.nodes),
            names=names,
        )
        self._session.outage.when_over = self._watcher.hurry
        self._is_listed = False

    def __enter__(self) -> PoolRunner:
        self._watcher.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._watcher.__exit__(*exception)

    def nodes(self) -> list[NodeView]:
        """Return the Nodes of the pool as they are now, sorted by name.

        Raises KubeError when they may not be listed, ApiUnavailable when they cannot be.
        """
        if not self._is_listed:
            self._wait_until_listed()
            self._is_listed = True
        self._watcher.take_events(0.0)
        return self._watcher.sorted_nodes()

    @property
    def has_changed(self) -> bool:
        """Return whether this run has changed anything so far, also after an error."""
        return self._session.record.has_changed

    def run(self, plan: Plan) -> list[WaveResult]:
        """Run the plan's waves in order until one fails; record a plan without work as complete.

        Raises RolloutRefused, PoolLocked, LockLost, Interrupted, RolloutError, KubeError.
        """
        waves = [wave.name for wave in plan.waves if not wave.finished]
        if not waves and not plan.refusals:
            return [self.complete(plan)]
        results: list[WaveResult] = []
        with self._hold_lock(plan):
            plan = self._confirmed(plan)
            waves = [wave.name for wave in plan.waves if not wave.finished]
            unsettled = self._unsettled_nodes(plan)
            self._uncordon_left_behind(plan)
            for wave in waves:
                results.append(self._run_wave(plan, wave, unsettled))
                if results[-1].failed:
                    break
            if results and results[-1].phase == COMPLETE:
                self._say_late_nodes(plan)
                self._prune()
        return results if waves else [self.complete(plan)]

    def _confirmed(self, plan: Plan) -> Plan:
        """Return the plan as it is now that no other run can change the nodes. Raises RolloutRefused."""
        if self._options.confirm_plan is None:
            return plan
        plan = self._options.confirm_plan(plan)
        if plan.refusals:
            raise RolloutRefused(plan.refusals)
        return plan

    def _say_late_nodes(self, plan: Plan) -> None:
        rollout = transitions.current_rollout(self._session.record.read())
        late = transitions.late_nodes(rollout, plan, self.nodes())
        if late:
            names = first_names(late, _NAMES_SHOWN)
            playbook = "configok.node.machines" if plan.target.is_machines else "configok.node.reconcile"
            self._session.say(f"not moved, because they came too late: {names}: {playbook} moves them")

    def _prune(self) -> None:
        """Delete old bundles of the pool. What cannot be deleted does not fail the run."""
        session = self._session
        line = prune_after_rollout(
            session.direct_client,
            self._pool.policy.revision_history_limit,
            read=session.record.read,
            update=session.record.update,
            clock=session.clock,
        )
        if line:
            session.say(line)

    def run_wave(self, plan: Plan, wave: str) -> WaveResult:
        """Run the wave of this name, after the waves before it. A wave that is done already changes nothing.

        The errors are those of run.
        """
        with self._hold_lock(plan):
            return self._run_wave(plan, wave, self._unsettled_nodes(plan))

    def complete(self, plan: Plan) -> WaveResult:
        """Record a plan without work as complete, unless the record says so already.

        A rollout that was halted, and whose config is not cleared, or that was paused before it reached all its nodes
        is left as it is; the result says why. Takes the lock only to write. Raises PoolLocked, Interrupted,
        RolloutError, KubeError.
        """
        if plan.has_work or plan.refusals or not plan.target.is_published:
            raise RolloutError(f"pool {plan.pool} has waves to move: it is not settled")
        session = self._session
        now = session.clock.now()
        with _as_interrupted(plan):
            if own_cordons(self._watcher.nodes.values(), plan.pool):
                with session.hold_lock():
                    self._uncordon_left_behind(plan)
            record = session.record.read()
            changed = False
            if transitions.complete_rollout(record, plan, now) != record:
                with session.hold_lock():
                    record, changed = session.record.update(
                        lambda present: transitions.complete_rollout(present, plan, now)
                    )
            rollout = transitions.current_rollout(record)
            if rollout.phase == COMPLETE:
                return WaveResult("", COMPLETE, changed)
            return WaveResult("", rollout.phase, changed, rollout.reason, failed_nodes=rollout.failed_nodes)

    def _uncordon_left_behind(self, plan: Plan) -> None:
        """Uncordon nodes that an earlier run has left cordoned, apart from those that this plan still moves.

        A machine that has failed, and could not be taken back, stays cordoned until a rollout has put its host right.
        """
        moving = {name for wave in plan.waves if not wave.finished for name in wave.nodes}
        if plan.target.is_machines:
            rollout = self._session.record.read().rollout
            moving |= set() if rollout is None else {failed.node for failed in rollout.failed_nodes}
        names = [name for name in own_cordons(self._watcher.nodes.values(), plan.pool) if name not in moving]
        session = self._session
        drainer = Drainer(session.client, session.pool, self._pool.policy.drain, session.node_clock)
        for name in names:
            try:
                if drainer.uncordon(name):
                    session.say(f"uncordoned {name}, which an earlier run had cordoned")
            except KubeError as error:
                session.say(f"{name} could not be uncordoned, the next run tries again: {error}")

    @contextmanager
    def _hold_lock(self, plan: Plan) -> Iterator[None]:
        if plan.refusals:
            raise RolloutRefused(plan.refusals)
        if not plan.target.is_published:
            raise RolloutError(f"{plan.target.name} is not published: nothing can be assigned")
        with _as_interrupted(plan), self._session.hold_lock():
            yield

    def _unsettled_nodes(self, plan: Plan) -> UnsettledNodes:
        until = self._session.node_clock.monotonic() + plan.limits.node_timeout
        return UnsettledNodes(self.nodes(), until)

    def _run_wave(self, plan: Plan, wave: str, unsettled: UnsettledNodes) -> WaveResult:
        self._session.begin_wave(wave)
        with _as_interrupted(plan, wave):
            self.nodes()
            return WaveRun(self._session, self._watcher, self._pool, self._options, plan, wave, unsettled).run()

    def _wait_until_listed(self) -> None:
        """Wait for the watcher's first list.

        Renews the lock while it waits: the list of a large pool may take longer than the lock holds. Without the lock,
        nothing is lost when the run ends, so that a server that does not answer is not waited for.
        """
        session, watcher = self._session, self._watcher
        interruption = Interruption(session.outage, session.clock)
        began = session.node_clock.monotonic()
        while True:
            events = watcher.take_events(LIST_CHECK_INTERVAL)
            session.keep_lock()
            if any(event.type == "SYNCED" for event in events):
                return
            if not any(event.error is not None for event in events):
                continue
            longest = session.outage.longest if session.holds_lock else _FIRST_LIST
            if session.node_clock.monotonic() - began > longest:
                raise ApiUnavailable(
                    f"the nodes could not be listed for {longest:.0f}s ({watcher.error}): nothing was assigned; run it "
                    "again to continue"
                ) from watcher.error
            if interruption.is_due(watcher.error):
                session.say(f"the nodes cannot be listed, and are tried again: {watcher.error}")


def _longest_outage(pool: Pool) -> float:
    """Return how long a run waits for an API server, in seconds: it may be one that the rollout restarts."""
    answer = pool.policy.answer
    return max(MIN_OUTAGE, answer.timeout) if answer.of_static_pods else MIN_OUTAGE


@contextmanager
def _as_interrupted(plan: Plan, wave: str = "") -> Iterator[None]:
    """Turn KeyboardInterrupt into Interrupted, whose text is a sentence."""
    rest = "what is assigned continues by itself, nothing else is assigned"
    if plan.target.is_machines:  # the playbooks of hosts are ended with the run
        rest = "the hosts at work are left as they are, nothing else is changed"
    try:
        yield
    except KeyboardInterrupt as error:
        raise Interrupted(
            f"interrupted in {f'{wave} of ' if wave else ''}pool {plan.pool}: {rest}; run it again to continue"
        ) from error
