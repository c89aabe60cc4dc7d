# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_diff: which sides can be compared, and what is read from where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.modules import cluster_diff
from support.ansible_runs.actions import run_cluster_diff
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster, prepare
from support.api.populations import add_node, publish_bundle
from support.releases.data_files import NEXT, next_release

API_VERSION = "machines.configok.dev/v1alpha1"


def run(before: dict[str, Any], after: dict[str, Any], **options: Any) -> dict[str, Any]:
    return run_module(cluster_diff.main, {"before": before, "after": after, **options}, check=True)


def machine_file(path: Path, *machines: dict[str, Any], clusters: tuple[str, ...] = ("east",)) -> list[str]:
    """Write Clusters and Machines to a file."""
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": API_VERSION,
            "kind": "Cluster",
            "metadata": {"name": name},
            "spec": {"endpoint": "https://10.0.0.10:6443", "kubernetesVersion": "1.34.9"},
        }
        for name in clusters
    ]
    for number, spec in enumerate(machines):
        provider = {"apiVersion": "provider.configok.dev/v1alpha1", "kind": "DebianHost"}
        metadata = {"name": f"n{number}", "labels": {"pool": "workers"}}
        objects.append(
            {
                "apiVersion": API_VERSION,
                "kind": "Machine",
                "metadata": metadata,
                "spec": {"cluster": "east", "providerConfig": provider, **spec},
            }
        )
    path.write_text("\n---\n".join(map(json.dumps, objects)), encoding="utf-8")
    return [str(path)]


def test_one_cluster_cannot_be_compared_with_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("K8S_AUTH_CONTEXT", "east")
    result = run({}, {})
    assert result["failed"]
    assert result["msg"].startswith("before and after are the same cluster")


def test_the_variables_of_one_cluster_do_not_hold_for_both(
    cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("K8S_AUTH_HOST", "https://192.0.2.1:1")
    add_node(cluster.client, "n0")
    side = {"kubeconfig": cluster.kubeconfig}
    result = run(side, side)
    assert (result["differs"], result["changed"]) == (False, False)


def test_two_files_are_compared_without_a_cluster(tmp_path: Path) -> None:
    versions = {"kubelet": "1.34.9"}
    before = machine_file(tmp_path / "a.yaml", {"versions": versions, "pool": "workers"}, {"versions": versions})
    after = machine_file(tmp_path / "b.yaml", {"versions": {"kubelet": "1.35.0"}, "pool": "others"})
    result = run({"machine_files": before}, {"machine_files": after})
    (entry,) = result["machines"]
    assert [(d["path"], d["before"], d["after"]) for d in entry["differences"]] == [
        ("versions.kubelet", "1.34.9", "1.35.0"),
        ("config", "pool workers", "pool others"),
    ]
    assert result["only_before"] == ["n1"]


def test_bundles_of_files_are_those_of_the_other_side(cluster: SandboxCluster, tmp_path: Path) -> None:
    prepare(cluster.client)
    used = publish_bundle(cluster.client, "workers", {"maxPods": 90})
    other = publish_bundle(cluster.client, "workers", {"maxPods": 80})
    add_node(cluster.client, "n0", source=used)
    reference = {"configMap": {"namespace": other.namespace, "name": other.name}}
    files = machine_file(tmp_path / "a.yaml", {"configSource": reference})
    result = run({"machine_files": files}, {"kubeconfig": cluster.kubeconfig})
    (entry,) = result["machines"]
    assert [(d["path"], d["before"], d["after"]) for d in entry["differences"]] == [("maxPods", "80", "90")]
    assert "only the bundles are compared" in entry["notes"][0]


def test_defaults_of_a_release_are_those_of_its_data(cluster: SandboxCluster, tmp_path: Path) -> None:
    prepare(cluster.client)
    for name, minor in (("old", NEXT - 1), ("new", NEXT)):
        used = publish_bundle(cluster.client, "workers", {"podPidsLimit": minor})
        add_node(cluster.client, name, kubelet=f"v1.{minor}.0", labels={"of": name, "twin": "a"}, source=used)
    sides = [{"kubeconfig": cluster.kubeconfig, "selector": f"of={name}"} for name in ("old", "new")]
    release_data = next_release(tmp_path / "release.yaml", defaults={"maxPods": 120})
    for _turn in range(2):
        for options, is_known in (({}, False), ({"release_data": release_data}, True)):
            arguments = {"before": sides[0], "after": sides[1], "match_label": "twin", **options}
            (entry,) = run_cluster_diff(arguments, check=True)["machines"]
            assert any("maxPods" in note for note in entry["notes"]) == is_known, entry
            (line,) = (note for note in entry["notes"] if note.startswith("not judged: "))
            assert ("gates" in line, f"of Kubernetes 1.{NEXT}:" in line) == (not is_known, True)


def test_a_pool_without_a_complete_rollout_differs_from_the_init_config(
    cluster: SandboxCluster, tmp_path: Path
) -> None:
    prepare(cluster.client)
    add_node(cluster.client, "n0")
    files = machine_file(tmp_path / "a.yaml", {"pool": "workers"})
    result = run({"machine_files": files}, {"kubeconfig": cluster.kubeconfig})
    (entry,) = result["machines"]
    assert [(d["path"], d["before"], d["after"]) for d in entry["differences"]] == [
        ("config", "pool workers, which has no complete rollout", "init")
    ]


@pytest.mark.parametrize(
    ("selector", "names"),
    [("pool=workers", ["n0"]), ("pool=others", []), ("", ["n0"])],
)
def test_a_selector_is_that_of_both_sides(
    cluster: SandboxCluster, tmp_path: Path, selector: str, names: list[str]
) -> None:
    add_node(cluster.client, "m0", labels={"pool": "others"})
    files = machine_file(tmp_path / "a.yaml", {})
    result = run({"machine_files": files}, {"kubeconfig": cluster.kubeconfig}, selector=selector)
    assert result["only_before"] == names
    own = run({"machine_files": files, "selector": "pool=none"}, {"kubeconfig": cluster.kubeconfig}, selector=selector)
    assert own["only_before"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"machine_files": ["missing.yaml"]}, "missing.yaml: "),
        ({"machine_files": ["two.yaml"]}, "choose one with machine_cluster"),
        ({"machine_files": ["two.yaml"], "machine_cluster": "north"}, "have no Cluster north, but east, west: correct"),
        ({"machine_files": ["two.yaml"], "machine_cluster": "east", "selector": "a in"}, "a in"),
    ],
)
def test_a_side_that_cannot_be_read_is_reported_in_one_sentence(
    options: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    machine_file(tmp_path / "two.yaml", {}, {"cluster": "west"}, clusters=("east", "west"))
    result = run(options, {"machine_files": ["two.yaml"], "machine_cluster": "west"})
    assert result["failed"]
    assert message in result["msg"]
    assert "\n" not in result["msg"]
