# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that send the requests of hollow nodes, over connections that stay open."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

__all__ = ["CONNECTIONS", "Senders"]

_ANSWERS = 6  # threads for answers
_OTHERS = 2  # threads for everything else
CONNECTIONS = _ANSWERS + _OTHERS  # requests at a time

_Queue = SimpleQueue["Callable[[], object] | None"]


class Senders:
    """Sends requests in the order in which they come, until stop is set.

    A rollout waits for the answers of nodes. These have threads of their own: on real nodes, too, the answer of one
    does not wait for acknowledgements and heartbeats of hundreds of others.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._answers: _Queue = SimpleQueue()
        self._others: _Queue = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the threads."""
        for number in range(CONNECTIONS):
            requests = self._answers if number < _ANSWERS else self._others
            thread = threading.Thread(target=self._send, args=(requests,), name=f"simulator-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def submit(self, send: Callable[[], object], *, is_answer: bool = False) -> None:
        """Let a thread call a function that sends a request."""
        (self._answers if is_answer else self._others).put(send)

    def join(self) -> None:
        """Wait for the requests that are under way, once stop is set; the others are not sent."""
        for requests in (self._answers, self._others):
            for _thread in self._threads:
                requests.put(None)
        for thread in self._threads:
            thread.join()

    def _send(self, requests: _Queue) -> None:
        while True:
            send = requests.get()
            if send is None or self._stop.is_set():
                return
            send()
