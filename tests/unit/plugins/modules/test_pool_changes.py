# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first diff compares with the nodes' own configs, and denied fields are reported before publishing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.modules import cluster_access, config_bundle, local_config
from support.ansible_runs.actions import run_rollout
from support.ansible_runs.in_process import roll_out
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.configs.kubelet import KUBELET_HEADER, KUBELET_KIND
from support.configs.options import component_options
from support.rollouts.simulated_nodes import GOOD, SimulatedNodes, status_of


def local(cluster: SandboxCluster, init: Mapping[str, Any], *, deny: Any = None, check: bool = False) -> dict[str, Any]:
    """Publish a node's local config; it has authentication in its instance config."""
    instance = {name: init[name] for name in ("authentication", "providerID") if name in init}
    content = {"components": {"kubelet": {"init": {**KUBELET_KIND, **init}, "instance": instance, "deny": deny or {}}}}
    options = {"kubeconfig": cluster.kubeconfig, "content": json.dumps(content)}
    return run_module(local_config.main, options, check=check)


def add(nodes: SimulatedNodes, name: str, result: Mapping[str, Any]) -> None:
    """Add a node that reports the hash of its published local config."""
    nodes.add(name, local_config=result["name"].rpartition("-")[2])


def run(cluster: SandboxCluster, text: str, **arguments: Any) -> dict[str, Any]:
    options = {
        "kubeconfig": cluster.kubeconfig,
        "pool": "workers",
        "documents": {"kubelet": KUBELET_HEADER + text},
        **arguments,
    }
    return run_module(config_bundle.main, {**options, "label_selector": "pool=workers"}, check=True)


def undo(cluster: SandboxCluster, **arguments: Any) -> dict[str, Any]:
    """Plan an undo."""
    pool = {"pool": "workers", "selector": "pool=workers"}
    return run_rollout({"kubeconfig": cluster.kubeconfig, "operation": "undo", "pool": pool, **arguments}, check=True)


@pytest.fixture
def pool(cluster: SandboxCluster, nodes: SimulatedNodes) -> SimulatedNodes:
    """Return the pool without its nodes, which have not published their local configs."""
    for number in range(1, 5):
        cluster.client.delete(paths.node(f"n{number}"))
    return nodes


@pytest.mark.complaint("kubeadm #3049: customisations lost at upgrade")
def test_the_first_diff_is_of_the_init_config(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    init = {"maxPods": 110, "containerLogMaxSize": "20Mi", "authentication": {"anonymous": {"enabled": False}}}
    for name in ("a", "b"):
        add(pool, name, local(cluster, init))
    result = run(cluster, "maxPods: 60\n")
    assert result["text"] == [
        f"{result['bundle']['name']} is revision 1. What it changes:",
        '  kubelet containerLogMaxSize  "20Mi" -> "10Mi"  [restart]',
        "  kubelet maxPods              110 -> 60         [restart-may-reject]",
        "  overall: restart-may-reject: restart; pods over the new bound fail admission at restart, node capacity "
        "changes",
    ]
    [_size, pods] = result["field_changes"]
    assert (pods["path"], pods["before"], pods["after"], pods["nodes"]) == ("maxPods", "110", "60", ["a", "b"])
    [line] = run(cluster, "maxPods: 110\ncontainerLogMaxSize: 20Mi\n")["text"]
    assert line.endswith(" is revision 1: it changes no field of what the pool uses.")


def test_nodes_with_other_init_configs_are_other_groups(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    for name, pods in (("a", 110), ("b", 250), ("c", 110), ("d", 60)):
        add(pool, name, local(cluster, {"maxPods": pods}))
    pool.add("old")
    pool.add("bare", agent=False)
    result = run(cluster, "maxPods: 60\n")
    assert [line for line in result["text"] if not line.startswith("  overall")] == [
        f"{result['bundle']['name']} is revision 1. What it changes on 2 nodes (a, c):",
        "  kubelet maxPods  110 -> 60  [restart-may-reject]",
        "What it changes on 1 node (b):",
        "  kubelet maxPods  250 -> 60  [restart-may-reject]",
        "What it changes on 1 node (old) is not known: what they use now is not published "
        "(configok.node.provision publishes init configs).",
    ]


def test_where_nothing_is_known_the_plan_says_so_in_one_sentence(
    cluster: SandboxCluster, nodes: SimulatedNodes
) -> None:
    nodes.add("liar", local_config="../../x")
    nodes.add("lost", local_config="0" * 20)
    result = run(cluster, "maxPods: 60\n")
    [line] = result["text"]
    assert "What it changes on 6 nodes (liar, lost, n1, n2 and 2 more) is not known" in line
    assert result["field_changes"] == []
    options = {
        "kubeconfig": cluster.kubeconfig,
        "pool": "workers",
        "documents": {"kubelet": KUBELET_HEADER + "maxPods: 1\n"},
    }
    [line] = run_module(config_bundle.main, options, check=True)["text"]
    assert "is not known" in line


def test_a_node_that_lies_costs_its_own_line(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    add(pool, "a", local(cluster, {"maxPods": 110}))
    pool.add("liar", version="nonsense")
    view = pool.view("liar")
    verdict, status = status_of(view, None, GOOD)[-1]
    elsewhere = ConfigSource("kube-system", "x", "00000000-0000-0000-0000-000000000000")
    pool.say("liar", verdict, status._replace(active=elsewhere))
    text = run(cluster, "maxPods: 60\n")["text"]
    assert "What it changes on 1 node (a)" in text[0]
    assert "What it changes on 1 node (liar) is not known" in text[-1]


def test_a_config_that_was_tampered_with_is_not_known(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    published = local(cluster, {"maxPods": 110})
    where = paths.config_map("configok-rollouts", published["name"])
    stored = cluster.client.get(where)
    cluster.client.delete(where)
    metadata = {"namespace": "configok-rollouts", "name": published["name"]}
    body = {**stored, "metadata": metadata, "data": {"local-config.json": '{"components":{}}'}}
    cluster.client.create(paths.config_maps("configok-rollouts"), body)
    add(pool, "a", published)
    assert "is not known" in run(cluster, "maxPods: 60\n")["text"][0]


@pytest.mark.complaint(
    "enhancements #281: removed: it needed stronger reliability promises and a limit on what may change"
)
def test_denied_fields_are_refused_before_anything_is_published(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    add(pool, "a", local(cluster, {"staticPodPath": "/m"}))
    add(pool, "b", local(cluster, {"staticPodPath": "/n"}))
    add(pool, "c", local(cluster, {"maxPods": 1}, deny={"additional": ["maxPods"], "allowed": ["staticPodPath"]}))
    warning = run(cluster, "staticPodPath: /m\n")["text"][-1]
    assert warning.startswith("Warning: a rollout leaves out 1 node (b): it would refuse the config: kubelet:3: ")
    add(pool, "d", local(cluster, {"staticPodPath": "/n"}))
    result = run(cluster, "staticPodPath: /m\n")
    assert result["failed"] is True
    assert "nothing was published: policy: kubelet:3: staticPodPath" in result["msg"]
    assert result["msg"].endswith(
        "belongs in the node's own config, unless that allows it (allowedFields): 2 nodes (b, d)"
    )
    assert "1 node (c)" in run(cluster, "maxPods: 2\n")["text"][-1]
    assert run(cluster, "maxPods: 1\nstaticPodPath: /m\n")["failed"] is True
    assert "failed" not in run(cluster, "maxPods: 1\n")


def test_the_nodes_own_value_passes_and_what_is_not_known_is_a_warning(
    cluster: SandboxCluster, pool: SimulatedNodes
) -> None:
    add(pool, "a", local(cluster, {"staticPodPath": "/m", "authentication": {"anonymous": {"enabled": True}}}))
    text = "staticPodPath: /m\nauthentication: {anonymous: {enabled: true}}\nmaxPods: 60\n"
    assert run(cluster, text)["findings"] == []
    pool.add("old")
    result = run(cluster, text)
    assert [finding["level"] for finding in result["findings"]] == ["warning", "warning"]
    assert result["text"][-1].startswith("Warning: kubelet:4: authentication")
    assert result["text"][-1].endswith("is not published: 1 node (old)")


def test_a_kind_that_nodes_refuse_is_not_published(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    head = {"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig"}
    provider = {"name": "p", "apiVersion": "credentialprovider.kubelet.k8s.io/v1", "matchImages": ["a"]}
    document = {**head, "providers": [{**provider, "defaultCacheDuration": "1m"}]}
    content = {"components": {"credentials": {"init": head, "instance": {}, "deny": {}}}}
    options = {"kubeconfig": cluster.kubeconfig, "content": json.dumps(content)}
    add(pool, "a", run_module(local_config.main, options))
    options = {"kubeconfig": cluster.kubeconfig, "pool": "workers", "label_selector": "pool=workers"}
    result = run_module(config_bundle.main, {**options, "documents": {"credentials": document}})
    assert "no bundle may hold a CredentialProviderConfig here" in result["msg"]
    other = run_module(config_bundle.main, {**options, "documents": {"elsewhere": document}}, check=True)
    assert "no bundle may hold" not in other.get("msg", ""), "a node ignores what it does not run"


def add_scheduler(cluster: SandboxCluster, pool: SimulatedNodes, *allowed: str) -> dict[str, Any]:
    """Add a node whose scheduler is a static Pod; return the options of modules about its pool."""
    scheduler = {"init": {}, "instance": {}, "deny": {"allowed": list(allowed)}}
    content = json.dumps({"components": {"kube-scheduler": scheduler}})
    add(pool, "a", run_module(local_config.main, {"kubeconfig": cluster.kubeconfig, "content": content}))
    return {"kubeconfig": cluster.kubeconfig, "pool": "workers"}


def test_a_rollout_validates_the_options_of_static_pods(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    options = add_scheduler(cluster, pool)

    def rollout(flags: Mapping[str, Any]) -> dict[str, Any]:
        document = json.dumps(component_options(flags, component="kube-scheduler"))
        settings = {"pool": "workers", "selector": "pool=workers", "documents": {"kube-scheduler": document}}
        return run_rollout({**options, "pool": settings}, check=True)

    assert "flags.kubeconfig" in rollout({"kubeconfig": "/other"})["msg"]
    assert "flags.no-such-flag" in rollout({"no-such-flag": "1"})["msg"]
    planned = rollout({"kube-api-qps": 30})
    assert "failed" not in planned
    assert "  kube-scheduler flags.kube-api-qps  <unset> -> 30  [restart]" in planned["text"]


def test_publishing_reports_that_options_are_not_judged(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    options = add_scheduler(cluster, pool)
    document = json.dumps(component_options({"kube-api-qps": 30}, component="kube-scheduler"))
    arguments = {**options, "label_selector": "pool=workers", "documents": {"kube-scheduler": document}}
    result = run_module(config_bundle.main, arguments, check=True)
    assert [cause["what"] for cause in result["not_judged"]] == [
        "what nodes deny of flags and files",
        "flags and files of a component",
    ]


def test_what_is_published_holds_no_secret_and_nothing_of_one_node_alone(cluster: SandboxCluster, pool: Any) -> None:
    init = {
        "maxPods": 110,
        "providerID": "aws:///i-1",
        "registerWithTaints": [{"key": "a", "effect": "NoSchedule"}],
        "staticPodURLHeader": {"Authorization": ["Bearer s3cr3t-marker-0123456789"]},
    }
    first = local(cluster, init, check=True)
    assert (first["changed"], local(cluster, init)["changed"]) == (True, True)
    second = local(cluster, {**init, "providerID": "aws:///i-2"})
    assert (second["changed"], second["name"]) == (False, first["name"])
    [stored] = [
        config_map
        for config_map in cluster.client.list(paths.config_maps("configok-rollouts")).items
        if config_map["metadata"]["name"] == first["name"]
    ]
    assert stored["immutable"] is True
    assert "s3cr3t" not in json.dumps(stored)
    assert "i-1" not in json.dumps(stored)


def test_text_that_is_not_a_local_config_is_refused_with_a_message(cluster: SandboxCluster, pool: Any) -> None:
    for content in ("[]", "{}", '{"components": {"kubelet": 1}}', '{"components": {"kubelet": {"init": 1}}}'):
        result = run_module(local_config.main, {"kubeconfig": cluster.kubeconfig, "content": content})
        assert result["msg"].endswith("the text is not what configok-agent local-config prints")


def test_removal_takes_it_away(cluster: SandboxCluster, pool: Any) -> None:
    local(cluster, {"maxPods": 110})
    result = run_module(cluster_access.main, {"kubeconfig": cluster.kubeconfig, "state": "absent"})
    assert result["changed"] is True


def test_an_undo_shows_what_it_changes(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    for name in "abcd":
        add(pool, name, local(cluster, {"maxPods": 110}))
    roll_out(cluster.client, KUBELET_HEADER + "maxPods: 60\n")
    result = undo(cluster)
    assert result["text"][:2] == [
        "The pool moves to the init config. What it changes:",
        "  kubelet maxPods  60 -> 110  [restart-may-reject]",
    ]
    assert [(change["before"], change["after"]) for change in result["field_changes"]] == [("60", "110")]
    assert undo(cluster, to_revision=1)["text"][0].endswith("it changes no field of what the pool uses.")
    roll_out(cluster.client, KUBELET_HEADER + "maxPods: 70\n")
    assert "kubelet maxPods  70 -> 60" in undo(cluster)["text"][1]


def test_an_undo_to_what_nodes_deny_now_is_refused(cluster: SandboxCluster, pool: SimulatedNodes) -> None:
    for name in "abcd":
        add(pool, name, local(cluster, {"maxPods": 110}))
    roll_out(cluster.client, KUBELET_HEADER + "maxPods: 60\n")
    roll_out(cluster.client, KUBELET_HEADER + "podPidsLimit: 70\n")
    denying = local(cluster, {}, deny={"additional": ["maxPods"]})["name"].rpartition("-")[2]

    def deny(name: str) -> None:
        pool.local_configs[name] = denying
        view = pool.view(name)
        pool.say(name, *status_of(view, view.assigned.source, GOOD)[-1])

    deny("a")
    [skipped] = undo(cluster)["plan"]["skipped"]
    assert (skipped["node"], "maxPods: 60: the field is denied" in skipped["reason"]) == ("a", True)
    deny("b")
    result = undo(cluster)
    assert (result["failed"], result["changed"]) == (True, False)
    assert "maxPods: 60: the field is denied" in result["msg"]
