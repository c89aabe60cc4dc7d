# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes care of the components: restarts what reads another config than it should, and looks after their health.
Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from ._agent_configuration import AgentConfiguration
from ._background import PATIENCE
from ._counters import Counters
from ._interfaces import Clock, Prober, ProbeResult, ServiceManager, ServiceManagerError, Task, Unit
from ._log import RESTARTING, log
from ._state._health import (
    ComponentsObservation,
    Health,
    after_probe,
    has_failed,
    healthy_seconds,
    is_healthy,
    new_health,
    next_probe_in,
)
from ._state._node_state import NodeState
from ._store._rendered_files import UndecodableConfig, decode_values, same_config_files
from ._store._store import Store, digest

__all__ = ["UnitQueries", "ComponentManager"]

_RESTART_DEADLINE = 30.0  # seconds after which a restart that did not happen is asked for again
_PROBE_DEADLINE = 12.0  # seconds: more than a prober needs that waits for each of its answers in vain
_NOT_STARTED = ("stopped", "masked", "missing")


class ComponentManager:
    """Looks at the components of the config in use. Nothing is remembered on disk."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        store: Store,
        service_manager: ServiceManager,
        prober: Prober,
        clock: Clock,
        tally: Counters,
        errand: Callable[[], Task],
    ) -> None:
        """errand: makes one for each component, in which it is probed."""
        self._configuration = configuration
        self._store = store
        self._services = service_manager
        self._prober = prober
        self._clock = clock
        self._tally = tally
        self._probes = {name: _Probe(errand()) for name in configuration.components}
        self._health: dict[str, Health] = {}
        self._asked: dict[str, tuple[str, float]] = {}
        self._effective: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self.invocations: dict[str, str] = {}
        self.well: dict[str, Unit] = {}  # components as they were last seen well
        self.due = 0.0  # when to look again, in seconds since boot

    def begin(self) -> None:
        """What the components read was changed: nothing that was seen before counts."""
        self._health.clear()
        self._asked.clear()
        self.due = 0.0

    def poke(self) -> None:
        """Look at the next round, even at what is well."""
        self.due = 0.0

    def look(self, local: NodeState, *, steady: bool) -> ComponentsObservation:
        """Restart what must be restarted, probe what is due. steady: False while it matters (a trial, a roll-back)."""
        now = self._clock.since_boot()
        probing = now >= self.due
        names = self._configuration.components
        involved = [name for name in names if local.current.involves(name)]
        stopped, seconds, states = "", [], {}
        unknown = set()
        for name in names:
            config = digest(self._store.read_config(name) or b"")
            unit = self._unit(name)
            if unit is None:
                unknown.add(name)
            elif unit.state in _NOT_STARTED:
                states[name] = "stopped"
                if name in involved:
                    stopped = stopped or unit.name
                    self._health.pop(name, None)
                continue
            pending = unit is not None and self._reads_another(local, name, unit, config)
            if pending:
                self._restart(name, config, now)
            if name not in involved:
                states[name] = "unknown"
                continue
            before = self._health.setdefault(name, new_health(now))
            after = self._look_once(name, unit, config, before, now, pending=pending, probing=probing)
            self._health[name] = after
            seconds.append(healthy_seconds(before, after, most=2 * self._configuration.probe_interval))
            states[name] = "healthy" if is_healthy(after) else "unknown"
        self._plan(involved, now, probing=probing, steady=steady)
        bad = self._failed([name for name in involved if name not in unknown], now)
        if bad:
            states[bad] = "failing"
        return ComponentsObservation(
            healthy=self._all_healthy(involved),
            failed=bad,
            detail=f"{bad}: {self._health[bad].detail}" if bad else "",
            within=self._within(bad),
            stopped=stopped,
            well_for=self._well_for(involved, now),
            seconds=min(seconds, default=0.0),
            states=states,
        )

    def _unit(self, name: str) -> Unit | None:
        try:
            return self._services.unit(name)
        except ServiceManagerError as error:
            log.warning("%s", error, extra={"component": name})
            return None

    def _reads_another(self, local: NodeState, name: str, unit: Unit, config: str) -> bool:
        """Return whether the running component was started with another config than it should read now.

        That is known from its start. Where prestart could not write that down: if it runs since before the switch.
        """
        if unit.state not in ("active", "failed"):
            return False  # it is about to start, and reads what is right
        start, boot_id = local.last_start(name), self._clock.boot_id()
        if start is not None and start.boot_id == boot_id and unit.invocation in ("", start.invocation):
            return not same_config_files(name, self._store, start.config, config)
        switched = self._store.switched_since(name, boot_id)
        return unit.active_since is not None and switched is not None and unit.active_since < switched

    def _restart(self, name: str, config: str, now: float) -> None:
        asked = self._asked.get(name)
        if asked is not None and asked[0] == config and now - asked[1] < _RESTART_DEADLINE:
            return
        self._asked[name] = (config, now)
        log.info(
            "restarting: what it reads has changed",
            extra={"component": name, "config": config[:10], "message_id": RESTARTING},
        )
        try:
            self._services.restart(name)
            self._tally.restarts[name] += 1
        except ServiceManagerError as error:
            log.error("%s", error, extra={"component": name})

    def _look_once(
        self,
        name: str,
        unit: Unit | None,
        config: str,
        health: Health,
        now: float,
        *,
        pending: bool,
        probing: bool,
    ) -> Health:
        if unit is None:
            return health  # the service manager does not answer: that says nothing about the component
        self.invocations[name] = unit.invocation
        probe = self._probes[name]
        looked = probe.is_done(unit.invocation)
        quiet = unit.invocation == health.invocation and (unit.state == "active" or not is_healthy(health))
        if quiet and not (probing or looked):
            return health
        if pending:
            result = ProbeResult(False, "not restarted yet")
        elif unit.state != "active":
            result = ProbeResult(False, f"{unit.name} is {unit.state}")
        else:
            found = probe.look(partial(self._prober, name, self._values(name, config), unit), unit.invocation, now)
            if found is None:
                return health
            result = found
            if result.ok:
                self.well[name] = unit
        return after_probe(
            health,
            ok=result.ok,
            detail=result.detail,
            invocation=unit.invocation,
            now=now,
            settling=self._configuration.settling_time,
        )

    def _values(self, name: str, config: str) -> Mapping[str, Any]:
        """Return the decoded config that the component reads: where to probe it."""
        known = self._effective.get(name)
        if known is not None and known[0] == config:
            return known[1]
        try:
            values = decode_values((self._store.read_config(name) or b"").decode("utf-8", "replace"), "the config")
        except UndecodableConfig:
            values = None
        known = (config, values if isinstance(values, Mapping) else {})
        self._effective[name] = known
        return known[1]

    def _plan(self, involved: list[str], now: float, *, probing: bool, steady: bool) -> None:
        """Decide when to look again: never, where all is well and nothing is on trial."""
        found = [self._health[name] for name in involved if name in self._health]
        if not found or (steady and all(is_healthy(health) for health in found)):
            self.due = float("inf")
            return
        settings = self._configuration
        wait = min(
            next_probe_in(health, now=now, settling=settings.settling_time, interval=settings.probe_interval)
            for health in found
        )
        self.due = now + wait if probing else min(self.due, now + wait)

    def _failed(self, involved: list[str], now: float) -> str:
        for name in involved:
            health = self._health.get(name)
            if health is not None and has_failed(
                health,
                now=now,
                timeout=self._configuration.health_timeout,
                threshold=self._configuration.unhealthy_threshold,
            ):
                return name
        return ""

    def _within(self, name: str) -> float:
        settings = self._configuration
        if name and self._health[name].failures >= settings.unhealthy_threshold:
            return settings.unhealthy_threshold * settings.probe_interval
        return settings.health_timeout

    def _well_for(self, involved: list[str], now: float) -> float:
        found = [self._health.get(name) for name in involved]
        if not found or any(health is None or health.ok_since is None for health in found):
            return 0.0
        return min(now - health.ok_since for health in found if health is not None and health.ok_since is not None)

    def _all_healthy(self, involved: list[str]) -> bool | None:
        found = [self._health.get(name) for name in involved]
        if any(health is None for health in found):
            return None
        return all(health is not None and is_healthy(health) for health in found)


class _Probe:
    """The probing of one component, which may hang as the component does, or the API server with its Lease."""

    def __init__(self, errand: Task) -> None:
        self._errand = errand
        self._invocation = ""
        self._since = 0.0

    def is_done(self, invocation: str) -> bool:
        """Return whether a look at this invocation has come to an end, and waits to be taken."""
        if self._errand.under_way and self._invocation != invocation:
            self._errand.drop()  # of a process that is gone
        return self._errand.under_way and self._errand.wait(0.0)

    def look(self, what: Callable[[], ProbeResult], invocation: str, now: float) -> ProbeResult | None:
        """Return what was seen, by this look or the one under way; None while nothing is known yet."""
        patience = 0.0
        if not self._errand.under_way:
            self._errand.start(what)
            self._invocation, self._since = invocation, now
            patience = PATIENCE
        if self._errand.wait(patience):
            result: ProbeResult = self._errand.take()
            return result
        if now - self._since < _PROBE_DEADLINE:
            return None
        self._errand.drop()
        return ProbeResult(False, f"the probe has no answer after {_PROBE_DEADLINE:g}s")


class UnitQueries:
    """The ServiceManager protocol on another one: each call waits a moment, and is left running when that is over."""

    def __init__(self, services: ServiceManager, components: Iterable[str], errand: Callable[[], Task]) -> None:
        """errand: makes one for each component and each kind of call; the end of a late one wakes the daemon."""
        self._services = services
        names = list(components)
        self._units = {name: errand() for name in names}
        self._restarts = {name: errand() for name in names}

    def unit(self, component: str) -> Unit:
        """Return the present state. Raises ServiceError, also while there is no answer yet."""
        errand = self._units[component]
        if not errand.under_way:  # else a late answer, which the daemon was woken for
            errand.start(partial(self._services.unit, component))
        unit: Unit = _answer(errand, component)
        return unit

    def restart(self, component: str) -> None:
        """Ask for a restart. Raises ServiceError, also while it is not known whether the restart was taken up."""
        errand = self._restarts[component]
        if errand.under_way and errand.wait(0.0):
            errand.drop()  # what became of an earlier restart is not the answer to this one
        if not errand.under_way:
            errand.start(partial(self._services.restart, component))
        _answer(errand, component)


def _answer(errand: Task, component: str) -> Any:
    if not errand.wait(PATIENCE):
        raise ServiceManagerError(f"the service manager has not answered about {component} yet")
    return errand.take()
