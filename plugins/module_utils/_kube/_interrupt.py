# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends a blocking socket operation from another thread."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Sequence
from typing import Union

SocketOptions = Sequence[tuple[int, int, Union[int, bytes]]]


class Interrupt:
    """One connection at a time; trip() ends it whatever its owner waits for: connect, TLS handshake or bytes.

    Reading with short timeouts is not an alternative, since http.client cannot continue after a timeout. A duplicate of
    the socket is kept, because TLS takes the socket itself over; shutting down either of them ends both.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._tripped = False

    def connect(self, host: str, port: int, *, timeout: float | None, options: SocketOptions) -> socket.socket:
        """Return a connected TCP socket that trip() ends; raise OSError if none can be made."""
        failure: OSError = OSError(f"no address for {host}")
        for family, kind, protocol, _name, address in socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM):
            sock = socket.socket(family, kind, protocol)
            try:
                for option in options:
                    sock.setsockopt(*option)
                sock.settimeout(timeout)
                self._attach(sock)
                sock.connect(address)
                self._check()
                return sock
            except OSError as exc:
                sock.close()
                failure = exc
        raise failure

    def trip(self) -> None:
        """End the current connection and every later one."""
        with self._lock:
            self._tripped = True
            if self._socket is not None:
                # A socket that is no longer connected blocks nothing.
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    @property
    def is_tripped(self) -> bool:
        """Return whether trip() was called."""
        return self._tripped

    def release(self) -> None:
        """Forget the connection."""
        with self._lock:
            self._forget()

    def _attach(self, sock: socket.socket) -> None:
        with self._lock:
            self._forget()
            if self._tripped:
                raise ConnectionAbortedError("interrupted")
            self._socket = sock.dup()

    def _check(self) -> None:
        with self._lock:
            if self._tripped:
                raise ConnectionAbortedError("interrupted")

    def _forget(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
