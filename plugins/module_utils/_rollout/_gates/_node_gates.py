# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates that look at a single Node, and their evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..._nodeconfig.strict_mapping import StrictFields
from ._gate_values import required_text
from ._node_expressions import NodeExpression, TookTooLong, Undecided
from .answers import GateAnswer, GateVerdict

_MOST_TIMEOUTS = 3  # of a gate on a Node: a Node that makes an expression slow must not delay the others for long


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
