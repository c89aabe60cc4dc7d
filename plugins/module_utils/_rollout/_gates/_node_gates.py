# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates that look at a single Node: JMESPath expressions with three answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..._foreign import InvalidText, evaluation
from ..._nodeconfig.strict_mapping import StrictFields
from ..._text import sanitize
from .._pool_values import required_text
from .answers import GateAnswer, GateVerdict

_MAX_LENGTH = 1000  # characters
_SHOWN = 150  # characters of a reason
_MOST_TIMEOUTS = 3  # of a gate on a Node: a Node that makes an expression slow must not delay the others for long


class InvalidExpression(InvalidText):
    """A text that cannot be used as an expression; the message says why."""


class Undecided(Exception):
    """A Node to which an expression is neither true nor false; the message says why."""


class TookTooLong(Undecided):
    """A Node for which an expression was not evaluated within the bound of time."""


class NodeExpression:
    """A JMESPath expression that is true or false of a Node. Raises InvalidExpression."""

    def __init__(self, text: str) -> None:
        if len(text) > _MAX_LENGTH:
            raise InvalidExpression(f"has {len(text)} characters, at most {_MAX_LENGTH} are allowed")
        try:
            evaluation.evaluate("expression", text)
        except InvalidText as error:
            raise InvalidExpression(str(error)) from error
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeExpression) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"NodeExpression({self.text!r})"

    def is_true(self, node: Mapping[str, Any]) -> bool:
        """Return whether the expression is true of a Node. Raises Undecided, TookTooLong among them."""
        try:
            return bool(evaluation.evaluate("expression", self.text, node=node))
        except evaluation.TookTooLong as error:
            raise TookTooLong(str(error)) from error
        except InvalidText as error:
            raise Undecided(sanitize(error, _SHOWN)) from error


@dataclass(frozen=True)
class NodeGate:
    """A gate that looks at a Node. Its answer changes with the Node only."""

    key: ClassVar[str] = "node"

    name: str
    expression: NodeExpression

    @classmethod
    def parse(cls, fields: StrictFields, name: str) -> NodeGate | None:
        """Return the gate in its fields, None if it is wrong; errors are collected in them."""
        expression = fields.convert(cls.key, fields.take(cls.key), _expression, None)
        for key in ("timeout", "interval"):
            if fields.take(key) is not None:
                fields.error(key, None, "is only for gates that ask a server: a gate of a Node has policy.nodeTimeout")
        fields.reject_unknown()
        return None if expression is None else cls(name, expression)


def _expression(value: Any) -> NodeExpression:
    return NodeExpression(required_text(value))


class NodeGates:
    """The gates of a pool that look at a Node only."""

    def __init__(self, gates: Sequence[NodeGate] = ()) -> None:
        self._gates = tuple(gates)
        self._timeouts: Counter[tuple[str, str]] = Counter()  # by names of gate and Node

    def check(self, node: Mapping[str, Any]) -> tuple[GateAnswer, ...]:
        """Return the answer of each gate to a Node, which must be the complete object."""
        name = str((node.get("metadata") or {}).get("name"))
        return tuple(self._check(gate, node, name) for gate in self._gates)

    def _check(self, gate: NodeGate, node: Mapping[str, Any], name: str) -> GateAnswer:
        try:
            if self._timeouts[gate.name, name] >= _MOST_TIMEOUTS:
                raise Undecided(f"it took too long {_MOST_TIMEOUTS} times, and is not evaluated again in this run")
            if gate.expression.is_true(node):
                return GateAnswer(gate.name, GateVerdict.PASS)
            return GateAnswer(gate.name, GateVerdict.FAIL, f"gate {gate.name} says no: {gate.expression.text} is false")
        except Undecided as error:
            self._timeouts[gate.name, name] += isinstance(error, TookTooLong)
            return GateAnswer(gate.name, GateVerdict.UNKNOWN, f"gate {gate.name} does not know: {error}")
