# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two locks: a short one for the store, and one that keeps a second daemon out. Private to configok.node.

Both are flock(2) on a file, so a process that dies holds nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

__all__ = ["DAEMON_LOCK", "PRESTART_WAIT", "STORE_LOCK", "Locked", "locked"]

STORE_LOCK = ".lock"  # in the state directory; never held across a restart, a probe or a request
DAEMON_LOCK = "agent.lock"  # in the run directory; held as long as the daemon lives
PRESTART_WAIT = 0.05  # seconds that a start of the component may wait for the store
_PAUSE = 0.005


class Locked(Exception):
    """Another process holds the lock and has not let go in time; the text names the file."""


@contextlib.contextmanager
def locked(path: str, *, wait: float) -> Iterator[None]:
    """Hold the lock at path; wait at most so many seconds for it. Raises Locked, OSError."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise Locked(f"{path} is held by another process") from None
                time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)
