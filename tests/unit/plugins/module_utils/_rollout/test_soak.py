# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The soak of an interrupted wave continues where it stopped."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout import Interrupted
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from support.rollouts.faulty_clients import Killed
from support.rollouts.world import MakeWorld


def test_a_soak_that_is_interrupted_early_is_recorded(make_world: MakeWorld) -> None:
    world = make_world(6)
    made = world.plan(world.publish(100), canary={"count": 2, "soak": "300s"})
    began: list[float] = []
    world.when("ConfigOK, soaking", lambda: began.append(world.clock.monotonic()))
    renew = PoolLock.renew_if_due

    def interrupted(lock: PoolLock) -> bool:
        if began and world.clock.monotonic() - began[0] > 15:
            began.clear()  # the user presses Ctrl-C once
            raise KeyboardInterrupt
        return renew(lock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PoolLock, "renew_if_due", interrupted)
        with pytest.raises(Interrupted):
            world.move(made, "canary")
    rollout = world.record().rollout
    assert rollout is not None
    assert [rollout.present_wave.soaked_seconds[name] for name in made.wave("canary").nodes] == [16, 16]


@pytest.mark.parametrize("how", ["interrupted", "killed"])
def test_the_soak_of_a_resumed_wave_continues_where_it_was(make_world: MakeWorld, how: str) -> None:
    world = make_world(6)
    target = world.publish(100)
    policy = {"canary": {"count": 2, "soak": "300s"}}
    made = world.plan(target, **policy)
    began: list[float] = []

    def stop_in_time() -> None:
        began.append(world.clock.monotonic())

    world.when("ConfigOK, soaking", stop_in_time)
    renew = PoolLock.renew_if_due

    def interrupted(lock: PoolLock) -> bool:
        if began and world.clock.monotonic() - began[0] > 200:
            began.clear()  # it is interrupted once
            raise KeyboardInterrupt if how == "interrupted" else Killed
        return renew(lock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PoolLock, "renew_if_due", interrupted)
        with pytest.raises(Interrupted if how == "interrupted" else Killed):
            world.move(made, "canary")
    rollout = world.record().rollout
    assert rollout is not None
    (soaked,) = {rollout.present_wave.soaked_seconds[name] for name in made.wave("canary").nodes}
    if how == "interrupted":
        assert soaked == 201
    else:  # it is recorded every 30 seconds
        assert 201 - 31 <= soaked <= 201
    resumed = world.clock.monotonic()
    assert world.move(world.plan(target, **policy), "canary").phase == "Canary"
    assert 300 - soaked <= world.clock.monotonic() - resumed < 300 - soaked + 5
    assert len(world.nodes.assignments) == 2
    rollout = world.record().rollout
    assert rollout is not None
    assert rollout.present_wave.soaked_seconds == {}
