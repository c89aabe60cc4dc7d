# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loopback port: it answers a scrape, whatever other clients do."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._reporting import _metrics_server
from ansible_collections.configok.node.plugins.module_utils._agent._reporting._metrics_server import (
    MAX_REQUEST,
    MOST,
    MetricsServer,
    answer,
)

GET = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


def journal(level: str, message: str, **fields: Any) -> None:
    """Nobody reads it."""


@pytest.fixture(params=["127.0.0.1", "::1"])
def server(request: pytest.FixtureRequest) -> Iterator[MetricsServer]:
    one = MetricsServer((request.param, 0), journal)
    one.start()
    if not one.port:
        pytest.skip(f"{request.param} is not an address of this machine")
    one.show("a 1\n")
    yield one
    one.close()


def connect(server: MetricsServer) -> socket.socket:
    assert server._listener is not None
    return socket.create_connection(server._listener.getsockname()[:2], timeout=10)


def scrape(server: MetricsServer, path: str = "/metrics", method: str = "GET") -> tuple[int, str]:
    """Ask as a well-behaved client does."""
    assert server._listener is not None
    host, port = server._listener.getsockname()[:2]
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


@pytest.mark.contract("metrics.format")
def test_a_scrape(server: MetricsServer) -> None:
    assert scrape(server) == (200, "a 1\n")
    server.show("a 2\n" * 300_000)  # more than a socket's buffer
    assert scrape(server) == (200, "a 2\n" * 300_000)
    assert scrape(server, method="HEAD") == (200, "")
    assert scrape(server, "/")[0] == 404
    assert scrape(server, method="POST")[0] == 405


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (GET, b"200"),
        (b"GET /metrics?name[]=x HTTP/1.0\r\n\r\n", b"200"),
        (b"GET /metrics\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\r\n\r\n", b"400"),  # TLS
        (b"GET /metrics SPDY/3\r\n\r\n", b"400"),
        (b"GET /../metrics HTTP/1.1\r\n\r\n", b"404"),
        (b"DELETE /metrics HTTP/1.1\r\n\r\n", b"405"),
        (b"GET /metrics HTTP/1.1\r\n" + b"x" * MAX_REQUEST, b"431"),
    ],
)
def test_the_answer(request_: bytes, status: bytes) -> None:
    head, _end, body = answer(request_, b"a 1\n").partition(b"\r\n\r\n")
    assert head.split(b" ")[1] == status
    assert f"Content-Length: {len(body)}".encode() in head
    assert (body == b"a 1\n") == (status == b"200")


def test_no_answer_to_half_a_request_and_none_before_anything_is_known() -> None:
    for end in range(len(GET)):
        assert answer(GET[:end], b"a 1\n") == b""
    assert answer(GET, b"").startswith(b"HTTP/1.1 503 ")


def test_idle_and_slow_clients_keep_nobody_out(server: MetricsServer) -> None:
    idle = [connect(server) for _client in range(3 * MOST)]
    began = time.monotonic()
    assert scrape(server) == (200, "a 1\n")
    assert time.monotonic() - began < _metrics_server.DEADLINE
    assert len(server._connections) <= MOST
    for one in idle:
        one.close()


def test_a_client_that_never_comes_to_an_end_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_metrics_server, "DEADLINE", 0.2)
    server = MetricsServer(("127.0.0.1", 0), journal)
    server.start()
    with connect(server) as silent, connect(server) as greedy:
        server.show("a 1\n" * 1_000_000)
        greedy.sendall(GET)  # and never reads
        assert silent.recv(1) == b""  # dropped
        deadline = time.monotonic() + 5
        while server._connections and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server._connections == []
    server.close()


def test_a_flood_is_cut_off(server: MetricsServer) -> None:
    with connect(server) as client:
        try:
            client.sendall(b"x" * 50 * MAX_REQUEST)
            answered = client.recv(64)
        except ConnectionError:
            answered = b""
        assert answered in (b"",) or answered.startswith(b"HTTP/1.1 431 ")
    assert scrape(server)[0] == 200


def test_a_port_that_is_taken_is_said_and_harms_nothing() -> None:
    log: list[str] = []

    def keep(level: str, message: str, **fields: Any) -> None:
        log.append(message)

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        server = MetricsServer(other.getsockname(), keep)
        server.start()
        assert server.show("a 1\n")
        server.close()
    assert len(log) == 1
    assert "Address already in use" in log[0]


def test_it_sleeps_while_nobody_asks_and_ends_when_told(server: MetricsServer) -> None:
    scrape(server)
    before = time.process_time()
    time.sleep(0.3)  # what is measured is the time itself
    assert time.process_time() - before < 0.1
    assert server._listener is not None
    address = server._listener.getsockname()[:2]
    server.close()
    assert not server._thread.is_alive()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=10)
