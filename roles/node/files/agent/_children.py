# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Child processes of a supervisor: started, ended and described as systemd does it."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, NoReturn

__all__ = ["End", "call", "end_of", "kill_group", "reap", "start"]

EXEC_FAILED = 203  # EXIT_EXEC, systemd.exec(5)
_SET_PDEATHSIG = 1  # PR_SET_PDEATHSIG, prctl(2)
_CLEAN_SIGNALS = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGPIPE,
)  # systemd.service(5), SuccessExitStatus=
_HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)  # by the supervisor
_prctl = ctypes.CDLL(None).prctl  # looked up here, since little is safe between fork and exec


class End(NamedTuple):
    """How a main process ended, in systemd's words: SERVICE_RESULT, EXIT_CODE and EXIT_STATUS of systemd.exec(5)."""

    result: str  # success | exit-code | signal | core-dump | timeout
    code: str = ""  # exited | killed | dumped; "" where no main process ran
    status: str = ""  # number, or name of a signal without SIG

    def variables(self) -> dict[str, str]:
        """Return the environment of an ExecStopPost."""
        found = {"SERVICE_RESULT": self.result}
        if self.code:
            found.update(EXIT_CODE=self.code, EXIT_STATUS=self.status)
        return found


def end_of(status: int, *, killed_after_timeout: bool = False) -> End:
    """Return the end that a status of waitpid(2) tells of."""
    if os.WIFEXITED(status):
        number = os.WEXITSTATUS(status)
        result, code, shown = ("success" if number == 0 else "exit-code"), "exited", str(number)
    else:
        number = os.WTERMSIG(status)
        dumped = os.WCOREDUMP(status)
        code, shown = ("dumped" if dumped else "killed"), _signal_name(number)
        result = "core-dump" if dumped else "success" if number in _CLEAN_SIGNALS else "signal"
    return End("timeout" if killed_after_timeout else result, code, shown)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name[3:]
    except ValueError:
        return str(number)


def start(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    """Start a program as leader of a session of its own and return its pid; it exits with 203 if it cannot be run."""

    def run() -> NoReturn:
        os.execve(argv[0], list(argv), dict(environment))

    return _fork(run, EXEC_FAILED)


def call(function: Callable[[], int]) -> int:
    """Run a function in a child, which exits with what it returns, and return the child's pid.

    Cheaper than a new interpreter, and whatever becomes of it, the caller goes on.
    """

    def run() -> NoReturn:
        os._exit(function() & 0xFF)

    return _fork(run, 1)


def _fork(run: Callable[[], NoReturn], failed: int) -> int:
    parent = os.getpid()
    # A signal that comes before the child has let go of our handlers must wait, or it would be lost.
    signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
        return pid
    try:
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)  # a supervisor that is killed leaves nobody behind
        if os.getppid() != parent:
            os._exit(failed)
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (*_HANDLED, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
        run()
    finally:
        os._exit(failed)  # whatever was raised: a child never returns into the supervisor's loop


def reap(pid: int) -> int | None:
    """Return the status of a child that has ended, None while it runs; what is left of its group is killed."""
    if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        return None
    kill_group(pid, signal.SIGKILL)  # before waiting: until then nobody else can have this number
    return os.waitpid(pid, 0)[1]


def kill_group(pid: int, number: int) -> None:
    """Send a signal to a child that was not waited for yet, and to all in its group."""
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        try:
            os.kill(pid, number)  # it has not come to setsid yet
        except ProcessLookupError:
            pass
    except PermissionError:
        pass
