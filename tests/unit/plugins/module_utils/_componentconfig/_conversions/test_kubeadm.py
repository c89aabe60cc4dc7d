# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeadm's files between their versions, each alone and several in one file."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import format_path
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import convert, convert_document

ARGUMENTS = {"v": "4", "node-ip": "192.0.2.1"}
LISTED = [{"name": "v", "value": "4"}, {"name": "node-ip", "value": "192.0.2.1"}]
CLUSTER = """
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
apiServer:
  timeoutForControlPlane: 7m0s
"""
INIT = """
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
"""
KUBELET = """
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
maxPods: 5
"""


def converted(kind: str, old: str, new: str, **fields: Any) -> tuple[dict[str, Any], list[str]]:
    result = convert_document({"apiVersion": f"kubeadm.k8s.io/{old}", "kind": kind, **fields}, new)
    assert result.data.pop("apiVersion") == f"kubeadm.k8s.io/{new}"
    assert result.data.pop("kind") == kind
    return result.data, [format_path(loss.path) for loss in result.losses]


@pytest.mark.parametrize("old", ["v1beta1", "v1beta2", "v1beta3"])
@pytest.mark.parametrize(
    ("kind", "above", "name"),
    [
        ("ClusterConfiguration", "apiServer", "extraArgs"),
        ("ClusterConfiguration", "scheduler", "extraArgs"),
        ("ClusterConfiguration", "controllerManager", "extraArgs"),
        ("InitConfiguration", "nodeRegistration", "kubeletExtraArgs"),
        ("JoinConfiguration", "nodeRegistration", "kubeletExtraArgs"),
    ],
)
def test_arguments_are_a_map_and_then_a_list(old: str, kind: str, above: str, name: str) -> None:
    assert converted(kind, old, "v1beta4", **{above: {name: ARGUMENTS}}) == ({above: {name: LISTED}}, [])
    assert converted(kind, "v1beta4", old, **{above: {name: LISTED}}) == ({above: {name: ARGUMENTS}}, [])


def test_etcds_arguments_are_converted_too() -> None:
    etcd = {"local": {"extraArgs": ARGUMENTS}}
    local = {"local": {"extraArgs": LISTED}}
    assert converted("ClusterConfiguration", "v1beta2", "v1beta4", etcd=etcd) == ({"etcd": local}, [])


def test_of_an_argument_given_twice_the_last_wins() -> None:
    twice = [{"name": "a", "value": "1"}, {"name": "b"}, {"name": "a", "value": "2"}]
    data, lost = converted("ClusterConfiguration", "v1beta4", "v1beta3", scheduler={"extraArgs": twice})
    assert data == {"scheduler": {"extraArgs": {"a": "2", "b": ""}}}
    assert lost == ["scheduler.extraArgs[0]"]


def test_the_discovery_timeout_moves() -> None:
    old = {"discovery": {"timeout": "9m", "tlsBootstrapToken": "x"}}
    new = {"discovery": {"tlsBootstrapToken": "x"}, "timeouts": {"discovery": "9m"}}
    assert converted("JoinConfiguration", "v1beta3", "v1beta4", **old) == (new, [])
    assert converted("JoinConfiguration", "v1beta4", "v1beta3", **new) == (old, [])
    alone = {"discovery": {"timeout": "9m"}}
    assert converted("JoinConfiguration", "v1beta3", "v1beta4", **alone)[0] == {"timeouts": {"discovery": "9m"}}


@pytest.mark.parametrize(
    ("kind", "old", "new", "fields", "lost"),
    [
        ("ClusterConfiguration", "v1beta2", "v1beta3", {"dns": {"type": "CoreDNS"}}, []),
        ("ClusterConfiguration", "v1beta2", "v1beta3", {"dns": {"type": "kube-dns"}}, ["dns.type"]),
        ("ClusterConfiguration", "v1beta2", "v1beta3", {"useHyperKubeImage": False}, []),
        ("ClusterConfiguration", "v1beta2", "v1beta3", {"useHyperKubeImage": True}, ["useHyperKubeImage"]),
        ("ClusterConfiguration", "v1beta3", "v1beta4", {"apiServer": {"timeoutForControlPlane": "4m0s"}}, []),
        (
            "ClusterConfiguration",
            "v1beta3",
            "v1beta4",
            {"apiServer": {"timeoutForControlPlane": "5m"}},
            ["apiServer.timeoutForControlPlane"],
        ),
        ("ClusterConfiguration", "v1beta4", "v1beta3", {"encryptionAlgorithm": "RSA-2048"}, []),
        ("ClusterConfiguration", "v1beta4", "v1beta3", {"encryptionAlgorithm": "RSA-4096"}, ["encryptionAlgorithm"]),
        (
            "ClusterConfiguration",
            "v1beta4",
            "v1beta3",
            {"scheduler": {"extraEnvs": [{"name": "A", "value": "b"}]}},
            ["scheduler.extraEnvs"],
        ),
        ("InitConfiguration", "v1beta2", "v1beta1", {"certificateKey": "ab"}, ["certificateKey"]),
        ("InitConfiguration", "v1beta4", "v1beta3", {"timeouts": {}, "dryRun": False}, ["timeouts"]),
        (
            "InitConfiguration",
            "v1beta4",
            "v1beta3",
            {"timeouts": {"etcdAPICall": "1m", "controlPlaneComponentHealthCheck": "4m"}},
            ["timeouts.etcdAPICall"],
        ),
    ],
)
def test_what_cannot_be_kept(kind: str, old: str, new: str, fields: Any, lost: list[str]) -> None:
    assert converted(kind, old, new, **fields) == ({}, lost)


def test_no_taints_stay_none() -> None:
    """An empty list differs from an absent one: without it kubeadm taints a control plane."""
    taints: dict[str, Any] = {"nodeRegistration": {"taints": []}}
    assert converted("InitConfiguration", "v1beta2", "v1beta4", **taints) == (taints, [])


@pytest.mark.parametrize("text", [CLUSTER + INIT, INIT + CLUSTER + KUBELET])
def test_a_timeout_goes_to_the_other_document_of_the_file(text: str) -> None:
    result = convert(text, "v1beta4")
    by_kind = {document["kind"]: document for document in result.after}
    assert by_kind["InitConfiguration"]["timeouts"] == {"controlPlaneComponentHealthCheck": "7m0s"}
    assert "apiServer" not in by_kind["ClusterConfiguration"]
    assert result.losses == []
    back = {document["kind"]: document for document in convert(result.text, "kubeadm.k8s.io/v1beta3").after}
    assert back["ClusterConfiguration"]["apiServer"] == {"timeoutForControlPlane": "7m0s"}
    assert back.get("KubeletConfiguration") == by_kind.get("KubeletConfiguration")


def test_a_timeout_alone_in_its_file_is_lost_and_said() -> None:
    assert [loss["path"] for loss in convert(CLUSTER, "v1beta4").losses] == ["apiServer.timeoutForControlPlane"]


def test_a_kind_that_has_no_such_version_is_refused_next_to_others_of_its_group() -> None:
    status = "---\napiVersion: kubeadm.k8s.io/v1beta2\nkind: ClusterStatus\n"
    with pytest.raises(ConfigError, match=r"^ClusterStatus has no version v1beta4: it has .*v1beta1, .*v1beta2$"):
        convert(status + CLUSTER, "v1beta4")
