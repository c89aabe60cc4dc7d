# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the gates of a policy."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..._nodeconfig.durations import setting_duration
from ..._nodeconfig.strict_mapping import StrictFields
from .._pool_values import is_list, positive_duration
from ._alerts_gate import AlertsGate
from ._node_gates import NodeGate
from ._prometheus_gate import PrometheusGate
from ._server_gate import ServerGate
from ._url_gate import UrlGate
from .control_plane_gate import ControlPlaneGate
from .leadership_gate import ELECTED, LeadershipGate

SERVER_GATES: list[type[ServerGate]] = [PrometheusGate, AlertsGate, UrlGate]

_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_. ]{0,61}[A-Za-z0-9])?\Z")
_MAX_GATES = 50
_TIMEOUT = 120.0
_INTERVAL = 10.0
_SHORTEST_INTERVAL = 1.0
_CONTROL_PLANE = "control-plane Pods"


@dataclass(frozen=True)
class Gates:
    """The gates of a policy.

    nodes: those of a single Node. servers: those that ask a server. No pool file names the others: control_plane, that
    of a control-plane pool, None for another one; leadership, those of its components of which one instance leads.
    """

    nodes: tuple[NodeGate, ...] = ()
    servers: tuple[ServerGate, ...] = ()
    control_plane: ControlPlaneGate | None = None
    leadership: tuple[LeadershipGate, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all gates."""
        control_plane = () if self.control_plane is None else (self.control_plane.name,)
        leadership = (gate.name for gate in self.leadership)
        return (*(gate.name for gate in self.nodes), *(gate.name for gate in self.servers), *control_plane, *leadership)

    def with_control_plane(self, timeout: float, components: Collection[str]) -> Gates:
        """Return the gates of a control-plane pool. timeout: seconds for which one of them may not know.

        components: of the pool's config.
        """
        leadership = [
            LeadershipGate(f"{component} leader", timeout, _INTERVAL, component)
            for component in ELECTED
            if component in components
        ]
        pods = ControlPlaneGate(_CONTROL_PLANE, timeout, _INTERVAL)
        return replace(self, control_plane=pods, leadership=tuple(leadership))


def gate_keys() -> list[str]:
    """Return the keys of all types of gates."""
    return [NodeGate.key, *(gate_type.key for gate_type in SERVER_GATES)]


def parse_gates(fields: StrictFields, key: str) -> Gates:
    """Return the gates in the fields of a policy; errors are collected in them. key: of the list."""
    value = fields.take(key)
    if value is None:
        return Gates()
    if not is_list(value) or len(value) > _MAX_GATES:
        fields.error(key, value, f"must be a list of at most {_MAX_GATES} gates")
        return Gates()
    nodes: list[NodeGate] = []
    servers: list[ServerGate] = []
    names: set[str] = set()
    for index, part in enumerate(value):
        path = f"{key}[{index}]"
        if not isinstance(part, Mapping):
            fields.error(path, part, "must be a mapping with a name and one of " + ", ".join(gate_keys()))
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


def _gate(fields: StrictFields, value: Mapping[Any, Any]) -> NodeGate | ServerGate | None:
    name = fields.require("name", _name, "", missing="is missing: each gate has a name")
    keys = [key for key in gate_keys() if value.get(key) is not None]
    if len(keys) != 1:
        fields.error(
            "name", None, f"{name or 'a gate'} must have exactly one of {', '.join(gate_keys())}, not {len(keys)}"
        )
        return None
    for gate_type in SERVER_GATES:
        if gate_type.key in keys:
            return _server_gate(gate_type, fields, name)
    return NodeGate.parse(fields, name)


def _server_gate(gate_type: type[ServerGate], fields: StrictFields, name: str) -> ServerGate:
    errors = len(fields.errors)
    timeout = fields.get("timeout", positive_duration, _TIMEOUT)
    interval = fields.get("interval", _interval, min(_INTERVAL, max(timeout, _SHORTEST_INTERVAL)))
    if len(fields.errors) == errors and timeout < interval:
        fields.error("timeout", timeout, f"{timeout:g}s is shorter than the interval of the questions, {interval:g}s")
    gate = gate_type.parse(fields.section(gate_type.key), name, timeout, interval)
    fields.reject_unknown()
    return gate


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.match(value):
        raise ValueError(f"{str(value)[:60]!r} must be a name of at most 63 letters, digits, spaces and -_.")
    return value


def _interval(value: Any) -> float:
    seconds = setting_duration(value)
    if seconds < _SHORTEST_INTERVAL:
        raise ValueError(f"must be at least {_SHORTEST_INTERVAL:g}s")
    return seconds
