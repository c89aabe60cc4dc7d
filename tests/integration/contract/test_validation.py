# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract: what is refused as invalid, and the limits."""

from __future__ import annotations

from typing import Any

import pytest

from support.api.servers import ApiServer

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
NODES = "/api/v1/nodes"
EVENTS = "/api/v1/namespaces/default/events"


@pytest.mark.parametrize(
    ("path", "body", "what", "why"),
    [
        (
            CONFIG_MAPS,
            {"metadata": {"name": "No_Name"}},
            'ConfigMap "No_Name"',
            'metadata.name: Invalid value: "No_Name": ',
        ),
        (
            CONFIG_MAPS,
            {"metadata": {}},
            'ConfigMap ""',
            "metadata.name: Required value: name or generateName is required",
        ),
        (CONFIG_MAPS, {"metadata": {"name": "a" * 254}}, f'ConfigMap "{"a" * 254}"', "metadata.name: Invalid value: "),
        (NODES, {"metadata": {"name": "-x"}}, 'Node "-x"', 'metadata.name: Invalid value: "-x": '),
        (
            "/api/v1/namespaces",
            {"metadata": {"name": "a.b"}},
            'Namespace "a.b"',
            'metadata.name: Invalid value: "a.b": ',
        ),
        (
            CONFIG_MAPS,
            {"metadata": {"name": "v", "labels": {"a/b/c": "x"}}},
            'ConfigMap "v"',
            'metadata.labels: Invalid value: "a/b/c": ',
        ),
        (
            CONFIG_MAPS,
            {"metadata": {"name": "v", "labels": {"a": "x y"}}},
            'ConfigMap "v"',
            'metadata.labels: Invalid value: "x y": ',
        ),
        (
            CONFIG_MAPS,
            {"metadata": {"name": "v", "annotations": {"a b": ""}}},
            'ConfigMap "v"',
            'metadata.annotations: Invalid value: "a b": ',
        ),
        (
            CONFIG_MAPS,
            {"metadata": {"name": "v"}, "data": {"a/b": ""}},
            'ConfigMap "v"',
            'data[a/b]: Invalid value: "a/b": ',
        ),
        (
            CONFIG_MAPS,
            {"metadata": {"name": "v"}, "data": {"a": ""}, "binaryData": {"a": ""}},
            'ConfigMap "v"',
            'data[a]: Invalid value: "a": duplicate of key present in binaryData',
        ),
        (
            LEASES,
            {"metadata": {"name": "v"}, "spec": {"leaseDurationSeconds": 0}},
            'Lease.coordination.k8s.io "v"',
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
        ),
        (
            NODES,
            {"metadata": {"name": "v"}, "spec": {"taints": [{"key": "a", "effect": "Never"}]}},
            'Node "v"',
            'metadata.taints[0].effect: Unsupported value: "Never"',
        ),
        (
            EVENTS,
            {"metadata": {"name": "v"}, "involvedObject": {"kind": "Pod", "namespace": "other", "name": "p"}},
            'Event "v"',
            'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
        ),
    ],
)
def test_invalid_objects(api: ApiServer, path: str, body: dict[str, Any], what: str, why: str) -> None:
    answer = api.wire().post(path, body)
    assert (answer.status, answer.body["reason"], answer.body["code"]) == (422, "Invalid", 422)
    assert answer.body["message"].startswith(f"{what} is invalid: {why}")
    assert answer.body["details"]["causes"][0]["field"] in answer.body["message"]
    assert answer.body["details"]["kind"] in ("ConfigMap", "Node", "Namespace", "Lease", "Event")


@pytest.mark.parametrize("time", ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123Z", "yesterday"])
def test_lease_times_have_six_digits(api: ApiServer, unique: str, time: str) -> None:
    answer = api.wire().post(LEASES, {"metadata": {"name": unique}, "spec": {"renewTime": time}})
    assert (answer.status, answer.body["reason"]) == (400, "BadRequest")
    assert answer.body["message"].startswith('Lease in version "v1" cannot be handled as a Lease: ')


def test_config_map_of_one_mebibyte(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    fits = {"metadata": {"name": unique}, "data": {"a": "x" * 1024 * 1024}}
    assert wire.post(CONFIG_MAPS, fits).status == 201
    answer = wire.merge(f"{CONFIG_MAPS}/{unique}", {"data": {"b": "x"}})
    assert (answer.status, answer.body["reason"]) == (422, "Invalid")
    assert f'ConfigMap "{unique}" is invalid: []: Too long' in answer.body["message"]
    assert "1048576" in answer.body["message"]


def test_annotations_of_256_kibibytes(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(NODES, {"metadata": {"name": unique}})
    fits = {"metadata": {"annotations": {"a": "x" * (256 * 1024 - 1)}}}
    assert wire.merge(f"{NODES}/{unique}", fits).status == 200
    answer = wire.merge(f"{NODES}/{unique}", {"metadata": {"annotations": {"b": ""}}})
    assert (answer.status, answer.body["reason"]) == (422, "Invalid")
    assert "metadata.annotations: Too long" in answer.body["message"]


def test_immutable_config_map(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    path = f"{CONFIG_MAPS}/{unique}"
    item = wire.post(CONFIG_MAPS, {"metadata": {"name": unique}, "data": {"a": "1"}, "immutable": True}).body
    assert item["immutable"] is True
    for patch, field in (
        ({"data": {"a": "2"}}, "data"),
        ({"data": {"b": "2"}}, "data"),
        ({"data": None}, "data"),
        ({"binaryData": {"b": "Mg=="}}, "binaryData"),
        ({"immutable": False}, "immutable"),
        ({"immutable": None}, "immutable"),
    ):
        answer = wire.merge(path, patch)
        assert (answer.status, answer.body["reason"]) == (422, "Invalid")
        assert answer.body["message"] == (
            f'ConfigMap "{unique}" is invalid: {field}: Forbidden: field is immutable when `immutable` is set'
        )
        assert answer.body["details"] == {
            "name": unique,
            "kind": "ConfigMap",
            "causes": [
                {
                    "reason": "FieldValueForbidden",
                    "message": "Forbidden: field is immutable when `immutable` is set",
                    "field": field,
                }
            ],
        }
    changed = wire.merge(path, {"metadata": {"labels": {"still": "writable"}}})
    assert changed.status == 200
    assert changed.body["data"] == {"a": "1"}


def test_provider_id_is_set_once(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(NODES, {"metadata": {"name": unique}})
    assert wire.merge(f"{NODES}/{unique}", {"spec": {"providerID": "a://1"}}).status == 200
    answer = wire.merge(f"{NODES}/{unique}", {"spec": {"providerID": "a://2"}})
    assert answer.status == 422
    assert "spec.providerID: Forbidden: node updates may not change providerID" in answer.body["message"]


def test_role_ref_may_not_change(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings"
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"}
    assert wire.post(path, {"metadata": {"name": unique}, "roleRef": reference}).status == 201
    answer = wire.merge(f"{path}/{unique}", {"roleRef": {"name": "b"}})
    assert (answer.status, answer.body["reason"]) == (422, "Invalid")
    assert "cannot change roleRef" in answer.body["message"]


def test_role_needs_verbs(api: ApiServer, unique: str) -> None:
    path = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    rules = [{"verbs": [], "apiGroups": [""], "resources": ["nodes"]}]
    answer = api.wire().post(path, {"metadata": {"name": unique}, "rules": rules})
    assert answer.status == 422
    assert "rules[0].verbs: Required value" in answer.body["message"]
