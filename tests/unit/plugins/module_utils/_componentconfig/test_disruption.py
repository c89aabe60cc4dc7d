# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The disruption that a changed field causes on a node."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._data._change_impact import IMPACT
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind, kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import by_name
from ansible_collections.configok.node.plugins.module_utils._componentconfig.disruption import (
    check_overrides,
    disruption_classes,
    disruption_of,
    heaviest_class,
)

KUBELET = "KubeletConfiguration"
STATIC = {"cpuManagerPolicy": "static", "memoryManagerPolicy": "Static"}


@pytest.mark.parametrize(
    ("path", "minor", "config", "expected"),
    [
        (("syncFrequency",), 36, {}, "restart"),
        (("noSuchFieldYet",), 36, {}, "restart"),
        (("logging", "vmodule", 0, "verbosity"), 36, {}, "restart"),
        (("memorySwap", "swapBehavior"), 36, {}, "restart-pods-new-only"),
        (("cpuManagerPolicy",), 36, {}, "drain and remove cpu_manager_state"),
        (("reservedSystemCPUs",), 36, {}, "restart"),
        (("reservedSystemCPUs",), 36, STATIC, "drain and remove cpu_manager_state"),
        (("reservedMemory",), 36, STATIC, "drain and remove memory_manager_state"),
        (("kubeReserved", "cpu"), 36, {}, "restart-allocatable"),
        (("kubeReserved", "cpu"), 36, STATIC, "drain and remove cpu_manager_state"),
        (("kubeReserved", "pid"), 36, STATIC, "restart-allocatable"),
        (("evictionHard", "memory.available"), 36, STATIC, "drain and remove memory_manager_state"),
        (("evictionHard", "nodefs.available"), 36, STATIC, "restart-may-evict"),
        (("clusterDomain",), 36, {}, "coordinate with cluster DNS"),
        (("volumePluginDir",), 36, {}, "drain, if flexvolume in use"),
        (("hairpinMode",), 24, {}, "restart"),
        (("hairpinMode",), 23, {}, "reboot, if bridge networking by the kubelet (dockershim); otherwise restart"),
        (("cgroupDriver",), 36, {}, "replace"),
        (("runtimeRequestTimeout",), 36, {}, "restart"),
        (("streamingConnectionIdleTimeout",), 36, {}, "restart"),
        (("localStorageCapacityIsolation",), 36, {}, "restart-may-reject"),
        (("runOnce",), 31, {}, "restart-crash-risk"),
    ],
)
def test_each_field_of_the_kubelet_has_its_class(path: Any, minor: int, config: dict[str, Any], expected: str) -> None:
    assert str(disruption_of(path, KUBELET, minor, [{}, config])) == expected


@pytest.mark.parametrize(
    ("kind", "minor", "name"),
    [
        ("KubeProxyConfiguration", 36, "restart"),
        ("KubeSchedulerConfiguration", 36, "restart"),
        ("EncryptionConfiguration", 36, "restart"),
        ("AuthenticationConfiguration", 36, "live"),
        ("AuthenticationConfiguration", 29, "restart"),
        ("ClusterConfiguration", 36, "none"),
        ("JoinConfiguration", 36, "none"),
        ("UpgradeConfiguration", 36, "none"),
        ("KubeControllerManagerConfiguration", 36, "none"),
        ("Preference", 36, "live"),
        ("Unheard", 36, "restart"),
    ],
)
def test_the_files_of_other_kinds_have_their_class(kind: str, minor: int, name: str) -> None:
    assert disruption_of(("any",), kind, minor).name == name


@pytest.mark.parametrize("field", ["staticPodPath", "staticPodURL"])
@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("/etc/kubernetes/manifests", None, "stop-static-pods"),
        ("/etc/kubernetes/manifests", "/other", "stop-static-pods"),
        (None, "/etc/kubernetes/manifests", "restart"),
        ("", "/etc/kubernetes/manifests", "restart"),
    ],
)
def test_static_pods_that_are_not_found_stop(field: str, before: str | None, after: str | None, name: str) -> None:
    disruption = disruption_of((field,), KUBELET, 36, [{field: before}, {field: after}])
    assert disruption.name == name
    assert ("on a kubeadm control plane its API server and etcd" in disruption.meaning) == (name == "stop-static-pods")


def test_without_configs_a_static_pod_path_is_as_heavy_as_it_can_be() -> None:
    assert disruption_of(("staticPodPath",), KUBELET, 36).name == "stop-static-pods"
    assert disruption_of(("staticPodURLHeader",), KUBELET, 36).name == "restart"


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ({"mode": "iptables"}, {"mode": "ipvs"}, "reboot"),
        ({}, {"mode": "ipvs"}, "reboot"),
        ({"mode": "ipvs"}, {"mode": "nftables"}, "restart"),
    ],
)
def test_a_change_of_the_mode_of_kube_proxy_can_need_a_reboot(
    before: dict[str, Any], after: dict[str, Any], name: str
) -> None:
    assert disruption_of(("mode",), "KubeProxyConfiguration", 36, [before, after]).name == name


@pytest.mark.parametrize(
    ("kind", "overrides", "meaning"),
    [
        ("KubeProxyConfiguration", {}, "a restart of kube-proxy applies it"),
        ("KubeSchedulerConfiguration", {}, "a restart of kube-scheduler applies it"),
        ("EncryptionConfiguration", {}, "a restart of kube-apiserver applies it"),
        ("AuthenticationConfiguration", {}, "kube-apiserver reads the file again by itself"),
        ("Config", {}, "a restart of the client applies it"),
        ("Unheard", {}, "a restart of the component applies it"),
        ("KubeProxyConfiguration", {"any": "drain"}, "drain, stop kube-proxy, change, start, uncordon"),
        ("KubeletConfiguration", {}, "a kubelet restart applies it; running pods keep running"),
    ],
)
def test_the_meaning_names_the_component_of_the_kind(kind: str, overrides: dict[str, str], meaning: str) -> None:
    assert disruption_of(("any",), kind, 36, (), overrides).meaning == meaning


def test_only_the_kubelets_changes_speak_of_it() -> None:
    for kind in {kind.kind for kind in kinds() if kind.component != "kubelet"}:
        for name in disruption_classes():
            assert "kubelet" not in disruption_of(("any",), kind, 36, (), {"any": name}).meaning


def test_the_longest_override_wins() -> None:
    overrides = {"evictionHard": "drain", "evictionHard.memory.available": "reboot"}
    assert disruption_of(("evictionHard", "memory.available"), KUBELET, 36, (), overrides).name == "reboot"
    assert disruption_of(("evictionHard", "nodefs.available"), KUBELET, 36, (), overrides).name == "drain"
    check_overrides(
        {**overrides, "memorySwap.swapBehavior": "none"}, find_kind("kubelet.config.k8s.io/v1beta1", KUBELET)
    )
    assert disruption_of(("maxPods",), KUBELET, 36, (), overrides).note != "as overridden"


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"maxPods": "drian"}, "maxPods: 'drian' is not a class of disruption"),
        ({"maxPod": "drain"}, "maxPod is not a field of KubeletConfiguration"),
        ({"memorySwap.behaviour": "drain"}, "memorySwap.behaviour is not a field of KubeletConfiguration"),
        ({"": "drain"}, "is not a field of KubeletConfiguration"),
        ({"a b": "drain"}, "disruption override: not a field path: a b"),
    ],
)
def test_overrides_that_cannot_be_meant(overrides: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        check_overrides(overrides, find_kind("kubelet.config.k8s.io/v1beta1", KUBELET))


def test_the_heaviest_class_is_chosen() -> None:
    assert heaviest_class([]) is None
    assert heaviest_class(["stop-static-pods", "drain+state", "reboot"]) == "stop-static-pods"
    assert heaviest_class(["restart", "replace", "drain"]) == "replace"
    assert heaviest_class(disruption_classes()) == "replace"


def test_the_facts_name_only_what_is_known() -> None:
    facts = json.loads(IMPACT)
    rows = [
        {"kind": kind, "field": name, **row}
        for kind, fields in facts["fields"].items()
        for name, row in by_name(fields).items()
    ]
    for row in [*facts["conditions"], *rows]:
        assert row["class"] in disruption_classes(), row
        kind = next(kind for kind in kinds() if kind.kind == row["kind"])
        assert row["field"].split(".")[0] in kind.fields, row
        assert not isinstance(row.get("when"), dict) or set(row["when"]) <= set(kind.fields), row
    # A condition on another field must be in the data, not only in the words.
    stated = {name for name, row in by_name(facts["fields"][KUBELET]).items() if "=" in row.get("when", "")}
    assert stated <= {row["field"] for row in facts["conditions"]}
