# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at the host for what would make any restart of a component fail, in the background.

A config is charged only with what it causes: before a restart nothing is restarted into such a host, and a failure on
one is in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from .._componentconfig._flags.kubelet_flags import parse_flags
from .._kube.retry import Backoff
from ._agent_context import AgentContext
from ._interfaces import ServiceManagerError, Task
from ._log import log
from ._probed_configs import ProbedConfigs
from ._state.health import NOT_STARTED, HostLook, Unit
from ._state.node_state import NodeState
from ._state.records import ConfigRecord
from ._state.start_history import has_just_failed
from ._store._rendered_files import config_fields
from ._validation._node_inputs import read_node_inputs

_DEADLINE = 5.0  # seconds for an answer: more than a prober needs if one of its requests times out
_LONGEST_PAUSE = 15.0  # seconds between two looks: the config is adopted soon after the host has recovered
_START = 30.0  # seconds; a slow kubelet takes 20
_KUBELET = "kubelet"
_TROUBLE_INTERVAL = 5.0  # seconds between two looks while a component is not healthy; most are sooner


class HostCheck:
    """Looks before a restart, until there is nothing in the way; and after it, while a component is not healthy."""

    def __init__(self, context: AgentContext) -> None:
        self._configuration = context.configuration
        self._store = context.store
        self._services = context.services
        self._prober = context.prober
        self._probed_configs = ProbedConfigs(context)
        self._host_prober = context.host_prober
        self._clock = context.clock
        self._health = _Question(context.new_task(), f"the probe has no answer after {_DEADLINE:g}s")
        self._host = _Question(context.new_task(), f"the check of the host has no answer after {_DEADLINE:g}s")
        self._backoff = Backoff(first=1.0, longest=_LONGEST_PAUSE)
        self._target: tuple[object, ...] = ()
        self._look: HostLook | None = None
        self._trouble = _Trouble(context.new_task())

    @property
    def next_due(self) -> float:
        """Return when to check again, in seconds since boot; infinity if nothing is due, or its end wakes the loop."""
        due = min(self._health.deadline, self._host.deadline)
        if due < float("inf") or self._look is None or not self._look.problem:
            return due
        return self._backoff.until

    def reset(self) -> None:
        """Forget the look: what it was for is done, or no longer wanted."""
        self._target, self._look = (), None
        self._health.reset()
        self._host.reset()
        self._backoff.reset()

    def before_restart(self, record: ConfigRecord, state: NodeState) -> HostLook | None:
        """Return the latest look at the host for the restarts that a record needs, None before the first one.

        A component that fails already has nothing to lose: what its host lacks holds up nothing.
        """
        now, configs = self._clock.since_boot(), state.configs_to_restart(record)
        target = (record.uid, *sorted(configs.items()))
        if target != self._target:
            self.reset()
            self._target = target
        if self._look is not None and not (self._look.problem and self._backoff.due(now)):
            return self._look
        failing = self._health.ask(partial(self._failing_components, configs, state), configs, now)
        problems = self._host.ask(partial(self._host_problems, configs, state), configs, now)
        if failing is None or problems is None:
            return self._look
        self._health.reset()
        self._host.reset()
        problem = _first(text for name, text in problems.items() if name not in failing)
        look = HostLook(problem, _first(failing.values()))
        if problem:
            self._backoff.failed(now)
            if self._look is None or self._look.problem != problem:
                log.warning("nothing is restarted for a new config: %s", problem, extra={"uid": record.uid or "init"})
        self._look = look
        return look

    def in_trouble(self, record: ConfigRecord, state: NodeState, *, at_once: bool) -> str:
        """Return what is wrong with the host while a component is not healthy with a record; "" if nothing is known.

        at_once: whether there is a reason for the first look now; otherwise a component has a moment to start.
        """
        configs = {name: files.config for name, files in state.files.items() if record.covers(name)}
        return self._trouble.look(
            (record.uid, record.since_boot),
            partial(self._host_problems, configs, state, is_after_restart=True),
            configs,
            self._clock.since_boot(),
            at_once=at_once,
        )

    # In the background

    def _failing_components(self, configs: Mapping[str, str], state: NodeState) -> dict[str, str]:
        """Return the components that fail under the config that they read now, each with what is wrong.

        Nothing is known to be wrong with a component that has just been started, unless its start before failed.
        """
        failing = dict[str, str]()
        for name in configs:
            unit = self._unit(name)
            if unit is None or unit.state in NOT_STARTED:
                continue
            if self._is_starting(unit) and not has_just_failed(state.startups[name], self._clock.boot_id()):
                continue
            if unit.state != "active":
                failing[name] = f"{unit.name} is {unit.state}"
                continue
            result = self._prober(name, self._probed_configs.read(name, unit), unit)
            if not result.ok:
                failing[name] = f"{name}: {result.detail}"
        return failing

    def _unit(self, name: str) -> Unit | None:
        try:
            return self._services.unit(name)
        except ServiceManagerError:
            return None  # this says nothing about the component

    def _is_starting(self, unit: Unit) -> bool:
        if unit.state != "active" or unit.active_since is None:
            return unit.state == "starting"
        return self._clock.since_boot() - unit.active_since < _START

    def _host_problems(
        self, configs: Mapping[str, str], state: NodeState, *, is_after_restart: bool = False
    ) -> dict[str, str]:
        """Return what would make a start with these configs (component -> hash) fail, by component.

        A unit that is stopped or masked is not started, so its host does not matter. Static Pods need the kubelet and
        its runtime; a kubelet of the same configs comes first, and answers for itself. is_after_restart: nothing is
        wrong then with a kubelet that has just been started itself, as at each boot.
        """
        problems = dict[str, str]()
        kubelet: str | None = None  # asked once: it may take seconds
        for name, config in configs.items():
            component, unit = self._configuration.components[name], self._unit(name)
            if unit is not None and unit.state in NOT_STARTED:
                continue
            problem = ""
            if component.manifest and _KUBELET not in configs and _KUBELET in self._configuration.components:
                if kubelet is None:
                    kubelet = self._kubelet_problem(name, state, may_start=is_after_restart)
                problem = kubelet
            elif not component.manifest and component.host_checks:
                problem = self._start_problem(name, name, config, state)
            if problem:
                problems[name] = problem
        return problems

    def _kubelet_problem(self, name: str, state: NodeState, *, may_start: bool) -> str:
        """Return why the kubelet would not run a static Pod, "" if it would, or if nothing is known of it.

        name: the component of the Pod. may_start: whether nothing is wrong with a kubelet that has just been started
        and has not failed before.
        """
        unit = self._unit(_KUBELET)
        if unit is None:
            return ""
        if self._is_starting(unit):
            if has_just_failed(state.startups[_KUBELET], self._clock.boot_id()):
                return f"{unit.name}, which runs static Pods, has just failed"
            if may_start:
                return ""
        if unit.state != "active":
            return f"{unit.name}, which runs static Pods, is {unit.state}"
        result = self._prober(_KUBELET, self._probed_configs.read(_KUBELET, unit), unit)
        if not result.ok:
            return f"the kubelet, which runs static Pods, is not healthy: {result.detail}"
        if not self._configuration.components[_KUBELET].host_checks:
            return ""
        return self._start_problem(name, _KUBELET, state.files[_KUBELET].config, state)

    def _start_problem(self, name: str, runner: str, config: str, state: NodeState) -> str:
        """Return what would make a start of a component fail; runner: itself, or the kubelet that runs its Pod."""
        component = self._configuration.components[runner]
        try:
            inputs = read_node_inputs(component, self._store)
            values = dict(config_fields(self._store.read_rendered(runner, config)))
        except OSError:
            return ""  # the agent's own trouble is not the host's
        for _path, text in inputs.drop_ins:
            values.update(config_fields(text.encode("utf-8", "surrogateescape")))
        return self._host_prober(name, values, dict(parse_flags(inputs.arguments)), state.tracking_versions[runner])


def _first(texts: Iterable[str]) -> str:
    return next(iter(texts), "")


class _Question:
    """A question about components, asked in the background. Its answer, a text for each, is kept until reset()."""

    def __init__(self, task: Task, late: str) -> None:
        """late: the answer for each component if there is none before the deadline."""
        self._task = task
        self._late = late
        self._started_at = 0.0
        self._answer: Mapping[str, str] | None = None

    @property
    def deadline(self) -> float:
        """Return until when the answer is awaited, in seconds since boot; infinity if nothing is asked."""
        return self._started_at + _DEADLINE if self._task.running else float("inf")

    def ask(
        self, work: Callable[[], Mapping[str, str]], components: Iterable[str], now: float
    ) -> Mapping[str, str] | None:
        """Return the answer, None while it is awaited."""
        if self._answer is None:
            if not self._task.running:
                self._task.start(work)
                self._started_at = now
            if self._task.done:
                self._answer = self._task.result()
            elif now >= self.deadline:
                self._task.abandon()
                self._answer = dict.fromkeys(components, self._late)
        return self._answer

    def reset(self) -> None:
        """Forget the answer, and abandon the question."""
        self._task.abandon()
        self._answer = None


class _Trouble:
    """What is wrong with the host while a component is not healthy: looked at now and then, in the background."""

    def __init__(self, task: Task) -> None:
        self._question = _Question(task, "")  # no answer says nothing
        self._target: tuple[object, ...] = ()
        self._due = 0.0
        self._text = ""
        self._was_urgent = False  # whether there was a reason to look at once

    def look(
        self,
        target: tuple[object, ...],
        work: Callable[[], Mapping[str, str]],
        components: Iterable[str],
        now: float,
        *,
        at_once: bool,
    ) -> str:
        """Return what was found for a target, "" if nothing is known. at_once: see `HostCheck.in_trouble`."""
        if target != self._target:
            self._question.reset()
            self._target, self._text, self._was_urgent = target, "", False
            self._due = now + _TROUBLE_INTERVAL
        if at_once and not self._was_urgent:
            self._was_urgent, self._due = True, now
        if now >= self._due:
            answer = self._question.ask(work, components, now)
            if answer is not None:
                self._question.reset()
                self._text, self._due = _first(answer.values()), now + _TROUBLE_INTERVAL
        return self._text
