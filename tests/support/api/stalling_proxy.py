# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proxy before an API server that can withhold the bytes of watches, while it answers everything else."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

__all__ = ["StallingProxy", "stalling_proxy"]


class StallingProxy:
    """One connection to the server for each request. flows: while it is not set, no byte of a watch is delivered."""

    def __init__(self, target: str) -> None:
        """target: the URL of the API server."""
        self._target = urlsplit(target)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.flows = threading.Event()
        self.flows.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        """Deliver no byte of a watch from now on."""
        self.flows.clear()

    def close(self) -> None:
        """Accept no further connection, and let what is withheld go."""
        self._listener.close()
        self.flows.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError), client, client.makefile("rb") as reader:
            head = [line := reader.readline()]
            while line not in (b"\r\n", b""):
                head.append(line := reader.readline())
            is_watch = b"watch=true" in head[0] or b"watch=1" in head[0]
            lengths = [int(line.split(b":")[1]) for line in head if line.lower().startswith(b"content-length:")]
            body = reader.read(lengths[0]) if lengths else b""
            sent = [head[0], b"Connection: close\r\n"]
            sent += [line for line in head[1:] if not line.lower().startswith(b"connection:")]
            with socket.create_connection((self._target.hostname or "", self._target.port or 80)) as server:
                server.sendall(b"".join(sent) + body)
                while data := server.recv(65536):
                    if is_watch:
                        self.flows.wait()
                    client.sendall(data)


@contextmanager
def stalling_proxy(target: str) -> Iterator[StallingProxy]:
    """Start a proxy before the API server with this URL, and close it in the end."""
    proxy = StallingProxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
