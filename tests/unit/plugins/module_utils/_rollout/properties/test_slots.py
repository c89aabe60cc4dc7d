# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Property: every slot is freed. No node, whatever it does, holds up the others for longer than its own time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._node_run import Phase
from support.fuzz.settings import fuzz
from support.rollouts.fleet_strategies import FINE, MOSTLY_FINE, fleets, policies
from support.rollouts.scenario import scenario
from support.rollouts.scripted_fleet import Fleet

OWN_TIME = 2.0  # seconds of the runner for each wave: its requests, and its rounds of at most a second


@pytest.mark.complaint("kubernetes-nmstate PR #854: a budget slot leaked")
@fuzz(60)
@given(fleets(MOSTLY_FINE), st.data())
def test_a_run_ends_whatever_its_nodes_do(fleet: Fleet, data: st.DataObject) -> None:
    policy: Mapping[str, Any] = data.draw(policies(len(fleet.nodes)))
    with scenario(fleet, policy) as moved:
        timeout = moved.timeline.node_timeout + 60.0  # a node whose watch is late is read within a minute
        for _time in range(2):
            began, waves = moved.world.clock.monotonic(), len(moved.plan().waves) + 1  # and a rollback
            moved.run()
            # Each node has its time, once more if it was unknown in its soak; a wave may wait for others as long.
            longest = len(fleet.nodes) * (2 * timeout + 20.0) + waves * (timeout + 20.0)
            assert moved.world.clock.monotonic() - began <= longest, moved.story()
            states = [progress.counts for progress in moved.world.reports if progress.counts]
            if states and moved.phase not in ("", "Planned"):
                assert not states[-1].get(Phase.IN_FLIGHT), moved.story()


@pytest.mark.complaint("kubernetes-nmstate PR #854: a budget slot leaked")
@fuzz(60)
@given(fleets((*FINE * 4, "crashes", "refuses", "vanishes"), start=st.just("ready"), most_incidents=0), st.data())
def test_a_wave_takes_no_longer_than_the_best_schedule_of_its_nodes(fleet: Fleet, data: st.DataObject) -> None:
    """A slot that is not freed, or is freed late, costs time: list scheduling is at most the mean plus the longest."""
    policy: Mapping[str, Any] = {**data.draw(policies(len(fleet.nodes))), "soak": "30s"}
    with scenario(fleet, policy) as moved:
        made = moved.plan()
        if made.refusals:
            return
        began = moved.world.clock.monotonic()
        moved.run()
        seconds = moved.world.clock.monotonic() - began
        longest = OWN_TIME
        for wave in made.waves:
            times = [sum(step.after + 0.1 for step in moved.scripted.scripts[name].steps) for name in wave.nodes]
            longest += sum(times) / made.limits.max_unavailable + max(times) + wave.soak + OWN_TIME
        if policy["onFailure"] == "rollback":
            longest += len(fleet.nodes) * 5.0 + OWN_TIME  # back on the init config, a node answers in 4 s
        assert seconds <= longest, (seconds, longest, moved.story())
