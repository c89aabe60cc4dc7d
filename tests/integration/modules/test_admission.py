# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The admission policies on a real API server: it compiles them, refuses what they forbid, and lets pass the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster._admission_parameters import read_literals
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.modules import cluster_access
from support.ansible_runs.modules import run_module
from support.api.clusters import look
from support.api.namespaces import finish_deletions
from support.api.servers import Real
from support.api.wire import Answer
from support.session.patience import LONGEST_WAIT

GLASS, RUNNER, DB_RUNNER, CNI, BUILDER = "glass", "runner", "db-runner", "cni", "builder"
POOL_LABEL = "node-restriction.kubernetes.io/pool"
POLICY = "ValidatingAdmissionPolicy"
TRY = "?dryRun=All"
RBAC = "rbac.authorization.k8s.io"
OPTIONS = {
    "runner_subjects": [{"kind": "User", "name": RUNNER}, {"kind": "User", "name": DB_RUNNER, "pools": ["db"]}],
    "publisher_subjects": [{"kind": "Group", "name": "reviewers"}],
    "assigner_subjects": [{"kind": "User", "name": "assigner", "pools": ["workers"]}],
    "machine_subjects": [{"kind": "User", "name": BUILDER}],
    "admission": True,
    "break_glass_subjects": [{"kind": "User", "name": GLASS}],
}


def access(api: Real, user: str = "admin", **arguments: Any) -> dict[str, Any]:
    """Run cluster_access as a user of system:masters."""
    mode = {key: arguments.pop(key) for key in ("check", "diff") if key in arguments}
    kubeconfig = api.kubeconfig_for(user, ["system:masters"])
    return run_module(cluster_access.main, {"kubeconfig": kubeconfig, **arguments}, **mode)


def eventually(ask: Callable[[], Answer], status: int, seconds: float = LONGEST_WAIT) -> Answer:
    """Ask until the answer has this status: the API server sees a new policy some moments later.

    A request that was admitted once has changed the object, and changes nothing the next time: ask with TRY.
    """
    deadline = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer.status == status or time.monotonic() > deadline:
            assert answer.status == status, answer
            return answer
        time.sleep(0.1)


def warnings_of(result: dict[str, Any]) -> str:
    return str(result.get("warnings", ""))


@pytest.fixture
def policed(policed_api: Real, unique: str) -> Iterator[Real]:
    """The API server with policies in force, and a Node of this name of pool workers."""
    result = access(policed_api, GLASS, **OPTIONS)
    assert not result.get("failed"), result
    assert result["admission"] == "enabled"
    admin = policed_api.client()
    rules = [{"apiGroups": [""], "resources": ["nodes", "nodes/status", "configmaps"], "verbs": ["*"]}]
    if look(admin, paths.cluster_role(CNI)) is None:
        admin.create(paths.CLUSTER_ROLES, {"metadata": {"name": CNI}, "rules": rules})
        reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": CNI}
        subjects = [{"kind": "User", "name": user, "apiGroup": RBAC} for user in (CNI, RUNNER)]
        binding = {"metadata": {"name": CNI}, "roleRef": reference, "subjects": subjects}
        admin.create(paths.CLUSTER_ROLE_BINDINGS, binding)
    wire = policed_api.wire()
    metadata = {"name": unique, "labels": {POOL_LABEL: "workers"}}
    lie = {"metadata": {**metadata, "annotations": {"configok.dev/config-status": "{}"}}}
    eventually(lambda: wire.post(paths.NODES + TRY, lie), 403)
    assert wire.post(paths.NODES, {"metadata": metadata}).status == 201
    probe = paths.config_maps("configok-system") + TRY
    eventually(lambda: wire.post(probe, {"metadata": {"name": unique}}), 403)
    yield policed_api
    access(policed_api, GLASS, state="absent", force=True)
    finish_deletions(admin)
    admin.delete(paths.node(unique))


def assignment(value: str | None = "{}") -> dict[str, Any]:
    return {"metadata": {"annotations": {"configok.dev/config-source": value, "configok.dev/assignment": "1"}}}


def condition(status: str, kind: str = "ConfigOK") -> dict[str, Any]:
    return {"status": {"conditions": [{"type": kind, "status": status, "reason": "r", "message": "m"}]}}


def refused(answer: Answer, by: str, why: str) -> None:
    assert answer.status == 403, answer
    assert f"{POLICY} '{by}'" in answer.body["message"]
    assert why in answer.body["message"]


def test_assignments_are_for_runners_of_the_pool(policed: Real, unique: str) -> None:
    node, status = paths.node(unique), paths.node_status(unique)
    why = "only the runners of the pool of a Node may change"
    for wire, path in [
        (policed.wire(CNI), node),
        (policed.wire(CNI), status),
        (policed.wire(), status),
        (policed.wire(DB_RUNNER), node),
        (policed.node_wire(unique), node),
        (policed.node_wire(unique), status),
    ]:
        refused(wire.strategic(path, assignment()), "configok-nodes", why)
        refused(wire.merge(path, assignment()), "configok-nodes", why)
    named = policed.wire(DB_RUNNER).merge(node, assignment()).body["message"]
    assert "denied request: user db-runner is not a runner of pool workers: only" in named
    whole = policed.wire(CNI).get(node).body
    whole["metadata"]["annotations"] = assignment()["metadata"]["annotations"]
    refused(policed.wire(CNI).put(status, whole), "configok-nodes", why)
    for user in (RUNNER, "assigner", GLASS):
        groups = ["system:masters"] if user == GLASS else []
        assert policed.wire(user, groups).strategic(node, assignment(f'{{"{user}":1}}')).status == 200
    refused(policed.wire(CNI).merge(status, assignment(None)), "configok-nodes", why)


def test_a_runner_changes_nothing_else_of_a_node(policed: Real, unique: str) -> None:
    node, runner = paths.node(unique), policed.wire(RUNNER)
    cordon = {"metadata": {"annotations": {"configok.dev/cordoned-by": "{}"}}, "spec": {"unschedulable": True}}
    assert runner.merge(node, cordon).status == 200
    why = "a runner may change the assignment of a Node"
    for body in (
        {"metadata": {"labels": {"zone": "a"}}},
        {"metadata": {"annotations": {"other": "a"}}},
        {"metadata": {"finalizers": ["example.com/a"]}},
        {"spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}},
        {"spec": {"providerID": "a"}},
    ):
        refused(runner.merge(node, body), "configok-nodes", why)
    refused(runner.merge(paths.node_status(unique), condition("False", "Ready")), "configok-nodes", why)
    refused(runner.post(paths.NODES, {"metadata": {"name": f"{unique}-new"}}), "configok-nodes", why)
    back = {"metadata": {"annotations": {"configok.dev/cordoned-by": None}}, "spec": {"unschedulable": None}}
    assert runner.merge(node, back).status == 200


def test_a_subject_for_machines_changes_what_a_machine_declares(policed: Real, unique: str) -> None:
    node, builder = paths.node(unique), policed.wire(BUILDER)
    machine = {"metadata": {"annotations": {"configok.dev/machine": "{}"}}}
    why = "only the subjects that may change machines may change configok.dev/machine"
    for wire in (policed.wire(), policed.wire(CNI), policed.wire(RUNNER), policed.node_wire(unique)):
        refused(wire.merge(node, machine), "configok-nodes", why)
    annotations = {"configok.dev/machine": "{}", **assignment()["metadata"]["annotations"]}
    change = {
        "metadata": {"labels": {"zone": "b", POOL_LABEL: "db"}, "annotations": annotations},
        "spec": {"taints": [{"key": "a", "effect": "NoExecute"}], "unschedulable": True},
    }
    assert builder.merge(node, change).status == 200
    assert builder.strategic(node, {"metadata": {"labels": {"zone": None}}, "spec": {"taints": None}}).status == 200
    for body in (
        {"metadata": {"annotations": {"other": "a"}}},
        {"metadata": {"finalizers": ["example.com/a"]}},
        {"spec": {"providerID": "a"}},
    ):
        refused(builder.merge(node, body), "configok-nodes", "a runner may change the assignment of a Node")
    lie = {"metadata": {"labels": {"configok.dev/config-ok": "True"}}}
    refused(builder.merge(node, lie), "configok-nodes", "only the node itself may change")


def test_only_a_node_reports_for_itself(policed: Real, unique: str) -> None:
    status, why = paths.node_status(unique), "only the node itself may change"
    report = {
        "metadata": {
            "annotations": {"configok.dev/config-status": "{}"},
            "labels": {"configok.dev/config": "init", "configok.dev/config-ok": "True"},
        },
        **condition("True"),
    }
    assert policed.node_wire(unique).strategic(status, report).status == 200
    for wire in (policed.wire(CNI), policed.wire()):
        for body in (
            condition("False"),
            {"metadata": {"annotations": {"configok.dev/config-status": "x"}}},
            {"metadata": {"labels": {"configok.dev/config-ok": "False"}}},
            {"metadata": {"labels": {"configok.dev/config": None}}},
        ):
            refused(wire.strategic(status, body), "configok-nodes", why)
    assert policed.node_wire(f"{unique}-other").strategic(status, report).status == 403


def test_ordinary_writes_to_nodes_are_allowed_and_a_node_cannot_register_with_an_assignment(
    policed: Real, unique: str
) -> None:
    node, status = paths.node(unique), paths.node_status(unique)
    assert policed.node_wire(unique).strategic(status, condition("True", "Ready")).status == 200
    assert policed.wire(CNI).strategic(status, condition("False", "NetworkUnavailable")).status == 200
    assert policed.wire(CNI).merge(node, {"metadata": {"annotations": {"cni": "1"}}}).status == 200
    administration = {"metadata": {"labels": {"zone": "a"}}, "spec": {"unschedulable": True}}
    assert policed.wire().merge(node, administration).status == 200
    new = f"{unique}-new"
    registered = policed.node_wire(new).post(paths.NODES, {"metadata": {"name": new, "labels": {"a": "b"}}})
    assert registered.status == 201
    policed.wire().delete(paths.node(new))
    preset = {"metadata": {"name": new, **assignment()["metadata"]}}
    refused(policed.node_wire(new).post(paths.NODES, preset), "configok-nodes", "only the runners")


def test_bundles_are_created_by_publishers_and_never_changed(policed: Real) -> None:
    bundles = paths.config_maps("configok-system")
    workers, db = (build_bundle(pool, {"kubelet": "kind: KubeletConfiguration\n"}) for pool in ("workers", "db"))
    why = "only the publishers of a pool may create its bundles"
    for wire in (policed.wire(CNI), policed.wire(), policed.wire(DB_RUNNER)):
        refused(wire.post(bundles, workers), "configok-bundles", why)
    runner = policed.wire(RUNNER)
    refused(runner.post(bundles, {**workers, "immutable": False}), "configok-bundles", "a bundle is immutable")
    other = {**workers, "metadata": {**workers["metadata"], "name": "db-0123456789"}}
    refused(runner.post(bundles, other), "configok-bundles", "a bundle is named <pool>-<10 hexadecimal digits>")
    assert runner.post(bundles, workers).status == 201
    assert policed.wire("reviewer", ["reviewers"]).post(bundles, {**workers, **db}).status == 201
    path = f"{bundles}/{workers['metadata']['name']}"
    signed = {"metadata": {"annotations": {"configok.dev/signatures": "[]"}}}
    refused(policed.wire(CNI).merge(path, signed), "configok-bundles", "a bundle is never changed")
    refused(policed.wire().merge(path, {"metadata": {"finalizers": ["a/b"]}}), "configok-bundles", "never changed")
    assert policed.wire(CNI).merge(path, {}).status == 200, "such a write moves it to another storage version"
    assert policed.wire(GLASS, ["system:masters"]).merge(path, signed).status == 200
    assert policed.wire().delete(path).status == 200
    root = {"metadata": {"name": "kube-root-ca.crt"}, "data": {"ca.crt": "x"}}
    assert policed.wire().post(bundles, root).status in (201, 409)


def test_no_role_of_ours_writes_the_policies(policed: Real) -> None:
    path = paths.admission_policy("configok-nodes")
    for user in (RUNNER, DB_RUNNER, "assigner"):
        assert policed.wire(user).merge(path, {"spec": {"variables": []}}).status == 403


def test_the_right_to_write_nodes_is_reported_by_name(policed: Real) -> None:
    result = access(policed, GLASS)
    by_permission: dict[str, list[str]] = {}
    for item in result["holders"]:
        by_permission.setdefault(item["permission"], []).append(item["name"])
    assert CNI in by_permission["patch or update nodes/status"]
    assert {CNI, "assigner", DB_RUNNER} <= set(by_permission["patch or update nodes"])
    assert {CNI, "reviewers", RUNNER} <= set(by_permission["create configmaps in configok-system"])
    assert not [permission for permission in by_permission if "policies" in permission]
    assert "system:masters" not in str(result["holders"])
    off = access(policed, GLASS, admission=False)
    assert "User cni (by ClusterRoleBinding cni)" in warnings_of(off)
    assert "patch or update nodes/status" in warnings_of(off)
    assert "assigner" not in warnings_of(off)


def test_a_second_run_changes_nothing_and_options_that_are_not_set_stay(policed: Real) -> None:
    assert access(policed, GLASS, **OPTIONS)["objects"] == []
    assert access(policed, GLASS, diff=True)["diff"] == {"before": {}, "after": {}}
    policy = paths.admission_policy("configok-nodes")
    before = read_literals(policed.client().get(policy))
    only_db = [{"kind": "User", "name": name, "pools": ["db"]} for name in (RUNNER, DB_RUNNER)]
    changed = access(policed, GLASS, runner_subjects=only_db)
    assert [(item["kind"], item["name"], item["change"]) for item in changed["objects"]] == [
        (POLICY, "configok-nodes", "changed"),
        (POLICY, "configok-bundles", "changed"),
    ]
    assert read_literals(policed.client().get(policy)) == {**before, "runners": "db User runner\ndb User db-runner"}
    off = access(policed, GLASS, admission=False)
    assert {(item["kind"], item["change"]) for item in off["objects"]} == {
        (POLICY, "deleted"),
        (f"{POLICY}Binding", "deleted"),
    }
    assert "pools" not in warnings_of(off)
    unlimited = access(policed, GLASS, **{**OPTIONS, "admission": False})
    assert "limit nothing without admission policies" in warnings_of(unlimited)


def test_the_identity_that_sets_them_up_is_warned_and_can_always_remove_them(policed: Real, unique: str) -> None:
    assert "is not named in break_glass_subjects" not in warnings_of(access(policed, GLASS))
    assert "other-admin is not named in break_glass_subjects" in warnings_of(access(policed, "other-admin"))
    assert policed.node_wire(unique).strategic(paths.node_status(unique), condition("True")).status == 200
    annotated = {"metadata": {"annotations": {"configok.dev/config-status": "{}"}}}
    assert policed.node_wire(unique).merge(paths.node(unique), annotated).status == 200
    for check in (True, False):
        removed = access(policed, "other-admin", state="absent", check=check)
        assert not removed.get("failed"), removed
        assert removed["cleaned_nodes"] == [unique]
    assert removed["objects"][0]["kind"] == f"{POLICY}Binding"
    node = policed.client().get(paths.node(unique))
    assert "configok.dev/config-status" not in node["metadata"].get("annotations", {})


def test_policies_that_are_set_up_again_have_the_new_subjects(policed: Real, unique: str) -> None:
    """With a ConfigMap for parameters, the API server would still know the former ones, until it is restarted."""
    node, runner, later = paths.node(unique), policed.wire(RUNNER), policed.wire("assigner")
    assert runner.merge(node, assignment()).status == 200
    access(policed, GLASS, admission=False)
    eventually(lambda: policed.wire(CNI).merge(node + TRY, assignment("{ }")), 200)
    access(policed, GLASS, runner_subjects=[], assigner_subjects=[{"kind": "User", "name": "assigner"}], admission=True)
    eventually(lambda: runner.merge(node + TRY, assignment("{  }")), 403)
    assert later.merge(node, assignment("{   }")).status == 200


@pytest.mark.parametrize("path", [paths.admission_policy, paths.admission_binding])
def test_a_lost_policy_or_binding_is_set_up_again(policed: Real, unique: str, path: Callable[[str], str]) -> None:
    node = paths.node(unique)
    policed.client().delete(path("configok-nodes"))
    eventually(lambda: policed.wire(CNI).merge(node + TRY, assignment("{ }")), 200)
    assert len(access(policed, GLASS)["objects"]) == 1
    eventually(lambda: policed.wire(CNI).merge(node + TRY, assignment("{  }")), 403)
    assert policed.wire("assigner").merge(node, assignment("{   }")).status == 200


def test_the_longest_lists_stay_within_the_cost_limit(policed: Real, unique: str) -> None:
    """For a user with many groups, none of which is named."""

    def many(what: str) -> list[dict[str, Any]]:
        return [{"kind": "Group", "name": f"{what}-{number:03d}-{'x' * 90}"} for number in range(500)]

    result = access(
        policed,
        GLASS,
        runner_subjects=many("runners"),
        assigner_subjects=many("assigners"),
        publisher_subjects=many("publishers"),
    )
    assert not result.get("failed"), result
    user = policed.wire("member", ["system:masters", *(f"group-{number:03d}" for number in range(100))])
    path = paths.node(unique)
    eventually(lambda: policed.wire(RUNNER).merge(path + TRY, assignment()), 403)
    answer = user.merge(path, assignment())
    refused(answer, "configok-nodes", "only the runners of the pool")
    assert user.merge(path, {"metadata": {"labels": {"zone": "b"}}}).status == 200
    bundle = build_bundle("workers", {"kubelet": "kind: KubeletConfiguration\n"})
    refused(user.post(paths.config_maps("configok-system"), bundle), "configok-bundles", "only the publishers")


def test_an_api_server_without_policies_skips_them_with_a_reason(real_api: Real, unique: str) -> None:
    if real_api.minor >= 30:
        pytest.skip("kube-apiserver has ValidatingAdmissionPolicies")
    result = access(real_api, admission=True, bundle_namespaces=[unique])
    assert result["admission"] == "unsupported"
    assert "admission policies are skipped: the API server has no ValidatingAdmissionPolicies" in warnings_of(result)
    assert look(real_api.client(), paths.namespace("configok-admission")) is None
    access(real_api, bundle_namespaces=[])
