# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each rule of the admission policies refuses what only it refuses, and lets pass what a cluster needs."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster._admission_parameters import subject_lines
from ansible_collections.configok.node.plugins.module_utils._cluster._admission_policies import (
    BUNDLES_POLICY,
    NODES_POLICY,
    admission_policies,
)
from support.api.policies import refusals

Object = dict[str, Any]

PARAMETERS = {
    "poolLabel": "node-restriction.kubernetes.io/pool",
    "breakGlass": subject_lines([{"kind": "Group", "name": "emergency"}], "break_glass_subjects"),
    "runners": subject_lines(
        [
            {"kind": "User", "name": "runner"},
            {"kind": "ServiceAccount", "namespace": "awx", "name": "workers", "pools": ["workers"]},
        ],
        "runner_subjects",
    ),
    "assigners": subject_lines([{"kind": "Group", "name": "operators"}], "assigner_subjects"),
    "machines": subject_lines([{"kind": "User", "name": "builder"}], "machine_subjects"),
    "publishers": subject_lines(
        [{"kind": "User", "name": "reviewer"}, {"kind": "User", "name": "db", "pools": ["db", "cache"]}],
        "publisher_subjects",
    ),
}


def policies(parameters: dict[str, str]) -> dict[str, Any]:
    items = admission_policies(["configok-system", "team-a"], parameters)
    return {item["metadata"]["name"]: item["spec"] for item in items if item["kind"] == "ValidatingAdmissionPolicy"}


NODES, BUNDLES = policies(PARAMETERS)[NODES_POLICY], policies(PARAMETERS)[BUNDLES_POLICY]
ASSIGNS, REPORTS, MACHINE, NOTHING_ELSE = (rule["message"] for rule in NODES["validations"])
FORM, NAME, PUBLISHES, UNCHANGED = (rule["message"] for rule in BUNDLES["validations"])

ALICE = {"username": "alice", "groups": ["system:authenticated"]}
ADMIN = {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]}
GLASS = {"username": "carol", "groups": ["emergency"]}
RUNNER = {"username": "runner"}  # the API server leaves empty groups out
POOL_RUNNER = {"username": "system:serviceaccount:awx:workers", "groups": ["system:serviceaccounts"]}
OPERATOR = {"username": "dave", "groups": ["operators"]}
BUILDER = {"username": "builder", "groups": ["system:authenticated"]}
NODE = {"username": "system:node:n1", "groups": ["system:nodes", "system:authenticated"]}
OTHER_NODE = {"username": "system:node:n2", "groups": ["system:nodes"]}
CNI = {"username": "system:serviceaccount:kube-system:cni", "groups": ["system:serviceaccounts:kube-system"]}

CONDITION = {"type": "ConfigOK", "status": "True", "reason": "x", "message": "y", "lastHeartbeatTime": "t"}
READY = {"type": "Ready", "status": "True", "lastHeartbeatTime": "1"}


def node(pool: str | None = "workers", **changes: Any) -> dict[str, Any]:
    labels = {"kubernetes.io/os": "linux", "configok.dev/config": "init", "configok.dev/config-ok": "True"}
    if pool is not None:
        labels["node-restriction.kubernetes.io/pool"] = pool
    annotations = {
        "configok.dev/config-source": "{}",
        "configok.dev/assignment": "1",
        "configok.dev/config-status": "{}",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }
    metadata = {"name": "n1", "uid": "u", "resourceVersion": "7", "labels": labels, "annotations": annotations}
    spec = {"podCIDR": "10.0.0.0/24", "taints": [{"key": "a", "effect": "NoSchedule"}]}
    item = {"metadata": metadata, "spec": spec, "status": {"conditions": [READY, CONDITION], "capacity": {"cpu": "2"}}}
    return changed(item, changes)


def changed(item: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a copy with values at paths with double underscores; None removes one."""
    result = copy.deepcopy(item)
    for path, value in changes.items():
        *parents, last = path.split("__")
        part = result
        for parent in parents:
            part = part.setdefault(parent, {})
        if value is None:
            part.pop(last, None)
        else:
            part[last] = value
    return result


def annotated(**annotations: str | None) -> dict[str, Any]:
    return {f"metadata__annotations__configok.dev/{key.replace('_', '-')}": text for key, text in annotations.items()}


def labelled(**labels: str | None) -> dict[str, Any]:
    return {f"metadata__labels__configok.dev/{key.replace('_', '-')}": text for key, text in labels.items()}


def update(user: dict[str, Any], old: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    new = changed(old, {"metadata__resourceVersion": "8", "metadata__managedFields": [{"manager": "m"}], **changes})
    request = {"operation": "UPDATE", "userInfo": user, "namespace": "configok-system"}
    return {"object": new, "oldObject": old, "request": request}


def create(user: dict[str, Any], item: dict[str, Any], namespace: str = "configok-system") -> dict[str, Any]:
    return {"object": item, "request": {"operation": "CREATE", "userInfo": user, "namespace": namespace}}


ASSIGNMENT = annotated(config_source='{"configMap": {}}', assignment="2")
ADOPTION = {
    **annotated(machine='{"machine": "n1"}'),
    "metadata__labels__zone": "a",
    "metadata__labels__node-restriction.kubernetes.io/pool": "db",
    "spec__taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "b", "effect": "NoExecute"}],
}
CORDON = {**annotated(cordoned_by="{}"), "spec__unschedulable": True}
MOVE = {"metadata__labels__node-restriction.kubernetes.io/pool": "workers"}
REPORT = {
    **annotated(config_status='{"v": 1}'),
    **labelled(config="workers-1"),
    "status__conditions": [READY, {**CONDITION, "status": "False"}],
}
HEARTBEAT = {"status__conditions": [{**READY, "lastHeartbeatTime": "2"}, CONDITION], "status__capacity": {"cpu": "4"}}
FIRST = node(
    **annotated(config_source=None, assignment=None, config_status=None),
    **labelled(config=None, config_ok=None),
    status__conditions=[READY],
)


@pytest.mark.parametrize(
    ("user", "old", "changes", "expected"),
    [
        # Assignments: runners and assigners of the pool.
        (RUNNER, node(), ASSIGNMENT, []),
        (POOL_RUNNER, node(), ASSIGNMENT, []),
        (OPERATOR, node(), ASSIGNMENT, []),
        (RUNNER, node(None), ASSIGNMENT, []),
        (RUNNER, FIRST, ASSIGNMENT, []),
        (RUNNER, node(), annotated(config_source=None, assignment="2"), []),
        (GLASS, node(), {**ASSIGNMENT, **REPORT}, []),
        (POOL_RUNNER, node("db"), ASSIGNMENT, [ASSIGNS]),
        (POOL_RUNNER, node(None), ASSIGNMENT, [ASSIGNS]),
        (POOL_RUNNER, node(""), ASSIGNMENT, [ASSIGNS]),
        (ALICE, node(), ASSIGNMENT, [ASSIGNS]),
        (ADMIN, node(), ASSIGNMENT, [ASSIGNS]),
        (CNI, node(), annotated(assignment="2"), [ASSIGNS]),
        (CNI, node(), annotated(config_source=None), [ASSIGNS]),
        (CNI, FIRST, annotated(config_source="{}"), [ASSIGNS]),
        (NODE, node(), annotated(assignment="9"), [ASSIGNS]),
        (ALICE, node(), annotated(cordoned_by="{}"), [ASSIGNS]),
        (ALICE, node(**annotated(cordoned_by="{}")), annotated(cordoned_by=None), [ASSIGNS]),
        ({"username": "reviewer"}, node(), ASSIGNMENT, [ASSIGNS]),
        # The pool is that before the request.
        (ADMIN, node("db"), {**ASSIGNMENT, **MOVE}, [ASSIGNS]),
        (
            POOL_RUNNER,
            node("db"),
            {**ASSIGNMENT, **MOVE},
            [ASSIGNS, NOTHING_ELSE],
        ),
        # A user name is not a group, and the other way round; no name makes a line of another.
        ({"username": "operators"}, node(), ASSIGNMENT, [ASSIGNS]),
        ({"username": "x", "groups": ["runner"]}, node(), ASSIGNMENT, [ASSIGNS]),
        ({"username": "x\n* User runner"}, node(), ASSIGNMENT, [ASSIGNS]),
        ({"username": "x", "groups": ["x", "* User runner", ""]}, node("* User"), ASSIGNMENT, [ASSIGNS]),
        # Reports: the node itself.
        (NODE, node(), REPORT, []),
        (NODE, FIRST, REPORT, []),
        (OTHER_NODE, node(), REPORT, [REPORTS]),
        (CNI, node(), annotated(config_status="{}x"), [REPORTS]),
        (CNI, node(), annotated(config_status=None), [REPORTS]),
        (CNI, node(), labelled(config="other"), [REPORTS]),
        (CNI, node(), labelled(config_ok=None), [REPORTS]),
        (CNI, node(), {"status__conditions": [READY]}, [REPORTS]),
        (CNI, node(), {"status__conditions": [READY, CONDITION, CONDITION]}, [REPORTS]),
        (CNI, node(), {"status__conditions": [READY, {**CONDITION, "status": "False"}]}, [REPORTS]),
        (ADMIN, node(), labelled(config_ok="False"), [REPORTS]),
        ({"username": "system:node:n1"}, node(), REPORT, [REPORTS]),
        # What others write on Nodes.
        (NODE, node(), HEARTBEAT, []),
        (CNI, node(), {"status__conditions": [READY, CONDITION, {"type": "NetworkUnavailable"}]}, []),
        (CNI, node(), {"metadata__annotations__cni/ip": "1"}, []),
        (ADMIN, node(), {"metadata__labels__zone": "a", "spec__unschedulable": True}, []),
        (ALICE, node(), {"spec__taints": []}, []),
        (ALICE, node(), {"metadata__annotations": node()["metadata"]["annotations"]}, []),
        # A runner needs a cordon, and nothing else.
        (RUNNER, node(), CORDON, []),
        (OPERATOR, node(**CORDON), {**annotated(cordoned_by=None), "spec__unschedulable": None}, []),
        (POOL_RUNNER, node(), {"spec__unschedulable": True}, []),
        (POOL_RUNNER, node("db"), {"spec__unschedulable": False}, []),
        (POOL_RUNNER, node("db"), {"spec__unschedulable": True}, [NOTHING_ELSE]),
        (POOL_RUNNER, node(None, spec__unschedulable=True), {"spec__unschedulable": None}, [NOTHING_ELSE]),
        (RUNNER, node(), {"metadata__labels__zone": "a"}, [NOTHING_ELSE]),
        (RUNNER, node(), {"metadata__labels": None}, [REPORTS, NOTHING_ELSE]),
        (OPERATOR, node(), {"spec__taints": []}, [NOTHING_ELSE]),
        (RUNNER, node(), {"spec__podCIDR": None}, [NOTHING_ELSE]),
        (RUNNER, node(), {"metadata__annotations__a": "b"}, [NOTHING_ELSE]),
        (RUNNER, node(), {"metadata__annotations__volumes.kubernetes.io/controller-managed-attach-detach": None},
         [NOTHING_ELSE]),
        (RUNNER, node(), {"metadata__finalizers": ["a"]}, [NOTHING_ELSE]),
        (RUNNER, node(), {"status__capacity": {"cpu": "8"}}, [NOTHING_ELSE]),
        ({**RUNNER, "groups": ["emergency"]}, node(), {"metadata__labels__zone": "a"}, []),
        # Machines: what a Machine declares, on Nodes of all pools.
        (BUILDER, node(), {**ADOPTION, **CORDON, **ASSIGNMENT}, []),
        (BUILDER, node(None), {**ADOPTION, **CORDON, **ASSIGNMENT}, []),
        (BUILDER, node(**ADOPTION), {**annotated(machine=None), "metadata__labels__zone": None, "spec__taints": None},
         []),
        ({**BUILDER, "groups": ["operators"]}, node(), ADOPTION, []),
        (BUILDER, node(), labelled(config_ok="False"), [REPORTS]),
        (BUILDER, node(), annotated(config_status="{}x"), [REPORTS, NOTHING_ELSE]),
        (BUILDER, node(), {"metadata__annotations__a": "b"}, [NOTHING_ELSE]),
        (BUILDER, node(), {"metadata__finalizers": ["a"]}, [NOTHING_ELSE]),
        (BUILDER, node(), {"spec__podCIDR": None}, [NOTHING_ELSE]),
        (BUILDER, node(), {"spec__providerID": "a"}, [NOTHING_ELSE]),
        (BUILDER, node(), {"status__capacity": {"cpu": "8"}}, [NOTHING_ELSE]),
        (RUNNER, node(), annotated(machine="{}"), [MACHINE]),
        (RUNNER, node(), ADOPTION, [MACHINE, NOTHING_ELSE]),
        (NODE, node(), annotated(machine="{}"), [MACHINE]),
        (ADMIN, node(), annotated(machine="{}"), [MACHINE]),
        (CNI, node(**annotated(machine="{}")), annotated(machine=None), [MACHINE]),
        (GLASS, node(), annotated(machine="{}"), []),
    ],
)  # fmt: skip
def test_updates_of_nodes(user: Object, old: Object, changes: Object, expected: list[str]) -> None:
    assert refusals(NODES, update(user, old, changes)) == expected


@pytest.mark.parametrize(
    ("user", "item", "expected"),
    [
        (NODE, FIRST, []),
        (ADMIN, FIRST, []),
        (NODE, changed(FIRST, {"metadata__annotations": None, "metadata__labels": None, "status": None}), []),
        (NODE, changed(FIRST, annotated(assignment="1")), [ASSIGNS]),
        (CNI, changed(FIRST, annotated(config_source="{}")), [ASSIGNS]),
        (NODE, changed(FIRST, annotated(config_status="{}")), [REPORTS]),
        (NODE, changed(FIRST, labelled(config_ok="True")), [REPORTS]),
        (ADMIN, changed(FIRST, {"status__conditions": [CONDITION]}), [REPORTS]),
        (RUNNER, FIRST, [NOTHING_ELSE]),
        (BUILDER, FIRST, [NOTHING_ELSE]),
        (NODE, changed(FIRST, annotated(machine="{}")), [MACHINE]),
        (GLASS, node(), []),
    ],
)
def test_a_new_node_is_accepted_or_refused_by_its_fields(
    user: dict[str, Any], item: dict[str, Any], expected: list[str]
) -> None:
    assert refusals(NODES, create(user, item)) == expected


def bundle(pool: str = "workers", **changes: Any) -> dict[str, Any]:
    labels = {"configok.dev/pool": pool, "configok.dev/hash-scheme": "1"}
    metadata = {
        "name": f"{pool}-0123456789",
        "labels": labels,
        "annotations": {"a": "b"},
    }
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "immutable": True, "data": {"kubelet": "x"}}
    return changed(item, changes)


REVIEWER, DB = {"username": "reviewer"}, {"username": "db", "groups": ["g"]}
PLAIN = {"metadata": {"name": "settings"}, "data": {"a": "b"}}


@pytest.mark.parametrize(
    ("user", "item", "expected"),
    [
        (RUNNER, bundle(), []),
        (REVIEWER, bundle("db"), []),
        (DB, bundle("cache"), []),
        (POOL_RUNNER, bundle(), []),
        (GLASS, bundle(), []),
        (GLASS, PLAIN, []),
        (POOL_RUNNER, bundle("db"), [PUBLISHES]),
        (DB, bundle(), [PUBLISHES]),
        (OPERATOR, bundle(), [PUBLISHES]),
        (ALICE, bundle(), [PUBLISHES]),
        (ADMIN, bundle(), [PUBLISHES]),
        (NODE, bundle(), [PUBLISHES]),
        (RUNNER, bundle(immutable=None), [FORM]),
        (RUNNER, bundle(immutable=False), [FORM]),
        (RUNNER, bundle(binaryData={"kubelet": "eA=="}), [FORM]),
        (RUNNER, bundle(metadata__name="workers-012345678"), [NAME]),
        (RUNNER, bundle(metadata__name="workers-012345678A"), [NAME]),
        (RUNNER, bundle(metadata__name="workers-2-0123456789"), [NAME]),
        (RUNNER, bundle(metadata__name="worker-0123456789"), [NAME]),
        (RUNNER, bundle(**labelled(hash_scheme=None)), [NAME]),
        (RUNNER, bundle(**labelled(hash_scheme="x")), [NAME]),
        (RUNNER, bundle(**labelled(pool=None)), [NAME]),
        (RUNNER, bundle(metadata__labels=None), [NAME]),
        (DB, bundle("db", **labelled(pool="cache")), [NAME]),
        (RUNNER, PLAIN, [FORM, NAME]),
        ({"username": "anyone"}, {"metadata": {"name": "kube-root-ca.crt"}, "data": {"ca.crt": ""}}, []),
    ],
)
def test_a_new_bundle_is_accepted_from_the_runners_of_its_pool(
    user: dict[str, Any], item: dict[str, Any], expected: list[str]
) -> None:
    assert refusals(BUNDLES, create(user, item)) == expected


@pytest.mark.parametrize(
    ("user", "old", "changes", "expected"),
    [
        (RUNNER, bundle(), {"metadata__annotations__configok.dev/signatures": "[]"}, [UNCHANGED]),
        (REVIEWER, bundle(), {"metadata__labels__configok.dev/pool": "db"}, [UNCHANGED]),
        (ADMIN, bundle(), {"data__kubelet": "y"}, [UNCHANGED]),
        (ADMIN, bundle(), {"immutable": None}, [UNCHANGED]),
        (ADMIN, bundle(), {"binaryData": {"a": "eA=="}}, [UNCHANGED]),
        (ADMIN, bundle(), {"metadata__ownerReferences": [{"uid": "u"}]}, [UNCHANGED]),
        (ADMIN, bundle(), {"metadata__finalizers": ["a"]}, [UNCHANGED]),
        # Storage is migrated by writes that change nothing, and a deletion ends when its finalizers are gone.
        (ADMIN, bundle(), {}, []),
        (ADMIN, bundle(metadata__finalizers=["foregroundDeletion"]), {"metadata__finalizers": None}, []),
        (GLASS, bundle(), {"metadata__annotations__configok.dev/signatures": "[]"}, []),
        (ALICE, {"metadata": {"name": "kube-root-ca.crt"}, "data": {"a": ""}}, {"data__a": "b"}, []),
    ],
)
def test_updates_of_bundles(user: Object, old: Object, changes: Object, expected: list[str]) -> None:
    assert refusals(BUNDLES, update(user, old, changes)) == expected


def test_in_a_namespace_of_others_only_bundles_are_held_to_the_rules() -> None:
    assert refusals(BUNDLES, create(ALICE, PLAIN, "team-a")) == []
    assert refusals(BUNDLES, create(ALICE, bundle(), "team-a")) == [PUBLISHES]
    becomes = update(ALICE, PLAIN, {"metadata__labels": bundle()["metadata"]["labels"], "immutable": True})
    becomes["request"]["namespace"] = "team-a"
    assert refusals(BUNDLES, becomes) == [UNCHANGED]
    hidden = update(ALICE, bundle(), {"metadata__labels": None})
    hidden["request"]["namespace"] = "team-a"
    assert refusals(BUNDLES, hidden) == [UNCHANGED]


UNUSUAL = {"runners": "x\n* \nUser runner", "breakGlass": "emergency\nGroup emergency", "publishers": "*"}


@pytest.mark.parametrize("parameters", [{}, {"poolLabel": ""}, UNUSUAL])
def test_no_heartbeat_is_refused_whatever_the_subjects_are(parameters: dict[str, str]) -> None:
    """Without heartbeats, a node is NotReady, and its pods are evicted."""
    nodes, bundles = policies(parameters)[NODES_POLICY], policies(parameters)[BUNDLES_POLICY]
    for user in (NODE, RUNNER, ADMIN, GLASS):
        assert refusals(nodes, update(user, node(), HEARTBEAT)) == []
        assert refusals(nodes, update(user, node(), ASSIGNMENT)) == [ASSIGNS]
        assert refusals(bundles, create(user, bundle())) == [PUBLISHES]
    assert refusals(nodes, update(NODE, node(), REPORT)) == []
    assert refusals(nodes, create(NODE, FIRST)) == []


def test_a_bare_node_passes() -> None:
    bare = {"metadata": {"name": "n1"}}
    for user in (NODE, RUNNER, ADMIN, {"username": "x"}):
        assert refusals(NODES, update(user, bare, {})) == []
    assert refusals(NODES, create(NODE, bare)) == []


def test_the_pool_label_can_be_another_one() -> None:
    nodes = policies({**PARAMETERS, "poolLabel": "example.com/pool"})[NODES_POLICY]
    old = node("db", **{"metadata__labels__example.com/pool": "workers"})
    assert refusals(nodes, update(POOL_RUNNER, old, ASSIGNMENT)) == []
    assert refusals(nodes, update(POOL_RUNNER, node(), ASSIGNMENT)) == [ASSIGNS]


def test_a_name_is_a_literal_whatever_it_contains() -> None:
    for name in ("o'neil", 'say "x"', "a\\b", "ümläut", "\U0001f511", "${x}", "' + 'x"):
        subject = [{"kind": "User", "name": name}]
        nodes = policies({"runners": subject_lines(subject, "runner_subjects")})[NODES_POLICY]
        assert refusals(nodes, update({"username": name}, node(), ASSIGNMENT)) == []
        assert refusals(nodes, update({"username": "x"}, node(), ASSIGNMENT)) == [ASSIGNS]


def test_the_policies_depend_on_no_other_object() -> None:
    """An API server may stop to read the parameters that a binding names, and then allows all or refuses heartbeats."""
    for item in admission_policies(["configok-system"], PARAMETERS):
        assert not {"paramKind", "paramRef"} & set(item["spec"])
        assert "params" not in str(item["spec"])
