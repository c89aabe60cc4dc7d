# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP/1.1 for the embedded API server: a thread for each connection, kept alive, with optional TLS.

Private to configok.node: no compatibility is promised.
Leaner than http.server, whose header parsing alone costs more than a small PATCH.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import BinaryIO
from urllib.parse import parse_qsl, unquote

__all__ = ["HttpServer", "Request", "Response"]

_MAX_LINE = 64 * 1024
_MAX_HEADERS = 100
_REASONS = {
    200: "OK", 201: "Created", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 409: "Conflict", 410: "Gone",
    413: "Request Entity Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Entity",
    429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
    504: "Gateway Timeout",
}  # fmt: skip


@dataclass
class Request:
    """One request. Header names are in lower case; `certificate` is the client's, as ssl.getpeercert() gives it."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""
    certificate: Mapping[str, object] = field(default_factory=dict)
    too_large: bool = False
    closed: Callable[[Callable[[], None]], Callable[[], None]] = lambda ended: lambda: None


@dataclass
class Response:
    """An answer to a request.

    stream: writes an answer of unknown length instead of the body. cut: the number of bytes of the answer, headers
    included, after which the connection is closed; 0 closes it without an answer.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Callable[[Callable[[bytes], None]], None] | None = None
    cut: int | None = None


class _Hangups:
    """Notifies streams at once when their client has gone. One thread serves all of them, and sleeps otherwise."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._woken.setblocking(False)
        self._selector.register(self._woken, selectors.EVENT_READ, None)
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="hangups", daemon=True)
        self._thread.start()

    def watch(self, connection: socket.socket, ended: Callable[[], None]) -> Callable[[], None]:
        """Call `ended` once when the connection is closed by its client. Returns what forgets it again."""
        self._selector.register(connection, selectors.EVENT_READ, ended)
        self._wake.send(b"x")

        def forget() -> None:
            with contextlib.suppress(KeyError, ValueError, OSError):
                self._selector.unregister(connection)

        return forget

    def _run(self) -> None:
        while not self._closing:
            for key, _events in self._selector.select():
                if key.data is None:
                    with contextlib.suppress(BlockingIOError):
                        self._woken.recv(4096)
                    continue
                # Nothing but a farewell comes from the client of a watch.
                with contextlib.suppress(KeyError, ValueError, OSError):
                    self._selector.unregister(key.fileobj)
                key.data()

    def close(self) -> None:
        """End the thread."""
        self._closing = True
        self._wake.send(b"x")
        self._thread.join()
        self._selector.close()
        self._wake.close()
        self._woken.close()


class HttpServer:
    """Listens on loopback and answers with `handle`."""

    def __init__(
        self,
        handle: Callable[[Request], Response],
        *,
        host: str,
        port: int,
        tls: ssl.SSLContext | None,
        max_body: int,
    ) -> None:
        """Bind the port (0: any that is free). Raises OSError when it is taken."""
        self._handle = handle
        self._tls = tls
        self._max_body = max_body
        self._listener = socket.create_server((host, port), backlog=1024)
        self.port: int = self._listener.getsockname()[1]
        self._hangups = _Hangups()
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closing = False
        self._thread = threading.Thread(target=self._accept, name="accept", daemon=True)

    def start(self) -> None:
        """Accept connections from now on, each in its own thread."""
        self._thread.start()

    def stop(self) -> None:
        """Close the port and every connection."""
        self._closing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.drop_connections()
        self._hangups.close()

    def drop_connections(self) -> None:
        """Close every connection, in whatever state it is."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._closing:
            try:
                connection, _address = self._listener.accept()
            except OSError:
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), name="connection", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)
        secured = connection
        try:
            if self._tls is not None:
                secured = self._tls.wrap_socket(connection, server_side=True)
                with self._lock:
                    self._connections.discard(connection)
                    self._connections.add(secured)
            with secured.makefile("rb") as reader:
                while not self._closing and self._exchange(secured, reader):
                    pass
        except (OSError, ValueError):
            pass  # the client has gone, or does not speak HTTP
        finally:
            with self._lock:
                self._connections.discard(connection)
                self._connections.discard(secured)
            with contextlib.suppress(OSError):
                secured.shutdown(socket.SHUT_RDWR)
            secured.close()

    def _exchange(self, connection: socket.socket, reader: BinaryIO) -> bool:
        """Answer one request. Return whether the connection stays open."""
        request = self._read(connection, reader)
        if request is None:
            return False
        response = self._handle(request)
        close = request.headers.get("connection", "").lower() == "close" or request.too_large
        if response.stream is not None and response.cut is None:
            self._stream(connection, response)
            return not close
        head = _head(response, f"Content-Length: {len(response.body)}\r\n", close)
        answer = head + response.body
        if response.cut is not None:
            connection.sendall(answer[: response.cut])
            return False
        connection.sendall(answer)
        return not close

    def _stream(self, connection: socket.socket, response: Response) -> None:
        connection.sendall(_head(response, "Transfer-Encoding: chunked\r\n", False))

        def write(data: bytes) -> None:
            if data:
                connection.sendall(b"%x\r\n%b\r\n" % (len(data), data))

        if response.stream is not None:
            response.stream(write)
        connection.sendall(b"0\r\n\r\n")

    def _read(self, connection: socket.socket, reader: BinaryIO) -> Request | None:
        line = reader.readline(_MAX_LINE)
        if not line:
            return None
        method, address, version = line.decode("latin-1").split()
        if not version.startswith("HTTP/1."):
            raise ValueError(version)
        headers: dict[str, str] = {}
        while True:
            line = reader.readline(_MAX_LINE)
            if line in (b"\r\n", b"\n"):
                break
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon or len(headers) >= _MAX_HEADERS:
                raise ValueError(line)
            headers[name.lower()] = value.strip()
        path, _mark, query = address.partition("?")
        size = int(headers.get("content-length") or 0)
        too_large = size > self._max_body
        body = b""
        if size and not too_large:
            if headers.get("expect", "").lower() == "100-continue":
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = reader.read(size)
            if len(body) < size:
                return None
        certificate = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None

        def closed(ended: Callable[[], None]) -> Callable[[], None]:
            return self._hangups.watch(connection, ended)

        return Request(
            method,
            unquote(path),
            dict(parse_qsl(query, keep_blank_values=True)),
            headers,
            body,
            certificate or {},
            too_large,
            closed,
        )


def _head(response: Response, length: str, close: bool) -> bytes:
    headers = {"Content-Type": "application/json", "Date": formatdate(usegmt=True), **response.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    end = "Connection: close\r\n\r\n" if close else "\r\n"
    return f"HTTP/1.1 {response.status} {_REASONS.get(response.status, '')}\r\n{lines}{length}{end}".encode("latin-1")
