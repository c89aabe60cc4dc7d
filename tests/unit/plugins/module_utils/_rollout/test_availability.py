# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Never more than maxUnavailable nodes are unavailable, whatever happens to nodes and watch meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions import transitions
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from support.rollouts.simulated_nodes import GOOD, SILENT, status_of
from support.rollouts.world import QUICK, MakeWorld


def is_the_runners_watch(request: Any) -> bool:
    """Return whether a request is not one of the simulated nodes' own watch, which selects nothing."""
    return bool(request.query.get("watch")) and bool(request.query.get("labelSelector"))


@pytest.mark.complaint("kubespray #5508: a changed template restarts kubelets in parallel, without a health gate")
def test_never_more_than_max_unavailable_at_a_time_those_that_are_down_included(make_world: MakeWorld) -> None:
    world = make_world(12)
    world.nodes.set_ready("n05", False)
    target = world.publish(100)
    maximum = 0

    def adopt(name: str, _source: object) -> str:
        nonlocal maximum
        views = list_nodes(world.client, selector="pool=workers")
        # This node has not answered yet; the others, where they have something to answer, have not either.
        maximum = max(
            maximum, sum(1 for view in views if view.assigned.id != view.answered_id or view.ready is not True)
        )
        return GOOD

    world.nodes.behaviour = adopt
    results = world.rollout(target, maxUnavailable=3)
    assert results[-1].phase == "Complete"
    assert 2 <= maximum <= 3
    assert "broken" in [wave.name for wave in world.rollout_recorded().waves]
    assert world.nodes.view("n05").is_on(target.source), "the config may help it, and the lane gives it its time"


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_nodes_that_go_down_while_a_wave_moves_count_at_every_assignment(make_world: MakeWorld, limit: int) -> None:
    """Whatever goes down, a healthy node is assigned only while fewer than maxUnavailable are unavailable."""
    world = make_world(20)
    target = world.publish(100)
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=limit, **QUICK)
    world.move(made, "canary")
    doomed = list(made.wave("wave 1").nodes[-5:])
    at_assignment = []

    def adopt(name: str, _source: object) -> str:
        views = list_nodes(world.client, selector="pool=workers")
        down = {view.name for view in views if view.ready is not True}
        at_assignment.append(len(down | {view.name for view in views if view.assigned.id != view.answered_id}))
        # One node after the other goes down, before this one answers.
        if doomed:
            world.nodes.set_ready(doomed.pop(), False)
        return GOOD

    world.nodes.behaviour = adopt
    result = world.move(made, "wave 1")
    assert result.phase == "Paused"
    assert "nodes down for another reason" in result.reason
    # Those that were in flight when the last node went down are all that may be above the limit.
    assert max(at_assignment) <= limit + (limit - 1)
    down = sum(1 for number in range(20) if world.nodes.view(f"n{number:02d}").ready is not True)
    assert limit <= down <= limit + 1
    before = len(world.nodes.assignments)
    for number in range(20):
        world.nodes.set_ready(f"n{number:02d}", True)
    doomed.clear()
    again = world.rollout(target, maxUnavailable=limit)
    assert again[-1].phase == "Complete", again
    assert len(world.nodes.assignments) > before


def test_a_node_that_comes_back_lets_the_wave_continue(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=1)
    world.move(made, "canary")
    last = made.wave("wave 1").nodes[-1]

    def adopt(name: str, _source: object) -> str:
        if len(world.nodes.assignments) == 3:
            world.nodes.set_ready(last, False)
            world.later(30, lambda: world.nodes.set_ready(last, True))
        return GOOD

    world.nodes.behaviour = adopt
    assert world.move(made, "wave 1").phase == "Complete"


def test_while_the_nodes_cannot_be_watched_nothing_is_assigned_and_time_stands_still(make_world: MakeWorld) -> None:
    world = make_world(3)
    target = world.publish(100)
    policy = {**QUICK, "nodeTimeout": "120s"}
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=1, **policy)
    world.move(made, "canary")
    first = made.wave("wave 1").nodes[0]
    world.nodes.behaviour = lambda name, _source: SILENT if name == first else GOOD

    def away() -> None:
        # The runner's watch is not answered, for longer than a node has to answer.
        ends = world.clock.monotonic() + 130
        world.server.intercept = lambda request, _user, _perform: (
            world.server.refusal(503) if is_the_runners_watch(request) and world.clock.monotonic() < ends else None
        )
        world.server.end_watches()
        view = world.nodes.view(first)
        world.nodes.say(first, *status_of(view, target.source, GOOD)[-1])

    world.when(f"assigned {first}", away)
    assert world.move(made, "wave 1").phase == "Complete", "\n".join(world.lines())
    assert any("the nodes are watched again after" in line for line in world.lines())


def test_nothing_is_assigned_when_the_watch_is_lost_while_the_record_is_written(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(4)
    made = world.plan(world.publish(100))
    assigning = transitions.before_assigning
    ends: list[float] = []
    refused: list[str] = []
    blind: list[str] = []

    def intercept(request: Any, _user: object, _perform: object) -> Any:
        if ends and world.clock.monotonic() > ends[0]:
            return None
        if request.method == "PATCH" and "/nodes/" in request.path:
            blind.append(request.path)
        if not is_the_runners_watch(request):
            return None
        refused.append(request.path)
        return world.server.refusal(503)

    def lose_the_watch(*arguments: Any, **options: Any) -> Any:
        if not ends:
            world.server.intercept = intercept
            world.server.end_watches()
            world.until(lambda: len(refused) > 1)  # the watching thread has reported the first one by then
            ends.append(world.clock.monotonic() + 50)
        return assigning(*arguments, **options)

    monkeypatch.setattr(transitions, "before_assigning", lose_the_watch)
    assert world.move(made, "canary").phase == "Canary"
    assert blind == []


def test_nothing_is_assigned_when_nodes_go_down_while_the_record_is_written(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(8)
    made = world.plan(world.publish(100), maxUnavailable=2, **QUICK)
    assigning = transitions.before_assigning
    falling = set(made.wave("wave 2").nodes[:2])

    def slowly(*arguments: Any, **options: Any) -> Any:
        for name in falling:
            world.nodes.set_ready(name, False)
        world.clock.sleep(1)  # the watcher has seen it by then
        return assigning(*arguments, **options)

    monkeypatch.setattr(transitions, "before_assigning", slowly)
    result = world.move(made, "canary")
    assert (result.phase, world.nodes.assignments) == ("Paused", [])
    assert result.reason.startswith("nodes down for another reason: 2")
