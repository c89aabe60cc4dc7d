# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rollout_plan: plans a rollout of config_bundle's result, or an undo to an earlier revision."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube._api_paths import config_maps
from ansible_collections.configok.node.plugins.module_utils._rollout._plan import Target
from ansible_collections.configok.node.plugins.module_utils._rollout._record import COMPLETE, Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record_store import encode_record
from ansible_collections.configok.node.plugins.modules import config_bundle, rollout_plan
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.configs.kubelet import kubelet_config

pytestmark = pytest.mark.usefixtures("nodes")

DOCUMENT = kubelet_config("maxPods: 60")
POLICY = {"canary": {"count": 1, "soak": "11m"}, "waves": ["50%", "100%"], "maxUnavailable": "50%"}


def bundle(cluster: SandboxCluster, *, check: bool = False) -> dict[str, Any]:
    options = {"kubeconfig": cluster.kubeconfig, "pool": "workers", "documents": {"kubelet": DOCUMENT}}
    bundle: dict[str, Any] = run_module(config_bundle.main, options, check=check)["bundle"]
    return bundle


def run(cluster: SandboxCluster, **arguments: Any) -> dict[str, Any]:
    options = {"kubeconfig": cluster.kubeconfig, "pool": "workers", "selector": "pool=workers", "policy": POLICY}
    return run_module(rollout_plan.main, {**options, **arguments})


def test_canary_then_waves_and_nothing_is_written(cluster: SandboxCluster) -> None:
    published = bundle(cluster)
    cluster.server.requests.clear()
    result = run(cluster, bundle=published)
    assert result["changed"] is False
    assert result["waves"] == ["canary", "wave 1", "wave 2"]
    assert result["refusals"] == []
    assert [len(wave["nodes"]) for wave in result["plan"]["waves"]] == [1, 1, 2]
    assert result["text"][0] == f"Pool workers: 4 nodes, to revision 1 ({published['name']})"
    assert cluster.writes() == []


def test_a_bundle_that_is_not_published_can_be_planned(cluster: SandboxCluster) -> None:
    result = run(cluster, bundle=bundle(cluster, check=True))
    assert result["text"][0].endswith("which is not published yet")
    assert result["waves"][0] == "canary"


def test_a_plan_that_must_not_start_says_why(cluster: SandboxCluster) -> None:
    result = run(cluster, bundle=bundle(cluster), selector="pool=none")
    assert result["refusals"] == ["no Node matches the selector 'pool=none' of pool workers"]


def test_a_pool_that_has_the_same_nodes_is_named_with_them(cluster: SandboxCluster) -> None:
    target = Target.from_dict(bundle(cluster))
    rollout = Rollout(1, target, COMPLETE, (), 4, "", "", selector="pool")
    cluster.client.create(config_maps("configok-rollouts"), encode_record(Record("others", rollout=rollout)))
    result = run(cluster, bundle=target.to_dict())
    assert result["overlaps"] == [{"pool": "others", "nodes": ["n1", "n2", "n3", "n4"]}]
    sentence = "pool others has 4 of these nodes as well, and each pool takes them from the other: n1, n2, n3, n4"
    assert f"  {sentence}" in result["text"]
    assert result["plan"]["warnings"] == [sentence]
    assert result["refusals"] == []


def test_the_init_config_is_revision_0(cluster: SandboxCluster) -> None:
    result = run(cluster, to_revision=0)
    assert result["plan"]["target"]["name"] == "init"
    assert result["waves"] == []  # all nodes use it


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"undo": True}, "has never been rolled out"),
        ({"to_revision": 7}, "has no revision 7"),
        ({}, "any of the following are missing: bundle, to_revision"),
        ({"to_revision": 0, "policy": {"waves": [], "soaks": 1}}, "policy.soaks: unknown field"),
        ({"to_revision": 0, "policy": {"maxUnavailable": 0}}, "allows nothing"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(cluster: SandboxCluster, arguments: dict[str, Any], words: str) -> None:
    result = run(cluster, **arguments)
    assert result["failed"] is True
    assert words in result["msg"]
