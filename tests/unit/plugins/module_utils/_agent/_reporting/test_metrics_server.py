# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loopback port: it answers scrapes, whatever other clients do."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._reporting import _metrics_server
from ansible_collections.configok.node.plugins.module_utils._agent._reporting._metrics_server import (
    MAX_CONNECTIONS,
    MAX_REQUEST,
    MetricsServer,
)
from support.agents.log_lines import record_log
from support.session.patience import wait_until

GET = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(params=["127.0.0.1", "::1"])
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(host: str) -> Iterator[MetricsServer]:
    server = MetricsServer((host, 0))
    server.start()
    if not server.port:
        pytest.skip(f"{host} is not an address of this machine")
    server.update("a 1\n")
    yield server
    server.close()


def connect(host: str, server: MetricsServer) -> socket.socket:
    return socket.create_connection((host, server.port), timeout=10)


def scrape(host: str, server: MetricsServer, path: str = "/metrics", method: str = "GET") -> tuple[int, str]:
    """Scrape as a well-behaved client; return status and body."""
    connection = http.client.HTTPConnection(host, server.port, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def answer(host: str, server: MetricsServer, request: bytes) -> bytes:
    """Send a request and return what comes until the server closes the connection."""
    with connect(host, server) as client:
        client.sendall(request)
        received = b""
        while data := client.recv(65536):
            received += data
        return received


@pytest.mark.contract("metrics.format")
def test_a_scrape_is_answered_and_other_requests_are_refused(host: str, server: MetricsServer) -> None:
    assert scrape(host, server) == (200, "a 1\n")
    server.update("a 2\n" * 300_000)  # more than a socket's buffer
    assert scrape(host, server) == (200, "a 2\n" * 300_000)
    assert scrape(host, server, method="HEAD") == (200, "")
    assert scrape(host, server, "/")[0] == 404
    assert scrape(host, server, method="POST")[0] == 405


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (GET, b"200"),
        (b"GET /metrics?name[]=x HTTP/1.0\r\n\r\n", b"200"),
        (b"GET /metrics\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\r\n\r\n", b"400"),  # TLS
        (b"GET /metrics SPDY/3\r\n\r\n", b"400"),
        (b"GET /metrics HTTP/2.0\r\n\r\n", b"400"),
        (b"GET /../metrics HTTP/1.1\r\n\r\n", b"404"),
        (b"DELETE /metrics HTTP/1.1\r\n\r\n", b"405"),
        (b"GET /metrics HTTP/1.1\r\n" + b"x" * MAX_REQUEST, b"431"),
    ],
)
def test_each_request_has_a_whole_answer(host: str, server: MetricsServer, request_: bytes, status: bytes) -> None:
    head, _end, body = answer(host, server, request_).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 ")
    assert head.split(b" ")[1] == status
    assert f"Content-Length: {len(body)}".encode() in head
    assert b"Connection: close" in head
    assert (b"Allow: GET, HEAD" in head) == (status == b"405")
    assert (body == b"a 1\n") == (status == b"200")


def test_half_a_request_is_not_answered(host: str, server: MetricsServer) -> None:
    for end in range(len(GET)):
        with connect(host, server) as client:
            client.sendall(GET[:end])
            client.shutdown(socket.SHUT_WR)
            assert client.recv(64) == b""


def test_a_request_that_arrives_in_pieces_is_answered(host: str, server: MetricsServer) -> None:
    with connect(host, server) as client:
        for byte in GET:
            client.sendall(bytes([byte]))
        assert client.recv(64).startswith(b"HTTP/1.1 200 ")


def test_no_metrics_before_anything_is_known(host: str, server: MetricsServer) -> None:
    server.update("")
    assert answer(host, server, GET).startswith(b"HTTP/1.1 503 ")


def test_idle_and_slow_clients_do_not_block_a_scrape(host: str, server: MetricsServer) -> None:
    clients = [connect(host, server) for _number in range(3 * MAX_CONNECTIONS)]
    began = time.monotonic()
    assert scrape(host, server) == (200, "a 1\n")
    for client in clients[: 2 * MAX_CONNECTIONS + 1]:
        assert client.recv(1) == b""  # closed to make room
    assert time.monotonic() - began < _metrics_server.DEADLINE
    for client in clients[2 * MAX_CONNECTIONS + 1 :]:
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)
    for client in clients:
        client.close()


def wait_until_all_are_served(server: MetricsServer) -> None:
    """Wait until the server has no connection."""
    listener = server._server
    assert listener is not None
    wait_until(lambda: not listener._connections, "a connection is still open")


def test_a_client_that_never_comes_to_an_end_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_metrics_server, "DEADLINE", 0.3)
    host = "127.0.0.1"
    server = MetricsServer((host, 0))
    server.start()
    whole = 40_000_000  # more than the kernel keeps for both sides
    with (
        closing(server),
        connect(host, server) as silent,
        connect(host, server) as slow,
        connect(host, server) as greedy,
    ):
        server.update("a 1\n" * (whole // 4))
        greedy.sendall(GET)  # and does not read until the server has given up
        assert drips(slow) < 5  # single bytes do not extend the deadline
        assert silent.recv(1) == b""
        wait_until_all_are_served(server)
        assert received(greedy) < whole


def drips(client: socket.socket) -> float:
    """Send a byte now and then; return the seconds until the connection ends, at most 10."""
    began = time.monotonic()
    while time.monotonic() - began < 10:
        try:
            client.sendall(b"x")
        except ConnectionError:
            break
        time.sleep(0.02)
    return time.monotonic() - began


def received(client: socket.socket) -> int:
    """Return how many bytes come before the connection ends."""
    count = 0
    try:
        while data := client.recv(65536):
            count += len(data)
    except ConnectionError:
        pass
    return count


def test_a_flood_is_cut_off(host: str, server: MetricsServer) -> None:
    with connect(host, server) as client:
        try:
            client.sendall(b"x" * 50 * MAX_REQUEST)
            answered = client.recv(64)
        except ConnectionError:
            answered = b""
        assert answered in (b"",) or answered.startswith(b"HTTP/1.1 431 ")
    assert scrape(host, server)[0] == 200


def test_a_port_in_use_is_logged_and_does_no_harm() -> None:
    log = record_log([])
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        server = MetricsServer(holder.getsockname())
        server.start()
        assert server.update("a 1\n")
        assert server.port == 0
        server.close()
    assert len(log) == 1
    assert "Address already in use" in log[0][1]


def test_the_server_sleeps_without_requests_and_ends_when_closed(host: str, server: MetricsServer) -> None:
    scrape(host, server)
    before = time.process_time()
    time.sleep(0.3)  # what is measured is the time itself
    assert time.process_time() - before < 0.1
    port = server.port
    with connect(host, server) as client:
        server.close()
        assert received(client) == 0  # ended with the server, not after its deadline
    assert not any(thread.name == "metrics" for thread in threading.enumerate())
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, port), timeout=10)
