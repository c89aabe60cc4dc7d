# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variable release_data of plans: what they find with it, for how long it holds, and files that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.utils.display import Display

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.overlays import overlays
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.modules import config_bundle
from support.ansible_runs.actions import run_config_bundle, run_machines, run_rollout
from support.ansible_runs.in_process import document_pool, publish
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.configs.kubelet import kubelet_config
from support.machine_files import cluster as cluster_object
from support.machine_files import machine, text_of
from support.releases.data_files import GONE, NEXT, PRESENT, next_release
from support.rollouts.simulated_nodes import SimulatedNodes

ROOT = Path(__file__).resolve().parents[4]
VERSION = f"v1.{NEXT}.0"
WITH_GONE = document_pool(kubelet_config(f"featureGates: {{{GONE}: true}}"))
WITH_NEW = document_pool(kubelet_config(f"featureGates: {{{PRESENT}: true}}"))
NOT_JUDGED = f"of Kubernetes 1.{NEXT}: the data of this release are not whole"
Plan = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(Display(), "display", lines.append)
    monkeypatch.chdir(tmp_path)
    return lines


@pytest.fixture(autouse=True)
def _nodes_of_the_next_release(cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    for node in cluster.client.list(paths.NODES).items:
        status = {"status": {"nodeInfo": {"kubeletVersion": VERSION}}}
        cluster.client.patch(paths.node_status(node["metadata"]["name"]), status, kind="strategic")


@pytest.fixture
def plan(cluster: SandboxCluster) -> Plan:
    def run(pool: dict[str, Any] = WITH_GONE, *, check: bool = True, **arguments: Any) -> dict[str, Any]:
        return run_rollout({"kubeconfig": cluster.kubeconfig, "pool": pool, **arguments}, check=check)

    return run


def not_judged(result: dict[str, Any]) -> str:
    (line,) = (line for line in result["text"] if NOT_JUDGED in line)
    return str(line).partition(NOT_JUDGED)[0]


def test_a_plan_validates_feature_gates_only_with_the_file(plan: Plan, tmp_path: Path) -> None:
    path = next_release(tmp_path / "release.yaml")
    without = plan()
    assert without.get("failed") is None
    assert "gates" in not_judged(without)
    refused = plan(release_data=path)
    assert refused["failed"]
    assert f"featureGates.{GONE}: true: unknown feature gate: it is gone since Kubernetes 1.{NEXT}" in refused["msg"]
    judged = plan(WITH_NEW, release_data=path)
    assert judged.get("failed") is None
    assert "gates" not in not_judged(judged)
    assert "fields" in not_judged(judged), "which the file cannot have"


def test_a_file_holds_for_its_own_task_only(plan: Plan, tmp_path: Path) -> None:
    """A worker of the controller carries out the items of a loop one by one, whether they fail or not."""
    path = next_release(tmp_path / "release.yaml")
    other = next_release(tmp_path / "other.yaml", minor=NEXT + 1)
    for options in ({"release_data": path}, {"release_data": other}, {"release_data": path}):
        result = plan(**options)
        assert bool(result.get("failed")) == (options["release_data"] == path)
        assert overlays() == ()
        assert "gates" in not_judged(plan())
    plan(release_data=path, operation="undo", to_revision=7)
    assert overlays() == ()


@pytest.mark.parametrize("operation", ["undo", "reconcile"])
def test_the_plans_for_an_older_bundle_use_it_too(
    plan: Plan, nodes: SimulatedNodes, tmp_path: Path, operation: str
) -> None:
    assert plan(check=False)["phase"] == "Complete"
    if operation == "undo":
        assert plan(document_pool(kubelet_config("maxPods: 60")), check=False)["phase"] == "Complete"
    else:
        nodes.add("late", version=VERSION)
    for release_data, sentence in ((None, "gates"), (next_release(tmp_path / "a.yaml"), "unknown feature gate")):
        warnings = plan(operation=operation, release_data=release_data)["plan"]["warnings"]
        assert [warning for warning in warnings if sentence in warning], warnings
        assert any("not judged" in warning for warning in warnings)


def test_a_plan_of_machines_uses_it_too(cluster: SandboxCluster, tmp_path: Path) -> None:
    bundle = publish(cluster.kubeconfig, WITH_GONE["documents"]["kubelet"])
    source = {"configMap": {"namespace": bundle["namespace"], "name": bundle["name"]}}
    declared = machine("n1", cluster="east", versions={"kubelet": VERSION[1:]}, configSource=source)
    (tmp_path / "machines.yaml").write_text(text_of(cluster_object("east"), declared))
    options = {"kubeconfig": cluster.kubeconfig, "machine_files": ["machines.yaml"], "machine_preflight": False}
    info = {"status": {"nodeInfo": {"kubeletVersion": f"v1.{NEXT - 1}.0"}}}
    cluster.client.patch(paths.node_status("n1"), info, kind="strategic")
    release_data = next_release(tmp_path / "a.yaml")
    for _turn in range(2):  # results that are kept of the first task are not the answer to the next one
        without = run_machines(options, check=True)["msg"]
        assert f"fields, defaults, gates, flags and rules {NOT_JUDGED}" in without
        assert "unknown feature gate" not in without
        judged = run_machines({**options, "release_data": release_data}, check=True)["msg"]
        assert f"fields, defaults, flags and rules {NOT_JUDGED}" in judged
        assert f"featureGates.{GONE}: true: unknown feature gate" in judged
    assert overlays() == ()


def test_a_relative_path_is_relative_to_the_directory(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "pools").mkdir()
    next_release(tmp_path / "pools/release.yaml")
    assert "unknown feature gate" in plan(release_data="release.yaml", directory=str(tmp_path / "pools"))["msg"]


def unusable(kind: str, directory: Path) -> tuple[str, str]:
    """Return a file that cannot be used, and the message about it."""
    path = directory / "release.yaml"
    if kind == "missing":
        return str(path), f"release_data: {path} cannot be read: No such file or directory"
    if kind == "no release data":
        path.write_text("maxPods: 60\n")
        return str(path), f'release_data: {path}: the file: has the unknown key "maxPods"'
    if kind == "not YAML":
        path.write_text("{a: [")
        return str(path), f"release_data: {path}:1: not valid JSON"
    if kind == "of a known release":
        return next_release(path, minor=NEXT - 1), f"release_data: {path} is of Kubernetes 1.{NEXT - 1}, which is known"
    path.mkdir()
    return str(path), f"release_data: {path} cannot be read: Is a directory"


@pytest.mark.parametrize("kind", ["missing", "no release data", "not YAML", "of a known release", "a directory"])
def test_a_file_that_cannot_be_used_is_reported_in_one_sentence(
    plan: Plan, cluster: SandboxCluster, tmp_path: Path, kind: str
) -> None:
    path, sentence = unusable(kind, tmp_path)
    (tmp_path / "machines").mkdir()
    options = {"kubeconfig": cluster.kubeconfig, "release_data": path}
    bundle = {"pool": "workers", "documents": WITH_GONE["documents"]}
    for result in (
        plan(release_data=path),
        run_machines({**options, "machine_files": ["machines"]}, check=True),
        run_config_bundle({**options, **bundle}),
    ):
        assert result["failed"]
        assert result["msg"].startswith(sentence), result["msg"]
        assert "\n" not in result["msg"]


def test_a_bundle_is_validated_with_the_file(cluster: SandboxCluster, tmp_path: Path) -> None:
    options = {"kubeconfig": cluster.kubeconfig, "pool": "workers", "documents": WITH_GONE["documents"]}
    options["label_selector"] = "pool=workers"
    without = run_config_bundle(options, check=True)
    assert "gates" in without["not_judged"][0]["what"]
    refused = run_config_bundle({**options, "release_data": next_release(tmp_path / "a.yaml")}, check=True)
    assert refused["failed"]
    assert [finding["path"] for finding in refused["findings"]] == [f"featureGates.{GONE}"]
    alone = run_module(config_bundle.main, {**options, "release_data": "a.yaml"}, check=True)
    assert alone["msg"] == "release_data: only the action plugin reads the file"


@pytest.mark.parametrize("name", ["rollout", "undo", "reconcile", "clusters", "machines"])
def test_the_playbooks_pass_the_variable_on(name: str) -> None:
    plays = yaml.safe_load((ROOT / f"playbooks/{name}.yml").read_text())
    (task,) = (task for task in plays[-1]["tasks"] if "block" in task)
    (arguments,) = (
        value for key, value in task["block"][0].items() if key in ("configok.node.rollout", "configok.node.machines")
    )
    assert arguments["release_data"] == "{{ release_data | default(omit) }}"
