# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs commands, each with a deadline."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from ._agent._interfaces import CommandResult

__all__ = ["MAX_OUTPUT", "run_command"]

MAX_OUTPUT = 8 * 1024 * 1024  # bytes kept of each stream; the rest is read and dropped
_TIMED_OUT = 124  # as timeout(1)
_NOT_FOUND = 127  # as sh(1)
_CHUNK = 65536  # bytes
_TICK = 0.05  # seconds between two checks of a process that keeps its output open, or has closed it
_MIN_PAUSE = 0.001  # seconds: most processes end with their output


def run_command(
    argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
) -> CommandResult:
    """Run a command with LC_ALL=C; when timeout (seconds) has passed, kill it with all it started. Never raises.

    The end of the command counts, not the end of its output: a daemon that it started may hold the pipes without end.
    The rest of its process group is killed. The code is negative after a signal, as with subprocess.
    """
    environment = {**os.environ, **(env or {}), "LC_ALL": "C"}
    try:
        process = subprocess.Popen(
            list(argv),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return CommandResult(_NOT_FOUND, "", f"{argv[0]}: {getattr(error, 'strerror', None) or error}")
    with _ended(process):
        exchange = _Exchange(process, stdin.encode("utf-8", "replace"))
        ended = exchange.run(time.monotonic() + timeout)
        out, err = exchange.out, exchange.err
    if not ended:
        return CommandResult(_TIMED_OUT, "", f"{argv[0]}: no answer within {timeout:g}s")
    return CommandResult(process.returncode, out, err)


@contextlib.contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Clean up: the process, its group and the pipes."""
    try:
        yield
    finally:
        # Before the process is waited for: until then no other process can have its number.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


class _Exchange:
    """Writes a process's input and reads its output, without blocking on any of its pipes."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes) -> None:
        self._process = process
        self._stdin = memoryview(stdin)
        self._output: dict[int, bytearray] = {}

    @property
    def out(self) -> str:
        """What the process has written to its standard output."""
        return self._text(self._process.stdout)

    @property
    def err(self) -> str:
        """What the process has written to its standard error."""
        return self._text(self._process.stderr)

    def _text(self, pipe: IO[bytes] | None) -> str:
        output = b"" if pipe is None else bytes(self._output.get(pipe.fileno(), b""))
        return output.decode("utf-8", "replace")

    def run(self, deadline: float) -> bool:
        """Return whether the process has ended before the deadline, by the monotonic clock."""
        with selectors.DefaultSelector() as selector:
            for pipe, event in (
                (self._process.stdin, selectors.EVENT_WRITE),
                (self._process.stdout, selectors.EVENT_READ),
                (self._process.stderr, selectors.EVENT_READ),
            ):
                if pipe is not None:
                    os.set_blocking(pipe.fileno(), False)
                    selector.register(pipe, event)
            pause = _MIN_PAUSE
            while True:
                ended = self._has_ended()  # checked first, so that all its output is there to be read
                remaining = deadline - time.monotonic()
                if not ended and remaining <= 0:
                    return False
                ready = selector.select(0 if ended else min(_TICK, remaining)) if selector.get_map() else []
                for key, _events in ready:
                    self._serve(selector, key)
                if ended and (not ready or remaining <= 0):
                    return True
                if not ended and not selector.get_map():
                    time.sleep(min(pause, remaining))
                    pause = min(2 * pause, _TICK)

    def _has_ended(self) -> bool:
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _serve(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        """Write to or read from one pipe what it takes or has now, and forget a pipe that has ended."""
        try:
            if key.events == selectors.EVENT_WRITE:
                self._stdin = self._stdin[os.write(key.fd, self._stdin[:_CHUNK]) :]
                done = not self._stdin
            else:
                data = os.read(key.fd, _CHUNK)
                output = self._output.setdefault(key.fd, bytearray())
                output += data[: MAX_OUTPUT - len(output)]
                done = not data
        except BlockingIOError:
            return
        except OSError:  # it does not read its input
            done = True
        if done:
            selector.unregister(key.fileobj)
            if key.events == selectors.EVENT_WRITE:
                self._process.stdin.close()  # type: ignore[union-attr]  # it was registered, so it is there
