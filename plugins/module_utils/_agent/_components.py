# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Component manager: unit states, restarts, probes, health."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from .._componentconfig._options import FLAG_COMPONENTS
from .._nodeconfig.config_status import ComponentState
from ._agent_context import AgentContext
from ._command_lines import CommandLineTracker
from ._instance_addresses import API_SERVER
from ._interfaces import ANSWER_WAIT, ServiceManager, ServiceManagerError, Task
from ._log import log
from ._probed_configs import ProbedConfigs
from ._restarts import Restarts
from ._state.health import (
    FIRST_INTERVAL,
    NOT_STARTED,
    ComponentsObservation,
    Health,
    HealthyTime,
    ProbeResult,
    Unit,
    after_probe,
    has_failed,
    healthy_time,
    is_healthy,
    new_health,
    next_probe_in,
    not_started_reason,
)
from ._state.node_state import NodeState

_FIRST_INTERVAL_OF_PODS = 0.25  # seconds: a control plane that starts needs the processor itself
_TRIAL_CHECK = 2.0  # seconds between two checks of static Pods that are not steady
_KUBELET_ACTS = 60.0  # seconds after which a kubelet that has not started a Pod of a new manifest does not work
_PROBE_DEADLINE = 12.0  # seconds: more than a prober needs if each of its requests times out


class ComponentManager:
    """Observes, probes and restarts the components. Keeps nothing on disk."""

    def __init__(self, context: AgentContext) -> None:
        configuration = context.configuration
        self._configuration = configuration
        self._store = context.store
        self._units = {name: UnitQuery(name, context.services, context.new_task()) for name in configuration.components}
        self._restarts = Restarts(context)
        self._prober = context.prober
        self._probed_configs = ProbedConfigs(context)
        self._clock = context.clock
        self.command_lines = CommandLineTracker(context)
        self._probes = {name: _ProbeTask(context.new_task()) for name in configuration.components}
        self._health: dict[str, Health] = {}
        self._healthy_time = HealthyTime()
        self._probed_at: dict[str, float] = {}  # when the latest probe was started
        self.invocations: dict[str, str] = {}
        self.next_due = 0.0  # when to probe again, in seconds since boot
        self.check_due = float("inf")  # when to check static Pods, whose changes no hook reports

    def reset(self) -> None:
        """Forget what was observed: components read another config now."""
        self._health.clear()
        self._healthy_time = HealthyTime()
        self._restarts.reset()
        self.next_due = 0.0

    def probe_soon(self) -> None:
        """Probe in the next round, even healthy components."""
        self.next_due = 0.0

    def refresh(self) -> None:
        """Query the units again: they may have changed."""
        if any(component.manifest for component in self._configuration.components.values()):
            self.check_due = self._clock.since_boot() + self._configuration.health.probe_interval
        for unit in self._units.values():
            unit.refresh()

    @property
    def answer_due(self) -> float:
        """Return until when to wait for answers of units and probes, in seconds since boot; infinity if none is due."""
        now = self._clock.since_boot()
        units = [unit.answer_due(now) for unit in self._units.values()]
        probes = [probe.answer_due for probe in self._probes.values() if probe.answer_due > now]
        return min([*units, *probes], default=float("inf"))

    def observe(self, state: NodeState, *, steady: bool) -> ComponentsObservation | None:
        """Observe the components and probe those that are due; return None while a query for a unit's state runs.

        steady: whether healthy components need no further probes; False during a trial or after a rollback.
        """
        now = self._clock.since_boot()
        if not steady and self.check_due < float("inf"):
            self.check_due = min(self.check_due, now + _TRIAL_CHECK)
        names = self._configuration.components
        units = {name: self._poll_unit(name, state, now) for name in names}
        for name in names:
            self._restarts.collect(name)
        if any(unit.answer_due(now) < float("inf") for unit in self._units.values()):
            return None
        probing = now >= self.next_due
        involved = [name for name in names if state.active_record.covers(name)]
        stopped = ""
        states: dict[str, ComponentState] = {}
        restarts_due: dict[str, str] = {}
        unknown = set()
        is_waiting = False  # a component that comes first in a change of several is not healthy yet
        for name in sorted(names, key=self._stage):
            config = state.files[name].config
            unit = units[name]
            if unit is None:
                unknown.add(name)
            elif unit.state in NOT_STARTED:
                states[name] = "stopped"
                if name in involved:
                    is_waiting = True
                    reads_another = not state.files[name].same_as_started
                    stopped = stopped or not_started_reason(unit, reads_another=reads_another)
                    self._health.pop(name, None)
                continue
            is_due = unit is not None and self._needs_restart(state, name, unit)
            trouble = self._restart_trouble(state, name, unit, now, is_due=is_due)
            must_wait = is_waiting and state.is_in_trial and self._stage(name) > 0
            if is_due and not must_wait and not self._restarts.is_requested(name, config):
                restarts_due[name] = config
            if is_due and must_wait:
                states[name] = "unknown"
                self._health.pop(name, None)  # its time begins with its restart
                continue
            if trouble:  # it says nothing about the config
                is_waiting = True
                states[name] = "stopped"
                if name in involved:
                    stopped = stopped or trouble
                    self._health.pop(name, None)
                continue
            pending = is_due or (unit is not None and unit.config is not None and not state.files[name].same_as_started)
            if name not in involved:
                states[name] = "unknown"
                is_waiting = is_waiting or (name == API_SERVER and unit is not None and unit.state == "starting")
                continue
            if is_waiting and self._stage(name) > 0:
                # A controller manager ends when its API server does, which says nothing about its options.
                states[name] = "unknown"
                self._health.pop(name, None)
                continue
            before = self._health.setdefault(name, new_health(now))
            after = self._update_health(name, unit, before, now, pending=pending, probing=probing)
            self._health[name] = after
            is_waiting = is_waiting or pending or not is_healthy(after)
            states[name] = "healthy" if is_healthy(after) else "unknown"
        settings = self._configuration.health
        healths = {name: self._health[name] for name in involved if name in self._health}
        failing = (
            name
            for name, health in healths.items()
            if name not in unknown
            and has_failed(health, now=now, timeout=settings.timeout, threshold=settings.unhealthy_threshold)
        )
        failed = next(failing, "")
        if failed:
            states[failed] = "failing"
        self._schedule_probe(healths, now, probing=probing, steady=steady)
        is_known = len(healths) == len(involved)
        are_healthy = all(map(is_healthy, healths.values()))
        self._healthy_time, seconds = healthy_time(
            self._healthy_time, healths if is_known else {}, limit=2 * settings.probe_interval
        )
        return ComponentsObservation(
            healthy=are_healthy if is_known or not are_healthy else None,
            failed=failed,
            detail=f"{failed}: {self._health[failed].detail}" if failed else "",
            within=self._failure_window(failed),
            stopped=stopped,
            healthy_for=_healthy_for(healths.values(), now) if is_known else 0.0,
            seconds=seconds,
            states=states,
            restarts_due=restarts_due,
            new_command_lines=self.command_lines.new,
            invocations={name: self.invocations.get(name, "") for name in involved},
            probed_at=min((self._probed_at.get(name, 0.0) for name in involved), default=now),
        )

    def _poll_unit(self, name: str, state: NodeState, now: float) -> Unit | None:
        unit, start = self._units[name].poll(now), state.last_start(name)
        if unit is None or start is None or start.invocation == unit.invocation:
            return unit
        if start.boot_id == self._clock.boot_id() and self._units[name].is_older_than(start.since_boot):
            self._units[name].refresh()  # it was queried before this start
            return self._units[name].poll(now)
        return unit

    def _needs_restart(self, state: NodeState, name: str, unit: Unit) -> bool:
        """Return whether the running component was started with a config different from the one it should read now.

        The recorded start shows it. Without a record, because prestart could not write it: whether the component has
        run since before the switch.
        """
        if unit.config is not None:  # nothing else than another manifest changes what a static Pod reads
            return unit.config != state.files[name].config
        if unit.state not in ("active", "failed"):
            return False  # it is about to start, and reads the right file
        start, files = state.last_start(name), state.files[name]
        if start is not None and start.boot_id == self._clock.boot_id() and unit.invocation in ("", start.invocation):
            return not files.same_as_started
        return (
            unit.active_since is not None
            and files.switched_since is not None
            and unit.active_since < files.switched_since
        )

    def _stage(self, name: str) -> int:
        """Return the place of a component in a change of several: static Pods follow each other, after all units."""
        is_pod = bool(self._configuration.components[name].manifest)
        return 1 + FLAG_COMPONENTS.index(name) if is_pod else 0

    def _restart_trouble(self, state: NodeState, name: str, unit: Unit | None, now: float, *, is_due: bool) -> str:
        """Return why a static Pod is not restarted, whatever its options are; "" if nothing keeps it from that.

        A Pod that has ended is another matter, whatever keeps the next one from running: it fails in its time.
        """
        if unit is None or unit.config is None:
            return ""
        if is_due and self._restarts.is_slow(name):
            return f"{name} is not restarted yet: what comes before that takes long"
        if is_due:
            return self._restarts.error(name)
        files = state.files[name]
        times = [since for since in (files.switched_since, self._restarts.done_at(name)) if since is not None]
        if unit.state != "active" or files.same_as_started or not times or now - max(times) < _KUBELET_ACTS:
            return ""
        return f"the kubelet has not acted on {self._configuration.components[name].manifest} for {_KUBELET_ACTS:g} s"

    def restart(self, name: str, config: str) -> None:
        """Request a restart, so that the component reads its file. config: SHA-256 of the file."""
        self._restarts.request(name, config)

    def _update_health(
        self,
        name: str,
        unit: Unit | None,
        health: Health,
        now: float,
        *,
        pending: bool,
        probing: bool,
    ) -> Health:
        if unit is None:
            return health  # the service manager does not answer, which says nothing about the component
        self.invocations[name] = unit.invocation
        probe = self._probes[name]
        is_probed = probe.is_done(unit.invocation)
        quiet = unit.invocation == health.invocation and (unit.state == "active" or not is_healthy(health))
        if quiet and not (probing or is_probed):
            return health
        if pending:
            result = ProbeResult(False, "not restarted yet")
        elif unit.state != "active":
            result = ProbeResult(False, f"{unit.name} is {unit.state}")
        else:
            answer = probe.probe(partial(self._probe, name, unit), unit.invocation, now)
            if answer is None:
                return health
            result = answer
            self._probed_at[name] = probe.started_at
            if result.command_line is not None:
                self.command_lines.add(name, unit.invocation, result.command_line)
        return after_probe(
            health,
            result,
            invocation=unit.invocation,
            now=now,
            settling=self._configuration.settling_time,
        )

    def _probe(self, name: str, unit: Unit) -> ProbeResult:
        """Probe a component, and read its command line once it is healthy. Runs in the background."""
        result = self._prober(name, self._probed_configs.read(name, unit), unit)
        return result._replace(command_line=self.command_lines.read(name, unit)) if result.ok else result

    def _schedule_probe(self, healths: Mapping[str, Health], now: float, *, probing: bool, steady: bool) -> None:
        """Decide when to probe again: never, if all components are healthy and steady."""
        if not healths or (steady and all(map(is_healthy, healths.values()))):
            self.next_due = float("inf")
            return
        settings = self._configuration
        wait = min(
            next_probe_in(
                health,
                now=now,
                settling=settings.settling_time,
                interval=settings.health.probe_interval,
                first=_FIRST_INTERVAL_OF_PODS if settings.components[name].manifest else FIRST_INTERVAL,
            )
            for name, health in healths.items()
        )
        self.next_due = now + wait if probing else min(self.next_due, now + wait)

    def _failure_window(self, name: str) -> float:
        settings = self._configuration
        since = self._health[name].unhealthy_since if name else None
        if since is not None and self._health[name].has_given_up:
            return self._clock.since_boot() - since
        if name and self._health[name].failures >= settings.health.unhealthy_threshold:
            return settings.health.unhealthy_threshold * settings.health.probe_interval
        return settings.health.timeout


def _healthy_for(healths: Collection[Health], now: float) -> float:
    """Return for how many seconds all components have been healthy."""
    return min((0.0 if health.ok_since is None else now - health.ok_since for health in healths), default=0.0)


class _ProbeTask:
    """Probes one component in the background: it may hang as the component does, or the API server with its Lease."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._invocation = ""
        self.started_at = 0.0  # of the latest probe, in seconds since boot

    @property
    def answer_due(self) -> float:
        """Return until when the result is expected, in seconds since boot; infinity while no probe runs."""
        return self.started_at + ANSWER_WAIT if self._task.running else float("inf")

    def is_done(self, invocation: str) -> bool:
        """Return whether a probe of this invocation has a result that can be taken."""
        if self._task.running and self._invocation != invocation:
            self._task.abandon()  # the probed process has ended
        return self._task.done

    def probe(self, work: Callable[[], ProbeResult], invocation: str, now: float) -> ProbeResult | None:
        """Return the result of the running probe, or of a new one; None while it runs."""
        if not self._task.running:
            self._task.start(work)
            self._invocation, self.started_at = invocation, now
        if self._task.done:
            result: ProbeResult = self._task.result()
            return result
        if now - self.started_at < _PROBE_DEADLINE:
            return None
        self._task.abandon()
        return ProbeResult(False, f"the probe has no answer after {_PROBE_DEADLINE:g}s")


class UnitQuery:
    """Queries the state of one unit in the background."""

    def __init__(self, component: str, services: ServiceManager, task: Task) -> None:
        self._component = component
        self._services = services
        self._task = task
        self._unit: Unit | None = None
        self._started_at = 0.0
        self._answered_at = float("-inf")  # when the query for the present answer was started
        self._is_stale = True  # the unit may have changed since the last query
        self._is_logged = False

    def refresh(self) -> None:
        """Query again: the unit may have changed, perhaps after a running query was started."""
        self._is_stale = True

    def poll(self, now: float) -> Unit | None:
        """Return the unit as last queried, or None if it is unknown or being queried; start a query that is due."""
        while True:
            if self._task.running:
                if not self._task.done:
                    break
                self._collect()
            if not self._is_stale:
                break
            self._is_stale = False
            self._started_at, self._is_logged = now, False
            self._task.start(partial(self._services.unit, self._component))
        if not self._task.running:
            return self._unit
        if now >= self._started_at + ANSWER_WAIT and not self._is_logged:
            self._is_logged = True
            text = "the service manager has not answered about %s yet"
            log.warning(text, self._component, extra={"component": self._component})
        return None

    def answer_due(self, now: float) -> float:
        """Return until when to wait for an answer; infinity if no query runs or the answer is overdue."""
        until = self._started_at + ANSWER_WAIT
        return until if self._task.running and now < until else float("inf")

    def is_older_than(self, since_boot: float) -> bool:
        """Return whether the known unit was queried before a time."""
        return self._answered_at < since_boot

    def _collect(self) -> None:
        self._answered_at = self._started_at
        try:
            self._unit = self._task.result()
        except ServiceManagerError as error:
            log.warning("%s", error, extra={"component": self._component})
            self._unit = None
