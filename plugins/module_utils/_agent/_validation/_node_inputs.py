# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the file that an init config is a copy of has changed since. Private to configok.node.

``kubeadm upgrade`` rewrites the kubelet's own file, for one. That is reported, and taken over on request: never a
restart, and no reason for one. Files are read again only when they changed.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ..._host._component_process import find_drop_ins, read_drop_in
from ..._nodeconfig._local_config import InvalidLocalConfig, LocalComponent, encode_local_config, local_hash
from .._agent_configuration import AgentConfiguration, ComponentConfiguration
from .._state._node_state import NodeInputs
from .._store._rendered_files import (
    UndecodableConfig,
    decode_values,
    fingerprint,
    read_own_config,
    resolve_relative_paths,
)
from .._store._store import Store
from ._component_flags import recorded_command_line

__all__ = [
    "InitConfigDrift",
    "LocalConfigHash",
    "OwnConfigValues",
    "local_config_text",
    "own_config_values",
    "read_drop_ins",
    "read_node_inputs",
    "read_own_configs",
    "stamp",
]


class InitConfigDrift:
    """Compares each init config with the file that it came from."""

    def __init__(self, configuration: AgentConfiguration) -> None:
        self._components = configuration.components
        self._seen: dict[str, tuple[object, bool]] = {}

    def of(self, component: str) -> str:
        """Return the path of the file that has other values now than the init config, "" where it has the same.

        A file that is gone, or cannot be read, says nothing: the node does not read it any more.
        """
        known = self._components[component]
        if not known.init_config or not known.init_config_origin:
            return ""
        stamps = (stamp(known.init_config_origin), stamp(known.init_config))
        if component not in self._seen or self._seen[component][0] != stamps:
            self._seen[component] = (stamps, _has_drifted(known))
        return known.init_config_origin if self._seen[component][1] else ""

    def all(self) -> list[str]:
        """Return the paths of all files that have drifted."""
        return [path for path in map(self.of, self._components) if path]


def stamp(path: str) -> object:
    """Return what changes with a file's content, None for one that is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _has_drifted(component: ComponentConfiguration) -> bool:
    try:
        texts = []
        for path in (component.init_config_origin, component.init_config):
            with open(path, "rb") as file:
                texts.append(file.read().decode("utf-8", "replace"))
    except OSError:
        return False
    if texts[0] == texts[1]:
        return False
    try:
        values = [fingerprint(decode_values(text, "the file")) for text in texts]
    except UndecodableConfig:
        return True
    return values[0] != values[1]


def read_node_inputs(component: ComponentConfiguration, store: Store) -> NodeInputs:
    """Read them. Raises OSError, but for an init config that cannot be read: it may be lost, and is not used then."""
    instance = read_own_config(component.instance_config)
    argv = recorded_command_line(store, component.name)
    return NodeInputs(_text(component.init_config), instance, argv, read_drop_ins(argv))


def read_drop_ins(argv: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Read the drop-ins that a command line names, as Inputs has them. Raises OSError."""
    return tuple((path, read_drop_in(path).decode("utf-8", "surrogateescape")) for path in find_drop_ins(argv))


def read_own_configs(component: ComponentConfiguration) -> NodeInputs:
    """Read a component's own configs alone, as far as they can be read."""
    return NodeInputs(_text(component.init_config), _text(component.instance_config))


class OwnConfigValues(NamedTuple):
    """A component's own configs on this node; None for one that is absent or cannot be decoded."""

    init: Any = None
    instance: Any = None


def _text(path: str) -> str | None:
    try:
        return read_own_config(path)
    except OSError:
        return None


def own_config_values(component: ComponentConfiguration, inputs: NodeInputs) -> OwnConfigValues:
    """Return a component's own configs, decoded; relative paths of the init config mean its directory."""
    init = _decoded(inputs.init, component.init_config)
    directory = os.path.dirname(os.path.abspath(component.init_config))
    instance = _decoded(inputs.instance, component.instance_config)
    return OwnConfigValues(resolve_relative_paths(component.name, init, directory), instance)


def _decoded(text: str | None, path: str) -> Any:
    try:
        return None if text is None else decode_values(text, path)
    except (UndecodableConfig, ImportError):
        return None


def local_config_text(configuration: AgentConfiguration) -> str:
    """Return this node's own configs as they may be published. Raises InvalidLocalConfig for too large ones."""
    local = {}
    for name, component in configuration.components.items():
        init, instance = own_config_values(component, read_own_configs(component))
        local[name] = LocalComponent(init or {}, instance or {}, component.deny)
    return encode_local_config(local)


class LocalConfigHash:
    """Tells the control side which values this node has of its own."""

    def __init__(self, configuration: AgentConfiguration) -> None:
        self._configuration = configuration
        self._stamps: object = None
        self._hash = ""

    def get(self) -> str:
        """Return the hash, "" where there is nothing that could be published."""
        components = self._configuration.components.values()
        stamps = [stamp(path) for one in components for path in (one.init_config, one.instance_config)]
        if stamps != self._stamps:
            try:
                self._hash = local_hash(local_config_text(self._configuration))
            except InvalidLocalConfig:
                self._hash = ""
            self._stamps = stamps
        return self._hash
