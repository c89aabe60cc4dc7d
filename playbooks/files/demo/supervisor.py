# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small supervisor: does for one component what systemd does for its unit.

    supervisor.py --config=agent.yaml --service=kubelet.json kubelet -- python3 -I configok-agent.pyz

It runs prestart, the component, poststop with systemd's variables, pauses, and starts again, without a limit, as with
Restart=always and StartLimitIntervalSec=0. The file of the service has its `command` and its `restartDelay` in seconds.
Its one thread sleeps until a child ends, a request or a signal comes, or a deadline passes.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from fake_systemd import REQUESTS, encode_unit, socket_address, unit_properties
from lifetime import end_with_parent
from product import load

__all__ = ["End", "Supervisor", "end_of", "kill_group", "main", "start"]

EXIT_REFUSED = 78  # prestart's one exit code that keeps the component from being started
EXEC_FAILED = 203  # EXIT_EXEC, systemd.exec(5)
_HOOK_TIMEOUT = 5.0
_STOP_TIMEOUT = 10.0  # from TERM to KILL
_CLEAN_SIGNALS = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGPIPE,
)  # systemd.service(5), SuccessExitStatus=
_interfaces = load("_agent._interfaces")
log = logging.getLogger("supervisor")


class End(NamedTuple):
    """How a main process ended, in systemd's words: SERVICE_RESULT, EXIT_CODE and EXIT_STATUS of systemd.exec(5)."""

    result: str  # success | exit-code | signal | core-dump | timeout
    code: str = ""  # exited | killed | dumped; "" if no main process ran
    status: str = ""  # number, or name of a signal without SIG

    def variables(self) -> dict[str, str]:
        """Return the environment of an ExecStopPost."""
        variables = {"SERVICE_RESULT": self.result}
        if self.code:
            variables.update(EXIT_CODE=self.code, EXIT_STATUS=self.status)
        return variables


def end_of(code: int, status: int, *, killed_after_timeout: bool = False) -> End:
    """Return the end that si_code and si_status of waitid(2) describe."""
    if code == os.CLD_EXITED:
        end = End("success" if status == 0 else "exit-code", "exited", str(status))
    elif code == os.CLD_DUMPED:
        end = End("core-dump", "dumped", _signal_name(status))
    else:
        end = End("success" if status in _CLEAN_SIGNALS else "signal", "killed", _signal_name(status))
    return end._replace(result="timeout") if killed_after_timeout else end


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name[3:]
    except ValueError:
        return str(number)


def start(argv: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a program as the leader of its own session, which ends with the supervisor. Raises OSError."""
    return subprocess.Popen(
        list(argv),
        env=dict(environment),
        start_new_session=True,
        preexec_fn=end_with_parent(),
        stdin=subprocess.DEVNULL,
    )


def reap(process: subprocess.Popen[bytes]) -> tuple[int, int] | None:
    """Return si_code and si_status of a child that has ended, None while it runs; kill what is left of its group."""
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if ended is None:
        return None
    kill_group(process.pid, signal.SIGKILL)  # before waiting: until then no other process can have this number
    process.wait()
    return ended.si_code, ended.si_status


def kill_group(pid: int, number: int) -> None:
    """Send a signal to a child that was not waited for yet, and to its group."""
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


class Service(NamedTuple):
    """What a supervisor runs: a unit's name, its command, and the seconds between an end and the next start."""

    unit: str
    command: Sequence[str]
    restart_delay: float


class Phase(Enum):
    """The phase of a component's life."""

    STOPPED = "stopped"
    PAUSE = "pause"
    PRESTART = "prestart"
    RUNNING = "running"
    STOPPING = "stopping"
    POSTSTOP = "poststop"


class Supervisor:
    """Keeps one component running, and answers the requests on its socket."""

    def __init__(
        self, component: str, service: Service, run_directory: str, hook: Callable[[str], Sequence[str]]
    ) -> None:
        """Prepare to keep the component running. hook: returns the command of prestart or poststop."""
        self._component = component
        self._service = service
        self._run_directory = run_directory
        self._unit_file = Path(run_directory, f"{component}.unit")
        self._written = ""  # to that file
        self._hook = hook
        self._phase = Phase.STOPPED
        self._process: subprocess.Popen[bytes] | None = None  # the child of this phase
        self._deadline: float | None = None  # monotonic, of this phase
        self._is_enabled = True  # False: an administrator stopped it
        self._is_restarting = False  # a restart was requested: no pause
        self._is_shutting_down = False
        self._is_killed = False  # the main process did not end in time
        self._invocation = ""
        self._active_since: float | None = None
        self._main_pid: int | None = None
        self._signals: list[int] = []

    def run(self) -> None:
        """Supervise until SIGTERM, SIGINT or the request ``shutdown``. Raises OSError if there is no socket.

        On SIGUSR1, restart the component.
        """
        reader, writer = socket.socketpair()
        for end in (reader, writer):
            end.setblocking(False)
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGUSR1):
            signal.signal(number, lambda number, _frame: self._signals.append(number))
        named = socket_address(self._run_directory, self._component)
        with named as address, socket.socket(socket.AF_UNIX) as server:
            if os.path.lexists(address):
                os.unlink(address)
            server.bind(address)
            os.chmod(address, 0o600)
            server.listen(16)
            try:
                self._begin()
                while not (self._is_shutting_down and self._phase is Phase.STOPPED):
                    self._write_unit()
                    self._wait(server, reader)
            finally:
                self._unit_file.unlink(missing_ok=True)
                os.unlink(address)

    def _write_unit(self) -> None:
        """Write the unit's properties for systemctl, if they have changed."""
        properties = unit_properties(self.unit(), os.getpid())
        if properties != self._written:
            written = self._unit_file.with_suffix(".unit.new")
            written.write_text(properties, encoding="ascii")
            written.replace(self._unit_file)
            self._written = properties

    def _wait(self, server: socket.socket, reader: socket.socket) -> None:
        timeout = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        ready = select.select([server, reader], [], [], timeout)[0]
        if reader in ready:
            reader.recv(4096)
            while self._signals:
                number = self._signals.pop()
                if number == signal.SIGUSR1:
                    self._restart()
                elif number != signal.SIGCHLD:
                    self._shut_down()
            self._look_at_child()
        if server in ready:
            self._answer(server)
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._handle_deadline()

    # The phases

    def _enter(
        self, phase: Phase, *, process: subprocess.Popen[bytes] | None = None, timeout: float | None = None
    ) -> None:
        self._phase = phase
        self._process = process
        self._deadline = None if timeout is None else time.monotonic() + timeout

    def _begin(self) -> None:
        self._is_restarting = self._is_killed = False
        self._invocation = uuid.uuid4().hex
        process = start(self._hook("prestart"), self._environment())
        self._enter(Phase.PRESTART, process=process, timeout=_HOOK_TIMEOUT)

    def _environment(self, variables: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**os.environ, "INVOCATION_ID": self._invocation, **(variables or {})}

    def _look_at_child(self) -> None:
        ended = reap(self._process) if self._process is not None else None
        if ended is None:
            return
        if self._phase is Phase.PRESTART:
            self._after_prestart(*ended)
        elif self._phase is Phase.POSTSTOP:
            self._after_poststop()
        else:
            self._after_component(end_of(*ended, killed_after_timeout=self._is_killed))

    def _after_prestart(self, code: int, status: int) -> None:
        if self._is_restarting or not self._is_enabled:
            self._run_poststop(End("success"))
        elif (code, status) == (os.CLD_EXITED, EXIT_REFUSED):
            log.error("prestart refused to start %s invocation=%s", self._component, self._invocation)
            self._run_poststop(End("exit-code"))
        else:
            try:
                process = start(self._service.command, self._environment())
            except OSError:
                self._after_component(End("exit-code", "exited", str(EXEC_FAILED)))
                return
            self._main_pid = process.pid
            self._active_since = time.clock_gettime(time.CLOCK_BOOTTIME)
            self._enter(Phase.RUNNING, process=process)

    def _after_component(self, end: End) -> None:
        self._main_pid = self._active_since = None
        variables = " ".join(f"{name}={value}" for name, value in end.variables().items())
        log.info("%s ended invocation=%s %s", self._component, self._invocation, variables)
        self._run_poststop(end)

    def _run_poststop(self, end: End) -> None:
        process = start(self._hook("poststop"), self._environment(end.variables()))
        self._enter(Phase.POSTSTOP, process=process, timeout=_HOOK_TIMEOUT)

    def _after_poststop(self) -> None:
        if not self._is_enabled:
            self._enter(Phase.STOPPED)
        elif self._is_restarting:
            self._begin()
        else:
            self._enter(Phase.PAUSE, timeout=self._service.restart_delay)

    def _handle_deadline(self) -> None:
        if self._process is None:
            self._begin()  # the pause is over
            return
        self._is_killed = True
        self._deadline = None
        log.warning("%s of %s took too long, killed", self._phase.value, self._component)
        kill_group(self._process.pid, signal.SIGKILL)

    # The requests

    def _stop_child(self) -> None:
        if self._phase is Phase.PAUSE:
            self._after_poststop()
        elif self._process is not None and self._phase is Phase.RUNNING:
            kill_group(self._process.pid, signal.SIGTERM)
            self._enter(Phase.STOPPING, process=self._process, timeout=_STOP_TIMEOUT)
        elif self._process is not None and self._phase is Phase.PRESTART:
            kill_group(self._process.pid, signal.SIGKILL)

    def _restart(self) -> None:
        if self._is_enabled:
            self._is_restarting = True
            self._stop_child()

    def _start(self) -> None:
        if not self._is_shutting_down and not self._is_enabled:
            self._is_enabled = self._is_restarting = True
            if self._phase is Phase.STOPPED:
                self._begin()

    def _stop(self) -> None:
        self._is_enabled = False
        self._stop_child()

    def _shut_down(self) -> None:
        self._is_shutting_down = True
        self._stop()

    def _answer(self, server: socket.socket) -> None:
        try:
            connection, _address = server.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(0.5)
            try:
                request = connection.recv(64).decode("ascii", "replace").strip()
                connection.sendall(json.dumps(self._handle(request)).encode() + b"\n")
            except OSError:
                pass  # the client is gone

    def _handle(self, request: str) -> dict[str, Any]:
        if request not in REQUESTS:
            return {"error": f"unknown request {request[:20]!r}"}
        actions = {"restart": self._restart, "start": self._start, "stop": self._stop, "shutdown": self._shut_down}
        actions.get(request, lambda: None)()
        return encode_unit(self.unit())

    def unit(self) -> Any:
        """Return the unit as it is now."""
        if self._phase is Phase.RUNNING:
            state = "active"
        else:
            state = "starting" if self._is_enabled else "stopped"
        return _interfaces.Unit(self._service.unit, state, self._invocation, self._main_pid, self._active_since)


def main(argv: Sequence[str]) -> int:
    """Supervise one component until it is shut down, and return the exit code."""
    parser = argparse.ArgumentParser(prog="supervisor.py", description="Run a component without systemd.")
    parser.add_argument("--config", required=True, help="the AgentConfiguration")
    parser.add_argument("--service", required=True, type=Path, help="a JSON file with command and restartDelay")
    parser.add_argument("component")
    parser.add_argument("agent", nargs="+", help="the command configok-agent, behind --")
    arguments = parser.parse_args(argv)
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.INFO)
    component = arguments.component
    configuration = load("_agent._agent_configuration").load_configuration(arguments.config)
    settings = json.loads(arguments.service.read_text(encoding="utf-8"))
    unit = configuration.components[component].unit
    service = Service(unit, settings["command"], settings["restartDelay"])

    def hook(name: str) -> list[str]:
        return [*arguments.agent, f"--config={arguments.config}", name, component]

    files = load("_agent._store._durable_files")
    try:
        with files.locked(os.path.join(configuration.run_directory, f"{component}.lock"), wait=0):
            Supervisor(component, service, configuration.run_directory, hook).run()
    except files.LockTimeout:
        log.error("%s has a supervisor already, on %s", component, configuration.run_directory)
        return 1
    except OSError as error:
        log.error("%s: %s", error.filename, error.strerror)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
