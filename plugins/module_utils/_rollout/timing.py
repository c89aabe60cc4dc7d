# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time and threads of a rollout; tests bring a virtual clock.

All waiting of a run goes through its clock: a virtual clock lets one thread run at a time, while time stands still.
"""

from __future__ import annotations

import queue
import threading
import time
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from typing import Any, TypeVar

from .._kube.parallel import Threads

_T = TypeVar("_T")


class Clock(Threads):
    """The clock of this machine, and its threads. It is never compared with another machine's."""

    def monotonic(self) -> float:
        """Return seconds that only grow: all durations are measured with it."""
        return time.monotonic()

    def now(self) -> str:
        """Return the present time as text for users and the API: RFC 3339 in UTC with microseconds."""
        return current_time()

    def sleep(self, seconds: float) -> None:
        """Wait `seconds`."""
        time.sleep(max(0.0, seconds))

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Wait up to `seconds` until an event is set."""
        event.wait(seconds)

    def lock(self) -> AbstractContextManager[Any]:
        """Return a lock that a thread may hold while it waits."""
        return threading.Lock()

    def get(self, events: queue.Queue[_T], seconds: float) -> _T | None:
        """Return the next event, None when there is none within `seconds`."""
        try:
            return events.get(timeout=max(0.001, seconds))
        except queue.Empty:
            return None


def current_time() -> str:
    """Return the present time as text for users and the API: RFC 3339 in UTC with microseconds."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
