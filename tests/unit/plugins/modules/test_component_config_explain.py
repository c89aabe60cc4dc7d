# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module component_config_explain: options and results."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.modules import component_config_explain
from support.ansible_runs.modules import run_module


def run(**arguments: Any) -> dict[str, Any]:
    return run_module(component_config_explain.main, arguments, check=True)


def test_fields_are_explained_in_their_order() -> None:
    result = run(fields=["memorySwap.swapBehavior", "featureGates.NodeSwap"])
    assert not result["changed"]
    assert [explanation["heading"] for explanation in result["explanations"]] == [
        "memorySwap.swapBehavior, of KubeletConfiguration (kubelet.config.k8s.io/v1beta1)",
        "NodeSwap, a feature gate",
    ]
    assert result["explanations"][0]["facts"]["versions"] == "from 1.22"
    assert "  stages      1.22   Alpha, off" in result["lines"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"fields": ["maxPod"]}, "KubeletConfiguration has no field maxPod; did you mean maxPods?"),
        ({"fields": ["maxPods"], "kind": "kublet"}, "kublet is not a known component or kind"),
        ({"fields": ["maxPods"], "kubernetes_version": "new"}, "not a Kubernetes version: 'new'"),
    ],
)
def test_what_is_not_known(arguments: dict[str, Any], sentence: str) -> None:
    result = run(**arguments)
    assert result["failed"]
    assert sentence in result["msg"]
    assert "?." not in result["msg"]
