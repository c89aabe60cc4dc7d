# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's version, which is the collection's. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

__all__ = ["AGENT_VERSION"]

AGENT_VERSION = "0.1.0"  # galaxy.yml says the same, a test compares
