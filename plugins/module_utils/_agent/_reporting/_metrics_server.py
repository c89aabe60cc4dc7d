# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves the metrics on a loopback port with http.server.

It is imported only if the port is configured. Each of at most MAX_CONNECTIONS connections has a thread, and a new one
ends the oldest. A request may have MAX_REQUEST bytes, and a connection ends after DEADLINE seconds.
"""

from __future__ import annotations

import io
import socket
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

from .._log import log
from ._metrics import CONTENT_TYPE

MAX_CONNECTIONS = 16
MAX_REQUEST = 8192  # bytes
DEADLINE = 5.0  # seconds for a whole connection
_PAUSE = 1.0  # seconds without accepting after the system had no resources for a connection
_END_OF_HEAD = b"\r\n\r\n"
# Status of http.server -> status of this server, which knows two methods and HTTP/1.
_STATUSES = {501: 405, 505: 400}


class _Handler(BaseHTTPRequestHandler):
    """Answers the one request of a connection."""

    server: _Server
    protocol_version = "HTTP/1.1"
    # The defaults until the head is parsed. With HTTP/0.9, an error would be sent without a status line.
    request_version = default_request_version = "HTTP/1.0"
    command = ""

    def handle(self) -> None:
        """Read the whole head within the limits, and answer the request."""
        deadline = time.monotonic() + DEADLINE
        try:
            head = self._read_head(deadline)
            self.connection.settimeout(max(0.001, deadline - time.monotonic()))
            self.rfile.close()
            self.rfile = io.BytesIO(head)
            if _END_OF_HEAD in head:
                self.handle_one_request()
            elif len(head) > MAX_REQUEST:
                self.send_error(431)
        except OSError:
            pass  # the client is gone, or too slow

    def _read_head(self, deadline: float) -> bytes:
        """Return what the client sends, at least up to the end of the head. Raises OSError after the deadline."""
        head = b""
        while _END_OF_HEAD not in head and len(head) <= MAX_REQUEST:
            self.connection.settimeout(max(0.001, deadline - time.monotonic()))
            data = self.connection.recv(MAX_REQUEST)
            if not data:
                break
            head += data
        return head

    def parse_request(self) -> bool:
        """Parse the head; a request line without a version is answered with 400."""
        if not super().parse_request():
            return False
        if len(self.requestline.split()) != 3:
            self.send_error(400)
            return False
        return True

    def do_GET(self) -> None:
        """Answer /metrics with the metrics, or with 503 before there are any."""
        if self.path.partition("?")[0] != "/metrics":
            self.send_error(404)
        elif not self.server.exposition:
            self.send_error(503)
        else:
            self._respond(200, self.server.exposition, CONTENT_TYPE)

    def do_HEAD(self) -> None:
        """Answer like GET, without the body."""
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: scrapes are too frequent."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with a status and its reason phrase as text, instead of an HTML page."""
        status = _STATUSES.get(code, code)
        self._respond(status, f"{int(status)} {self.responses[status][0]}\n".encode(), "text/plain")

    def _respond(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if status == 405:
            self.send_header("Allow", "GET, HEAD")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    """Serves the exposition, and limits the number of connections."""

    request_queue_size = MAX_CONNECTIONS
    allow_reuse_port = False

    def __init__(self, address: tuple[str, int]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.exposition = b""
        self.is_closing = threading.Event()
        self._lock = threading.Lock()
        self._connections: deque[socket.socket] = deque()  # the oldest first
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind without asking DNS for the host's name, as HTTPServer would."""
        TCPServer.server_bind(self)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection, or pause if the system has no resources for one."""
        try:
            return super().get_request()
        except OSError:
            self.is_closing.wait(_PAUSE)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in its own thread; end the oldest one if there are too many."""
        with self._lock:
            self._connections.append(request)
            if len(self._connections) > MAX_CONNECTIONS:
                _end(self._connections.popleft())
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection that was served."""
        with self._lock:
            if request in self._connections:
                self._connections.remove(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """End all connections; their threads end with them."""
        with self._lock:
            for connection in self._connections:
                _end(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore an error of one connection: its client scrapes again."""


def _end(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the client has ended it


class MetricsServer:
    """Answers GET /metrics with the latest metrics. A failure to bind the port is logged, never raised."""

    def __init__(self, address: tuple[str, int]) -> None:
        """Prepare to listen on a loopback address and a port."""
        self._address = address
        self._server: _Server | None = None
        self._thread = threading.Thread(target=self._serve, name="metrics", daemon=True)

    @property
    def port(self) -> int:
        """The port on which the server listens, 0 if it does not."""
        return 0 if self._server is None else int(self._server.server_address[1])

    def start(self) -> None:
        """Start to listen."""
        try:
            self._server = _Server(self._address)
        except OSError as error:
            log.warning("no metrics on %s port %s: %s", self._address[0], self._address[1], error.strerror)
            return
        self._thread.start()

    def update(self, text: str) -> bool:
        """Serve the rendered metrics from now on; return True."""
        if self._server is not None:
            self._server.exposition = text.encode()
        return True

    def close(self) -> None:
        """Stop listening and end all connections."""
        if self._server is None:
            return
        self._server.is_closing.set()
        _end(self._server.socket)  # wakes the thread
        self._thread.join(timeout=DEADLINE)
        self._server.server_close()
        self._server.end_connections()
        self._server = None

    def _serve(self) -> None:
        """Accept connections until close(). serve_forever() would wake up twice a second."""
        server = self._server
        while server is not None and not server.is_closing.is_set():
            server.handle_request()
