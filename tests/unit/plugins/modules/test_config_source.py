# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""config_source: Nodes with the same assignment are unchanged, and a failing Node does not affect the others."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.modules import config_source
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.rollouts.simulated_nodes import SimulatedNodes
from support.session.patience import wait_until

SOURCE = {
    "configMap": {
        "namespace": "configok-system",
        "name": "workers-0a1b2c3d4e",
        "uid": "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11",
    }
}


def run(cluster: SandboxCluster, **arguments: Any) -> dict[str, Any]:
    mode = {key: arguments.pop(key) for key in ("check", "diff") if key in arguments}
    return run_module(config_source.main, {"kubeconfig": cluster.kubeconfig, **arguments}, **mode)


def changed(result: dict[str, Any]) -> list[str]:
    return [assignment["node"] for assignment in result["assignments"] if assignment["changed"]]


def test_assigns_by_name_and_only_what_differs(cluster: SandboxCluster) -> None:
    for name in ("n1", "n2", "n3"):
        cluster.add_node(name)
    first = run(cluster, nodes=["n2", "n1"], config_source=SOURCE, diff=True)
    assert changed(first) == ["n1", "n2"]
    assert first["diff"]["before"] == {"n1": "the init config", "n2": "the init config"}
    assert cluster.annotations("n1")["configok.dev/assignment"] == "1"
    assert cluster.annotations("n3") == {}
    second = run(cluster, nodes=["n1", "n2", "n3"], config_source=SOURCE)
    assert changed(second) == ["n3"]
    third = run(cluster, nodes=["n1", "n2", "n3"], config_source=SOURCE, diff=True)
    assert third["changed"] is False
    assert third["diff"] == {"before": {}, "after": {}}


def test_assigns_by_selector_and_takes_away(cluster: SandboxCluster) -> None:
    for number in range(40):
        cluster.add_node(f"n{number:02}", labels={"zone": "ab"[number % 2]})
    assert len(changed(run(cluster, label_selector="zone=a", config_source=SOURCE))) == 20
    result = run(cluster, label_selector="zone=a", state="absent")
    assert len(changed(result)) == 20
    assert {assignment["assignment"] for assignment in result["assignments"]} == {2}
    assert "configok.dev/config-source" not in cluster.annotations("n00")
    assert run(cluster, label_selector="zone=a", state="absent")["changed"] is False


def test_check_mode_says_what_it_would_do(cluster: SandboxCluster) -> None:
    cluster.add_node("n1")
    before = cluster.client.get(paths.node("n1"))
    cluster.server.requests.clear()
    result = run(cluster, nodes=["n1"], config_source=SOURCE, check=True)
    assert changed(result) == ["n1"]
    assert [call.verb for call in cluster.writes()] == ["patch"], "the API server judges it"
    assert cluster.client.get(paths.node("n1")) == before


def test_forget_bad_assigns_again(cluster: SandboxCluster) -> None:
    cluster.add_node("n1")
    run(cluster, nodes=["n1"], config_source=SOURCE)
    assert changed(run(cluster, nodes=["n1"], config_source=SOURCE, forget_bad=True)) == ["n1"]
    assert cluster.annotations("n1")["configok.dev/assignment"] == '{"id":2,"forgetBad":true}'


def test_the_id_is_above_what_the_node_has_answered(cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    run(cluster, nodes=["n1"], config_source=SOURCE)
    wait_until(lambda: nodes.view("n1").answered_id == 1)
    cluster.client.patch(paths.node("n1"), {"metadata": {"annotations": {"configok.dev/assignment": None}}})
    run(cluster, nodes=["n1"], state="absent")
    assert nodes.view("n1").assigned.id == 2


def test_a_node_that_is_missing_fails_the_call_before_anything_is_changed(cluster: SandboxCluster) -> None:
    cluster.add_node("n1")
    result = run(cluster, nodes=["n1", "n9"], config_source=SOURCE)
    assert result["failed"] is True
    assert result["msg"] == "there is no Node n9: no Node was assigned anything"
    assert cluster.annotations("n1") == {}


def test_options_that_make_no_sense_are_refused(cluster: SandboxCluster) -> None:
    assert "config_source" in run(cluster, nodes=["n1"])["msg"]
    assert "one of the following is required" in run(cluster, config_source=SOURCE)["msg"]
    assert "mutually exclusive" in run(cluster, nodes=["n1"], label_selector="a", config_source=SOURCE)["msg"]
    bad = {"configMap": {**SOURCE["configMap"], "uid": "../../etc/passwd"}}
    assert "configMap.uid must be" in run(cluster, nodes=["n1"], config_source=bad)["msg"]
