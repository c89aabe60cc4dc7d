# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gates of a policy: each error is one sentence with its path."""

from __future__ import annotations

import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._foreign import evaluation
from ansible_collections.configok.node.plugins.module_utils._rollout import InvalidPool
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._alerts_gate import AlertsGate
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._gate_settings import Gates
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._node_gates import NodeGate
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._prometheus_gate import (
    Condition,
    PrometheusGate,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._server_access import ServerAccess
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._url_gate import UrlGate
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.policy import Policy, WavePlaybooks
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy

PROMETHEUS = {"url": "https://prometheus.example:9090/prefix/", "query": "up", "condition": "== 1"}
ALERTS = {"url": "https://alerts.example", "api": "alertmanager", "matching": "Kube.*"}


def parse(*gates: Any) -> Policy:
    return parse_policy({"gates": list(gates)})


def errors_of(policy: Any) -> tuple[str, ...]:
    with pytest.raises(InvalidPool) as caught:
        parse_policy(policy)
    return caught.value.errors


def test_a_policy_without_gates_has_none() -> None:
    assert parse_policy(None).gates == parse_policy({"gates": []}).gates == Gates((), ())
    assert parse_policy(None).playbooks == WavePlaybooks("", "", 1800.0)


def test_each_kind_of_gate_is_read() -> None:
    gates = parse(
        {"name": "disk", "node": "status.ready"},
        {
            "name": "errors",
            "prometheus": {**PROMETHEUS, "nodeLabel": "node", "tokenVariable": "TOKEN"},
            "timeout": "5m",
        },
        {"name": "alerts", "alerts": {**ALERTS, "labels": {"cluster": "a"}, "watchdog": "Watchdog"}, "interval": 30},
        {"name": "app", "url": {"url": "http://app.example/ready?full=1", "matching": "o+k"}},
    ).gates
    assert [(gate.name, gate.expression.text) for gate in gates.nodes] == [("disk", "status.ready")]
    assert isinstance(gates.nodes[0], NodeGate)
    errors, alerts, app = gates.servers
    assert isinstance(errors, PrometheusGate)
    assert errors.access == ServerAccess("https://prometheus.example:9090/prefix", token_variable="TOKEN")
    assert (errors.query, str(errors.condition), errors.node_label) == ("up", "== 1", "node")
    assert (errors.timeout, errors.interval) == (300.0, 10.0)
    assert isinstance(alerts, AlertsGate)
    assert (alerts.api, alerts.matching.text, dict(alerts.labels), alerts.watchdog, alerts.interval) == (
        "alertmanager",
        "Kube.*",
        {"cluster": "a"},
        "Watchdog",
        30.0,
    )
    assert isinstance(app, UrlGate)
    assert (app.access.url, app.status) == ("http://app.example/ready?full=1", 200)
    assert app.matching is not None


@pytest.mark.parametrize(
    ("gate", "error"),
    [
        ("x", "policy.gates[0]: must be a mapping with a name and one of node, prometheus, alerts, url"),
        ({"node": "a"}, "policy.gates[0].name: is missing: each gate has a name"),
        ({"name": "a/b", "node": "a"}, "policy.gates[0].name: 'a/b' must be a name of at most 63 letters"),
        ({"name": "a"}, "policy.gates[0].name: a must have exactly one of node, prometheus, alerts, url, not 0"),
        ({"name": "a", "node": "a", "url": {}}, "policy.gates[0].name: a must have exactly one of"),
        ({"name": "a", "node": "a[?"}, "policy.gates[0].node: is not a JMESPath expression: "),
        ({"name": "a", "node": "(" * 900}, "policy.gates[0].node: is not a JMESPath expression: "),
        ({"name": "a", "node": "lenght(a)"}, "policy.gates[0].node: is not a JMESPath expression: it has no function"),
        (
            {"name": "a", "node": "b[?length(a, c)]"},
            "policy.gates[0].node: is not a JMESPath expression: length() takes",
        ),
        ({"name": "a", "node": "a" * 1001}, "policy.gates[0].node: has 1001 characters, at most 1000 are allowed"),
        ({"name": "a", "node": 3}, "policy.gates[0].node: must be a text, not a number"),
        ({"name": "a", "node": "a", "timeout": "2m"}, "policy.gates[0].timeout: is only for gates that ask a server"),
        (
            {"name": "a", "nod": "a", "url": {"url": "http://a"}},
            "policy.gates[0].nod: unknown field: did you mean policy.gates.node?",
        ),
        ({"name": "a", "prometheus": PROMETHEUS, "timeout": "5s"}, None),
        ({"name": "a", "prometheus": PROMETHEUS, "timeout": "0s"}, "policy.gates[0].timeout: must be longer than 0s"),
        ({"name": "a", "prometheus": PROMETHEUS, "interval": "10ms"}, "policy.gates[0].interval: must be at least 1s"),
        (
            {"name": "a", "prometheus": PROMETHEUS, "timeout": "10s", "interval": "1m"},
            "policy.gates[0].timeout: 10s is shorter than the interval of the questions, 60s",
        ),
        ({"name": "a", "prometheus": {**PROMETHEUS, "query": ""}}, "policy.gates[0].prometheus.query: must be a text"),
        (
            {"name": "a", "prometheus": {**PROMETHEUS, "condition": "about 5"}},
            "policy.gates[0].prometheus.condition: 'about 5' must be a comparison with a number in quotes",
        ),
        (
            {"name": "a", "prometheus": {**PROMETHEUS, "condition": 0.01}},
            "policy.gates[0].prometheus.condition: '0.01'",
        ),
        ({"name": "a", "prometheus": {**PROMETHEUS, "condition": "< 1e999"}}, "policy.gates[0].prometheus.condition: "),
        (
            {"name": "a", "prometheus": {**PROMETHEUS, "nodeLabel": "a-b"}},
            "policy.gates[0].prometheus.nodeLabel: 'a-b' must be the name of a label",
        ),
        (
            {"name": "a", "prometheus": {**PROMETHEUS, "nodelabel": "a"}},
            "policy.gates[0].prometheus.nodelabel: unknown field: did you mean policy.gates.prometheus.nodeLabel?",
        ),
        (
            {"name": "a", "prometheus": {"url": "http://a", "condition": "< 1"}},
            "policy.gates[0].prometheus.query: is required",
        ),
        ({"name": "a", "alerts": {**ALERTS, "api": "grafana"}}, "policy.gates[0].alerts.api: 'grafana' must be one of"),
        (
            {"name": "a", "alerts": {**ALERTS, "matching": "Kube("}},
            "policy.gates[0].alerts.matching: 'Kube(' is not a regular expression: ",
        ),
        ({"name": "a", "alerts": {**ALERTS, "matching": "a" * 501}}, "policy.gates[0].alerts.matching: has 501"),
        ({"name": "a", "alerts": {**ALERTS, "labels": {"a": 1}}}, "policy.gates[0].alerts.labels: 'a' must be"),
        ({"name": "a", "url": {"url": "http://a", "status": 99}}, "policy.gates[0].url.status: must be a whole number"),
    ],
)
def test_an_error_is_one_sentence_with_its_path(gate: Any, error: str | None) -> None:
    if error is None:
        parse(gate)
        return
    (sentence,) = errors_of({"gates": [gate]})
    assert sentence.startswith(error)
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("access", "error"),
    [
        ({"url": "ftp://a"}, "url: must be a URL such as"),
        ({"url": "http://"}, "url: must be a URL such as"),
        ({"url": "http://a:port"}, "url: must be a URL such as"),
        ({"url": "https://user:hunter2@a"}, "url: must not hold a password"),
        ({"url": "https://a/?key=hunter2"}, "url: must be the address of the server, without a query"),
        ({"url": "https://a/#hunter2"}, "url: must be a URL of printable ASCII"),
        ({"url": "https://a/\u202ehunter2"}, "url: must be a URL of printable ASCII"),
        ({"tokenVariable": "hunter2 is my token"}, "tokenVariable: must be the name of an environment variable"),
        ({"tokenVariable": "A", "tokenFile": "/b"}, "tokenVariable: give either tokenFile or tokenVariable"),
        ({"url": "http://a", "tokenFile": "/b"}, "tokenFile: needs a URL with https"),
        ({"url": "http://a", "tokenVariable": "B"}, "tokenVariable: needs a URL with https"),
        ({"caCert": "/a", "validateCerts": False}, "caCert: has no effect with validateCerts: false"),
        ({"validateCerts": "no"}, "validateCerts: must be true or false"),
        ({"token": "hunter2"}, "token: unknown field"),
    ],
)
def test_a_secret_is_neither_accepted_nor_shown(access: Any, error: str) -> None:
    (sentence,) = errors_of({"gates": [{"name": "a", "prometheus": {**PROMETHEUS, **access}}]})
    assert sentence.startswith(f"policy.gates[0].prometheus.{error}")
    assert "hunter2" not in sentence


def test_a_token_may_go_over_http_on_this_machine() -> None:
    parse({"name": "a", "prometheus": {**PROMETHEUS, "url": "http://127.0.0.1:9090", "tokenFile": "/a"}})


def test_names_are_unique() -> None:
    (sentence,) = errors_of({"gates": [{"name": "a", "node": "a"}, {"name": "a", "url": {"url": "http://a"}}]})
    assert sentence == "policy.gates[1].name: 'a' is the name of another gate"


@pytest.mark.parametrize("value", [{"name": "a"}, "a", [{"name": "a", "node": "a"}] * 51])
def test_gates_are_a_list(value: Any) -> None:
    assert errors_of({"gates": value})[0] == "policy.gates: must be a list of at most 50 gates"


def test_without_jmespath_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_idle", [])
    monkeypatch.setattr(sys, "path", [sysconfig.get_path("stdlib"), f"{sysconfig.get_path('platstdlib')}/lib-dynload"])
    (sentence,) = errors_of({"gates": [{"name": "a", "node": "a"}]})
    assert sentence.startswith("policy.gates[0].node: needs the Python library jmespath: install it")


def test_the_playbooks_of_a_wave_are_read() -> None:
    policy = parse_policy({"playbooks": {"beforeWave": "before.yml", "afterWave": " my.own.after ", "timeout": "5m"}})
    assert policy.playbooks == WavePlaybooks("before.yml", "my.own.after", 300.0)
    assert errors_of({"playbooks": {"beforeWave": "", "timeout": 0, "afterwave": "x"}}) == (
        "policy.playbooks.beforeWave: must be a text of 1 to 4096 characters",
        "policy.playbooks.timeout: must be longer than 0s",
        "policy.playbooks.afterwave: unknown field: did you mean policy.playbooks.afterWave?",
    )


@pytest.mark.parametrize(
    ("text", "value", "is_met"),
    [
        ("< 0.01", 0.0, True),
        ("<0.01", 0.01, False),
        ("<= 1e-2", 0.01, True),
        ("> -1", -1.0, False),
        (">= .5", 0.5, True),
        ("== 1", 1.0, True),
        ("!= 1", 1.0, False),
        ("< 5", float("-inf"), True),
        ("> 5", float("inf"), True),
        ("!= 1", float("nan"), None),
        ("< 1", float("nan"), None),
    ],
)
def test_a_condition_compares_a_value_with_its_bound(text: str, value: float, is_met: bool | None) -> None:
    assert Condition.parse(text).is_met(value) is is_met


def test_the_examples_of_the_page_are_valid() -> None:
    page = Path(__file__).resolve().parents[6] / "docs" / "gates.md"
    blocks = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    policies = [block["policy"] for block in map(yaml.safe_load, blocks) if isinstance(block, dict)]
    assert len(policies) == 5
    for policy in policies:
        parse_policy(policy)
