# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Property: two runners never both move a pool, also when one of them stalls and comes back."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout import LockLost, PoolLocked, RolloutError
from support.fuzz.settings import fuzz
from support.rollouts.fleet_strategies import FINE, fleets, policies
from support.rollouts.runner_process import Fault, Faults, RunnerProcess
from support.rollouts.scenario import Scenario, scenario
from support.rollouts.scripted_fleet import Fleet
from support.rollouts.virtual_clock import VirtualClock

SECONDS = st.sampled_from([0.0, 0.02, 0.1, 1.0, 4.9, 5.0, 7.0, 12.0])
FREEZES = st.lists(
    st.tuples(st.sampled_from([0.03, 0.2, 1.5, 4.0, 8.0]), st.sampled_from([6.0, 1.0, 30.0])), max_size=2
)
FAULTS: st.SearchStrategy[Fault] = st.sampled_from([503, 429, "slowly not received", "slowly lost"])


@st.composite
def stalls(draw: st.DrawFn) -> Faults:
    """Draw a process that stops for longer than its lease holds, or that waits so long for an answer."""
    requests: dict[int, Fault] = draw(st.dictionaries(st.integers(1, 60), FAULTS, max_size=4))
    return Faults(freezes=tuple(draw(FREEZES)), requests=requests, patient=draw(st.booleans()))


def run_together(moved: Scenario, processes: Mapping[RunnerProcess, float]) -> list[Exception | None]:
    """Run these processes, each after its delay in seconds, until the last one ends. Return how each ended."""
    clock, ends = moved.world.clock, {}
    assert isinstance(clock, VirtualClock)

    def start(process: RunnerProcess, after: float) -> None:
        def run() -> None:
            clock.sleep(after)
            ends[process.name] = moved.run(process)

        clock.start(run, process.name)

    for process, after in processes.items():
        start(process, after)
    clock.wait_until(lambda: len(ends) == len(processes))
    return [ends[process.name] for process in processes]


@fuzz(60)
@given(fleets(("good", "good", "restarts"), smallest=2, start=st.just("ready"), most_incidents=0), st.data())
def test_only_the_runner_that_holds_the_lock_assigns(fleet: Fleet, data: st.DataObject) -> None:
    policy: Mapping[str, Any] = {**data.draw(policies(len(fleet.nodes))), "nodeTimeout": "30m"}
    processes = data.draw(st.lists(st.tuples(stalls(), SECONDS), min_size=2, max_size=3))
    with scenario(fleet, policy) as moved:
        ends = run_together(moved, {moved.process(trouble): after for trouble, after in processes})
        story = (ends, moved.story())
        for move in moved.timeline.moves:
            assert moved.timeline.holder(move.sent) == move.by, (move, moved.timeline.holders, *story)
        movers = [name for name, _moves in itertools.groupby(moved.timeline.moves, key=lambda move: move.by)]
        assert len(movers) == len(set(movers)), (movers, *story)
        for end in ends:
            assert end is None or isinstance(end, (PoolLocked, LockLost, RolloutError)), story
        assert moved.run() is None, moved.story()
        assert moved.phase == "Complete", moved.story()
        moves = [move.node for move in moved.timeline.moves]
        assert len(moves) == len(set(moves)), ("a node was assigned twice", moves, *story)


@fuzz(60)
@given(fleets(FINE, smallest=2, start=st.just("ready"), most_incidents=8, actions=("reassigned",)), st.data())
def test_what_another_client_assigns_meanwhile_has_an_id_of_its_own(fleet: Fleet, data: st.DataObject) -> None:
    policy: Mapping[str, Any] = data.draw(policies(len(fleet.nodes)))
    with scenario(fleet, policy, latency=0.3) as moved:
        moved.run()
        moved.run()
        assert moved.timeline.reused_ids == [], moved.story()
