# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A gate that asks an Alertmanager or a Prometheus for alerts that fire."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from ..._foreign.patterns import Pattern
from ..._text import first_names, sanitize
from .._pool_values import REQUIRED, choice, mapping, pattern, required_text, setting
from ._api_answers import json_of, labels_of, prometheus_data
from ._server_gate import ServerGate
from .answers import GateAnswer, ServerAnswer, UnusableServerAnswer

AlertApi = Literal["alertmanager", "prometheus"]

_APIS: tuple[AlertApi, ...] = ("alertmanager", "prometheus")
_LABEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NAMES_SHOWN = 5
_MAX_TEXT = 200


def _labels(value: Any) -> dict[str, str]:
    labels = mapping(value)
    for key, part in labels.items():
        if not _LABEL_NAME.match(key) or not isinstance(part, str):
            raise ValueError(f"{key[:60]!r} must be the name of a label, with a text as its value")
    return labels


@dataclass(frozen=True)
class AlertsGate(ServerGate):
    """No alert is firing whose name matches.

    labels: only alerts that have these labels count. watchdog: an alert that always fires, "" for none; without it, an
    Alertmanager that receives nothing looks like one without alerts.
    """

    key: ClassVar[str] = "alerts"

    api: AlertApi = setting(choice(_APIS), _APIS[0], missing="is required: alertmanager or prometheus")
    matching: Pattern = setting(pattern, Pattern(""), missing=REQUIRED)
    labels: Mapping[str, str] = setting(_labels, {})
    watchdog: str = setting(required_text, "")

    def target(self) -> str:
        """Return the path and the query of the request for the alerts that fire, or for the alerting rules."""
        path = urlsplit(self.access.url).path
        if self.api == "prometheus":
            # The rules, not the alerts: only they show that a rule of that name exists, and is evaluated.
            return f"{path}/api/v1/rules?type=alert"
        return f"{path}/api/v2/alerts?active=true&silenced=false&inhibited=false"

    def read(self, status: int, body: bytes) -> ServerAnswer:
        """Return whether no alert fires that counts. Raises UnusableServerAnswer."""
        if self.api == "prometheus":
            firing = self._firing_rules(prometheus_data(status, body))
        else:
            firing = list(self._firing_alerts(json_of(status, body)))
        return ServerAnswer(self._answer_to(firing))

    def _answer_to(self, firing: Iterable[str]) -> GateAnswer:
        """Return the answer to the names of the alerts that fire and have the gate's labels."""
        names = set(firing)
        matching = sorted(self.matching.matching(names - {self.watchdog}))
        if matching:
            return self.no(f"firing: {first_names([sanitize(name, _MAX_TEXT) for name in matching], _NAMES_SHOWN)}")
        if self.watchdog and self.watchdog not in names:
            name = sanitize(self.watchdog, _MAX_TEXT)
            raise UnusableServerAnswer(f"the alert {name} should always fire and does not: others may be lost, too")
        return self.yes()

    def _firing_alerts(self, alerts: Any) -> Iterator[str]:
        """Yield the names of the alerts of an Alertmanager that are neither silenced nor inhibited."""
        if not isinstance(alerts, list):
            raise UnusableServerAnswer("the answer is not a list of alerts: is this the address of an Alertmanager?")
        for alert in alerts:
            status = alert.get("status") if isinstance(alert, dict) else None
            if not isinstance(status, dict):
                raise UnusableServerAnswer("the answer has an alert that cannot be read")
            labels = labels_of(alert.get("labels"))
            if status.get("state") != "suppressed" and self._has_labels(labels):
                yield labels.get("alertname", "")

    def _firing_rules(self, data: Mapping[str, Any]) -> list[str]:
        """Return the names of the rules with an alert that fires. A rule that cannot be evaluated does not know."""
        firing: list[str] = []
        unhealthy: list[str] = []
        has_rule = False
        rules = [(str(rule.get("name", "")), rule) for rule in _rules(data)]
        matching = self.matching.matching(name for name, _rule in rules)
        for name, rule in rules:
            if name != self.watchdog and name not in matching:
                continue
            has_rule = has_rule or name != self.watchdog
            alerts = rule.get("alerts") or []
            if not isinstance(alerts, list) or not all(isinstance(alert, dict) for alert in alerts):
                raise UnusableServerAnswer("the answer has a rule that cannot be read")
            if any(
                alert.get("state") == "firing" and self._has_labels(labels_of(alert.get("labels"))) for alert in alerts
            ):
                firing.append(name)
            elif rule.get("health") != "ok":
                unhealthy.append(sanitize(name, _MAX_TEXT))
        if any(name != self.watchdog for name in firing):
            return firing
        if not has_rule:
            raise UnusableServerAnswer("it has no alerting rule with a name that matches")
        if unhealthy:
            names = first_names(sorted(set(unhealthy)), _NAMES_SHOWN)
            raise UnusableServerAnswer(f"rules were not evaluated, or with an error: {names}")
        return firing

    def _has_labels(self, labels: Mapping[str, str]) -> bool:
        return all(labels.get(name) == value for name, value in self.labels.items())


def _rules(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    groups = data.get("groups")
    for group in groups if isinstance(groups, list) else [None]:
        rules = group.get("rules") if isinstance(group, dict) else None
        if not isinstance(rules, list):
            raise UnusableServerAnswer("the answer has no rules that can be read")
        yield from (rule for rule in rules if isinstance(rule, dict) and rule.get("type") == "alerting")
