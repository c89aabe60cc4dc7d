# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time as records and leases hold it. Private to configok.node."""

from __future__ import annotations

from datetime import datetime, timezone

__all__ = ["current_time"]


def current_time() -> str:
    """Return the present time as text for users and the API: RFC 3339 in UTC with microseconds."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
