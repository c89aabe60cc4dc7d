# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities and durations of an absurd size are warned of, and no plausible one is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._plausible_sizes import (
    PLAUSIBLE_SIZE,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import kinds
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, Level

FACTS = json.loads((Path(__file__).resolve().parents[6] / "schema" / "plausible_quantities.json").read_text())
KUBELET = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
KUBE_PROXY = {"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration"}
CREDENTIALS = {"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig"}
SCHEDULER = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def kubeadm(kind: str, version: str = "v1beta4") -> dict[str, Any]:
    return {"apiVersion": f"kubeadm.k8s.io/{version}", "kind": kind}


def size_findings(head: dict[str, Any], fields: dict[str, Any], version: str = "1.33") -> list[Finding]:
    findings = check(encode({**head, **fields}), versions=[version])
    return [finding for finding in findings if finding.rule == PLAUSIBLE_SIZE]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"kubeReserved": {"cpu": "100M"}},
            "100 million CPUs: no node reserves so many; did you mean 100m (0.1 CPUs)?",
        ),
        ({"kubeReserved": {"cpu": "250Mi"}}, "did you mean 250m (0.25 CPUs)?"),
        ({"systemReserved": {"cpu": "500"}}, "is 500 CPUs: no node reserves so many; did you mean 500m (0.5 CPUs)?"),
        ({"systemReserved": {"cpu": "1000m", "memory": "1"}}, "is 1 byte: so little has no effect; did you mean 1Gi?"),
        ({"systemReserved": {"cpu": "0.1m"}}, "is 0.0001 CPUs"),
        ({"kubeReserved": {"memory": "500m"}}, "is 0.5 bytes: so little has no effect; did you mean 500Mi?"),
        ({"kubeReserved": {"memory": "512"}}, "did you mean 512Mi?"),
        ({"kubeReserved": {"memory": "524288"}}, "did you mean 524288Ki?"),
        (
            {"kubeReserved": {"memory": "500P"}},
            "is 500 quadrillion bytes: hardly a machine has so much; did you mean 500",
        ),
        ({"kubeReserved": {"memory": "1e15"}}, "is 1 quadrillion bytes: hardly a machine has so much"),
        ({"kubeReserved": {"ephemeral-storage": "10"}}, "did you mean 10Gi?"),
        ({"systemReserved": {"ephemeral-storage": "1Ei"}}, "hardly a machine has so much"),
        ({"kubeReserved": {"pid": "1Gi"}}, "is 1.074 billion processes: more than a Linux kernel allows"),
        ({"systemReserved": {"pid": "100m"}}, "is 0.1 processes"),
        (
            {"evictionHard": {"memory.available": "500"}},
            "no eviction before the out-of-memory killer; did you mean 500Mi",
        ),
        ({"evictionSoft": {"memory.available": "100k"}}, "did you mean 100Mi?"),
        ({"evictionHard": {"memory.available": "100Ti"}}, "a machine with less memory evicts all the time"),
        ({"evictionHard": {"nodefs.available": "10"}}, "no eviction before the disk is full; did you mean 10%?"),
        ({"evictionHard": {"imagefs.available": "15m"}}, "did you mean 15Gi?"),
        (
            {"evictionHard": {"nodefs.inodesFree": "5"}},
            "is 5 inodes: no eviction before the disk is full; did you mean 5%",
        ),
        ({"evictionHard": {"nodefs.inodesFree": "500Mi"}}, "is 524.3 million inodes"),
        ({"evictionHard": {"pid.available": "10"}}, "did you mean 10%?"),
        (
            {"evictionMinimumReclaim": {"imagefs.available": "2"}},
            "is 2 bytes: so little has no effect; did you mean 2Gi?",
        ),
        ({"evictionSoftGracePeriod": {"memory.available": "90ns"}}, "is 90 nanoseconds"),
        ({"evictionPressureTransitionPeriod": "5ns"}, "is 5 nanoseconds"),
        ({"evictionPressureTransitionPeriod": "1000000h"}, "is 114.2 years: so long that it hardly ever ends"),
        ({"reservedMemory": [{"numaNode": 0, "limits": {"memory": 1}}]}, "did you mean 1Gi?"),
        ({"reservedMemory": [{"numaNode": 0, "limits": {"hugepages-2Mi": "64"}}]}, "did you mean 64Mi?"),
        ({"containerLogMaxSize": "10"}, "is 10 bytes: each few lines fill a file; did you mean 10Mi?"),
        ({"containerLogMaxSize": "10m"}, "is 0.01 bytes: each few lines fill a file; did you mean 10Mi?"),
        ({"containerLogMaxSize": "50T"}, "the disk is full before a file is rotated; did you mean 50Mi?"),
        ({"logging": {"options": {"json": {"infoBufferSize": "100G"}}}}, "no program buffers so much"),
        ({"logging": {"flushFrequency": 5}}, "is 5 nanoseconds: shorter than the work itself takes; did you mean 5s?"),
        ({"podPidsLimit": 1}, "is 1 process: hardly a pod starts with so few"),
        ({"maxPods": 110000}, "is 110000 pods: no node runs so many"),
        ({"imageMinimumGCAge": "2ms"}, "is 2 milliseconds: too short for any use; did you mean 2m (2 minutes)?"),
        ({"imageMaximumGCAge": "1000000h"}, "longer than a machine lives"),
        ({"streamingConnectionIdleTimeout": "4us"}, "is 4 microseconds"),
        (
            {"runtimeRequestTimeout": "15ms"},
            "is 15 milliseconds: no answer comes in so short a time; did you mean 15s?",
        ),
        ({"nodeStatusUpdateFrequency": "10us"}, "did you mean 10s?"),
        ({"nodeLeaseDurationSeconds": 40000}, "is 11.11 hours: a dead node passes for healthy so long"),
        ({"shutdownGracePeriod": "3000h"}, "is 125 days: longer than a shutdown may take"),
        (
            {"shutdownGracePeriodByPodPriority": [{"priority": 0, "shutdownGracePeriodSeconds": 60000000}]},
            "is 1.903 years: longer than a pod may take to end",
        ),
    ],
)
def test_an_absurd_size_is_warned_of_with_what_was_meant(fields: dict[str, Any], message: str) -> None:
    (finding,) = size_findings(KUBELET, fields)
    assert message in finding.message
    assert finding.level is Level.WARNING


@pytest.mark.parametrize(
    ("head", "fields", "path"),
    [
        (KUBE_PROXY, {"conntrack": {"tcpEstablishedTimeout": "86400ns"}}, "conntrack.tcpEstablishedTimeout"),
        (KUBE_PROXY, {"conntrack": {"udpTimeout": "30000h"}}, "conntrack.udpTimeout"),
        (KUBE_PROXY, {"iptables": {"syncPeriod": "30ns"}}, "iptables.syncPeriod"),
        (KUBE_PROXY, {"configSyncPeriod": "900000h"}, "configSyncPeriod"),
        (SCHEDULER, {"leaderElection": {"leaseDuration": "15us"}}, "leaderElection.leaseDuration"),
        (
            SCHEDULER,
            {"extenders": [{"urlPrefix": "https://a", "httpTimeout": "5ns"}]},
            "extenders[0].httpTimeout",
        ),
        (CREDENTIALS, {"providers": [{"defaultCacheDuration": "12ns"}]}, "providers[0].defaultCacheDuration"),
        (kubeadm("InitConfiguration"), {"timeouts": {"kubeletHealthCheck": "4ms"}}, "timeouts.kubeletHealthCheck"),
        (kubeadm("InitConfiguration"), {"bootstrapTokens": [{"ttl": "24ms"}]}, "bootstrapTokens[0].ttl"),
        (kubeadm("JoinConfiguration"), {"timeouts": {"discovery": "5000h"}}, "timeouts.discovery"),
        (kubeadm("JoinConfiguration", "v1beta3"), {"discovery": {"timeout": "5ns"}}, "discovery.timeout"),
        (kubeadm("ResetConfiguration"), {"timeouts": {"etcdAPICall": "2us"}}, "timeouts.etcdAPICall"),
        (kubeadm("UpgradeConfiguration"), {"timeouts": {"upgradeManifests": "5ns"}}, "timeouts.upgradeManifests"),
        (kubeadm("ClusterConfiguration"), {"certificateValidityPeriod": "365s"}, "certificateValidityPeriod"),
        (
            kubeadm("ClusterConfiguration", "v1beta3"),
            {"apiServer": {"timeoutForControlPlane": "4ms"}},
            "apiServer.timeoutForControlPlane",
        ),
    ],
)
def test_an_absurd_duration_is_warned_of_in_other_kinds(
    head: dict[str, Any], fields: dict[str, Any], path: str
) -> None:
    assert [(finding.field, finding.level) for finding in size_findings(head, fields)] == [(path, Level.WARNING)]


@pytest.mark.parametrize(
    "fields",
    [
        {"kubeReserved": {"cpu": "5m", "memory": "1Mi", "ephemeral-storage": "1Mi", "pid": "10"}},
        {"systemReserved": {"cpu": "32", "memory": "1Ti", "ephemeral-storage": "2Ti", "pid": "100000"}},
        {"kubeReserved": {"cpu": "0", "memory": "0", "ephemeral-storage": "0Mi", "pid": "0"}},
        {"kubeReserved": {"cpu": "0.06", "memory": "104857600", "ephemeral-storage": "1e9"}},
        {"evictionHard": {"memory.available": "100Mi", "nodefs.available": "10%", "nodefs.inodesFree": "5%"}},
        {"evictionHard": {"memory.available": "0%", "nodefs.available": "1Gi", "imagefs.inodesFree": "10k"}},
        {"evictionSoft": {"pid.available": "1k"}, "evictionSoftGracePeriod": {"pid.available": "0s"}},
        {"evictionMinimumReclaim": {"memory.available": "0Mi", "nodefs.available": "500Mi", "pid.available": "5%"}},
        {"qosReserved": {"memory": "50%"}},
        {"podPidsLimit": -1, "maxPods": 0},
        {"podPidsLimit": 4194304, "maxPods": 2500},
        {"containerLogMaxSize": "-1"},
        {"containerLogMaxSize": "10k"},
        {"imageMaximumGCAge": "0s", "imageMinimumGCAge": "2160h", "volumeStatsAggPeriod": "-1s"},
        {"shutdownGracePeriod": "1s", "shutdownGracePeriodCriticalPods": "1s"},
        {"authentication": {"webhook": {"cacheTTL": "0s"}}, "streamingConnectionIdleTimeout": "0"},
        {"logging": {"flushFrequency": "5s", "options": {"json": {"infoBufferSize": "0"}}}},
        {"reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi", "hugepages-1Gi": "512Gi"}}]},
    ],
)
def test_no_plausible_size_is_warned_of(fields: dict[str, Any]) -> None:
    assert size_findings(KUBELET, fields) == []


def test_a_field_of_a_wrong_type_does_not_hide_the_others() -> None:
    fields = {"maxPods": "many", "kubeReserved": {"cpu": "100M"}}
    assert [finding.field for finding in size_findings(KUBELET, fields)] == ["kubeReserved.cpu"]


@pytest.mark.parametrize("value", ["1e9999", "1e-9999", "9" * 200, "n", "", "1.5.5", "100%", "\u0661Mi", "+1Ei"])
def test_a_strange_quantity_causes_at_most_one_finding(value: str) -> None:
    assert len(size_findings(KUBELET, {"kubeReserved": {"memory": value}})) <= 1


def test_every_field_of_the_table_is_a_field_of_its_kind() -> None:
    for name, dimensions in FACTS["fields"].items():
        versions = [kind for kind in kinds() if kind.kind == name]
        assert versions
        for dimension, patterns in dimensions.items():
            assert dimension in FACTS["dimensions"]
            for pattern, keys in patterns.items():
                path = tuple(re.sub(r"\[\]", "", pattern).split("."))
                entries = [kind.entries_along(path) for kind in versions if kind.has_field_path(path)]
                assert entries, pattern
                is_map = any(str(row[-1].get("type")).startswith("map<") or row[-1].get("fields") for row in entries)
                assert is_map == bool(keys), pattern


def test_every_duration_of_the_kubelet_has_a_plausible_size_or_bounds_of_its_own() -> None:
    (kubelet,) = [kind for kind in kinds() if kind.kind == "KubeletConfiguration"]
    durations = set(_durations(kubelet.fields))
    listed = {path for patterns in FACTS["fields"]["KubeletConfiguration"].values() for path in patterns}
    bounded = {"cpuCFSQuotaPeriod", "crashLoopBackOff.maxContainerRestartPeriod"}
    assert durations - listed == bounded


def _durations(fields: dict[str, Any], parents: str = "") -> list[str]:
    result = []
    for name, entry in fields.items():
        if str(entry.get("type")).startswith("duration"):
            result.append(parents + name)
        result += _durations(entry.get("fields", {}), f"{parents}{name}.")
    return result
