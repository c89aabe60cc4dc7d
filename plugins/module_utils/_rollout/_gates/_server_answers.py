# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What to ask a gate's server, and what its answer means. Private to configok.node.

"No data" is never a yes: an empty result, a rule that does not exist, a partial or unreadable answer are "don't know".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from ..._componentconfig._scalars._wording import first_names
from ..._foreign import InvalidText
from ..._foreign._json import load_json
from ..._nodeconfig._untrusted import sanitize
from ._answers import GateAnswer, GateVerdict, ServerAnswer
from ._gate_settings import AlertsGate, PrometheusGate, ServerGate, UrlGate

__all__ = ["UnusableServerAnswer", "make_target", "read_answer", "unknown"]

_NAMES_SHOWN = 5
_MAX_TEXT = 200
_MAX_MATCHED = 65536  # bytes of a body that are searched
_LONGEST_QUERY = 30.0  # seconds: the time limit of a query
_GATEWAY_FAILED = (502, 504)  # said by what is in front of the server that was asked


class UnusableServerAnswer(ValueError):
    """An answer that says neither yes nor no; the message says why."""


def make_target(gate: ServerGate) -> str:
    """Return the path and the query of the request that asks a gate's server."""
    url = urlsplit(gate.access.url)
    if isinstance(gate, PrometheusGate):
        query = {"query": gate.query, "timeout": f"{min(gate.timeout, _LONGEST_QUERY):g}s"}
        return f"{url.path}/api/v1/query?{urlencode(query)}"
    if isinstance(gate, UrlGate):
        return (url.path or "/") + (f"?{url.query}" if url.query else "")
    if gate.api == "prometheus":
        # The rules, not the alerts: only they show that a rule of that name exists, and is evaluated.
        return f"{url.path}/api/v1/rules?type=alert"
    return f"{url.path}/api/v2/alerts?active=true&silenced=false&inhibited=false"


def read_answer(gate: ServerGate, status: int, body: bytes) -> ServerAnswer:
    """Return what a server's answer means."""
    try:
        if isinstance(gate, PrometheusGate):
            return _read_query(gate, _data(status, body))
        if isinstance(gate, UrlGate):
            return ServerAnswer(_read_url(gate, status, body))
        if gate.api == "prometheus":
            firing = _firing_rules(gate, _data(status, body))
        else:
            firing = list(_firing_alerts(gate, _json(status, body)))
        return ServerAnswer(_alerts(gate, firing))
    except UnusableServerAnswer as error:
        return unknown(gate, str(error))
    except InvalidText as error:
        return unknown(gate, f"its matching cannot be searched for: {sanitize(error, _MAX_TEXT)}")


def unknown(gate: ServerGate, reason: str) -> ServerAnswer:
    """Return the answer of a gate that does not know."""
    return ServerAnswer(GateAnswer(gate.name, GateVerdict.UNKNOWN, f"gate {gate.name} does not know: {reason}"))


def _no(gate: ServerGate, reason: str) -> GateAnswer:
    return GateAnswer(gate.name, GateVerdict.FAIL, f"gate {gate.name} says no: {reason}")


def _read_url(gate: UrlGate, status: int, body: bytes) -> GateAnswer:
    if status == gate.status:
        if gate.matching is None or gate.matching.is_in(body[:_MAX_MATCHED].decode("utf-8", "replace")):
            return GateAnswer(gate.name, GateVerdict.PASS)
        return _no(gate, f"its body does not contain {sanitize(gate.matching.text, _MAX_TEXT)}")
    if status >= 500 and status not in _GATEWAY_FAILED:
        return _no(gate, f"it answers with {status}, not {gate.status}")
    raise UnusableServerAnswer(f"it answers with {status}, not {gate.status}")


# --- Prometheus' query


def _read_query(gate: PrometheusGate, data: Mapping[str, Any]) -> ServerAnswer:
    kind, result = data.get("resultType"), data.get("result")
    if kind == "scalar":
        samples: Iterable[tuple[Mapping[str, str], float]] = [({}, _number(result))]
    elif kind == "vector" and isinstance(result, list):
        samples = [_sample(sample) for sample in result]
    else:
        raise UnusableServerAnswer(f"the query gives a {sanitize(kind, 20)}, not a number or an instant vector")
    if not samples:
        raise UnusableServerAnswer("there is no data: the query's result is empty")
    if not gate.node_label:
        return ServerAnswer(_compare(gate, samples))
    by_node: dict[str, list[tuple[Mapping[str, str], float]]] = {}
    for labels, value in samples:
        name = labels.get(gate.node_label, "")
        if name:
            by_node.setdefault(name.rpartition(":")[0] or name, []).append((labels, value))  # instance has a port
    if not by_node:
        raise UnusableServerAnswer(f"no sample of the query's result has the label {gate.node_label}")
    answer = GateAnswer(gate.name, GateVerdict.PASS)
    return ServerAnswer(answer, {name: _compare(gate, own) for name, own in by_node.items()})


def _compare(gate: PrometheusGate, samples: Iterable[tuple[Mapping[str, str], float]]) -> GateAnswer:
    """Return the answer to samples that must all meet the condition."""
    without_number = ""
    for labels, value in samples:
        is_met = gate.condition.is_met(value)
        if is_met is False:
            return _no(gate, f"{_shown(labels)}{value:g} is not {gate.condition}")
        if is_met is None:
            without_number = f"{_shown(labels)}the result is not a number (NaN)"
    if without_number:
        return unknown(gate, without_number).answer
    return GateAnswer(gate.name, GateVerdict.PASS)


def _shown(labels: Mapping[str, str]) -> str:
    pairs = ", ".join(f"{name}={value}" for name, value in sorted(labels.items()))
    return f"{{{sanitize(pairs, _MAX_TEXT)}}}: " if pairs else ""


def _sample(sample: Any) -> tuple[Mapping[str, str], float]:
    if not isinstance(sample, dict):
        raise UnusableServerAnswer("the query's result cannot be read")
    if "histogram" in sample:
        raise UnusableServerAnswer("the query gives histograms, not numbers")
    return _labels(sample.get("metric")), _number(sample.get("value"))


def _number(pair: Any) -> float:
    if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], str):
        try:
            return float(pair[1])
        except ValueError:
            pass
    raise UnusableServerAnswer("the query's result has a value that is not a number")


# --- alerts


def _alerts(gate: AlertsGate, firing: Iterable[str]) -> GateAnswer:
    """Return the answer to the names of the alerts that fire and have the gate's labels."""
    names = set(firing)
    matching = sorted(gate.matching.matching(names - {gate.watchdog}))
    if matching:
        return _no(gate, f"firing: {first_names([sanitize(name, _MAX_TEXT) for name in matching], _NAMES_SHOWN)}")
    if gate.watchdog and gate.watchdog not in names:
        raise UnusableServerAnswer(
            f"the alert {sanitize(gate.watchdog, _MAX_TEXT)} should always fire and does not: others may be lost, too"
        )
    return GateAnswer(gate.name, GateVerdict.PASS)


def _firing_alerts(gate: AlertsGate, alerts: Any) -> Iterator[str]:
    """Yield the names of the alerts of an Alertmanager that are neither silenced nor inhibited."""
    if not isinstance(alerts, list):
        raise UnusableServerAnswer("the answer is not a list of alerts: is this the address of an Alertmanager?")
    for alert in alerts:
        status = alert.get("status") if isinstance(alert, dict) else None
        if not isinstance(status, dict):
            raise UnusableServerAnswer("the answer has an alert that cannot be read")
        labels = _labels(alert.get("labels"))
        if status.get("state") != "suppressed" and _has_labels(gate, labels):
            yield labels.get("alertname", "")


def _firing_rules(gate: AlertsGate, data: Mapping[str, Any]) -> list[str]:
    """Return the names of the rules with an alert that fires. A rule that cannot be evaluated does not know."""
    firing: list[str] = []
    unhealthy: list[str] = []
    has_rule = False
    rules = [(str(rule.get("name", "")), rule) for rule in _rules(data)]
    matching = gate.matching.matching(name for name, _rule in rules)
    for name, rule in rules:
        if name != gate.watchdog and name not in matching:
            continue
        has_rule = has_rule or name != gate.watchdog
        alerts = rule.get("alerts") or []
        if not isinstance(alerts, list) or not all(isinstance(alert, dict) for alert in alerts):
            raise UnusableServerAnswer("the answer has a rule that cannot be read")
        if any(alert.get("state") == "firing" and _has_labels(gate, _labels(alert.get("labels"))) for alert in alerts):
            firing.append(name)
        elif rule.get("health") != "ok":
            unhealthy.append(sanitize(name, _MAX_TEXT))
    if any(name != gate.watchdog for name in firing):
        return firing
    if not has_rule:
        raise UnusableServerAnswer("it has no alerting rule with a name that matches")
    if unhealthy:
        names = first_names(sorted(set(unhealthy)), _NAMES_SHOWN)
        raise UnusableServerAnswer(f"rules were not evaluated, or with an error: {names}")
    return firing


def _rules(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    groups = data.get("groups")
    for group in groups if isinstance(groups, list) else [None]:
        rules = group.get("rules") if isinstance(group, dict) else None
        if not isinstance(rules, list):
            raise UnusableServerAnswer("the answer has no rules that can be read")
        yield from (rule for rule in rules if isinstance(rule, dict) and rule.get("type") == "alerting")


def _has_labels(gate: AlertsGate, labels: Mapping[str, str]) -> bool:
    return all(labels.get(name) == value for name, value in gate.labels.items())


# --- what both APIs have


def _labels(value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise UnusableServerAnswer("the answer has labels that cannot be read")
    return {str(name): str(text) for name, text in value.items()}


def _data(status: int, body: bytes) -> Mapping[str, Any]:
    """Return the data of an answer of Prometheus."""
    answer = _json(status, body)
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, dict):
        raise UnusableServerAnswer("the answer has no data: is this the address of a Prometheus?")
    warnings = answer.get("warnings")
    if warnings:
        text = warnings[0] if isinstance(warnings, list) else warnings
        raise UnusableServerAnswer(f"the answer may be partial: {sanitize(text, _MAX_TEXT)}")
    return data


def _json(status: int, body: bytes) -> Any:
    try:
        answer = load_json(body.decode("utf-8"))
    except ValueError:
        answer = None
    if status != 200:
        error = answer.get("error") if isinstance(answer, dict) else answer
        detail = f": {sanitize(error, _MAX_TEXT)}" if isinstance(error, str) and error else ""
        raise UnusableServerAnswer(f"the server answers with {status}{detail}")
    if answer is None:
        raise UnusableServerAnswer("the answer is not JSON")
    return answer
