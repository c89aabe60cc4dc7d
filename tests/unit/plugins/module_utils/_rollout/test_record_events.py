# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events on the record say how a rollout began and ended."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import events
from support.rollouts.simulated_nodes import CRASHES, GOOD
from support.rollouts.world import MakeWorld, World


def recorded_events(world: World) -> list[tuple[str, str]]:
    items = world.client.list(events("configok-rollouts")).items
    assert all(event["involvedObject"]["uid"] for event in items)
    return sorted((event["reason"], event["message"]) for event in items)


def test_events_on_the_record_tell_how_a_rollout_began_and_ended(make_world: MakeWorld) -> None:
    world = make_world(6)
    good = world.publish(100)
    world.rollout(good)
    world.rollout(good)
    assert recorded_events(world) == [
        ("RolloutComplete", f"revision 1 ({good.name})"),
        ("RolloutStarted", f"revision 1 ({good.name}), nodes: 6, waves: 3, moved by run 1"),
    ]
    bad = world.publish(200)
    world.nodes.behaviour = lambda _name, source: CRASHES if source == bad.source else GOOD
    world.rollout(bad)
    ((_reason, message),) = [event for event in recorded_events(world) if event[0] == "RolloutHalted"]
    assert message.startswith(f"revision 2 ({bad.name}): ")
    assert "crashed 4 times" in message


def test_a_rollout_does_without_events(make_world: MakeWorld) -> None:
    world = make_world(6)

    class Mute:
        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def create(self, path: str, body: Any, **options: Any) -> Any:
            if path == events("configok-rollouts"):
                raise Forbidden("you may not", where="POST events", status=403)
            return world.client.create(path, body, **options)

    assert world.rollout(world.publish(100), client=Mute())[-1].phase == "Complete"
    assert recorded_events(world) == []
