# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The feed of Nodes says when they are not known, until all of them are known again."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Listing
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Gone, KubeError, ServerError
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes import _node_watcher
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes._node_watcher import NodeEvent, NodeWatcher
from ansible_collections.configok.node.plugins.module_utils._rollout._outage import MIN_OUTAGE
from support.rollouts.virtual_clock import VirtualClock

LONGEST_WAIT = _node_watcher._MAX_RETRY_AFTER
EXPIRED = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}}


class Lines:
    """The lines of one request: these, then silence until the request ends."""

    def __init__(self, *lines: dict[str, Any]) -> None:
        self.lines = lines


class Scripted:
    """A client that answers each watch with the next reply, and each list with one Node, older each time.

    may_list: while it is not set, lists wait. more: names of further Nodes.
    """

    def __init__(self, clock: VirtualClock, *replies: Lines | Exception, more: tuple[str, ...] = ()) -> None:
        self._clock = clock
        self._replies = list(replies)
        self._more = more
        self._ended = threading.Event()
        self.lists = 0
        self.may_list = threading.Event()
        self.may_list.set()

    def interruptible(self, _interrupt: Any) -> Scripted:
        return self

    def close(self) -> None:
        """Have nothing to close."""

    def list(self, _path: str, *, transform: Any, **_options: Any) -> Listing:
        self._clock.wait_until(self.may_list.is_set)
        self.lists += 1
        nodes = [
            {"metadata": {"name": name, "uid": f"u{self.lists}", "resourceVersion": str(self.lists)}}
            for name in ("n", *self._more)
        ]
        return Listing([transform(node) for node in nodes], str(self.lists))

    def stream(self, _path: str, **_options: Any) -> Iterator[bytes]:
        if self.lists == 1:
            self.may_list.clear()
        if not self._replies:
            return self._read(Lines())
        reply = self._replies.pop(0)
        if isinstance(reply, Lines):
            return self._read(reply)
        raise reply

    def _read(self, reply: Lines) -> Iterator[bytes]:
        yield from (json.dumps(line).encode() for line in reply.lines)
        self._clock.wait_until(self._ended.is_set)


@pytest.fixture
def clock() -> Iterator[VirtualClock]:
    """A virtual clock, whose threads end with the test."""
    virtual = VirtualClock()
    yield virtual
    virtual.end()


def until(feed: NodeWatcher, kind: str, seconds: int = 60) -> list[str]:
    taken: list[str] = []
    for _second in range(seconds):
        taken += [event.type for event in feed.take_events(1.0)]
        if kind in taken:
            return taken
    raise AssertionError(f"no {kind}: {taken}")


def make(client: Any, clock: VirtualClock) -> NodeWatcher:
    return NodeWatcher(client, "pool=workers", clock)


def check_blind_until_listed(feed: NodeWatcher, client: Scripted, fault: type[KubeError]) -> None:
    assert isinstance(feed.error, fault)
    assert feed.nodes["n"].uid == "u1"
    client.may_list.set()
    until(feed, "BACK")
    assert not feed.error
    assert feed.nodes["n"].uid == "u2"


def test_the_nodes_of_a_list_are_passed_on_together(clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Scripted(clock, Lines(EXPIRED), more=("o", "p"))
    feed = make(client, clock)
    passed_on: list[list[str]] = []
    put = feed._events.put

    def record(events: list[NodeEvent]) -> None:
        passed_on.append([event.type for event in events])
        put(events)

    monkeypatch.setattr(feed._events, "put", record)
    with feed:
        until(feed, "GONE")
        client.may_list.set()
        until(feed, "BACK")
    listed = ["ADDED", "ADDED", "ADDED", "SYNCED"]
    assert passed_on == [listed, ["GONE"], ["DELETED", "DELETED", "DELETED", *listed], ["BACK"]]


def test_only_nodes_of_these_names_count(clock: VirtualClock) -> None:
    client = Scripted(clock, Lines(), more=("o", "p"))
    with NodeWatcher(client, "", clock, names={"o"}) as feed:  # type: ignore[arg-type]  # what the feed calls
        assert until(feed, "SYNCED") == ["ADDED", "SYNCED"]
        assert set(feed.nodes) == {"o"}


def test_a_version_that_is_gone_blinds_until_all_is_listed_again(clock: VirtualClock) -> None:
    client = Scripted(clock, Lines(EXPIRED))
    with make(client, clock) as feed:
        until(feed, "GONE")
        check_blind_until_listed(feed, client, Gone)


def test_after_a_server_that_was_away_all_is_listed_before_anything_is_judged(clock: VirtualClock) -> None:
    # The server would open the watch, and say only then that it has forgotten the version.
    client = Scripted(clock, ServerError("starting", where="WATCH nodes", status=503))
    with make(client, clock) as feed:
        until(feed, "ERROR")
        check_blind_until_listed(feed, client, ServerError)


def test_an_error_in_the_feed_itself_ends_the_run_with_a_message(clock: VirtualClock) -> None:
    with (
        make(Scripted(clock, ValueError("a mistake")), clock) as feed,
        pytest.raises(RolloutError, match="a mistake: run it again"),
    ):
        until(feed, "BACK")


def test_a_server_that_asks_for_five_minutes_is_asked_again_sooner(clock: VirtualClock) -> None:
    busy = ServerError("busy", where="WATCH nodes", status=503, retry_after=300.0)
    client = Scripted(clock, busy)
    with make(client, clock) as feed:
        until(feed, "ERROR")
        client.may_list.set()
        asked_again = clock.monotonic()
        until(feed, "BACK")
        assert LONGEST_WAIT - 1 <= clock.monotonic() - asked_again <= LONGEST_WAIT + 1
    assert LONGEST_WAIT < MIN_OUTAGE


class Nodes:
    """A client whose API server has Nodes of these versions. read: the paths of the Nodes that were read whole."""

    def __init__(self, **versions: str) -> None:
        self._nodes = {
            name: {"metadata": {"name": name, "uid": f"u-{name}", "resourceVersion": version}}
            for name, version in versions.items()
        }
        self.read: list[str] = []

    def list(self, _path: str, *, metadata_only: bool, transform: Any, **_options: Any) -> Listing:
        assert metadata_only
        return Listing([transform(node) for node in self._nodes.values()], "9")

    def get(self, path: str, **_options: Any) -> dict[str, Any]:
        self.read.append(path)
        return {**self._nodes[path.rpartition("/")[2]], "spec": {"unschedulable": True}}


@pytest.mark.parametrize("names", [None, ("same", "newer", "unseen")])
def test_a_new_list_reads_only_nodes_of_a_version_that_the_watch_has_not_shown(
    clock: VirtualClock, names: tuple[str, ...] | None
) -> None:
    client: Any = Nodes(same="5", newer="6", unseen="7", **({} if names is None else {"other": "8"}))
    watcher = NodeWatcher(client, "", clock, names=names)
    for name in ("same", "newer", "gone"):
        view = watcher.view_of({"metadata": {"name": name, "uid": f"u-{name}", "resourceVersion": "5"}})
        watcher.nodes[name] = view
    views = {view.name: view for view in watcher.list_again(client)}
    assert {name: (view.resource_version, view.unschedulable) for name, view in views.items()} == {
        "same": ("5", False),
        "newer": ("6", True),
        "unseen": ("7", True),
    }
    assert sorted(client.read) == ["/api/v1/nodes/newer", "/api/v1/nodes/unseen"]
    assert views["same"] is watcher.nodes["same"]
