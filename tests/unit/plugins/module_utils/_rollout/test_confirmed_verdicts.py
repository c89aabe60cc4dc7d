# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A verdict has the age of its data: a node passes only if its agent confirms the assignment after the soak."""

from __future__ import annotations

import pytest

from support.rollouts.world import MakeWorld, World

SOAK = {"canary": {"count": 1, "soak": "100s"}}


def test_a_node_whose_agent_freezes_in_its_soak_does_not_pass(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    (canary,) = world.plan(target, **SOAK).wave("canary").nodes
    soaking: list[float] = []

    def freeze() -> None:
        world.nodes.frozen.add(canary)
        soaking.append(world.clock.monotonic())

    world.when("ConfigOK, soaking", freeze)
    last = world.rollout(target, **SOAK)[-1]
    assert last.phase == "Paused"
    assert [(failed.node, failed.kind) for failed in last.failed_nodes] == [(canary, "unknown")]
    assert "its agent has not confirmed this within 40s of the soak" in last.reason
    assert 140 <= world.clock.monotonic() - soaking[0] < 145
    assert [name for name, _id, _source in world.nodes.assignments] == [canary]


def test_an_agent_that_confirms_late_passes_all_the_same(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    (canary,) = world.plan(target, **SOAK).wave("canary").nodes
    world.nodes.frozen.add(canary)
    world.when("ConfigOK, soaking", lambda: world.later(135.0, lambda: world.confirm(canary)))
    assert world.rollout(target, **SOAK)[-1].phase == "Complete"


def test_a_run_that_follows_asks_for_no_second_soak(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    (canary,) = world.plan(target, **SOAK).wave("canary").nodes
    world.nodes.frozen.add(canary)
    assert world.rollout(target, **SOAK)[-1].phase == "Paused"
    world.confirm(canary)
    began = world.clock.monotonic()
    assert world.move(world.plan(target, **SOAK), "canary").phase == "Canary"
    assert world.clock.monotonic() - began < 120
    assert [name for name, _id, _source in world.nodes.assignments] == [canary], "it was not assigned again"


@pytest.mark.parametrize("soak", ["0s", "7s"])
def test_the_assignment_carries_the_soak_in_seconds(make_world: MakeWorld, soak: str) -> None:
    world = make_world(3)
    target = world.publish(100)
    assert world.rollout(target, canary={"count": 1, "soak": "5s"}, soak=soak)[-1].phase == "Complete"
    asked = sorted((world.nodes.view(f"n{number:02d}").assigned.confirm_after or 0.0) for number in range(3))
    assert asked == sorted([5.0, float(soak[:-1]), float(soak[:-1])])


def test_a_node_that_uses_the_config_already_is_asked_to_confirm_it(make_world: MakeWorld) -> None:
    """Whatever its agent said last: it may be frozen since."""
    world = make_world(4)
    target = world.publish(100)
    made = world.plan(target, **SOAK)
    (canary,) = made.wave("canary").nodes
    world.assign(canary, target.source)
    before = world.nodes.view(canary)
    assert world.move(made, "canary").phase == "Canary"
    after = world.nodes.view(canary)
    assert (after.assigned.id, after.confirmed_id) == (before.assigned.id + 1, before.assigned.id + 1)


def test_an_agent_that_cannot_confirm_is_too_old(make_world: MakeWorld) -> None:
    world = make_world(3)
    make_too_old(world, "n01")
    (left_out,) = world.plan(world.publish(100)).unmoved.skipped
    assert (left_out.node, left_out.reason) == (
        "n01",
        "its agent 0.1.0 is too old: it cannot confirm the end of a soak",
    )


def make_too_old(world: World, name: str) -> None:
    view = world.nodes.view(name)
    assert view.answer.status is not None
    world.nodes.report(view, view.answer.status._replace(confirmed=None))
