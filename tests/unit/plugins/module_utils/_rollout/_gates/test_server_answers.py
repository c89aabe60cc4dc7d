# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the answers of Prometheus, Alertmanager and URLs mean: no data is never a yes."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout._gates._server_gate import ServerGate
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateVerdict, ServerAnswer
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy

PASS, FAIL, UNKNOWN = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.UNKNOWN


def gate(kind: str, **settings: Any) -> ServerGate:
    url = settings.pop("url", "http://server.example/base")
    policy = parse_policy({"gates": [{"name": "g", "timeout": "1m", kind: {"url": url, **settings}}]})
    return policy.gates.servers[0]


QUERY = gate("prometheus", query="sum(up) / 2", condition="< 0.01")
BY_NODE = gate("prometheus", query="up", condition="== 1", nodeLabel="node")
ALERTMANAGER = gate("alerts", api="alertmanager", matching="Kube.*|Node.+")
RULES = gate("alerts", api="prometheus", matching="Kube.*", labels={"cluster": "a"})
PAGE = gate("url", url="http://server.example/ready?a=b")
GATES = (QUERY, BY_NODE, ALERTMANAGER, RULES, PAGE)


def read(asked: ServerGate, body: Any, status: int = 200) -> ServerAnswer:
    return asked.answer(status, body if isinstance(body, bytes) else json.dumps(body).encode())


def vector(*samples: tuple[dict[str, str], Any], **more: Any) -> dict[str, Any]:
    result = [{"metric": labels, "value": [1700000000.5, value]} for labels, value in samples]
    return {"status": "success", "data": {"resultType": "vector", "result": result}, **more}


def rules(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"groups": [{"name": "g", "rules": list(rules)}]}, **more}


def rule(name: str, *alerts: Any, health: str = "ok", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "alerting", "health": health, "alerts": list(alerts), **more}


def firing(state: str = "firing", **labels: str) -> dict[str, Any]:
    return {"labels": {"cluster": "a", **labels}, "state": state}


def alert(name: str, state: str = "active", **labels: str) -> dict[str, Any]:
    return {"labels": {"alertname": name, **labels}, "status": {"state": state, "silencedBy": []}}


SLOW = "(a|a)+!"


@pytest.mark.parametrize(
    ("asked", "body"),
    [
        (gate("url", matching='.*"status".*"green".*'), b'"status"' * 8000),
        (gate("alerts", api="alertmanager", matching=SLOW), [alert("a" * 40)]),
        (gate("alerts", api="prometheus", matching=SLOW), rules(rule("a" * 40, firing()))),
    ],
    ids=["url", "alertmanager", "prometheus"],
)
def test_a_search_that_takes_too_long_is_neither_yes_nor_no(asked: ServerGate, body: Any) -> None:
    begun = time.monotonic()
    answer = read(asked, body).answer
    assert time.monotonic() - begun < 20.0
    assert (answer.verdict, answer.reason) == (
        UNKNOWN,
        "gate g does not know: its matching cannot be searched for: it takes more than 2 s",
    )


def test_what_is_asked() -> None:
    query = urlsplit(QUERY.target())
    assert query.path == "/base/api/v1/query"
    assert parse_qs(query.query) == {"query": ["sum(up) / 2"], "timeout": ["30s"]}
    assert ALERTMANAGER.target() == "/base/api/v2/alerts?active=true&silenced=false&inhibited=false"
    assert RULES.target() == "/base/api/v1/rules?type=alert"
    assert PAGE.target() == "/ready?a=b"
    assert gate("url", url="http://server.example").target() == "/"


@pytest.mark.parametrize(
    ("body", "verdict", "reason"),
    [
        (vector(({}, "0.005")), PASS, ""),
        (vector(({}, "0.05")), FAIL, "0.05 is not < 0.01"),
        (vector(({}, "+Inf")), FAIL, "inf is not < 0.01"),
        (vector(({}, "NaN")), UNKNOWN, "the result is not a number (NaN)"),
        (vector(), UNKNOWN, "there is no data: the query's result is empty"),
        (vector(({"job": "a"}, "0"), ({"job": "b"}, "0.5")), FAIL, "{job=b}: 0.5 is not < 0.01"),
        (vector(({"job": "a"}, "0"), ({"job": "b"}, "NaN")), UNKNOWN, "{job=b}: the result is not a number (NaN)"),
        (vector(({"job": "a"}, "NaN"), ({"job": "b"}, "1")), FAIL, "{job=b}: 1 is not < 0.01"),
        (vector(({}, "0"), warnings=["a store is away"]), UNKNOWN, "the answer may be partial: a store is away"),
        (vector(({}, "0"), infos=["harmless"], warnings=[]), PASS, ""),
        ({"status": "success", "data": {"resultType": "scalar", "result": [1, "0"]}}, PASS, ""),
        ({"status": "success", "data": {"resultType": "matrix", "result": []}}, UNKNOWN, "the query gives a matrix"),
        ({"status": "success", "data": {"resultType": "string", "result": [1, "0"]}}, UNKNOWN, "the query gives a str"),
        ({"status": "success", "data": {"resultType": "scalar", "result": [1, 0]}}, UNKNOWN, "a value that is not a n"),
        ({"status": "success", "data": {"resultType": "scalar", "result": None}}, UNKNOWN, "a value that is not a num"),
        (vector(({}, "zero")), UNKNOWN, "a value that is not a number"),
        (vector(({}, 0)), UNKNOWN, "a value that is not a number"),
        ({"data": {"resultType": "vector", "result": [{"metric": {}, "histogram": [1, {}]}]}}, UNKNOWN, "histograms"),
        ({"data": {"resultType": "vector", "result": ["x"]}}, UNKNOWN, "the query's result cannot be read"),
        ({"data": {"resultType": "vector", "result": [{"value": [1, "0"]}]}}, UNKNOWN, "labels that cannot be read"),
        ({"data": {"resultType": "vector", "result": {}}}, UNKNOWN, "the query gives a vector, not a number or"),
        ({"data": []}, UNKNOWN, "the answer has no data: is this the address of a Prometheus?"),
        ([], UNKNOWN, "the answer has no data"),
        (b"<html>", UNKNOWN, "the answer is not JSON"),
        (b"", UNKNOWN, "the answer is not JSON"),
        (b"\xff", UNKNOWN, "the answer is not JSON"),
        (b"null", UNKNOWN, "the answer is not JSON"),
        (b"[" * 100_000, UNKNOWN, "the answer is not JSON"),
    ],
)
def test_a_query(body: Any, verdict: GateVerdict, reason: str) -> None:
    answer = read(QUERY, body).answer
    assert answer.verdict is verdict
    assert reason in answer.reason
    assert answer.reason.startswith({PASS: "", FAIL: "gate g says no: ", UNKNOWN: "gate g does not know: "}[verdict])


@pytest.mark.parametrize("status", [100, 204, 301, 400, 401, 403, 404, 422, 429, 500, 502, 503])
@pytest.mark.parametrize("asked", [QUERY, BY_NODE, ALERTMANAGER, RULES])
def test_an_error_of_an_api_makes_the_verdict_unknown(asked: ServerGate, status: int) -> None:
    answer = read(asked, {"status": "error", "errorType": "bad_data", "error": "1:1: parse\n error\x1b[31m"}, status)
    assert answer.answer.verdict is UNKNOWN
    assert answer.answer.reason == f"gate g does not know: the server answers with {status}: 1:1: parse  error [31m"
    assert not answer.nodes
    assert read(asked, b"denied", status).answer.reason == f"gate g does not know: the server answers with {status}"


def test_a_query_with_a_sample_for_each_node() -> None:
    answer = read(
        BY_NODE,
        vector(
            ({"node": "a"}, "1"),
            ({"node": "b:9100"}, "0"),
            ({"node": "c"}, "NaN"),
            ({"node": "d", "disk": "1"}, "1"),
            ({"node": "d", "disk": "2"}, "0"),
            ({"node": ""}, "0"),
            ({}, "0"),
        ),
    )
    assert answer.answer.verdict is PASS
    assert {name: part.verdict for name, part in answer.nodes.items()} == {
        "a": PASS,
        "b": FAIL,
        "c": UNKNOWN,
        "d": FAIL,
    }
    assert answer.nodes["d"].reason == "gate g says no: {disk=2, node=d}: 0 is not == 1"
    nothing = read(BY_NODE, vector(({"instance": "a"}, "1")))
    assert nothing.answer.reason == "gate g does not know: no sample of the query's result has the label node"
    assert not nothing.nodes
    scalar = read(BY_NODE, {"data": {"resultType": "scalar", "result": [1, "1"]}})
    assert (scalar.answer.verdict, scalar.nodes) == (UNKNOWN, {})


@pytest.mark.parametrize(
    ("alerts", "verdict", "reason"),
    [
        ([], PASS, ""),
        ([alert("Other")], PASS, ""),
        ([alert("TheKubeThing")], PASS, ""),
        ([alert("KubeB"), alert("NodeA"), alert("KubeB")], FAIL, "gate g says no: firing: KubeB, NodeA"),
        ([alert("KubeB", "suppressed")], PASS, ""),
        ([alert("KubeB", "unprocessed")], FAIL, "firing: KubeB"),
        ([alert("Node\x1b[31m")], FAIL, "firing: Node [31m"),
        ([{"labels": {}}], UNKNOWN, "the answer has an alert that cannot be read"),
        ([{"status": {}}], UNKNOWN, "the answer has labels that cannot be read"),
        ({"status": "success", "data": {}}, UNKNOWN, "is this the address of an Alertmanager?"),
    ],
)
def test_the_alerts_of_an_alertmanager_decide(alerts: Any, verdict: GateVerdict, reason: str) -> None:
    answer = read(ALERTMANAGER, alerts).answer
    assert answer.verdict is verdict
    assert reason in answer.reason


@pytest.mark.parametrize(
    ("alerts", "verdict", "reason"),
    [
        ([], UNKNOWN, "the alert Watchdog should always fire and does not"),
        ([alert("Watchdog", cluster="b")], UNKNOWN, "the alert Watchdog should always fire and does not"),
        ([alert("Watchdog", cluster="a")], PASS, ""),
        ([alert("Watchdog", cluster="a"), alert("X", cluster="b")], PASS, ""),
        ([alert("Watchdog", cluster="a"), alert("X", cluster="a")], FAIL, "firing: X"),
        ([alert("X", cluster="a")], FAIL, "firing: X"),
    ],
)
def test_a_watchdog_shows_that_alerts_arrive(alerts: Any, verdict: GateVerdict, reason: str) -> None:
    asked = gate("alerts", api="alertmanager", matching=".*", watchdog="Watchdog", labels={"cluster": "a"})
    answer = read(asked, alerts).answer
    assert answer.verdict is verdict
    assert reason in answer.reason


@pytest.mark.parametrize(
    ("body", "verdict", "reason"),
    [
        (rules(rule("KubeA"), rule("Other", firing())), PASS, ""),
        (rules(rule("KubeA", firing("pending"))), PASS, ""),
        (rules(rule("KubeA", firing(cluster="b"))), PASS, ""),
        (rules(rule("KubeA", firing("pending"), firing())), FAIL, "gate g says no: firing: KubeA"),
        (rules(rule("KubeA", health="err"), rule("KubeB", firing())), FAIL, "firing: KubeB"),
        (rules(), UNKNOWN, "it has no alerting rule with a name that matches"),
        (rules(rule("Other")), UNKNOWN, "it has no alerting rule with a name that matches"),
        (rules(rule("KubeA", type="recording")), UNKNOWN, "it has no alerting rule with a name that matches"),
        (
            rules(rule("KubeA"), rule("KubeB", health="unknown")),
            UNKNOWN,
            "rules were not evaluated, or with an e",
        ),
        (rules(rule("KubeA"), rule("Other", health="err")), PASS, ""),
        (rules(rule("KubeA", "x")), UNKNOWN, "a rule that cannot be read"),
        (rules(rule("KubeA"), warnings=["w"]), UNKNOWN, "the answer may be partial: w"),
        ({"data": {"groups": None}}, UNKNOWN, "the answer has no rules that can be read"),
        ({"data": {"groups": [{}]}}, UNKNOWN, "the answer has no rules that can be read"),
        ({"data": {"alerts": []}}, UNKNOWN, "the answer has no rules that can be read"),
    ],
)
def test_the_rules_of_a_prometheus_decide(body: Any, verdict: GateVerdict, reason: str) -> None:
    answer = read(RULES, body).answer
    assert answer.verdict is verdict
    assert reason in answer.reason


def test_a_watchdog_among_the_rules_must_fire() -> None:
    asked = gate("alerts", api="prometheus", matching=".*", watchdog="Watchdog")
    assert read(asked, rules(rule("KubeA"), rule("Watchdog", firing()))).answer.verdict is PASS
    assert read(asked, rules(rule("KubeA"), rule("Watchdog"))).answer.verdict is UNKNOWN
    assert read(asked, rules(rule("Watchdog", firing()))).answer.verdict is UNKNOWN
    assert read(asked, rules(rule("KubeA", firing()), rule("Watchdog", health="err"))).answer.verdict is FAIL


@pytest.mark.parametrize(
    ("status", "body", "settings", "verdict"),
    [
        (200, b"", {}, PASS),
        (204, b"", {}, UNKNOWN),
        (204, b"", {"status": 204}, PASS),
        (503, b"", {"status": 503}, PASS),
        (500, b"", {}, FAIL),
        (503, b"", {}, FAIL),
        (502, b"", {}, UNKNOWN),
        (504, b"", {}, UNKNOWN),
        (401, b"", {}, UNKNOWN),
        (404, b"", {}, UNKNOWN),
        (200, b'{"state": "ok"}', {"matching": '"state": "ok"'}, PASS),
        (200, b'{"state": "bad"}', {"matching": '"state": "ok"'}, FAIL),
        (200, b"\xff ok", {"matching": "ok"}, PASS),
        (200, b"x" * 70_000 + b"ok", {"matching": "ok"}, FAIL),
        (404, b"ok", {"matching": "ok"}, UNKNOWN),
    ],
)
def test_the_status_and_the_body_of_a_url_decide(status: int, body: bytes, settings: Any, verdict: GateVerdict) -> None:
    answer = read(gate("url", **settings), body, status).answer
    assert answer.verdict is verdict
    assert bool(answer.reason) is (verdict is not PASS)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["data", "result", "resultType", "metric", "value", "groups", "rules", "alerts", "status"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
)


@pytest.mark.complaint('argo-rollouts #1905: "no data" counted as success, or aborted')
@given(st.sampled_from(GATES), ANY_JSON, st.sampled_from([200, 404, 500]))
def test_any_json_has_an_answer_and_none_passes_by_mistake(asked: ServerGate, value: Any, status: int) -> None:
    answer = read(asked, value, status)
    for part in (answer.answer, *answer.nodes.values()):
        assert part.reason.isprintable()
        assert len(part.reason) < 700
        if part.verdict is PASS and asked is not PAGE and value != []:
            assert status == 200
            assert isinstance(value, dict), "nothing but the documented form passes"


@given(st.sampled_from(GATES), st.binary(max_size=50), st.integers(100, 599))
def test_any_bytes_have_an_answer(asked: ServerGate, body: bytes, status: int) -> None:
    verdict = read(asked, body, status).answer.verdict
    if asked is not PAGE and body.strip() != b"[]":
        assert verdict is UNKNOWN
    assert verdict is not PASS or status == 200
