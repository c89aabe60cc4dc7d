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

from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Listing
from ansible_collections.configok.node.plugins.module_utils._kube._api_errors import Gone, KubeError, ServerError
from ansible_collections.configok.node.plugins.module_utils._rollout import _node_watcher
from ansible_collections.configok.node.plugins.module_utils._rollout._node_watcher import NodeWatcher
from ansible_collections.configok.node.plugins.module_utils._rollout._outage import MAX_OUTAGE
from ansible_collections.configok.node.plugins.module_utils._rollout._rollout_errors import ApiUnavailable, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._timing import Clock

LONGEST_WAIT = _node_watcher._LONGEST_WAIT
EXPIRED = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}}


class Lines:
    """The lines of one request: these, then silence."""

    def __init__(self, *lines: dict[str, Any]) -> None:
        self._lines, self._ended = lines, threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        yield from (json.dumps(line).encode() for line in self._lines)
        self._ended.wait(10)

    def close(self) -> None:
        self._ended.set()


class Scripted:
    """A client that answers each watch with the next reply, and each list with one Node, older each time.

    may_list: while it is not set, lists wait.
    """

    def __init__(self, *replies: Lines | Exception) -> None:
        self._replies = list(replies)
        self.lists = 0
        self.may_list = threading.Event()
        self.may_list.set()

    def interruptible(self, _interrupt: Any) -> Scripted:
        return self

    def close(self) -> None:
        """Have nothing to close."""

    def list(self, _path: str, *, transform: Any, **_options: Any) -> Listing:
        self.may_list.wait(10)
        self.lists += 1
        found = {"metadata": {"name": "n", "uid": f"u{self.lists}", "resourceVersion": str(self.lists)}}
        return Listing([transform(found)], str(self.lists))

    def stream(self, _path: str, **_options: Any) -> Lines:
        if self.lists == 1:
            self.may_list.clear()
        if not self._replies:
            return Lines()
        reply = self._replies.pop(0)
        if isinstance(reply, Lines):
            return reply
        raise reply


def until(feed: NodeWatcher, kind: str) -> list[str]:
    taken: list[str] = []
    for _each in range(50):
        taken += [event.type for event in feed.take_events(0.1)]
        if kind in taken:
            return taken
    raise AssertionError(f"no {kind}: {taken}")


def make(client: Any) -> NodeWatcher:
    return NodeWatcher(client, "pool=workers", Clock())


def check_blind_until_listed(feed: NodeWatcher, client: Scripted, fault: type[KubeError]) -> None:
    assert isinstance(feed.error, fault)
    assert feed.nodes["n"].uid == "u1"
    client.may_list.set()
    until(feed, "BACK")
    assert not feed.error
    assert feed.nodes["n"].uid == "u2"


def test_a_version_that_is_gone_blinds_until_all_is_listed_again() -> None:
    client = Scripted(Lines(EXPIRED))
    with make(client) as feed:
        until(feed, "GONE")
        check_blind_until_listed(feed, client, Gone)


def test_after_a_server_that_was_away_all_is_listed_before_anything_is_judged() -> None:
    # The server would open the watch, and say only then that it has forgotten the version.
    client = Scripted(ServerError("starting", where="WATCH nodes", status=503))
    with make(client) as feed:
        until(feed, "ERROR")
        check_blind_until_listed(feed, client, ServerError)


def test_a_fault_of_the_feed_itself_ends_the_run_with_a_sentence() -> None:
    with make(Scripted(ValueError("a mistake"))) as feed, pytest.raises(RolloutError, match="a mistake: run it again"):
        until(feed, "BACK")


def test_a_server_that_asks_for_five_minutes_is_asked_again_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = ServerError("busy", where="WATCH nodes", status=503, retry_after=300.0)
    monkeypatch.setattr(_node_watcher, "_LONGEST_WAIT", 0.2)
    with make(Scripted(busy)) as feed:
        until(feed, "ERROR")
        feed._client.may_list.set()  # type: ignore[attr-defined]
        until(feed, "BACK")
    assert LONGEST_WAIT < MAX_OUTAGE


def test_nodes_that_cannot_be_listed_for_five_minutes_end_the_run_with_a_sentence() -> None:
    class Denying(Scripted):
        def list(self, _path: str, **_options: Any) -> Listing:
            raise ServerError("etcd is slow", where="LIST nodes", status=500)

    class Hurried(Clock):
        def monotonic(self) -> float:
            return super().monotonic() * 1000

    feed = NodeWatcher(Denying(), "pool=workers", Hurried())  # type: ignore[arg-type]
    with (
        feed,
        pytest.raises(ApiUnavailable, match=r"could not be listed for 300s .*etcd is slow.*run it again to go on"),
    ):
        feed.sync(lambda: None, lambda _line: None)
