# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks each component on this node for its version."""

from __future__ import annotations

import re

from ._agent._agent_configuration import AgentConfiguration
from ._agent._interfaces import CommandRunner
from ._agent._log import log
from ._agent._store._durable_files import file_stamp

__all__ = ["ComponentVersions"]

_VERSION = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+[-+.0-9A-Za-z]*")
_VERSION_TIMEOUT = 10.0


class ComponentVersions:
    """Returns a component's version: the configured one, or what its program prints, asked again when it changes."""

    def __init__(self, configuration: AgentConfiguration, runner: CommandRunner) -> None:
        """runner: runs the version commands."""
        self._components = configuration.components
        self._runner = runner
        self._answers: dict[str, tuple[object, str]] = {}  # the program's stamp, and its answer

    def __call__(self, component: str) -> str:
        """Return for example "v1.35.2", "" if it is unknown."""
        settings = self._components[component]
        if settings.version or not settings.version_command:
            return settings.version
        stamp = file_stamp(settings.version_command[0])
        if component not in self._answers or self._answers[component][0] != stamp:
            result = self._runner(settings.version_command, timeout=_VERSION_TIMEOUT)
            match = _VERSION.search(result.out)
            if result.code != 0 or match is None:
                log.warning("%s did not say its version", settings.version_command[0], extra={"component": component})
                return ""
            self._answers[component] = (stamp, match.group())
        return self._answers[component][1]
