# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract: which users are let in, and what stored roles and bindings allow."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from support.api.servers import ApiServer
from support.api.wire import Answer, Wire

RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
CONFIG_MAPS = "/api/v1/namespaces/{}/configmaps"


def eventually(ask: Callable[[], Answer], status: int, seconds: float = 5.0) -> Answer:
    """Ask until the answer has this status: the real server's authorizer sees a new binding a moment later."""
    deadline = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer.status == status or time.monotonic() > deadline:
            assert answer.status == status, answer
            return answer
        time.sleep(0.02)


def grant(
    wire: Wire, namespace: str, name: str, rule: dict[str, Any], subject: dict[str, str], role: str = "Role"
) -> None:
    where = f"{RBAC}/namespaces/{namespace}"
    plural = f"{where}/roles" if role == "Role" else f"{RBAC}/clusterroles"
    assert wire.post(plural, {"metadata": {"name": name}, "rules": [rule]}).status == 201
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": role, "name": name},
        "subjects": [subject],
    }
    assert wire.post(f"{where}/rolebindings", binding).status == 201


@pytest.fixture
def namespace(api: ApiServer, unique: str) -> str:
    api.wire().post("/api/v1/namespaces", {"metadata": {"name": unique}})
    api.wire().post(CONFIG_MAPS.format(unique), {"metadata": {"name": "bundle"}, "data": {"kubelet": "x"}})
    return unique


def test_without_credentials(api: ApiServer) -> None:
    answer = api.wire("").get("/api/v1/nodes")
    assert answer.status == 403
    assert answer.body["message"] == (
        'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope'
    )
    assert api.wire("").get("/version").status == 200
    assert api.wire("").get("/healthz").status == 200


def test_unknown_token(api: ApiServer) -> None:
    answer = api.wire("").get("/api/v1/nodes", headers={"Authorization": "Bearer nobody-knows-this"})
    assert answer.status == 401
    assert answer.body == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }


def test_user_without_rights(api: ApiServer, namespace: str) -> None:
    answer = api.wire("alice").get(f"{CONFIG_MAPS.format(namespace)}/bundle")
    assert (answer.status, answer.body["reason"]) == (403, "Forbidden")
    assert answer.body["message"] == (
        f'configmaps "bundle" is forbidden: User "alice" cannot get resource "configmaps" in API group "" in the '
        f'namespace "{namespace}"'
    )
    assert answer.body["details"] == {"name": "bundle", "kind": "configmaps"}
    answer = api.wire("alice").merge("/api/v1/nodes/x/status", {})
    assert answer.body["message"] == (
        'nodes "x" is forbidden: User "alice" cannot patch resource "nodes/status" in API group "" at the cluster scope'
    )


def test_nodes_read_bundles_only_where_a_binding_lets_them(api: ApiServer, namespace: str, unique: str) -> None:
    node = api.node_wire(unique)
    path = f"{CONFIG_MAPS.format(namespace)}/bundle"
    answer = node.get(path)
    assert answer.status == 403
    assert answer.body["message"].startswith(
        f'configmaps "bundle" is forbidden: User "system:node:{unique}" cannot get resource "configmaps" in API group '
        f'"" in the namespace "{namespace}": no relationship found between node \'{unique}\' and this object'
    )
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}
    grant(api.wire(), namespace, unique, rule, {"apiGroup": GROUP, "kind": "Group", "name": "system:nodes"})
    assert eventually(lambda: node.get(path), 200).body["data"] == {"kubelet": "x"}
    assert node.get(CONFIG_MAPS.format(namespace)).status == 403
    assert node.get(f"{CONFIG_MAPS.format('kube-system')}/bundle").status == 403
    assert node.merge(path, {"data": {"a": "1"}}).status == 403
    assert node.post(CONFIG_MAPS.format(namespace), {"metadata": {"name": "new"}}).status == 403
    assert node.delete(path).status == 403
    assert api.wire().delete(f"{RBAC}/namespaces/{namespace}/rolebindings/{unique}").status == 200
    eventually(lambda: node.get(path), 403)


@pytest.mark.parametrize(
    ("user", "groups", "subject"),
    [
        ("alice", [], {"kind": "User", "name": "alice", "apiGroup": GROUP}),
        ("bob", ["ops", "dev"], {"kind": "Group", "name": "dev", "apiGroup": GROUP}),
        ("carol", [], {"kind": "Group", "name": "system:authenticated", "apiGroup": GROUP}),
        (
            "system:serviceaccount:default:robot",
            ["system:serviceaccounts"],
            {"kind": "ServiceAccount", "name": "robot", "namespace": "default"},
        ),
    ],
)
def test_subjects(api: ApiServer, namespace: str, unique: str, user: str, groups: list[str], subject: Any) -> None:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"], "resourceNames": ["bundle"]}
    grant(api.wire(), namespace, unique, rule, subject)
    wire = api.wire(user, groups)
    eventually(lambda: wire.get(f"{CONFIG_MAPS.format(namespace)}/bundle"), 200)
    assert wire.get(f"{CONFIG_MAPS.format(namespace)}/other").status == 403
    assert api.wire("mallory").get(f"{CONFIG_MAPS.format(namespace)}/other").status == 403


def test_cluster_role_bound_in_one_namespace(api: ApiServer, namespace: str, unique: str) -> None:
    rule = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["list", "create", "delete"]}
    subject = {"kind": "User", "name": unique, "apiGroup": GROUP}
    grant(api.wire(), namespace, unique, rule, subject, role="ClusterRole")
    wire = api.wire(unique)
    eventually(lambda: wire.get(CONFIG_MAPS.format(namespace)), 200)
    assert wire.post(CONFIG_MAPS.format(namespace), {"metadata": {"name": "new"}}).status == 201
    assert wire.get(CONFIG_MAPS.format("default")).status == 403
    assert wire.get(f"{CONFIG_MAPS.format(namespace)}/bundle").status == 403
    assert wire.get("/api/v1/nodes").status == 403


def test_cluster_role_binding(api: ApiServer, unique: str) -> None:
    admin = api.wire()
    rules = [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]},
    ]
    admin.post(f"{RBAC}/clusterroles", {"metadata": {"name": unique}, "rules": rules})
    binding = {
        "metadata": {"name": unique},
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": unique},
        "subjects": [{"kind": "User", "name": unique}],
    }
    made = admin.post(f"{RBAC}/clusterrolebindings", binding)
    assert made.body["subjects"] == [{"kind": "User", "name": unique, "apiGroup": GROUP}]
    admin.post("/api/v1/nodes", {"metadata": {"name": unique}})
    wire = api.wire(unique)
    eventually(lambda: wire.get("/api/v1/nodes", limit=1), 200)
    assert wire.merge(f"/api/v1/nodes/{unique}", {"metadata": {"annotations": {"a": "1"}}}).status == 200
    assert wire.merge(f"/api/v1/nodes/{unique}/status", {"status": {}}).status == 403
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    assert wire.post(leases, {"metadata": {"name": unique}}).status == 201
    assert wire.delete(f"{leases}/{unique}").status == 403


def test_put_that_creates_needs_the_right_to_create(api: ApiServer, unique: str) -> None:
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["update"]}
    subject = {"kind": "User", "name": unique, "apiGroup": GROUP}
    grant(api.wire(), "default", unique, rule, subject)
    leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    admin, wire = api.wire(), api.wire(unique)
    item = admin.post(leases, {"metadata": {"name": unique}}).body
    eventually(lambda: wire.put(f"{leases}/{unique}", item), 200)
    assert wire.put(f"{leases}/{unique}-new", {"metadata": {"name": f"{unique}-new"}}).status == 403
