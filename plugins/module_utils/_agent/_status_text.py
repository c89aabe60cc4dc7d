# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What this node uses, from its own files, for people and machines: skeleton. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._configuration import AgentConfiguration

__all__ = ["describe", "render"]


def describe(configuration: AgentConfiguration) -> dict[str, Any]:
    """Return what the node's own files say, as JSON-able data. Reads only."""
    return {}


def render(description: Mapping[str, Any]) -> str:
    """Return the description as a few lines for people."""
    return ""
