# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""validate --on-node: validate a bundle's document as this node would run it."""

from __future__ import annotations

from collections.abc import Sequence

from ._agent._agent_configuration import AgentConfiguration
from ._agent._store._store import Store
from ._agent._system_clock import SystemClock
from ._agent._validation._node_files import read_node_files
from ._agent._validation._node_inputs import read_node_inputs
from ._agent._validation._validate_on_node import validate_on_node
from ._componentconfig.findings import Finding
from ._host.host_facts import read_host
from ._node_manifest import with_init_manifest
from ._validate import FileValidator

__all__ = ["node_validator"]


def node_validator(
    configuration: AgentConfiguration, component: str, versions: Sequence[str], *, only_host: bool
) -> FileValidator:
    """Return a validator of a bundle's document as this node would run it."""

    configured = configuration.components[component]

    def validate(text: bytes, name: str) -> list[Finding]:
        store = Store(configuration.state_directory, now=SystemClock().now)
        inputs, manifest = with_init_manifest(configured, store, read_node_inputs(configured, store))
        document = text.decode("utf-8", "replace")
        return validate_on_node(
            text,
            name,
            configured,
            inputs=inputs,
            version=versions[-1] if versions else "",
            host_only=only_host,
            read_host=read_host,
            manifest=manifest,
            node_files=read_node_files(document, inputs.instance, manifest) if configured.manifest else (),
        )

    return validate
