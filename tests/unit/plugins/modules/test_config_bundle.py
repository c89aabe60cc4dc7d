# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""config_bundle: invalid configs are refused before publishing, and the same content is the same bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._nodeconfig import bundle
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import COMPLETE
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    read_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.module_utils._rollout.timing import Clock
from ansible_collections.configok.node.plugins.modules import config_bundle
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.configs.kubelet import KUBELET_HEADER, KUBELET_KIND
from support.rollouts.simulated_nodes import SimulatedNodes

pytestmark = pytest.mark.usefixtures("nodes")


def run(cluster: SandboxCluster, text: str = "maxPods: 60\n", **arguments: Any) -> dict[str, Any]:
    mode = {key: arguments.pop(key) for key in ("check", "diff") if key in arguments}
    options = {
        "kubeconfig": cluster.kubeconfig,
        "pool": "workers",
        "documents": {"kubelet": KUBELET_HEADER + text},
        **arguments,
    }
    options = {name: value for name, value in options.items() if value is not None}
    return run_module(config_bundle.main, options, **mode)


def start_with(cluster: SandboxCluster, text: str) -> None:
    """Publish a first bundle, and record its rollout to the pool."""
    run(cluster, text)
    update_record(cluster.client, "workers", lambda record: record.with_result(1, COMPLETE))


def bundles(cluster: SandboxCluster) -> list[dict[str, Any]]:
    return cluster.client.list(paths.config_maps("configok-system")).items


def test_publishes_one_immutable_object_once(cluster: SandboxCluster) -> None:
    first = run(cluster, trial_duration="5m", change_cause="more pods", published_by="ada")
    assert first["changed"] is True
    (stored,) = bundles(cluster)
    assert stored["immutable"] is True
    assert stored["data"]["kubelet"] == KUBELET_HEADER + "maxPods: 60\n"
    assert stored["metadata"]["annotations"]["configok.dev/change-cause"] == "more pods"
    where = {"namespace": "configok-system", "name": stored["metadata"]["name"], "uid": stored["metadata"]["uid"]}
    assert first["config_source"] == {"configMap": where}
    assert first["bundle"].items() >= {**where, "components": ["kubelet"]}.items()
    assert first["revision"] == 1
    second = run(cluster, trial_duration="5m")
    assert second["changed"] is False
    assert second["config_source"] == first["config_source"]
    assert len(bundles(cluster)) == 1
    other = run(cluster, "maxPods: 61\n")
    assert (other["changed"], other["revision"]) == (True, 2)


@pytest.mark.parametrize("version", ["banana", "v1.2.3"])
def test_a_node_that_names_no_version_costs_no_other_node(cluster: SandboxCluster, version: str) -> None:
    info = {"status": {"nodeInfo": {"kubeletVersion": version}}}
    cluster.client.patch(paths.node_status("n2"), info, kind="strategic")
    result = run(cluster, label_selector="pool=workers")
    assert result["changed"] is True
    assert result["kubernetes_versions"] == ["v1.35.0"]


def test_a_bundle_of_the_same_name_with_other_content_is_refused(
    cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An identity that can create ConfigMaps there can make ten digits of a hash collide."""
    monkeypatch.setattr(bundle, "content_hash", lambda _data: "0" * 64)
    assert run(cluster)["changed"] is True
    result = run(cluster, "maxPods: 61\n")
    assert result["failed"] is True
    assert "workers-0000000000 exists with other content" in result["msg"]
    assert len(bundles(cluster)) == 1


def test_check_mode_changes_nothing(cluster: SandboxCluster) -> None:
    result = run(cluster, check=True, diff=True)
    assert result["changed"] is True
    assert result["config_source"] is None
    assert result["bundle"]["uid"] == ""
    assert result["diff"][0]["after"] == KUBELET_HEADER + "maxPods: 60\n"
    assert bundles(cluster) == []


def test_an_invalid_config_is_refused_with_every_finding(cluster: SandboxCluster) -> None:
    result = run(cluster, "maxPods: -1\nnoSuchField: 1\n")
    assert result["failed"] is True
    assert "\n" not in result["msg"]
    assert {finding["path"]: finding["level"] for finding in result["findings"]} == {
        "maxPods": "component",
        "noSuchField": "policy",
    }
    assert any(line.startswith("component: kubelet:3: maxPods: -1") for line in result["lines"])
    assert bundles(cluster) == []


def test_a_bundle_is_validated_for_the_versions_of_the_nodes(cluster: SandboxCluster, nodes: SimulatedNodes) -> None:
    # Known from Kubernetes 1.33 on.
    text = "mergeDefaultEvictionSettings: true\n"
    for name in ("n1", "n2"):
        info = {"status": {"nodeInfo": {"kubeletVersion": "v1.32.3"}}}
        nodes.client.patch(paths.node_status(name), info, kind="strategic")
    result = run(cluster, text, label_selector="pool=workers")
    assert result["failed"] is True
    assert "(Kubernetes 1.32: n1, n2)" in result["msg"]
    assert run(cluster, text, kubernetes_versions=["1.35"], check=True)["changed"] is True


def test_a_change_says_what_it_asks_of_a_node(cluster: SandboxCluster) -> None:
    text = "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\nmaxPods: 60\n"
    start_with(cluster, "podPidsLimit: 100\n")
    result = run(cluster, "podPidsLimit: 100\n" + text, kubernetes_versions=["1.31", "1.36"], check=True)
    changes = {change["path"]: change for change in result["field_changes"]}
    assert (
        changes["cpuManagerPolicy"].items()
        >= {
            "component": "kubelet",
            "before": None,
            "after": '"static"',
            "disruption": "drain+state",
            "state_file": "cpu_manager_state",
        }.items()
    )
    assert result["text"][1:] == [
        '  kubelet cpuManagerPolicy    <unset> -> "static"  [drain and remove cpu_manager_state]',
        "  kubelet maxPods             <unset> -> 60        [restart-may-reject]",
        '  kubelet reservedSystemCPUs  <unset> -> "0"       [drain and remove cpu_manager_state]',
        "  overall: drain+state: drain, stop kubelet, remove the state file, change, start, uncordon",
    ]


def test_the_user_may_know_better(cluster: SandboxCluster) -> None:
    start_with(cluster, "maxPods: 50\n")
    result = run(cluster, disruption_overrides={"kubelet": {"maxPods": "drain"}}, check=True)
    assert [change["disruption"] for change in result["field_changes"]] == ["drain"]
    for overrides, sentence in (
        ({"maxPod": "drain"}, "maxPod is not a field of Kubelet"),
        ("drain", "must be classes by"),
    ):
        refused = run(cluster, disruption_overrides={"kubelet": overrides})
        assert refused["msg"].startswith(f"disruption_overrides of kubelet: {sentence}")
    assert len(bundles(cluster)) == 1


def test_what_failed_in_the_pool_is_refused(cluster: SandboxCluster) -> None:
    published = run(cluster)
    target = Target.from_dict(published["bundle"])
    update_record(cluster.client, "workers", lambda record: record.with_bad_config(target, "it crashed", Clock().now()))
    result = run(cluster)
    assert result["failed"] is True
    assert "it crashed" in result["msg"]
    assert read_record(cluster.client, "workers").latest is not None


def test_check_mode_reports_a_refusal_by_the_api_server(
    cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_client: Client, path: str, _body: Any, *, dry_run: bool = False) -> Any:
        assert dry_run is True
        raise Forbidden("exceeded quota", where=f"POST {path}", status=403)

    monkeypatch.setattr(Client, "create", refuse)
    result = run(cluster, check=True)
    assert result["failed"] is True
    assert "exceeded quota" in result["msg"]


def test_a_file_is_as_good_as_text(cluster: SandboxCluster, tmp_path: Path) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text(KUBELET_HEADER + "maxPods: 60\n")
    by_text, by_file = run(cluster), run(cluster, documents=None, src={"kubelet": str(file)})
    assert by_file["changed"] is False
    assert by_file["bundle"] == by_text["bundle"]


def test_data_is_published_as_the_same_bundle_whatever_its_order(cluster: SandboxCluster) -> None:
    head = KUBELET_KIND
    first = run(cluster, documents={"kubelet": {**head, "maxPods": 60}})
    second = run(cluster, documents={"kubelet": {"maxPods": 60, **head}})
    assert (first["changed"], second["changed"]) == (True, False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pool": "Workers"}, "must be a DNS label"),
        ({"trial_duration": "soon"}, "must be a duration"),
        ({"crash_loop_threshold": 11}, "from 0 to 10"),
        ({"kubernetes_versions": ["latest"]}, "not a Kubernetes version"),
        ({"documents": None}, "one of the following is required"),
        ({"documents": None, "src": {"kubelet": "/nonexistent/kubelet.yaml"}}, "cannot be read"),
        ({"src": {"kubelet": "/nonexistent/kubelet.yaml"}}, "given twice"),
        ({"namespace": "elsewhere"}, "the namespace elsewhere does not exist"),
    ],
)
def test_invalid_arguments_are_refused_with_a_message(
    cluster: SandboxCluster, arguments: dict[str, Any], words: str
) -> None:
    result = run(cluster, **arguments)
    assert result["failed"] is True
    assert words in result["msg"]
    assert bundles(cluster) == []
