# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual clock: real threads, one at a time, in virtual time.

Time stands still while a thread runs. A thread that waits hands over to the first waiting thread whose wait is over, in
the order in which they began to wait; where none is, time jumps to the earliest deadline. So hours of a rollout take
milliseconds, and two runs of the same test do the same in the same order, however busy the machine is.
"""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from embedded_apiserver.watching import WatchClock

__all__ = ["ServerClock", "SimulationEnded", "VirtualClock"]

_EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)
_LONGEST = 30 * 86400.0  # seconds after which a test is taken to wait for what never comes
_MAX_TURNS = 200_000  # turns without any time passing, likewise
_JOIN = 10.0  # real seconds that a thread has to end

_T = TypeVar("_T")


class SimulationEnded(BaseException):
    """Ends a thread of a simulation. Its text says why where it ends before the test does."""


@dataclass(eq=False)
class _Waiting:
    """A thread that waits until ready() or the deadline. ready() must neither wait nor change anything."""

    thread: str
    ready: Callable[[], bool]
    deadline: float
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))


class VirtualClock(Clock):
    """Time and threads of a simulation. Nothing in it may block but through this clock.

    The thread that makes the clock and those that it starts take turns. Any other thread runs while one of them has the
    turn, such as those of a plain run_parallel(): sleep() returns at once there. longest: seconds after which the
    simulation ends itself.
    """

    def __init__(self, *, begins: float = 0.0, longest: float = _LONGEST) -> None:
        self._time = self._begins = begins
        self._longest = longest
        self._waiting: list[_Waiting] = []
        self._threads: list[threading.Thread] = []
        self._members = {threading.get_ident()}
        self._ended = ""
        self._turns = 0  # since time last passed

    # --- the clock of a rollout

    def monotonic(self) -> float:
        """Return the seconds of virtual time."""
        return self._time

    def now(self) -> str:
        """Return the virtual time as RFC 3339 in UTC with microseconds."""
        return (_EPOCH + timedelta(seconds=self._time)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self.wait_until(lambda: False, seconds)

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Wait until an event is set, at most `seconds`."""
        self.wait_until(event.is_set, seconds)

    def get(self, events: queue.Queue[_T], seconds: float) -> _T | None:
        """Return the next event, or None if there is none within `seconds`."""
        # At least a millisecond, as on a real clock: a loop that polls lets time pass.
        return events.get_nowait() if self.wait_until(lambda: not events.empty(), max(0.001, seconds)) else None

    def take(self, results: queue.SimpleQueue[_T]) -> _T:
        """Wait for a result and return it."""
        self.wait_until(lambda: not results.empty())
        return results.get_nowait()

    def lock(self) -> AbstractContextManager[Any]:
        """Return a lock that a thread may hold while it waits."""
        return _VirtualLock(self)

    def start(self, run: Callable[[], object], name: str) -> None:
        """Run a function in a thread of this clock. It begins when its turn comes."""
        first = _Waiting(name, lambda: True, self._time)

        def body() -> None:
            self._members.add(threading.get_ident())
            first.turn.acquire()
            try:
                if not self._ended:
                    run()
            except SimulationEnded:
                return
            finally:
                self._members.discard(threading.get_ident())  # another thread may get this number
                if not self._ended:
                    self._hand_over()

        thread = threading.Thread(target=body, name=name, daemon=True)
        self._threads.append(thread)
        self._waiting.append(first)
        thread.start()

    # --- what tests do with it

    def wait_until(self, ready: Callable[[], bool], seconds: float = math.inf) -> bool:
        """Wait until ready(), at most `seconds`. Return whether it is ready.

        ready() is evaluated by other threads, again and again: it must neither wait nor change anything.
        """
        if self._ended:
            raise SimulationEnded(self._ended)
        if threading.get_ident() not in self._members:
            assert seconds < math.inf, "a thread of another clock would wait forever"
            return ready()
        if ready():
            return True
        waiting = _Waiting(threading.current_thread().name, ready, self._time + max(0.0, seconds))
        self._waiting.append(waiting)
        self._hand_over()
        waiting.turn.acquire()
        if self._ended:
            raise SimulationEnded(self._ended)
        return ready()

    def end(self) -> None:
        """End all threads. Raise AssertionError where one does not end, or where the simulation ended before."""
        broken, self._ended = self._ended, self._ended or "the test has ended"
        self._wake_all()
        for thread in self._threads:
            thread.join(_JOIN)
        stuck = [thread.name for thread in self._threads if thread.is_alive()]
        assert not stuck, f"threads block outside the virtual clock: {', '.join(stuck)}"
        assert not broken, broken

    def _hand_over(self) -> None:
        """Give the turn to the next thread. The caller waits, or ends."""
        following = next((waiting for waiting in self._waiting if waiting.ready()), None)
        if following is None and self._waiting:
            following = min(self._waiting, key=lambda waiting: waiting.deadline)  # the first of equals
            if self._time < following.deadline < math.inf:
                self._time = following.deadline
                self._turns = 0
        self._turns += 1
        if following is None:
            return
        names = ", ".join(waiting.thread for waiting in self._waiting)
        if following.deadline == math.inf and not following.ready():
            self._break(f"every thread waits for another: {names}")
        elif self._time - self._begins > self._longest:
            self._break(f"after {self._longest:.0f} virtual seconds, these still wait: {names}")
        elif self._turns > _MAX_TURNS:
            self._break(f"threads take turns and no time passes: {names}")
        else:
            self._waiting.remove(following)
            following.turn.release()

    def _break(self, why: str) -> None:
        self._ended = why
        self._wake_all()

    def _wake_all(self) -> None:
        for waiting in self._waiting:
            waiting.turn.release()


class ServerClock(WatchClock):
    """The virtual clock for the watches of an embedded API server."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    def monotonic(self) -> float:
        """Return the seconds of virtual time."""
        return self._clock.monotonic()

    def next(self, changes: queue.SimpleQueue[Any], seconds: float) -> Any:
        """Return the next change. Raises queue.Empty after `seconds` without a change."""
        self._clock.wait_until(lambda: not changes.empty(), seconds)
        return changes.get_nowait()


class _VirtualLock(AbstractContextManager[None]):
    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._held = False

    def __enter__(self) -> None:
        self._clock.wait_until(lambda: not self._held)
        self._held = True

    def __exit__(self, *_exception: object) -> None:
        self._held = False
