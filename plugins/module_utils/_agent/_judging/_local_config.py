# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hash of what this node has of its own, read again only when a file has changed. Private to configok.node."""

from __future__ import annotations

from ..._nodeconfig._local_config import InvalidLocalConfig, LocalComponent, encode, local_hash
from .._basis._configuration import AgentConfiguration
from ._drift import stamp
from ._local_values import local_values, read_own_configs

__all__ = ["LocalConfigHash", "local_config_text"]


def local_config_text(configuration: AgentConfiguration) -> str:
    """Return this node's own configs as they may be published. Raises InvalidLocalConfig for too large ones."""
    local = {}
    for name, component in configuration.components.items():
        init, instance = local_values(component, read_own_configs(component))
        local[name] = LocalComponent(init or {}, instance or {}, component.deny)
    return encode(local)


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
