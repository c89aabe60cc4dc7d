# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that arrive at the worst moment."""

from __future__ import annotations

import signal
import threading
import time

__all__ = ["send_unnoticed"]


def send_unnoticed(number: signal.Signals) -> None:
    """Send a signal in a moment to another thread, so that it does not end what the main thread waits for.

    Such is a signal that comes just before the main thread waits: Python knows of it, and the system call does not.
    """

    def send() -> None:
        time.sleep(0.2)
        signal.pthread_kill(threading.get_ident(), number)

    threading.Thread(target=send, daemon=True).start()
