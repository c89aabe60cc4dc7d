# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts over sockets, in real time and with threads that run at once: what virtual time leaves out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout import LockLost
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from support.rollouts.faulty_clients import WRITES
from support.rollouts.simulated_nodes import GOOD
from support.rollouts.world import World

QUICK: dict[str, Any] = {"canary": {"count": 2, "soak": "1s"}, "soak": "0s"}


@pytest.fixture
def make_world() -> Iterator[Callable[[int], World]]:
    """Return a function that makes a World of so many nodes over HTTP."""
    worlds: list[World] = []

    def make(count: int) -> World:
        worlds.append(World.start_over_http(count))
        return worlds[-1]

    yield make
    for world in worlds:
        world.stop()


def check_complete(world: World, target: Any, count: int) -> None:
    rollout = world.rollout_recorded()
    assert (rollout.phase, rollout.failed_nodes) == ("Complete", ())
    assert all(world.nodes.view(f"n{number:02d}").is_on(target.source) for number in range(count))
    assert len(world.nodes.assignments) == count, "no node was assigned twice"


def test_a_window_wider_than_the_threads_is_assigned_at_once(make_world: Callable[[int], World]) -> None:
    world = make_world(60)
    target = world.publish(100)
    assert world.rollout(target, waves=["100%"], maxUnavailable=50, **QUICK)[-1].phase == "Complete"
    check_complete(world, target, 60)


def test_an_api_server_that_is_away_for_a_moment_costs_nothing(make_world: Callable[[int], World]) -> None:
    world = make_world(6)
    target = world.publish(100)

    def adopt(name: str, _source: object) -> str:
        world.server.end_watches()
        world.server.drop_connections()
        return GOOD

    world.nodes.behaviour = adopt
    assert [result.phase for result in world.rollout(target, **QUICK)] == ["Canary", "Wave 1", "Complete"]
    check_complete(world, target, 6)


def test_an_api_server_that_restarts_costs_nothing(make_world: Callable[[int], World]) -> None:
    world = make_world(6)
    target = world.publish(100)

    def restart() -> None:
        world.server.stop()
        world.later(3.0, world.server.start)

    world.when("wave 1: assigned", restart)
    assert [result.phase for result in world.rollout(target, **QUICK)] == ["Canary", "Wave 1", "Complete"]
    check_complete(world, target, 6)


def test_a_runner_that_loses_its_lock_amid_a_window_assigns_nothing_more(make_world: Callable[[int], World]) -> None:
    world = make_world(60)
    made = world.plan(world.publish(100), canary={"count": 1, "soak": "0s"}, waves=["100%"], maxUnavailable=50)
    world.move(made, "canary")
    done = len(world.nodes.assignments)

    class Robbed:
        """A client whose process stalls at its first PATCH, long enough for another runner to take the pool."""

        def __init__(self) -> None:
            self.patched = 0
            self._lock = threading.Lock()
            self._goes_on = threading.Event()
            self._goes_on.set()

        def __getattr__(self, name: str) -> Any:
            method = getattr(world.client, name)
            if name not in WRITES:
                return method

            def call(*args: Any, **kwargs: Any) -> Any:
                is_first = False
                if name == "patch":
                    with self._lock:
                        self.patched += 1
                        is_first = self.patched == 1
                if is_first:
                    self._goes_on.clear()
                    world.clock.sleep(0.5)  # the other threads have come to their PATCH by then
                    thief = PoolLock(world.client, "workers", "thief", clock=world.clock, duration=1.0)
                    thief.acquire(lambda _line: None)
                    self._goes_on.set()
                assert self._goes_on.wait(60)
                return method(*args, **kwargs)

            return call

    robbed = Robbed()
    with pytest.raises(LockLost, match="thief has its lock now"):
        world.move(made, "wave 1", client=robbed)
    # Those that the threads were writing already are all that is assigned.
    assert len(world.nodes.assignments) - done <= 32
    assert robbed.patched <= 32
