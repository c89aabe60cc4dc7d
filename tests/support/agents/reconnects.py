# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulates how many agents reconnect after losing their watch at once, with the agent's own code and a virtual clock.

The agents do not wait for each other, so they are simulated one at a time, each with its own clock.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import watch_node
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Listing
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._kube.transport import Timing

__all__ = ["Reconnects", "simulate_outage"]

BEGIN = 100.0  # when the outage begins, in seconds of the virtual clock
PATIENCE = 120.0  # seconds after the outage in which an agent must be back for the simulation to end


class Reconnects(NamedTuple):
    """Watch requests in the busiest second, including refused ones, and seconds until the last agent is back."""

    busiest: int
    slowest: float


class _Outage:
    """The API server as an agent sees it: unavailable from BEGIN for some seconds, otherwise fast."""

    def __init__(self, seconds: float, *, orderly: bool) -> None:
        self.now = BEGIN - 10.0
        self.end = BEGIN + seconds
        self.orderly = orderly
        self.opens: list[float] = []
        self.stop = threading.Event()

    def interruptible(self, _interrupt: Any) -> _Outage:
        return self

    def close(self) -> None:
        """Do nothing: no connection is open."""

    def list(self, _path: str, **_query: Any) -> Listing:
        return Listing([], "1")

    def stream(self, _path: str, **_query: Any) -> Iterator[bytes]:
        if self.now >= BEGIN:
            self.opens.append(self.now)
        if BEGIN <= self.now < self.end:
            raise Unreachable("refused")
        return self._lines()

    def _lines(self) -> Iterator[bytes]:
        if self.now >= self.end:
            self.stop.set()
        else:
            self.now = BEGIN
            if not self.orderly:
                raise Unreachable("the connection was cut")
        yield from ()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now > self.end + PATIENCE:
            self.stop.set()


def simulate_outage(seconds: float, *, agents: int, orderly: bool = False, seed: int = 1) -> Reconnects:
    """Return how ``agents`` agents reconnect after an outage. orderly: the server ends the watches before it stops."""
    source = random.Random(seed)
    opens: list[float] = []
    slowest = 0.0
    for _agent in range(agents):
        outage = _Outage(seconds, orderly=orderly)
        timing = Timing(outage.sleep, outage.monotonic, random=source.random)
        for _event in watch_node(outage, "n1", stop=outage.stop, timing=timing):
            pass
        opens += outage.opens
        slowest = max(slowest, outage.now - outage.end)
    return Reconnects(_busiest_second(sorted(opens)), slowest)


def _busiest_second(times: Sequence[float]) -> int:
    """Return the highest number of these sorted times within any one second."""
    busiest = first = 0
    for last, time in enumerate(times):
        while time - times[first] >= 1.0:
            first += 1
        busiest = max(busiest, last - first + 1)
    return busiest
