# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A type of gate is one object: a new one needs nothing but its class and its entry (docs/development/gate.md)."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.strict_mapping import integer
from ansible_collections.configok.node.plugins.module_utils._rollout import InvalidPool
from ansible_collections.configok.node.plugins.module_utils._rollout._gates import _gate_settings
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._api_answers import json_of
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._server_access import ServerAccess
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._server_gate import ServerGate
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateVerdict, ServerAnswer
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.gate_client import GateClient
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy, pool_keys
from ansible_collections.configok.node.plugins.module_utils._rollout._pool_values import setting

ROOT = Path(__file__).resolve().parents[6]
REGISTRY = "plugins/module_utils/_rollout/_gates/_gate_settings.py"
MOST_FILES = 4


@dataclass(frozen=True)
class TicketsGate(ServerGate):
    """At most some tickets are open."""

    key: ClassVar[str] = "tickets"

    most: int = setting(integer(0, 100), 0)

    def target(self) -> str:
        return "/tickets.json"

    def read(self, status: int, body: bytes) -> ServerAnswer:
        tickets = json_of(status, body)
        return ServerAnswer(self.yes() if len(tickets) <= self.most else self.no(f"{len(tickets)} tickets are open"))


@pytest.fixture(autouse=True)
def with_tickets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_gate_settings, "SERVER_GATES", [*_gate_settings.SERVER_GATES, TicketsGate])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "tickets.json").write_text("[1, 2]")
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_address[1]}"
    httpd.shutdown()
    httpd.server_close()


def gate(url: str, **settings: Any) -> ServerGate:
    policy = {"gates": [{"name": "calm", "tickets": {"url": url, **settings}, "interval": "5s"}]}
    return parse_policy(policy).gates.servers[0]


def test_a_new_type_is_read_from_the_pool_file() -> None:
    asked = gate("https://tickets.example", most=3)
    assert asked == TicketsGate("calm", 120.0, 5.0, ServerAccess("https://tickets.example"), most=3)
    with pytest.raises(InvalidPool, match=re.escape("policy.gates[0].tickets.most: must be a whole number")):
        gate("https://tickets.example", most="few")
    with pytest.raises(InvalidPool, match=re.escape("did you mean policy.gates.tickets.most?")):
        gate("https://tickets.example", Most=1)
    with pytest.raises(InvalidPool, match="exactly one of node, prometheus, alerts, url, tickets, not 0"):
        parse_policy({"gates": [{"name": "calm"}]})
    assert pool_keys()["policy.gates.tickets"][-1] == "most"


@pytest.mark.parametrize(
    ("most", "verdict", "reason"),
    [(2, GateVerdict.PASS, ""), (1, GateVerdict.FAIL, "gate calm says no: 2 tickets are open")],
)
def test_a_new_type_asks_its_server(server: str, most: int, verdict: GateVerdict, reason: str) -> None:
    client = GateClient({})
    answer = client.ask(gate(server, most=most)).answer
    client.close()
    assert (answer.verdict, answer.reason) == (verdict, reason)


@pytest.mark.parametrize("name", ["AlertsGate", "PrometheusGate", "UrlGate"])
def test_only_its_own_file_and_the_registry_name_a_type(name: str) -> None:
    files = [path for folder in ("plugins", "roles", "playbooks") for path in (ROOT / folder).rglob("*.py")]
    naming = {str(path.relative_to(ROOT)) for path in files if name in path.read_text(encoding="utf-8")}
    own = re.sub("(.)([A-Z])", r"\1_\2", name).lower()
    assert naming == {REGISTRY, f"plugins/module_utils/_rollout/_gates/_{own}.py"}


def test_the_guide_lists_at_most_four_files() -> None:
    guide = (ROOT / "docs/development/gate.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\| (\d+) \|", guide, re.MULTILINE)
    assert 0 < len(steps) <= MOST_FILES
