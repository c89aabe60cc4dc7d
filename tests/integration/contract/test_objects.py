# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract: objects, versions, conflicts, deletion, namespaces, as both API servers have them."""

from __future__ import annotations

import re
import time

import pytest

from support.api.servers import ApiServer

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
NODES = "/api/v1/nodes"
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def config_map(name: str, **fields: object) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **fields}


def test_created_object_has_identity_and_version(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    answer = wire.post(CONFIG_MAPS, config_map(unique, data={"kubelet": "kind: KubeletConfiguration\n"}))
    assert answer.status == 201
    metadata = answer.body["metadata"]
    assert (answer.body["kind"], answer.body["apiVersion"]) == ("ConfigMap", "v1")
    assert metadata["name"] == unique
    assert metadata["namespace"] == "default"
    assert UUID.fullmatch(metadata["uid"])
    assert metadata["resourceVersion"].isdigit()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["creationTimestamp"])
    assert answer.headers["Content-Type"] == "application/json"
    read = wire.get(f"{CONFIG_MAPS}/{unique}")
    assert read.status == 200
    assert read.body == answer.body


def test_versions_grow_over_all_resources(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    first = wire.post(CONFIG_MAPS, config_map(unique)).body
    second = wire.post(NODES, {"metadata": {"name": unique}}).body
    third = wire.merge(f"{CONFIG_MAPS}/{unique}", {"data": {"a": "b"}}).body
    versions = [int(item["metadata"]["resourceVersion"]) for item in (first, second, third)]
    assert versions == sorted(set(versions))
    assert third["metadata"]["uid"] == first["metadata"]["uid"]
    assert third["metadata"]["creationTimestamp"] == first["metadata"]["creationTimestamp"]


def test_write_that_changes_nothing_keeps_the_version(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    before = wire.post(CONFIG_MAPS, config_map(unique, data={"a": "b"})).body
    assert wire.merge(f"{CONFIG_MAPS}/{unique}", {"data": {"a": "b"}}).body == before
    assert wire.put(f"{CONFIG_MAPS}/{unique}", before).body == before


def test_not_found(api: ApiServer, unique: str) -> None:
    for answer in (
        api.wire().get(f"{NODES}/{unique}"),
        api.wire().delete(f"{NODES}/{unique}"),
        api.wire().merge(f"{NODES}/{unique}", {"metadata": {"labels": {"a": "b"}}}),
        api.wire().put(f"{NODES}/{unique}", {"metadata": {"name": unique}}),
    ):
        assert answer.status == 404
        assert answer.body == {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": f'nodes "{unique}" not found',
            "reason": "NotFound",
            "details": {"name": unique, "kind": "nodes"},
            "code": 404,
        }


def test_not_found_in_a_group_names_the_group(api: ApiServer, unique: str) -> None:
    answer = api.wire().get(f"{LEASES}/{unique}")
    assert answer.body["message"] == f'leases.coordination.k8s.io "{unique}" not found'
    assert answer.body["details"] == {"name": unique, "group": "coordination.k8s.io", "kind": "leases"}


def test_already_exists(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, config_map(unique))
    answer = wire.post(CONFIG_MAPS, config_map(unique))
    assert (answer.status, answer.body["reason"], answer.body["code"]) == (409, "AlreadyExists", 409)
    assert answer.body["message"] == f'configmaps "{unique}" already exists'
    assert answer.body["details"] == {"name": unique, "kind": "configmaps"}


def test_conflict_on_put_and_patch_with_an_old_version(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    old = wire.post(CONFIG_MAPS, config_map(unique)).body
    wire.merge(f"{CONFIG_MAPS}/{unique}", {"data": {"a": "1"}})
    version = old["metadata"]["resourceVersion"]
    patch = {"metadata": {"resourceVersion": version}, "data": {"a": "2"}}
    for answer in (
        wire.put(f"{CONFIG_MAPS}/{unique}", old),
        wire.merge(f"{CONFIG_MAPS}/{unique}", patch),
        wire.strategic(f"{CONFIG_MAPS}/{unique}", patch),
    ):
        assert (answer.status, answer.body["reason"]) == (409, "Conflict")
        assert answer.body["details"] == {"name": unique, "kind": "configmaps"}
        assert answer.body["message"] == (
            f'Operation cannot be fulfilled on configmaps "{unique}": the object has been modified; please apply your '
            "changes to the latest version and try again"
        )
    assert wire.get(f"{CONFIG_MAPS}/{unique}").body["data"] == {"a": "1"}


def test_put_without_version(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, config_map(unique, data={"a": "1"}))
    assert wire.put(f"{CONFIG_MAPS}/{unique}", config_map(unique, data={"b": "2"})).body["data"] == {"b": "2"}
    wire.post(LEASES, {"metadata": {"name": unique}, "spec": {"holderIdentity": "a"}})
    answer = wire.put(f"{LEASES}/{unique}", {"metadata": {"name": unique}, "spec": {"holderIdentity": "b"}})
    assert (answer.status, answer.body["reason"]) == (422, "Invalid")
    message = (
        r"metadata\.resourceVersion: Invalid value: (0x0|0): must be specified for an update"  # 0 of newer servers
    )
    assert re.search(message, answer.body["message"])


def test_put_with_another_uid_is_a_conflict(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    item = wire.post(CONFIG_MAPS, config_map(unique)).body
    item["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"
    answer = wire.put(f"{CONFIG_MAPS}/{unique}", item)
    assert (answer.status, answer.body["reason"]) == (409, "Conflict")
    assert "Precondition failed: UID in precondition" in answer.body["message"]


def test_put_and_patch_may_not_rename(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, config_map(unique))
    answer = wire.put(f"{CONFIG_MAPS}/{unique}", config_map("another"))
    assert (answer.status, answer.body["reason"]) == (400, "BadRequest")
    assert answer.body["message"] == (f"the name of the object (another) does not match the name on the URL ({unique})")


def test_lease_is_created_by_put(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    spec = {"holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": "2026-01-02T03:04:05.000006Z"}
    answer = wire.put(f"{LEASES}/{unique}", {"metadata": {"name": unique}, "spec": spec})
    assert answer.status == 201
    assert answer.body["spec"] == spec
    assert (answer.body["kind"], answer.body["apiVersion"]) == ("Lease", "coordination.k8s.io/v1")


def test_generate_name(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    names = set()
    for _each in range(2):
        answer = wire.post(CONFIG_MAPS, {"metadata": {"generateName": f"{unique}-"}})
        assert answer.status == 201
        assert answer.body["metadata"]["generateName"] == f"{unique}-"
        assert re.fullmatch(rf"{unique}-[bcdfghjklmnpqrstvwxz2456789]{{5}}", answer.body["metadata"]["name"])
        names.add(answer.body["metadata"]["name"])
    assert len(names) == 2


def test_create_refuses_a_resource_version(api: ApiServer, unique: str) -> None:
    body = {"metadata": {"name": unique, "resourceVersion": "7"}}
    answer = api.wire().post(CONFIG_MAPS, body)
    assert answer.status == 500
    assert "resourceVersion should not be set on objects to be created" in answer.body["message"]


def test_create_in_a_missing_namespace(api: ApiServer, unique: str) -> None:
    answer = api.wire().post(f"/api/v1/namespaces/{unique}/configmaps", config_map("a"))
    assert (answer.status, answer.body["reason"]) == (404, "NotFound")
    assert answer.body["message"] == f'namespaces "{unique}" not found'
    assert answer.body["details"] == {"name": unique, "kind": "namespaces"}


def test_create_refuses_a_namespace_that_differs_from_the_path(api: ApiServer, unique: str) -> None:
    answer = api.wire().post(CONFIG_MAPS, {"metadata": {"name": unique, "namespace": "kube-system"}})
    assert (answer.status, answer.body["reason"]) == (400, "BadRequest")
    assert "namespace of the provided object does not match the namespace sent on the request" in answer.body["message"]


def test_namespaces(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    names = {item["metadata"]["name"] for item in wire.get("/api/v1/namespaces").body["items"]}
    assert {"default", "kube-node-lease", "kube-public", "kube-system"} <= names
    answer = wire.post("/api/v1/namespaces", {"metadata": {"name": unique}})
    assert answer.status == 201
    assert answer.body["spec"] == {"finalizers": ["kubernetes"]}
    assert answer.body["status"] == {"phase": "Active"}
    where = f"/api/v1/namespaces/{unique}/configmaps"
    assert wire.post(where, config_map("a")).status == 201
    assert wire.get(f"{where}/a").body["metadata"]["namespace"] == unique
    answer = wire.delete(f"/api/v1/namespaces/{unique}")
    assert answer.status == 200
    assert answer.body["kind"] == "Namespace"
    assert answer.body["status"]["phase"] == "Terminating"
    assert answer.body["metadata"]["deletionTimestamp"]


def test_default_namespace_may_not_be_deleted(api: ApiServer) -> None:
    answer = api.wire().delete("/api/v1/namespaces/default")
    assert (answer.status, answer.body["reason"]) == (403, "Forbidden")
    assert answer.body["message"] == 'namespaces "default" is forbidden: this namespace may not be deleted'


def test_delete(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    item = wire.post(CONFIG_MAPS, config_map(unique)).body
    answer = wire.delete(f"{CONFIG_MAPS}/{unique}")
    assert answer.status == 200
    assert answer.body["kind"] == "Status"
    assert answer.body["status"] == "Success"
    assert answer.body["details"] == {"name": unique, "kind": "configmaps", "uid": item["metadata"]["uid"]}
    assert wire.get(f"{CONFIG_MAPS}/{unique}").status == 404
    again = wire.post(CONFIG_MAPS, config_map(unique)).body
    assert again["metadata"]["uid"] != item["metadata"]["uid"]


@pytest.mark.parametrize(("field", "word"), [("uid", "UID"), ("resourceVersion", "ResourceVersion")])
def test_delete_preconditions(api: ApiServer, unique: str, field: str, word: str) -> None:
    wire = api.wire()
    item = wire.post(CONFIG_MAPS, config_map(unique)).body
    wrong = {"preconditions": {field: "1"}}
    answer = wire.delete(f"{CONFIG_MAPS}/{unique}", wrong)
    assert (answer.status, answer.body["reason"]) == (409, "Conflict")
    assert answer.body["message"].startswith(
        f'Operation cannot be fulfilled on ConfigMap "{unique}": the {word} in the precondition (1) does not match '
        f"the {word} in record ({item['metadata'][field]})."
    )
    right = {"preconditions": {field: item["metadata"][field]}}
    assert wire.delete(f"{CONFIG_MAPS}/{unique}", right).status == 200


def test_finalizers_hold_a_deletion(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, {"metadata": {"name": unique, "finalizers": ["configok.dev/test"]}})
    answer = wire.delete(f"{CONFIG_MAPS}/{unique}")
    assert answer.status == 200
    assert answer.body["metadata"]["deletionTimestamp"]
    assert wire.get(f"{CONFIG_MAPS}/{unique}").status == 200
    assert wire.merge(f"{CONFIG_MAPS}/{unique}", {"metadata": {"finalizers": None}}).status == 200
    assert wire.get(f"{CONFIG_MAPS}/{unique}").status == 404


def test_dry_run_stores_nothing(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    answer = wire.post(CONFIG_MAPS, config_map(unique), dryRun="All")
    assert answer.status == 201
    assert UUID.fullmatch(answer.body["metadata"]["uid"])
    assert "resourceVersion" not in answer.body["metadata"]
    assert wire.get(f"{CONFIG_MAPS}/{unique}").status == 404
    item = wire.post(CONFIG_MAPS, config_map(unique, data={"a": "1"})).body
    for tried in (
        wire.merge(f"{CONFIG_MAPS}/{unique}", {"data": {"a": "2"}}, dryRun="All"),
        wire.put(f"{CONFIG_MAPS}/{unique}", config_map(unique, data={"a": "2"}), dryRun="All"),
    ):
        assert tried.status == 200
        assert tried.body["data"] == {"a": "2"}
    assert wire.delete(f"{CONFIG_MAPS}/{unique}", dryRun="All").status == 200
    assert wire.get(f"{CONFIG_MAPS}/{unique}").body == item


def test_dry_run_checks_all_the_same(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(CONFIG_MAPS, config_map(unique))
    assert wire.post(CONFIG_MAPS, config_map(unique), dryRun="All").body["reason"] == "AlreadyExists"
    assert wire.post(CONFIG_MAPS, config_map("No_Name"), dryRun="All").status == 422
    assert wire.merge(f"{CONFIG_MAPS}/{unique}-no", {}, dryRun="All").status == 404
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", {}, dryRun="Some")
    assert (answer.status, answer.body["reason"]) == (422, "Invalid")
    assert "dryRun: Unsupported value: " in answer.body["message"]


def test_bodies_that_are_not_valid_objects_are_refused(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    assert wire.post(CONFIG_MAPS, b"{").status == 400
    answer = wire.post(
        CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": unique}, "data": {"a": 1}}
    )
    assert (answer.status, answer.body["reason"]) == (400, "BadRequest")
    assert answer.body["message"].startswith('ConfigMap in version "v1" cannot be handled as a ConfigMap: ')
    answer = wire.post(CONFIG_MAPS, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": unique}})
    assert (answer.status, answer.body["reason"]) == (400, "BadRequest")
    wire.post(CONFIG_MAPS, config_map(unique))
    answer = wire.request("PATCH", f"{CONFIG_MAPS}/{unique}", {}, content_type="text/plain")
    assert (answer.status, answer.body["reason"]) == (415, "UnsupportedMediaType")


def test_body_larger_than_3_mebibytes(api: ApiServer, unique: str) -> None:
    answer = api.wire().post(CONFIG_MAPS, config_map(unique, data={"a": "x" * (3 * 1024 * 1024)}))
    assert (answer.status, answer.body["reason"]) == (413, "RequestEntityTooLarge")
    assert "limit is 3145728" in answer.body["message"]


def test_unknown_fields_are_dropped(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    source = {"configMap": {"namespace": "a", "name": "b", "uid": "c", "kubeletConfigKey": "d"}}
    wire.post(NODES, {"metadata": {"name": unique}, "spec": {"configSource": source, "nonsense": 1}})
    read = wire.get(f"{NODES}/{unique}").body
    assert "configSource" not in read["spec"]
    assert "nonsense" not in read["spec"]


def test_version_and_health(api: ApiServer) -> None:
    wire = api.wire()
    version = wire.get("/version").body
    assert version["major"] == "1"
    assert version["minor"].rstrip("+").isdigit()
    assert version["gitVersion"].startswith("v1.")
    for path in ("/healthz", "/livez", "/readyz"):
        answer = wire.get(path)
        assert (answer.status, answer.body) == (200, "ok")


def test_an_answer_has_the_time_of_the_server(api: ApiServer) -> None:
    with api.client() as client:
        before, server_time, after = time.time(), client.server_time(), time.time()
    assert server_time is not None
    assert int(before) <= server_time <= after
