# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_access: it removes all that it creates, and a second run changes nothing."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.holders import read_holders
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.modules import cluster_access
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster, look

RUNNER = {"kind": "User", "name": "runner"}


def run(cluster: SandboxCluster, **arguments: Any) -> dict[str, Any]:
    mode = {key: arguments.pop(key) for key in ("check", "diff") if key in arguments}
    return run_module(cluster_access.main, {"kubeconfig": cluster.kubeconfig, **arguments}, **mode)


def test_first_run_makes_everything_and_the_second_nothing(cluster: SandboxCluster) -> None:
    first = run(cluster, runner_subjects=[RUNNER], diff=True)
    assert first["changed"] is True
    assert [item["change"] for item in first["objects"]] == ["created"] * len(first["objects"])
    assert first["diff"]["before"] == {}
    assert "Role configok-system/configok-nodes" in first["diff"]["after"]
    role = cluster.client.get(paths.role("configok-system", "configok-nodes"))
    assert role["rules"] == [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]
    second = run(cluster, runner_subjects=[RUNNER], diff=True)
    assert second["changed"] is False
    assert second["objects"] == []
    assert second["diff"] == {"before": {}, "after": {}}


def test_check_mode_on_an_empty_cluster_says_all_and_writes_nothing(cluster: SandboxCluster) -> None:
    result = run(cluster, check=True)
    assert result["changed"] is True
    assert {item["name"] for item in result["objects"]} >= {"configok-system", "configok-rollouts", "configok-nodes"}
    assert look(cluster.client, paths.namespace("configok-system")) is None
    assert "diff" not in result


def test_a_node_reads_bundles_and_nothing_else(cluster: SandboxCluster, tmp_path: Any) -> None:
    run(cluster)
    bundle = build_bundle("workers", {"kubelet": "kind: KubeletConfiguration\n"})
    cluster.client.create(paths.config_maps("configok-system"), bundle)
    node = cluster.server.kubeconfig_for("system:node:n1", ["system:nodes"], path=str(tmp_path / "node"))
    with Client(from_kubeconfig(node)) as client:
        path = paths.config_map("configok-system", bundle["metadata"]["name"])
        assert client.get(path)["data"] == bundle["data"]
        for refused in (
            lambda: client.list(paths.config_maps("configok-system")),
            lambda: client.delete(path),
            lambda: client.get(paths.config_map("configok-rollouts", "workers")),
            lambda: client.get(paths.role("configok-system", "configok-nodes")),
        ):
            with pytest.raises(Forbidden):
                refused()


def test_a_changed_role_is_restored(cluster: SandboxCluster) -> None:
    run(cluster)
    path = paths.role("configok-system", "configok-nodes")
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]}]
    cluster.client.patch(path, {"rules": rules})
    result = run(cluster, diff=True)
    assert [(item["name"], item["change"]) for item in result["objects"]] == [("configok-nodes", "changed")]
    assert result["diff"]["before"]["Role configok-system/configok-nodes"]["rules"] == rules
    assert cluster.client.get(path)["rules"][0]["resources"] == ["configmaps"]


def test_an_option_that_is_turned_off_takes_its_objects_away(cluster: SandboxCluster) -> None:
    run(cluster, node_configz=True, runner_subjects=[RUNNER])
    assert look(cluster.client, paths.cluster_role("configok-nodes-configz")) is not None
    result = run(cluster, node_configz=False, runner_subjects=[])
    assert {item["change"] for item in result["objects"]} == {"deleted"}
    assert look(cluster.client, paths.cluster_role("configok-nodes-configz")) is None
    assert look(cluster.client, paths.cluster_role_binding("configok-runner")) is None
    assert look(cluster.client, paths.cluster_role("configok-runner")) is not None


def test_the_users_of_named_nodes_may_read_metrics_and_no_group(cluster: SandboxCluster) -> None:
    name = "configok-control-plane-metrics"
    run(cluster, control_plane_nodes=["cp-1", "cp-2"])
    role = look(cluster.client, paths.cluster_role(name))
    binding = look(cluster.client, paths.cluster_role_binding(name))
    assert role is not None
    assert binding is not None
    assert role["rules"] == [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]
    assert [(item["kind"], item["name"]) for item in binding["subjects"]] == [
        ("User", "system:node:cp-1"),
        ("User", "system:node:cp-2"),
    ]
    assert run(cluster)["objects"] == [], "it stays as it is"
    assert {item["change"] for item in run(cluster, control_plane_nodes=[])["objects"]} == {"deleted"}
    assert look(cluster.client, paths.cluster_role(name)) is None


def test_access_that_is_there_is_never_taken_without_asking(cluster: SandboxCluster) -> None:
    run(cluster, node_configz=True, runner_subjects=[RUNNER], bundle_namespaces=["team-a"])
    assert run(cluster)["objects"] == []
    other = {"kind": "Group", "name": "others", "apiGroup": "rbac.authorization.k8s.io"}
    path = paths.role_binding("configok-rollouts", "configok-runner")
    cluster.client.patch(path, {"subjects": [other]})
    assert run(cluster)["objects"] == []
    assert cluster.client.get(path)["subjects"] == [other]
    cluster.client.delete(paths.cluster_role_binding("configok-runner"))
    assert run(cluster)["objects"] == [], "also where a part of it is gone"
    assert run(cluster, runner_subjects=[])["changed"] is True
    assert look(cluster.client, path) is None
    assert look(cluster.client, paths.role_binding("team-a", "configok-runner")) is None
    assert look(cluster.client, paths.cluster_role_binding("configok-nodes-configz")) is not None


def test_runners_delete_bundles_only_if_the_user_allows_it(cluster: SandboxCluster) -> None:
    role, binding = paths.role("configok-system", PRUNER), paths.role_binding("configok-system", PRUNER)
    run(cluster, runner_subjects=[RUNNER])
    assert look(cluster.client, role) is None
    run(cluster, runner_prune=True, bundle_namespaces=["team-a"])
    assert cluster.client.get(role)["rules"] == [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["delete"]}]
    assert cluster.client.get(binding)["subjects"][0]["name"] == RUNNER["name"]
    assert look(cluster.client, paths.role_binding("team-a", PRUNER)) is not None
    assert run(cluster)["objects"] == [], "it is kept without being asked for again"
    cluster.client.delete(paths.cluster_role_binding("configok-runner"))
    assert run(cluster)["objects"] == [], "also where a part of the access is gone"
    result = run(cluster, runner_prune=False)
    assert {(item["name"], item["change"]) for item in result["objects"]} == {(PRUNER, "deleted")}
    assert look(cluster.client, binding) is None
    assert look(cluster.client, paths.role("configok-system", "configok-runner")) is not None


PRUNER = "configok-runner-prune"
FOREIGN = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
BINDINGS = [paths.cluster_role_binding("configok-runner"), paths.role_binding("configok-system", "configok-nodes")]


def bind_another_role(cluster: SandboxCluster, path: str, labels: dict[str, str]) -> None:
    """Replace this binding with a binding to cluster-admin."""
    binding = cluster.client.get(path)
    cluster.client.delete(path)
    metadata = {"name": binding["metadata"]["name"], "labels": labels}
    cluster.client.create(path.rpartition("/")[0], {**binding, "metadata": metadata, "roleRef": FOREIGN})


@pytest.mark.parametrize("path", BINDINGS)
def test_a_binding_of_ours_that_binds_another_role_is_made_again(cluster: SandboxCluster, path: str) -> None:
    run(cluster, runner_subjects=[RUNNER])
    expected = cluster.client.get(path)
    bind_another_role(cluster, path, expected["metadata"]["labels"])
    for check in (True, False):
        result = run(cluster, runner_subjects=[RUNNER], check=check, diff=True)
        [changed] = result["objects"]
        assert (changed["change"], changed["name"]) == ("recreated", expected["metadata"]["name"])
        [before] = result["diff"]["before"].values()
        assert before["roleRef"] == FOREIGN
        assert cluster.client.get(path)["roleRef"] == (FOREIGN if check else expected["roleRef"])
    assert cluster.client.get(path)["subjects"] == expected["subjects"]
    assert run(cluster, runner_subjects=[RUNNER])["changed"] is False


@pytest.mark.parametrize("path", BINDINGS)
def test_a_binding_of_others_that_binds_another_role_is_refused(cluster: SandboxCluster, path: str) -> None:
    run(cluster, runner_subjects=[RUNNER])
    bind_another_role(cluster, path, {})
    result = run(cluster, runner_subjects=[RUNNER])
    assert result["failed"] is True
    assert "is not ours and binds ClusterRole cluster-admin, not " in result["msg"]
    assert cluster.client.get(path)["roleRef"] == FOREIGN


def test_a_runner_is_granted_what_the_code_uses_and_no_more(cluster: SandboxCluster) -> None:
    """Runners create Events on records, and none on Nodes."""
    run(cluster, runner_subjects=[RUNNER])
    (endpoints,) = cluster.client.get(paths.role("default", "configok-runner"))["rules"]
    assert endpoints == {
        "apiGroups": [""],
        "resources": ["endpoints"],
        "resourceNames": ["kubernetes"],
        "verbs": ["get"],
    }
    run(cluster, runner_subjects=[RUNNER], bundle_namespaces=["default"])
    rules = cluster.client.get(paths.role("default", "configok-runner"))["rules"]
    assert [rule["resources"] for rule in rules] == [["endpoints"], ["configmaps"]]
    run(cluster, runner_subjects=[RUNNER], bundle_namespaces=[])
    assert cluster.client.get(paths.role("default", "configok-runner"))["rules"] == [endpoints]
    rules = cluster.client.get(paths.role("configok-rollouts", "configok-runner"))["rules"]
    assert [rule["verbs"] for rule in rules if rule["resources"] == ["events"]] == [["create"]]
    rules = cluster.client.get(paths.cluster_role("configok-runner"))["rules"]
    assert [(rule["resources"], rule["verbs"]) for rule in rules] == [
        (["nodes"], ["get", "list", "watch", "patch"]),
        (["pods"], ["list"]),
        (["pods/eviction"], ["create"]),
    ]
    (rule,) = cluster.client.get(paths.role("kube-system", "configok-runner"))["rules"]
    assert rule == {
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "resourceNames": ["kube-controller-manager", "kube-scheduler"],
        "verbs": ["get"],
    }


def test_nodes_read_and_runners_publish_bundles_in_further_namespaces(cluster: SandboxCluster, tmp_path: Any) -> None:
    before = everything(cluster)
    run(cluster, runner_subjects=[RUNNER], bundle_namespaces=["team-a"])
    bundle = build_bundle("workers", {"kubelet": "kind: KubeletConfiguration\n"}, namespace="team-a")
    runner = cluster.server.kubeconfig_for("runner", path=str(tmp_path / "runner"))
    node = cluster.server.kubeconfig_for("system:node:n1", ["system:nodes"], path=str(tmp_path / "node"))
    with Client(from_kubeconfig(runner)) as client:
        client.create(paths.config_maps("team-a"), bundle)
    path = paths.config_map("team-a", bundle["metadata"]["name"])
    with Client(from_kubeconfig(node)) as client:
        assert client.get(path)["data"] == bundle["data"]
        run(cluster, bundle_namespaces=[])
        with pytest.raises(Forbidden):
            client.get(path)
    assert cluster.client.get(path)["data"] == bundle["data"]
    run(cluster, bundle_namespaces=["team-a", "default", "team-a"])
    run(cluster, state="absent")
    assert look(cluster.client, paths.namespace("team-a")) is not None
    assert look(cluster.client, path) is None
    assert cluster.client.list(paths.roles("team-a")).items == []
    cluster.client.delete(paths.namespace("team-a"))
    assert everything(cluster) == before


def test_an_invalid_namespace_name_is_refused_without_a_traceback(cluster: SandboxCluster) -> None:
    result = run(cluster, bundle_namespaces=["Team A"])
    assert result["failed"] is True
    assert "Team A" in result["msg"]
    assert "Traceback" not in str(result)


def everything(cluster: SandboxCluster) -> dict[str, str]:
    return {
        f"{kind}/{item['metadata'].get('namespace', '')}/{item['metadata']['name']}": item["metadata"]["uid"]
        for kind in (paths.NAMESPACES, paths.CLUSTER_ROLES, paths.CLUSTER_ROLE_BINDINGS, paths.roles("default"))
        for item in cluster.client.list(kind).items
    }


def test_absent_removes_what_present_made_and_nothing_else(cluster: SandboxCluster) -> None:
    before = everything(cluster)
    run(cluster, node_configz=True, runner_subjects=[RUNNER])
    cluster.client.create(paths.config_maps("configok-system"), build_bundle("workers", {"kubelet": "kind: K\n"}))
    cluster.add_node("n1", annotations={"configok.dev/config-status": "{}", "other": "stays"}, labels={"zone": "a"})
    condition = {"type": "ConfigOK", "status": "True", "reason": "", "message": ""}
    body = {"metadata": {"labels": {"configok.dev/config-ok": "True"}}, "status": {"conditions": [condition]}}
    cluster.client.patch(paths.node_status("n1"), body, kind="strategic")
    assert run(cluster, state="absent", check=True)["changed"] is True
    assert everything(cluster) != before
    result = run(cluster, state="absent")
    assert result["cleaned_nodes"] == ["n1"]
    assert everything(cluster) == before
    node = cluster.client.get(paths.node("n1"))
    assert node["metadata"]["annotations"] == {"other": "stays"}
    assert node["metadata"]["labels"] == {"zone": "a"}
    assert [condition["type"] for condition in node["status"]["conditions"]] == ["Ready"]
    assert run(cluster, state="absent")["changed"] is False


def test_a_namespace_that_was_there_before_stays(cluster: SandboxCluster) -> None:
    cluster.client.create(paths.NAMESPACES, {"metadata": {"name": "configok-system", "labels": {"team": "a"}}})
    cluster.client.create(paths.config_maps("configok-system"), {"metadata": {"name": "theirs"}, "data": {"a": "b"}})
    assert "configok-system" not in {item["name"] for item in run(cluster)["objects"]}
    cluster.client.create(paths.config_maps("configok-system"), build_bundle("workers", {"kubelet": "kind: K\n"}))
    run(cluster, state="absent")
    left = cluster.client.list(paths.config_maps("configok-system")).items
    assert [item["metadata"]["name"] for item in left] == ["theirs"]
    assert cluster.client.list(paths.roles("configok-system")).items == []
    assert look(cluster.client, paths.namespace("configok-rollouts")) is None


def test_removal_is_refused_while_nodes_are_assigned_unless_forced(cluster: SandboxCluster) -> None:
    run(cluster)
    cluster.add_node("n1", annotations={"configok.dev/config-source": "{}"})
    refused = run(cluster, state="absent")
    assert refused["failed"] is True
    assert refused["msg"].startswith("1 Node is still assigned a bundle (n1)")
    assert look(cluster.client, paths.namespace("configok-system")) is not None
    assert run(cluster, state="absent", force=True)["changed"] is True
    assert cluster.annotations("n1") == {}


def test_a_node_that_never_reported_gets_no_empty_condition(cluster: SandboxCluster) -> None:
    run(cluster)
    metadata = {"name": "n1", "annotations": {"configok.dev/assignment": "1"}}
    cluster.client.create(paths.NODES, {"metadata": metadata})
    assert run(cluster, state="absent")["changed"] is True
    assert cluster.annotations("n1") == {}
    assert not (cluster.client.get(paths.node("n1")).get("status") or {}).get("conditions")


def test_removal_is_refused_where_others_keep_something(cluster: SandboxCluster) -> None:
    run(cluster)
    create_config_map(cluster, "configok-system", "theirs")
    for force in (False, True):
        assert run(cluster, state="absent", force=force)["msg"] == (
            "namespace configok-system also holds ConfigMap theirs, which is not ours: move it elsewhere, or delete it "
            "too with cluster_force_namespaces=true"
        )
    cluster.add_node("n1", annotations={"configok.dev/config-source": "{}"})
    refused = run(cluster, state="absent", force_namespaces=True)
    assert refused["msg"].startswith("1 Node is still assigned a bundle (n1)")
    assert refused["msg"].endswith("or remove all the same with cluster_force=true")
    assert run(cluster, state="absent", force=True, force_namespaces=True)["changed"] is True


@pytest.mark.parametrize("name", ["kube-root-ca.crt", "istio-ca-root-cert", "trust-bundle"])
def test_what_a_controller_puts_into_every_namespace_does_not_keep_ours(cluster: SandboxCluster, name: str) -> None:
    run(cluster)
    for namespace in ("configok-system", "configok-rollouts"):
        create_config_map(cluster, namespace, name)
    if name == "trust-bundle":
        assert f"ConfigMap {name}, which is not ours" in run(cluster, state="absent")["msg"]
        if look(cluster.client, paths.namespace("default")) is None:
            cluster.client.create(paths.NAMESPACES, {"metadata": {"name": "default"}})
        create_config_map(cluster, "default", name)
    assert run(cluster, state="absent")["changed"] is True
    assert look(cluster.client, paths.namespace("configok-system")) is None


def create_config_map(cluster: SandboxCluster, namespace: str, name: str) -> None:
    cluster.client.create(paths.config_maps(namespace), {"metadata": {"name": name}, "data": {"a": "b"}})


def test_a_user_without_access_gets_a_message_of_one_line(cluster: SandboxCluster, tmp_path: Any) -> None:
    kubeconfig = cluster.server.kubeconfig_for("nobody", path=str(tmp_path / "nobody"))
    result = run_module(cluster_access.main, {"kubeconfig": kubeconfig})
    assert result["failed"] is True
    assert result["msg"].startswith("GET roles: ")
    assert "\n" not in result["msg"]


def test_a_service_account_needs_its_namespace(cluster: SandboxCluster) -> None:
    result = run(cluster, runner_subjects=[{"kind": "ServiceAccount", "name": "awx"}])
    assert "namespace" in result["msg"]


def test_admission_is_skipped_with_a_reason_by_a_server_without_it(cluster: SandboxCluster) -> None:
    result = run(cluster, admission=True, runner_subjects=[{**RUNNER, "pools": ["workers"]}])
    assert result["admission"] == "unsupported"
    warnings = str(result["warnings"])
    assert "admission policies are skipped: the API server has no ValidatingAdmissionPolicies" in warnings
    assert "the pools of subjects limit nothing without admission policies" in warnings
    assert run(cluster)["admission"] == "unsupported"
    assert run(cluster, state="absent")["changed"] is True


def test_identities_that_can_write_nodes_are_named(cluster: SandboxCluster) -> None:
    rules = [{"apiGroups": [""], "resources": ["nodes/status", "configmaps"], "verbs": ["*"]}]
    cluster.client.create(paths.CLUSTER_ROLES, {"metadata": {"name": "cni"}, "rules": rules})
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cni"}
    subjects = [{"kind": "ServiceAccount", "namespace": "kube-system", "name": "cni"}]
    binding = {"metadata": {"name": "cni"}, "roleRef": reference, "subjects": subjects}
    cluster.client.create(paths.CLUSTER_ROLE_BINDINGS, binding)
    result = run(cluster, runner_subjects=[RUNNER], bundle_namespaces=["team-a"])
    holders = {(item["permission"], item["name"]) for item in result["holders"]}
    assert holders == {
        ("patch or update nodes/status", "cni"),
        ("patch or update nodes", "runner"),
        *((f"create configmaps in {name}", who) for name in ("configok-system", "team-a") for who in ("cni", "runner")),
    }
    warnings = str(result["warnings"])
    assert "patch or update nodes/status: ServiceAccount kube-system/cni (by ClusterRoleBinding cni)" in warnings
    assert "create configmaps in team-a: ServiceAccount kube-system/cni" in warnings
    assert "runner" not in warnings


def test_roles_that_may_not_be_listed_are_a_note() -> None:
    class Denied:
        def list(self, path: str) -> None:
            raise Forbidden("clusterroles is forbidden", where=f"GET {path}")

    report = read_holders(cast("Client", Denied()), ["configok-system"], has_policies=False)
    assert report.holders == ()
    [note] = report.warnings
    assert note.startswith("the identities that can write Nodes or create bundles are unknown, because this identity")
