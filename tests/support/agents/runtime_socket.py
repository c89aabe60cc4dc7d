# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The socket of a container runtime that answers as a gRPC server does, and can be stopped and started."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

__all__ = ["RuntimeSocket"]

_SETTINGS = b"\0\0\0\4\0\0\0\0\0"


class RuntimeSocket:
    """Listens until stop(). The path must be short: the kernel allows 107 bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._server: socket.socket | None = None
        self.start()

    @property
    def endpoint(self) -> str:
        """Return the endpoint as a kubelet's config names it."""
        return f"unix://{self.path}"

    def start(self) -> None:
        """Answer from now on."""
        self.path.unlink(missing_ok=True)
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(self.path))
        server.listen()
        self._server = server
        threading.Thread(target=self._serve, args=(server,), daemon=True).start()

    def stop(self) -> None:
        """Refuse connections, as the socket of a runtime that was stopped does."""
        if self._server is not None:
            self._server.shutdown(socket.SHUT_RDWR)
            self._server.close()
            self._server = None

    def _serve(self, server: socket.socket) -> None:
        while True:
            try:
                connection, _address = server.accept()
            except OSError:
                return
            with connection:
                if connection.recv(64).startswith(b"PRI * HTTP/2.0"):
                    connection.sendall(_SETTINGS)
