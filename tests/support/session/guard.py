# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends what a run of tests has started when the run ends, in whatever way it ends.

A run puts its mark into its environment, which the processes that it starts inherit. This file, which imports nothing
of ours, is also the guard: a process in a session of its own, which ends all processes with the mark after the run.

    python guard.py MARK OWNER MAKE      OWNER: the process of the run; MAKE: the one that started it, or 0
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["VARIABLE", "end", "guard", "marked", "unmarked_environment"]

VARIABLE = "STARTED_BY_TESTS"  # the marks of a run and of the runs that it is part of, with colons
_ROUND = 0.25  # seconds between two looks
_GRACE = 3.0  # seconds between SIGTERM and SIGKILL
_PROC = Path("/proc")


def guard() -> str:
    """End what this process starts from now on when this process ends, or the `make` that it runs under.

    Return the mark of these processes, or "" without a guard.
    """
    if not (_PROC / "self/environ").exists():
        return ""  # not Linux
    # A script that starts the run in the background has it ignore interrupts, and with it all that tests interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    mark = f"{os.getpid()}-{time.time_ns()}"
    environment = unmarked_environment()
    os.environ[VARIABLE] = ":".join(filter(None, (os.environ.get(VARIABLE), mark)))
    subprocess.Popen(
        [sys.executable, "-I", str(Path(__file__).resolve()), mark, str(os.getpid()), str(_make())],
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a signal that ends the run must not end the guard
    ).returncode = 0  # nothing waits for it
    return mark


def unmarked_environment() -> dict[str, str]:
    """Return the environment without marks, for a process that has to outlive the run and ends by itself."""
    return {name: value for name, value in os.environ.items() if name != VARIABLE}


def marked(mark: str) -> set[int]:
    """Return the processes with a mark, and all that they have started."""
    pids, children = set(), dict[int, list[int]]()
    for directory in _PROC.iterdir():
        if directory.name.isdigit():
            pid = int(directory.name)
            children.setdefault(_parent(pid), []).append(pid)
            if mark in _marks(directory) and _is_alive(pid):
                pids.add(pid)
    rest = list(pids)
    while rest:
        new = [child for child in children.get(rest.pop(), []) if child not in pids and _is_alive(child)]
        pids.update(new)
        rest += new
    return pids - {os.getpid()}


def _marks(directory: Path) -> list[str]:
    try:
        variables = (directory / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is of another user
        return []
    prefix = f"{VARIABLE}=".encode()
    return next((v[len(prefix) :].decode().split(":") for v in variables if v.startswith(prefix)), [])


def _stat(pid: int) -> list[str]:
    """Return the fields of a process from its state on, or nothing if there is none."""
    try:
        return (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def _is_alive(pid: int) -> bool:
    fields = _stat(pid)
    return bool(fields) and fields[0] not in "ZX"


def _make() -> int:
    """Return the nearest `make` that this process runs under, or 0."""
    pid = os.getppid()
    while pid > 1:
        try:
            name = (_PROC / str(pid) / "comm").read_text().strip()
        except OSError:
            return 0
        if name in ("make", "gmake"):
            return pid
        pid = _parent(pid)
    return 0


def _send(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            pass


def end(mark: str) -> None:
    """End the processes with a mark, and those that they start meanwhile: politely, then by force."""
    asked: set[int] = set()
    deadline = time.monotonic() + _GRACE
    while (pids := marked(mark)) and time.monotonic() < deadline:
        _send(pids - asked, signal.SIGTERM)
        _send(pids - asked, signal.SIGCONT)  # one that is stopped would not notice
        asked |= pids
        time.sleep(_ROUND)
    deadline = time.monotonic() + _GRACE
    while (pids := marked(mark)) and time.monotonic() < deadline:
        _send(pids, signal.SIGKILL)
        time.sleep(_ROUND)


def _wait(pid: int, seconds: float) -> None:
    """Wait until a process has ended, for up to `seconds`."""
    deadline = time.monotonic() + seconds
    while _is_alive(pid) and time.monotonic() < deadline:
        time.sleep(_ROUND)


def _watch(mark: str, owner: int, make: int) -> None:
    while _is_alive(owner) and (not make or _is_alive(make)):
        time.sleep(_ROUND)
    for number in (signal.SIGTERM, signal.SIGKILL):
        if _is_alive(owner):  # `make` was killed
            _send([owner], number)
            _wait(owner, _GRACE)
    end(mark)


if __name__ == "__main__":
    _watch(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
