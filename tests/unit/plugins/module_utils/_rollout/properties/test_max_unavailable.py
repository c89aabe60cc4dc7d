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
from support.rollouts.runner_process import Fault, Faults
from support.rollouts.scenario import Scenario, scenario
from support.rollouts.scripted_fleet import Fleet, Incident, script
from support.rollouts.world import QUICK

# Nodes that go down now and then while a wave moves, as seen by a runner that is near to the API server, or far away.
FLEETS = fleets((*FINE * 3, *MOSTLY_FINE), smallest=3, most_incidents=6, actions=(*DOWN * 3, *ALL_INCIDENTS))
LIMITS = st.sampled_from([1, 2, 2, 3, 6])
LATENCIES = st.sampled_from([0.005, 0.3])
GOOD_NODE = script((1.0, "adopting"), (1.0, "good"))
ONE_AT_A_TIME = {**QUICK, "canary": {"count": 1, "soak": "0s"}, "waves": ["100%"], "soak": "0s", "maxUnavailable": 1}
REFUSALS: tuple[Fault, ...] = (429, 503, "not received", "lost", "slowly not received")


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
        limit = moved.plan().limits.max_unavailable
        moved.run()
        moved.run()
        check(moved, limit)


@fuzz(60)
@given(FLEETS, LATENCIES, st.data())
def test_runs_that_follow_a_kill_keep_max_unavailable(fleet: Fleet, latency: float, data: st.DataObject) -> None:
    kills = data.draw(st.lists(st.tuples(st.integers(1, 40), st.booleans()), min_size=1, max_size=3))
    with scenario(fleet, a_policy(data, len(fleet.nodes)), latency=latency) as moved:
        limit = moved.plan().limits.max_unavailable
        for write, after in kills:
            moved.run(moved.process(Faults(kill_at=write, after=after)))
        moved.run()
        check(moved, limit)


def test_a_node_counts_whenever_it_goes_down() -> None:
    """Every tenth of a second of a rollout: also while the record is written, right before an assignment."""
    for tenth in range(170):
        fleet = Fleet((GOOD_NODE,) * 5, (Incident(tenth / 10, 4, "not ready"),))
        with scenario(fleet, ONE_AT_A_TIME, latency=0.3) as moved:
            moved.run()
            check(moved, 1)


def test_a_run_that_follows_a_kill_waits_for_the_nodes_that_were_moving() -> None:
    """The second run finds more failures than the budget, and rolls back: but not while another node restarts."""
    late = script((1.0, "adopting"), (1.0, "good"), (1.0, "failed"))
    fleet = Fleet((GOOD_NODE, late, script((1.0, "adopting"), (40.0, "good"))))
    for write in range(1, 25):
        with scenario(fleet, {**ONE_AT_A_TIME, "failureBudget": 0, "onFailure": "rollback"}) as moved:
            moved.run(moved.process(Faults(kill_at=write)))
            moved.run()
            assert moved.phase == "Halted"
            check(moved, 1)


def times_of_moves(fleet: Fleet) -> list[float]:
    """Return when each assignment is sent, in seconds since the run began."""
    with scenario(fleet, ONE_AT_A_TIME) as moved:
        process = moved.process()
        moved.run(process)
        return [move.sent - process.began for move in moved.timeline.moves]


def test_an_assignment_that_meets_an_outage_is_decided_again() -> None:
    """The API server goes away when an assignment is sent, and a node goes down before the server is back."""
    fleet = Fleet((GOOD_NODE,) * 5)
    for sent in times_of_moves(fleet):
        down = Fleet(fleet.nodes, (Incident(sent + 10, 4, "not ready"), Incident(sent + 80, 4, "ready")))
        for patient in (False, True):
            with scenario(down, ONE_AT_A_TIME) as moved:
                moved.run(moved.process(Faults(outages=((sent - 0.001, 60.0),), patient=patient)))
                check(moved, 1)
                assert moved.phase == "Complete", moved.story()


@fuzz(60)
@given(FLEETS, st.data())
def test_faults_do_not_exceed_max_unavailable(fleet: Fleet, data: st.DataObject) -> None:
    requests = data.draw(st.dictionaries(st.integers(1, 60), st.sampled_from(REFUSALS), max_size=4))
    outages = data.draw(st.lists(st.tuples(st.floats(0, 60), st.floats(0.5, 90)), max_size=2))
    with scenario(fleet, a_policy(data, len(fleet.nodes))) as moved:
        limit = moved.plan().limits.max_unavailable
        faults = Faults(requests=requests, outages=tuple(outages), patient=data.draw(st.booleans()))
        moved.run(moved.process(faults))
        moved.run()
        check(moved, limit)
