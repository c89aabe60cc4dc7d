# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small supervisor for one component, where there is no systemd: it does what systemd does with the unit.

prestart, the component, poststop with systemd's variables, a pause, again; for ever, as Restart=always with
StartLimitIntervalSec=0. One thread that sleeps until a child ends, somebody asks, a signal comes or time is up.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
import uuid
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from ._agent._interfaces import Unit
from ._agent._log import log
from ._agent._service_managers import WORDS, socket_address, unit_to
from ._children import End, call, end_of, kill_group, reap, start

__all__ = ["REFUSED", "Supervisor"]

REFUSED = 78  # prestart's one exit code that keeps the component from being started
_PRESTART_TIMEOUT = 5.0
_STOP_TIMEOUT = 10.0  # from TERM to KILL

Hook = Callable[[Mapping[str, str]], int]


class Phase(Enum):
    """Where a component is in the circle of its life."""

    STOPPED = "stopped"
    PAUSE = "pause"
    PRESTART = "prestart"
    RUNNING = "running"
    STOPPING = "stopping"
    POSTSTOP = "poststop"


class Supervisor:
    """Keeps one component running, and does what it is told on its socket."""

    def __init__(
        self,
        component: str,
        unit: str,
        command: tuple[str, ...],
        restart_delay: float,
        run_directory: str,
        prestart: Hook,
        poststop: Hook,
    ) -> None:
        """prestart, poststop: are called in a child with the environment, the exit code is what they return."""
        self._component = component
        self._unit = unit
        self._command = command
        self._delay = restart_delay
        self._run_directory = run_directory
        self._prestart = prestart
        self._poststop = poststop
        self._phase = Phase.STOPPED
        self._pid = 0  # of the child that the phase is about, 0: none
        self._deadline: float | None = None  # monotonic, of the phase
        self._wanted = True  # False: an administrator stopped it
        self._again = False  # a restart was asked for: no pause
        self._leaving = False
        self._killed = False  # the main process did not end in time
        self._invocation = ""
        self._active_since: float | None = None
        self._main_pid: int | None = None
        self._signals: list[int] = []

    def run(self) -> None:
        """Supervise until told to shut down, by SIGTERM, SIGINT or the socket. Raises OSError if there is no socket."""
        reader, writer = socket.socketpair()
        for one in (reader, writer):
            one.setblocking(False)
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, lambda number, _frame: self._signals.append(number))
        with socket_address(self._run_directory, self._component) as address, socket.socket(socket.AF_UNIX) as server:
            if os.path.lexists(address):
                os.unlink(address)
            server.bind(address)
            os.chmod(address, 0o600)
            server.listen(16)
            try:
                self._begin()
                while not (self._leaving and self._phase is Phase.STOPPED):
                    self._wait(server, reader)
            finally:
                os.unlink(address)

    def _wait(self, server: socket.socket, reader: socket.socket) -> None:
        timeout = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        ready = select.select([server, reader], [], [], timeout)[0]
        if reader in ready:
            reader.recv(4096)
            while self._signals:
                if self._signals.pop() != signal.SIGCHLD:
                    self._leave()
            self._look_at_child()
        if server in ready:
            self._answer(server)
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._time_is_up()

    # The circle

    def _enter(self, phase: Phase, *, pid: int = 0, timeout: float | None = None) -> None:
        self._phase = phase
        self._pid = pid
        self._deadline = None if timeout is None else time.monotonic() + timeout

    def _begin(self) -> None:
        self._again = self._killed = False
        self._invocation = uuid.uuid4().hex
        environment = self._environment()
        self._enter(Phase.PRESTART, pid=call(lambda: self._prestart(environment)), timeout=_PRESTART_TIMEOUT)

    def _environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**os.environ, "INVOCATION_ID": self._invocation, **(more or {})}

    def _look_at_child(self) -> None:
        status = reap(self._pid) if self._pid else None
        if status is None:
            return
        if self._phase is Phase.PRESTART:
            self._prestart_ended(status)
        elif self._phase is Phase.POSTSTOP:
            self._finish()
        else:
            self._main_pid = self._active_since = None
            end = end_of(status, killed_after_timeout=self._killed)
            log.info("%s ended", self._component, extra={"invocation": self._invocation, **end.variables()})
            self._end(end)

    def _prestart_ended(self, status: int) -> None:
        if self._again or not self._wanted:
            self._end(End("success"))
        elif os.WIFEXITED(status) and os.WEXITSTATUS(status) == REFUSED:
            log.error("prestart refused to start %s", self._component, extra={"invocation": self._invocation})
            self._end(End("exit-code"))
        else:
            self._main_pid = start(self._command, self._environment())
            self._active_since = time.clock_gettime(time.CLOCK_BOOTTIME)
            self._enter(Phase.RUNNING, pid=self._main_pid)

    def _end(self, end: End) -> None:
        environment = self._environment(end.variables())
        self._enter(Phase.POSTSTOP, pid=call(lambda: self._poststop(environment)), timeout=_PRESTART_TIMEOUT)

    def _finish(self) -> None:
        if not self._wanted:
            self._enter(Phase.STOPPED)
        elif self._again:
            self._begin()
        else:
            self._enter(Phase.PAUSE, timeout=self._delay)

    def _time_is_up(self) -> None:
        if self._phase is Phase.PAUSE:
            self._begin()
            return
        self._killed = True
        self._deadline = None
        log.warning("%s of %s took too long, killed", self._phase.value, self._component)
        kill_group(self._pid, signal.SIGKILL)

    # What it is told

    def _stop_child(self) -> None:
        if self._phase is Phase.RUNNING:
            kill_group(self._pid, signal.SIGTERM)
            self._enter(Phase.STOPPING, pid=self._pid, timeout=_STOP_TIMEOUT)
        elif self._phase is Phase.PRESTART:
            kill_group(self._pid, signal.SIGKILL)
        elif self._phase is Phase.PAUSE:
            self._finish()

    def _restart(self) -> None:
        if self._wanted:
            self._again = True
            self._stop_child()

    def _start(self) -> None:
        if not self._leaving and not self._wanted:
            self._wanted = self._again = True
            if self._phase is Phase.STOPPED:
                self._begin()

    def _stop(self) -> None:
        self._wanted = False
        self._stop_child()

    def _leave(self) -> None:
        self._leaving = True
        self._stop()

    def _answer(self, server: socket.socket) -> None:
        try:
            connection, _address = server.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(0.5)
            try:
                word = connection.recv(64).decode("ascii", "replace").strip()
                connection.sendall(_line(self._do(word)))
            except OSError:
                pass  # whoever asked has gone, or never asked

    def _do(self, word: str) -> dict[str, Any]:
        if word not in WORDS:
            return {"error": f"unknown request {word[:20]!r}"}
        actions = {"restart": self._restart, "start": self._start, "stop": self._stop, "shutdown": self._leave}
        actions.get(word, lambda: None)()
        return unit_to(self.unit())

    def unit(self) -> Unit:
        """Return the unit as it is now."""
        if self._phase is Phase.RUNNING:
            state = "active"
        else:
            state = "starting" if self._wanted else "stopped"
        return Unit(self._unit, state, self._invocation, self._main_pid, self._active_since)


def _line(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data).encode() + b"\n"
