# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract: lists, selectors, pages and metadata only."""

from __future__ import annotations

from typing import Any

import pytest

from support.api.servers import ApiServer, Real
from support.api.wire import Wire

NODES = "/api/v1/nodes"
CONFIG_MAPS = "/api/v1/namespaces/{}/configmaps"
PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
# From this minor on, a server may continue a list from its own memory (ListFromCacheSnapshot).
SNAPSHOTS_SINCE = 34


@pytest.fixture
def maps(api: ApiServer, unique: str) -> str:
    """The path of the ConfigMaps of a namespace of its own, with a to e in it."""
    wire = api.wire()
    wire.post("/api/v1/namespaces", {"metadata": {"name": unique}})
    path = CONFIG_MAPS.format(unique)
    for name, labels in (
        ("d", {"x": "1"}),
        ("b", {"x": "2"}),
        ("a", {"x": "1", "y": ""}),
        ("e", {}),
        ("c", {"y": "1"}),
    ):
        assert wire.post(path, {"metadata": {"name": name, "labels": labels}, "data": {"k": "v"}}).status == 201
    return path


def names(body: Any) -> list[str]:
    return [item["metadata"]["name"] for item in body["items"] or []]


def test_list(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    answer = wire.get(maps)
    assert (answer.body["kind"], answer.body["apiVersion"]) == ("ConfigMapList", "v1")
    assert names(answer.body) == ["a", "b", "c", "d", "e"]
    newest = max(int(item["metadata"]["resourceVersion"]) for item in answer.body["items"])
    assert int(answer.body["metadata"]["resourceVersion"]) >= newest
    first = answer.body["items"][0]
    assert "kind" not in first
    assert "apiVersion" not in first
    assert first["data"] == {"k": "v"}
    everywhere = wire.get("/api/v1/configmaps").body["items"]
    keys = [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in everywhere]
    assert keys == sorted(keys)
    assert names(wire.get(CONFIG_MAPS.format("no-such-namespace")).body) == []


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("x=1", "ad"),
        ("x==1", "ad"),
        ("x!=1", "bce"),
        ("x in (1,2)", "abd"),
        ("x in (1), y", "a"),
        ("x notin (1)", "bce"),
        ("y", "ac"),
        ("!y", "bde"),
        ("y=", "a"),
        ("x=1,!y", "d"),
        ("x=9", ""),
    ],
)
def test_label_selectors(api: ApiServer, maps: str, selector: str, expected: str) -> None:
    assert "".join(names(api.wire().get(maps, labelSelector=selector).body)) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("metadata.name=b", "b"),
        ("metadata.name==b", "b"),
        ("metadata.name!=b", "acde"),
        ("metadata.name=b,metadata.name!=b", ""),
        ("metadata.namespace=default", ""),
    ],
)
def test_field_selectors(api: ApiServer, maps: str, selector: str, expected: str) -> None:
    assert "".join(names(api.wire().get(maps, fieldSelector=selector).body)) == expected


def test_field_selector_of_nodes(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    for suffix, spec in (("a", {}), ("b", {"unschedulable": True}), ("c", {"unschedulable": False})):
        wire.post(NODES, {"metadata": {"name": f"{unique}{suffix}", "labels": {"test": unique}}, "spec": spec})
    for selector, expected in (("spec.unschedulable=true", "b"), ("spec.unschedulable=false", "ac")):
        listed = wire.get(NODES, labelSelector=f"test={unique}", fieldSelector=selector).body
        assert "".join(name[-1] for name in names(listed)) == expected


@pytest.mark.parametrize("selector", ["data.k=v", "spec.unschedulable=true", "nonsense"])
def test_unknown_field_selectors_are_refused(api: ApiServer, maps: str, selector: str) -> None:
    answer = api.wire().get(maps, fieldSelector=selector)
    assert (answer.status, answer.body["reason"]) == (400, "BadRequest")


@pytest.mark.parametrize("selector", ["x in (1", "x=1 2", "=", "x in", "a/b/c=1"])
def test_label_selectors_that_make_no_sense(api: ApiServer, maps: str, selector: str) -> None:
    answer = api.wire().get(maps, labelSelector=selector)
    assert (answer.status, answer.body["reason"]) == (400, "BadRequest")


def pages(wire: Wire, path: str, **query: Any) -> list[Any]:
    listed = [wire.get(path, **query).body]
    while token := listed[-1]["metadata"].get("continue"):
        listed.append(wire.get(path, **query, **{"continue": token}).body)
    return listed


def test_pages(api: ApiServer, maps: str) -> None:
    listed = pages(api.wire(), maps, limit=2)
    assert [names(item) for item in listed] == [["a", "b"], ["c", "d"], ["e"]]
    assert [item["metadata"].get("remainingItemCount") for item in listed] == [3, 1, None]
    assert len({item["metadata"]["resourceVersion"] for item in listed}) == 1


def test_pages_are_one_snapshot(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    first = wire.get(maps, limit=3).body
    wire.post(maps, {"metadata": {"name": "cc"}})
    wire.delete(f"{maps}/e")
    wire.merge(f"{maps}/d", {"data": {"k": "changed"}})
    second = wire.get(maps, limit=3, **{"continue": first["metadata"]["continue"]}).body
    assert names(second) == ["d", "e"]
    assert second["items"][0]["data"] == {"k": "v"}
    assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


def test_pages_with_a_selector(api: ApiServer, maps: str) -> None:
    listed = pages(api.wire(), maps, limit=2, labelSelector="x=1")
    assert [name for item in listed for name in names(item)] == ["a", "d"]
    assert all("remainingItemCount" not in item["metadata"] for item in listed)
    assert len(listed) == 2  # e follows d, and does not match: the last page is empty
    assert names(listed[1]) == []


def test_limit_of_all(api: ApiServer, maps: str) -> None:
    answer = api.wire().get(maps, limit=5)
    assert len(answer.body["items"]) == 5
    assert "continue" not in answer.body["metadata"]


def test_continue_after_compaction(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    token = wire.get(maps, limit=2).body["metadata"]["continue"]
    wire.post(maps, {"metadata": {"name": "f"}})
    api.compact()
    answer = wire.get(maps, limit=2, **{"continue": token})
    if isinstance(api, Real) and api.minor >= SNAPSHOTS_SINCE and answer.status == 200:
        assert names(answer.body) == ["c", "d"]
        return
    assert (answer.status, answer.body["reason"], answer.body["code"]) == (410, "Expired", 410)
    assert answer.body["message"].startswith("The provided continue parameter is too old")
    rest = wire.get(maps, limit=2, **{"continue": answer.body["metadata"]["continue"]})
    assert rest.status == 200
    assert names(rest.body) == ["c", "d"]


def test_continue_that_makes_no_sense(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    assert wire.get(maps, limit=2, **{"continue": "bad!"}).status == 400
    token = wire.get(maps, limit=2).body["metadata"]["continue"]
    answer = wire.get(maps, limit=2, resourceVersion="1", **{"continue": token})
    assert (answer.status, answer.body["reason"]) == (400, "BadRequest")
    assert wire.get(maps, limit="some").status == 400


def test_metadata_only_list(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    answer = wire.get(maps, accept=PARTIAL_LIST)
    assert (answer.body["kind"], answer.body["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert names(answer.body) == ["a", "b", "c", "d", "e"]
    for item in answer.body["items"]:
        assert (item["kind"], item["apiVersion"]) == ("PartialObjectMetadata", "meta.k8s.io/v1")
        assert set(item) == {"kind", "apiVersion", "metadata"}
    page = wire.get(maps, accept=PARTIAL_LIST, limit=2).body
    assert page["metadata"]["continue"]
    assert page["metadata"].get("remainingItemCount", 3) == 3  # older servers leave it out of this form
    empty = wire.get(maps, accept=PARTIAL_LIST, labelSelector="x=9").body
    assert not empty["items"]


def test_metadata_only_object(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    answer = wire.get(f"{maps}/a", accept=PARTIAL)
    assert set(answer.body) == {"kind", "apiVersion", "metadata"}
    assert answer.body["kind"] == "PartialObjectMetadata"
    assert answer.body["metadata"]["labels"] == {"x": "1", "y": ""}
    answer = wire.merge(f"{maps}/a", {"metadata": {"annotations": {"n": "1"}}}, accept=PARTIAL)
    assert answer.body["kind"] == "PartialObjectMetadata"
    assert answer.body["metadata"]["annotations"] == {"n": "1"}


def test_metadata_only_of_the_wrong_form(api: ApiServer, maps: str) -> None:
    for path, accept in ((maps, PARTIAL), (f"{maps}/a", PARTIAL_LIST), (maps, "text/plain")):
        answer = api.wire().get(path, accept=accept)
        assert (answer.status, answer.body["reason"]) == (406, "NotAcceptable")
    accepted = api.wire().get(maps, accept=f"{PARTIAL};q=0.9,application/json")
    assert accepted.status == 200
    assert accepted.body["kind"] == "ConfigMapList"


def test_versions_of_reads(api: ApiServer, maps: str) -> None:
    wire = api.wire()
    current = wire.get(maps).body["metadata"]["resourceVersion"]
    # Lists from the cache of an older kube-apiserver are in no order.
    assert sorted(names(wire.get(maps, resourceVersion="0").body)) == ["a", "b", "c", "d", "e"]
    assert sorted(names(wire.get(maps, resourceVersion=current).body)) == ["a", "b", "c", "d", "e"]
    assert names(wire.get(maps, resourceVersion=current, resourceVersionMatch="NotOlderThan").body)


def test_version_of_the_future(api: ApiServer, maps: str) -> None:
    answer = api.wire().get(maps, resourceVersion="999999999")
    assert (answer.status, answer.body["reason"]) == (504, "Timeout")
    assert "Too large resource version" in answer.body["message"]
