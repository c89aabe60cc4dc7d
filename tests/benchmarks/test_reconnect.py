# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the load of 5,000 agents on an API server that returns."""

from __future__ import annotations

from collections.abc import Callable

from support.agents.reconnects import simulate_outage

AGENTS = 5000
OUTAGES = (60.0, 2.0, 0.1)  # seconds
LONGEST = 30.0  # seconds until the last agent is back

Row = Callable[..., None]


def test_reconnect(row: Row) -> None:
    returns = {
        (seconds, orderly): simulate_outage(seconds, agents=AGENTS, orderly=orderly)
        for seconds in OUTAGES
        for orderly in (False, True)
    }
    for (seconds, orderly), result in returns.items():
        how = "after an orderly end" if orderly else "after a cut"
        print(f"reconnect: {seconds:g} s {how}: {result.busiest} opens in the busiest second, {result.slowest:.1f} s")
    back = all(result.slowest <= LONGEST for result in returns.values())
    row("reconnect-5000", max(result.busiest for result in returns.values()), "", most=1500, also=back)
