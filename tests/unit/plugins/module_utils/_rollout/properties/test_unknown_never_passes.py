# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Property: don't know never passes. A wave is done only when each of its nodes has been good for the whole soak."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.fuzz.settings import fuzz
from support.rollouts.fleet_strategies import ANY, FINE, MOSTLY_FINE, SILENT_FATES, fates, fleets, policies
from support.rollouts.scenario import Scenario, scenario
from support.rollouts.scripted_fleet import Fleet

SOAKS = st.sampled_from(["0s", "3s", "20s"])
LATE = 0.2  # seconds by which the runner may have seen the end of a soak that was broken right then


def check(moved: Scenario, budget: int) -> None:
    """Check each wave that the record calls done, node by node."""
    failures = 0
    for wave in moved.timeline.closed:
        if wave.name in ("broken canary", "broken"):
            continue
        needed = max(0.0, wave.soak - LATE)
        for name, track in wave.tracks.items():
            kind = wave.failed_nodes.get(name)
            context = (name, kind, track, wave.name, moved.story())
            has_soaked = track.soaked_on(moved.target.uid, wave.at) >= needed
            if has_soaked and not track.confirmed:
                assert kind is not None, context
            elif has_soaked:
                assert kind in (None, "failed", "drifted"), context
            elif kind == "missed":
                assert wave.name != "canary", context
            elif kind == "gone":
                assert wave.name != "canary", context
                assert not track.exists or track.assignment == 0, context
            else:
                assert kind == "failed", context
                assert wave.name != "canary", context
        failures += sum(1 for name in wave.tracks if wave.failed_nodes.get(name) == "failed")
        assert failures <= budget, (wave, moved.story())


@pytest.mark.complaint("openshift-ansible PR #9983: the playbook could not know when the asynchronous agent was done")
@fuzz(150)
@given(fleets(MOSTLY_FINE) | fleets((*FINE * 4, *ANY)), SOAKS, SOAKS, st.data())
def test_a_wave_is_done_only_when_its_nodes_were_good_for_the_whole_soak(
    fleet: Fleet, canary_soak: str, soak: str, data: st.DataObject
) -> None:
    policy: dict[str, Any] = {**data.draw(policies(len(fleet.nodes))), "soak": soak}
    policy["canary"] = {**policy["canary"], "soak": canary_soak}
    with scenario(fleet, policy) as moved:
        moved.run()
        moved.run()
        check(moved, int(policy["failureBudget"]))
        rollout = moved.rollout
        if rollout is not None and rollout.phase == "Complete":
            assert rollout.waves_done == len(rollout.waves)


@pytest.mark.complaint('argo-rollouts #1905: "no data" counted as success, or aborted')
@fuzz(50)
@given(fleets(FINE, start=st.just("ready"), most_incidents=0), st.data())
def test_a_node_that_never_says_that_it_is_good_pauses_its_wave(fleet: Fleet, data: st.DataObject) -> None:
    policy: Mapping[str, Any] = {**data.draw(policies(len(fleet.nodes))), "nodeTimeout": "90s"}  # more than any needs
    number = data.draw(st.integers(0, len(fleet.nodes) - 1))
    unclear = data.draw(fates(SILENT_FATES, start=st.just("ready")))
    nodes = (*fleet.nodes[:number], unclear, *fleet.nodes[number + 1 :])
    with scenario(Fleet(nodes), policy) as moved:
        waves, name = moved.plan().waves, Fleet(nodes).names[number]
        position = next((position for position, wave in enumerate(waves) if name in wave.nodes), None)
        if moved.plan().refusals or position is None:
            return
        for _time in range(2):
            moved.run()
            assert moved.rollout is not None
            assert (moved.phase, moved.rollout.waves_done) == ("Paused", position), moved.story()
            failed = [(failed.node, failed.kind) for failed in moved.rollout.failed_nodes]
            assert failed == [(name, "unknown")], moved.story()
        later = {name for wave in waves[position + 1 :] for name in wave.nodes}
        assert not later & {move.node for move in moved.timeline.moves}, moved.story()
        assert moved.world.record().bad_configs == (), "what nobody knows is not called bad"
