# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks each started component for its version, and validates the init config for it. Private to configok.node.

Both are asked of a program that may hang, so they are asked in the background; a version waits for no init config.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from .._kube._backoff import Backoff
from ._agent_context import AgentContext
from ._log import log
from ._store._durable_files import LockTimeout
from ._store._rendered_files import render_init_config_now
from ._validation._validator import ValidationUnavailable, validate_init_config

__all__ = ["QueryKind", "VersionTracker"]

_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 600.0  # seconds before a question is repeated


class QueryKind(Enum):
    """What is asked about a component, as log lines name it."""

    VERSION = "version"
    INIT_CONFIG = "init config"


class _Query(NamedTuple):
    """A question to a component. of: its invocation, or the version that the init config is validated for."""

    kind: QueryKind
    component: str
    of: str


class VersionTracker:
    """Asks a component for its version after each start.

    The init config is validated for that version, for the record; a bad one is logged, and changes nothing that runs. A
    question without an answer is repeated with growing pauses.
    """

    def __init__(self, context: AgentContext) -> None:
        self._context = context
        self._components = context.configuration.components
        self._store = context.store
        self._clock = context.clock
        self._tasks = {kind: context.new_task() for kind in QueryKind}
        self._questions: dict[QueryKind, _Query] = {}  # kind -> the last question
        self._answers: dict[str, tuple[str, str]] = {}  # component -> invocation, version
        self._validated_init: dict[str, str] = {}  # component -> version
        self._backoffs: dict[tuple[QueryKind, str], Backoff] = {}  # kind and component of what is asked again
        self._to_note: dict[str, tuple[str, str]] = {}  # component -> invocation, version: answered, not noted yet

    def version_of(self, component: str) -> str:
        """Return the version to validate for, "" if it is not known."""
        answer = self._answers.get(component, ("", ""))[1]
        return answer or self._store.known_version(component, self._components[component].version)

    @property
    def due(self) -> float:
        """When to ask again, in seconds since boot; infinity where nothing is to be asked, or a task's end wakes."""
        idle = [backoff.until for (kind, _name), backoff in self._backoffs.items() if not self._tasks[kind].running]
        return min(idle, default=float("inf"))

    def advance(self, invocations: Mapping[str, str]) -> None:
        """Ask each component that was started since it was last asked, and collect answers."""
        for kind in QueryKind:
            self._ask(kind, invocations)

    def versions(self, invocations: Mapping[str, str]) -> dict[str, str] | None:
        """Return the version of each component, to validate for; None while one may be another in a moment.

        A component that could not answer is not waited for.
        """
        names = list(self._components)
        if not all(self._was_asked(name, invocations) or (QueryKind.VERSION, name) in self._backoffs for name in names):
            return None
        return {name: self.version_of(name) for name in names}

    @property
    def new_versions(self) -> dict[str, str]:
        """The versions that components have answered with and that are not noted yet."""
        return {name: version for name, (_invocation, version) in self._to_note.items()}

    def noted(self, component: str) -> None:
        """Take a new version as noted."""
        self._answers[component] = self._to_note.pop(component)

    def _ask(self, kind: QueryKind, invocations: Mapping[str, str]) -> None:
        """Collect the answer and ask the next question, for as long as answers come at once."""
        task = self._tasks[kind]
        while True:
            if task.running:
                if not task.done:
                    return
                self._take(self._questions[kind])
            question = self._next_version(invocations) if kind is QueryKind.VERSION else self._next_init_config()
            if question is None:
                return
            self._questions[kind] = question
            task.start(partial(self._answer, question))

    def _was_asked(self, name: str, invocations: Mapping[str, str]) -> bool:
        return name in self._answers and self._answers[name][0] == invocations.get(name, "")

    def _next_version(self, invocations: Mapping[str, str]) -> _Query | None:
        for name in self._components:
            if name in self._to_note and self._to_note[name][0] == invocations.get(name, ""):
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

    def _answer(self, question: _Query) -> Any:
        component = self._components[question.component]
        if question.kind is QueryKind.INIT_CONFIG:
            return self._validate_init(component.name, question.of)
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

    # What came of it

    def _take(self, question: _Query) -> None:
        try:
            answer = self._tasks[question.kind].result()
        except (ValidationUnavailable, OSError, LockTimeout) as error:
            log.warning("the %s: %s", question.kind.value, error, extra={"component": question.component})
            self._retry_later(question)
            return
        if question.kind is QueryKind.VERSION:
            self._learned(question, answer)
        else:
            self._log_findings(question, answer)

    def _learned(self, question: _Query, version: str) -> None:
        name = question.component
        component = self._components[name]
        if not version and component.version_command:
            self._retry_later(question)
        else:
            self._backoffs.pop((question.kind, name), None)
        if version and version != self._store.known_version(name, component.version):
            self._to_note[name] = (question.of, version)
        else:
            self._to_note.pop(name, None)
            self._answers[name] = (question.of, version or self.version_of(name))

    def _log_findings(self, question: _Query, findings: Sequence[Mapping[str, Any]]) -> None:
        self._backoffs.pop((question.kind, question.component), None)
        self._validated_init[question.component] = question.of
        for finding in findings:
            text = f"the init config: {finding.get('message')}"
            log.warning("%s", text, extra={"component": question.component, "path": finding.get("path")})

    def _retry_later(self, question: _Query) -> None:
        backoff = Backoff(first=_FIRST_PAUSE, longest=_LONGEST_PAUSE)
        backoff = self._backoffs.setdefault((question.kind, question.component), backoff)
        backoff.failed(self._clock.since_boot())
