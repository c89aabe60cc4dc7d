# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tracks the command line and the drop-ins of each component, once for each start.

The read may hang with the process, so it is part of the probe, in the background. The controller records the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ._agent_context import AgentContext
from ._state.health import CommandLine, Unit
from ._validation._shadowed_fields import not_read_reason, read_drop_in_fields, recorded_command_line


class CommandLineTracker:
    """Reads command lines, and remembers those that are not recorded yet. Keeps nothing on disk."""

    def __init__(self, context: AgentContext) -> None:
        self._dynamic_config = context.configuration.dynamic_config
        self._store = context.store
        self._read = context.commands.command_line
        self._invocations: dict[str, str] = {}  # component -> invocation whose command line was read
        self._new: dict[str, CommandLine] = {}

    def read(self, component: str, unit: Unit) -> CommandLine | None:
        """Return the command line of a component that was probed healthy; None if it was read already. May hang.

        Before the probe succeeds, the process may still be systemd's own, which is about to execute the component.
        """
        if not self._dynamic_config or unit.pid is None or self._invocations.get(component) == unit.invocation:
            return None
        argv = self._read(unit.pid)
        return CommandLine(argv, read_drop_in_fields(argv)) if argv else None

    def add(self, component: str, invocation: str, command_line: CommandLine) -> None:
        """Remember the command line of an invocation. Raises OSError."""
        self._invocations[component] = invocation
        self._new.pop(component, None)
        if command_line != recorded_command_line(self._store, component):
            self._new[component] = command_line

    @property
    def new(self) -> dict[str, CommandLine]:
        """Return the command lines that are not recorded yet."""
        return dict(self._new)

    def accept(self, component: str) -> None:
        """Remove a command line from the new ones: it is being recorded, which is tried once for each start."""
        self._new.pop(component, None)

    def not_read_reason(self, started: Iterable[str], invocations: Mapping[str, str]) -> str:
        """Return why a component does not read the file that it is given, "" if it reads it.

        started: the components that were ever started through the agent. Until then a component has its old flags,
        which name its old file: provisioning restarts nothing. invocations: the running ones; the flags of others do
        not count. Raises OSError.
        """
        known = [
            component
            for component in started
            if component in self._invocations and self._invocations[component] == invocations.get(component)
        ]
        return next(filter(None, (not_read_reason(self._store, component) for component in known)), "")
