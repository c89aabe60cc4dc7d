# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to an embedded API server in this process without a socket, in virtual time."""

from __future__ import annotations

import queue
from collections.abc import Callable
from urllib.parse import parse_qsl, unquote

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Interrupt
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import describe
from ansible_collections.configok.node.plugins.module_utils._kube.transport import Lines, Transport
from ansible_collections.configok.node.plugins.module_utils._kube.transport import Response as Answer
from embedded_apiserver.http_server import Request, Response
from embedded_apiserver.server import EmbeddedApiServer
from support.rollouts.simulated_pods import SimulatedPods
from support.rollouts.virtual_clock import VirtualClock

__all__ = ["LocalTransport"]


class LocalTransport(Transport):
    """A transport whose answers are those of the server's handle().

    latency: seconds that a request takes to the server, and its answer back. pods: answer the requests about pods.
    """

    def __init__(
        self,
        server: EmbeddedApiServer,
        token: str,
        clock: VirtualClock,
        *,
        latency: float = 0.005,
        interrupt: Interrupt | None = None,
        pods: SimulatedPods | None = None,
    ) -> None:
        self._pods = pods
        self._server = server
        self._token = token
        self._clock = clock
        self._latency = latency
        self._interrupt = interrupt

    def clone(self, *, pool_size: int, interrupt: Interrupt | None) -> LocalTransport:
        """Return a transport that interrupt ends."""
        return LocalTransport(
            self._server, self._token, self._clock, latency=self._latency, interrupt=interrupt, pods=self._pods
        )

    def send(
        self, method: str, target: str, *, body: bytes | None, accept: str, content_type: str | None, path: str
    ) -> Answer:
        """Send one request and return the answer. Raises Unreachable when the server cuts it off."""
        where = f"{method} {describe(path)}"
        self._clock.sleep(self._latency)
        request = self._request(method, target, accept, body, content_type)
        if self._pods is not None:
            response = self._pods.handle(request, self._server.handle)
        else:
            response = self._server.handle(request)
        self._clock.sleep(self._latency)
        if response.cut is not None:
            raise Unreachable("the connection was cut", where=where)
        return _answer(response)

    def stream(self, target: str, *, accept: str, read_timeout: float, where: str) -> tuple[Answer, Lines]:
        """Send a GET; return the lines of the answer as they come, or the whole answer where there is no stream."""
        hang_up: list[Callable[[], None]] = []

        def when_closed(ended: Callable[[], None]) -> Callable[[], None]:
            hang_up.append(ended)
            return hang_up.clear

        self._clock.sleep(self._latency)
        request = self._request("GET", target, accept)
        request.closed = when_closed
        response = self._server.handle(request)
        if response.stream is None:
            return _answer(response), _no_lines()
        chunks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        serve = response.stream

        def run() -> None:
            serve(chunks.put)
            chunks.put(None)

        self._clock.start(run, f"server of {where}")
        return _answer(response), self._lines(chunks, read_timeout, where, hang_up)

    def renew(self, generation: int) -> bool:
        """Have no other credentials."""
        return False

    def close(self) -> None:
        """Have no connections to close."""

    def _lines(  # type: ignore[override]
        self, chunks: queue.SimpleQueue[bytes | None], timeout: float, where: str, hang_up: list[Callable[[], None]]
    ) -> Lines:
        try:
            while True:
                if not self._clock.wait_until(lambda: self._is_tripped or not chunks.empty(), timeout):
                    raise Unreachable("the server is silent", where=where)
                if self._is_tripped:
                    raise Unreachable("interrupted", where=where)
                chunk = chunks.get_nowait()
                if chunk is None:
                    return
                yield from (line for line in chunk.split(b"\n") if line)
        finally:
            for ended in list(hang_up):
                ended()

    @property
    def _is_tripped(self) -> bool:
        return self._interrupt is not None and self._interrupt.is_tripped

    def _request(
        self, method: str, target: str, accept: str, body: bytes | None = None, content_type: str | None = None
    ) -> Request:
        path, _question_mark, query = target.partition("?")
        headers = {"accept": accept, "authorization": f"Bearer {self._token}"}
        if content_type:
            headers["content-type"] = content_type
        return Request(method, unquote(path), dict(parse_qsl(query, keep_blank_values=True)), headers, body or b"")


def _answer(response: Response) -> Answer:
    return Answer(response.status, response.body, response.headers.get("Retry-After"), 1)


def _no_lines() -> Lines:
    yield from ()
