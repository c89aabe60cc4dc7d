# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An HTTP(S) server with scripted replies, including faults, and a clock that never sleeps."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials
from ansible_collections.configok.node.plugins.module_utils._kube.transport import ClientSettings, Timing
from support.session.patience import wait_until

PHRASE = {200: "OK", 201: "Created"}


@dataclass
class Request:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int
    peer: dict[str, Any] | None = None

    def json(self) -> Any:
        return json.loads(self.body)


Reply = Callable[[socket.socket, threading.Event], bool]


def answer(status: int = 200, body: Any = None, **headers: str) -> Reply:
    """Reply regularly, and keep the connection."""
    data = body if isinstance(body, bytes) else json.dumps(body if body is not None else {}).encode()
    lines = [f"HTTP/1.1 {status} {PHRASE.get(status, 'No')}", f"Content-Length: {len(data)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    whole = "\r\n".join(lines).encode() + b"\r\n\r\n" + data

    def reply(sock: socket.socket, _over: threading.Event) -> bool:
        sock.sendall(whole)
        return True

    return reply


def status(code: int, reason: str = "", message: str = "", details: Any = None, **headers: str) -> Reply:
    """Reply with a Status object."""
    body = {"kind": "Status", "code": code, "reason": reason, "message": message, "details": details}
    return answer(code, body, **headers)


def half(body: bytes = b'{"kind": "Node"', promised: int = 1000) -> Reply:
    """Announce more data than is sent, then close."""

    def reply(sock: socket.socket, _over: threading.Event) -> bool:
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % promised + body)
        return False

    return reply


def reset() -> Reply:
    """Accept the request and reset the connection."""

    def reply(sock: socket.socket, _over: threading.Event) -> bool:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    return reply


def silence() -> Reply:
    """Accept the request and do not reply."""

    def reply(_sock: socket.socket, over: threading.Event) -> bool:
        over.wait(30)
        return False

    return reply


def stream(*parts: Any, end: str = "whole") -> Reply:
    """Reply in chunks: dicts as lines, bytes unchanged; then end "whole", "cut", or "hold" (silent)."""

    def reply(sock: socket.socket, over: threading.Event) -> bool:
        sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for part in parts:
            data = part if isinstance(part, bytes) else json.dumps(part).encode() + b"\n"
            sock.sendall(b"%x\r\n%s\r\n" % (len(data), data))
        if end == "whole":
            sock.sendall(b"0\r\n\r\n")
            return True
        if end == "hold":
            over.wait(30)
        return False

    return reply


@dataclass
class Server:
    """Requests in the order of arrival; replies are sent in the order of the script, and the last one repeatedly."""

    script: list[Reply] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    context: ssl.SSLContext | None = None
    prefix: str = ""

    def __post_init__(self) -> None:
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._count = 0
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}{self.prefix}"

    def says(self, *replies: Reply) -> None:
        self.script[:] = replies

    def wait_for(self, count: int) -> None:
        wait_until(lambda: len(self.requests) >= count, lambda: f"{len(self.requests)} of {count} requests came")

    def drop_connections(self) -> None:
        """Close all connections, as a restarting server does."""
        with self._lock:
            for sock in self._open:
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def close(self) -> None:
        self._over.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # Wake accept().
        self._listener.close()
        self.drop_connections()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _address = self._listener.accept()
                self._count += 1
                threading.Thread(target=self._serve, args=(sock, self._count), daemon=True).start()

    def _serve(self, sock: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self.context:
                sock = self.context.wrap_socket(sock, server_side=True)
            with self._lock:
                self._open.add(sock)
            with sock, sock.makefile("rb") as reader:
                while not self._over.is_set() and self._one(sock, reader, number):
                    pass
        with self._lock:
            self._open.discard(sock)
        sock.close()

    def _one(self, sock: socket.socket, reader: Any, number: int) -> bool:
        first = reader.readline().decode().split()
        if len(first) != 3:
            return False
        headers = {}
        for line in iter(reader.readline, b"\r\n"):
            name, _colon, value = line.decode().partition(":")
            headers[name.strip().lower()] = value.strip()
        body = reader.read(int(headers.get("content-length", 0)))
        peer = sock.getpeercert() if isinstance(sock, ssl.SSLSocket) else None
        with self._lock:
            self.requests.append(Request(first[0], first[1], headers, body, number, peer))
            reply = self.script.pop(0) if len(self.script) > 1 else self.script[0] if self.script else answer()
        return reply(sock, self._over)


class Clock:
    """Time that passes only during sleep()."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Replies:
    """The kinds of replies, as one fixture, since test files cannot import a conftest."""

    answer = staticmethod(answer)
    status = staticmethod(status)
    half = staticmethod(half)
    reset = staticmethod(reset)
    silence = staticmethod(silence)
    stream = staticmethod(stream)


@pytest.fixture
def replies() -> type[Replies]:
    return Replies


@pytest.fixture
def server() -> Iterator[Server]:
    with contextlib.closing(Server()) as running:
        yield running


@pytest.fixture
def tls_server() -> Iterator[Callable[[ssl.SSLContext], Server]]:
    """Return a function that starts a server with TLS."""
    with contextlib.ExitStack() as stack:

        def start(context: ssl.SSLContext) -> Server:
            return stack.enter_context(contextlib.closing(Server(context=context)))

        yield start


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def connect(clock: Any) -> Iterator[Callable[[Credentials], Client]]:
    """Return a function that makes a client, which is closed after the test."""
    made: list[Client] = []

    def make(credentials: Credentials) -> Client:
        made.append(Client(credentials, ClientSettings(timeout=5.0), Timing(clock.sleep, clock)))
        return made[-1]

    yield make
    for client in made:
        client.close()
