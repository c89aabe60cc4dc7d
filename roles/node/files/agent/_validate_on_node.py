# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""validate --on-node: validate a bundle's document as this node would run it."""

from __future__ import annotations

from collections.abc import Sequence

from ._agent._agent_configuration import AgentConfiguration
from ._agent._state.node_state import NodeInputs
from ._agent._store._store import Store
from ._agent._system_clock import SystemClock
from ._agent._validation._node_inputs import read_node_inputs
from ._agent._validation._validate_on_node import validate_on_node
from ._componentconfig.findings import Finding
from ._host.host_facts import read_host
from ._validate import FileValidator

__all__ = ["node_validator"]


def node_validator(
    configuration: AgentConfiguration, component: str, versions: Sequence[str], *, only_host: bool
) -> FileValidator:
    """Return a validator of a bundle's document as this node would run it."""

    def validate(text: bytes, name: str) -> list[Finding]:
        return validate_on_node(
            text,
            name,
            configuration.components[component],
            inputs=_inputs(configuration, component),
            version=versions[-1] if versions else "",
            host_only=only_host,
            read_host=read_host,
        )

    return validate


def _inputs(configuration: AgentConfiguration, component: str) -> NodeInputs:
    store = Store(configuration.state_directory, now=SystemClock().now)
    return read_node_inputs(configuration.components[component], store)
