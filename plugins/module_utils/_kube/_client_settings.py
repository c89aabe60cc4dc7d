# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a client and the clock that it waits by. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import random as _random
import time
from collections.abc import Callable
from typing import NamedTuple

from ._retry import PATIENT, RetryPolicy

__all__ = ["ClientSettings", "Timing"]

_USER_AGENT = "configok.node/0.1.0"  # with VERSION of _nodeconfig, which this layer cannot import; a test compares
_MAX_ANSWER = 128 << 20  # bytes: 500 Nodes, a page of a list, are some 35 MiB


class ClientSettings(NamedTuple):
    """How a client talks to its server.

    pool_size: the number of connections. timeout: the longest silence of the server, in seconds. longest_answer: the
    size limit of an answer (of one page, if it is a list) and of a line of a watch, in bytes. retries: when a failed
    request is sent again.
    """

    pool_size: int = 4
    timeout: float = 30.0
    longest_answer: int = _MAX_ANSWER
    user_agent: str = _USER_AGENT
    retries: RetryPolicy = PATIENT


class Timing(NamedTuple):
    """Clocks, sleep and randomness; a simulation brings its own.

    sleep: waits for seconds and may return True to say that waiting was interrupted. monotonic: seconds since some
    moment. wall: seconds since the epoch. random: a number in [0, 1).
    """

    sleep: Callable[[float], bool | None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    random: Callable[[], float] = _random.random
