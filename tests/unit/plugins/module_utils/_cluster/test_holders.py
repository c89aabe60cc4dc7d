# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holders of a permission are found through every way that RBAC has, and shown within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.holders import (
    Holder,
    Permission,
    RbacObjects,
    describe_holders,
    find_holders,
)

STATUS = Permission("nodes/status", ("patch", "update"))
BUNDLES = Permission("configmaps", ("create",), "configok-system")
CNI = {"kind": "ServiceAccount", "namespace": "kube-system", "name": "cni"}


def rule(resources: str, verbs: str, groups: str = "", names: Sequence[str] = ()) -> dict[str, Any]:
    item = {"apiGroups": groups.split(","), "resources": resources.split(","), "verbs": verbs.split(",")}
    return {**item, "resourceNames": list(names)} if names else item


def role(*rules: dict[str, Any], name: str = "r", namespace: str = "", **more: Any) -> dict[str, Any]:
    labels = more.pop("labels", {})
    return {"metadata": {"name": name, "namespace": namespace, "labels": labels}, "rules": list(rules), **more}


def binding(
    *subjects: dict[str, Any],
    role: str = "r",
    name: str = "b",
    namespace: str = "",
    kind: str = "ClusterRole",
    **labels: str,
) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"metadata": metadata, "roleRef": {"kind": kind, "name": role}, "subjects": list(subjects or [CNI])}


def names(holders: Sequence[Holder]) -> list[str]:
    return [f"{holder.kind} {holder.name}" for holder in holders]


@pytest.mark.parametrize(
    ("granted", "expected"),
    [
        (rule("nodes/status", "patch"), True),
        (rule("pods,nodes/status", "get,update"), True),
        (rule("*", "patch"), True),
        (rule("*/status", "patch"), True),
        (rule("nodes/status", "*"), True),
        (rule("nodes/status", "patch", "*"), True),
        (rule("nodes", "patch"), False),
        (rule("nodes/*", "patch"), False),
        (rule("nodes/status", "get,list"), False),
        (rule("nodes/status", "patch", "apps"), False),
        ({"nonResourceURLs": ["*"], "verbs": ["*"]}, False),
    ],
)
def test_rules(granted: dict[str, Any], expected: bool) -> None:
    rbac = RbacObjects([role(granted)], [binding()])
    assert bool(find_holders(rbac, [STATUS])) is expected


def test_aggregated_roles_and_those_that_they_aggregate() -> None:
    by_label = {"clusterRoleSelectors": [{"matchLabels": {"to": "a"}}]}
    by_expression = {"clusterRoleSelectors": [{"matchExpressions": [{"key": "to", "operator": "In", "values": ["b"]}]}]}
    roles = [
        role(name="r", aggregationRule=by_label),
        role(name="middle", labels={"to": "a"}, aggregationRule=by_expression),
        role(rule("nodes/status", "patch"), name="cni", labels={"to": "b"}),
    ]
    assert names(find_holders(RbacObjects(roles, [binding()]), [STATUS])) == ["ServiceAccount cni"]
    roles[2]["metadata"]["labels"] = {"to": "c"}
    assert find_holders(RbacObjects(roles, [binding()]), [STATUS]) == []


def test_a_role_that_aggregates_itself_ends() -> None:
    everything: dict[str, Any] = {"clusterRoleSelectors": [{}]}
    roles = [role(name=f"r{number}", aggregationRule=everything) for number in range(100)]
    roles.append(role(name="r", aggregationRule=everything))
    assert find_holders(RbacObjects(roles, [binding()]), [STATUS]) == []


def test_names_limit_writes_and_say_nothing_about_creations() -> None:
    limited = role(rule("nodes/status", "patch", names=["n2", "n1"]), rule("configmaps", "create", names=["x"]))
    [holder] = find_holders(RbacObjects([limited], [binding()]), [STATUS, BUNDLES])
    assert holder.names == ("n1", "n2")
    assert str(holder) == "ServiceAccount kube-system/cni (by ClusterRoleBinding b, only for n1, n2)"
    unlimited = role(rule("nodes/status", "patch"), name="all")
    bindings = [binding(), binding(role="all", name="c")]
    [holder] = find_holders(RbacObjects([limited, unlimited], bindings), [STATUS])
    assert (holder.names, holder.binding) == ((), "ClusterRoleBinding c")


def test_a_binding_of_a_namespace_is_about_this_namespace() -> None:
    edit = role(rule("configmaps,nodes/status", "*"), name="edit")
    local = role(rule("configmaps", "create"), name="edit", namespace="configok-system")
    bindings = [
        binding(role="edit", name="by-cluster-role", namespace="configok-system"),
        binding(
            {"kind": "Group", "name": "dev"}, role="edit", name="by-role", namespace="configok-system", kind="Role"
        ),
        binding({"kind": "User", "name": "far"}, role="edit", name="far", namespace="default"),
        binding({"kind": "User", "name": "lost"}, role="missing", name="lost"),
    ]
    holders = find_holders(RbacObjects([edit], [], [local], bindings), [STATUS, BUNDLES])
    assert names(holders) == ["Group dev", "ServiceAccount cni"]
    assert holders[0].binding == "RoleBinding configok-system/by-role"
    assert holders[0].role == "Role edit"


def test_kubernetes_itself_is_left_out_and_its_imitators_are_not() -> None:
    masters = {"kind": "Group", "name": "system:masters"}
    controller = {"kind": "ServiceAccount", "namespace": "kube-system", "name": "node-controller"}
    ours = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    bindings = [
        binding(masters, {"kind": "User", "name": "root"}, name="cluster-admin", **ours),
        binding(controller, {"kind": "User", "name": "eve"}, name="system:controller:node-controller", **ours),
        binding({**controller, "name": "x"}, name="system:controller:x"),
        binding({**controller, "name": "y"}, name="mine", **ours),
        binding({"kind": "Group", "name": "system:authenticated"}, name="system:all", **ours),
    ]
    holders = find_holders(RbacObjects([role(rule("*", "*", "*"))], bindings), [STATUS])
    assert names(holders) == [
        "Group system:authenticated", "ServiceAccount x", "ServiceAccount y", "User eve", "User root"
    ]  # fmt: skip


def test_bindings_of_this_collection_are_known_but_explain_no_other_grant() -> None:
    roles = [role(rule("nodes/status", "patch"))]
    own = binding({"kind": "User", "name": "runner"}, name="configok-runner")
    [holder] = find_holders(RbacObjects(roles, [own]), [STATUS], ["ClusterRoleBinding configok-runner"])
    assert holder.is_ours
    bindings = [own, binding({"kind": "User", "name": "runner"}, name="other")]
    [holder] = find_holders(RbacObjects(roles, bindings), [STATUS], ["ClusterRoleBinding configok-runner"])
    assert not holder.is_ours


def test_what_is_shown_is_bounded_and_harmless() -> None:
    subjects = [{"kind": "User", "name": f"u{number:04d}\x1b[31m"} for number in range(300)]
    holders = find_holders(RbacObjects([role(rule("*", "*"))], [binding(*subjects)]), [STATUS])
    assert len(holders) == 100
    text = describe_holders(holders, STATUS)
    assert text.startswith("User u0000 [31m (by ClusterRoleBinding b), ")
    assert text.endswith(" and 90 more")
    assert "\x1b" not in text
    assert describe_holders(holders, BUNDLES) == ""
    assert holders[0].describe()["permission"] == "patch or update nodes/status"
