# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract: watches."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from support.api.servers import ApiServer
from support.api.wire import Wire

NODES = "/api/v1/nodes"
EVENTS = "/api/v1/namespaces/default/events"
PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


@pytest.fixture
def maps(api: ApiServer, unique: str) -> str:
    """The path of the ConfigMaps of a namespace of its own, with nothing in it."""
    api.wire().post("/api/v1/namespaces", {"metadata": {"name": unique}})
    return f"/api/v1/namespaces/{unique}/configmaps"


def seen(event: dict[str, Any]) -> tuple[str, str]:
    return event["type"], event["object"]["metadata"]["name"]


def make(wire: Wire, path: str, name: str, **labels: str) -> dict[str, Any]:
    answer = wire.post(path, {"metadata": {"name": name, "labels": labels}, "data": {"k": "v"}})
    assert answer.status == 201
    body: dict[str, Any] = answer.body
    return body


def version_of(wire: Wire, path: str) -> str:
    version: str = wire.get(path).body["metadata"]["resourceVersion"]
    return version


def test_list_then_watch(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    make(wire, maps, "before")
    version = version_of(wire, maps)
    with wire.watch(maps, resourceVersion=version) as watching:
        assert watching.status == 200
        made = make(wire, maps, "a")
        changed = wire.merge(f"{maps}/a", {"data": {"k": "w"}}).body
        wire.delete(f"{maps}/a")
        added, modified, deleted = watching.take(3)
    assert [seen(event) for event in (added, modified, deleted)] == [
        ("ADDED", "a"),
        ("MODIFIED", "a"),
        ("DELETED", "a"),
    ]
    assert added["object"] == made
    assert modified["object"] == changed
    assert deleted["object"]["data"] == {"k": "w"}
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in (added, modified, deleted)]
    assert versions == sorted(set(versions))
    assert (deleted["object"]["kind"], deleted["object"]["apiVersion"]) == ("ConfigMap", "v1")


def test_watch_replays_what_came_after_its_version(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    first = make(wire, maps, "a")
    make(wire, maps, "b")
    wire.delete(f"{maps}/a")
    with wire.watch(maps, resourceVersion=first["metadata"]["resourceVersion"]) as watching:
        assert [seen(event) for event in watching.take(2)] == [("ADDED", "b"), ("DELETED", "a")]


@pytest.mark.parametrize("query", [{}, {"resourceVersion": "0"}])
def test_watch_without_a_version_begins_with_what_is_there(api: ApiServer, maps: str, query: dict[str, Any]) -> None:
    wire = api.wire()
    make(wire, maps, "a")
    make(wire, maps, "b")
    wire.merge(f"{maps}/a", {"data": {"k": "w"}})
    version_of(wire, maps)
    with wire.watch(maps, **query) as watching:
        events = watching.take(2)
        assert sorted(seen(event) for event in events) == [("ADDED", "a"), ("ADDED", "b")]
        make(wire, maps, "c")
        assert seen(watching.take(1)[0]) == ("ADDED", "c")


def test_write_that_changes_nothing_is_not_seen(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    make(wire, maps, "a")
    with wire.watch(maps, resourceVersion=version_of(wire, maps)) as watching:
        wire.merge(f"{maps}/a", {"data": {"k": "v"}})
        wire.merge(f"{maps}/a", {"data": {"k": "tried"}}, dryRun="All")
        make(wire, maps, "b")
        assert seen(watching.take(1)[0]) == ("ADDED", "b")


def test_watch_of_one_name(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    with wire.watch(maps, fieldSelector="metadata.name=b", resourceVersion=version_of(wire, maps)) as watching:
        for name in "abc":
            make(wire, maps, name)
        wire.merge(f"{maps}/b", {"data": {"k": "w"}})
        assert [seen(event) for event in watching.take(2)] == [("ADDED", "b"), ("MODIFIED", "b")]


def test_watch_with_a_label_selector(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    with wire.watch(maps, labelSelector="x=1", resourceVersion=version_of(wire, maps)) as watching:
        make(wire, maps, "a")
        make(wire, maps, "b", x="1")
        wire.merge(f"{maps}/a", {"metadata": {"labels": {"x": "1"}}})
        relabelled = wire.merge(f"{maps}/b", {"metadata": {"labels": {"x": "2"}}, "data": {"k": "new"}}).body
        wire.delete(f"{maps}/a")
        events = watching.take(4)
    assert [seen(event) for event in events] == [("ADDED", "b"), ("ADDED", "a"), ("DELETED", "b"), ("DELETED", "a")]
    # What no longer matches is shown as it was when it did, under the version of the change.
    gone = events[2]["object"]
    assert gone["metadata"]["labels"] == {"x": "1"}
    assert gone["data"] == {"k": "v"}
    assert gone["metadata"]["resourceVersion"] == relabelled["metadata"]["resourceVersion"]


def test_metadata_only_watch(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    make(wire, maps, "a")
    with wire.watch(maps, accept=PARTIAL, resourceVersion="0") as watching:
        wire.merge(f"{maps}/a", {"metadata": {"annotations": {"n": "1"}}})
        events = watching.take(1)
        while "annotations" not in events[-1]["object"]["metadata"]:
            events += watching.take(1)
    for event in events:
        assert set(event["object"]) == {"kind", "apiVersion", "metadata"}
        assert (event["object"]["kind"], event["object"]["apiVersion"]) == ("PartialObjectMetadata", "meta.k8s.io/v1")


def test_watch_over_all_namespaces(api: ApiServer, maps: str, unique: str) -> None:
    wire = api.wire()
    path = "/api/v1/configmaps"
    with wire.watch(path, labelSelector=f"test={unique}", resourceVersion=version_of(wire, path)) as watching:
        make(wire, maps, "a", test=unique)
        assert watching.take(1)[0]["object"]["metadata"]["namespace"] == unique


def test_watch_ends_after_its_time_with_a_bookmark_before(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(NODES, {"metadata": {"name": unique}})
    version = version_of(wire, NODES)
    selector: dict[str, Any] = {"fieldSelector": f"metadata.name={unique}", "resourceVersion": version}
    with wire.watch(NODES, timeoutSeconds="4", allowWatchBookmarks="true", **selector) as watching:
        made = wire.merge(f"{NODES}/{unique}", {"metadata": {"labels": {"a": "1"}}}).body
        modified, *bookmarks = list(watching)  # ends by itself
    assert modified["type"] == "MODIFIED"
    assert {bookmark["type"] for bookmark in bookmarks} == {"BOOKMARK"}  # one, or sometimes two
    bookmark = bookmarks[-1]["object"]
    assert (bookmark["kind"], bookmark["apiVersion"]) == ("Node", "v1")
    assert int(bookmark["metadata"]["resourceVersion"]) >= int(made["metadata"]["resourceVersion"])
    assert "name" not in bookmark["metadata"]


def test_watch_without_bookmarks_and_events_is_empty(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    with wire.watch(maps, timeoutSeconds="1", resourceVersion=version_of(wire, maps)) as watching:
        assert list(watching) == []


def test_watch_from_before_the_history(api: ApiServer, unique: str) -> None:
    """Events, because kube-apiserver keeps no cache of them and so shows what etcd says."""
    wire = api.wire()
    made = wire.post(EVENTS, {"metadata": {"name": unique}, "involvedObject": {"kind": "Node", "name": "n"}}).body
    wire.merge(f"{EVENTS}/{unique}", {"count": 2})
    wire.merge(f"{EVENTS}/{unique}", {"count": 3})
    api.compact()
    old = int(made["metadata"]["resourceVersion"]) - 1
    with wire.watch(EVENTS, resourceVersion=str(old)) as watching:
        assert watching.status == 200
        (event,) = list(watching)
    assert event["type"] == "ERROR"
    status = event["object"]
    assert (status["kind"], status["status"], status["code"], status["reason"]) == ("Status", "Failure", 410, "Expired")
    assert "too old" in status["message"]
    assert wire.get(EVENTS).status == 200


def test_a_watch_after_compaction_continues_from_now(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    api.compact()
    with wire.watch(
        EVENTS, resourceVersion=version_of(wire, EVENTS), fieldSelector=f"metadata.name={unique}"
    ) as watching:
        wire.post(EVENTS, {"metadata": {"name": unique}, "involvedObject": {"kind": "Node", "name": "n"}})
        assert seen(watching.take(1)[0]) == ("ADDED", unique)


def test_watch_of_a_named_object_is_a_get(api: ApiServer, maps: str) -> None:
    made = make(api.wire(), maps, "a")
    assert api.wire().get(f"{maps}/a", watch="true").body == made


def test_watch_is_authorized(api: ApiServer, maps: str) -> None:
    answer = api.wire("alice").get(maps, watch="true")
    assert answer.status == 403
    assert 'User "alice" cannot watch resource "configmaps"' in answer.body["message"]


def test_many_watches_see_every_change(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    version = version_of(wire, maps)
    watches, changes = 16, 20
    watching = [api.wire().watch(maps, resourceVersion=version) for _each in range(watches)]
    results: list[list[str]] = [[] for _each in range(watches)]

    def read(at: int) -> None:
        results[at] = [seen(event)[1] for event in watching[at].take(changes)]

    readers = [threading.Thread(target=read, args=(at,)) for at in range(watches)]
    for reader in readers:
        reader.start()
    for number in range(changes):
        make(wire, maps, f"n{number:02d}")
    for reader in readers:
        reader.join(timeout=10)
    for watch in watching:
        watch.close()
    assert results == [[f"n{number:02d}" for number in range(changes)]] * watches
