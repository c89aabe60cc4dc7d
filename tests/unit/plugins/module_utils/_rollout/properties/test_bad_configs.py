# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Property: a bad config never reaches a node outside the canary when the canary shows the fault."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from support.fuzz.settings import fuzz
from support.rollouts.fleet_strategies import ANY, FATES, FINE, MOSTLY_FINE, fates, fleets, policies
from support.rollouts.runner_process import Faults
from support.rollouts.scenario import Scenario, scenario
from support.rollouts.scripted_fleet import Fleet, NodeScript

FAULTY = ("crashes", "refuses", "stays down", "adopts only")
SOAKS = st.sampled_from(["0s", "2s", "20s"])  # after a short soak, a node fails late
NOTICED = 0.2  # seconds within which a runner knows what a node has answered


def check(moved: Scenario, budget: int) -> None:
    """Check every assignment of the target: no wave moves while more nodes fail than it may."""
    for move in moved.timeline.moves:
        if move.uid != moved.target.uid or move.rollout is None or move.rollout.is_rolling_back:
            continue
        assert move.wave, (move, moved.story())
        waves = [wave.name for wave in move.rollout.waves]
        assert waves.index(move.wave) == move.rollout.waves_done, ("the wave before it is done", move, moved.story())
        in_lane = {name for wave in move.rollout.waves if wave.name == "broken" for name in wave.nodes}
        failed = {name for name, seconds in move.failed.items() if seconds >= NOTICED} - in_lane
        if move.wave == "canary":
            canary = next(wave.nodes for wave in move.rollout.waves if wave.name == "canary")
            assert not failed & set(canary), (move, moved.story())
        elif move.wave != "broken":
            assert len(failed) <= budget, (move, moved.story())


@pytest.mark.complaint("kubespray #11395: took down 20% of the workers")
@fuzz(40)
@given(fleets(FINE, smallest=2, start=st.just("ready")), st.data())
def test_what_the_canary_shows_reaches_no_other_node(fleet: Fleet, data: st.DataObject) -> None:
    policy: dict[str, Any] = data.draw(policies(len(fleet.nodes)))
    kills = data.draw(st.lists(st.tuples(st.integers(1, 40), st.booleans()), max_size=2))
    with scenario(fleet, policy) as moved:
        waves = moved.plan().waves
        if moved.plan().refusals or not waves:
            return
        # The first node of the canary shows the fault. What the others do is not known before they are touched.
        first, *others = waves[0].nodes
        assume(all(fleet.names[incident.number] != first for incident in fleet.incidents))
        moved.scripted.scripts[first] = NodeScript(data.draw(FATES[data.draw(st.sampled_from(FAULTY))]))
        for name in others:
            moved.scripted.scripts[name] = data.draw(fates(ANY, start=st.just("ready")))
        for write, after in kills:
            moved.run(moved.process(Faults(kill_at=write, after=after)))
        for _time in range(3):
            moved.run()
        moves = [move for move in moved.timeline.moves if move.uid == moved.target.uid]
        assume(first in {move.node for move in moves})  # the nodes changed, and with them the canary
        assert {move.wave for move in moves} <= {"canary"}, moved.story()
        assert moved.phase in ("Halted", "Paused"), moved.story()
        check(moved, 0)


@pytest.mark.complaint("kubespray #5508: a changed template restarts kubelets in parallel, without a health gate")
@fuzz(60)
@given(fleets(MOSTLY_FINE) | fleets((*FINE, "crashes", *("fails in the soak",) * 3)), SOAKS, st.data())
def test_no_wave_moves_while_more_nodes_fail_than_it_may(fleet: Fleet, soak: str, data: st.DataObject) -> None:
    policy = {**data.draw(policies(len(fleet.nodes))), "soak": soak, "canary": {"count": 2, "soak": soak}}
    policy["maxUnavailable"] = min(2, policy["maxUnavailable"])
    with scenario(fleet, policy) as moved:
        moved.run()
        moved.run()
        check(moved, int(policy["failureBudget"]))
