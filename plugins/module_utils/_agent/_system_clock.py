# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real clock. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import os
import re
import time

__all__ = ["BOOT_ID", "SystemClock"]

BOOT_ID = "CONFIGOK_BOOT_ID"  # in the environment, from systemd's specifier %b


class SystemClock:
    """Linux' clocks, as the Clock protocol wants them."""

    def since_boot(self) -> float:
        """Return seconds since boot, time asleep included."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def boot_id(self) -> str:
        """Return the kernel's boot id, or "" if there is none to read.

        The agent's unit says which it is (32 hex digits): a sandbox may have a /proc of its own, which in a container
        has the host's boot id and not the one of the hooks.
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
        """Return RFC 3339 in UTC, to the second."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
