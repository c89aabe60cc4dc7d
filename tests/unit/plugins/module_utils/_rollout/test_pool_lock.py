# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock: one runner at a time, measured by this machine's clock only."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden, Unreachable
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import lease
from ansible_collections.configok.node.plugins.module_utils._rollout import LockLost, PoolLocked, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock, current_holder
from support.rollouts.virtual_clock import VirtualClock
from support.rollouts.world import MakeWorld, World

PATH = lease("configok-rollouts", "workers")


def keep(world: World, lock: PoolLock) -> threading.Event:
    """Renew a lock in a thread of its own, as a runner does. Return the event that ends the thread."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            lock.renew_if_due()
            world.clock.wait(stop, 1.0)

    world.clock.start(run, "runner")
    return stop


def locks(world: World, *names: str) -> list[PoolLock]:
    return [PoolLock(world.client, "workers", name, clock=world.clock) for name in names]


def test_a_second_runner_stops_with_a_message_that_names_the_first(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    lines: list[str] = []
    first, second = locks(world, "alice@a", "bob@b")
    first.acquire(lines.append)
    assert lines == []
    keep(world, first)
    with pytest.raises(PoolLocked, match="pool workers is being moved by alice@a, since 2026-01-01T00:01:40"):
        second.acquire(lines.append)
    assert "locked by alice@a: waiting 15s" in lines[0]


def test_the_lease_of_a_killed_runner_is_waited_for_and_taken(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    lines: list[str] = []
    first, second = locks(world, "alice@a", "bob@b")
    first.acquire(lines.append)
    second.acquire(lines.append)
    assert world.clock.monotonic() >= 115.0
    assert "alice@a has ended without a word" in lines[-1]
    spec = world.client.get(PATH)["spec"]
    assert (spec["holderIdentity"], spec["leaseTransitions"], spec["leaseDurationSeconds"]) == ("bob@b", 2, 15)


def test_a_lease_that_claims_to_hold_for_years_is_waited_for_five_minutes(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    lines: list[str] = []
    first, second = locks(world, "alice@a", "bob@b")
    first.acquire(lines.append)
    held = world.client.get(PATH)
    world.client.replace(PATH, {**held, "spec": {**held["spec"], "leaseDurationSeconds": 2**31 - 1}})
    assert current_holder(world.client, "workers", world.clock) == ""
    second.acquire(lines.append)
    assert "waiting 300s" in lines[0]
    assert world.clock.monotonic() <= 100.0 + 2 * 300.0 + 1.0


def test_a_lease_is_renewed_three_times_within_its_duration_and_not_more_often(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    lock = locks(world, "alice@a")[0]
    lock.acquire(lambda _line: None)
    world.server.requests.clear()
    for _second in range(15):
        world.clock.sleep(1)
        assert lock.renew_if_due() is False
    assert world.server.requests.count(verb="update", resource="leases") == 3


def test_a_lock_that_was_given_up_is_free_at_once(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    lines: list[str] = []
    first, second = locks(world, "alice@a", "bob@b")
    first.acquire(lines.append)
    first.release()
    first.release()
    second.acquire(lines.append)
    assert (world.clock.monotonic(), lines) == (100.0, [])
    with pytest.raises(LockLost, match="not locked by this run"):
        first.renew_if_due()


def test_a_stalled_runner_continues_unless_another_has_taken_over(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    first, second = locks(world, "alice@a", "bob@b")
    first.acquire(lambda _line: None)
    assert first.renew_if_due() is False
    world.clock.sleep(6)
    assert first.renew_if_due() is False
    world.clock.sleep(15)
    assert first.renew_if_due() is True, "it must read the record again"
    world.clock.sleep(15)
    second.acquire(lambda _line: None)
    with pytest.raises(LockLost, match="stalled for more than 15s, and pool workers was taken over: bob@b"):
        first.renew_if_due()


def test_a_renewal_whose_answer_was_lost_does_not_lose_the_lock(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)

    class Lossy:
        lose = False

        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def replace(self, path: str, body: dict[str, Any]) -> Any:
            answer = world.client.replace(path, body)
            if self.lose:
                self.lose = False
                return world.client.replace(path, body)  # what the client's own retry does
            return answer

    client: Any = Lossy()
    lock = PoolLock(client, "workers", "alice@a", clock=world.clock)
    lock.acquire(lambda _line: None)
    world.clock.sleep(6)
    client.lose = True
    assert lock.renew_if_due() is False


def test_releasing_without_an_api_server_is_not_an_error(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)

    class Away:
        away = False

        def __getattr__(self, name: str) -> Any:
            if self.away:
                raise Unreachable("gone")
            return getattr(world.client, name)

    client: Any = Away()
    lock = PoolLock(client, "workers", "alice@a", clock=world.clock)
    lock.acquire(lambda _line: None)
    client.away = True
    lock.release()


def test_without_the_namespace_it_says_what_to_do(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    world.client.delete("/api/v1/namespaces/configok-rollouts")
    with pytest.raises(RolloutError, match="prepare the cluster with the role configok"):
        locks(world, "alice@a")[0].acquire(lambda _line: None)


def test_the_holder_of_a_pool_is_detected_by_renewals_and_not_by_the_name_in_the_lease(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    assert current_holder(world.client, "workers", world.clock) == ""
    first = locks(world, "alice@a")[0]
    first.acquire(lambda _line: None)
    stop = keep(world, first)
    assert current_holder(world.client, "workers", world.clock) == "alice@a"
    stop.set()
    began = world.clock.monotonic()
    assert current_holder(world.client, "workers", world.clock) == "", "it is dead"
    assert world.clock.monotonic() - began >= 15.0
    first.release()
    began = world.clock.monotonic()
    assert current_holder(world.client, "workers", world.clock) == ""
    assert world.clock.monotonic() == began


def test_a_user_who_may_not_read_leases_learns_nothing_false(make_world: MakeWorld) -> None:
    class Viewer:
        def find(self, path: str) -> Any:
            raise Forbidden("you may not", where=path, status=403)

    viewer: Any = Viewer()
    assert current_holder(viewer, "workers", VirtualClock()) is None


def test_a_lease_whose_last_renewal_was_not_answered_is_given_up_all_the_same(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    lock = locks(world, "alice@a")[0]
    lock.acquire(lambda _line: None)
    stored = world.client.get(PATH)
    world.client.replace(PATH, {**stored, "spec": {**stored["spec"], "renewTime": "2026-01-01T00:02:00.000000Z"}})
    lock.release()
    assert world.client.get(PATH)["spec"].get("holderIdentity", "") == ""


def test_a_lease_that_another_runner_has_taken_is_left_alone_on_release(make_world: MakeWorld) -> None:
    world = make_world(0, latency=0.0)
    first, second = locks(world, "alice@a", "bob@b")
    first.acquire(lambda _line: None)
    second.acquire(lambda _line: None)
    first.release()
    assert world.client.get(PATH)["spec"]["holderIdentity"] == "bob@b"
