# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and restarts component units, through systemctl."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from ._interfaces import CommandResult, CommandRunner, ServiceManagerError
from ._state.health import Unit, UnitState

PROPERTIES = (
    "ActiveEnterTimestampMonotonic",
    "ActiveState",
    "InvocationID",
    "Job",
    "LoadState",
    "MainPID",
    "Restart",
    "Result",
    "SubState",
    "UnitFileState",
)
_SYSTEMCTL_TIMEOUT = 10.0  # seconds; systemctl itself answers in milliseconds


def parse_unit(name: str, text: str, *, asleep: float = 0.0) -> Unit:
    """Return the unit that the output of ``systemctl show --property=...`` describes.

    asleep: seconds since boot that CLOCK_MONOTONIC, which systemd records, did not count. Raises ServiceManagerError.
    """
    properties = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    if not {"ActiveState", "LoadState"} <= properties.keys():
        raise ServiceManagerError(f"systemctl show {name} did not say in which state the unit is")
    pid = properties.get("MainPID", "0")
    entered = properties.get("ActiveEnterTimestampMonotonic", "0")
    state = _state(properties)
    dated = state == "active" and _is_count(entered)
    return Unit(
        name,
        state,
        invocation=properties.get("InvocationID", ""),
        pid=int(pid) if _is_count(pid) else None,
        active_since=int(entered) / 1e6 + asleep if dated else None,
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and text != "0" and len(text) < 20


def _state(properties: Mapping[str, str]) -> UnitState:
    if properties["LoadState"] == "not-found":
        return "missing"
    # A unit may be masked while it still runs; a restart would then stop it for good.
    if properties["LoadState"] == "masked" or properties.get("UnitFileState", "").startswith("masked"):
        return "masked"
    active = properties["ActiveState"]
    if active in ("active", "reloading", "refreshing"):
        return "active"
    if active in ("activating", "deactivating", "maintenance"):
        return "starting"  # deactivating is short: a restart, an end before the next start, or the beginning of a stop
    if properties.get("Job", "0") not in ("", "0"):
        return "starting"
    if active == "failed":
        # With Restart=always systemd gives up only at the start limit; otherwise a unit is failed because it ended
        # badly when an administrator stopped it.
        gave_up = properties.get("Restart") != "always" or properties.get("Result") == "start-limit-hit"
        return "failed" if gave_up else "stopped"
    return "stopped"


def _seconds_asleep() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


class Systemd:
    """Implements the ServiceManager protocol with systemctl."""

    def __init__(
        self,
        units: Mapping[str, str],
        run: CommandRunner,
        *,
        systemctl: str = "systemctl",
        asleep: Callable[[], float] = _seconds_asleep,
    ) -> None:
        """Create the service manager. units: component -> unit name. run: runs systemctl."""
        self._units = units
        self._run = run
        self._systemctl = systemctl
        self._seconds_asleep = asleep

    def unit(self, component: str) -> Unit:
        """Return the present state of a component's unit. Raises ServiceManagerError."""
        name = self._units[component]
        result = self._call("show", "--property=" + ",".join(PROPERTIES), "--", name)
        unit = parse_unit(name, result.out, asleep=self._seconds_asleep())
        if unit.state not in ("active", "masked", "missing") and self._is_shutting_down():
            # The shutdown has stopped it, not an administrator. A restart that it cancelled says nothing about the
            # config.
            raise ServiceManagerError(f"the system shuts down: nothing is known of {name}")
        return unit

    def _is_shutting_down(self) -> bool:
        return self._call("show", "--property=SystemState").out.strip() == "SystemState=stopping"

    def restart(self, component: str) -> bool:
        """Request a restart and return at once. Raises ServiceManagerError.

        It never starts a unit that an administrator has stopped, even if that happened a moment ago.
        """
        name = self._units[component]
        verb = "restart" if self.unit(component).state == "failed" else "try-restart"
        self._call(verb, "--no-block", "--", name)
        return True

    def _call(self, *arguments: str) -> CommandResult:
        argv = (self._systemctl, "--no-pager", "--no-ask-password", *arguments)
        result = self._run(argv, timeout=_SYSTEMCTL_TIMEOUT)
        if result.code != 0:
            cause = " ".join((result.err or result.out).split())[:300] or f"exit code {result.code}"
            raise ServiceManagerError(f"systemctl {arguments[0]} {arguments[-1]} failed: {cause}")
        return result
