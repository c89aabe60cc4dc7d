# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long tests wait for what is expected to happen."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["LONGEST_WAIT", "wait_until"]

LONGEST_WAIT = 180.0
"""Seconds until what is expected has happened, on a machine that runs other suites at the same time.

Only a test that fails waits so long. A test about time itself has a limit of its own.
"""


def wait_until(condition: Callable[[], object], what: Callable[[], object] | str = "") -> None:
    """Wait until the condition is true.

    what: the expectation, or a function that returns what there is. Raises AssertionError with it after LONGEST_WAIT.
    """
    deadline = time.monotonic() + LONGEST_WAIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(what() if callable(what) else what)
        time.sleep(0.02)
