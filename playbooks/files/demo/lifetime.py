# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that end with the one that started them, even if it is killed (Linux)."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

__all__ = ["end_with_parent"]

_SET_PDEATHSIG = 1  # PR_SET_PDEATHSIG, prctl(2)
_prctl = ctypes.CDLL(None).prctl  # looked up here, since little is safe between fork and exec


def end_with_parent() -> Callable[[], None]:
    """Return a preexec_fn for Popen.

    The child is killed when the thread that started it ends, so start it from the main thread.
    """
    parent = os.getpid()

    def ask() -> None:
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # the parent ended before the call above

    return ask
