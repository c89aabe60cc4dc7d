# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate the gates of a single Node. Pure. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._answers import GateAnswer, GateVerdict
from ._gate_settings import NodeGate
from ._node_expressions import Undecided

__all__ = ["NodeGates"]


class NodeGates:
    """The gates of a pool that look at a Node only."""

    def __init__(self, gates: Sequence[NodeGate] = ()) -> None:
        self._gates = tuple(gates)

    def check(self, node: Mapping[str, Any]) -> tuple[GateAnswer, ...]:
        """Return the answer of each gate to a Node, which must be the complete object."""
        return tuple(_check(gate, node) for gate in self._gates)


def _check(gate: NodeGate, node: Mapping[str, Any]) -> GateAnswer:
    try:
        if gate.expression.is_true(node):
            return GateAnswer(gate.name, GateVerdict.PASS)
        return GateAnswer(gate.name, GateVerdict.FAIL, f"gate {gate.name} says no: {gate.expression.text} is false")
    except Undecided as error:
        return GateAnswer(gate.name, GateVerdict.UNKNOWN, f"gate {gate.name} does not know: {error}")
