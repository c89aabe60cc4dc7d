# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one wave with its record: start or continue the rollout, move the nodes, roll back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial

from ..._kube.api_errors import KubeError
from ..._nodeconfig.assignment import ConfigSource
from ..._text import first_names
from .. import RolloutError
from .._decisions import transitions
from .._decisions.wave_limits import Progress, WaveOutcome, Window, WindowLimits, WindowStep
from .._drain._drainer import Drainer
from .._drain.rebooter import Rebooter
from .._gates._gate_monitor import GateMonitor, Question, questions
from .._gates.control_plane_client import LeadershipQuestion, evaluate_control_plane
from .._gates.gate_client import AskServer, GateClient
from .._nodes._node_watcher import NodeWatcher
from .._nodes.node_hosts import NodeHosts
from .._nodes.node_view import NodeView
from .._pool.pool_file import Pool
from .._record.record import ABORTED, COMPLETE, DRIFTED, HALTED, PAUSED, UNPROVEN, FailedNode, Rollout
from ..goals import Goal
from ..plan import BROKEN_WAVES, CANARY, ROLLBACK, Plan, Target
from ._node_facts import NodeFacts, UnsettledNodes
from ._node_move import MoveTools
from ._node_mover import NodeMover
from ._session import RunSession, announce_end, announce_start
from ._wave import WaveExecutor
from ._wave_ending import WaveEnding
from ._wave_job import WaveJob
from ._wave_start import WaveStart
from ._wave_state import WaveState
from .host_change import HostOptions
from .run_options import RunOptions

_NAMES_SHOWN = 5
_READ_ALLOWANCE = 60.0  # seconds for reading a node: the gate's verdict comes before the window's, and says more
_OUTCOME_WORD = {
    WaveOutcome.DONE: "done",
    WaveOutcome.HALT: "HALTED",
    WaveOutcome.PAUSE: "PAUSED",
    WaveOutcome.ABORT: "ABORTED",
}


@dataclass(frozen=True)
class WaveResult:
    """The outcome of a wave.

    phase: as in the record; failed_nodes: those of the rollout that did not succeed; summary: the reason without the
    nodes' own.
    """

    wave: str
    phase: str
    changed: bool
    reason: str = ""
    failed_nodes: tuple[FailedNode, ...] = ()
    summary: str = ""

    @property
    def failed(self) -> bool:
        """Return whether the rollout must stop."""
        return self.phase in (HALTED, PAUSED, ABORTED, UNPROVEN)


class WaveRun:
    """One run of one wave. watcher: has delivered its first list."""

    def __init__(
        self,
        session: RunSession,
        watcher: NodeWatcher,
        pool: Pool,
        options: RunOptions,
        plan: Plan,
        wave: str,
        unsettled: UnsettledNodes,
    ) -> None:
        self._session = session
        self._watcher = watcher
        self._policy = pool.policy
        self._options = options
        self._plan = plan
        self._wave = wave
        self._unsettled = unsettled

    def run(self) -> WaveResult:
        """Start the rollout or continue it, and run the wave."""
        session, watcher, plan = self._session, self._watcher, self._plan
        views = watcher.sorted_nodes()
        record, has_begun = session.record.update(
            lambda record: transitions.start_rollout(record, plan, views, session.clock.now())
        )
        rollout = transitions.current_rollout(record)
        session.control.follow(record.control, watcher.wake)
        if has_begun:
            announce_start(session.direct_client, plan.pool, rollout, session.runner)
        if rollout.is_rolling_back:
            return self._roll_back(rollout)
        position = self._position(rollout)
        if rollout.phase == COMPLETE or position < rollout.waves_done:
            return WaveResult(self._wave, rollout.phase, has_begun)
        possibly_assigned = rollout.waves[position].nodes[: rollout.present_wave.assigned_up_to]
        with (
            closing(GateClient(monotonic=session.clock.monotonic)) as client,
            GateMonitor(
                self._questions(self._options.ask_server or client.ask, rollout, position),
                session.node_clock,
                watcher.wake,
            ) as gates,
        ):
            start = WaveStart(session, watcher, self._policy, self._options, gates)
            ended = start.wait(plan, rollout.waves[position])
            if ended is not None:
                announce_end(session.direct_client, plan.pool, ended)
                return WaveResult(self._wave, ended.phase, True, ended.reason, ended.failed_nodes)
            views = watcher.sorted_nodes()
            rollout = session.record.claim(
                plan.target,
                lambda record: transitions.enter_wave(
                    record, plan, position, views, runner=session.runner, now=session.clock.now()
                ),
            )
            return self._move(rollout, position, possibly_assigned, gates)

    def _move(
        self, rollout: Rollout, position: int, possibly_assigned: Collection[str], gates: GateMonitor
    ) -> WaveResult:
        session, watcher = self._session, self._watcher
        wave = rollout.waves[position]
        # A canary that fails stops the rollout, whatever the budget of the pool allows.
        budget, failures = (0, 0) if wave.name == CANARY else (self._plan.limits.failure_budget, rollout.failures)
        earlier_waves = rollout.waves[:position]
        failed_names = {failed.node for failed in rollout.failed_nodes if failed.kind != DRIFTED}
        ignored_nodes = transitions.broken_nodes_to_ignore(rollout, position, _not_ready(watcher))
        deleted = self._plan.target.machines_to("delete")
        ignored_nodes |= deleted  # what is to be deleted is not missed
        window = self._make_window(wave.nodes, budget, failures, wave.name, ignored_nodes)
        new_machines = self._plan.target.machines_to("create", "replace")
        missed = {name for name in failed_names & new_machines if name not in watcher.nodes} - set(wave.nodes)
        for name in missed:  # machines of earlier waves, whose capacity is missing
            window.set_unavailable(name, True)
        expected = {name for earlier in earlier_waves for name in earlier.nodes}
        expected |= set(self._plan.unmoved.already_on_target) - set(wave.nodes)
        job = WaveJob(
            name=wave.name,
            goals=_goals(self._plan.target, wave.nodes),
            soak=wave.soak,
            node_timeout=self._plan.limits.node_timeout,
            position=position,
            bundles=_bundles(self._plan.target, wave.nodes, rollout.start.previous_sources),
            lookahead=self._plan.limits.max_unavailable,
            possibly_assigned=frozenset(possibly_assigned),
            not_ready_at_start=frozenset(rollout.present_wave.not_ready_at_start),
            forget_bad=rollout.start.forget_bad,
            passed_in={
                name: earlier.name
                for earlier in earlier_waves
                if earlier.name not in BROKEN_WAVES
                for name in earlier.nodes
                if name not in failed_names
            },
            expected_goals=_goals(self._plan.target, expected - failed_names - deleted),
            soaked_before=rollout.present_wave.soaked_seconds,
            new_machines=new_machines & set(wave.nodes),
            of_machines=self._plan.target.is_machines,
        )
        executor = self._executor(rollout, window, job, gates)
        try:
            step = executor.execute()
        except KeyboardInterrupt:
            if not session.outage.is_under_way:
                with suppress(KubeError, RolloutError):
                    executor.record.save_soak()
            raise
        if step.outcome is WaveOutcome.PAUSE:
            step = replace(step, reason=step.reason + _way_back(window.unavailable & missed))
        is_end = step.outcome is WaveOutcome.DONE and position == len(rollout.waves) - 1
        views = watcher.list_again(session.client) if is_end else []
        rollout = session.record.write_transition(
            lambda record, now: transitions.finish_wave(
                transitions.save_soak(record, executor.state.soaked_seconds(session.node_clock.monotonic())),
                self._plan,
                position,
                step,
                executor.state.failed_nodes(),
                now=now,
                untrusting=[view.name for view in watcher.nodes.values() if view.is_untrusting],
                views=views,
            )
        )
        self._report_outcome(wave.name, step, window)
        announce_end(session.direct_client, self._plan.pool, rollout)
        if rollout.is_rolling_back:
            return self._roll_back(rollout)
        question = rollout.reason[len(step.full_reason) :]  # for the operator; it follows the nodes' own reasons
        return self._result(rollout, step.reason + question)

    def _roll_back(self, rollout: Rollout) -> WaveResult:
        """Move the nodes that are still on a failed config back to what they used before.

        Nodes that refused the config have rolled it back by themselves.
        """
        session, watcher = self._session, self._watcher
        session.keep_lock()
        views = watcher.sorted_nodes()
        rollout = session.record.claim(
            self._plan.target,
            lambda record: transitions.start_rollback(record, views, runner=session.runner, now=session.clock.now()),
        )
        by_name = {view.name: view for view in views}
        # The wave of broken nodes may be the one that was halted.
        ignored_nodes = transitions.broken_nodes_to_ignore(rollout, rollout.waves_done - 1, _not_ready(watcher))
        goals = {
            name: Goal(rollout.start.previous_sources[name])
            for name in sorted(rollout.rolling_back, key=lambda name: name in ignored_nodes)
            if name in by_name
            and by_name[name].assigned.source in (rollout.target.source, rollout.start.previous_sources[name])
        }
        window = self._make_window(tuple(goals), len(goals), 0, ROLLBACK, ignored_nodes)
        job = WaveJob(
            ROLLBACK,
            goals,
            0.0,
            self._plan.limits.node_timeout,
            possibly_assigned=frozenset(goals),  # by a run that was killed, or whose answer was lost
        )
        with GateMonitor((), session.node_clock, watcher.wake) as no_gates:
            executor = self._executor(rollout, window, job, no_gates)
            step = executor.execute()
        rollout = session.record.write_transition(
            lambda record, now: transitions.finish_rollback(
                record, step, len(goals), executor.state.failed_nodes(), now=now
            )
        )
        self._report_outcome(ROLLBACK, step, window)
        announce_end(session.direct_client, self._plan.pool, rollout)
        return self._result(rollout)

    def _questions(self, ask_server: AskServer, rollout: Rollout, position: int) -> list[Question]:
        """Return the questions to the gates. position: of the wave, which may repair what they look at."""
        gates = self._policy.gates
        asked = questions(gates.servers, ask_server)
        if gates.control_plane is None:
            return asked
        others = replace(gates.control_plane, apart_from=frozenset(rollout.waves[position].nodes))
        ask_api_server = partial(evaluate_control_plane, self._session.direct_client)
        at_end = Question(gates.control_plane, partial(ask_api_server, gates.control_plane), is_at_start=False)
        is_last = position == len(rollout.waves) - 1
        return [*asked, *questions([others], ask_api_server), at_end, *(self._leadership() if is_last else ())]

    def _leadership(self) -> Iterator[Question]:
        """Yield the questions for the leaders at the end of the last wave: before that, an old instance may lead.

        A control plane may have nodes of other pools: while one of them leads, nothing is known of this pool's config.
        """
        client, nodes, source = self._session.direct_client, self._watcher.nodes, self._plan.target.source
        hosts = NodeHosts(nodes.values())

        def has_moved(component: str, host: str) -> bool | None:
            name = hosts.node_of(host)
            view = nodes.get(name)
            if not name:
                return None
            runs_it = view is not None and view.answer.status is not None and component in view.answer.status.components
            return runs_it and view is not None and view.is_on(source)

        for gate in self._policy.gates.leadership:
            asked = replace(gate, has_moved=partial(has_moved, gate.component))
            question = LeadershipQuestion(client, asked, self._session.clock.monotonic, self._say)
            yield Question(asked, question.ask, is_at_start=False)

    def _say(self, sentence: str) -> None:
        self._session.say(f"{self._wave}: {sentence}")

    def _executor(self, rollout: Rollout, window: Window, job: WaveJob, gates: GateMonitor) -> WaveExecutor:
        session, watcher = self._session, self._watcher
        tools = self._tools(rollout, job)
        after_wave = self._options.after_wave if job.position is not None else None
        question = None if after_wave is None else partial(after_wave, job.name, tuple(job.goals))
        return WaveExecutor(
            session,
            watcher,
            WaveState(job, window, watcher.nodes, self._unsettled, tools.facts),
            NodeMover(tools, job),
            WaveEnding(session, job, window, gates, question, self._options.wait_timeout),
            gates.decide_node if gates.has_node_answers else None,
        )

    def _tools(self, rollout: Rollout, job: WaveJob) -> MoveTools:
        """Return what the moves of a wave use. Raises RolloutError for a run that lacks a connection to hosts."""
        session, watcher, plan, options = self._session, self._watcher, self._plan, self._options
        if options.change_machine is None and plan.target.is_machines:
            raise RolloutError("this run has no connection to hosts: run configok.node.machines")
        drainer = Drainer(
            session.client,
            session.pool,
            self._policy.drain,
            session.node_clock,
            report=session.say,
            cordon_client=session.single_attempt_client,
        )
        run_reboot = options.run_reboot or (lambda _request: "this run has no connection to nodes")
        rebooter = Rebooter(session.client, self._policy.reboot, session.node_clock, run_reboot, report=session.say)
        facts = NodeFacts(
            session.pool,
            watcher.nodes,
            to_drain=frozenset(plan.to_drain),
            to_reboot=frozenset(plan.to_reboot),
            machines=rollout.start.previous_machines,
            sources=rollout.start.previous_sources,
            is_broken_wave=job.name in BROKEN_WAVES,
        )
        host = HostOptions(
            options.change_machine or (lambda _request: "this run has no connection to hosts"),
            self._policy.host.timeout,
            plan.limits.node_timeout,
            f"{rollout.target.name} {rollout.started_at}",
        )
        return MoveTools(session, watcher, drainer, rebooter, facts, host, job.soak)

    def _result(self, rollout: Rollout, summary: str = "") -> WaveResult:
        return WaveResult(self._wave, rollout.phase, True, rollout.reason, rollout.failed_nodes, summary)

    def _make_window(
        self,
        nodes: tuple[str, ...],
        failure_budget: int,
        earlier_failures: int,
        wave: str,
        ignored_nodes: Collection[str],
    ) -> Window:
        timeout = self._plan.limits.node_timeout + _READ_ALLOWANCE
        if self._plan.to_drain:
            timeout += self._policy.drain.timeout
        if self._plan.target.is_machines:  # changed, then taken back; or deleted, then created and registered
            timeout += 2 * (self._policy.host.timeout + self._plan.limits.node_timeout)
        if self._plan.to_reboot or self._policy.reboot.allowed:
            timeout += self._policy.reboot.timeout + self._plan.limits.node_timeout
        return Window(
            nodes,
            WindowLimits(self._plan.limits.max_unavailable, failure_budget, timeout, earlier_failures),
            unavailable=[
                view.name
                for view in self._watcher.nodes.values()
                if view.is_down or self._unsettled.includes(view, self._session.node_clock.monotonic())
            ],
            is_canary=wave == CANARY,
            is_broken_wave=wave in BROKEN_WAVES,
            expected_unavailable=ignored_nodes,
        )

    def _position(self, rollout: Rollout) -> int:
        """Return the wave's position in the record. Raises RolloutError when the wave before it is not done."""
        names = [wave.name for wave in rollout.waves]
        if self._wave not in names:
            raise RolloutError(f"the rollout of pool {self._plan.pool} has no {self._wave}: it has {', '.join(names)}")
        position = names.index(self._wave)
        if position > rollout.waves_done:
            raise RolloutError(
                f"{self._wave} of pool {self._plan.pool} comes after {names[rollout.waves_done]}, which is not through"
            )
        return position

    def _report_outcome(self, wave: str, step: WindowStep, window: Window) -> None:
        if step.outcome is None:
            return
        line = f"{wave}: {_OUTCOME_WORD[step.outcome]}" + (f": {step.reason}" if step.reason else "")
        self._session.report(Progress(wave, line, sum(window.counts.values()), dict(window.counts)))


def _way_back(missed: Collection[str]) -> str:
    """Return what is to be done about machines without a Node, whose wave is over, as the end of a sentence."""
    if not missed:
        return ""
    names = first_names(sorted(missed), _NAMES_SHOWN)
    return f"; to create {names} again, end this rollout with configok.node.abort, then run configok.node.machines"


def _bundles(
    target: Target, nodes: Iterable[str], previous: Mapping[str, ConfigSource | None]
) -> tuple[ConfigSource, ...]:
    """Return the bundles that these nodes have to fetch; a machine that used its bundle before has it."""
    if not target.is_machines:
        return () if target.source is None else (target.source,)
    goals = {name: target.goals[name] for name in nodes if name in target.goals}
    sources = {
        goal.source
        for name, goal in goals.items()
        if goal.source is not None and goal.action != "delete" and previous.get(name) != goal.source
    }
    return tuple(sorted(sources))


def _goals(target: Target, names: Iterable[str]) -> dict[str, Goal]:
    """Return the goals of these nodes, without those that are not known."""
    goals = {name: target.goal(name) for name in names}
    return {name: goal for name, goal in goals.items() if goal is not None}


def _not_ready(watcher: NodeWatcher) -> list[NodeView]:
    """Return the nodes of the pool that are not Ready."""
    return [view for view in watcher.nodes.values() if view.ready is not True]
