# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan warns about and refuses, for a rollout, an undo and a reconcile alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NODES, node_status
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    ABORTED,
    PAUSED,
    Rollout,
    RolloutStart,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    read_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import read_target
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from support.ansible_runs.actions import run_rollout
from support.ansible_runs.in_process import document_pool, publish
from support.api.clusters import SandboxCluster
from support.configs.kubelet import kubelet_config
from support.rollouts.simulated_nodes import SimulatedNodes

ROOT = Path(__file__).resolve().parents[6]
DOCUMENT = kubelet_config("maxPods: 60")
POLICY: dict[str, Any] = {
    "canary": {"count": 1, "soak": 0},
    "waves": ["100%"],
    "soak": 0,
    "maxUnavailable": 3,
    "nodeTimeout": "20s",
    "restartDelay": "10ms",
    "timeToCrash": "10ms",
    "healthTimeout": "100ms",
}
POOL = document_pool(DOCUMENT, policy=POLICY)
Act = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.usefixtures("nodes")


@pytest.fixture
def act(cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch) -> Act:
    """Return a function that runs the action plugin as a task would; by default it rolls out POOL."""
    monkeypatch.setattr(Display(), "display", lambda _line: None)

    def run(*, check: bool = False, **arguments: Any) -> dict[str, Any]:
        return run_rollout({"kubeconfig": cluster.kubeconfig, "pool": POOL, **arguments}, check=check)

    return run


def with_policy(**policy: Any) -> dict[str, Any]:
    return {**POOL, "policy": {**POLICY, **policy}}


def warnings(result: dict[str, Any], words: str) -> list[str]:
    """Return the warnings of a plan that have these words."""
    return [sentence for sentence in result["plan"]["warnings"] if words in sentence]


def test_machines_in_progress_come_first_except_before_a_rollout_that_has_begun(
    act: Act, cluster: SandboxCluster, nodes: SimulatedNodes
) -> None:
    machines = Target.of_machines("machines-0123456789", "0" * 64, {})
    names = tuple(sorted(item["metadata"]["name"] for item in cluster.client.list(NODES).items))
    moving = Rollout(1, machines, PAUSED, (Wave("canary", names[:1], 1.0),), 1, "", "")
    update_record(cluster.client, "machines", lambda record: replace(record, rollout=moving))
    refused = act()
    sentence = f"the rollout machines of Machines is in progress (Paused) and changes 1 of these nodes: {names[0]}"
    assert refused["failed"] is True
    assert sentence in refused["msg"]
    assert nodes.assignments == []
    target = read_target(cluster.client, read_record(cluster.client, "workers").latest)
    begun = Rollout(1, target, PAUSED, (Wave("canary", names, 1.0),), len(names), "", "", RolloutStart("pool=workers"))
    update_record(cluster.client, "workers", lambda record: replace(record, rollout=begun))
    assert warnings(act(check=True), sentence)


def test_an_aborted_rollout_is_not_reconciled(act: Act, cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    target = Target.from_dict(publish(cluster.kubeconfig, DOCUMENT))
    reason = "aborted by alice at 2026-11-24T10:00:00Z: the shop is slow"
    aborted = Rollout(1, target, ABORTED, (), 4, "", "", RolloutStart("pool"), reason=reason)
    update_record(cluster.client, "workers", lambda record: replace(record, rollout=aborted))
    for check in (True, False):
        result = act(operation="reconcile", check=check)
        assert result["failed"] is True
        assert result["msg"] == (
            f"the last rollout of pool workers was {reason}; nothing is reconciled until you run "
            "configok.node.rollout or configok.node.undo"
        )
    assert nodes.assignments == []
    assert act()["phase"] == "Complete"
    assert act(operation="reconcile").get("failed") is None


@pytest.mark.parametrize("operation", ["rollout", "undo", "reconcile"])
def test_each_playbook_finds_the_playbooks_of_the_pool_in_its_directory(
    act: Act, tmp_path: Path, operation: str
) -> None:
    (play,) = yaml.safe_load((ROOT / f"playbooks/{operation}.yml").read_text())
    arguments = play["tasks"][0]["block"][0]["configok.node.rollout"]
    assert arguments["directory"] == "{{ pool_directory | default(omit) }}"
    (tmp_path / "shop.yml").write_text("[]")
    assert act()["phase"] == "Complete"
    pool = with_policy(playbooks={"beforeWave": "shop.yml"}, reboot={"playbook": "shop.yml"})
    result = act(operation=arguments.get("operation", "rollout"), pool=pool, directory=str(tmp_path), check=True)
    assert result.get("failed") is None, result["msg"]


def test_an_undo_and_a_reconcile_name_the_nodes_whose_version_does_not_know_a_field(
    act: Act, nodes: SimulatedNodes
) -> None:
    newer = kubelet_config("singleProcessOOMKill: true")  # known from 1.32
    assert act(pool={**POOL, "documents": {"kubelet": newer}})["phase"] == "Complete"
    nodes.add("old", version="v1.30.0")
    (sentence,) = warnings(act(operation="reconcile", check=True), "unknown field")
    assert sentence == (
        "kubelet: singleProcessOOMKill: true: unknown field: KubeletConfiguration knows it from Kubernetes 1.32 "
        "(Kubernetes 1.30: old)"
    )
    assert act()["phase"] == "Complete"
    (sentence,) = warnings(act(operation="undo", check=True), "unknown field")
    assert "singleProcessOOMKill" in sentence
    assert "(Kubernetes 1.30: old)" in sentence
    assert warnings(act(operation="undo", to_revision=0, check=True), "unknown field") == []


def test_versions_of_the_pool_file_do_not_hide_those_of_the_nodes(act: Act, nodes: SimulatedNodes) -> None:
    nodes.add("old", version="v1.30.0")
    newer = kubelet_config("singleProcessOOMKill: true")
    pool = {**POOL, "documents": {"kubelet": newer}, "kubernetesVersions": ["1.35"]}
    result = act(pool=pool, check=True)
    assert result.get("failed") is None
    (sentence,) = warnings(result, "unknown field")
    assert "knows it from Kubernetes 1.32 (Kubernetes 1.30: old)" in sentence
    fitting = {**POOL, "kubernetesVersions": ["1.35"]}
    assert warnings(act(pool=fitting, check=True), "Kubernetes 1.30") == []


NEWER = {**POOL, "documents": {"kubelet": kubelet_config("mergeDefaultEvictionSettings: true")}}  # known from 1.33


@pytest.mark.parametrize("version", ["v1.20.0", "v1.27.3", "v1.99.0", "garbage", "v0.0.1"])
@pytest.mark.parametrize("operation", ["rollout", "undo"])
def test_what_a_node_says_of_its_version_decides_about_that_node_alone(
    act: Act, nodes: SimulatedNodes, version: str, operation: str
) -> None:
    if operation == "undo":
        assert act(pool=NEWER)["phase"] == "Complete"
        assert act()["phase"] == "Complete"
    nodes.add("liar", version=version)
    result = act(pool=NEWER, operation=operation, check=True)
    assert result.get("failed") is None, result["msg"]
    moved = {name for wave in result["plan"]["waves"] for name in wave["nodes"]}
    assert moved - {"liar"} == {"n1", "n2", "n3", "n4"}
    if operation == "rollout" and version in ("v1.20.0", "v1.27.3"):
        [skipped] = result["plan"]["skipped"]
        assert skipped["node"] == "liar"
        assert skipped["reason"].startswith("it would refuse the config: ")
        assert f"Kubernetes {version[1:5]}: liar" in skipped["reason"]
        assert any("liar" in line and "it would refuse the config" in line for line in result["text"])
        assert act(pool=NEWER)["phase"] == "Complete"
        assert "liar" not in {name for name, *_assignment in nodes.assignments}


def test_a_config_is_refused_for_the_version_of_a_real_share_of_the_pool(act: Act, nodes: SimulatedNodes) -> None:
    for number in range(3):
        nodes.add(f"old{number}", version="v1.32.0")
    assert len(act(pool=NEWER, check=True)["plan"]["skipped"]) == 3
    nodes.add("old3", version="v1.32.0")
    result = act(pool=NEWER, check=True)
    assert result["failed"] is True
    assert "nothing was published" in result["msg"]
    assert "Kubernetes 1.32: old0, old1, old2 and 1 more" in result["msg"]


def test_a_version_outside_the_skew_of_the_api_server_counts_for_no_share(act: Act, nodes: SimulatedNodes) -> None:
    for number in range(5):
        nodes.add(f"ancient{number}", version="v1.20.0")
    skipped = act(pool=NEWER, check=True)["plan"]["skipped"]
    assert {entry["node"] for entry in skipped} == {f"ancient{number}" for number in range(5)}


def test_a_config_that_no_node_can_have_is_refused(act: Act, nodes: SimulatedNodes) -> None:
    for name in ("n1", "n2", "n3", "n4"):
        nodes.client.patch(node_status(name), {"status": {"nodeInfo": {"kubeletVersion": "v1.20.0"}}}, kind="strategic")
    assert act(pool=NEWER, check=True)["failed"] is True


def test_an_approval_before_a_wave_that_the_rollout_does_not_have_is_a_warning(act: Act) -> None:
    pool = with_policy(approval={"before": ["broken", "wave 1", "wave 7"]})
    assert warnings(act(pool=pool, check=True), "approval") == [
        "policy.approval.before names wave 7, and this rollout has only canary, wave 1"
    ]
    for before in ("all", ["canary"]):
        assert warnings(act(pool=with_policy(approval={"before": before}), check=True), "approval") == []
    act()
    assert warnings(act(pool=pool, check=True), "approval") == [], "nothing is left to move"


def test_the_plan_says_that_its_estimate_has_no_drains_and_reboots(act: Act) -> None:
    def sentence(result: dict[str, Any]) -> str:
        (line,) = (line for line in result["text"] if line.startswith("It takes about "))
        return str(line)

    assert sentence(act(check=True)) == "It takes about 12s."
    act()
    more_pods = {**POOL, "documents": {"kubelet": kubelet_config("maxPods: 61")}}
    result = act(pool={**more_pods, "disruptionOverrides": {"kubelet": {"maxPods": "drain"}}}, check=True)
    assert result["plan"]["to_drain"]
    assert sentence(result) == "It takes about 12s; drains and reboots come on top."
