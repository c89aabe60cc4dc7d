# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wakes the daemon: a datagram from a hook or a command, a byte of a thread or a signal.

prestart, poststop and forget-bad change the store. The daemon does not poll, so they notify it. A notification is
cheap, has no content and may be lost: the state is in the store.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum

SOCKET_NAME = "agent.sock"


def notify_agent(run_directory: str) -> None:
    """Wake the daemon of this run directory, if it runs, so that it reads the store again."""
    with suppress(OSError), _opened(run_directory) as directory, _datagram_socket() as sender:
        sender.sendto(b"\n", _short(directory))


def is_listening(run_directory: str) -> bool:
    """Return whether a daemon listens in this run directory, without waking it."""
    with suppress(OSError), _opened(run_directory) as directory, _datagram_socket() as sender:
        sender.connect(_short(directory))
        return True
    return False


def _datagram_socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)


@contextmanager
def _opened(directory: str) -> Iterator[int]:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _short(directory: int) -> str:
    """Return an address that fits the 108 bytes of a unix socket's path, however deep the directory is."""
    return f"/proc/self/fd/{directory}/{SOCKET_NAME}"


_NOTIFIED, _TASK_DONE = b"\n", b"t"


class Wakeup(Enum):
    """Cause of the end of a wait. TASK_DONE: only background tasks have ended."""

    TIMEOUT = 1
    NOTIFIED = 2
    TASK_DONE = 3


class Notifications:
    """Receives the daemon's notifications: datagrams from hooks, and bytes from its own threads and of signals."""

    def __init__(self, run_directory: str | None = None) -> None:
        """Listen in the run directory (None: only for this process). Raises OSError."""
        self._hears_signals = False
        self._inside, self._waker = socket.socketpair()
        self._sockets = [self._inside]
        self._waker.setblocking(False)
        self._inside.setblocking(False)
        if run_directory is not None:
            os.makedirs(run_directory, mode=0o755, exist_ok=True)
            with _opened(run_directory) as directory:
                listener = _datagram_socket()
                self._sockets.append(listener)
                with suppress(FileNotFoundError):
                    os.unlink(SOCKET_NAME, dir_fd=directory)
                listener.bind(_short(directory))
                os.chmod(SOCKET_NAME, 0o600, dir_fd=directory)

    def notify_of_signals(self) -> None:
        """Let each signal that has a handler end the present or the next wait().

        Python runs a handler between two instructions. One of a signal that arrives just before the wait would
        otherwise run after it.
        """
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        self._hears_signals = True

    def notify(self) -> None:
        """End the present or the next wait(); safe from threads."""
        self._send(_NOTIFIED)

    def task_done(self) -> None:
        """End the present or the next wait(), as the end of a background task; safe from threads."""
        self._send(_TASK_DONE)

    def _send(self, byte: bytes) -> None:
        with suppress(OSError):  # the buffer is full of notifications already, or closed
            self._waker.send(byte)

    def wait(self, timeout: float | None) -> Wakeup:
        """Wait up to timeout seconds (None: without limit); return what has ended the wait."""
        received = b""
        for ready in select.select(self._sockets, [], [], timeout)[0]:
            try:
                while True:
                    data = ready.recv(4096)
                    if not data:
                        break
                    received += data
            except BlockingIOError:
                pass
        if not received:
            return Wakeup.TIMEOUT
        return Wakeup.TASK_DONE if not received.strip(_TASK_DONE) else Wakeup.NOTIFIED

    def close(self) -> None:
        """Stop listening."""
        if self._hears_signals:
            signal.set_wakeup_fd(-1)
        self._waker.close()
        for receiver in self._sockets:
            receiver.close()
