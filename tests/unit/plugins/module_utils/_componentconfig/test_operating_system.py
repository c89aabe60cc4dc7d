# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields and rules of one operating system."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import (
    OPERATING_SYSTEMS,
    OperatingSystem,
    kinds,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.explain import explain

KUBELET = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
KUBE_PROXY = {"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration"}
NO_CGROUPS = {"cgroupsPerQOS": False, "enforceNodeAllocatable": []}


def levels_by_path(
    head: dict[str, Any], fields: dict[str, Any], system: OperatingSystem, version: str = "1.33"
) -> dict[str, tuple[str, str]]:
    findings = check(encode({**head, **fields}), versions=[version], os=system)
    return {
        finding.field: (finding.rule, finding.level.value)
        for finding in findings
        if finding.rule != "alloc-needs-qos-cgroups"  # holds on both
    }


@pytest.mark.parametrize(
    ("head", "fields", "system", "paths"),
    [
        (KUBE_PROXY, {"winkernel": {"enableDSR": True}}, "linux", ["winkernel"]),
        (KUBE_PROXY, {"winkernel": {"networkName": "a", "sourceVip": "10.0.0.1"}}, "linux", ["winkernel"]),
        (KUBE_PROXY, {"windowsRunAsService": True}, "linux", ["windowsRunAsService"]),
        (KUBE_PROXY, {"conntrack": {"min": 1}}, "windows", ["conntrack"]),
        (KUBE_PROXY, {"ipvs": {"strictARP": True}}, "windows", ["ipvs"]),
        (KUBE_PROXY, {"nftables": {"masqueradeAll": True}}, "windows", ["nftables"]),
        (KUBE_PROXY, {"oomScoreAdj": -999}, "windows", ["oomScoreAdj"]),
        (KUBE_PROXY, {"iptables": {"masqueradeAll": True}}, "windows", ["iptables.masqueradeAll"]),
        (KUBELET, {"cgroupDriver": "systemd"}, "windows", ["cgroupDriver"]),
        (KUBELET, {"memorySwap": {"swapBehavior": "NoSwap"}}, "windows", ["memorySwap"]),
        (KUBELET, {"failCgroupV1": True, "seccompDefault": True}, "windows", ["failCgroupV1", "seccompDefault"]),
        (KUBELET, {"cgroupsPerQOS": True, "enforceNodeAllocatable": ["pods"]}, "windows", [*NO_CGROUPS]),
    ],
)
def test_a_field_of_the_other_operating_system_is_warned_of(
    head: dict[str, Any], fields: dict[str, Any], system: OperatingSystem, paths: list[str]
) -> None:
    assert levels_by_path(head, fields, system) == dict.fromkeys(paths, ("operating-system", "warning"))
    (other,) = set(OPERATING_SYSTEMS) - {system}
    assert levels_by_path(head, fields, other) == {}


@pytest.mark.parametrize(
    ("fields", "system"),
    [
        (
            {
                "winkernel": {
                    "enableDSR": False,
                    "forwardHealthCheckVip": False,
                    "networkName": "",
                    "rootHnsEndpointName": "",
                    "sourceVip": "",
                },
                "windowsRunAsService": False,
            },
            "linux",
        ),
        (
            {
                "conntrack": {"maxPerCore": None, "min": None, "tcpBeLiberal": False, "udpTimeout": "0s"},
                "ipvs": {"excludeCIDRs": None, "minSyncPeriod": "0s", "scheduler": "", "tcpTimeout": "0s"},
                "oomScoreAdj": None,
            },
            "windows",
        ),
        ({"iptables": {"syncPeriod": "30s", "minSyncPeriod": "1s"}}, "windows"),
    ],
)
def test_zero_values_that_tools_write_out_are_not_warned_of(fields: dict[str, Any], system: OperatingSystem) -> None:
    assert levels_by_path(KUBE_PROXY, fields, system) == {}


@pytest.mark.parametrize(
    ("head", "fields", "version", "refused"),
    [
        (KUBELET, {"singleProcessOOMKill": False}, "1.33", {"singleProcessOOMKill": ("oomkill-os", "component")}),
        (KUBELET, {"userNamespaces": {"idsPerPod": 65536}}, "1.33", {"userNamespaces": ("userns-os", "component")}),
        (KUBELET, {}, "1.30", dict.fromkeys(NO_CGROUPS, ("windows-cgroups", "component"))),
        (KUBELET, {"cgroupsPerQOS": False}, "1.20", {"enforceNodeAllocatable": ("windows-cgroups", "component")}),
        (KUBELET, NO_CGROUPS, "1.30", {}),
        (KUBELET, {}, "1.31", {}),
        (KUBE_PROXY, {"mode": "iptables"}, "1.33", {"mode": ("mode-windows", "component")}),
        (KUBE_PROXY, {"mode": "kernelspace"}, "1.33", {}),
        (KUBE_PROXY, {"winkernel": {"enableDSR": True}}, "1.33", {}),
    ],
)
def test_a_component_on_windows_has_rules_of_its_own(
    head: dict[str, Any], fields: dict[str, Any], version: str, refused: dict[str, tuple[str, str]]
) -> None:
    assert levels_by_path(head, fields, "windows", version) == refused


def test_rules_of_linux_do_not_hold_on_windows() -> None:
    kernelspace = {"mode": "kernelspace"}
    assert levels_by_path(KUBE_PROXY, kernelspace, "linux") == {"mode": ("mode-linux", "component")}
    one_user = {"userNamespaces": {"idsPerPod": 1}}
    assert levels_by_path(KUBELET, one_user, "linux") == {"userNamespaces.idsPerPod": ("userns-ids", "component")}
    assert "userNamespaces.idsPerPod" not in levels_by_path(KUBELET, one_user, "windows")


@pytest.mark.parametrize(
    ("kind", "path", "system"),
    [
        ("kube-proxy", "winkernel.enableDSR", "Windows only"),
        ("kube-proxy", "windowsRunAsService", "Windows only"),
        ("kube-proxy", "conntrack.min", "Linux only"),
        ("kube-proxy", "iptables.syncPeriod", None),
        ("kubelet", "cgroupDriver", "Linux only"),
        ("kubelet", "userNamespaces.idsPerPod", "Linux only"),
        ("kubelet", "maxPods", None),
    ],
)
def test_a_fields_operating_system_is_explained(kind: str, path: str, system: str | None) -> None:
    assert explain(path, kind=kind).facts.get("operating_system") == system


def test_every_operating_system_of_a_field_is_known() -> None:
    assert {entry["os"] for kind in kinds() for entry in _entries(kind.fields) if "os" in entry} == {"linux", "windows"}


def _entries(fields: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for field in fields.values() for entry in (field, *_entries(field.get("fields", {})))]
