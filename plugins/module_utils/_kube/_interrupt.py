# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A way to end what blocks on a socket from another thread. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Sequence
from typing import Union

__all__ = ["Interrupt", "SocketOptions"]

SocketOptions = Sequence[tuple[int, int, Union[int, bytes]]]


class Interrupt:
    """One connection at a time, which trip() ends whatever its owner waits for: connect, TLS handshake or bytes.

    A timeout in slices would do too, but http.client cannot go on reading after one. A duplicate of the socket is kept,
    because TLS takes the socket itself away; shutting down either ends both.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: socket.socket | None = None
        self._tripped = False

    def connect(self, host: str, port: int, *, timeout: float | None, options: SocketOptions) -> socket.socket:
        """Return a connected TCP socket that trip() ends; raise OSError where there is none."""
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
        """End the connection, now and in future."""
        with self._lock:
            self._tripped = True
            if self._line is not None:
                # Where it is not connected any more, nobody waits for it.
                with contextlib.suppress(OSError):
                    self._line.shutdown(socket.SHUT_RDWR)

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
            self._line = sock.dup()

    def _check(self) -> None:
        with self._lock:
            if self._tripped:
                raise ConnectionAbortedError("interrupted")

    def _forget(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None
