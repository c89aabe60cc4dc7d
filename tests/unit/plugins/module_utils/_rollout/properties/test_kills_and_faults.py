# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Property: a run that is killed at any write, or loses the answer to any write, reaches the same end when run again.

So does a run whose requests are refused, time out, or find no server for a while. None of it is charged to a node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.fuzz.settings import fuzz
from support.rollouts.fleet_strategies import fleets, policies
from support.rollouts.runner_process import Fault, Faults
from support.rollouts.scenario import End, Scenario, scenario
from support.rollouts.scripted_fleet import Fleet, script

# What these nodes do depends on nothing but what they are assigned.
STEADY = ("good", "good", "good", "restarts", "good before it is ready", "crashes", "refuses", "silent")
ANSWERING = tuple(fate for fate in STEADY if fate != "silent")

good = script((1.0, "adopting"), (2.0, "good"))
crashes = script((1.0, "adopting"), (2.0, "failed"))
silent = script()
POLICY: dict[str, Any] = {
    "canary": {"count": 1, "soak": "3s"},
    "waves": ["50%", "100%"],
    "soak": "2s",
    "maxUnavailable": 2,
    "failureBudget": 1,
    "nodeTimeout": "15s",
    "healthTimeout": "1s",
    "restartDelay": "1s",
    "timeToCrash": "1s",
}
FLEETS = {
    "all good": Fleet((good,) * 5),
    "a failure within the budget": Fleet((good, good, good, crashes, good)),
    "a wave that halts": Fleet((good, good, crashes, crashes, good, good)),
    "a canary that crashes": Fleet((crashes, *(good,) * 4)),
    "a silent node": Fleet((good, good, good, silent, good)),
    "a broken node": Fleet((good, good, good, good, script((1.0, "failed"), start="failing"))),
}
CASES = [*((name, "halt") for name in FLEETS), ("a wave that halts", "rollback")]


def check_same_end(end: End, expected: End, story: str) -> None:
    """Check that an end is the expected one.

    Of a rollout that halts or pauses, the nodes that were moved at the same time as those that stopped it may differ.
    """
    assert end.phase == expected.phase, story
    assert end.bad.keys() == expected.bad.keys(), story
    assert end.results == expected.results, story
    if expected.phase == "Complete":
        assert end == expected, story


def end_without_faults(fleet: Fleet, policy: Mapping[str, Any]) -> tuple[End, int]:
    """Return how a rollout ends, run twice, to which nothing happens, and the number of writes of its first run."""
    with scenario(fleet, policy) as moved:
        process = moved.process()
        moved.run(process)
        return run_until_it_ends(moved), process.writes


def run_until_it_ends(moved: Scenario) -> End:
    """Run a rollout again, and once more, as an operator does."""
    moved.run()
    moved.run()
    return moved.end()


def check_assignments(moved: Scenario) -> None:
    """Check that no node was assigned the target twice, and that maxUnavailable was kept across the runs."""
    limit = moved.plan().limits.max_unavailable
    moves = [move for move in moved.timeline.moves if move.uid == moved.target.uid]
    assert len({move.node for move in moves}) == len(moves), ("a node was assigned twice", moved.story())
    for move in moves:
        assert len(move.in_flight | {move.node}) <= limit, (move, moved.story())


@pytest.mark.parametrize(
    "after", [pytest.param(False, marks=pytest.mark.slow), True], ids=["before the write", "after the write"]
)
@pytest.mark.parametrize(("name", "on_failure"), CASES)
def test_killed_at_each_write_it_reaches_the_same_end(name: str, on_failure: str, after: bool) -> None:
    fleet, policy = FLEETS[name], {**POLICY, "onFailure": on_failure}
    expected, writes = end_without_faults(fleet, policy)
    for write in range(1, writes + 1):
        with scenario(fleet, policy) as moved:
            process = moved.process(Faults(kill_at=write, after=after))
            moved.run(process)
            end = run_until_it_ends(moved)
            check_same_end(end, expected, f"{process.hit}\n{moved.story()}")
            check_assignments(moved)


@pytest.mark.parametrize(
    "patient", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["no answer", "sent again by the client"]
)
@pytest.mark.parametrize(("name", "on_failure"), CASES)
def test_without_the_answer_to_each_write_it_reaches_the_same_end(name: str, on_failure: str, patient: bool) -> None:
    fleet, policy = FLEETS[name], {**POLICY, "onFailure": on_failure}
    expected, writes = end_without_faults(fleet, policy)
    for write in range(1, writes + 1):
        with scenario(fleet, policy) as moved:
            process = moved.process(Faults(lose=frozenset((write,)), patient=patient))
            error = moved.run(process)
            assert error is None, (process.hit, error)
            end = run_until_it_ends(moved)
            check_same_end(end, expected, f"{process.hit}\n{moved.story()}")
            check_assignments(moved)


@fuzz(40)
@given(fleets(STEADY, start=st.just("ready"), most_incidents=0), st.data())
def test_killed_again_and_again_it_reaches_the_same_end(fleet: Fleet, data: st.DataObject) -> None:
    policy: Mapping[str, Any] = {**data.draw(policies(len(fleet.nodes))), "nodeTimeout": "2m"}
    expected, writes = end_without_faults(fleet, policy)
    kills = data.draw(st.lists(st.tuples(st.integers(1, max(1, writes)), st.booleans()), min_size=1, max_size=4))
    with scenario(fleet, policy) as moved:
        for write, after in kills:
            moved.run(moved.process(Faults(kill_at=write, after=after)))
        check_same_end(run_until_it_ends(moved), expected, moved.story())
        check_assignments(moved)


FAULTS: st.SearchStrategy[Fault] = st.sampled_from(
    [429, 503, 500, 504, 409, "not received", "lost", "slowly not received", "slowly lost"]
)


@st.composite
def faults(draw: st.DrawFn) -> Faults:
    """Draw what happens to the requests of a run: some fail, and for some minutes there is no server."""
    requests: dict[int, Fault] = draw(st.dictionaries(st.integers(1, 120), FAULTS, max_size=12))
    outages = draw(
        st.lists(st.tuples(st.sampled_from([0.5, 5.0, 30.0]), st.sampled_from([2.0, 60.0, 240.0])), max_size=1)
    )
    return Faults(requests=requests, outages=tuple(outages), patient=draw(st.booleans()))


@fuzz(60)
@given(fleets(ANSWERING, start=st.just("ready"), most_incidents=0), faults(), st.data())
def test_a_run_whose_requests_fail_reaches_the_same_end(fleet: Fleet, trouble: Faults, data: st.DataObject) -> None:
    policy: Mapping[str, Any] = {**data.draw(policies(len(fleet.nodes))), "nodeTimeout": "90m"}  # beyond all faults
    expected, _writes = end_without_faults(fleet, policy)
    with scenario(fleet, policy) as moved:
        process = moved.process(trouble)
        error = moved.run(process)
        end = run_until_it_ends(moved)
        check_same_end(end, expected, f"{process.hit}, {error}\n{moved.story()}")
        check_assignments(moved)
