# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long tests wait for what is expected to happen."""

from __future__ import annotations

__all__ = ["LONGEST_WAIT"]

LONGEST_WAIT = 180.0
"""Seconds until what is expected has happened, on a machine that runs other suites at the same time.

Only a test that fails waits so long. A test about time itself has a limit of its own.
"""
