# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends a run of ansible-playbook whose output has lost its reader. Private to configok.node."""

from __future__ import annotations

import errno
import os
import select
import signal
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["ending_without_reader", "has_lost_reader"]

_INTERVAL = 1.0  # seconds between two checks; also how long the last lines may take


@contextmanager
def ending_without_reader() -> Iterator[None]:
    """End ansible-playbook, as a cancelled job does, once its standard output is a pipe without a reader.

    A worker hands its lines to ansible-playbook, where a thread displays them. If that thread cannot write a line, it
    ends, and ansible-playbook waits for the result of the task without end. The check therefore continues for an
    interval after the task.
    """
    has_ended = threading.Event()
    threading.Thread(target=_check, args=(os.getppid(), has_ended), name="output-reader").start()
    try:
        yield
    finally:
        has_ended.set()


def _check(parent: int, has_ended: threading.Event) -> None:
    is_last = False
    while not is_last:
        is_last = has_ended.is_set()
        time.sleep(_INTERVAL)
        if has_lost_reader(f"/proc/{parent}/fd/1"):
            with suppress(ProcessLookupError):
                os.kill(parent, signal.SIGTERM)
            return


def has_lost_reader(path: str) -> bool:
    """Return whether a path is a pipe without a reader; False if the kernel cannot tell."""
    try:
        if not stat.S_ISFIFO(os.stat(path).st_mode):
            return False
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        return error.errno == errno.ENXIO  # a named pipe
    try:
        poll = select.poll()
        poll.register(descriptor, 0)
        return any(event & select.POLLERR for _descriptor, event in poll.poll(0))
    finally:
        os.close(descriptor)
