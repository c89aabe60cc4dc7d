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


def test_layers_against_content(tmp_path: Path) -> None:
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
        "lines": [
            f"maxPods: 110 -> 120  [drain]  ({tmp_path}/pool.yaml:3)",
            "all in all: drain: drain, stop kubelet, change, start, uncordon",
        ],
    }


def test_the_version_of_one_side_is_that_of_both() -> None:
    assert not run(before={"content": KUBELET_HEADER, "kubernetes_version": "1.26"}, after={"content": KUBELET_HEADER})[
        "changed"
    ]
    assert not run(before={"content": KUBELET_HEADER}, after={"content": KUBELET_HEADER, "kubernetes_version": "1.26"})[
        "changed"
    ]


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
        ({"after": {"content": KUBELET_HEADER}, "disruption_overrides": {"maxPods": "x"}}, "is no class of disruption"),
        ({"after": {"content": KUBELET_HEADER, "files": []}}, "mutually exclusive"),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], sentence: str) -> None:
    result = run(**arguments)
    assert result["failed"]
    assert sentence in result["msg"]
