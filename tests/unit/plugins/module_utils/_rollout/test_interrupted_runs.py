# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C, a kill at any write, and a lost lock leave a record from which the next run continues."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import lease
from ansible_collections.configok.node.plugins.module_utils._rollout import Interrupted, LockLost
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import RecordStore
from ansible_collections.configok.node.plugins.module_utils._rollout._run._wave_threads import MAX_ASSIGNMENTS
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from support.rollouts.faulty_clients import Dying, Killed
from support.rollouts.simulated_nodes import GOOD
from support.rollouts.virtual_clock import VirtualClock
from support.rollouts.world import MakeWorld

FIRST_MOMENTS = 60  # each of them: the lock is taken, and the record is begun
STRIDE = 13  # from then on


def test_ctrl_c_while_a_pool_settles_ends_with_a_message(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(2)
    target = world.publish(100)
    assign_nodes(world.client, target.source, names=["n00", "n01"])
    world.until(lambda: all(world.nodes.view(name).is_on(target.source) for name in ("n00", "n01")))

    def press(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    made = world.plan(target)
    monkeypatch.setattr(RecordStore, "update", press)
    with pytest.raises(Interrupted, match=r"interrupted in pool workers: .*run it again to continue"):
        world.complete(made)
    assert world.client.get(lease("configok-rollouts", "workers"))["spec"]["holderIdentity"] == ""


def test_a_runner_that_loses_its_lock_amid_a_window_assigns_nothing_more(make_world: MakeWorld) -> None:
    world = make_world(60)
    target = world.publish(100)
    made = world.plan(target, canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=50)
    world.move(made, "canary")
    done = len(world.nodes.assignments)

    class Robbed:
        """A client whose process stalls at its first PATCH, long enough for another runner to take the pool."""

        def __init__(self) -> None:
            self.patched = 0
            self.stalls = False

        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)

            def call(*args: Any, **kwargs: Any) -> Any:
                while self.stalls:
                    world.clock.sleep(1.0)
                if name == "patch":
                    self.patched += 1
                    if self.patched == 1:
                        self.stalls = True
                        PoolLock(world.client, "workers", "thief", clock=world.clock, duration=5.0).acquire(
                            lambda _line: None
                        )
                        self.stalls = False
                return method(*args, **kwargs)

            return call if callable(method) else method

    robbed = Robbed()
    with pytest.raises(LockLost, match="thief has its lock now"):
        world.move(made, "wave 1", client=robbed)
    # Those that the threads were writing already are all that is assigned.
    world.clock.sleep(200)
    assert len(world.nodes.assignments) - done == robbed.patched <= MAX_ASSIGNMENTS


def test_ctrl_c_leaves_a_record_that_can_be_resumed_and_frees_the_lock(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    made = world.plan(target)

    def interrupt(name: str, _source: object) -> str:
        return GOOD

    world.nodes.behaviour = interrupt

    class Pressed:
        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)

            def patch(*args: Any, **kwargs: Any) -> Any:
                raise KeyboardInterrupt

            return patch if name == "patch" else method

    with pytest.raises(Interrupted, match="run it again to continue"):
        world.move(made, "canary", client=Pressed())
    assert world.client.get(lease("configok-rollouts", "workers"))["spec"]["holderIdentity"] == ""
    assert world.rollout(target)[-1].phase == "Complete"


@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
def test_killed_at_any_write_and_run_again_it_finishes(make_world: MakeWorld, after: bool) -> None:
    at = 0
    while True:
        at += 1
        world = make_world(5)
        target = world.publish(100)
        dying = Dying(world.client, at, after=after)
        with contextlib.suppress(Killed):
            world.rollout(target, client=dying)
        if not dying.dead:
            break
        world.rollout(target)
        rollout = world.rollout_recorded()
        assert (at, rollout.phase, rollout.failed_nodes) == (at, "Complete", ())
        assert all(world.nodes.view(f"n{number:02d}").is_on(target.source) for number in range(5))
        assert len(world.nodes.assignments) == 5, "no node was assigned twice"
        assert not world.plan(target).has_work
    assert at > 20, "the rollout has at least so many writes"


def test_ctrl_c_at_any_moment_frees_the_lock_and_leaves_a_whole_record(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_until, runner = VirtualClock.wait_until, threading.main_thread()
    at = 0
    while True:
        at += 1 if at < FIRST_MOMENTS else STRIDE
        world = make_world(4)
        target = world.publish(100)
        made = world.plan(target)
        moments = 0

        def pressed(clock: VirtualClock, *arguments: Any, **options: Any) -> bool:
            nonlocal moments
            if threading.current_thread() is runner:
                moments += 1
                if moments == at:  # noqa: B023 - of this round
                    raise KeyboardInterrupt
            return wait_until(clock, *arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(VirtualClock, "wait_until", pressed)
            with contextlib.suppress(Interrupted), world.runner() as pool_runner:
                pool_runner.run(made)
        present = world.client.find(lease("configok-rollouts", "workers")) or {"spec": {"holderIdentity": ""}}
        assert (at, present["spec"]["holderIdentity"]) == (at, "")
        world.record()
        if moments < at:
            break
        world.rollout(target)
        rollout = world.rollout_recorded()
        assert (at, rollout.phase, rollout.failed_nodes) == (at, "Complete", ())
        assert len(world.nodes.assignments) == 4, "no node was assigned twice"
        assert not any("waiting" in line for line in world.lines()), "the next run did not wait for the lock"
    assert at > 100, "a run has at least so many moments"
