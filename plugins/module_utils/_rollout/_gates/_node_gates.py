# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate the gates of a single Node. Private to configok.node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ._answers import GateAnswer, GateVerdict
from ._gate_settings import NodeGate
from ._node_expressions import TookTooLong, Undecided

__all__ = ["NodeGates"]

_MOST_TIMEOUTS = 3  # of a gate on a Node: a Node that makes an expression slow must not delay the others for long


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
