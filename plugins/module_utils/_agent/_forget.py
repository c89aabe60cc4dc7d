# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forgetting bad configs: skeleton. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

from typing import Optional

from ._configuration import AgentConfiguration

__all__ = ["forget_bad"]


def forget_bad(configuration: AgentConfiguration, uid: Optional[str]) -> list[str]:
    """Forget one bad UID, or all of them (None); return those that were forgotten. Raises OSError."""
    return []
