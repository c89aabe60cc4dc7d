# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rollout that begins while nodes still move because of another one, which was aborted."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from support.rollouts.simulated_nodes import GOOD, SILENT
from support.rollouts.world import QUICK, MakeWorld, World

SWIFT = {**QUICK, "canary": {"count": 1, "soak": "0s"}, "waves": ["100%"], "soak": "0s", "maxUnavailable": 2}


def unsettled(world: World) -> list[str]:
    return [view.name for view in list_nodes(world.client, selector="pool=workers") if not view.is_settled]


def test_nodes_that_still_move_count_as_unavailable(make_world: MakeWorld) -> None:
    world = make_world(8)
    aborted, target = world.publish(100), world.publish(110)
    assign_nodes(world.client, aborted.source, names=["n06", "n07"])
    moving: list[int] = []

    def note(_name: str, source: ConfigSource | None) -> str:
        if source == target.source:
            moving.append(len(unsettled(world)))
        return GOOD

    world.nodes.behaviour = note
    assert world.rollout(target, **SWIFT)[-1].phase == "Complete"
    assert len(moving) == 8
    assert max(moving) == 2, "two nodes restart at a time, whichever rollout has assigned them"


def test_silent_nodes_of_an_earlier_rollout_delay_the_next_one_by_no_more_than_their_time(
    make_world: MakeWorld,
) -> None:
    world = make_world(8)
    aborted, target = world.publish(100), world.publish(110)
    world.nodes.behaviour = lambda _name, source: SILENT if source == aborted.source else GOOD
    assign_nodes(world.client, aborted.source, names=["n04", "n05", "n06", "n07"])
    began = world.clock.monotonic()
    assert world.rollout(target, **SWIFT)[-1].phase == "Complete"
    assert 100 <= world.clock.monotonic() - began < 160
