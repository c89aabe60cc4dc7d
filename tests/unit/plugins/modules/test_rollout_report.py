# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rollout_report: reads a pool and writes its page, only when something other than its time is new."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import NODES, config_map
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    read_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._report.page_data import (
    generated_time,
    page_summary,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from support.ansible_runs.actions import run_rollout_report
from support.ansible_runs.in_process import roll_out
from support.api.clusters import SandboxCluster
from support.configs.kubelet import kubelet_config
from support.rollouts.html_pages import Element, parse_page
from support.rollouts.simulated_nodes import SimulatedNodes


def run(cluster: SandboxCluster, dest: Path, *, check: bool = False, **arguments: Any) -> dict[str, Any]:
    options = {"kubeconfig": cluster.kubeconfig, "pool": "workers", "selector": "pool=workers", "dest": str(dest)}
    return run_rollout_report({**options, **arguments}, check=check)


def text_of(page: Path, identifier: str) -> str:
    elements: list[Element] = parse_page(page.read_text(encoding="utf-8"))
    return next(item.text for item in elements if item.attributes.get("id") == identifier)


def test_a_pool_that_was_never_rolled_out_has_a_report(
    cluster: SandboxCluster, nodes: SimulatedNodes, tmp_path: Path
) -> None:
    del nodes
    cluster.server.requests.clear()
    result = run(cluster, tmp_path / "a.html")
    assert result["changed"] is True
    assert result["text"] == "Pool workers: never rolled out, 4 nodes: 4 ok"
    assert result["size"] == (tmp_path / "a.html").stat().st_size
    assert cluster.writes() == []


def test_a_rollout_is_shown_with_what_it_changed(
    cluster: SandboxCluster, nodes: SimulatedNodes, tmp_path: Path
) -> None:
    del nodes
    page = tmp_path / "a.html"
    roll_out(cluster.client, kubelet_config("maxPods: 60"))
    roll_out(cluster.client, kubelet_config("maxPods: 70"))
    result = run(cluster, page)
    assert result["text"] == "Pool workers: revision 2, Complete, 4 nodes: 4 ok"
    changes = text_of(page, "changes")
    assert "On 4 nodes" in changes
    assert "maxPods6070restart" in changes
    assert "Wave 1" in text_of(page, "timeline")


def test_it_is_written_again_only_when_something_but_its_time_is_new(
    cluster: SandboxCluster, nodes: SimulatedNodes, tmp_path: Path
) -> None:
    page = tmp_path / "a.html"
    first = run(cluster, page)
    written = page.stat()
    again = run(cluster, page)
    assert again["changed"] is False
    assert again["generated"] == first["generated"] == generated_time(page.read_text())
    assert (page.stat().st_ino, page.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    nodes.set_ready("n2", False)
    third = run(cluster, page)
    assert third["changed"] is True
    assert third["generated"] > first["generated"]
    assert third["diff"]["before"] == "Pool workers: never rolled out, 4 nodes: 4 ok"
    assert third["diff"]["after"] == "Pool workers: never rolled out, 4 nodes: 1 unknown, 3 ok"
    assert page_summary(page.read_text()) == third["text"]


def test_a_file_that_is_not_a_report_is_replaced(cluster: SandboxCluster, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_bytes(b"\xff\xfe<p>other</p>")
    assert run(cluster, page)["changed"] is True
    assert page.read_text().startswith("<!doctype html>")


def test_check_mode_predicts_and_writes_nothing(cluster: SandboxCluster, nodes: SimulatedNodes, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    assert run(cluster, page, check=True)["changed"] is True
    assert run(cluster, tmp_path / "absent" / "a.html", check=True)["changed"] is True
    assert list(tmp_path.glob("*.html")) == []
    run(cluster, page)
    assert run(cluster, page, check=True)["changed"] is False
    nodes.set_ready("n2", False)
    before = page.read_bytes()
    assert run(cluster, page, check=True)["changed"] is True
    assert page.read_bytes() == before


def test_the_mode_of_the_file_is_set(cluster: SandboxCluster, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    run(cluster, page)
    assert page.stat().st_mode & 0o777 == 0o644
    assert run(cluster, page, mode="0600")["changed"] is True
    assert page.stat().st_mode & 0o777 == 0o600
    assert run(cluster, page, mode="0600")["changed"] is False


@pytest.mark.parametrize("name", ["absent/a.html", "directory"])
def test_a_dest_that_cannot_be_written_fails_with_a_message(cluster: SandboxCluster, tmp_path: Path, name: str) -> None:
    (tmp_path / "directory").mkdir()
    result = run(cluster, tmp_path / name)
    assert result["failed"] is True
    assert str(tmp_path / name) in result["msg"]
    assert "choose another dest" in result["msg"]


def test_the_report_says_that_its_bundle_cannot_be_read(
    cluster: SandboxCluster, nodes: SimulatedNodes, tmp_path: Path
) -> None:
    del nodes
    roll_out(cluster.client, kubelet_config("maxPods: 60"))
    target = rollout_of(cluster).target
    cluster.client.delete(config_map(target.namespace, target.name))
    run(cluster, tmp_path / "a.html")
    assert f"the bundle {target.name} cannot be read" in text_of(tmp_path / "a.html", "changes")


def test_the_report_of_an_undo_to_the_init_config_says_what_is_not_published(
    cluster: SandboxCluster, nodes: SimulatedNodes, tmp_path: Path
) -> None:
    del nodes
    roll_out(cluster.client, kubelet_config("maxPods: 60"))

    rollout = rollout_of(cluster)
    sources = dict.fromkeys(rollout.start.previous_sources, rollout.target.source)
    undo = replace(rollout, target=Target.init(), revision=0, start=replace(rollout.start, previous_sources=sources))

    def undone(record: Record) -> Record:
        return replace(record, rollout=undo)

    update_record(cluster.client, "workers", undone)
    run(cluster, tmp_path / "a.html")
    assert "What these nodes used before is not published." in text_of(tmp_path / "a.html", "changes")


def rollout_of(cluster: SandboxCluster) -> Rollout:
    rollout = read_record(cluster.client, "workers").rollout
    assert rollout is not None
    return rollout


def test_machines_of_files_are_a_section(cluster: SandboxCluster, nodes: SimulatedNodes, tmp_path: Path) -> None:
    names = sorted(node["metadata"]["name"] for node in cluster.client.list(NODES).items)
    del nodes
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": "machines.configok.dev/v1alpha1",
            "kind": "Cluster",
            "metadata": {"name": "east"},
            "spec": {"endpoint": "https://10.0.0.10:6443"},
        }
    ]
    for name in (*names, "new-1"):
        provider = {"apiVersion": "provider.configok.dev/v1alpha1", "kind": "DebianHost"}
        spec = {"cluster": "east", "versions": {"kubelet": "1.35.9"}, "providerConfig": provider}
        metadata = {"name": name, "labels": {"group": "new" if name == "new-1" else "old"}}
        objects.append(
            {"apiVersion": "machines.configok.dev/v1alpha1", "kind": "Machine", "metadata": metadata, "spec": spec}
        )
    files = tmp_path / "machines.yaml"
    files.write_text("\n---\n".join(map(json.dumps, objects)), encoding="utf-8")
    page = tmp_path / "a.html"
    cluster.server.requests.clear()
    result = run(cluster, page, pool="machines", selector=None, machine_files=[str(files)])
    assert result["text"] == f"Pool machines: never rolled out, {len(names)} nodes: {len(names)} ok"
    text = text_of(page, "machines")
    assert "5 machines; the next run would change 5." in text
    assert "new-1Provisioning1.35.9initcreate" in text
    assert cluster.writes() == []
    selected = run(
        cluster, page, pool="machines", selector=None, machine_files=[str(files)], machine_selector="group=new"
    )
    assert selected["changed"] is True
    assert "1 machine; the next run would change 1." in text_of(page, "machines")


def test_a_pool_needs_a_selector_or_machines(cluster: SandboxCluster, tmp_path: Path) -> None:
    options = {"kubeconfig": cluster.kubeconfig, "pool": "workers", "dest": str(tmp_path / "a.html")}
    result = run_rollout_report(options)
    assert result["failed"]
    assert "selector, machine_files" in result["msg"]
