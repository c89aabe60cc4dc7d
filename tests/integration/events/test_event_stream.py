# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The events of a cluster, over ends of watches, 410, 429 and a restart of the API server."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import (
    config_maps,
    node,
    node_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import LABEL_POOL, NAMESPACE_ROLLOUTS
from ansible_collections.configok.node.plugins.module_utils._operations._events.event_stream import (
    Event,
    EventSettings,
    EventStream,
)
from support.ansible_runs.rulebooks import ROOT
from support.api.clusters import prepare
from support.api.fleet_by_hand import FleetByHand
from support.api.servers import ApiServer, Embedded, Real, start_real
from support.documentation import blocks
from support.session.patience import LONGEST_WAIT, wait_until

QUICK = EventSettings(quiet=0.2, longest=1.0)
NOW = "2026-01-01T00:00:00Z"
PAGE = ROOT / "docs/events.md"
RBAC_GROUP = "/apis/rbac.authorization.k8s.io/v1"
A_WHILE = 1.5  # seconds in which an event that should not come would come


class Taken:
    """The events of a stream, as they come."""

    def __init__(self, stream: EventStream, pool: str) -> None:
        self._stream = stream
        self._pool = pool

    def until(self, *kinds: str) -> list[dict[str, Any]]:
        """Return the next events, which must be of these kinds, in any order, and no other comes for a while."""
        events: list[dict[str, Any]] = []
        deadline = time.monotonic() + LONGEST_WAIT
        while len(events) < len(kinds) and time.monotonic() < deadline:
            events += self._mine(self._stream.take(0.2))
        quiet = time.monotonic() + A_WHILE
        while time.monotonic() < quiet:
            events += self._mine(self._stream.take(0.2))
        assert sorted(event["kind"] for event in events) == sorted(kinds), events
        return events

    def _mine(self, events: list[Event]) -> Iterator[dict[str, Any]]:
        """Other tests have pools of their own in the same fleet."""
        for event in events:
            fields = event.to_dict()
            if self._pool in (fields.get("pool"), *fields.get("pools", ())):
                yield fields


@contextmanager
def followed(client: Client, pool: str, settings: EventSettings = QUICK) -> Iterator[Taken]:
    with EventStream(client, settings, selector=f"pool={pool}") as stream:
        yield Taken(stream, pool)


def test_what_happens_to_nodes_and_rollouts_is_reported_once(api: ApiServer, unique: str) -> None:
    with api.client() as client:
        fleet = FleetByHand(client, unique)
        n1 = fleet.add("n1")
        fleet.write_record("Complete")
        with followed(client, unique) as taken:
            taken.until()
            fleet.report(n1, "False")
            [failed] = taken.until("config_failed")
            assert (failed["node"], failed["reason"], failed["pools"]) == (n1, "it crashed", [unique])
            n2, n3 = fleet.add("n2", assigned=False), fleet.add("n3", assigned=False)
            [joined] = taken.until("nodes_joined")
            assert (joined["nodes"], joined["pool"], joined["reconcile"]) == ([n2, n3], unique, True)
            fleet.report(n1, "True")
            taken.until("config_recovered")
            fleet.write_record("Halted", revision=2)
            [halted] = taken.until("rollout_halted")
            assert (halted["pool"], halted["revision"]) == (unique, 2)
            client.delete(node(n1))
            taken.until()


def test_drift_is_one_event_for_each_pool(api: ApiServer, unique: str) -> None:
    with api.client() as client:
        fleet = FleetByHand(client, unique)
        names = [fleet.add(f"n{number}") for number in range(3)]
        fleet.write_record("Complete", passed=names)
        with followed(client, unique) as taken:
            taken.until()
            for name in names[:2]:
                fleet.assign_another(name)
            [event] = taken.until("drifted")
            assert (event["nodes"], event["count"], event["reconcile"]) == (names[:2], 2, False)
            assert "2 of 3 nodes of the pool have drifted within a minute" in event["why_not"]


def test_a_source_that_starts_again_tells_what_is_not_fine(api: ApiServer, unique: str) -> None:
    with api.client() as client:
        fleet = FleetByHand(client, unique)
        bad, _good = fleet.add("bad"), fleet.add("good")
        fleet.report(bad, "False")
        fleet.write_record("Paused")
        keys = []
        for _start in range(2):
            with followed(client, unique) as taken:
                keys.append({event["key"] for event in taken.until("config_failed", "rollout_paused")})
        assert keys[0] == keys[1]


def test_an_interrupted_watch_repeats_nothing_and_misses_nothing(embedded_api: Embedded) -> None:
    """The watches end, the server asks to wait, and it has forgotten the version to continue from (410)."""
    server = embedded_api.server
    with embedded_api.client() as client:
        fleet = FleetByHand(client, "p")
        nodes = [fleet.add(f"n{number}") for number in range(4)]
        fleet.report(nodes[0], "False")
        fleet.write_record("Complete")
        with followed(client, "p") as taken:
            taken.until("config_failed")
            interrupts: list[Callable[[], object]] = [server.end_watches, server.compact, lambda: refuse(server)]
            for number, interrupt in enumerate(interrupts, start=1):
                interrupt()
                server.end_watches()
                fleet.report(nodes[number], "False")
                [event] = taken.until("config_failed")
                assert event["node"] == nodes[number]


def refuse(server: Any) -> None:
    """Answer the next five lists and watches with 429."""
    left = [5]

    def intercept(request: Any, _user: Any, _perform: Any) -> Any:
        if request.method == "GET" and "watch" in request.query and left[0]:
            left[0] -= 1
            return server.refusal(429, retry_after=1)
        return None

    server.intercept = intercept


def test_an_api_server_that_starts_again_is_followed_again(tmp_path: Path, real_api: Real) -> None:
    """An API server of its own. It is away for some seconds; what has changed by then is reported, and nothing else."""
    server = start_real(tmp_path)
    try:
        with server.client() as client:
            fleet = FleetByHand(client, "p")
            n1, n2 = fleet.add("n1"), fleet.add("n2")
            fleet.report(n1, "False")
            fleet.write_record("Complete")
            with followed(client, "p") as taken:
                taken.until("config_failed")
                server.kill()
                time.sleep(2)
                server.start()
                fleet.report(n2, "False")
                [event] = taken.until("config_failed")
                assert event["node"] == n2
    finally:
        server.stop()


def test_an_agent_that_writes_nothing_is_silent(real_api: Real, unique: str) -> None:
    """By what the API server has stamped: only the agent's own writes count."""
    with real_api.client() as client, agent_client(real_api) as agent:
        fleet = FleetByHand(client, unique)
        n1 = fleet.add("n1")
        fleet.write_record("Complete")
        condition = {"type": "ConfigOK", "status": "True", "reason": "r", "message": "m", "lastHeartbeatTime": NOW}
        agent.patch(node_status(n1), {"status": {"conditions": [condition]}}, kind="strategic")
        with followed(client, unique, QUICK._replace(silent_after=2.0)) as taken:
            [event] = taken.until("agent_silent")
            assert (event["node"], event["silent_seconds"] >= 2) == (n1, True)
            client.patch(node(n1), {"metadata": {"annotations": {"a": "b"}}})
            taken.until()


def agent_client(api: Real) -> Client:
    return api.client(user_agent="configok-agent/0.1.0")


def test_agents_whose_writes_have_no_time_are_counted(embedded_api: Embedded, caplog: pytest.LogCaptureFixture) -> None:
    with embedded_api.client() as client, caplog.at_level(logging.WARNING):
        FleetByHand(client, "p").add("n1")
        with followed(client, "p", QUICK._replace(silent_after=0.0)) as taken:
            taken.until()
    assert "not judged: whether the agents of 1 node are silent" in caplog.text


def test_a_damaged_record_is_named_and_stops_nothing(embedded_api: Embedded, caplog: pytest.LogCaptureFixture) -> None:
    with embedded_api.client() as client:
        fleet = FleetByHand(client, "p")
        fleet.write_record("Complete")
        metadata = {"name": "q", "labels": {LABEL_POOL: "q"}}
        client.create(config_maps(NAMESPACE_ROLLOUTS), {"metadata": metadata, "data": {"record": "{"}})
        with followed(client, "p") as taken:
            fleet.add("n1", assigned=False)
            taken.until("nodes_joined")
    assert "not judged: the record of pool q" in caplog.text


def test_a_source_without_rights_says_what_it_may_not(embedded_api: Embedded) -> None:
    with embedded_api.client() as admin:
        prepare(admin)
    with embedded_api.client("nobody") as client, EventStream(client) as stream:
        assert 'User "nobody" cannot list resource' in refusal_of(stream)


def test_the_roles_of_the_page_are_all_that_a_source_needs(api: ApiServer) -> None:
    [text] = [text for text in blocks(PAGE, "yaml") if "ClusterRoleBinding" in text]
    with api.client() as admin, api.client("events") as client:
        fleet = FleetByHand(admin, "p")
        fleet.write_record("Halted")
        for item in yaml.safe_load_all(text):
            where = f"/namespaces/{NAMESPACE_ROLLOUTS}" if "namespace" in item["metadata"] else ""
            admin.create(f"{RBAC_GROUP}{where}/{item['kind'].lower()}s", item)
        # A server takes a moment until it knows its roles: a source that starts before that ends.
        wait_until(lambda: rollouts_seen(client))


def rollouts_seen(client: Client) -> list[Event]:
    """Return the events about rollouts that a source makes at its start."""
    events: list[Event] = []
    deadline = time.monotonic() + 10
    with EventStream(client, QUICK) as stream, suppress(Forbidden):
        while not events and time.monotonic() < deadline:
            events = [event for event in stream.take(0.2) if "phase" in event.fields]
    return events


def refusal_of(stream: EventStream) -> str:
    for _wait in range(50):
        try:
            stream.take(0.2)
        except Forbidden as error:
            return str(error)
    return ""
