# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module component_config_diff: options, failures, results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.modules import component_config_diff
from support.ansible_runs.modules import run_module
from support.configs.kubelet import KUBELET_HEADER


def run(diff: bool = False, **arguments: Any) -> dict[str, Any]:
    return run_module(component_config_diff.main, arguments, check=True, diff=diff)


def test_layers_are_compared_with_content(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(KUBELET_HEADER + "maxPods: 100\n")
    (tmp_path / "pool.yaml").write_text(KUBELET_HEADER + "maxPods: 120\n")
    result = run(
        before={"content": KUBELET_HEADER, "kubernetes_version": "1.31"},
        after={"files": [str(tmp_path / "base.yaml"), str(tmp_path / "pool.yaml")]},
        disruption_overrides={"maxPods": "drain"},
    )
    assert result == {
        "changed": True,
        "disruption": "drain",
        "field_changes": [
            {
                "path": "maxPods",
                "before": "110",
                "after": "120",
                "disruption": "drain",
                "meaning": "drain, stop kubelet, change, start, uncordon",
                "note": "as overridden",
                "state_file": "",
                "peer": "",
                "condition": "",
                "place": f"{tmp_path}/pool.yaml:3",
            }
        ],
        "not_judged": [],
        "lines": [
            f"maxPods: 110 -> 120  [drain]  ({tmp_path}/pool.yaml:3)",
            "overall: drain: drain, stop kubelet, change, start, uncordon",
        ],
    }


def test_the_version_of_one_side_is_that_of_both() -> None:
    assert not run(before={"content": KUBELET_HEADER, "kubernetes_version": "1.26"}, after={"content": KUBELET_HEADER})[
        "changed"
    ]
    assert not run(before={"content": KUBELET_HEADER}, after={"content": KUBELET_HEADER, "kubernetes_version": "1.26"})[
        "changed"
    ]


def test_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "kubelet.yaml"
    path.write_text(KUBELET_HEADER + "featureGates:\n  NodeSwap: false\n")
    result = run(
        diff=True, files=[str(path)], from_version="1.33", to_version="1.35", flags=["--pod-infra-container-image=x"]
    )
    assert (result["changed"], result["valid"], result["disruption"]) == (True, False, "restart-crash-risk")
    fields = {change["path"]: change for change in result["field_changes"]}
    assert fields["failCgroupV1"]["cause"] == "default"
    assert fields["failCgroupV1"]["kind"] == "KubeletConfiguration"
    assert [change["name"] for change in result["flag_changes"]] == ["pod-infra-container-image"]
    assert {change["gate"]: change["refusal"] for change in result["gate_changes"]}["NodeSwap"] == (
        "the gate is locked: only true is allowed"
    )
    assert [finding["level"] for finding in result["findings"]] == ["component", "component"]
    assert result["lines"][0] == (
        f"component: {path}:4: featureGates.NodeSwap: false: the gate is locked: only true is allowed"
    )
    assert "failCgroupV1: true\n" in result["diff"]["after"]


def test_an_upgrade_of_layers_and_of_a_kubeadm_file(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(KUBELET_HEADER + "kubeAPIQPS: 5\n")
    (tmp_path / "pool.yaml").write_text(KUBELET_HEADER + "kubeAPIBurst: 9\n")
    layered = run(
        files=[str(tmp_path / "base.yaml"), str(tmp_path / "pool.yaml")], from_version="1.26", to_version="1.27"
    )
    assert not {"kubeAPIQPS", "kubeAPIBurst"} & {change["path"] for change in layered["field_changes"]}
    proxy = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
    content = f"apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n---\n{KUBELET_HEADER}---\n{proxy}"
    kinds = {change["kind"] for change in run(content=content, from_version="1.27")["field_changes"]}
    assert kinds == {"KubeletConfiguration", "KubeProxyConfiguration"}


def test_diff_mode_shows_both_without_secrets() -> None:
    result = run(
        diff=True, before={}, after={"content": KUBELET_HEADER + "clusterDomain: Bearer abcdefghijklmnopqrstuvwx\n"}
    )
    assert "clusterDomain: (a secret, not shown)\n" in result["diff"]["after"]
    assert "clusterDomain" not in result["diff"]["before"]
    assert "maxPods: 110\n" in result["diff"]["before"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "there is nothing to compare: neither side has a config."),
        ({"before": {"files": ["/nonexistent/a"]}}, "Cannot read /nonexistent/a: No such file or directory."),
        ({"before": {"files": ["nowhere/a"]}}, f"Cannot read nowhere/a in {Path.cwd()}: No such file or directory."),
        (
            {"after": {"content": KUBELET_HEADER}, "disruption_overrides": {"maxPods": "x"}},
            "is not a class of disruption",
        ),
        ({"after": {"content": KUBELET_HEADER, "files": []}}, "mutually exclusive"),
        ({"content": KUBELET_HEADER}, "missing parameter(s) required by 'content': from_version"),
        ({"from_version": "1.31"}, "from_version needs files or content"),
        (
            {"from_version": "1.31", "content": KUBELET_HEADER, "to_version": "1.31"},
            "both versions are of Kubernetes 1.31",
        ),
        ({"from_version": "1.31", "after": {"content": KUBELET_HEADER}}, "mutually exclusive"),
        ({"from_version": "1.3", "content": KUBELET_HEADER}, "write 1.30 in quotes"),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], sentence: str) -> None:
    result = run(**arguments)
    assert result["failed"]
    assert sentence in result["msg"]


def test_an_upgrade_has_the_meanings_that_change(tmp_path: Path) -> None:
    path = tmp_path / "kubelet.yaml"
    path.write_text(KUBELET_HEADER + "eventRecordQPS: 0\nfeatureGates: {MemoryQoS: false}\n")
    result = run(files=[str(path)], from_version="1.36", to_version="1.37")
    (meaning,) = [row for row in result["meaning_changes"] if row["subject"] == "eventRecordQPS"]
    assert (meaning["note"], meaning["since"], meaning["value"]) == ("events-without-limit", "1.37", "0")
    assert (meaning["after"], meaning["kind"], meaning["place"]) == ("no limit", "KubeletConfiguration", f"{path}:3")
    assert set(meaning) == {
        "note", "since", "subject", "value", "before", "after", "keep", "condition", "kind", "place",
    }  # fmt: skip
    assert {row["note"] for row in result["notes"]} == {"config-in-log", "log-endpoints", "metrics-gone"}
    effects = run(content=KUBELET_HEADER + "seccompDefault: true\n", from_version="1.24", to_version="1.25")
    (effect,) = effects["meaning_changes"]
    assert (effect["note"], effect["subject"], set(effect)) == ("gate", "seccompDefault", set(meaning))


def test_a_comparison_has_the_meaning_of_a_new_value() -> None:
    result = run(before={"content": KUBELET_HEADER}, after={"content": KUBELET_HEADER + "eventRecordQPS: 0\n"})
    (change,) = result["field_changes"]
    assert change["value_meaning"].startswith("meaning: eventRecordQPS: 0: up to 1.36: 5 events a second")
