# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Components as systemd units, by way of systemctl. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ._interfaces import CommandResult, CommandRunner, ServiceManagerError
from ._state._health import Unit

__all__ = [
    "PROPERTIES",
    "Supervisors",
    "Systemd",
    "WORDS",
    "ask",
    "parse_show",
    "socket_address",
    "unit_from",
    "unit_to",
]

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


def parse_show(name: str, text: str, *, asleep: float = 0.0) -> Unit:
    """Return the unit that the output of ``systemctl show --property=...`` describes.

    asleep: seconds since boot that CLOCK_MONOTONIC, which systemd writes down, did not count. Raises ServiceError.
    """
    found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    if not {"ActiveState", "LoadState"} <= found.keys():
        raise ServiceManagerError(f"systemctl show {name} did not say in which state the unit is")
    pid = found.get("MainPID", "0")
    entered = found.get("ActiveEnterTimestampMonotonic", "0")
    state = _state(found)
    dated = state == "active" and _is_count(entered)
    return Unit(
        name,
        state,
        invocation=found.get("InvocationID", ""),
        pid=int(pid) if _is_count(pid) else None,
        active_since=int(entered) / 1e6 + asleep if dated else None,
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and text != "0"


def _state(found: Mapping[str, str]) -> str:
    if found["LoadState"] == "not-found":
        return "missing"
    # A unit may be masked while it still runs; a restart would then end it for good.
    if found["LoadState"] == "masked" or found.get("UnitFileState", "").startswith("masked"):
        return "masked"
    active = found["ActiveState"]
    if active in ("active", "reloading", "refreshing"):
        return "active"
    if active in ("activating", "deactivating", "maintenance"):
        return "starting"  # deactivating lasts a moment: a restart, an end before the next start, or a stop to come
    if found.get("Job", "0") not in ("", "0"):
        return "starting"
    if active == "failed":
        # With Restart=always systemd gives up only at the start limit; otherwise a unit is failed because it ended
        # badly when an administrator stopped it.
        gave_up = found.get("Restart") != "always" or found.get("Result") == "start-limit-hit"
        return "failed" if gave_up else "stopped"
    return "stopped"


def _asleep() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


class Systemd:
    """The ServiceManager protocol on systemd."""

    def __init__(
        self,
        units: Mapping[str, str],
        run: CommandRunner,
        *,
        systemctl: str = "systemctl",
        asleep: Callable[[], float] = _asleep,
    ) -> None:
        """units: component -> unit name. run: runs systemctl."""
        self._units = units
        self._run = run
        self._systemctl = systemctl
        self._asleep = asleep

    def unit(self, component: str) -> Unit:
        """Return the present state of a component's unit. Raises ServiceError."""
        name = self._units[component]
        result = self._call("show", "--property=" + ",".join(PROPERTIES), "--", name)
        unit = parse_show(name, result.out, asleep=self._asleep())
        if unit.state not in ("active", "masked", "missing") and self._shuts_down():
            # Nobody has stopped it, and that a restart was cancelled says nothing about its config.
            raise ServiceManagerError(f"the system shuts down: nothing is known of {name}")
        return unit

    def _shuts_down(self) -> bool:
        return self._call("show", "--property=SystemState").out.strip() == "SystemState=stopping"

    def restart(self, component: str) -> None:
        """Ask for a restart and return at once. Raises ServiceError.

        Never starts a unit that an administrator has stopped, also not if that happened this very moment.
        """
        name = self._units[component]
        verb = "restart" if self.unit(component).state == "failed" else "try-restart"
        self._call(verb, "--no-block", "--", name)

    def _call(self, *arguments: str) -> CommandResult:
        argv = (self._systemctl, "--no-pager", "--no-ask-password", *arguments)
        result = self._run(argv, timeout=_SYSTEMCTL_TIMEOUT)
        if result.code != 0:
            why = " ".join((result.err or result.out).split())[:300] or f"exit code {result.code}"
            raise ServiceManagerError(f"systemctl {arguments[0]} {arguments[-1]} failed: {why}")
        return result


WORDS = ("unit", "restart", "start", "stop", "shutdown")
_SUPERVISOR_TIMEOUT = 5.0  # seconds; a supervisor never blocks
_MAX_ANSWER = 65536


@contextlib.contextmanager
def socket_address(run_directory: str, component: str) -> Iterator[str]:
    """Give the address of a component's socket, short enough for a unix socket however deep the directory is.

    Raises OSError where the directory is not there.
    """
    directory = os.open(run_directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{component}.sock"
    finally:
        os.close(directory)


def unit_to(unit: Unit) -> dict[str, Any]:
    """Return a unit as JSON-able data."""
    return {
        "name": unit.name,
        "state": unit.state,
        "invocation": unit.invocation,
        "pid": unit.pid,
        "activeSince": unit.active_since,
    }


def unit_from(data: Mapping[str, Any]) -> Unit:
    """Return the unit that unit_to wrote. Raises KeyError."""
    return Unit(data["name"], data["state"], data["invocation"], data["pid"], data["activeSince"])


def ask(run_directory: str, component: str, word: str) -> Unit:
    """Send one of WORDS to a component's supervisor and return the unit as it is then. Raises ServiceError."""
    try:
        with socket_address(run_directory, component) as address, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_SUPERVISOR_TIMEOUT)
            connection.connect(address)
            connection.sendall(word.encode("ascii") + b"\n")
            answer = b""
            while not answer.endswith(b"\n") and len(answer) < _MAX_ANSWER:
                piece = connection.recv(4096)
                if not piece:
                    break
                answer += piece
        data = json.loads(answer)
        if "error" in data:
            raise ServiceManagerError(f"the supervisor of {component} refused {word}: {str(data['error'])[:300]}")
        return unit_from(data)
    except OSError as error:
        raise ServiceManagerError(
            f"the supervisor of {component} does not answer: {error.strerror or error}"
        ) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ServiceManagerError(f"the supervisor of {component} gave no answer that can be read") from error


class Supervisors:
    """The ServiceManager protocol on supervisors."""

    def __init__(self, run_directory: str, units: Mapping[str, str]) -> None:
        """units: component -> unit name, which names it in messages."""
        self._run_directory = run_directory
        self._units = units

    def unit(self, component: str) -> Unit:
        """Return the present state. Raises ServiceError; a supervisor that is not there is a missing unit."""
        try:
            with socket_address(self._run_directory, component) as address:
                os.stat(address)
        except OSError:
            return Unit(self._units[component], "missing")
        return ask(self._run_directory, component, "unit")

    def restart(self, component: str) -> None:
        """Ask for a restart and return at once; a stopped component stays stopped. Raises ServiceError."""
        ask(self._run_directory, component, "restart")
