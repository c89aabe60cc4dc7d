# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Detects that an init config differs from its original.

An init config may be a copy of a file that others change: ``kubeadm upgrade``, for example. Such drift is reported, and
restarts nothing. Files are read again only after a change.
"""

from __future__ import annotations

from ..._componentconfig._codec.plain_values import fingerprint
from .._agent_configuration import AgentConfiguration, ComponentConfiguration
from .._store._durable_files import file_stamp
from .._store._rendered_files import UndecodableConfig, decode_values


class InitConfigDrift:
    """Compares each init config with its original, the file that it is a copy of."""

    def __init__(self, configuration: AgentConfiguration) -> None:
        self._components = configuration.components
        self._results: dict[str, tuple[object, bool]] = {}  # the files' stamps, and whether they differ

    def drifted_origin(self, component: str) -> str:
        """Return the path of the original if its values differ from the init config's, else "".

        An original that is missing or cannot be read counts as unchanged, since the node no longer uses it.
        """
        settings = self._components[component]
        if not settings.init_config or not settings.init_config_origin:
            return ""
        stamps = (file_stamp(settings.init_config_origin), file_stamp(settings.init_config))
        if component not in self._results or self._results[component][0] != stamps:
            self._results[component] = (stamps, _has_drifted(settings))
        return settings.init_config_origin if self._results[component][1] else ""

    def drifted_origins(self) -> list[str]:
        """Return the paths of all originals that have drifted."""
        return [path for path in map(self.drifted_origin, self._components) if path]


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
