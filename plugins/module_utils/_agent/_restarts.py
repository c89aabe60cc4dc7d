# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests restarts of components, and knows how the last one of each went."""

from __future__ import annotations

from functools import partial

from ._agent_context import AgentContext
from ._interfaces import ServiceManagerError
from ._log import RESTARTING, log

_DEADLINE = 30.0  # seconds after which a restart that did not happen is requested again
_SLOW = 10.0  # seconds; all restarts but those of etcd, whose data are saved before, take less


class Restarts:
    """The restarts of all components. A request may hang, so it runs in the background. Keeps nothing on disk."""

    def __init__(self, context: AgentContext) -> None:
        self._services = context.services
        self._clock = context.clock
        self._counters = context.counters
        self._tasks = {name: context.new_task() for name in context.configuration.components}
        self._requested: dict[str, tuple[str, float]] = {}  # component -> SHA-256 of the file that it is to read; when
        self._started: dict[str, float] = {}  # component -> when its last request was begun, in seconds since boot
        self._done: dict[str, float] = {}  # component -> when its last restart was carried out, in seconds since boot
        self._errors: dict[str, str] = {}  # component -> why its last restart was not carried out

    def reset(self) -> None:
        """Forget what was requested: components read another config now."""
        self._requested.clear()
        self._errors.clear()

    def is_requested(self, name: str, config: str) -> bool:
        """Return whether a restart for this file was requested a short time ago. config: SHA-256 of the file."""
        request = self._requested.get(name)
        return request is not None and request[0] == config and self._clock.since_boot() - request[1] < _DEADLINE

    def request(self, name: str, config: str) -> None:
        """Request a restart, so that the component reads its file. config: SHA-256 of the file."""
        self._requested[name] = (config, self._clock.since_boot())
        log.info(
            "restarting: what it reads has changed",
            extra={"component": name, "config": config[:10], "message_id": RESTARTING},
        )
        self.collect(name)
        task = self._tasks[name]
        if not task.running:
            self._started[name] = self._clock.since_boot()
            task.start(partial(self._services.restart, name))
            self.collect(name)

    def collect(self, name: str) -> None:
        """Take the result of a request that has ended."""
        task = self._tasks[name]
        if not task.done:
            return
        try:
            was_restarted = task.result()
            if not was_restarted:
                log.info("it takes what it reads without a restart", extra={"component": name})
            self._counters.restarts[name] += was_restarted
            self._errors.pop(name, None)
            self._done[name] = self._clock.since_boot()
        except ServiceManagerError as error:
            self._errors[name] = str(error)
            log.error("%s", error, extra={"component": name})

    def is_slow(self, name: str) -> bool:
        """Return whether a restart takes long to be carried out, which says nothing about what the component reads."""
        begun = self._started.get(name, float("inf"))
        return self._tasks[name].running and self._clock.since_boot() - begun >= _SLOW

    def error(self, name: str) -> str:
        """Return why the last restart was not carried out, "" if it was or if none was requested."""
        return self._errors.get(name, "")

    def done_at(self, name: str) -> float | None:
        """Return when the last restart was carried out, in seconds since boot; None if this agent has seen none."""
        return self._done.get(name)
