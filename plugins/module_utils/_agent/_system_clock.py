# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the system's clocks and the boot id."""

from __future__ import annotations

import os
import re
import time

BOOT_ID = "CONFIGOK_BOOT_ID"  # in the environment, from systemd's specifier %b


class SystemClock:
    """Implements the Clock protocol with the clocks of Linux."""

    def since_boot(self) -> float:
        """Return seconds since boot, time asleep included."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def boot_id(self) -> str:
        """Return the kernel's boot id, or "" if it cannot be read.

        The agent's unit passes it in the environment (32 hex digits): a sandbox may have its own /proc, which in a
        container has the host's boot id and not the one that the hooks read.
        """
        configured = os.environ.get(BOOT_ID, "")
        if re.fullmatch("[0-9a-f]{32}", configured):
            return "-".join((configured[:8], configured[8:12], configured[12:16], configured[16:20], configured[20:]))
        try:
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
                return stream.read().strip()
        except OSError:
            return ""

    def now(self) -> str:
        """Return the present time as RFC 3339 in UTC, to the second."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
