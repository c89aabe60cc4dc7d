# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends what an action plugin does at the first signal, whatever its thread waits for."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["interruptible"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_PARENT_CHECK = 1.0  # seconds between two looks whether ansible-playbook still runs
_REPETITION = 0.05  # seconds between a signal and its repetition


@contextmanager
def interruptible(stop: Callable[[], None] | None = None) -> Iterator[None]:
    """Raise KeyboardInterrupt for the first signal that ends a run; ignore later ones, so that it can release the lock.

    stop: is called instead, if there is something to stop. An exception could interrupt Ansible's display while it
    holds a lock, and the playbook would never end.

    Python runs a handler between two instructions of this thread. A signal that arrives just before the thread waits
    for a line or a result does not end this wait, so the handler would run after it, or never. Another thread hears of
    each signal at once and repeats it until the handler has run.

    Since ansible-core 2.19 a worker does not get Ctrl-C from the terminal, and kills itself when it is notified of it.
    It has a session of its own, too: when ansible-playbook is killed with its process group, as ansible-runner does for
    a cancelled job, the worker continues unseen. The other thread ends it.
    """
    has_run = threading.Event()  # the handler

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        for number in _SIGNALS:
            signal.signal(number, lambda _number, _frame: None)  # a pending signal that is ignored is an error
        has_run.set()
        if stop is None:
            raise KeyboardInterrupt
        stop()

    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    repeater = threading.Thread(
        target=_repeat_signals, args=(reader, threading.get_ident(), has_run), name="signal-repeater", daemon=True
    )
    before = {number: signal.signal(number, interrupt) for number in _SIGNALS}
    descriptor = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    repeater.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(descriptor)
        os.close(writer)
        repeater.join()  # a repetition would reach the handlers that were there before
        os.close(reader)
        for number, handler in before.items():
            signal.signal(number, handler)


def _repeat_signals(reader: int, runner: int, has_run: threading.Event) -> None:
    """Signal the runner's thread until the handler has run, once a signal has come or ansible-playbook has ended.

    reader: a pipe in which Python writes the number of each signal; its end ends this.
    """
    parent, is_due = os.getppid(), False
    while True:
        if select.select([reader], [], [], _PARENT_CHECK)[0]:
            numbers = os.read(reader, 4096)
            if not numbers:
                return
            is_due = is_due or any(number in numbers for number in _SIGNALS)
            time.sleep(_REPETITION)
        else:
            is_due = is_due or os.getppid() != parent
        if is_due and not has_run.is_set():
            signal.pthread_kill(runner, signal.SIGTERM)  # and so the pipe has a number again
