# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch of a pool's record brings requests within seconds, also after an interruption, and says when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._record._control import Control
from ansible_collections.configok.node.plugins.module_utils._rollout._record._control_watcher import ControlWatcher
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from support.rollouts.world import MakeWorld, World

PAUSE = Control("pause", "alice", "wait")
OBEYED_WITHIN = 5.0  # seconds; the runner itself takes no longer than that in all


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    """A cluster with a record of the pool."""
    made = make_world(1)
    update_record(made.client, "workers", lambda record: record.with_bad_config(made.publish(50), "broken", "10:00"))
    return made


class Wakes(list[float]):
    """The times of the calls of wake()."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def __call__(self) -> None:
        self.append(self._world.clock.monotonic())


def request(world: World, control: Control, pool: str = "workers") -> None:
    update_record(world.client, pool, lambda record: replace(record, control=control))


def test_a_request_arrives_at_once_and_wakes(world: World) -> None:
    wakes = Wakes(world)
    with ControlWatcher(world.client, "workers", world.clock, wakes) as watcher:
        world.clock.sleep(60.0)
        assert (watcher.control, watcher.error, wakes) == (Control(), None, [])
        request(world, PAUSE)
        requested = world.clock.monotonic()
        world.until(lambda: watcher.control == PAUSE, OBEYED_WITHIN)
        assert world.clock.monotonic() - requested <= 1.0
        assert len(wakes) == 1
        request(world, replace(PAUSE, request=""))
        world.until(lambda: not watcher.control.is_pause, OBEYED_WITHIN)


def test_only_this_pools_requests_wake_and_writes_of_the_runner_do_not(world: World) -> None:
    wakes = Wakes(world)
    with ControlWatcher(world.client, "workers", world.clock, wakes) as watcher:
        world.clock.sleep(5.0)
        request(world, PAUSE, pool="other")
        update_record(world.client, "workers", lambda record: record.with_result(1, "Complete"))
        world.clock.sleep(5.0)
        assert watcher.control == Control()
        assert wakes == []


def test_what_the_caller_has_read_counts_until_the_record_is_listed(world: World) -> None:
    assert ControlWatcher(world.client, "workers", world.clock, print, control=PAUSE).control == PAUSE


def test_a_record_that_is_deleted_requests_nothing(world: World) -> None:
    request(world, PAUSE)
    with ControlWatcher(world.client, "workers", world.clock, print) as watcher:
        world.until(lambda: watcher.control == PAUSE)
        world.client.delete(config_map("configok-rollouts", "workers"))
        world.until(lambda: watcher.control == Control(), OBEYED_WITHIN)


class Limited:
    """A client whose streams fail as the test says."""

    def __init__(self, client: Any, fault: Callable[[], Exception | None]) -> None:
        self._client, self._fault = client, fault

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def interruptible(self, interrupt: Any) -> Limited:
        return Limited(self._client.interruptible(interrupt), self._fault)

    def stream(self, path: str, **options: Any) -> Any:
        fault = self._fault()
        if fault is not None:
            raise fault
        return self._client.stream(path, **options)


def test_a_runner_that_may_not_watch_lists_the_record_every_few_seconds_and_says_so(world: World) -> None:
    faults: list[Exception | None] = [Forbidden("watch is not allowed", where="WATCH configmaps", status=403)]
    client: Any = Limited(world.client, lambda: faults[0])
    wakes = Wakes(world)
    with ControlWatcher(client, "workers", world.clock, wakes) as watcher:
        world.clock.sleep(60.0)
        assert isinstance(watcher.error, Forbidden)
        assert len(wakes) == 1, "the same error is no news"
        request(world, PAUSE)
        requested = world.clock.monotonic()
        world.until(lambda: watcher.control == PAUSE, OBEYED_WITHIN)
        assert world.clock.monotonic() - requested <= OBEYED_WITHIN
        faults[0] = None
        world.until(lambda: watcher.error is None, OBEYED_WITHIN)


def test_a_fault_of_the_watcher_itself_is_reported(world: World) -> None:
    client: Any = Limited(world.client, lambda: ValueError("a mistake"))
    with ControlWatcher(client, "workers", world.clock, print) as watcher:
        world.until(lambda: watcher.error is not None)
        assert isinstance(watcher.error, RolloutError)
        assert "no longer seen: a mistake" in str(watcher.error)
