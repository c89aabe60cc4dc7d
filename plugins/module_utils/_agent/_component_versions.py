# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks each started component for its version, and validates the init config for it.

Both run a program that may hang, so they run in the background. A version does not wait for an init config.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from .._kube.retry import Backoff
from ._agent_context import AgentContext
from ._log import log
from ._store._durable_files import LockTimeout
from ._store._rendered_files import render_init_config_now
from ._validation._validator import (
    ValidationUnavailable,
    is_not_judged,
    not_judged_causes,
    validate_init_config,
)

_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 600.0  # seconds before a query is repeated


class QueryKind(Enum):
    """Subject of a query about a component; log lines show the value."""

    VERSION = "version"
    INIT_CONFIG = "init config"


class _Query(NamedTuple):
    """A query about a component. subject: its invocation, or the version that the init config is validated for."""

    kind: QueryKind
    component: str
    subject: str


class VersionTracker:
    """Asks a component for its version after each start.

    The init config is validated for that version, for the record; a bad one is logged, and changes nothing that runs. A
    query without an answer is repeated with growing pauses.
    """

    def __init__(self, context: AgentContext) -> None:
        self._context = context
        self._components = context.configuration.components
        self._store = context.store
        self._clock = context.clock
        self._tasks = {kind: context.new_task() for kind in QueryKind}
        self._queries: dict[QueryKind, _Query] = {}  # kind -> the last query
        self._answers: dict[str, tuple[str, str]] = {}  # component -> invocation, version
        self._validated_init: dict[str, str] = {}  # component -> version
        self._backoffs: dict[tuple[QueryKind, str], Backoff] = {}  # of queries that are repeated: kind, component
        self._unnoted: dict[str, tuple[str, str]] = {}  # component -> invocation, version: not noted yet

    def version_of(self, component: str) -> str:
        """Return the version to validate for, or "" if it is unknown."""
        answer = self._answers.get(component, ("", ""))[1]
        return answer or self._store.known_version(component, self._components[component].version)

    @property
    def due(self) -> float:
        """Return when to ask again, in seconds since boot; infinity if none waits or a task's end wakes the loop."""
        idle = [backoff.until for (kind, _name), backoff in self._backoffs.items() if not self._tasks[kind].running]
        return min(idle, default=float("inf"))

    def advance(self, invocations: Mapping[str, str]) -> None:
        """Ask each component that was started since it was last asked, and collect answers."""
        for kind in QueryKind:
            self._ask(kind, invocations)

    def versions(self, invocations: Mapping[str, str]) -> dict[str, str] | None:
        """Return component -> version to validate for; None while a component has yet to answer after its start.

        A component that could not answer is not waited for.
        """
        names = list(self._components)
        if not all(self._was_asked(name, invocations) or (QueryKind.VERSION, name) in self._backoffs for name in names):
            return None
        return {name: self.version_of(name) for name in names}

    @property
    def new_versions(self) -> dict[str, str]:
        """Return component -> version for the answers that are not noted yet."""
        return {name: version for name, (_invocation, version) in self._unnoted.items()}

    def noted(self, component: str) -> None:
        """Use a new version as the answer: the store has it."""
        self._answers[component] = self._unnoted.pop(component)

    def _ask(self, kind: QueryKind, invocations: Mapping[str, str]) -> None:
        """Collect the answer and start the next query, for as long as answers are available at once."""
        task = self._tasks[kind]
        while True:
            if task.running:
                if not task.done:
                    return
                self._collect(self._queries[kind])
            query = self._next_version(invocations) if kind is QueryKind.VERSION else self._next_init_config()
            if query is None:
                return
            self._queries[kind] = query
            task.start(partial(self._answer, query))

    def _was_asked(self, name: str, invocations: Mapping[str, str]) -> bool:
        return name in self._answers and self._answers[name][0] == invocations.get(name, "")

    def _next_version(self, invocations: Mapping[str, str]) -> _Query | None:
        for name in self._components:
            if name in self._unnoted and self._unnoted[name][0] == invocations.get(name, ""):
                continue
            if not self._was_asked(name, invocations) or self._is_due(QueryKind.VERSION, name):
                return _Query(QueryKind.VERSION, name, invocations.get(name, ""))
        return None

    def _next_init_config(self) -> _Query | None:
        for name, (_invocation, version) in self._answers.items():
            is_new = self._validated_init.get(name) != version and (QueryKind.INIT_CONFIG, name) not in self._backoffs
            if self._components[name].init_config and (is_new or self._is_due(QueryKind.INIT_CONFIG, name)):
                return _Query(QueryKind.INIT_CONFIG, name, version)
        return None

    def _is_due(self, kind: QueryKind, name: str) -> bool:
        backoff = self._backoffs.get((kind, name))
        return backoff is not None and backoff.due(self._clock.since_boot())

    # In the task

    def _answer(self, query: _Query) -> Any:
        component = self._components[query.component]
        if query.kind is QueryKind.INIT_CONFIG:
            return self._validate_init(component.name, query.subject)
        version_of = self._context.commands.version
        return component.version or ("" if version_of is None else version_of(component.name))

    def _validate_init(self, name: str, version: str) -> list[dict[str, Any]]:
        """Return the findings. Raises ValidationUnavailable, OSError, LockTimeout."""
        data = render_init_config_now(self._components[name])
        if data is None:
            raise ValidationUnavailable("it cannot be read")
        return validate_init_config(
            self._store,
            self._context.commands.validate,
            name,
            data,
            version=version,
            tracking_version=self._store.tracking_version(name, version),
            engine_version=self._context.agent_version,
        )

    # Results

    def _collect(self, query: _Query) -> None:
        try:
            answer = self._tasks[query.kind].result()
        except (ValidationUnavailable, OSError, LockTimeout) as error:
            log.warning("the %s: %s", query.kind.value, error, extra={"component": query.component})
            self._retry_later(query)
            return
        if query.kind is QueryKind.VERSION:
            self._accept_version(query, answer)
        else:
            self._log_findings(query, answer)

    def _accept_version(self, query: _Query, version: str) -> None:
        name = query.component
        component = self._components[name]
        if not version and component.version_command:
            self._retry_later(query)
        else:
            self._backoffs.pop((query.kind, name), None)
        if version and version != self._store.known_version(name, component.version):
            self._unnoted[name] = (query.subject, version)
        else:
            self._unnoted.pop(name, None)
            self._answers[name] = (query.subject, version or self.version_of(name))

    def _log_findings(self, query: _Query, findings: Sequence[Mapping[str, Any]]) -> None:
        self._backoffs.pop((query.kind, query.component), None)
        self._validated_init[query.component] = query.subject
        for finding in findings:
            if not is_not_judged(finding):
                text = f"the init config: {finding.get('message')}"
                log.warning("%s", text, extra={"component": query.component, "path": finding.get("path")})
        for cause in not_judged_causes(findings):
            log.warning("the init config: not judged: %s", cause, extra={"component": query.component})

    def _retry_later(self, query: _Query) -> None:
        backoff = Backoff(first=_FIRST_PAUSE, longest=_LONGEST_PAUSE)
        backoff = self._backoffs.setdefault((query.kind, query.component), backoff)
        backoff.failed(self._clock.since_boot())
