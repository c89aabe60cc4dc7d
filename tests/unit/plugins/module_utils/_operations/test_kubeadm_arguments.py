# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags of options in kubeadm's ClusterConfiguration: put there, changed, and taken out again."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy
from ansible_collections.configok.node.plugins.module_utils._operations import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._operations._kubeadm_arguments import (
    Synced,
    SyncedComponent,
    SyncNote,
    with_documents,
)
from support.configs.options import component_options

API_SERVER, SCHEDULER = "kube-apiserver", "kube-scheduler"
NOTHING = SyncNote("control-plane")
STRICT = DenyPolicy()


def configuration(extra: Any = None, *, version: str = "v1beta2") -> dict[str, Any]:
    """Return a ClusterConfiguration as kubeadm keeps it. extra: the extraArgs of the API server."""
    server: dict[str, Any] = {"timeoutForControlPlane": "4m0s"}
    if extra is not None:
        server["extraArgs"] = extra
    return {
        "apiServer": server,
        "apiVersion": f"kubeadm.k8s.io/{version}",
        "controllerManager": {},
        "kind": "ClusterConfiguration",
        "kubernetesVersion": "v1.20.2",
        "scheduler": {},
    }


def sync(
    before: dict[str, Any],
    flags: Mapping[str, Any] | None = None,
    *,
    note: SyncNote = NOTHING,
    policy: DenyPolicy = STRICT,
) -> Synced:
    """Write flags of the API server; none for the init config."""
    documents = {API_SERVER: component_options(flags, component=API_SERVER)} if flags else {}
    unchanged = copy.deepcopy(before)
    synced = with_documents(before, note, documents, policy)
    assert before == unchanged
    return synced


def test_flags_are_added_and_everything_else_stays() -> None:
    synced = sync(configuration({"authorization-mode": "Node,RBAC"}), {"event-ttl": "2h", "profiling": False})
    assert synced.configuration == {
        **configuration(),
        "apiServer": {
            "timeoutForControlPlane": "4m0s",
            "extraArgs": {"authorization-mode": "Node,RBAC", "event-ttl": "2h", "profiling": "false"},
        },
    }
    assert synced.left_out == ()


def test_a_version_with_a_list_of_arguments_gets_a_list() -> None:
    extra = [{"name": "authorization-mode", "value": "Node,RBAC"}, {"name": "v", "value": "2"}]
    synced = sync(configuration(extra, version="v1beta4"), {"v": 4, "event-ttl": "2h"})
    assert synced.configuration["apiServer"]["extraArgs"] == [
        {"name": "authorization-mode", "value": "Node,RBAC"},
        {"name": "v", "value": "4"},
        {"name": "event-ttl", "value": "2h"},
    ]


def test_feature_gates_are_merged_by_key_and_other_values_replaced() -> None:
    extra = {"feature-gates": "A=true,TTLAfterFinished=false", "event-ttl": "1h"}
    synced = sync(configuration(extra), {"feature-gates": {"TTLAfterFinished": True}, "event-ttl": "2h"})
    assert synced.configuration["apiServer"]["extraArgs"] == {
        "feature-gates": "A=true,TTLAfterFinished=true",
        "event-ttl": "2h",
    }
    assert sync(synced.configuration, note=synced.note).configuration == configuration(extra)


@pytest.mark.parametrize("version", ["v1beta2", "v1beta3", "v1beta4"])
@pytest.mark.parametrize("has_arguments", [True, False])
def test_the_init_config_leaves_what_was_there_before(version: str, has_arguments: bool) -> None:
    extra: Any = {"event-ttl": "1h", "v": "2"}
    if version == "v1beta4":
        extra = [{"name": name, "value": value} for name, value in extra.items()]
    before = configuration(extra if has_arguments else None, version=version)
    first = sync(before, {"event-ttl": "2h", "profiling": False})
    second = sync(first.configuration, {"event-ttl": "3h", "v": 4}, note=first.note)
    assert "profiling" not in str(second.configuration)
    last = sync(second.configuration, note=second.note)
    assert (last.configuration, last.note) == (before, NOTHING)


def test_the_same_options_again_change_nothing() -> None:
    first = sync(configuration({"v": "2"}), {"v": 4})
    assert sync(first.configuration, {"v": 4}, note=first.note) == first


def test_what_another_party_adds_meanwhile_stays() -> None:
    first = sync(configuration(), {"event-ttl": "2h"})
    first.configuration["apiServer"]["extraArgs"]["v"] = "3"
    assert sync(first.configuration, note=first.note).configuration == configuration({"v": "3"})


def test_a_flag_that_is_there_can_be_taken_away_and_no_other() -> None:
    taken = sync(configuration({"profiling": "true"}), {"profiling": None})
    assert (taken.configuration, taken.left_out) == (configuration(), ())
    assert sync(taken.configuration, note=taken.note).configuration == configuration({"profiling": "true"})
    left = sync(configuration(), {"profiling": None})
    assert (left.configuration, left.note) == (configuration(), NOTHING)
    assert left.left_out == (
        "kube-apiserver: flags.profiling: extraArgs cannot take away a flag that kubeadm writes itself",
    )


def test_what_a_bundle_may_not_set_is_left_out_unless_it_is_allowed() -> None:
    flags: dict[str, Any] = {"etcd-servers": ["https://10.0.0.1:2379"], "event-ttl": "2h"}
    synced = sync(configuration(), flags)
    assert synced.configuration["apiServer"]["extraArgs"] == {"event-ttl": "2h"}
    (reason,) = synced.left_out
    assert reason.startswith("kube-apiserver: flags.etcd-servers: the flag is denied in bundles")
    allowed = sync(configuration(), flags, policy=DenyPolicy(allowed=("flags.etcd-servers",)))
    assert "etcd-servers" in allowed.configuration["apiServer"]["extraArgs"]
    refused: list[dict[str, Any]] = [{"anonymous-auth": False}, {"enable-admission-plugins": ["PodSecurity"]}]
    for flags in refused:
        assert sync(configuration(), flags, policy=DenyPolicy(allowed=("*",))).configuration == configuration(), flags


def test_a_file_of_a_bundle_is_left_out() -> None:
    policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}
    document = component_options({"audit-log-maxage": 30}, component=API_SERVER, files={"a.yaml": {"content": policy}})
    synced = with_documents(configuration(), NOTHING, {API_SERVER: document}, STRICT)
    assert synced.configuration["apiServer"]["extraArgs"] == {"audit-log-maxage": "30"}
    assert synced.left_out == (
        "kube-apiserver: files.a.yaml: kubeadm writes no files: each control-plane node needs it before an upgrade",
    )


def test_each_component_has_its_own_section() -> None:
    documents = {
        "kube-controller-manager": component_options({"kube-api-qps": 30}, component="kube-controller-manager"),
        SCHEDULER: component_options({"kube-api-qps": 40}, component=SCHEDULER),
    }
    synced = with_documents(configuration(), NOTHING, documents, STRICT)
    assert synced.configuration["controllerManager"] == {"extraArgs": {"kube-api-qps": "30"}}
    assert synced.configuration["scheduler"] == {"extraArgs": {"kube-api-qps": "40"}}
    fewer = with_documents(synced.configuration, synced.note, {SCHEDULER: documents[SCHEDULER]}, STRICT)
    assert fewer.configuration["controllerManager"] == {}
    assert list(fewer.note.components) == [SCHEDULER]


def test_flags_of_etcd_are_in_the_section_of_the_local_one() -> None:
    documents = {"etcd": component_options({"snapshot-count": 20000}, component="etcd")}
    local = {**configuration(), "etcd": {"local": {"dataDir": "/var/lib/etcd"}}}
    synced = with_documents(local, NOTHING, documents, STRICT)
    extra = {"extraArgs": {"snapshot-count": "20000"}}
    assert synced.configuration["etcd"] == {"local": {"dataDir": "/var/lib/etcd", **extra}}
    assert with_documents(synced.configuration, synced.note, {}, STRICT).configuration == local


def test_flags_of_etcd_are_left_out_where_kubeadm_does_not_run_it() -> None:
    documents = {"etcd": component_options({"snapshot-count": 20000}, component="etcd")}
    external = {**configuration(), "etcd": {"external": {"endpoints": ["https://10.0.0.9:2379"]}}}
    synced = with_documents(external, NOTHING, documents, STRICT)
    assert synced.configuration == external
    assert synced.left_out == ("etcd: kubeadm does not run it: its configuration has an external etcd",)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"apiVersion": "kubeadm.k8s.io/v9"}, "apiVersion kubeadm.k8s.io/v9 is not known: kubeadm.k8s.io has v1beta1"),
        ({"apiVersion": None}, "apiVersion None is not known"),
        ({"apiServer": {"extraArgs": "--v=2"}}, "apiServer.extraArgs cannot be used: it is neither a mapping nor a"),
        ({"apiServer": "x"}, "apiServer.extraArgs cannot be used"),
        ({"scheduler": {"extraArgs": ["v=2"]}}, "scheduler.extraArgs cannot be used: it is neither"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused(broken: dict[str, Any], reason: str) -> None:
    before = {**configuration(), **broken}
    documents = {name: component_options({"v": 3}, component=name) for name in (API_SERVER, SCHEDULER)}
    with pytest.raises(UnusableInput, match=reason):
        with_documents(before, NOTHING, documents, STRICT)


def test_a_note_is_read_as_it_was_written() -> None:
    note = SyncNote("p", {API_SERVER: SyncedComponent({"flags": {"v": 3}}, ("--v=2",))})
    assert SyncNote.parse(note.text()) == note
    for damaged in ("", "{}", "[]", '{"pool": "p", "components": {"a": 1}}', '{"pool": "p", "components": 7}'):
        with pytest.raises(UnusableInput, match="it is damaged"):
            SyncNote.parse(damaged)
