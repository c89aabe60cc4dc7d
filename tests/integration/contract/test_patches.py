# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract: merge, strategic merge and JSON patches."""

from __future__ import annotations

from typing import Any

import pytest

from support.api.servers import ApiServer
from support.api.wire import Wire

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
NODES = "/api/v1/nodes"
TIMES = {"lastHeartbeatTime": "2026-01-02T03:04:05Z", "lastTransitionTime": "2026-01-02T03:04:05Z"}


def condition(kind: str, status: str = "True", **more: Any) -> dict[str, Any]:
    return {"type": kind, "status": status, **TIMES, **more}


def make_node(wire: Wire, name: str, **status: Any) -> str:
    answer = wire.post(NODES, {"metadata": {"name": name}, "status": status})
    assert answer.status == 201
    return f"{NODES}/{name}"


def test_merge_patch(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique, "labels": {"a": "1", "b": "2"}}, "data": {"x": "1", "y": "2"}})
    patch = {"metadata": {"labels": {"a": None, "c": "3"}}, "data": {"y": None, "z": "3", "not-there": None}}
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", patch)
    assert answer.status == 200
    assert answer.body["metadata"]["labels"] == {"b": "2", "c": "3"}
    assert answer.body["data"] == {"x": "1", "z": "3"}


def test_merge_patch_replaces_lists(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    path = make_node(wire, unique, conditions=[condition("Ready"), condition("ConfigOK")])
    answer = wire.merge(f"{path}/status", {"status": {"conditions": [condition("Other")]}})
    assert answer.body["status"]["conditions"] == [condition("Other")]


def test_merge_patch_removes_the_last_label(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique, "labels": {"a": "1"}}})
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", {"metadata": {"labels": {"a": None}}})
    assert "labels" not in answer.body["metadata"]


def test_merge_patch_with_the_right_version(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    version = wire.post(CONFIG_MAPS, {"metadata": {"name": unique}}).body["metadata"]["resourceVersion"]
    patch = {"metadata": {"resourceVersion": version}, "data": {"a": "1"}}
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", patch)
    assert answer.status == 200
    assert answer.body["metadata"]["resourceVersion"] != version


def test_patch_of_another_uid_is_refused(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique}})
    patch = {"metadata": {"uid": "00000000-0000-0000-0000-000000000000"}, "data": {"a": "1"}}
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", patch)
    assert (answer.status, answer.body["reason"]) in ((409, "Conflict"), (422, "Invalid"))


def test_strategic_merge_merges_conditions_by_type(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    before = [condition("Ready", message="fine"), condition("ConfigOK", reason="a"), condition("DiskPressure", "False")]
    path = make_node(wire, unique, conditions=before)
    changed = {"type": "ConfigOK", "status": "False", "reason": None}
    answer = wire.strategic(f"{path}/status", {"status": {"conditions": [changed]}})
    assert answer.status == 200
    assert answer.body["status"]["conditions"] == [before[0], condition("ConfigOK", "False"), before[2]]


@pytest.mark.parametrize(
    ("before", "patch"),
    [
        ("ABCD", "C"),
        ("ABCD", "CA"),
        ("ABCD", "XB"),
        ("ABCD", "BX"),
        ("ABCD", "X"),
        ("ABCD", "XY"),
        ("ABCD", "DXA"),
        ("AB", "XAY"),
        ("", "XY"),
    ],
)
def test_strategic_merge_keeps_this_order(api: ApiServer, unique: str, before: str, patch: str) -> None:
    expected = {
        "C": "ABCD", "CA": "BCAD", "XB": "XABCD", "BX": "ABXCD", "X": "XABCD", "XY": "XYABCD", "DXA": "BCDXA",
        "XAY": "XAYB",
    }  # fmt: skip
    wire = api.wire()
    path = make_node(wire, unique, conditions=[condition(name) for name in before])
    answer = wire.strategic(f"{path}/status", {"status": {"conditions": [condition(name, "False") for name in patch]}})
    order = "".join(condition["type"] for condition in answer.body["status"]["conditions"])
    assert order == (expected[patch] if before else patch)


def test_strategic_merge_of_addresses_by_type(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    before = [{"type": "Hostname", "address": "a"}, {"type": "InternalIP", "address": "10.0.0.1"}]
    path = make_node(wire, unique, addresses=before)
    patch = {"status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.2"}]}}
    answer = wire.strategic(f"{path}/status", patch)
    assert answer.body["status"]["addresses"] == [before[0], {"type": "InternalIP", "address": "10.0.0.2"}]


def test_strategic_merge_replaces_taints(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    path = make_node(wire, unique)
    for key in ("a", "b"):
        answer = wire.strategic(path, {"spec": {"taints": [{"key": key, "effect": "NoSchedule"}]}})
        assert answer.body["spec"]["taints"] == [{"key": key, "effect": "NoSchedule"}]


def test_strategic_merge_adds_finalizers(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique, "finalizers": ["configok.dev/a"]}})
    patch = {"metadata": {"finalizers": ["configok.dev/b", "configok.dev/a"]}}
    answer = wire.strategic(f"{CONFIG_MAPS}/{unique}", patch)
    assert sorted(answer.body["metadata"]["finalizers"]) == ["configok.dev/a", "configok.dev/b"]


def test_strategic_merge_directives_delete_and_replace(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    path = make_node(wire, unique, conditions=[condition("A"), condition("B"), condition("C")])
    remove = {"status": {"conditions": [{"$patch": "delete", "type": "B"}]}}
    answer = wire.strategic(f"{path}/status", remove)
    assert [condition["type"] for condition in answer.body["status"]["conditions"]] == ["A", "C"]
    replace = {"status": {"conditions": [{"$patch": "replace"}, condition("X")]}}
    answer = wire.strategic(f"{path}/status", replace)
    assert answer.body["status"]["conditions"] == [condition("X")]
    wire.merge(path, {"metadata": {"labels": {"a": "1"}}})
    answer = wire.strategic(path, {"metadata": {"labels": {"$patch": "replace", "b": "2"}}})
    assert answer.body["metadata"]["labels"] == {"b": "2"}


def test_strategic_merge_without_the_merge_key(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    path = make_node(wire, unique, conditions=[condition("A")])
    answer = wire.strategic(f"{path}/status", {"status": {"conditions": [{"status": "True"}]}})
    assert answer.status >= 400
    assert "does not contain declared merge key: type" in answer.body["message"]


def test_json_patch(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    path = f"{CONFIG_MAPS}/{unique}"
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique, "labels": {"a/b": "1"}}, "data": {"x": "1"}})
    operations = [
        {"op": "test", "path": "/data/x", "value": "1"},
        {"op": "replace", "path": "/data/x", "value": "2"},
        {"op": "add", "path": "/data/y", "value": "3"},
        {"op": "copy", "from": "/data/y", "path": "/data/z"},
        {"op": "remove", "path": "/metadata/labels/a~1b"},
    ]
    answer = wire.json_patch(path, operations)
    assert answer.status == 200
    assert answer.body["data"] == {"x": "2", "y": "3", "z": "3"}
    assert "labels" not in answer.body["metadata"]
    for misfit in ([{"op": "test", "path": "/data/x", "value": "9"}], [{"op": "remove", "path": "/data/none"}]):
        answer = wire.json_patch(path, misfit)
        assert (answer.status, answer.body["reason"]) == (422, "Invalid")
    assert wire.json_patch(path, {"op": "add"}).status == 400


def test_a_patch_that_is_not_an_object_is_refused(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique}})
    path = f"{CONFIG_MAPS}/{unique}"
    assert wire.merge(path, b"{").status in (400, 500)  # 500 of old servers
    assert wire.strategic(path, b"{").status == 400
    assert wire.strategic(path, [1]).status == 400
    assert wire.get(path).body.get("data") is None


def test_patch_that_is_a_list(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique}})
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", [1])
    # Newer servers decode the patch before they apply it.
    assert (answer.status, answer.body["reason"]) in ((422, "Invalid"), (400, "BadRequest"))
    assert "patch" in answer.body["message"]
    assert wire.get(f"{CONFIG_MAPS}/{unique}").body.get("data") is None


@pytest.mark.parametrize("patch", [{"data": {"a": 1}}, {"metadata": {"labels": {"a": 1}}}, {"kind": "Node"}])
def test_patch_that_leaves_another_type(api: ApiServer, unique: str, patch: Any) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique}})
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", patch)
    assert (answer.status, answer.body["reason"]) == (422, "Invalid")
    assert answer.body["message"].startswith(' "" is invalid: patch: Invalid value: ')


def test_patch_may_not_rename(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique}})
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", {"metadata": {"name": "another"}})
    assert answer.status == 400
    assert answer.body["message"] == (f"the name of the object (another) does not match the name on the URL ({unique})")
