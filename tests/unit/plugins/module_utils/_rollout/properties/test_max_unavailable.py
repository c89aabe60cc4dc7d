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
from support.rollouts.fleet_strategies import ALL_INCIDENTS, DOWN, FINE, MOSTLY_FINE, fleets, policies
from support.rollouts.runner_process import Faults
from support.rollouts.scenario import Scenario, scenario
from support.rollouts.scripted_fleet import Fleet, Incident, script
from support.rollouts.world import QUICK

# Nodes that go down now and then while a wave moves, as seen by a runner that is near to the API server, or far away.
FLEETS = fleets((*FINE * 3, *MOSTLY_FINE), smallest=3, most_incidents=6, actions=(*DOWN * 3, *ALL_INCIDENTS))
LIMITS = st.sampled_from([1, 2, 2, 3, 6])
LATENCIES = st.sampled_from([0.005, 0.3])


def check(moved: Scenario, limit: int) -> None:
    """Check every assignment: of a node that was up, and of one that was down already."""
    noticed = moved.latency + 0.05  # seconds: what happens while the assignment is sent is not known
    for move in moved.timeline.moves:
        unavailable = move.in_flight | move.down_for(noticed)
        assert len(move.in_flight | {move.node}) <= limit, (move, moved.story())
        if move.was_ready:
            assert len(unavailable | {move.node}) <= limit, (move, moved.story())


def a_policy(data: st.DataObject, count: int) -> dict[str, Any]:
    return {**data.draw(policies(count)), "maxUnavailable": min(data.draw(LIMITS), count - 1)}


@pytest.mark.complaint("system-upgrade-controller #77: concurrency exceeded in 30 % of the runs")
@fuzz(80)
@given(FLEETS, LATENCIES, st.data())
def test_no_assignment_exceeds_max_unavailable(fleet: Fleet, latency: float, data: st.DataObject) -> None:
    with scenario(fleet, a_policy(data, len(fleet.nodes)), latency=latency) as moved:
        limit = moved.plan().max_unavailable
        moved.run()
        moved.run()
        check(moved, limit)


@fuzz(60)
@given(FLEETS, LATENCIES, st.data())
def test_runs_that_follow_a_kill_keep_max_unavailable(fleet: Fleet, latency: float, data: st.DataObject) -> None:
    kills = data.draw(st.lists(st.tuples(st.integers(1, 40), st.booleans()), min_size=1, max_size=3))
    with scenario(fleet, a_policy(data, len(fleet.nodes)), latency=latency) as moved:
        limit = moved.plan().max_unavailable
        for write, after in kills:
            moved.run(moved.process(Faults(kill_at=write, after=after)))
        moved.run()
        check(moved, limit)


def test_a_node_counts_whenever_it_goes_down() -> None:
    """Every tenth of a second of a rollout: also while the record is written, right before an assignment."""
    good = script((1.0, "adopting"), (1.0, "good"))
    policy = {**QUICK, "canary": {"count": 1, "soak": "0s"}, "waves": ["100%"], "soak": "0s", "maxUnavailable": 1}
    for tenth in range(170):
        with scenario(Fleet((good,) * 5, (Incident(tenth / 10, 4, "not ready"),)), policy, latency=0.3) as moved:
            moved.run()
            check(moved, 1)


def test_a_run_that_follows_a_kill_waits_for_the_nodes_that_were_moving() -> None:
    """The second run finds more failures than the budget, and rolls back: but not while another node restarts."""
    good, late = script((1.0, "adopting"), (1.0, "good")), script((1.0, "adopting"), (1.0, "good"), (1.0, "failed"))
    fleet = Fleet((good, late, script((1.0, "adopting"), (40.0, "good"))))
    policy = {**QUICK, "canary": {"count": 1, "soak": "0s"}, "waves": ["100%"], "soak": "0s", "maxUnavailable": 1}
    for write in range(1, 25):
        with scenario(fleet, {**policy, "failureBudget": 0, "onFailure": "rollback"}) as moved:
            moved.run(moved.process(Faults(kill_at=write)))
            moved.run()
            assert moved.phase == "Halted"
            check(moved, 1)
