# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proxy in front of an API server that does harm: from a request of a test's choice on, for some seconds."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import urllib3

from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig, ssl_context

__all__ = ["FaultProxy", "Harm", "Rule"]

HOP = {"connection", "transfer-encoding", "content-length", "host", "authorization", "accept-encoding"}


class Harm(NamedTuple):
    """What is done to a request.

    kind: "refuse" (the connection is closed), "hang" (no answer until the fault is over), "slow" (answered after half a
    second), "status" (this code, with a Status body), "half" (the answer breaks off in its middle), "garbage" (200, and
    no JSON), "large" (200, and more than a client accepts).
    """

    kind: str
    code: int = 0
    retry_after: str = ""


class Rule:
    """A harm that begins with the first request that `begins` picks, and then befalls all of them for `seconds`."""

    def __init__(self, harm: Harm, begins: Callable[[str, str, str], bool], seconds: float) -> None:
        """begins: takes method, path and body."""
        self.harm = harm
        self.hits: list[tuple[float, str]] = []  # monotonic time, method and path
        self._begins = begins
        self._seconds = seconds
        self._until = 0.0

    def befalls(self, method: str, path: str, body: str) -> bool:
        """Return whether this request is harmed."""
        now = time.monotonic()
        if not self._until and self._begins(method, path, body):
            self._until = now + self._seconds
        harmed = now < self._until
        if harmed:
            self.hits.append((now, f"{method} {path}"))
        return harmed

    def is_over(self) -> bool:
        """Return whether it has begun and ended."""
        return bool(self._until) and time.monotonic() >= self._until

    def wait(self) -> None:
        """Wait for the end."""
        time.sleep(max(0.0, self._until - time.monotonic()))


class FaultProxy:
    """Passes requests on with the credentials of a kubeconfig; `kubeconfig` is what its clients use."""

    def __init__(self, kubeconfig: str, path: str) -> None:
        """kubeconfig: of the node, for the real server. path: where to write the one for the proxy."""
        credentials = from_kubeconfig(kubeconfig)
        secure = credentials.server.startswith("https")
        self.upstream = credentials.server
        self.headers = {"Authorization": f"Bearer {credentials.token}"} if credentials.token else {}
        options: dict[str, Any] = {"ssl_context": ssl_context(credentials)} if secure else {}
        self.pool = urllib3.PoolManager(maxsize=16, retries=False, **options)
        self.rule: Rule | None = None
        self.seen: list[tuple[float, str]] = []
        self.connections: set[socket.socket] = set()
        handler = type("Handler", (_Handler,), {"proxy": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()
        server = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.kubeconfig = path
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "proxy",
            "clusters": [{"name": "proxy", "cluster": {"server": server}}],
            "users": [{"name": "node", "user": {"token": "proxy"}}],
            "contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": "node"}}],
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)

    def cut(self) -> None:
        """Cut the connections that are open: a watch that stood would hide a fault."""
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def stop(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self.cut()
        self.pool.clear()


class _Handler(BaseHTTPRequestHandler):
    proxy: FaultProxy
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.proxy.connections.add(self.connection)

    def finish(self) -> None:
        self.proxy.connections.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass  # the client has gone

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""

    def handle(self) -> None:
        try:
            super().handle()
        except (OSError, ValueError):
            pass  # cut, on one side or the other

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.proxy.seen.append((time.monotonic(), f"{self.command} {self.path.partition('?')[0]}"))
        rule = self.proxy.rule
        harm = rule.harm if rule is not None and rule.befalls(self.command, self.path, body.decode()) else None
        if harm is not None and rule is not None and self._harmed(harm, rule):
            return
        headers = {key: value for key, value in self.headers.items() if key.lower() not in HOP}
        answer = self.proxy.pool.request(
            self.command,
            self.proxy.upstream + self.path,
            body=body or None,
            headers={**headers, **self.proxy.headers},
            preload_content=False,
        )
        self.send_response(answer.status)
        for key, value in answer.headers.items():
            if key.lower() not in HOP:
                self.send_header(key, value)
        if "watch=true" in self.path or "watch=1" in self.path:
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            for chunk in answer.stream(None):
                self.wfile.write(chunk)
                self.wfile.flush()
        else:
            self._answer(answer.read(), half=harm is not None and harm.kind == "half")
        answer.release_conn()

    def _answer(self, data: bytes, *, half: bool = False) -> None:
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if half else data)
        self.close_connection = self.close_connection or half

    def _harmed(self, harm: Harm, rule: Rule) -> bool:
        """Answer instead of the server; return whether that was all."""
        if harm.kind == "half":
            return False
        if harm.kind == "slow":
            time.sleep(0.5)
            return False
        self.close_connection = True
        if harm.kind in ("refuse", "hang"):
            if harm.kind == "hang":
                rule.wait()
            return True
        code = harm.code or 200
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        if harm.retry_after:
            self.send_header("Retry-After", harm.retry_after)
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": f"harm {code}"}
        bodies = {"garbage": b"<html>\xff not JSON", "large": b'{"data": "' + b"x" * (64 * 1024 * 1024)}
        self._answer(bodies.get(harm.kind, json.dumps(status).encode()))
        return True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _pass  # noqa: N815 - names that http.server asks for
