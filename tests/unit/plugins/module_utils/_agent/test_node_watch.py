# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Agents that lose their watches at once do not reconnect at once: ``make bench`` with fewer agents."""

from __future__ import annotations

import pytest

from support.agents.reconnects import simulate_outage

AGENTS = 1000


@pytest.mark.contract("manners.reconnects")
@pytest.mark.parametrize("orderly", [False, True], ids=["cut", "ended in order"])
@pytest.mark.parametrize("seconds", [60.0, 2.0, 0.1])
def test_agents_spread_their_reconnects(seconds: float, orderly: bool) -> None:
    outage = simulate_outage(seconds, agents=AGENTS, orderly=orderly)
    assert outage.busiest <= 0.3 * AGENTS
    assert outage.slowest <= 30.0
