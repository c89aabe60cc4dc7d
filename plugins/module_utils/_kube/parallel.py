# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a function over many items in threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from typing import TypeVar

from .api_errors import KubeError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads:
    """Starts threads and takes their results. The tests of the rollout replace it with a virtual clock."""

    def start(self, run: Callable[[], object], name: str) -> None:
        """Run a function in a daemon thread."""
        threading.Thread(target=run, name=name, daemon=True).start()

    def take(self, results: SimpleQueue[Item]) -> Item:
        """Wait for a result and return it."""
        return results.get()


_THREADS = Threads()


def run_parallel(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int = 32, threads: Threads = _THREADS
) -> Iterator[tuple[Item, Result | KubeError]]:
    """Yield (item, result) for every item in the order of completion; a KubeError is a result like any other.

    Any other exception is a bug: it ends the iteration and is raised here. Ending the iteration early (close, Ctrl-C)
    starts no further item and waits for none: the threads are daemons, unlike those of concurrent.futures, which the
    interpreter joins at exit.
    """
    pending = list(items)
    if not pending:
        return
    pending.reverse()  # pop() from the end is one step, and no lock is needed for it.
    done: SimpleQueue[tuple[Item, Result | KubeError, BaseException | None]] = SimpleQueue()
    count = len(pending)

    def work() -> None:
        while True:
            try:
                item = pending.pop()
            except IndexError:
                return
            try:
                done.put((item, function(item), None))
            except KubeError as error:
                done.put((item, error, None))
            except BaseException as bug:  # noqa: BLE001 - raised in the caller, which would otherwise wait forever
                done.put((item, KubeError("not done"), bug))
                return

    for number in range(min(workers, count)):
        threads.start(work, f"fan-out-{number}")
    try:
        for _number in range(count):
            item, result, bug = threads.take(done)
            if bug is not None:
                raise bug
            yield item, result
    finally:
        pending.clear()
