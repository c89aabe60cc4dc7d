# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP to the servers of gates: TLS, tokens, redirects, and answers that are too long or never come."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

from ansible_collections.configok.node.plugins.module_utils._rollout._gates._server_gate import ServerGate
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateVerdict
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.gate_client import GateClient
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy

PASS, FAIL, UNKNOWN = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.UNKNOWN
ALLOWED = {"CONFIGOK_ALLOWED_TOKENS": "CONFIGOK_GATE_*:/tmp"}
ONE = json.dumps({"status": "success", "data": {"resultType": "scalar", "result": [1, "1"]}}).encode()


class Server:
    """An HTTP server. `pages` has the answer to each path: status, headers, body; `requests` what was asked."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.release = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.requests.append((self.path, dict(self.headers)))
                path = self.path.partition("?")[0]
                if path == "/hangs":
                    server.release.wait(10.0)
                status, headers, body = server.pages.get(path, (404, {}, b""))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_arguments: Any) -> None:
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        scheme = "http" if context is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()


Start = Callable[..., Server]


@pytest.fixture
def start() -> Iterator[Start]:
    servers: list[Server] = []

    def make(context: ssl.SSLContext | None = None) -> Server:
        servers.append(Server(context))
        return servers[-1]

    yield make
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls(authority: trustme.CA, start: Start) -> Server:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return start(context)


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.crt"
    authority.cert_pem.write_to_path(path)
    return str(path)


def gate(kind: str, url: str, timeout: str = "30s", **settings: Any) -> ServerGate:
    if kind == "prometheus":
        settings = {"query": "up", "condition": "== 1", **settings}
    policy = {"gates": [{"name": "g", "timeout": timeout, "interval": "1s", kind: {"url": url, **settings}}]}
    return parse_policy(policy).gates.servers[0]


def ask(asked: ServerGate, environ: dict[str, str] | None = None) -> tuple[GateVerdict, str]:
    client = GateClient({**ALLOWED, **(environ or {})})
    answer = client.ask(asked).answer
    client.close()
    return answer.verdict, answer.reason.replace("gate g does not know: ", "")


def test_a_query_over_http(start: Start) -> None:
    server = start()
    server.pages["/base/api/v1/query"] = (200, {}, ONE)
    assert ask(gate("prometheus", f"{server.url}/base")) == (PASS, "")
    assert server.requests[0][0] == "/base/api/v1/query?query=up&timeout=30s"
    assert "Authorization" not in server.requests[0][1]


def test_a_token_is_read_from_a_file_or_from_the_environment(tls: Server, ca_file: str, tmp_path: Path) -> None:
    tls.pages["/api/v1/query"] = (200, {}, ONE)
    token = tmp_path / "token"
    token.write_text("from-a-file\n")
    assert ask(gate("prometheus", tls.url, caCert=ca_file, tokenFile=str(token))) == (PASS, "")
    variable = gate("prometheus", tls.url, caCert=ca_file, tokenVariable="CONFIGOK_GATE_TOKEN")
    assert ask(variable, {"CONFIGOK_GATE_TOKEN": "from-a-variable"}) == (PASS, "")
    sent = [headers.get("Authorization") for _path, headers in tls.requests]
    assert sent == ["Bearer from-a-file", "Bearer from-a-variable"]
    verdict, reason = ask(variable)
    assert (verdict, reason) == (UNKNOWN, "the environment variable CONFIGOK_GATE_TOKEN with its token is not set")
    token.unlink()
    verdict, reason = ask(gate("prometheus", tls.url, caCert=ca_file, tokenFile=str(token)))
    assert verdict is UNKNOWN
    assert reason.startswith(f"the token file {token} cannot be read")


def test_a_token_that_changes_is_read_again(tls: Server, ca_file: str, tmp_path: Path) -> None:
    tls.pages["/api/v1/query"] = (200, {}, ONE)
    token = tmp_path / "token"
    token.write_text("first")
    asked = gate("prometheus", tls.url, caCert=ca_file, tokenFile=str(token))
    now = [0.0]
    client = GateClient(ALLOWED, monotonic=lambda: now[0])
    client.ask(asked)
    token.write_text("the-second")
    now[0] = 10.0
    client.ask(asked)
    client.close()
    assert [headers["Authorization"] for _path, headers in tls.requests] == ["Bearer first", "Bearer the-second"]


@pytest.mark.parametrize("access", [{"tokenVariable": "AWS_SECRET_ACCESS_KEY"}, {"tokenFile": "/etc/hostname"}])
def test_a_token_that_the_operator_has_not_allowed_is_never_sent(
    tls: Server, ca_file: str, access: dict[str, str]
) -> None:
    tls.pages["/api/v1/query"] = (200, {}, ONE)
    asked = gate("prometheus", tls.url, caCert=ca_file, **access)
    environ = {"AWS_SECRET_ACCESS_KEY": "a-secret", "CONFIGOK_ALLOWED_TOKENS": "CONFIGOK_GATE_*"}
    verdict, reason = ask(asked, environ)
    assert verdict is UNKNOWN
    assert "is not one that gates may use" in reason
    assert not tls.requests


def test_a_server_that_is_not_trusted_gets_no_request(tls: Server, tmp_path: Path) -> None:
    tls.pages["/api/v1/query"] = (200, {}, ONE)
    verdict, reason = ask(gate("prometheus", tls.url))
    assert verdict is UNKNOWN
    assert "CERTIFICATE_VERIFY_FAILED" in reason
    assert not tls.requests
    assert ask(gate("prometheus", tls.url, validateCerts=False)) == (PASS, "")
    missing = str(tmp_path / "missing.crt")
    verdict, reason = ask(gate("prometheus", tls.url, caCert=missing))
    assert verdict is UNKNOWN
    assert reason.startswith(f"the CA {missing} cannot be used")


def test_a_server_that_is_down_gives_no_answer(start: Start) -> None:
    server = start()
    server.stop()
    for asked in (gate("prometheus", server.url), gate("url", f"{server.url}/?key=hunter2")):
        verdict, reason = ask(asked)
        assert verdict is UNKNOWN
        assert reason.startswith(f"no answer from {server.url}: ")
        assert "hunter2" not in reason


def test_a_server_that_does_not_answer_in_time(start: Start) -> None:
    server = start()
    verdict, reason = ask(gate("url", f"{server.url}/hangs", timeout="1s"))
    assert verdict is UNKNOWN
    assert "timed out" in reason


def test_a_redirect_on_the_same_server_is_followed(start: Start) -> None:
    server = start()
    server.pages["/a"] = (302, {"Location": "/b?x=1"}, b"")
    server.pages["/b"] = (301, {"Location": f"{server.url}/c"}, b"")
    server.pages["/c"] = (200, {}, b"")
    assert ask(gate("url", f"{server.url}/a")) == (PASS, "")
    assert [path for path, _headers in server.requests] == ["/a", "/b?x=1", "/c"]


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:1/b", "http://localhost/b", "//other.example/b", "https://127.0.0.1"]
)
def test_a_redirect_to_another_server_is_not_followed(start: Start, location: str) -> None:
    server = start()
    server.pages["/a"] = (302, {"Location": location}, b"")
    verdict, reason = ask(gate("url", f"{server.url}/a"))
    assert verdict is UNKNOWN
    assert "which is another server and is not followed" in reason
    assert len(server.requests) == 1


def test_redirects_end(start: Start) -> None:
    server = start()
    server.pages["/a"] = (302, {"Location": "/a"}, b"")
    assert ask(gate("url", f"{server.url}/a")) == (UNKNOWN, "it redirects more than 3 times")
    server.pages["/b"] = (302, {"Location": "http://[/"}, b"")
    assert ask(gate("url", f"{server.url}/b")) == (UNKNOWN, "it redirects to an address that cannot be read")
    server.pages["/c"] = (302, {}, b"")
    assert ask(gate("url", f"{server.url}/c")) == (UNKNOWN, "it answers with 302, not 200")


def test_an_answer_has_a_limit(start: Start) -> None:
    server = start()
    server.pages["/long"] = (200, {}, b"x" * ((1 << 20) + 1))
    server.pages["/packed"] = (200, {"Content-Encoding": "gzip"}, b"x")
    assert ask(gate("url", f"{server.url}/long")) == (UNKNOWN, "the answer has more than 1 MiB")
    verdict, reason = ask(gate("url", f"{server.url}/packed"))
    assert verdict is UNKNOWN
    assert reason.startswith("the answer is encoded (gzip)")
