# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time, as the shell of a rollout needs it; tests bring a faster one. Private to configok.node."""

from __future__ import annotations

import queue
import time
from datetime import datetime, timezone
from typing import TypeVar

__all__ = ["Clock"]

_T = TypeVar("_T")


class Clock:
    """The clock of this machine. It is never compared with another machine's."""

    def monotonic(self) -> float:
        """Return seconds that only grow: all durations are measured with it."""
        return time.monotonic()

    def now(self) -> str:
        """Return the time for people and for the API: RFC 3339 in UTC with microseconds."""
        return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        time.sleep(max(0.0, seconds))

    def get(self, events: queue.Queue[_T], seconds: float) -> _T | None:
        """Return the next event, None when there was none within so many seconds."""
        try:
            return events.get(timeout=max(0.001, seconds))
        except queue.Empty:
            return None
