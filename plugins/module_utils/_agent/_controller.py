# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The daemon: observe, decide, do; and then wait until something happens. Private to configok.node.

One thread watches the own Node, the main thread does everything else, one round after the other. While all is well and
no config is on trial it wakes for the heartbeat only.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .._kube._backoff import Backoff
from .._nodeconfig import _config_ok as words
from .._nodeconfig._config_ok import ConfigOk
from .._nodeconfig._config_status import ConfigStatus
from ._agent_configuration import AgentConfiguration
from ._background import BackgroundTask
from ._component_versions import VersionTracker
from ._components import ComponentManager, UnitQueries
from ._config_sync import BundlePreparer, ComponentCheck, ConfigSync
from ._counters import Counters
from ._interfaces import Clock, Prober, ServiceManager, TaskFactory
from ._log import log
from ._node_watch import NodeWatch
from ._notify import Notifications
from ._reporting._crash_messages import CrashMessages, LastMessageReader
from ._reporting._event_recorder import ChangeRecorder, EventRecorder
from ._reporting._metrics import MetricsOutput, MetricsPublisher
from ._reporting._status_writer import RunReport, StatusBuilder, StatusWriter, without_healthy_states
from ._state._active_config import in_trial
from ._state._condition import ComponentsCondition, choose_verdict, config_in_use
from ._state._desired_state import DesiredState, NodeAnnotations, read_desired_state
from ._state._health import ComponentsObservation
from ._state._node_state import NodeState
from ._state._records import LOCAL_CONFIG, AnsweredAssignment, ConfigRecord
from ._store._durable_files import LOCK_WAIT, LockTimeout, locked
from ._store._state_reader import read_node_state
from ._store._store import Store
from ._store._trouble import FileTrouble
from ._transaction import Transactions
from ._trial import TrialManager
from ._validation._component_flags import CommandLineTracker, read_command_line
from ._validation._validator import DocumentValidator, SameConfig

__all__ = ["Controller"]

_DO_FAILED = 5.0  # seconds after which a round that could not read or write its files is tried again
_ROUNDS_AT_ONCE = 8
_SPREAD = 5.0  # seconds
_WENT_BACK = ("CrashLoop", "NotHealthy", "Suspect")  # causes of a verdict after a roll-back
_SHORTEST_PAUSE = 0.01  # seconds; whatever goes wrong, the agent never spins


class Controller:
    """One node's agent. cycle() is one round and can be driven without threads; run() is the whole."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        client: Any,
        service_manager: ServiceManager,
        prober: Prober,
        judge: DocumentValidator,
        clock: Clock,
        *,
        agent_version: str,
        check: ComponentCheck,
        is_same: SameConfig,
        version_of: Callable[[str], str] | None = None,
        store: Store | None = None,
        sinks: Sequence[MetricsOutput] = (),
        errands: TaskFactory = BackgroundTask,
        arguments_of: Callable[[int], tuple[str, ...]] = read_command_line,
        messages: LastMessageReader | None = None,
    ) -> None:
        """client: with short timeouts and few retries, since the agent has its own back-off.

        check: asked of components that have a check of their own. is_same: whether two files ask for no restart.
        version_of(component) -> "v1.35.2", or "" where the component cannot say (default: what the config says).
        sinks: where its metrics are shown. errands: how it does what may hang.
        arguments_of: pid -> the command line of that process.
        messages: invocation -> what the component said last in it; None where there is no journal.
        """
        self._configuration = configuration
        self._client = client
        self._clock = clock
        self._agent_version = agent_version
        self._started_at = clock.now()
        self._tally = Counters(list(configuration.components))
        self._wake: Notifications | None = None
        errand = partial(errands, self._look)
        self._store = store or Store(configuration.state_directory, now=clock.now)
        self._transactions = Transactions(configuration, self._store, clock)
        self._versions = VersionTracker(
            configuration, self._store, judge, clock, errand, engine=agent_version, version_of=version_of
        )
        preparation = BundlePreparer(
            configuration,
            self._store,
            client,
            judge,
            engine=agent_version,
            version_of=self._versions.known,
            check=check,
            is_same=is_same,
        )
        self._pursuit = ConfigSync(
            configuration,
            self._store,
            self._transactions,
            preparation,
            clock,
            Backoff(first=1.0, longest=300.0),
            self._tally,
            errand(),
        )
        self._last_messages = None if messages is None else CrashMessages(messages, clock, errand())
        self._trouble = FileTrouble(configuration.state_directory, lasting=_DO_FAILED)
        self._command_lines = CommandLineTracker(configuration, self._store, arguments_of)
        services = UnitQueries(service_manager, configuration.components, errand)
        self._care = ComponentManager(configuration, self._store, services, prober, clock, self._tally, errand)
        self._trial = TrialManager(configuration, self._store, self._transactions, clock)
        self._statement = StatusBuilder(configuration, self._store, agent_version=agent_version)
        self._reporter = StatusWriter(
            configuration.node_name,
            client,
            clock,
            self._tally,
            errand(),
            heartbeat_interval=configuration.heartbeat_interval,
        )
        self._events = EventRecorder(configuration.node_name, client, clock, errand())
        self._announcer = ChangeRecorder(self._events, self._tally, clock)
        self._surface = MetricsPublisher(configuration, self._tally, list(sinks), agent_version=agent_version)
        self._watch: NodeWatch | None = None
        self._seen: tuple[NodeState, DesiredState | None] | None = None  # what the last round went by
        self._view: NodeAnnotations | None = None
        self._failing = ""
        self._told: tuple[str, str] | None = None  # the roll-back that was told last: its uid and time

    def run(self, stop: threading.Event, wake: Notifications) -> None:
        """Work until stop is set; wake.set() makes it look at once (a signal handler does both).

        The caller holds DAEMON_LOCK, which keeps a second daemon out.
        """
        watch = NodeWatch(self._configuration.node_name, self._client, wake.set, self._tally)
        self._watch = watch
        self._wake = wake
        watch.start()
        try:
            while not stop.is_set():
                if watch.came_back():
                    self.hurry()
                due = self.cycle(watch.view)
                if watch.ended:
                    raise RuntimeError("the watch of the Node has ended")  # systemd starts the agent anew
                pause = max(_SHORTEST_PAUSE, due - self._clock.since_boot())
                wake.wait(None if pause == float("inf") else pause)
        finally:
            watch.stop()
            self.close()

    def _look(self) -> None:
        """What was done beside is done: look at it at once. Called in its thread."""
        if self._wake is not None:
            self._wake.set()

    def hurry(self) -> None:
        """The API answers again: do what was put off, spread a little, since it was away for all nodes."""
        for one in (self._pursuit, self._reporter, self._events):
            one.hurry(_SPREAD)

    def close(self) -> None:
        """Write down what would be lost."""
        try:
            self._trial.save(self._read())
        except (OSError, LockTimeout) as error:
            log.warning("the trial's seconds were not written down: %s", error)
        self._surface.close()

    def cycle(self, view: NodeAnnotations | None) -> float:
        """Do one round; return when the next is due, in seconds since boot. view: None while the Node is not known."""
        if view is not None and self._view is not None:
            self._compare(self._view, view)
        self._view = view if view is not None else self._view
        try:
            for _round in range(_ROUNDS_AT_ONCE):
                changed, due = self._round(view)
                if not changed:
                    break
            self._trouble.over()
        except (OSError, LockTimeout) as error:
            lasts = self._trouble.met(error, self._clock.since_boot())
            if lasts and self._view is not None:
                self._say_unusable(self._view, lasts)
            due = self._clock.since_boot() + _DO_FAILED
        self._reporter.attend()
        if self._reporter.is_written:
            self._events.attend()  # nothing waits for them
            due = min(due, self._events.due)
        self._show()
        return min(due, self._reporter.due)

    def _compare(self, before: NodeAnnotations, after: NodeAnnotations) -> None:
        """What was said to another Node object is no word for this one; what was taken away is said again."""
        if before.uid != after.uid:
            self._reporter.begin()
        elif before.status is not None and after.status is None:
            self._reporter.gone()

    def _round(self, view: NodeAnnotations | None) -> tuple[bool, float]:
        """Observe, decide, do; return whether to look again at once, and else when."""
        if self._clock.since_boot() >= min(self._reporter.due, self._trial.end):
            self._care.poke()
        local = self._read()
        if not self._configuration.dynamic_config:
            return self._opted_out(local)
        if local.choice.left in ("bad", "CrashLoop"):
            self._roll_back()
            return True, 0.0
        known = self._versions.learn(self._care.invocations, local)
        wish = None
        if view is not None:
            wish = read_desired_state(view, local.snapshot.answered, local.current, self._configuration.namespace)
            began = self._clock.since_boot()
            followed = self._pursuit.follow(wish, local, self._acknowledge, known=known)
            if followed.done not in ("", "waiting"):
                if followed.done in ("adopted", "unassigned"):
                    self._care.begin()
                    self._trial.begin()
                self._announcer.followed(followed, wish, began=began)
                return True, 0.0
            local = self._read()
            wish = read_desired_state(view, local.snapshot.answered, local.current, self._configuration.namespace)
        if not local.choice.left and not self._transactions.is_switched(local.current):
            self._switch()
        seen = self._care.look(local, steady=self._steady(local))
        self._command_lines.learn(self._care.well)
        started = [name for name in self._configuration.components if local.last_start(name) is not None]
        unread = self._command_lines.not_read_reason(started, self._care.invocations)
        if unread:
            self._trial.pause()
        done = "" if unread else self._trial.keep(local, seen)
        if done:
            self._announcer.kept(done, local.current, seen.detail)
            if done == "rolled back":
                self._care.begin()
            return True, 0.0
        self._seen = (local, wish)
        self._speak(wish, local, seen, unread)
        fetch = self._pursuit.due if wish is not None else float("inf")
        return False, min(self._care.due, fetch, self._trial.end, self._versions.due)

    def _read(self) -> NodeState:
        with locked(self._store.lock, wait=LOCK_WAIT):
            return read_node_state(self._configuration, self._store, self._clock)

    def _switch(self) -> None:
        """Finish a switch that was cut short, and mend what the component reads."""
        with locked(self._store.lock, wait=LOCK_WAIT):
            local = read_node_state(self._configuration, self._store, self._clock)
            self._transactions.switch(local, local.current)

    def _steady(self, local: NodeState) -> bool:
        """Return whether nothing has to be looked at while it is well."""
        outcome = local.snapshot.answered.outcome
        suspect = outcome is not None and outcome.suspect
        return not (in_trial(local.current, local.snapshot.last_known_good) or suspect or self._failing)

    def _roll_back(self) -> None:
        with locked(self._store.lock, wait=LOCK_WAIT):
            fresh = read_node_state(self._configuration, self._store, self._clock)
            if fresh.choice.left in ("bad", "CrashLoop"):
                self._transactions.roll_back(fresh)
        self._care.begin()
        self._trial.begin()

    # What is said

    def _acknowledge(self, record: ConfigRecord, local: NodeState) -> None:
        """Say "adopting" before anything is touched."""
        verdict = words.adopting(words.ConfigInUse("current", record.uid, self._statement.init_provided).label)
        view = self._view
        wish = (
            read_desired_state(view, local.snapshot.answered, local.current, self._configuration.namespace)
            if view
            else None
        )
        self._say(verdict, local, wish, active=record, states={})

    def _speak(self, wish: DesiredState | None, local: NodeState, seen: ComponentsObservation, unread: str) -> None:
        trial = in_trial(local.current, local.snapshot.last_known_good)
        failing = "" if trial else self._trial.failing(local, seen)
        # The first word stands while it lasts: one transition, one write.
        self._failing = (self._failing or failing) if failing else ""
        if self._failing and not seen.stopped:
            self._care.due = min(self._care.due, self._clock.since_boot() + self._configuration.probe_interval)
        verdict = choose_verdict(
            wish,
            local,
            ComponentsCondition(healthy=seen.healthy, failing=self._failing, stopped=seen.stopped, unread=unread),
            init_provided=self._statement.init_provided,
            fetch_error=self._pursuit.fetch_error,
            damaged=self._store.set_aside(),
        )
        if verdict is not None and self._last_messages is not None:
            verdict = self._last_messages.explain(verdict, local)
        if verdict is None:
            return
        self._tell_roll_back(wish, local, verdict)
        self._say(verdict, local, wish, active=local.current, states=seen.states)

    def _tell_roll_back(self, wish: DesiredState | None, local: NodeState, verdict: ConfigOk) -> None:
        """One Event for each roll-back, whoever did it, once it was seen how it went."""
        outcome = local.snapshot.answered.outcome
        if wish is None or wish.kind != "failed" or outcome is None or verdict.cause not in _WENT_BACK:
            return
        before, this = self._said_before(), (outcome.uid, outcome.time)
        # What was said in between (the unit is stopped) does not make it another roll-back.
        if self._told != this and (before is None or before.cause not in _WENT_BACK):
            self._announcer.rolled_back(verdict.message, verdict.reason)
        self._told = this

    def _said_before(self) -> ConfigStatus | None:
        """Return what the node said last, also before the agent was restarted."""
        if self._reporter.wanted is not None:
            return self._reporter.wanted[1]
        try:
            return ConfigStatus.parse(self._view.status or "") if self._view is not None else None
        except ValueError:
            return None

    def _say(
        self,
        verdict: ConfigOk,
        local: NodeState,
        wish: DesiredState | None,
        *,
        active: ConfigRecord,
        states: Mapping[str, str],
    ) -> None:
        for path in self._statement.drift.drifted_origins():
            verdict = words.with_drift(verdict, path)
        status = self._statement.status(
            verdict,
            local,
            assignment=wish.answered.id if wish is not None else local.snapshot.answered.id,
            assigned=wish.source if wish is not None else local.snapshot.answered.source,
            active=active,
            states=states,
        )
        self._put(verdict, status, self._statement.label(active))

    def _put(self, verdict: ConfigOk, status: ConfigStatus, label: str) -> None:
        """Have it written, unless it is what was said before."""
        if self._view is not None:
            self._reporter.found(self._view.status, verdict.shortened(), status, label)
        before = self._reporter.wanted
        if before is not None and (before[0], without_healthy_states(before[1]), before[2]) == (
            verdict.shortened(),
            without_healthy_states(status),
            label,
        ):
            return
        self._reporter.say(verdict, status, label)

    def _say_unusable(self, view: NodeAnnotations, trouble: str) -> None:
        """Answer without the agent's own files: what is in use is known from before at best."""
        known = self._said_before() or ConfigStatus()
        answered, current = (
            AnsweredAssignment(view.uid, known.assignment, known.assigned),
            ConfigRecord(source=known.active),
        )
        use = None
        if self._seen is not None:
            local, before = self._seen
            answered, current = local.snapshot.answered, local.current
            use = config_in_use(before, local, init_provided=self._statement.init_provided)
        elif known.active is not None:
            use = words.ConfigInUse("current", known.active.uid)
        wish = read_desired_state(view, answered, current, self._configuration.namespace)
        verdict = words.files_unusable(use, trouble)
        status = known._replace(
            assignment=wish.answered.id,
            assigned=wish.source,
            error=verdict.shortened().reason,
            cause=verdict.cause,
            agent_version=self._agent_version,
        )
        self._put(verdict, status, self._statement.label(current))

    def _opted_out(self, local: NodeState) -> tuple[bool, float]:
        """Use the local config as prestart does, so that what is said is so."""
        if not self._transactions.is_switched(LOCAL_CONFIG):
            self._switch()
        seen = self._care.look(local, steady=True)
        self._seen = (local, None)
        self._say(words.opted_out(), local, None, active=LOCAL_CONFIG, states=seen.states)
        return False, self._care.due

    def _show(self) -> None:
        """Show on the node itself what the last round went by, and what came of it."""
        said = self._reporter.wanted
        watching = "" if self._watch is None else self._watch.trouble
        report = RunReport(
            agent_version=self._agent_version,
            pid=os.getpid(),
            started_at=self._started_at,
            condition=None if said is None else said[0],
            written=self._reporter.is_written,
            written_at=self._reporter.written_at,
            trouble=watching or self._reporter.trouble,
        )
        if self._seen is not None:
            self._surface.show(*self._seen, report)
        elif said is not None:
            self._surface.report(report)
