# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics on a loopback port: the least of HTTP that a scrape needs. Private to configok.node.

In a thread of its own, which sleeps while nobody asks. Whatever a client does, it costs at most MOST connections of
MAX_REQUEST bytes for DEADLINE seconds each, and a scrape still gets through: who has waited longest makes room.
"""

from __future__ import annotations

import select
import socket
import threading
import time

from .._interfaces import Journal
from ._metrics import CONTENT_TYPE

__all__ = ["DEADLINE", "MAX_REQUEST", "MOST", "MetricsServer", "answer"]

MOST = 16  # connections at a time
MAX_REQUEST = 8192  # bytes
DEADLINE = 5.0  # seconds for a whole connection
_PAUSE = 1.0  # seconds without accepting, when the system has no room for a connection


def answer(request: bytes, exposition: bytes) -> bytes:
    """Return the response to a request's head; empty while more of it is to come."""
    head, end, _rest = request.partition(b"\r\n\r\n")
    if not end:
        return _response("431 Request Header Fields Too Large") if len(request) > MAX_REQUEST else b""
    words = head.split(b"\r\n", 1)[0].split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
        return _response("400 Bad Request")
    if words[0] not in (b"GET", b"HEAD"):
        return _response("405 Method Not Allowed", more="Allow: GET, HEAD\r\n")
    if words[1].partition(b"?")[0] != b"/metrics":
        return _response("404 Not Found")
    if not exposition:
        return _response("503 Service Unavailable")
    return _response("200 OK", exposition, content_type=CONTENT_TYPE, with_body=words[0] == b"GET")


def _response(
    status: str, body: bytes = b"", *, content_type: str = "text/plain", more: str = "", with_body: bool = True
) -> bytes:
    body = body or f"{status}\n".encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{more}"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (body if with_body else b"")


class _Connection:
    def __init__(self, peer: socket.socket, deadline: float) -> None:
        self.peer = peer
        self.deadline = deadline
        self.request = b""
        self.response = b""


class MetricsServer:
    """Answers GET /metrics with what was shown last. A port that cannot be had is said, and harms nothing."""

    def __init__(self, address: tuple[str, int], journal: Journal) -> None:
        """address: a loopback one."""
        self._address = address
        self._journal = journal
        self._exposition = b""
        self._listener: socket.socket | None = None
        self._inside, self._waker = socket.socketpair()
        self._connections: list[_Connection] = []  # the oldest first
        self._accept_at = 0.0
        self._thread = threading.Thread(target=self._run, name="metrics", daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on, 0 where it does not."""
        return 0 if self._listener is None else int(self._listener.getsockname()[1])

    def start(self) -> None:
        """Begin to listen."""
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(self._address)
            listener.listen(MOST)
        except OSError as error:
            listener.close()
            self._journal("warning", f"no metrics on {self._address[0]} port {self._address[1]}: {error.strerror}")
            return
        self._listener = listener
        self._thread.start()

    def show(self, text: str) -> bool:
        """Answer with this from now on."""
        self._exposition = text.encode()
        return True

    def close(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._waker.send(b"\n")
            self._thread.join(timeout=DEADLINE)
            self._listener = None
        self._waker.close()
        self._inside.close()

    def _run(self) -> None:
        listener = self._listener
        while listener is not None:
            now = time.monotonic()
            self._drop([one for one in self._connections if now >= one.deadline])
            reading = [one.peer for one in self._connections if not one.response]
            writing = [one.peer for one in self._connections if one.response]
            accepting = [listener] if now >= self._accept_at else []
            ends = [one.deadline for one in self._connections] + ([] if accepting else [self._accept_at])
            wait = max(0.0, min(ends) - now) if ends else None
            ready = select.select([self._inside, *accepting, *reading], writing, [], wait)
            if self._inside in ready[0]:
                break
            for one in list(self._connections):
                if one.peer in ready[0] or one.peer in ready[1]:
                    self._attend(one)
            if listener in ready[0]:
                self._accept(listener)
        self._drop(list(self._connections))
        if listener is not None:
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        try:
            peer, _address = listener.accept()
        except OSError:  # gone again, or no descriptors
            self._accept_at = time.monotonic() + _PAUSE
            return
        peer.setblocking(False)
        self._connections.append(_Connection(peer, time.monotonic() + DEADLINE))
        self._drop(self._connections[:-MOST])

    def _attend(self, one: _Connection) -> None:
        try:
            if not one.response:
                data = one.peer.recv(MAX_REQUEST)
                one.request += data
                one.response = answer(one.request, self._exposition)
                if not data:
                    self._drop([one])
                return
            one.response = one.response[one.peer.send(one.response) :]
            if not one.response:
                self._drop([one])
        except BlockingIOError:
            pass
        except OSError:
            self._drop([one])

    def _drop(self, some: list[_Connection]) -> None:
        for one in some:
            one.peer.close()
            self._connections.remove(one)
