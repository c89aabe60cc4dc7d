# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A gate that compares the result of a Prometheus query with a condition."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit

from ..._text import sanitize
from .._pool_values import REQUIRED, required_text, setting
from ._api_answers import labels_of, prometheus_data
from ._server_gate import ServerGate
from .answers import GateAnswer, ServerAnswer, UnusableServerAnswer

_LABEL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_MAX_TEXT = 200
_LONGEST_QUERY = 30.0  # seconds: the time limit of a query
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_CONDITION = re.compile(r"\s*(<=|>=|==|!=|<|>)\s*([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)\s*\Z")
_LONGEST_CONDITION = 64


@dataclass(frozen=True)
class Condition:
    """A comparison with a number, such as "< 0.01"."""

    operator: str
    number: float

    @classmethod
    def parse(cls, value: Any) -> Condition:
        """Return the condition in a text. Raises ValueError."""
        match = _CONDITION.match(value) if isinstance(value, str) and len(value) <= _LONGEST_CONDITION else None
        if match is None or not math.isfinite(float(match.group(2))):
            raise ValueError(
                f"{str(value)[:50]!r} must be a comparison with a number in quotes, such as '< 0.01': "
                f"one of {' '.join(_OPERATORS)}, then the number"
            )
        return cls(match.group(1), float(match.group(2)))

    def __str__(self) -> str:
        return f"{self.operator} {self.number:g}"

    def is_met(self, value: float) -> bool | None:
        """Return whether a value meets the condition, None for a value that is not a number (NaN)."""
        return None if math.isnan(value) else _OPERATORS[self.operator](value, self.number)


def _label_name(value: Any) -> str:
    if not isinstance(value, str) or not _LABEL_NAME.match(value):
        raise ValueError(f"{str(value)[:60]!r} must be the name of a label of the query's result, such as node")
    return value


@dataclass(frozen=True)
class PrometheusGate(ServerGate):
    """A query whose result must meet a condition. node_label: the label with the Node's name, "" for the whole pool."""

    key: ClassVar[str] = "prometheus"

    query: str = setting(required_text, "", missing=REQUIRED)
    condition: Condition = setting(Condition.parse, Condition("<", 0.0), missing="is required, such as '< 0.01'")
    node_label: str = setting(_label_name, "")

    @property
    def answers_by_node(self) -> bool:
        """Return whether the query's result has samples for each Node."""
        return bool(self.node_label)

    def target(self) -> str:
        """Return the path and the query of the request for an instant query."""
        query = {"query": self.query, "timeout": f"{min(self.timeout, _LONGEST_QUERY):g}s"}
        return f"{urlsplit(self.access.url).path}/api/v1/query?{urlencode(query)}"

    def read(self, status: int, body: bytes) -> ServerAnswer:
        """Return whether each sample meets the condition. Raises UnusableServerAnswer."""
        data = prometheus_data(status, body)
        kind, result = data.get("resultType"), data.get("result")
        if kind == "scalar":
            samples: Iterable[tuple[Mapping[str, str], float]] = [({}, _number(result))]
        elif kind == "vector" and isinstance(result, list):
            samples = [_sample(sample) for sample in result]
        else:
            raise UnusableServerAnswer(f"the query gives a {sanitize(kind, 20)}, not a number or an instant vector")
        if not samples:
            raise UnusableServerAnswer("there is no data: the query's result is empty")
        if not self.node_label:
            return ServerAnswer(self._compare(samples))
        by_node: dict[str, list[tuple[Mapping[str, str], float]]] = {}
        for labels, value in samples:
            name = labels.get(self.node_label, "")
            if name:
                by_node.setdefault(name.rpartition(":")[0] or name, []).append((labels, value))  # instance has a port
        if not by_node:
            raise UnusableServerAnswer(f"no sample of the query's result has the label {self.node_label}")
        return ServerAnswer(self.yes(), {name: self._compare(own) for name, own in by_node.items()})

    def _compare(self, samples: Iterable[tuple[Mapping[str, str], float]]) -> GateAnswer:
        """Return the answer to samples that must all meet the condition."""
        without_number = ""
        for labels, value in samples:
            is_met = self.condition.is_met(value)
            if is_met is False:
                return self.no(f"{_shown(labels)}{value:g} is not {self.condition}")
            if is_met is None:
                without_number = f"{_shown(labels)}the result is not a number (NaN)"
        return self.unknown(without_number).answer if without_number else self.yes()


def _shown(labels: Mapping[str, str]) -> str:
    pairs = ", ".join(f"{name}={value}" for name, value in sorted(labels.items()))
    return f"{{{sanitize(pairs, _MAX_TEXT)}}}: " if pairs else ""


def _sample(sample: Any) -> tuple[Mapping[str, str], float]:
    if not isinstance(sample, dict):
        raise UnusableServerAnswer("the query's result cannot be read")
    if "histogram" in sample:
        raise UnusableServerAnswer("the query gives histograms, not numbers")
    return labels_of(sample.get("metric")), _number(sample.get("value"))


def _number(pair: Any) -> float:
    if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], str):
        try:
            return float(pair[1])
        except ValueError:
            pass
    raise UnusableServerAnswer("the query's result has a value that is not a number")
