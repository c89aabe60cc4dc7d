# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fully resolved form of a document: what the component of one minor makes of it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._defaults import apply_defaults
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._type_check import check_types
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import (
    Kind,
    find_kind,
    kinds,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import known_minors

GROUPS = {
    "KubeletConfiguration": "kubelet.config.k8s.io/v1beta1",
    "KubeProxyConfiguration": "kubeproxy.config.k8s.io/v1alpha1",
    "KubeSchedulerConfiguration": "kubescheduler.config.k8s.io/v1beta1",
    "AuthorizationConfiguration": "apiserver.config.k8s.io/v1",
    "EncryptionConfiguration": "apiserver.config.k8s.io/v1",
    "NodeResourcesFitArgs": "kubescheduler.config.k8s.io/v1",
    "PodSecurityConfiguration": "pod-security.admission.config.k8s.io/v1",
    "ClusterConfiguration": "kubeadm.k8s.io/v1beta3",
}


def kind_of(name: str) -> Kind:
    kind = find_kind(GROUPS[name], name)
    assert kind is not None
    return kind


def resolved(data: dict[str, Any], minor: int = 30, name: str = "KubeletConfiguration") -> dict[str, Any]:
    return apply_defaults(data, kind_of(name), minor)


@pytest.mark.parametrize(
    ("data", "minor", "field", "value"),
    [
        ({}, 20, "eventBurst", 10),
        ({}, 26, "eventBurst", 10),
        ({}, 27, "eventBurst", 100),
        ({}, 36, "eventBurst", 100),
        ({"eventBurst": 7}, 36, "eventBurst", 7),
        # No pointer in Go: a zero is absent.
        ({"eventBurst": 0}, 36, "eventBurst", 100),
        ({"address": ""}, 36, "address", "0.0.0.0"),
        ({"syncFrequency": "0s"}, 36, "syncFrequency", "1m0s"),
        # A pointer: a zero is a value.
        ({"eventRecordQPS": 0}, 36, "eventRecordQPS", 0),
        ({"enableServer": False}, 36, "enableServer", False),
        ({"cpuCFSQuotaPeriod": "0s"}, 36, "cpuCFSQuotaPeriod", "0s"),
        # A pointer since 1.23 only.
        ({"resolvConf": ""}, 22, "resolvConf", "/etc/resolv.conf"),
        ({"resolvConf": ""}, 23, "resolvConf", ""),
        # Null is absent; an empty list or map is a value if the field has a default.
        ({"eventRecordQPS": None}, 36, "eventRecordQPS", 50),
        ({"enforceNodeAllocatable": []}, 36, "enforceNodeAllocatable", []),
        ({"enforceNodeAllocatable": None}, 36, "enforceNodeAllocatable", ["pods"]),
        ({"evictionHard": {}}, 36, "evictionHard", {}),
        # Fields that the minor does not know, and values that mean the same as absent.
        ({"failCgroupV1": True}, 30, "failCgroupV1", None),
        ({}, 34, "failCgroupV1", False),
        ({}, 35, "failCgroupV1", True),
        ({"readOnlyPort": 0}, 30, "readOnlyPort", None),
        ({"clusterDNS": []}, 30, "clusterDNS", None),
        ({"rotateCertificates": False}, 30, "rotateCertificates", None),
        ({"nonsense": 1}, 30, "nonsense", None),
        # By a feature gate.
        ({}, 33, "imagePullCredentialsVerificationPolicy", None),
        (
            {"featureGates": {"KubeletEnsureSecretPulledImages": True}},
            33,
            "imagePullCredentialsVerificationPolicy",
            "NeverVerifyPreloadedImages",
        ),
        ({}, 32, "crashLoopBackOff", None),
        (
            {"featureGates": {"KubeletCrashLoopBackOffMax": True}},
            32,
            "crashLoopBackOff",
            {"maxContainerRestartPeriod": "5m0s"},
        ),
        # By another field.
        ({}, 30, "nodeStatusReportFrequency", "5m0s"),
        ({"nodeStatusUpdateFrequency": "20s"}, 30, "nodeStatusReportFrequency", "20s"),
        ({"nodeStatusUpdateFrequency": "0s"}, 30, "nodeStatusReportFrequency", "5m0s"),
        ({"nodeStatusUpdateFrequency": "9s", "nodeStatusReportFrequency": "1m"}, 30, "nodeStatusReportFrequency", "1m"),
        # Below objects, which may be absent unless they are pointers.
        ({}, 20, "authorization", {"mode": "Webhook", "webhook": {
            "cacheAuthorizedTTL": "5m0s", "cacheUnauthorizedTTL": "30s"}}),
        ({}, 23, "logging", {"format": "text", "flushFrequency": 5000000000, "verbosity": 0}),
        ({}, 28, "logging", {"format": "text", "flushFrequency": "5s", "verbosity": 0}),
        ({}, 30, "tracing", None),
        ({"tracing": {}}, 30, "tracing", {}),
        # A value of a wrong type is left to the check of types.
        ({"authorization": "x", "eventBurst": [0], "syncFrequency": "soon"}, 30, "authorization", "x"),
        # Outside the data: the nearest minor.
        ({}, 1, "eventBurst", 10),
        ({}, 99, "eventBurst", 100),
    ],
)  # fmt: skip
def test_defaults_of_the_kubelet_are_those_of_its_minor(
    data: dict[str, Any], minor: int, field: str, value: Any
) -> None:
    assert resolved(data, minor).get(field) == value


@pytest.mark.parametrize(
    ("name", "data", "field", "value"),
    [
        # Objects in lists; a webhook is a pointer, and its defaults are applied only if it is set.
        ("AuthorizationConfiguration", {"authorizers": [{"type": "Node", "name": "n"}]}, "authorizers", [
            {"type": "Node", "name": "n"}]),
        ("AuthorizationConfiguration", {"authorizers": [{"webhook": {"authorizedTTL": "1m", "timeout": "3s"}}]},
         "authorizers", [{"webhook": {"authorizedTTL": "1m", "timeout": "3s", "unauthorizedTTL": "30s"}}]),
        ("EncryptionConfiguration", {"resources": [{"providers": [{"kms": {"cachesize": 0}}, {"identity": {}}]}]},
         "resources", [{"providers": [{"kms": {"cachesize": 0, "apiVersion": "v1", "timeout": "3s"}},
                                      {"identity": {}}]}]),
        ("KubeProxyConfiguration", {"iptables": {"masqueradeAll": True}}, "iptables", {
            "masqueradeAll": True, "masqueradeBit": 14, "localhostNodePorts": True, "syncPeriod": "30s",
            "minSyncPeriod": "1s"}),
        ("KubeSchedulerConfiguration", {}, "podMaxBackoffSeconds", 10),
        ("ClusterConfiguration", {"networking": {"dnsDomain": "c.example"}}, "networking", {
            "dnsDomain": "c.example", "serviceSubnet": "10.96.0.0/12"}),
        ("PodSecurityConfiguration", {"defaults": {"warn": "baseline"}}, "defaults", {
            "warn": "baseline", "enforce": "privileged", "enforce-version": "latest", "audit": "privileged",
            "audit-version": "latest", "warn-version": "latest"}),
    ],
)  # fmt: skip
def test_defaults_of_other_kinds_are_filled_in(name: str, data: dict[str, Any], field: str, value: Any) -> None:
    assert resolved(data, 30, name)[field] == value


def test_a_switch_adds_the_defaults_to_the_given_hard_eviction_thresholds() -> None:
    """cmd/kubelet/app/server.go loadConfigFile, from 1.33 on; an empty map is filled as well."""
    hard = {"evictionHard": {"memory.available": "50Mi"}}
    added = {**resolved({}, 33)["evictionHard"], "memory.available": "50Mi"}
    switch = "mergeDefaultEvictionSettings"
    assert len(added) == 5
    assert resolved({**hard, switch: True}, 33)["evictionHard"] == added
    assert resolved({"evictionHard": {}, switch: True}, 36)["evictionHard"] == resolved({}, 36)["evictionHard"]
    for data, minor in (({**hard, switch: False}, 33), (hard, 33), ({**hard, switch: True}, 32)):
        assert resolved(data, minor)["evictionHard"] == hard["evictionHard"]


def test_the_document_is_left_as_it_is_and_shares_nothing() -> None:
    data: dict[str, Any] = {"kind": "KubeletConfiguration", "evictionHard": {"memory.available": "1Gi"}}
    before = deepcopy(data)
    result = resolved(data)
    result["evictionHard"]["x"] = "y"
    resolved({})["evictionHard"]["x"] = "y"
    assert data == before
    assert "x" not in resolved({})["evictionHard"]


def test_the_order_is_the_documents() -> None:
    result = resolved({"kind": "KubeletConfiguration", "apiVersion": "v", "maxPods": 1, "address": "::"})
    assert list(result)[:4] == ["apiVersion", "kind", "maxPods", "address"]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: f"{kind.kind} {kind.api_version}")
def test_the_defaults_of_every_kind_are_of_its_types_and_stay(kind: Kind) -> None:
    """At every minor each default fits its field, and applying the defaults twice is the same as once."""
    for minor in known_minors():
        if kind.known_at(minor):
            once = apply_defaults({"apiVersion": kind.api_version, "kind": kind.kind}, kind, minor)
            assert check_types(once, kind, minor, is_json=False).findings == []
            assert apply_defaults(once, kind, minor) == once
