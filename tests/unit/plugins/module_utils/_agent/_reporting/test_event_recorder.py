# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events: each is recorded once, delays nothing, and is rate-limited."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._reporting._event_recorder import (
    BURST,
    INTERVAL,
    MAX_QUEUED,
    EventRecorder,
    NodeEvent,
    event_body,
)
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    KubeError,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from support.agents.bench import Bench, FakeClock
from support.agents.context import new_context
from support.agents.log_lines import record_log

EVENT = NodeEvent("ConfigRefused", "no", True, "2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z", 2)


class World:
    """An API that keeps the events it receives, or fails with ``error``."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.bodies: list[dict[str, Any]] = []
        self.attempts = 0
        self.error: KubeError | None = None
        self.log = record_log([])
        self.events = EventRecorder(new_context(self, self.clock))

    def create(self, path: str, body: dict[str, Any]) -> None:
        assert path == "/api/v1/namespaces/default/events"
        self.attempts += 1
        if self.error is not None:
            raise self.error
        self.bodies.append(body)


def test_the_event_names_the_node_as_kubectl_looks_for_it() -> None:
    body = event_body("n1", EVENT)
    assert body["involvedObject"] == {"kind": "Node", "name": "n1", "uid": "n1", "apiVersion": "v1"}
    assert (body["reason"], body["type"], body["message"], body["count"]) == ("ConfigRefused", "Warning", "no", 2)
    assert (body["firstTimestamp"], body["lastTimestamp"]) == (EVENT.first, EVENT.last)
    assert event_body("n1", EVENT._replace(warning=False))["type"] == "Normal"


def test_one_happening_has_one_name_and_another_has_another() -> None:
    name = event_body("n1", EVENT)["metadata"]["name"]
    assert event_body("n1", EVENT._replace(last="later", times=3))["metadata"]["name"] == name
    variants = [EVENT._replace(first="later"), EVENT._replace(message="x"), EVENT._replace(reason="ConfigAdopted")]
    assert len({name, *(event_body("n1", variant)["metadata"]["name"] for variant in variants)}) == 4
    longest = event_body("n" * 252 + "1", EVENT)["metadata"]["name"]
    assert len(longest) <= 253


def test_a_recorded_event_is_sent_when_the_recorder_advances() -> None:
    world = World()
    assert world.events.next_due == float("inf")
    world.events.record("ConfigAdopted", "adopted\n pool")
    assert (world.bodies, world.events.next_due <= world.clock.seconds) == ([], True)
    world.events.advance()
    assert [body["message"] for body in world.bodies] == ["adopted pool"]
    assert world.events.next_due == float("inf")


@pytest.mark.parametrize(
    "error",
    [
        AlreadyExists("there", status=409),
        Conflict("no", status=409),
        Forbidden("no", status=403),
        KubeError("gone", status=404),
        KubeError("what?", status=422),
    ],
)
def test_an_answer_that_will_not_change_ends_it(error: KubeError) -> None:
    world = World()
    world.error = error
    world.events.record("ConfigAdopted", "adopted pool")
    world.events.advance()
    assert (world.attempts, world.events.next_due) == (1, float("inf"))
    assert len(world.log) == (0 if isinstance(error, AlreadyExists) else 1)


@pytest.mark.parametrize(
    "error",
    [
        Unreachable("away"),
        ServerError("no", status=500),
        TooManyRequests("slow", status=429),
        Unauthorized("who?", status=401),
    ],
)
def test_what_may_work_later_waits_and_keeps_its_time(error: KubeError) -> None:
    world = World()
    world.error = error
    world.events.record("ConfigAdopted", "adopted pool")
    for _attempt in range(5):
        world.events.advance()
        world.events.advance()  # not due
        world.clock.advance(world.events.next_due - world.clock.seconds)
    assert world.attempts == 5
    world.error = None
    world.events.advance()
    assert [body["firstTimestamp"] for body in world.bodies] == ["2026-01-01T00:00:00Z"]
    assert world.clock.passed > 20  # with growing pauses


def test_the_same_again_is_counted_while_it_waits() -> None:
    world = World()
    world.events.record("ConfigRefused", "no", warning=True)
    world.clock.advance(5)
    world.events.record("ConfigRefused", "no", warning=True)
    world.events.advance()
    [body] = world.bodies
    assert (body["count"], body["lastTimestamp"]) == (2, "2026-01-01T00:00:05Z")


def test_neither_what_waits_nor_what_is_sent_grows_without_bound() -> None:
    world = World()
    world.error = Unreachable("away")
    for number in range(100):
        world.events.record("ConfigRefused", f"no {number}")
    world.error = None
    world.events.advance()
    assert [body["message"] for body in world.bodies] == [f"no {number}" for number in range(100 - MAX_QUEUED, 100)]
    for number in range(BURST):
        world.events.record("ConfigRefused", f"more {number}")
    world.events.advance()
    assert len(world.bodies) == MAX_QUEUED
    for _pause in range(5):
        world.clock.advance(world.events.next_due - world.clock.seconds)
        world.events.advance()
    assert len(world.bodies) == MAX_QUEUED + 5
    assert world.clock.passed == pytest.approx(5 * INTERVAL)


@pytest.mark.contract("manners.events")
def test_what_waits_is_sent_within_a_minute() -> None:
    """It does not matter how many events were recorded before."""
    world = World()
    for number in range(BURST):
        world.events.record("ConfigAdopted", f"adopted {number}")
        world.events.advance()
    for number in range(MAX_QUEUED):
        world.events.record("ConfigRefused", f"no {number}", warning=True)
    while world.events.next_due < float("inf"):
        world.clock.advance(max(0.0, world.events.next_due - world.clock.seconds))
        world.events.advance()
    assert len(world.bodies) == BURST + MAX_QUEUED
    assert world.clock.passed <= 60.0


def test_the_status_is_written_and_the_component_restarted_before_an_event_is_sent(tmp_path: Any) -> None:
    bench = Bench(tmp_path)
    bench.run(1)
    bench.assign(bench.publish("maxPods: 120\n"))
    restarted: list[list[str]] = []
    create = bench.api.create
    bench.api.create = lambda path, body: restarted.append(list(bench.restarts)) or create(path, body)  # type: ignore[method-assign,func-returns-value]
    bench.run(10)
    assert restarted == [["kubelet"]]
    requests = [request.split()[0] for request in bench.api.requests]
    assert requests.index("PATCH") < requests.index("POST")


def test_a_node_that_may_not_create_events_still_adopts_configs(tmp_path: Any) -> None:
    bench = Bench(tmp_path)

    def forbidden(path: str, body: dict[str, Any]) -> None:
        raise Forbidden("no events for you", status=403)

    bench.api.create = forbidden  # type: ignore[method-assign,assignment]
    source = bench.good_node()
    assert (bench.status.active, bench.condition["status"]) == (source, "True")


def test_adopting_the_local_config_creates_an_event_too(tmp_path: Any) -> None:
    bench = Bench(tmp_path)
    bench.good_node()
    bench.assign(None)
    bench.run(10)
    assert bench.api.event_reasons == ["ConfigAdopted", "ConfigAdopted"]
