# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which versions the components on this node have."""

from __future__ import annotations

import os
import re

from ._agent._agent_configuration import AgentConfiguration
from ._agent._interfaces import CommandRunner
from ._agent._log import log

__all__ = ["ComponentVersions"]

_VERSION = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+[-+.0-9A-Za-z]*")
_VERSION_TIMEOUT = 10.0


class ComponentVersions:
    """Says which version a component has: as configured, or what its program prints, until that file changes."""

    def __init__(self, configuration: AgentConfiguration, runner: CommandRunner) -> None:
        """runner: runs the version commands."""
        self._components = configuration.components
        self._runner = runner
        self._seen: dict[str, tuple[object, str]] = {}

    def __call__(self, component: str) -> str:
        """Return for example "v1.35.2", "" where nobody knows."""
        known = self._components[component]
        if known.version or not known.version_command:
            return known.version
        stamp = _stamp(known.version_command[0])
        if component not in self._seen or self._seen[component][0] != stamp:
            result = self._runner(known.version_command, timeout=_VERSION_TIMEOUT)
            found = _VERSION.search(result.out)
            if result.code != 0 or found is None:
                log.warning("%s did not say its version", known.version_command[0], extra={"component": component})
                return ""
            self._seen[component] = (stamp, found.group())
        return self._seen[component][1]


def _stamp(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
