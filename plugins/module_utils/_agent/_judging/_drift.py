# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the file that an init config is a copy of has changed since. Private to configok.node.

``kubeadm upgrade`` rewrites the kubelet's own file, for one. That is reported, and taken over on request: never a
restart, and no reason for one. Files are read again only when they changed.
"""

from __future__ import annotations

import os

from .._basis._configuration import AgentConfiguration, ComponentConfiguration
from ._render import NotRendered, decode, fingerprint

__all__ = ["Drift", "stamp"]


class Drift:
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
        values = [fingerprint(decode(text, "the file")) for text in texts]
    except NotRendered:
        return True
    return values[0] != values[1]
