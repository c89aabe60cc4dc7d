# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""prestart: skeleton, to be filled in. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

from collections.abc import Mapping

from ._configuration import AgentConfiguration
from ._ports import Clock, Journal

__all__ = ["prestart"]


def prestart(
    configuration: AgentConfiguration, component: str, environ: Mapping[str, str], clock: Clock, journal: Journal
) -> int:
    """Return the exit code. Never raises."""
    return 0
