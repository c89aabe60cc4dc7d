# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Protocols of the outside world: clock, commands, service manager, probes, tasks.

The real adapters are in this package, and in the entry point, which may start processes. Tests have their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ._state.health import ProbeResult, Unit


class Clock(Protocol):
    """Clocks. Durations are always measured by since_boot, never by wall clock."""

    def since_boot(self) -> float:
        """Return seconds since boot, time asleep included (CLOCK_BOOTTIME)."""

    def boot_id(self) -> str:
        """Return the kernel's boot id."""

    def now(self) -> str:
        """Return the time of day as RFC 3339 in UTC, for texts and for the API."""


class CommandResult(NamedTuple):
    """Result of a command: its exit code (124: its deadline has passed) and its output."""

    code: int
    out: str
    err: str


class CommandRunner(Protocol):
    """Runs a command: an argument list, never a shell, LC_ALL=C."""

    def __call__(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult: ...


class ServiceManagerError(Exception):
    """The service manager could not serve a request; the text names the unit and the cause, in one sentence."""


class ServiceManager(Protocol):
    """What starts and restarts the units of components: systemd."""

    def unit(self, component: str) -> Unit:
        """Return the present state. Raises ServiceManagerError."""

    def restart(self, component: str) -> bool:
        """Request a restart and return at once, without waiting for the job.

        Return False if the component takes its config without one. Raises ServiceManagerError.
        """


Prober = Callable[[str, Mapping[str, Any], Unit], ProbeResult]
"""Probes a component once, by its effective config and its unit.

Returns every failure as a result, and waits no longer than its own short timeouts.
"""

HostProber = Callable[[str, Mapping[str, Any], Mapping[str, str], str], str]
"""Returns what would make any start of a component on this host fail, "" if nothing would.

Takes the config that the component is to read, with its drop-ins; the flags that win over it; and its version. It may
hang as the host does.
"""


class Task(Protocol):
    """Runs one piece of blocking work at a time in the background. Its end wakes the loop, which never waits for it."""

    @property
    def running(self) -> bool:
        """Return whether work was started whose result was neither taken nor abandoned."""

    @property
    def done(self) -> bool:
        """Return whether a result can be taken."""

    def start(self, work: Callable[[], Any]) -> None:
        """Start the work. Raises RuntimeError if other work is running."""

    def result(self) -> Any:
        """Return the result of the work, or raise what the work raised; only once it is done."""

    def abandon(self) -> None:
        """Abandon the running work and discard its result."""


ANSWER_WAIT = 1.0  # seconds for which a decision waits for an answer that is on its way
TaskFactory = Callable[[], Task]
LastMessageReader = Callable[[str], str]  # invocation -> the component's last message in it, "" if unknown
