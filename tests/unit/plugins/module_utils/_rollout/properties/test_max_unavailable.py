# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Property: a rollout never exceeds maxUnavailable, whatever the nodes do, and whatever else takes them down."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.fuzz.settings import fuzz
from support.rollouts.fleet_strategies import MOSTLY_FINE, fleets, policies
from support.rollouts.scenario import Scenario, scenario
from support.rollouts.scripted_fleet import Fleet

NOTICED = 0.2  # seconds within which a runner knows that a node is down: a few requests


def check(moved: Scenario, limit: int) -> None:
    """Check every assignment: of a node that was up, and of one that was down already."""
    for move in moved.timeline.moves:
        unavailable = move.in_flight | move.down_for(NOTICED)
        assert len(move.in_flight | {move.node}) <= limit, (move, moved.story())
        if move.was_ready:
            assert len(unavailable | {move.node}) <= limit, (move, moved.story())


@pytest.mark.complaint("system-upgrade-controller #77: concurrency exceeded in 30 % of the runs")
@fuzz(60)
@given(fleets(MOSTLY_FINE), st.data())
def test_no_assignment_exceeds_max_unavailable(fleet: Fleet, data: st.DataObject) -> None:
    policy: dict[str, Any] = data.draw(policies(len(fleet.nodes)))
    with scenario(fleet, policy) as moved:
        limit = moved.plan().max_unavailable
        moved.run()
        moved.run()
        check(moved, limit)
