# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""onFailure=rollback moves the other nodes back, also after a run that was killed."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutRefused
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.transitions import start_rollback
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    Record,
    Rollout,
    RolloutStart,
)
from support.rollouts.faulty_clients import Dying, Killed
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT, status_of
from support.rollouts.views import a_target, a_view
from support.rollouts.world import MakeWorld


def test_on_failure_rollback_takes_the_others_back_to_what_they_had(make_world: MakeWorld) -> None:
    world = make_world(12)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    made = world.plan(second)
    doomed = set(made.wave("wave 1").nodes[:2])
    world.nodes.behaviour = lambda name, source: CRASHES if name in doomed and source == second.source else GOOD
    results = world.rollout(second, onFailure="rollback")
    assert results[-1].phase == "Halted"
    assert "taken back" in results[-1].reason
    for number in range(12):
        view = world.nodes.view(f"n{number:02d}")
        assert view.name in doomed or view.is_on(first.source), view.report
    rollout = world.record().rollout
    assert rollout is not None
    assert not rollout.is_rolling_back


def test_a_node_whose_false_answers_another_assignment_is_taken_back() -> None:
    target = a_target(2)
    views = [
        a_view("good", source=target.source, assigned_id=2),
        a_view("refused the last", source=target.source, assigned_id=2, answered_id=1, active=None, config_ok="False"),
        a_view("refused this", source=target.source, assigned_id=2, active=None, config_ok="False"),
    ]
    before = dict.fromkeys([view.name for view in views], None)
    record = Record(
        "workers", rollout=Rollout(1, target, "Halted", (), 3, "now", "now", RolloutStart(previous_sources=before))
    )
    rollout = start_rollback(record, views, runner="me", now="now").rollout
    assert rollout is not None
    assert rollout.rolling_back == ("good", "refused the last")


@pytest.mark.parametrize("at", range(1, 21))
def test_the_run_after_a_killed_rollback_rolls_back_the_remaining_nodes(make_world: MakeWorld, at: int) -> None:
    world = make_world(6)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    doomed = set(world.plan(second).wave("wave 2").nodes[:2])
    world.nodes.behaviour = lambda name, source: CRASHES if name in doomed and source == second.source else GOOD
    made = world.plan(second)
    for wave in made.waves[:-1]:
        world.move(made, wave.name)
    dying = Dying(world.client, at, after=False)
    with contextlib.suppress(Killed):
        world.rollout(second, client=dying, onFailure="rollback")
    assert dying.dead, "the wave and the rollback have twenty writes"
    if not world.rollout_recorded().has_ended:
        world.publish(200)  # the playbook publishes first; the config is bad now, but its rollout is not over
        assert [result.phase for result in world.rollout(second, onFailure="rollback")][-1] == "Halted"
    for number in range(6):
        view = world.nodes.view(f"n{number:02d}")
        assert view.name in doomed or view.is_on(first.source), view.report
    with pytest.raises(RolloutRefused, match="is refused"):
        world.publish(200)


def test_a_run_after_a_kill_waits_for_nodes_that_were_being_taken_back_and_counts_all_of_them(
    make_world: MakeWorld,
) -> None:
    world = make_world(6)
    first = world.publish(100)
    world.rollout(first)
    second = world.publish(200)
    policy: dict[str, Any] = {"onFailure": "rollback", "nodeTimeout": "60m"}
    made = world.plan(second, **policy)
    first_doomed, _other, last_doomed = made.wave("wave 2").nodes
    doomed = {first_doomed, last_doomed}
    mute: set[str] = set()

    def behave(name: str, source: object) -> str:
        if name in doomed and source == second.source:
            return CRASHES
        if source == first.source and not mute:
            mute.add(name)
        return SILENT if name in mute and source == first.source else GOOD

    world.nodes.behaviour = behave
    for wave in made.waves[:-1]:
        world.move(made, wave.name)

    class DyingOnTheWayBack(Dying):
        """A client whose process is killed right after it has taken the first node back."""

        def __getattr__(self, name: str) -> Any:
            method = super().__getattr__(name)

            def patch(path: str, body: Any, **options: Any) -> Any:
                answer = method(path, body, **options)
                if first.uid in str(body):
                    self.dead = True
                return answer

            return patch if name == "patch" else method

    with pytest.raises(Killed):
        world.move(made, "wave 2", client=DyingOnTheWayBack(world.client, 0, after=True))
    world.until(lambda: bool(mute))
    (silent,) = mute
    result = world.move(world.plan(second, **{**policy, "nodeTimeout": "210s"}), "wave 2")
    assert result.phase == "Halted"
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.is_rolling_back, f"{silent} has not said that it is back"
    world.nodes.say(silent, *status_of(world.nodes.view(silent), first.source, GOOD)[-1])
    result = world.move(made, "wave 2")
    assert result.reason.endswith("; 4 nodes were taken back")
    assert not world.rollout_recorded().is_rolling_back
    backs = [name for name, _id, source in world.nodes.assignments if source == first.source]
    assert backs.count(silent) == 2, "on the first rollout, and once on the way back"
