# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells systemd that the daemon's main thread still runs: one that hangs is killed, and started again.

A static Pod has no hook that rolls back without the daemon, only a timer, so a daemon that hangs must not stay. The
protocol is that of sd_notify(3), with the variables of sd_watchdog_enabled(3).
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from ._notify import Notifications, Wakeup

_PART = 3  # of the watchdog's time, after which the next message is sent


class Watchdog:
    """Sends a message each time that the main thread begins to wait, and often enough while it waits."""

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        pid: Callable[[], int] = os.getpid,
    ) -> None:
        """Read from the environment whether systemd watches this process; nothing is sent if it does not.

        environment: that of the process by default.
        """
        environment = os.environ if environment is None else environment
        self._address = environment.get("NOTIFY_SOCKET", "")
        microseconds, watched = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
        is_number = microseconds.isascii() and microseconds.isdigit()
        is_watched = bool(self._address) and is_number and watched in ("", str(pid()))
        self.interval = int(microseconds) / 1e6 / _PART if is_watched else float("inf")

    def wait(self, notifications: Notifications, timeout: float | None) -> Wakeup:
        """Wait as notifications.wait() does."""
        until = float("inf") if timeout is None else time.monotonic() + timeout
        while True:
            self._send()
            left = max(0.0, until - time.monotonic())
            longest = min(left, self.interval)
            wakeup = notifications.wait(None if longest == float("inf") else longest)
            if wakeup is not Wakeup.TIMEOUT or longest == left:
                return wakeup

    def _send(self) -> None:
        if self.interval == float("inf"):
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            sender.sendto(b"WATCHDOG=1", address)
