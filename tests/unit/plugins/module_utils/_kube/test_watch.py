# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_errors as errors
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials
from ansible_collections.configok.node.plugins.module_utils._kube.retry import ONCE
from ansible_collections.configok.node.plugins.module_utils._kube.transport import ClientSettings, Timing
from ansible_collections.configok.node.plugins.module_utils._kube.watch import WatchEvent, WatchSettings, watch


def node(name: str, version: int, uid: str = "") -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": uid or f"uid-{name}", "resourceVersion": str(version)}}


def listing(*items: dict[str, Any], version: int = 10) -> dict[str, Any]:
    return {"metadata": {"resourceVersion": str(version)}, "items": list(items)}


def event(kind: str, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "object": item}


def bookmark(version: int) -> dict[str, Any]:
    return event("BOOKMARK", {"kind": "Node", "metadata": {"resourceVersion": str(version)}})


GONE = event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"})


class Watching:
    """A watch on the scripted server; its pauses are recorded instead of slept."""

    def __init__(self, server: Any, **options: Any) -> None:
        self.stop = threading.Event()
        self.pauses: list[float] = []
        client = Client(Credentials(server.url), ClientSettings(timeout=5.0))
        timing = Timing(options.pop("sleep", self.pauses.append) or self.stop.wait, random=lambda: 0.0)
        timing = timing._replace(**{name: options.pop(name) for name in Timing._fields if name in options})
        settings = WatchSettings(**{name: options.pop(name) for name in WatchSettings._fields if name in options})
        self.events = watch(client, paths.NODES, stop=self.stop, settings=settings, timing=timing, **options)

    def take(self, count: int) -> list[tuple[str, str]]:
        return [brief(next(self.events)) for _again in range(count)]

    def until_synced(self) -> list[tuple[str, str]]:
        taken = []
        for event in self.events:
            taken.append(brief(event))
            if event.type == "SYNCED":
                break
        return taken


def brief(event: WatchEvent) -> tuple[str, str]:
    if event.object is None:
        return event.type, type(event.error).__name__ if event.error else ""
    metadata = event.object["metadata"]
    return event.type, f"{metadata['name']}@{metadata.get('resourceVersion', '?')}"


@pytest.fixture
def follow(server: Any) -> Iterator[Callable[..., Watching]]:
    made: list[Watching] = []

    def make(**options: Any) -> Watching:
        made.append(Watching(server, **options))
        return made[-1]

    yield make
    for watching in made:
        watching.stop.set()
        watching.events.close()  # type: ignore[attr-defined]


def query(request: Any) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(request.target).query).items()}


def test_list_synced_then_changes(server: Any, replies: Any, follow: Any) -> None:
    server.says(
        replies.answer(200, listing(node("a", 3), node("b", 4))),
        replies.stream(
            event("MODIFIED", node("a", 11)), event("DELETED", node("b", 12)), event("ADDED", node("c", 13)), end="hold"
        ),
    )
    watching = follow(label_selector="pool=x", field_selector="metadata.name!=z")
    assert watching.take(6) == [
        ("ADDED", "a@3"),
        ("ADDED", "b@4"),
        ("SYNCED", ""),
        ("MODIFIED", "a@11"),
        ("DELETED", "b@12"),
        ("ADDED", "c@13"),
    ]
    asked = query(server.requests[1])
    assert asked == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "10",
        "timeoutSeconds": "290",
        "labelSelector": "pool=x",
        "fieldSelector": "metadata.name!=z",
    }
    assert {request.connection for request in server.requests} == {1}


def test_a_watch_can_ask_for_metadata_only(server: Any, replies: Any, follow: Any) -> None:
    server.says(replies.answer(200, listing()), replies.stream(event("ADDED", node("a", 11)), end="hold"))
    follow(metadata_only=True).take(2)
    assert [request.headers["accept"] for request in server.requests] == [
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    ]


@pytest.mark.contract("manners.one-watch")
def test_a_watch_that_the_server_ends_continues_from_the_last_bookmark(server: Any, replies: Any, follow: Any) -> None:
    server.says(
        replies.answer(200, listing()),
        replies.stream(event("ADDED", node("a", 11)), bookmark(50)),
        replies.stream(event("ADDED", node("b", 51)), end="hold"),
    )
    watching = follow()
    assert watching.take(3) == [("SYNCED", ""), ("ADDED", "a@11"), ("ADDED", "b@51")]
    assert query(server.requests[2])["resourceVersion"] == "50"
    assert watching.pauses == []


@pytest.mark.parametrize("how", ["cut", "mid_line", "damaged", "reset"])
def test_a_broken_stream_resumes_where_it_was(server: Any, replies: Any, follow: Any, how: str) -> None:
    first = event("ADDED", node("a", 11))
    half = json.dumps(event("ADDED", node("b", 12))).encode()[:30]
    broken = {
        "cut": replies.stream(first, end="cut"),
        "mid_line": replies.stream(first, half, end="cut"),
        "damaged": replies.stream(first, half + b"\n", end="hold"),
        "reset": replies.stream(first, b"{", end="cut"),
    }[how]
    server.says(replies.answer(200, listing()), broken, replies.stream(event("ADDED", node("b", 12)), end="hold"))
    watching = follow(random=lambda: 0.5)
    assert watching.take(3) == [("SYNCED", ""), ("ADDED", "a@11"), ("ADDED", "b@12")]
    assert query(server.requests[2])["resourceVersion"] == "11"
    assert watching.pauses == [0.25]


@pytest.mark.parametrize("how", ["chunks", "length"])
def test_an_answer_that_is_too_long_for_an_event_is_an_error(server: Any, replies: Any, follow: Any, how: str) -> None:
    """Such as a proxy's page: it is neither kept in memory nor read byte by byte."""
    endless = b"x" * (9 << 20)
    broken = {
        "chunks": replies.stream(endless, end="hold"),
        "length": replies.half(endless, promised=64 << 20),
    }[how]
    server.says(replies.answer(200, listing()), broken, replies.stream(event("ADDED", node("a", 11)), end="hold"))
    before = time.monotonic()
    synced, error, back, added = follow().take(4)
    assert (synced[0], error, back[0], added) == ("SYNCED", ("ERROR", "UnusableAnswer"), "BACK", ("ADDED", "a@11"))
    assert time.monotonic() - before < 5


@pytest.mark.contract("manners.small-answers")
def test_the_line_of_a_chunk_has_an_end(server: Any, replies: Any, follow: Any) -> None:
    """urllib3's own reader would keep all of it."""

    def endless(sock: socket.socket, over: threading.Event) -> bool:
        sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"x" * (1 << 20))
        over.wait(30)
        return False

    server.says(replies.answer(200, listing()), endless, replies.stream(event("ADDED", node("a", 11)), end="hold"))
    _synced, error, _back, added = follow().take(4)
    assert (error, added) == (("ERROR", "Unreachable"), ("ADDED", "a@11"))


@pytest.mark.contract("manners.small-answers")
def test_a_watch_inflates_nothing(server: Any, replies: Any, follow: Any) -> None:
    line = json.dumps(event("ADDED", node("a", 11))).encode() + b"\n"
    squeezed = replies.answer(200, gzip.compress(line * 10_000), Content_Encoding="gzip")
    server.says(replies.answer(200, listing()), squeezed, replies.stream(event("ADDED", node("a", 11)), end="hold"))
    _synced, error, _back, added = follow().take(4)
    assert (error, added) == (("ERROR", "UnusableAnswer"), ("ADDED", "a@11"))
    assert {request.headers["accept-encoding"] for request in server.requests} == {"identity"}


@pytest.mark.contract("manners.back-off")
@pytest.mark.parametrize(
    "retry_after", ["31536000", "1e20", "9" * 400, "9" * 5000, "-1", "nan", "Fri, 31 Dec 9999 23:59:59 GMT"]
)
def test_no_retry_after_parks_a_watch(server: Any, replies: Any, follow: Any, retry_after: str) -> None:
    refusal = replies.status(429, "TooManyRequests", Retry_After=retry_after)
    server.says(refusal, replies.answer(200, listing()), replies.stream(end="hold"))
    watching = follow()
    assert [kind for kind, _name in watching.take(3)] == ["ERROR", "SYNCED", "BACK"]
    assert 0 < watching.pauses[0] <= 300


@pytest.mark.parametrize("damage", [{"metadata": [1]}, {"metadata": "x"}, [], None])
def test_an_invalid_object_does_not_end_the_watch(server: Any, replies: Any, follow: Any, damage: Any) -> None:
    broken = replies.stream(event("ADDED", damage), end="hold")
    good = replies.stream(event("ADDED", node("a", 11)), end="hold")
    server.says(replies.answer(200, listing()), broken, good)
    _synced, error, _back, added = follow().take(4)
    assert (error, added) == (("ERROR", "Unreachable"), ("ADDED", "a@11"))


@pytest.mark.contract("manners.watch-goes-on")
@pytest.mark.parametrize("where", ["status", "event"])
def test_410_lists_again_and_tells_the_difference(server: Any, replies: Any, follow: Any, where: str) -> None:
    expired = replies.status(410, "Expired") if where == "status" else replies.stream(GONE, end="hold")
    server.says(
        replies.answer(200, listing(node("a", 1), node("b", 2), node("c", 3))),
        expired,
        replies.answer(200, listing(node("a", 1), node("c", 7, uid="another"), node("d", 8), version=20)),
        replies.stream(end="hold"),
    )
    watching = follow()
    assert len(watching.until_synced()) == 4
    assert watching.until_synced() == [
        ("GONE", "Gone"),
        ("DELETED", "b@?"),
        ("DELETED", "c@?"),
        ("MODIFIED", "a@1"),
        ("ADDED", "c@7"),
        ("ADDED", "d@8"),
        ("SYNCED", ""),
    ]


def test_an_object_that_is_gone_is_reported_with_name_and_uid(server: Any, replies: Any, follow: Any) -> None:
    first = {"metadata": {"name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "1"}}
    server.says(
        replies.answer(200, listing(first)),
        replies.stream(GONE),
        replies.answer(200, listing()),
        replies.stream(end="hold"),
    )
    watching = follow()
    watching.until_synced()
    assert next(watching.events).type == "GONE"
    assert next(watching.events).object == {"metadata": {"name": "a", "namespace": "ns", "uid": "u"}}


@pytest.mark.contract("manners.back-off")
def test_refusals_are_reported_and_retried_with_back_off(server: Any, replies: Any, follow: Any) -> None:
    server.says(
        replies.status(403, "Forbidden", "no"),
        replies.status(403, "Forbidden", "no"),
        replies.status(404, "NotFound"),
        replies.answer(200, listing()),
        replies.status(503, Retry_After="120"),
        replies.stream(event("ADDED", node("a", 11)), end="hold"),
    )
    watching = follow()
    refused = next(watching.events)
    assert refused.type == "ERROR"
    assert str(refused.error) == "GET nodes: no (403 Forbidden)"
    assert watching.take(6) == [
        ("ERROR", "Forbidden"),
        ("ERROR", "NotFound"),
        ("SYNCED", ""),
        ("ERROR", "ServerError"),
        ("BACK", ""),
        ("ADDED", "a@11"),
    ]
    assert watching.pauses == [0.25, 0.5, 1.0, 120.0]


@pytest.mark.contract("manners.back-off")
def test_pauses_grow_to_a_ceiling_and_start_small_again(server: Any, replies: Any, follow: Any) -> None:
    reply = replies.stream(event("ADDED", node("a", 11)), end="cut")
    server.says(*[replies.status(500)] * 12, replies.answer(200, listing()), reply, reply, replies.stream(end="hold"))
    watching = follow(random=lambda: 0.5)
    assert watching.take(13) == [("ERROR", "ServerError")] * 12 + [("SYNCED", "")]
    assert watching.pauses == [0.375, 0.75, 1.5, 3.0, 6.0, 12.0] + [22.5] * 6
    assert watching.take(3) == [("BACK", ""), ("ADDED", "a@11"), ("ADDED", "a@11")]
    assert watching.pauses[12:] == [0.25]


def test_a_server_that_is_away_raises_no_exception(server: Any, follow: Any) -> None:
    watching = follow()
    server.close()
    assert watching.take(3) == [("ERROR", "Unreachable")] * 3


def test_a_server_that_ends_every_watch_at_once_is_not_hammered(server: Any, replies: Any, follow: Any) -> None:
    server.says(
        replies.answer(200, listing()),
        *[replies.stream()] * 4,
        replies.stream(event("ADDED", node("a", 11)), end="hold"),
    )
    watching = follow()
    assert watching.take(2) == [("SYNCED", ""), ("ADDED", "a@11")]
    assert watching.pauses == [0.25, 0.5, 1.0, 2.0]


@pytest.mark.contract("manners.credentials")
def test_401_renews_the_credentials(server: Any, replies: Any) -> None:
    server.says(
        replies.status(401), replies.answer(200, listing()), replies.stream(event("ADDED", node("a", 11)), end="hold")
    )
    stop = threading.Event()
    credentials = Credentials(server.url, token="old", refresh=lambda: Credentials(server.url, token="new"))
    events = watch(Client(credentials), paths.NODES, stop=stop)
    assert [brief(next(events)) for _again in range(2)] == [("SYNCED", ""), ("ADDED", "a@11")]
    assert [request.headers["authorization"] for request in server.requests] == [
        "Bearer old",
        "Bearer new",
        "Bearer new",
    ]
    stop.set()


@pytest.mark.contract("manners.watch-goes-on")
def test_silence_ends_a_watch(server: Any, replies: Any, follow: Any) -> None:
    server.says(
        replies.answer(200, listing()),
        replies.stream(end="hold"),
        replies.stream(event("ADDED", node("a", 11)), end="hold"),
    )
    assert follow(inactivity=0.2).take(4) == [("SYNCED", ""), ("ERROR", "Unreachable"), ("BACK", ""), ("ADDED", "a@11")]


def test_the_time_of_a_watch_is_drawn(server: Any, replies: Any, follow: Any) -> None:
    server.says(replies.answer(200, listing()), replies.stream(event("ADDED", node("a", 11)), end="hold"))
    follow(random=lambda: 0.5).take(2)
    assert query(server.requests[1])["timeoutSeconds"] == "320"


def ends_promptly(watching: Watching, begin: Callable[[], object]) -> None:
    """Run the watch in a thread, stop it when begin returns, and expect its end within a second."""
    ended: list[WatchEvent] = []
    thread = threading.Thread(target=lambda: ended.extend(watching.events))
    thread.start()
    begin()
    began = time.monotonic()
    watching.stop.set()
    thread.join(5)
    assert time.monotonic() - began < 1
    assert [event for event in ended if event.type == "ERROR"] == []


def test_a_watch_stops_while_it_waits_for_events(server: Any, replies: Any, follow: Any) -> None:
    server.says(replies.answer(200, listing()), replies.stream(end="hold"))
    ends_promptly(follow(), lambda: server.wait_for(2))


def test_a_watch_stops_while_it_waits_for_the_list(server: Any, replies: Any, follow: Any) -> None:
    server.says(replies.silence())
    ends_promptly(follow(), lambda: server.wait_for(1))


def test_a_watch_stops_while_it_pauses(server: Any, replies: Any, follow: Any) -> None:
    server.says(replies.answer(200, listing()), replies.stream(event("ADDED", node("a", 11)), end="cut"))
    ends_promptly(follow(sleep=None, random=lambda: 1.0), lambda: server.wait_for(2))


def test_a_watch_stops_while_it_connects(follow: Any, server: Any) -> None:
    """A listener with a full queue does not answer: connections to it stay half open."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        fillers = [socket.socket() for _again in range(3)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        server.port, real = full.getsockname()[1], server.port
        watching = follow()
        server.port = real
        connecting = threading.Event()
        ends_promptly(watching, lambda: connecting.wait(0.3))
        for filler in fillers:
            filler.close()


def test_a_stopped_watch_asks_nothing(server: Any, follow: Any) -> None:
    watching = follow()
    watching.stop.set()
    assert list(watching.events) == []
    assert server.requests == []


def test_closing_gives_the_connection_back(server: Any, replies: Any, follow: Any) -> None:
    server.says(replies.answer(200, listing()), replies.stream(event("ADDED", node("a", 11)), end="hold"))
    watching = follow()
    watching.take(2)
    watching.events.close()
    # The scripted server keeps its end open until it is closed; the test needs our end to be unread.
    assert list(watching.events) == []


def test_errors_name_what_was_watched(server: Any, replies: Any, follow: Any) -> None:
    server.says(
        replies.answer(200, listing()), replies.status(500, "InternalError", "boom"), replies.stream(end="hold")
    )
    watching = follow()
    watching.take(1)
    error = next(watching.events).error
    assert isinstance(error, errors.ServerError)
    assert str(error) == "WATCH nodes: boom (500 InternalError)"


def test_an_error_of_a_watch_names_no_object_of_ours() -> None:
    with socket.socket() as taken:  # bound, not listening
        taken.bind(("127.0.0.1", 0))
        server = f"http://127.0.0.1:{taken.getsockname()[1]}"
        stop = threading.Event()
        with Client(Credentials(server=server), ClientSettings(retries=ONCE)) as client:
            following = watch(client, paths.NODES, stop=stop)
            error = next(following).error
            stop.set()
            following.close()  # type: ignore[attr-defined]
    assert isinstance(error, errors.Unreachable)
    assert error.message.startswith(f"no answer from {server}: cannot connect: [Errno 111]")


@pytest.mark.contract("condition.after-an-outage")
def test_the_return_of_the_server_is_reported_once(server: Any, replies: Any, follow: Any) -> None:
    away = replies.answer(503, {"message": "starting"})
    server.says(
        replies.answer(200, listing(node("a", 3))),
        replies.stream(),
        away,
        away,
        replies.stream(event("MODIFIED", node("a", 11))),
        replies.stream(event("MODIFIED", node("a", 12)), end="hold"),
    )
    watching = follow(longest_pause=0.6, random=lambda: 1.0, monotonic=iter(range(0, 1000, 5)).__next__)
    assert watching.until_synced() == [("ADDED", "a@3"), ("SYNCED", "")]
    assert watching.take(5) == [
        ("ERROR", "ServerError"),
        ("ERROR", "ServerError"),
        ("BACK", ""),
        ("MODIFIED", "a@11"),
        ("MODIFIED", "a@12"),
    ]
    assert watching.pauses == [0.5, 0.6, 0.6, 0.5]


@pytest.mark.contract("manners.back-off")
@pytest.mark.parametrize(
    ("age", "end", "longest"),
    [(3, "ended", 4.0), (3, "cut", 4.0), (300, "ended", 1.0), (300, "cut", 4.0)],
    ids=["ended early", "cut early", "ended as asked", "cut late"],
)
def test_the_first_pause_is_random_over_all_of_it(
    server: Any, replies: Any, follow: Any, age: int, end: str, longest: float
) -> None:
    """An interruption reaches all clients at once; the end of a watch's own time does not."""
    for share in (0.25, 1.0):
        first = replies.stream(event("ADDED", node("a", 11)), **({"end": "cut"} if end == "cut" else {}))
        again = replies.stream(event("MODIFIED", node("a", 12)), end="hold")
        server.says(replies.answer(200, listing()), first, again)
        watching = follow(
            first_pause=4.0,
            server_timeout=(300.0, 300.0),
            random=lambda share=share: share,
            monotonic=iter(range(0, 10 * age, age)).__next__,
        )
        assert watching.take(3)[-1] == ("MODIFIED", "a@12")
        assert watching.pauses == [share * longest]
