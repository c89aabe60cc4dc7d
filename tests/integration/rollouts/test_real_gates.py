# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates on a real Prometheus and a real Alertmanager, and rollouts that they stop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._gates._gate_monitor import GateMonitor, questions
from ansible_collections.configok.node.plugins.module_utils._rollout._gates._server_gate import ServerGate
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateVerdict, ServerAnswer
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.gate_client import GateClient
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from support.api.pki import Authority
from support.monitoring.servers import Alertmanager, Metrics, Prometheus
from support.rollouts.world import World
from support.session.patience import LONGEST_WAIT

PASS, FAIL, UNKNOWN, WAIT = GateVerdict.PASS, GateVerdict.FAIL, GateVerdict.UNKNOWN, GateVerdict.WAIT
ALERTS = {
    "TooManyErrors": "errors > 0.5",
    "NeverFires": "vector(0) > 1",
    "Watchdog": "vector(1)",
    "Broken": "up * on() group_left two_values",
}


@pytest.fixture(scope="module")
def metrics() -> Iterator[Metrics]:
    with Metrics() as exporter:
        yield exporter


@pytest.fixture(scope="module")
def alertmanager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alertmanager]:
    with Alertmanager(tmp_path_factory.mktemp("alertmanager")) as server:
        yield server


@pytest.fixture(scope="module")
def prometheus(
    tmp_path_factory: pytest.TempPathFactory, metrics: Metrics, alertmanager: Alertmanager
) -> Iterator[Prometheus]:
    directory = tmp_path_factory.mktemp("prometheus")
    with Prometheus(directory, metrics.address, alerts=ALERTS, alertmanager=alertmanager.address) as server:
        yield server


@pytest.fixture(autouse=True)
def samples(metrics: Metrics) -> None:
    metrics.clear()
    metrics.set("errors", 0.001)
    for place in "12":
        metrics.set(f'two_values{{place="{place}"}}', 1)


def gate(kind: str, url: str, *, timeout: str = "10s", **settings: Any) -> ServerGate:
    policy = {"gates": [{"name": "g", "timeout": timeout, "interval": "1s", kind: {"url": url, **settings}}]}
    return parse_policy(policy).gates.servers[0]


def ask(asked: ServerGate) -> ServerAnswer:
    client = GateClient()
    answer = client.ask(asked)
    client.close()
    return answer


def query(prometheus: Prometheus, text: str, condition: str, **more: Any) -> ServerAnswer:
    return ask(gate("prometheus", prometheus.url, query=text, condition=condition, **more))


def test_a_query_says_yes_no_or_has_no_data(prometheus: Prometheus, metrics: Metrics) -> None:
    prometheus.wait_for("errors == 0.001")
    assert query(prometheus, "errors", "< 0.01").answer.verdict is PASS
    assert query(prometheus, "scalar(errors)", "< 0.01").answer.verdict is PASS
    metrics.set("errors", 0.25)
    prometheus.wait_for("errors == 0.25")
    answer = query(prometheus, "sum(errors)", "< 0.01").answer
    assert (answer.verdict, answer.reason) == (FAIL, "gate g says no: 0.25 is not < 0.01")
    metrics.clear()
    prometheus.wait_for("absent(errors)")
    answer = query(prometheus, "errors", "< 0.01").answer
    assert (answer.verdict, answer.reason) == (
        UNKNOWN,
        "gate g does not know: there is no data: the query's result is empty",
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 / 0", "the result is not a number (NaN)"),
        ("errors[1m]", "the query gives a matrix, not a number or an instant vector"),
        ('"text"', "the query gives a string, not a number or an instant vector"),
        ("errors{", "the server answers with 400: "),
        ("missing", "there is no data"),
    ],
)
def test_a_query_that_cannot_be_a_yes(prometheus: Prometheus, text: str, reason: str) -> None:
    prometheus.wait_for("errors")
    answer = query(prometheus, text, "< 0.01").answer
    assert answer.verdict is UNKNOWN
    assert answer.reason.startswith(f"gate g does not know: {reason}")


def test_a_query_by_node(prometheus: Prometheus, metrics: Metrics) -> None:
    metrics.set('healthy{node="n1"}', 1)
    metrics.set('healthy{node="n2"}', 0)
    prometheus.wait_for('healthy{node="n1"}')
    nodes = query(prometheus, "healthy", "== 1", nodeLabel="node").nodes
    assert {name: part.verdict for name, part in nodes.items()} == {"n1": PASS, "n2": FAIL}
    assert "node=n2}: 0 is not == 1" in nodes["n2"].reason


def test_the_rules_of_a_prometheus(prometheus: Prometheus, metrics: Metrics) -> None:
    def alerts(matching: str, **more: Any) -> tuple[GateVerdict, str]:
        answer = ask(gate("alerts", prometheus.url, api="prometheus", matching=matching, **more)).answer
        return answer.verdict, answer.reason

    prometheus.wait_for_rules(lambda rules: all(rule["state"] == "inactive" for rule in rules if "Too" in rule["name"]))
    assert alerts("TooManyErrors|NeverFires") == (PASS, "")
    assert alerts("NeverFires", watchdog="Watchdog") == (PASS, "")
    metrics.set("errors", 0.75)
    prometheus.wait_for_rules(lambda rules: any(rule["state"] == "firing" for rule in rules if "Too" in rule["name"]))
    assert alerts("Too.*") == (FAIL, "gate g says no: firing: TooManyErrors")
    assert alerts("Too.*", labels={"team": "test"})[0] is FAIL
    assert alerts("Too.*", labels={"team": "another"})[0] is PASS
    assert alerts("Misspelt.*") == (UNKNOWN, "gate g does not know: it has no alerting rule with a name that matches")
    assert alerts("Broken") == (UNKNOWN, "gate g does not know: rules were not evaluated, or with an error: Broken")
    assert alerts("NeverFires", watchdog="TooManyErrors")[0] is PASS


def test_an_alertmanager(prometheus: Prometheus, alertmanager: Alertmanager, metrics: Metrics) -> None:
    def alerts(matching: str, **more: Any) -> tuple[GateVerdict, str]:
        answer = ask(gate("alerts", alertmanager.url, api="alertmanager", matching=matching, **more)).answer
        return answer.verdict, answer.reason

    alertmanager.wait_for("Watchdog")
    assert alerts("NeverFires", watchdog="Watchdog") == (PASS, "")
    verdict, reason = alerts("NeverFires", watchdog="NeverFires")
    assert verdict is UNKNOWN
    assert "should always fire and does not" in reason
    metrics.set("errors", 0.75)
    alertmanager.wait_for("TooManyErrors")
    assert alerts("Too.*") == (FAIL, "gate g says no: firing: TooManyErrors")
    assert alerts("Too.*", labels={"team": "another"}) == (PASS, "")
    alertmanager.silence("TooManyErrors")
    assert alerts("Too.*") == (PASS, "")


def test_one_api_is_not_taken_for_the_other(prometheus: Prometheus, alertmanager: Alertmanager) -> None:
    for server, api in ((prometheus, "alertmanager"), (alertmanager, "prometheus")):
        answer = ask(gate("alerts", server.url, api=api, matching=".*")).answer
        assert answer.verdict is UNKNOWN
        assert "the server answers with 404" in answer.reason


def test_a_url(prometheus: Prometheus) -> None:
    assert ask(gate("url", f"{prometheus.url}/-/ready", matching="Ready")).answer.verdict is PASS
    assert ask(gate("url", f"{prometheus.url}/-/ready", matching="gone")).answer.verdict is FAIL
    assert ask(gate("url", f"{prometheus.url}/missing")).answer.verdict is UNKNOWN


def test_a_prometheus_with_tls(tmp_path: Path, metrics: Metrics) -> None:
    authority = Authority(tmp_path / "pki")
    files = (*authority.issue_files("server", "server", addresses=["127.0.0.1"]), authority.ca_file)
    with Prometheus(tmp_path / "prometheus", metrics.address, tls=files) as server:
        server.wait_for("errors")
        assert query(server, "errors", "< 0.01", caCert=str(authority.ca_file)).answer.verdict is PASS
        assert query(server, "errors", "< 0.01", validateCerts=False).answer.verdict is PASS
        answer = query(server, "errors", "< 0.01").answer
        assert answer.verdict is UNKNOWN
        assert "CERTIFICATE_VERIFY_FAILED" in answer.reason


def test_a_server_that_goes_down_and_comes_back(tmp_path: Path, metrics: Metrics) -> None:
    clock = Clock()
    with Prometheus(tmp_path, metrics.address) as server:
        server.wait_for("errors")
        asked = gate("prometheus", server.url, query="errors", condition="< 0.01", timeout="2s")
        with (
            closing(GateClient()) as client,
            GateMonitor(questions([asked], client.ask), clock, lambda: None) as monitor,
        ):

            def wait_for(verdict: GateVerdict, soaked_at: float | None) -> str:
                deadline = clock.monotonic() + LONGEST_WAIT
                while True:
                    decision = monitor.decide(soaked_at)
                    if decision.verdict is verdict:
                        return decision.reason
                    assert clock.monotonic() < deadline, decision
                    clock.sleep(0.05)

            wait_for(PASS, monitor.started_at)
            server.stop()
            killed = clock.monotonic()
            assert "no answer from" in wait_for(UNKNOWN, killed)
            assert clock.monotonic() - killed > 0.9, "a yes counts for as long as the gate's timeout"
            server.start()
            wait_for(PASS, killed)


# --- rollouts that gates stop

QUICK: dict[str, Any] = {"canary": {"count": 1, "soak": "1s"}, "waves": ["100%"], "soak": "1s"}


@pytest.fixture
def world() -> Iterator[World]:
    made = World.start_over_http(6)
    yield made
    made.stop()


def errors_gate(prometheus: Prometheus, **more: Any) -> list[dict[str, Any]]:
    settings = {"url": prometheus.url, "query": "errors", "condition": "< 0.01"}
    return [{"name": "errors", "prometheus": settings, "timeout": "3s", "interval": "1s", **more}]


def test_a_rollout_with_a_gate_that_says_yes(world: World, prometheus: Prometheus) -> None:
    prometheus.wait_for("errors == 0.001")
    results = world.rollout(world.publish(100), gates=errors_gate(prometheus), **QUICK)
    assert results[-1].phase == "Complete"


def test_a_gate_that_says_no_halts_the_rollout_at_the_canary(
    world: World, prometheus: Prometheus, metrics: Metrics
) -> None:
    prometheus.wait_for("errors == 0.001")
    world.when("canary: assigned", lambda: metrics.set("errors", 0.5))
    result = world.rollout(world.publish(100), gates=errors_gate(prometheus), **QUICK)[-1]
    assert (result.phase, len(world.nodes.assignments)) == ("Halted", 1)
    assert "gate errors says no: " in result.reason


def test_a_gate_without_data_pauses_the_rollout_and_a_repaired_one_lets_it_continue(
    world: World, prometheus: Prometheus, metrics: Metrics
) -> None:
    target = world.publish(100)
    prometheus.wait_for("errors == 0.001")
    world.when("canary: assigned", metrics.clear)
    result = world.rollout(target, gates=errors_gate(prometheus), **QUICK)[-1]
    assert (result.phase, len(world.nodes.assignments)) == ("Paused", 1)
    assert "gate errors does not know: there is no data" in result.reason
    metrics.set("errors", 0.001)
    prometheus.wait_for("errors")
    assert world.rollout(target, gates=errors_gate(prometheus), **QUICK)[-1].phase == "Complete"
    assert len(world.nodes.assignments) == 6


def test_a_gate_that_says_no_before_the_start_pauses_the_rollout(
    world: World, prometheus: Prometheus, metrics: Metrics
) -> None:
    metrics.set("errors", 0.5)
    prometheus.wait_for("errors == 0.5")
    result = world.rollout(world.publish(100), gates=errors_gate(prometheus), **QUICK)[-1]
    assert (result.phase, len(world.nodes.assignments)) == ("Paused", 0)
    assert "gate errors says no: " in result.reason
