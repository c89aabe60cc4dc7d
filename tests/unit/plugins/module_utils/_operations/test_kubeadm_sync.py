# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeadm's own record gets the flags that all nodes of a pool use, and loses no edit of others."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Conflict
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map, config_maps
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._operations import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._operations.kubeadm_sync import (
    KubeadmSync,
    compare_kubeadm_config,
    sync_kubeadm_config,
)
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import update_record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import publish_bundle
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.modules import kubeadm_sync
from support.ansible_runs.modules import run_module
from support.configs.options import component_options
from support.rollouts.world import MakeWorld, World

PATH = config_map("kube-system", "kubeadm-config")
CONFIGURATION = """\
apiServer:
  extraArgs:
    authorization-mode: Node,RBAC
  timeoutForControlPlane: 4m0s
apiVersion: kubeadm.k8s.io/v1beta2
certificatesDir: /etc/kubernetes/pki
controllerManager: {}
kind: ClusterConfiguration
kubernetesVersion: v1.20.2
scheduler: {}
"""


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    """A cluster of kubeadm."""
    world = make_world(3)
    data = {"ClusterConfiguration": CONFIGURATION, "ClusterStatus": "apiEndpoints: {}\n"}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kubeadm-config"}, "data": data}
    world.client.create(config_maps("kube-system"), body)
    return world


def roll_out(world: World, **flags: Any) -> None:
    """Roll flags of the API server out; none for the init config."""
    target = Target.init()
    if flags:
        document = json.dumps(component_options({name.replace("_", "-"): value for name, value in flags.items()}))
        bundle = build_bundle("workers", {"kube-apiserver": document})
        target = publish_bundle(world.client, bundle, now=world.clock.now()).target
    assert world.rollout(target)[-1].phase == "Complete"


def sync(world: World, pool: str = "workers", **options: Any) -> KubeadmSync:
    return sync_kubeadm_config(world.client, pool, **options)


def arguments(world: World) -> Any:
    return yaml.safe_load(world.client.get(PATH)["data"]["ClusterConfiguration"])["apiServer"]["extraArgs"]


def test_the_flags_are_written_once_and_taken_back(world: World) -> None:
    before = world.client.get(PATH)
    roll_out(world, event_ttl="2h")
    checked = sync(world, check=True)
    assert (checked.changed, world.client.get(PATH)) == (True, before)
    written = sync(world)
    assert written == checked
    assert arguments(world) == {"authorization-mode": "Node,RBAC", "event-ttl": "2h"}
    assert written.after.replace("    event-ttl: 2h\n", "") == written.before == CONFIGURATION
    assert world.client.get(PATH)["data"]["ClusterStatus"] == before["data"]["ClusterStatus"]
    version = world.client.get(PATH)["metadata"]["resourceVersion"]
    assert sync(world).changed is False
    assert world.client.get(PATH)["metadata"]["resourceVersion"] == version
    roll_out(world)
    assert sync(world).changed is True
    after = world.client.get(PATH)
    assert (after["data"], after["metadata"].get("annotations") or {}) == (before["data"], {})


def test_a_comparison_shows_the_patch_and_writes_nothing(world: World) -> None:
    roll_out(world, event_ttl="2h")
    before = world.client.get(PATH)
    first, *patch = compare_kubeadm_config(world.client, "workers")
    assert first.startswith("ConfigMap kube-system/kubeadm-config differs: an upgrade by kubeadm would undo flags")
    assert (
        patch[2:] == ["  @@ -3,2 +3,3 @@", "       authorization-mode: Node,RBAC", "  +    event-ttl: 2h"] + patch[5:]
    )
    assert world.client.get(PATH) == before
    sync(world)
    (same,) = compare_kubeadm_config(world.client, "workers")
    assert same.endswith("has the flags of this pool: an upgrade by kubeadm keeps them")


def test_a_comparison_that_cannot_be_made_is_not_judged(world: World) -> None:
    (line,) = compare_kubeadm_config(world.client, "workers")
    assert line == (
        "not judged: whether an upgrade by kubeadm keeps the flags of this pool: pool workers was never rolled out: "
        "run configok.node.rollout first"
    )
    roll_out(world, event_ttl="2h")
    world.client.delete(PATH)
    (line,) = compare_kubeadm_config(world.client, "workers")
    assert line.endswith("there is no ConfigMap kube-system/kubeadm-config: kubeadm did not make this cluster")


def test_an_edit_at_the_same_time_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    roll_out(world, event_ttl="2h")
    replace_once = world.client.replace
    edits: list[Callable[[], object]] = []
    versions = itertools.count(3)

    def edit() -> None:
        item = world.client.get(PATH)
        version = next(versions)
        text = re.sub(
            "Node,RBAC\n(    v: .*\n)?", f"Node,RBAC\n    v: '{version}'\n", item["data"]["ClusterConfiguration"]
        )
        replace_once(PATH, {**item, "data": {**item["data"], "ClusterConfiguration": text}})

    class Client:
        def replace(self, path: str, body: Any, **options: Any) -> Any:
            while edits:
                edits.pop()()
            return replace_once(path, body, **options)

        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

    client: Any = Client()
    edits.append(edit)
    sync_kubeadm_config(client, "workers")
    assert arguments(world) == {"authorization-mode": "Node,RBAC", "v": "3", "event-ttl": "2h"}

    roll_out(world, event_ttl="3h")
    edits += [edit] * 20

    def edit_before(_self: object, path: str, body: Any, **_options: Any) -> Any:
        edits.pop()()
        return replace_once(path, body)

    monkeypatch.setattr(Client, "replace", edit_before)
    with pytest.raises(Conflict):
        sync_kubeadm_config(client, "workers")
    assert arguments(world)["event-ttl"] == "2h"


def test_only_what_all_nodes_use_is_written(world: World) -> None:
    with pytest.raises(RolloutError, match="was never rolled out"):
        sync(world)
    roll_out(world, event_ttl="2h")

    def halt(record: Any) -> Any:
        return replace(record, rollout=replace(record.rollout, phase="Halted"))

    update_record(world.client, "workers", halt)
    with pytest.raises(RolloutError, match="the last rollout of pool workers is Halted"):
        sync(world)
    assert arguments(world) == {"authorization-mode": "Node,RBAC"}


def test_one_pool_of_a_cluster_writes(world: World) -> None:
    roll_out(world, event_ttl="2h")
    sync(world)
    item = world.client.get(PATH)
    note = item["metadata"]["annotations"]["configok.dev/kubeadm-sync"]
    for text, reason in (
        (note.replace('"workers"', '"other"'), "pool other has written ConfigMap kube-system/kubeadm-config"),
        ("{", "annotation configok.dev/kubeadm-sync of ConfigMap kube-system/kubeadm-config cannot be read"),
    ):
        metadata = {**item["metadata"], "annotations": {"configok.dev/kubeadm-sync": text}}
        del metadata["resourceVersion"]
        world.client.replace(PATH, {**item, "metadata": metadata})
        with pytest.raises(UnusableInput, match=reason):
            sync(world)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({"ClusterConfiguration": "a: [\n"}, "ClusterConfiguration of ConfigMap kube-system/kubeadm-config cannot be"),
        ({}, "ConfigMap kube-system/kubeadm-config has no key ClusterConfiguration"),
        (None, "there is no ConfigMap kube-system/kubeadm-config: kubeadm did not make this cluster"),
    ],
)
def test_a_record_that_cannot_be_used_is_left_alone(world: World, data: dict[str, str] | None, reason: str) -> None:
    roll_out(world, event_ttl="2h")
    if data is None:
        world.client.delete(PATH)
    else:
        item = world.client.get(PATH)
        world.client.replace(PATH, {**item, "data": data})
    with pytest.raises(UnusableInput, match=reason):
        sync(world)


def test_a_pool_without_static_pods_has_nothing_to_write(world: World) -> None:
    assert world.rollout(world.publish(100))[-1].phase == "Complete"
    with pytest.raises(UnusableInput, match="pool workers uses no options of etcd, kube-apiserver"):
        sync(world)


def test_the_module_shows_what_it_writes_and_what_not(world: World, tmp_path: Any) -> None:
    roll_out(world, event_ttl="2h", etcd_servers=["https://10.0.0.1:2379"])
    world.server.start()  # the module asks over HTTP
    kubeconfig = world.server.kubeconfig_for("admin", ["system:masters"], path=str(tmp_path / "admin"))
    arguments_of = {"kubeconfig": kubeconfig, "pool": "workers"}
    compared = run_module(kubeadm_sync.main, {**arguments_of, "compare": True})
    assert "differs: an upgrade by kubeadm would undo" in compared["text"][0]
    assert set(compared) == {"changed", "text"} | ({"invocation"} & set(compared))
    planned = run_module(kubeadm_sync.main, arguments_of, check=True, diff=True)
    result = run_module(kubeadm_sync.main, arguments_of, diff=True)
    assert (result["changed"], result["diff"]) == (True, planned["diff"])
    assert planned["text"][0] == "ConfigMap kube-system/kubeadm-config would be written"
    (reason,) = result["left_out"]
    assert result["text"] == ["ConfigMap kube-system/kubeadm-config is written", f"not written: {reason}"]
    again = run_module(kubeadm_sync.main, {**arguments_of, "allowed_fields": ["flags.etcd-servers"]})
    assert (again["changed"], again["left_out"]) == (True, [])
    assert "etcd-servers: https://10.0.0.1:2379" in again["cluster_configuration"]
