# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the gates of a policy. Private to configok.node."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union
from urllib.parse import SplitResult, urlsplit

from ..._foreign import InvalidText
from ..._foreign._patterns import Pattern, parse_pattern
from ..._nodeconfig._durations import setting_duration
from ..._nodeconfig._strict_mapping import StrictFields, boolean, integer
from .._pool_values import choice, is_list, mapping, text
from ._condition import Condition
from ._node_expressions import NodeExpression

__all__ = [
    "AlertApi",
    "AlertsGate",
    "Gates",
    "NodeGate",
    "PrometheusGate",
    "ServerAccess",
    "ServerGate",
    "UrlGate",
    "WavePlaybooks",
    "parse_gates",
    "parse_wave_playbooks",
]

AlertApi = Literal["alertmanager", "prometheus"]

_KINDS = ("node", "prometheus", "alerts", "url")
_ALERT_APIS: tuple[AlertApi, ...] = ("alertmanager", "prometheus")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_. ]{0,61}[A-Za-z0-9])?\Z")
_LABEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_MAX_GATES = 50
_MAX_TEXT = 4096  # characters of a URL, a query or a path
_MAX_PATTERN = 500
_TIMEOUT = 120.0
_INTERVAL = 10.0
_SHORTEST_INTERVAL = 1.0
_PLAYBOOK_TIMEOUT = 1800.0


@dataclass(frozen=True)
class NodeGate:
    """A gate that looks at a Node. Its answer changes with the Node only."""

    name: str
    expression: NodeExpression


@dataclass(frozen=True)
class ServerAccess:
    """How a server is reached. ca_cert, token_file: paths. token_variable: the environment variable with the token."""

    url: str
    ca_cert: str = ""
    validate_certs: bool = True
    token_file: str = ""
    token_variable: str = ""


@dataclass(frozen=True)
class PrometheusGate:
    """A query whose result must meet a condition. node_label: the label with the Node's name, "" for the whole pool."""

    name: str
    access: ServerAccess
    query: str
    condition: Condition
    node_label: str = ""
    timeout: float = _TIMEOUT
    interval: float = _INTERVAL


@dataclass(frozen=True)
class AlertsGate:
    """No alert is firing whose name matches.

    labels: only alerts that have these labels count. watchdog: an alert that always fires, "" for none; without it, an
    Alertmanager that receives nothing looks like one without alerts.
    """

    name: str
    access: ServerAccess
    api: AlertApi
    matching: Pattern
    labels: Mapping[str, str] = field(default_factory=dict)
    watchdog: str = ""
    timeout: float = _TIMEOUT
    interval: float = _INTERVAL


@dataclass(frozen=True)
class UrlGate:
    """A URL that answers with a status. matching: what the body must contain, None for anything."""

    name: str
    access: ServerAccess
    status: int = 200
    matching: Pattern | None = None
    timeout: float = _TIMEOUT
    interval: float = _INTERVAL


ServerGate = Union[PrometheusGate, AlertsGate, UrlGate]


@dataclass(frozen=True)
class Gates:
    """The gates of a policy. nodes: those of a single Node; servers: those that ask a server."""

    nodes: tuple[NodeGate, ...] = ()
    servers: tuple[ServerGate, ...] = ()


@dataclass(frozen=True)
class WavePlaybooks:
    """The user's own playbooks before and after each wave, "" for none. timeout: seconds for each run."""

    before_wave: str = ""
    after_wave: str = ""
    timeout: float = _PLAYBOOK_TIMEOUT


def parse_gates(fields: StrictFields) -> Gates:
    """Return the gates in the fields of a policy; errors are collected in them."""
    value = fields.take("gates")
    if value is None:
        return Gates()
    if not is_list(value) or len(value) > _MAX_GATES:
        fields.error("gates", value, f"must be a list of at most {_MAX_GATES} gates")
        return Gates()
    nodes: list[NodeGate] = []
    servers: list[ServerGate] = []
    names: set[str] = set()
    for index, part in enumerate(value):
        path = f"gates[{index}]"
        if not isinstance(part, Mapping):
            fields.error(path, part, "must be a mapping with a name and one of " + ", ".join(_KINDS))
            continue
        gate = _gate(fields.nested(path, part), part)
        if isinstance(gate, NodeGate):
            nodes.append(gate)
        elif gate is not None:
            servers.append(gate)
        name = gate.name if gate is not None else ""
        if name in names:
            fields.error(f"{path}.name", name, f"{name!r} is the name of another gate")
        names.update({name} - {""})
    return Gates(tuple(nodes), tuple(servers))


def parse_wave_playbooks(fields: StrictFields) -> WavePlaybooks:
    """Return the playbooks in the fields of a policy; errors are collected in them."""
    playbooks = fields.section("playbooks")
    settings = WavePlaybooks(
        before_wave=playbooks.get("beforeWave", _required_text, ""),
        after_wave=playbooks.get("afterWave", _required_text, ""),
        timeout=playbooks.get("timeout", _positive_duration, _PLAYBOOK_TIMEOUT),
    )
    playbooks.reject_unknown()
    return settings


def _gate(fields: StrictFields, value: Mapping[Any, Any]) -> NodeGate | ServerGate | None:
    name = fields.require("name", _name, "", missing="is missing: each gate has a name")
    kinds = [kind for kind in _KINDS if value.get(kind) is not None]
    if len(kinds) != 1:
        fields.error("name", None, f"{name or 'a gate'} must have exactly one of {', '.join(_KINDS)}, not {len(kinds)}")
        return None
    kind = kinds[0]
    if kind == "node":
        return _node_gate(fields, name)
    errors = len(fields.errors)
    timeout = fields.get("timeout", _positive_duration, _TIMEOUT)
    interval = fields.get("interval", _interval, min(_INTERVAL, max(timeout, _SHORTEST_INTERVAL)))
    if len(fields.errors) == errors and timeout < interval:
        fields.error("timeout", timeout, f"{timeout:g}s is shorter than the interval of the questions, {interval:g}s")
    gate = _SERVER_GATES[kind](fields.section(kind), name, timeout, interval)
    fields.reject_unknown()
    return gate


def _node_gate(fields: StrictFields, name: str) -> NodeGate | None:
    expression = fields.convert("node", fields.take("node"), _expression, None)
    for key in ("timeout", "interval"):
        if fields.take(key) is not None:
            fields.error(key, None, "is only for gates that ask a server: a gate of a Node has policy.nodeTimeout")
    fields.reject_unknown()
    return None if expression is None else NodeGate(name, expression)


def _prometheus_gate(fields: StrictFields, name: str, timeout: float, interval: float) -> PrometheusGate:
    gate = PrometheusGate(
        name,
        _access(fields),
        query=fields.require("query", _required_text, ""),
        condition=fields.require(
            "condition", Condition.parse, Condition("<", 0.0), missing="is required, such as '< 0.01'"
        ),
        node_label=fields.get("nodeLabel", _label_name, ""),
        timeout=timeout,
        interval=interval,
    )
    fields.reject_unknown()
    return gate


def _alerts_gate(fields: StrictFields, name: str, timeout: float, interval: float) -> AlertsGate:
    gate = AlertsGate(
        name,
        _access(fields),
        api=fields.require(
            "api", choice(_ALERT_APIS), _ALERT_APIS[0], missing="is required: alertmanager or prometheus"
        ),
        matching=fields.require("matching", _pattern, Pattern("")),
        labels=fields.get("labels", _labels, {}),
        watchdog=fields.get("watchdog", _required_text, ""),
        timeout=timeout,
        interval=interval,
    )
    fields.reject_unknown()
    return gate


def _url_gate(fields: StrictFields, name: str, timeout: float, interval: float) -> UrlGate:
    gate = UrlGate(
        name,
        _access(fields, allow_query=True),
        status=fields.get("status", integer(200, 599), 200),
        matching=fields.get("matching", _pattern, None),
        timeout=timeout,
        interval=interval,
    )
    fields.reject_unknown()
    return gate


_SERVER_GATES: Mapping[str, Callable[[StrictFields, str, float, float], ServerGate]] = {
    "prometheus": _prometheus_gate,
    "alerts": _alerts_gate,
    "url": _url_gate,
}


def _access(fields: StrictFields, *, allow_query: bool = False) -> ServerAccess:
    access = ServerAccess(
        url=fields.require("url", _url_with_query if allow_query else _url, ""),
        ca_cert=fields.get("caCert", _required_text, ""),
        validate_certs=fields.get("validateCerts", boolean, True),
        token_file=fields.get("tokenFile", _required_text, ""),
        token_variable=fields.get("tokenVariable", _variable, ""),
    )
    if access.token_file and access.token_variable:
        fields.error("tokenVariable", None, "give either tokenFile or tokenVariable, not both")
    if access.ca_cert and not access.validate_certs:
        fields.error("caCert", None, "has no effect with validateCerts: false")
    server = urlsplit(access.url)
    key = "tokenFile" if access.token_file else "tokenVariable" if access.token_variable else ""
    if key and server.scheme == "http" and server.hostname not in _LOOPBACK:
        fields.error(key, None, "needs a URL with https: over http everybody on the way could read the token")
    return access


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.match(value):
        raise ValueError(f"{str(value)[:60]!r} must be a name of at most 63 letters, digits, spaces and -_.")
    return value


def _required_text(value: Any) -> str:
    line = text(value)
    if not line or len(line) > _MAX_TEXT or "\0" in line:
        raise ValueError(f"must be a text of 1 to {_MAX_TEXT} characters")
    return line


def _expression(value: Any) -> NodeExpression:
    return NodeExpression(_required_text(value))


def _pattern(value: Any) -> Pattern:
    line = _required_text(value)
    if len(line) > _MAX_PATTERN:
        raise ValueError(f"has {len(line)} characters, at most {_MAX_PATTERN} are allowed")
    try:
        return parse_pattern(line)
    except InvalidText as error:
        raise ValueError(f"{line[:60]!r} is not a regular expression: {error}") from error


def _labels(value: Any) -> dict[str, str]:
    labels = mapping(value)
    for key, part in labels.items():
        if not _LABEL_NAME.match(key) or not isinstance(part, str):
            raise ValueError(f"{key[:60]!r} must be the name of a label, with a text as its value")
    return labels


def _label_name(value: Any) -> str:
    if not isinstance(value, str) or not _LABEL_NAME.match(value):
        raise ValueError(f"{str(value)[:60]!r} must be the name of a label of the query's result, such as node")
    return value


def _variable(value: Any) -> str:
    # The value is not shown: it may be the token itself.
    if not isinstance(value, str) or not _VARIABLE.match(value):
        raise ValueError("must be the name of an environment variable, which holds the token")
    return value


def _positive_duration(value: Any) -> float:
    seconds = setting_duration(value)
    if seconds <= 0:
        raise ValueError("must be longer than 0s")
    return seconds


def _interval(value: Any) -> float:
    seconds = setting_duration(value)
    if seconds < _SHORTEST_INTERVAL:
        raise ValueError(f"must be at least {_SHORTEST_INTERVAL:g}s")
    return seconds


def _url(value: Any) -> str:
    url = _url_with_query(value)
    if urlsplit(url).query:
        raise ValueError("must be the address of the server, without a query")
    return url.rstrip("/")


def _url_with_query(value: Any) -> str:
    # Never shown as a whole: a URL may hold a password.
    line = _required_text(value)
    parts = _split(line)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be a URL such as https://prometheus.example.com:9090")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a password: give a token with tokenFile or tokenVariable")
    if parts.fragment or not line.isascii() or not line.isprintable() or " " in line:
        raise ValueError("must be a URL of printable ASCII characters without spaces and without a fragment")
    return line


def _split(line: str) -> SplitResult | None:
    try:
        parts = urlsplit(line)
        parts.port  # noqa: B018 - raises ValueError for one that is not a number
    except ValueError:
        return None
    return parts
