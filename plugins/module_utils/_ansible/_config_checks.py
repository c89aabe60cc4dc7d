# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds what component_config checks a config against: this host, and the flags of the component.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from typing import Any

from .._componentconfig._flags._component_flags import ComponentFlags
from .._componentconfig._load import Config
from .._componentconfig._rules._host_rules import HostRules
from .._host._host_facts import read_host
from . import UnusableInput

__all__ = ["flags_of", "host_of"]


def host_of(parameters: dict[str, Any]) -> HostRules | None:
    """Return the checks against this host, None unless the options ask for them. Raises UnusableInput off Linux."""
    if not parameters["host"]:
        return None
    if parameters["os"] != "linux":
        raise UnusableInput("host needs os: linux, which a host with this module runs")
    return HostRules(read_host, parameters["root_directory"], parameters["container_runtime_endpoint"])


def flags_of(parameters: dict[str, Any], config: Config) -> ComponentFlags | None:
    """Return the flags of the component, None if they are not known. Raises UnusableInput for several documents."""
    if parameters["flags"] is None:
        return None
    if config.others:
        raise UnusableInput("flags needs a file of one document: each component has its own flags")
    return ComponentFlags(parameters["flags"])
