# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what this node adds to a bundle's document, and hashes its own configs.

The node adds its init config, its instance config, and the component's command line with its drop-ins. For the hash,
files are read again only after a change.
"""

from __future__ import annotations

import os
from typing import Any

from ..._host.component_process import find_drop_ins, read_drop_in
from ..._nodeconfig.local_config import (
    InvalidLocalConfig,
    LocalComponent,
    LocalConfig,
    encode_local_config,
    local_hash,
)
from .._agent_configuration import AgentConfiguration, ComponentConfiguration, InvalidConfiguration
from .._state.node_state import NodeInputs
from .._store._durable_files import file_stamp
from .._store._rendered_files import (
    UndecodableConfig,
    decode_values,
    read_own_config,
    resolve_relative_paths,
)
from .._store._store import Store
from .._trust_settings import current_trust_policy
from ._shadowed_fields import recorded_command_line


def read_node_inputs(component: ComponentConfiguration, store: Store) -> NodeInputs:
    """Read what the node adds to a component's document. An init config that cannot be read is None.

    Raises OSError for the others.
    """
    instance = read_own_config(component.instance_config)
    argv = recorded_command_line(store, component.name).argv
    return NodeInputs(_text(component.init_config), instance, argv, read_drop_ins(argv))


def read_drop_ins(argv: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Read the drop-ins that a command line names, in the form of NodeInputs. Raises OSError."""
    return tuple((path, read_drop_in(path).decode("utf-8", "surrogateescape")) for path in find_drop_ins(argv))


def read_own_configs(component: ComponentConfiguration) -> NodeInputs:
    """Read only a component's own configs, init and instance; one that cannot be read is None."""
    return NodeInputs(_text(component.init_config), _text(component.instance_config))


def _text(path: str) -> str | None:
    try:
        return read_own_config(path)
    except OSError:
        return None


def own_config_values(component: ComponentConfiguration, inputs: NodeInputs) -> tuple[Any, Any]:
    """Return a component's init config and its instance config, decoded; None for one that is absent or damaged.

    Paths in the init config are made absolute: they are relative to its directory.
    """
    init = _decoded(inputs.init, component.init_config)
    directory = os.path.dirname(os.path.abspath(component.init_config))
    instance = _decoded(inputs.instance, component.instance_config)
    return resolve_relative_paths(component.name, init, directory), instance


def _decoded(text: str | None, path: str) -> Any:
    try:
        return None if text is None else decode_values(text, path)
    except (UndecodableConfig, ImportError):
        return None


def local_config_text(configuration: AgentConfiguration) -> str:
    """Return this node's own configs in the form that is published.

    Raises InvalidLocalConfig if they are too large, InvalidConfiguration if the trust policy cannot be used.
    """
    local = {}
    for name, component in configuration.components.items():
        init, instance = own_config_values(component, read_own_configs(component))
        local[name] = LocalComponent(init or {}, instance or {}, component.deny)
    trust = current_trust_policy(configuration)
    return encode_local_config(LocalConfig(local, {} if trust is None else trust.to_dict()))


class LocalConfigHash:
    """Tracks the hash of this node's own configs, by which the control side detects a change."""

    def __init__(self, configuration: AgentConfiguration) -> None:
        self._configuration = configuration
        self._stamps: object = None
        self._hash = ""

    def current(self) -> str:
        """Return the hash, "" if the node's own configs cannot be published."""
        components = self._configuration.components.values()
        paths = [path for component in components for path in (component.init_config, component.instance_config)]
        paths.append(self._configuration.file)  # has the trust policy, which is read again
        stamps = [file_stamp(path) for path in paths]
        if stamps != self._stamps:
            try:
                self._hash = local_hash(local_config_text(self._configuration))
            except (InvalidLocalConfig, InvalidConfiguration):
                self._hash = ""
            self._stamps = stamps
        return self._hash
