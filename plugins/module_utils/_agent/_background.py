# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may hang is done beside the daemon's round: a request, a probe, the preparation of a bundle.

Private to configok.node. An API server or a component that hangs instead of refusing must hold up nothing else. The
Errand protocol.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

__all__ = ["PATIENCE", "BackgroundTask"]

PATIENCE = 1.0  # seconds that the daemon's round waits for what is done at once, as a rule


class _Work:
    """One piece of work, and what came of it."""

    def __init__(self, what: Callable[[], Any], wake: Callable[[], None]) -> None:
        self.done = threading.Event()
        self.awaited = True  # by somebody who would not have to be woken
        self.result: Any = None
        self.error: BaseException | None = None
        self._what = what
        self._wake = wake

    def run(self) -> None:
        try:
            self.result = self._what()
        except BaseException as error:  # noqa: BLE001 - raised again where it is taken
            self.error = error
        self.done.set()
        if not self.awaited:
            self._wake()


class BackgroundTask:
    """One piece of work at a time, in a thread that lives as long as it. For one owner; only the work is elsewhere."""

    def __init__(self, wake: Callable[[], None]) -> None:
        """wake: called, in the thread, when work is done for which its owner did not wait long enough."""
        self._wake = wake
        self._work: _Work | None = None

    @property
    def under_way(self) -> bool:
        """Whether something was started that was neither taken nor dropped."""
        return self._work is not None

    def start(self, what: Callable[[], Any]) -> None:
        """Begin; nothing may be under way."""
        if self._work is not None:
            raise RuntimeError("an errand is under way already")
        self._work = _Work(what, self._wake)
        threading.Thread(target=self._work.run, name="errand", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long; return whether it is done and can be taken."""
        work = self._work
        if work is None:
            return False
        work.awaited = True
        if not work.done.wait(seconds):
            work.awaited = False  # before the last look: what ends in between is seen here, or wakes
        return work.done.is_set()

    def take(self) -> Any:
        """Return what came of it, or raise what it raised; only once wait() has said that it is done."""
        work, self._work = self._work, None
        if work is None or not work.done.is_set():
            raise RuntimeError("the errand is not done")
        if work.error is not None:
            raise work.error
        return work.result

    def drop(self) -> None:
        """Leave to itself what is under way: nobody wants to know any more what comes of it."""
        self._work = None
