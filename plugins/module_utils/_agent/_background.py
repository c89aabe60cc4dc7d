# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs blocking work in a background thread, so that the reconcile loop never blocks.

Blocking work is, for example, an API request, a probe or a child process. Implements the Task protocol.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class _Work:
    """One piece of work and its result."""

    def __init__(self, work: Callable[[], Any], on_done: Callable[[], None]) -> None:
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None
        self._work = work
        self._on_done = on_done

    def run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:  # noqa: BLE001 - raised again by BackgroundTask.result()
            self.error = error
        self.done.set()
        self._on_done()


class BackgroundTask:
    """Runs one piece of work at a time, each in its own thread. For one owner; only the work is in another thread."""

    def __init__(self, on_done: Callable[[], None]) -> None:
        """Create an idle task. on_done: called in the thread, at the end of each piece of work."""
        self._on_done = on_done
        self._work: _Work | None = None

    @property
    def running(self) -> bool:
        """Return whether work was started whose result was neither taken nor abandoned."""
        return self._work is not None

    @property
    def done(self) -> bool:
        """Return whether a result can be taken."""
        return self._work is not None and self._work.done.is_set()

    def start(self, work: Callable[[], Any]) -> None:
        """Start the work. Raises RuntimeError if other work is running."""
        if self._work is not None:
            raise RuntimeError("a task is running already")
        self._work = _Work(work, self._on_done)
        threading.Thread(target=self._work.run, name="task", daemon=True).start()

    def result(self) -> Any:
        """Return the result of the work, or raise what the work raised; only once it is done."""
        work, self._work = self._work, None
        if work is None or not work.done.is_set():
            raise RuntimeError("the task is not done")
        if work.error is not None:
            raise work.error
        return work.result

    def abandon(self) -> None:
        """Abandon the running work and discard its result."""
        self._work = None
