# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract: Nodes, their status, and what a node's own identity may do."""

from __future__ import annotations

from typing import Any

import pytest

from support.api.servers import ApiServer, Real
from support.api.wire import Wire

NODES = "/api/v1/nodes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
CONFIG_OK = {
    "type": "ConfigOK",
    "status": "True",
    "reason": "all checks passed",
    "message": "using current (UID: 1)",
    "lastHeartbeatTime": "2026-01-02T03:04:05Z",
    "lastTransitionTime": "2026-01-02T03:04:05Z",
}


def forbidden(answer: Any, message: str, **details: str) -> bool:
    assert answer.status == 403
    assert answer.body["reason"] == "Forbidden"
    assert answer.body["code"] == 403
    assert answer.body["message"].startswith(message), answer.body["message"]
    assert answer.body["details"] == details
    return True


def cannot(node: str, verb: str, what: str, group: str = "", where: str = "at the cluster scope") -> str:
    return f'User "system:node:{node}" cannot {verb} resource "{what}" in API group "{group}" {where}'


@pytest.fixture
def node(api: ApiServer, unique: str) -> Wire:
    """The identity of the node `unique`, which has registered itself with a label."""
    wire = api.node_wire(unique)
    answer = wire.post(NODES, {"metadata": {"name": unique, "labels": {"example.com/a": "1"}}})
    assert answer.status == 201
    return wire


def test_registered_node(api: ApiServer, node: Wire, unique: str) -> None:
    read = node.get(f"{NODES}/{unique}").body
    assert read["spec"] == {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]}
    assert read["status"]["daemonEndpoints"] == {"kubeletEndpoint": {"Port": 0}}
    assert read["status"]["nodeInfo"]["kubeletVersion"] == ""


def test_one_patch_writes_condition_annotation_and_labels(api: ApiServer, node: Wire, unique: str) -> None:
    patch = {
        "metadata": {
            "annotations": {"configok.dev/config-status": "{}"},
            "labels": {"configok.dev/config": "pool-0123456789", "configok.dev/config-ok": "True"},
        },
        "status": {"conditions": [CONFIG_OK]},
    }
    answer = node.strategic(f"{NODES}/{unique}/status", patch)
    assert answer.status == 200
    read = node.get(f"{NODES}/{unique}").body
    assert read["status"]["conditions"] == [CONFIG_OK]
    assert read["metadata"]["annotations"]["configok.dev/config-status"] == "{}"
    assert read["metadata"]["labels"] == {
        "example.com/a": "1",
        "configok.dev/config": "pool-0123456789",
        "configok.dev/config-ok": "True",
    }
    heartbeat = {**CONFIG_OK, "type": "Ready"}
    node.strategic(f"{NODES}/{unique}/status", {"status": {"conditions": [heartbeat]}})
    conditions = node.get(f"{NODES}/{unique}").body["status"]["conditions"]
    assert {condition["type"] for condition in conditions} == {"ConfigOK", "Ready"}


def test_status_and_the_rest_are_written_apart(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    path = f"{NODES}/{unique}"
    wire.post(NODES, {"metadata": {"name": unique}, "status": {"conditions": [CONFIG_OK]}})
    both: dict[str, Any] = {
        "spec": {"unschedulable": True},
        "status": {"conditions": [{"type": "ConfigOK", "status": "False"}]},
    }
    answer = wire.strategic(path, both)
    assert answer.body["spec"]["unschedulable"] is True
    assert answer.body["status"]["conditions"] == [CONFIG_OK]
    both["spec"]["unschedulable"] = None
    answer = wire.strategic(f"{path}/status", both)
    assert answer.body["spec"]["unschedulable"] is True
    assert answer.body["status"]["conditions"][0]["status"] == "False"
    item = wire.get(path).body
    item["status"]["conditions"] = []
    item["metadata"]["labels"] = {"a": "1"}
    answer = wire.put(path, item)
    assert answer.body["status"]["conditions"][0]["status"] == "False"
    assert answer.body["metadata"]["labels"]["a"] == "1"
    item = answer.body
    item["status"]["conditions"] = [CONFIG_OK]
    item["spec"] = {}
    item["metadata"]["labels"] = {"a": "2"}
    answer = wire.put(f"{path}/status", item)
    assert answer.status == 200
    assert answer.body["status"]["conditions"] == [CONFIG_OK]
    assert answer.body["spec"]["unschedulable"] is True
    assert answer.body["metadata"]["labels"]["a"] == "2"
    assert wire.get(f"{path}/status").body == answer.body


def test_condition_times_are_whole_seconds_in_utc(api: ApiServer, unique: str) -> None:
    wire = api.wire()
    wire.post(NODES, {"metadata": {"name": unique}})
    condition = {"type": "A", "status": "True", "lastHeartbeatTime": "2026-01-02T05:04:05.678+02:00"}
    answer = wire.strategic(f"{NODES}/{unique}/status", {"status": {"conditions": [condition]}})
    assert answer.body["status"]["conditions"] == [
        {"type": "A", "status": "True", "lastHeartbeatTime": "2026-01-02T03:04:05Z", "lastTransitionTime": None}
    ]


def test_node_may_not_write_another_node(api: ApiServer, node: Wire, unique: str) -> None:
    other = f"{unique}-other"
    api.wire().post(NODES, {"metadata": {"name": other}})
    for path in (f"{NODES}/{other}", f"{NODES}/{other}/status"):
        for send in (node.merge, node.strategic):
            forbidden(
                send(path, {"metadata": {"annotations": {"configok.dev/config-status": "{}"}}}),
                f'nodes "{other}" is forbidden: node "{unique}" is not allowed to modify node "{other}"',
                name=other,
                kind="nodes",
            )
    forbidden(
        node.post(NODES, {"metadata": {"name": f"{other}2"}}),
        f'nodes "{other}2" is forbidden: node "{unique}" is not allowed to modify node "{other}2"',
        name=f"{other}2",
        kind="nodes",
    )
    for name in (other, unique):
        forbidden(
            node.delete(f"{NODES}/{name}"),
            f'nodes "{name}" is forbidden: ' + cannot(unique, "delete", "nodes"),
            name=name,
            kind="nodes",
        )


@pytest.mark.parametrize(
    ("label", "allowed"),
    [
        ("configok.dev/config", True),
        ("kubernetes.io/hostname", True),
        ("node.kubernetes.io/anything", True),
        ("kubelet.kubernetes.io/anything", True),
        ("topology.kubernetes.io/zone", True),
        ("node-role.kubernetes.io/worker", False),
        ("kubernetes.io/anything", False),
        ("k8s.io/anything", False),
        ("node-restriction.kubernetes.io/a", False),
        ("example.node-restriction.kubernetes.io/a", False),
    ],
)
def test_labels_that_a_node_may_write(api: ApiServer, node: Wire, unique: str, label: str, allowed: bool) -> None:
    for path in (f"{NODES}/{unique}", f"{NODES}/{unique}/status"):
        answer = node.merge(path, {"metadata": {"labels": {label: "1"}}})
        if allowed:
            assert answer.status == 200
        else:
            message = f'nodes "{unique}" is forbidden: is not allowed to modify labels: {label}'
            forbidden(answer, message, name=unique, kind="nodes")


def test_node_may_not_write_its_taints(api: ApiServer, node: Wire, unique: str) -> None:
    answer = node.merge(f"{NODES}/{unique}", {"spec": {"taints": None}})
    message = f'nodes "{unique}" is forbidden: node "{unique}" is not allowed to modify taints'
    forbidden(answer, message, name=unique, kind="nodes")
    assert node.merge(f"{NODES}/{unique}", {"spec": {"unschedulable": True}}).status == 200


def test_node_reads_its_own_node(api: ApiServer, node: Wire, unique: str) -> None:
    assert node.get(f"{NODES}/{unique}").status == 200
    answer = node.get(NODES, fieldSelector=f"metadata.name={unique}")
    assert [item["metadata"]["name"] for item in answer.body["items"]] == [unique]
    with node.watch(NODES, fieldSelector=f"metadata.name={unique}") as watching:
        assert next(iter(watching))["object"]["metadata"]["name"] == unique


def test_node_reads_no_other_node(api: ApiServer, node: Wire, unique: str) -> None:
    if isinstance(api, Real) and api.minor < 32:
        pytest.skip("before Kubernetes 1.32 a node could read all Nodes; the embedded server is like the newer ones")
    api.wire().post(NODES, {"metadata": {"name": f"{unique}-other"}})
    forbidden(
        node.get(f"{NODES}/{unique}-other"),
        f'nodes "{unique}-other" is forbidden: ' + cannot(unique, "get", "nodes"),
        name=f"{unique}-other",
        kind="nodes",
    )
    forbidden(node.get(NODES), "nodes is forbidden: " + cannot(unique, "list", "nodes"), kind="nodes")


def test_node_lease(api: ApiServer, node: Wire, unique: str) -> None:
    lease = {"metadata": {"name": unique}, "spec": {"holderIdentity": unique, "leaseDurationSeconds": 40}}
    made = node.post(LEASES, lease)
    assert made.status == 201
    made.body["spec"]["renewTime"] = "2026-01-02T03:04:05.000006Z"
    assert node.put(f"{LEASES}/{unique}", made.body).status == 200
    assert node.get(f"{LEASES}/{unique}").body["spec"]["renewTime"] == "2026-01-02T03:04:05.000006Z"
    group, namespace = "coordination.k8s.io", 'in the namespace "kube-node-lease"'
    for verb, answer in (
        ("get", node.get(f"{LEASES}/other")),
        ("update", node.put(f"{LEASES}/other", {"metadata": {"name": "other"}})),
        ("patch", node.merge(f"{LEASES}/other", {})),
    ):
        message = 'leases.coordination.k8s.io "other" is forbidden: ' + cannot(unique, verb, "leases", group, namespace)
        message += ": can only access node lease with the same name as the requesting node"
        forbidden(answer, message, name="other", group=group, kind="leases")
    message = 'leases.coordination.k8s.io "other" is forbidden: can only access node lease with the same name as the '
    answer = node.post(LEASES, {"metadata": {"name": "other"}})
    forbidden(answer, message + "requesting node", name="other", group=group, kind="leases")
    elsewhere = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
    message = "leases.coordination.k8s.io is forbidden: " + cannot(
        unique, "create", "leases", group, 'in the namespace "default"'
    )
    forbidden(node.post(elsewhere, lease), message, group=group, kind="leases")


def test_node_identity_needs_the_group(api: ApiServer, unique: str) -> None:
    wire = api.wire(f"system:node:{unique}", ["some:group"])
    forbidden(wire.get(f"{NODES}/{unique}"), f'nodes "{unique}" is forbidden: ' + cannot(unique, "get", "nodes"),
              name=unique, kind="nodes")  # fmt: skip


def test_node_writes_events(api: ApiServer, node: Wire, unique: str) -> None:
    event = {
        "metadata": {"generateName": f"{unique}."},
        "involvedObject": {"kind": "Node", "name": unique, "uid": unique},
        "reason": "ConfigAdopted",
        "message": "adopted",
        "type": "Normal",
        "source": {"component": "configok-agent", "host": unique},
        "firstTimestamp": "2026-01-02T03:04:05Z",
        "lastTimestamp": "2026-01-02T03:04:05Z",
        "count": 1,
    }
    answer = node.post("/api/v1/namespaces/default/events", event)
    assert answer.status == 201
    name = answer.body["metadata"]["name"]
    assert node.merge(f"/api/v1/namespaces/default/events/{name}", {"count": 2}).body["count"] == 2
    listed = api.wire().get("/api/v1/events", fieldSelector=f"involvedObject.kind=Node,involvedObject.name={unique}")
    assert [item["reason"] for item in listed.body["items"]] == ["ConfigAdopted"]
    assert listed.body["items"][0]["eventTime"] is None
    assert listed.body["items"][0]["reportingComponent"] in ("", "configok-agent")
    reasons = api.wire().get("/api/v1/events", fieldSelector=f"reason=Nothing,involvedObject.name={unique}")
    assert reasons.body["items"] == []
    answer = node.get("/api/v1/namespaces/default/events")
    message = "events is forbidden: " + cannot(unique, "list", "events", "", 'in the namespace "default"')
    forbidden(answer, message, kind="events")


def test_event_of_a_node_lives_in_the_default_namespace(api: ApiServer, unique: str) -> None:
    event = {"metadata": {"name": unique}, "involvedObject": {"kind": "Node", "name": unique}}
    answer = api.wire().post("/api/v1/namespaces/kube-system/events", event)
    assert answer.status == 422
    assert 'involvedObject.namespace: Invalid value: "": does not match event.namespace' in answer.body["message"]
