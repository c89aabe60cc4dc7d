# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubelet's own rules: each broken once, kept once, and silent outside its versions."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules import rule_facts
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._kubelet import KUBELET_RULES
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import known_minors
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.kubelet import KUBELET_HEADER, KUBELET_KIND, kubelet_config

Config = dict[str, Any]


def broken(config: Config, minor: int, rule: str) -> list[str]:
    """Return the paths at which a rule is broken."""
    text = encode({**KUBELET_KIND, **config})
    facts = rule_facts("kubelet", "kubelet")[rule]
    system = facts.get("os", ["linux"])[0]
    findings = [finding for finding in check(text, versions=[f"1.{minor}"], os=system) if finding.rule == rule]
    assert {finding.level for finding in findings} <= {facts.get("level", "component")}
    return [finding.field for finding in findings]


def gates(*on: str, **config: Any) -> Config:
    return {**config, "featureGates": dict.fromkeys(on, True)}


PULL = "imagePullCredentialsVerificationPolicy"
PULL_GATE = "KubeletEnsureSecretPulledImages"
LIST = "preloadedImagesVerificationAllowlist"
ALLOW: Config = {PULL: "NeverVerifyAllowlistedImages"}
BY_PRIORITY = [{"priority": 1, "shutdownGracePeriodSeconds": 10}]
PRIORITY_GATE = "GracefulNodeShutdownBasedOnPodPriority"

# rule, minor, configs that break it, configs that keep it
SYSCTLS_ON = {"featureGates": {"DefaultPodSysctls": True}}
CASES: list[tuple[str, int, list[Config], list[Config]]] = [
    ("gates-known", 35, [gates("NoSuchGate"), {"featureGates": {"NodeSwap": False}}], [gates("AllAlpha", "NodeSwap")]),
    ("gates-known", 25, [gates("IPv6DualStack")], [gates("CSIMigration")]),
    ("gates-known", 24, [], [gates("IPv6DualStack")]),
    ("oomkill-os", 32, [{"singleProcessOOMKill": True}, {"singleProcessOOMKill": False}], [{}]),
    ("userns-os", 33, [{"userNamespaces": {"idsPerPod": 65536}}, {"userNamespaces": {}}], [{}]),
    (
        "windows-cgroups",
        30,
        [{}, {"cgroupsPerQOS": False}, {"cgroupsPerQOS": True, "enforceNodeAllocatable": []}],
        [{"cgroupsPerQOS": False, "enforceNodeAllocatable": []}],
    ),
    ("plausible-size", 31, [{"kubeReserved": {"cpu": "100M"}}], [{"kubeReserved": {"cpu": "100m"}}]),
    (
        "gates-deps",
        35,
        [{"featureGates": {PRIORITY_GATE: True, "GracefulNodeShutdown": False}}],
        [gates(PRIORITY_GATE), {"featureGates": {"NodeSwap": True}}],
    ),
    (
        "lease-duration",
        20,
        [{"nodeLeaseDurationSeconds": -1}],
        [{"nodeLeaseDurationSeconds": 0}, {"nodeLeaseDurationSeconds": 1}],
    ),
    (
        "alloc-needs-qos-cgroups",
        20,
        [{"cgroupsPerQOS": False}, {"cgroupsPerQOS": False, "enforceNodeAllocatable": ["none"]}],
        [{"cgroupsPerQOS": False, "enforceNodeAllocatable": []}, {}],
    ),
    (
        "alloc-needs-qos-cgroups",
        31,
        [{"cgroupsPerQOS": False}],
        [{"cgroupsPerQOS": False, "enforceNodeAllocatable": ["none"]}],
    ),
    ("systemcgroups-root", 20, [{"systemCgroups": "/s"}], [{"systemCgroups": "/s", "cgroupRoot": "/"}]),
    ("event-burst", 20, [{"eventBurst": -1}], [{"eventBurst": 0}]),
    ("event-qps", 20, [{"eventRecordQPS": -1}], [{"eventRecordQPS": 0}]),
    ("healthz-port", 20, [{"healthzPort": -1}, {"healthzPort": 65536}], [{"healthzPort": 0}, {"healthzPort": 65535}]),
    (
        "cfs-period-gate",
        20,
        [{"cpuCFSQuotaPeriod": "50ms"}, {"cpuCFSQuotaPeriod": "0s"}],
        [gates("CustomCPUCFSQuotaPeriod", cpuCFSQuotaPeriod="50ms"), {"cpuCFSQuotaPeriod": "0.1s"}],
    ),
    (
        "cfs-period-range-us",
        20,
        [gates("CustomCPUCFSQuotaPeriod", cpuCFSQuotaPeriod=value) for value in ("999ns", "1001ms")],
        [gates("CustomCPUCFSQuotaPeriod", cpuCFSQuotaPeriod=value) for value in ("1us", "1s")],
    ),
    (
        "cfs-period-range-ms",
        26,
        [gates("CustomCPUCFSQuotaPeriod", cpuCFSQuotaPeriod=value) for value in ("999us", "1001ms")],
        [gates("CustomCPUCFSQuotaPeriod", cpuCFSQuotaPeriod=value) for value in ("1ms", "1s")],
    ),
    (
        "imagegc-high",
        20,
        [{"imageGCHighThresholdPercent": 101}, {"imageGCHighThresholdPercent": -1}],
        [{"imageGCHighThresholdPercent": 100}],
    ),
    (
        "imagegc-low",
        20,
        [{"imageGCLowThresholdPercent": -1}, {"imageGCLowThresholdPercent": 101}],
        [{"imageGCLowThresholdPercent": 0}],
    ),
    (
        "imagegc-order",
        20,
        [{"imageGCHighThresholdPercent": 80}, {"imageGCLowThresholdPercent": 85}],
        [{"imageGCHighThresholdPercent": 81}, {"imageGCLowThresholdPercent": 70, "imageGCHighThresholdPercent": 71}],
    ),
    (
        "image-maxage-gate",
        29,
        [{"imageMaximumGCAge": "1h"}],
        [gates("ImageMaximumGCAge", imageMaximumGCAge="1h"), {"imageMaximumGCAge": "0s"}],
    ),
    ("image-maxage-neg", 30, [{"imageMaximumGCAge": "-1h"}], [{"imageMaximumGCAge": "1h"}]),
    ("image-minage-neg", 36, [{"imageMinimumGCAge": "-1h"}], [{"imageMinimumGCAge": "1h"}]),
    (
        "image-age-order",
        30,
        [{"imageMaximumGCAge": "2m"}, {"imageMaximumGCAge": "1h", "imageMinimumGCAge": "2h"}],
        [{"imageMaximumGCAge": "2m1s"}, {"imageMaximumGCAge": "0s"}],
    ),
    ("iptables-drop-bit", 20, [{"iptablesDropBit": 32}, {"iptablesDropBit": -1}], [{"iptablesDropBit": 31}]),
    ("iptables-masq-bit", 20, [{"iptablesMasqueradeBit": 32}], [{"iptablesMasqueradeBit": 0}]),
    ("api-burst", 20, [{"kubeAPIBurst": -1}], [{"kubeAPIBurst": 0}]),
    ("api-qps", 20, [{"kubeAPIQPS": -1}], [{"kubeAPIQPS": 0}]),
    ("status-max-images", 20, [{"nodeStatusMaxImages": -2}], [{"nodeStatusMaxImages": -1}]),
    ("max-open-files", 20, [{"maxOpenFiles": -1}], [{"maxOpenFiles": 0}]),
    ("max-pods", 20, [{"maxPods": -1}], [{"maxPods": 0}, {"maxPods": 250}]),
    ("oom-score", 20, [{"oomScoreAdj": -1001}, {"oomScoreAdj": 1001}], [{"oomScoreAdj": 0}]),
    ("pods-per-core", 20, [{"podsPerCore": -1}], [{"podsPerCore": 1}]),
    ("port", 20, [{"port": -1}, {"port": 65536}], [{"port": 0}, {"port": 1}]),
    ("readonly-port", 20, [{"readOnlyPort": -1}, {"readOnlyPort": 65536}], [{"readOnlyPort": 10255}]),
    ("registry-burst", 20, [{"registryBurst": -1}], [{"registryBurst": 1}]),
    ("registry-qps", 20, [{"registryPullQPS": -1}], [{"registryPullQPS": 0}]),
    ("parallel-pulls-min", 27, [{"maxParallelImagePulls": 0}], [{"maxParallelImagePulls": 1}, {}]),
    (
        "parallel-pulls-serial",
        27,
        [{"maxParallelImagePulls": 2, "serializeImagePulls": True}],
        [{"maxParallelImagePulls": 2}, {"maxParallelImagePulls": 1, "serializeImagePulls": True}],
    ),
    (
        "server-tls-bootstrap",
        20,
        [{"serverTLSBootstrap": True, "featureGates": {"RotateKubeletServerCertificate": False}}],
        [{"serverTLSBootstrap": True}],
    ),
    ("run-once", 32, [{"runOnce": True}], [{"runOnce": False}]),
    (
        "taints",
        23,
        [
            {"registerWithTaints": [taint]}
            for taint in (
                {"key": "a b", "effect": "NoSchedule"},
                {"effect": "NoSchedule"},
                {"key": "a", "value": "b c", "effect": "NoSchedule"},
                {"key": "a", "effect": "NoSchedule", "timeAdded": "2026-01-31T12:00:00Z"},
                {"key": "A_b.c/", "effect": "NoSchedule"},
            )
        ],
        [{"registerWithTaints": [{"key": "example.com/role", "value": "db", "effect": "NoExecute"}]}],
    ),
    (
        "topology-policy-gate",
        20,
        [{"topologyManagerPolicy": "restricted", "featureGates": {"TopologyManager": False}}],
        [{"topologyManagerPolicy": "restricted"}],
    ),
    (
        "topology-scope-gate",
        20,
        [{"topologyManagerScope": "pod", "featureGates": {"TopologyManager": False}}],
        [{"topologyManagerScope": "pod"}],
    ),
    (
        "shutdown-order",
        21,
        [
            {"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "20s"},
            {"shutdownGracePeriod": "-10s", "shutdownGracePeriodCriticalPods": "-20s"},
        ],
        [{"shutdownGracePeriod": "30s", "shutdownGracePeriodCriticalPods": "30s"}],
    ),
    (
        "shutdown-min",
        21,
        [{"shutdownGracePeriod": "999ms"}],
        [{"shutdownGracePeriod": "1s"}, {"shutdownGracePeriod": "0s"}],
    ),
    (
        "shutdown-critical-min",
        21,
        [{"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "10ms"}],
        [{"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "1s"}],
    ),
    ("shutdown-gate", 20, [{"shutdownGracePeriod": "30s"}], [gates("GracefulNodeShutdown", shutdownGracePeriod="30s")]),
    (
        "shutdown-priority-excl",
        24,
        [{"shutdownGracePeriodByPodPriority": BY_PRIORITY, "shutdownGracePeriod": "30s"}],
        [{"shutdownGracePeriodByPodPriority": BY_PRIORITY}],
    ),
    (
        "shutdown-priority-gate",
        23,
        [{"shutdownGracePeriodByPodPriority": BY_PRIORITY}],
        [gates(PRIORITY_GATE, shutdownGracePeriodByPodPriority=BY_PRIORITY)],
    ),
    (
        "swap-values",
        22,
        [gates("NodeSwap", memorySwap={"swapBehavior": "NoSwap"})],
        [gates("NodeSwap", memorySwap={"swapBehavior": "UnlimitedSwap"}), {"memorySwap": {"swapBehavior": "anything"}}],
    ),
    (
        "swap-values",
        30,
        [gates("NodeSwap", memorySwap={"swapBehavior": "UnlimitedSwap"})],
        [gates("NodeSwap", memorySwap={"swapBehavior": "NoSwap"})],
    ),
    (
        "swap-gate",
        22,
        [{"memorySwap": {"swapBehavior": "LimitedSwap"}}],
        [{"memorySwap": {}}, gates("NodeSwap", memorySwap={"swapBehavior": "LimitedSwap"})],
    ),
    (
        "crashloop-range",
        32,
        [{"crashLoopBackOff": {"maxContainerRestartPeriod": "10s"}}]
        + [
            gates("KubeletCrashLoopBackOffMax", crashLoopBackOff={"maxContainerRestartPeriod": value})
            for value in ("0s", "301s")
        ],
        [
            gates("KubeletCrashLoopBackOffMax", crashLoopBackOff={"maxContainerRestartPeriod": "300.0009s"}),
            gates("KubeletCrashLoopBackOffMax", crashLoopBackOff={"maxContainerRestartPeriod": "300s"}),
            gates("KubeletCrashLoopBackOffMax"),
            {},
        ],
    ),
    ("alloc-duplicate", 31, [{"enforceNodeAllocatable": ["pods", "pods"]}], [{"enforceNodeAllocatable": ["pods"]}]),
    (
        "alloc-compressible-excl",
        32,
        [{"enforceNodeAllocatable": ["kube-reserved", "kube-reserved-compressible"], "kubeReservedCgroup": "/k"}],
        [{"enforceNodeAllocatable": ["kube-reserved-compressible"], "kubeReservedCgroup": "/k"}],
    ),
    (
        "alloc-system-cgroup",
        20,
        [{"enforceNodeAllocatable": ["system-reserved"]}],
        [{"enforceNodeAllocatable": ["system-reserved"], "systemReservedCgroup": "/s"}],
    ),
    (
        "alloc-kube-cgroup",
        20,
        [{"enforceNodeAllocatable": ["kube-reserved"]}],
        [{"enforceNodeAllocatable": ["kube-reserved"], "kubeReservedCgroup": "/k"}],
    ),
    ("alloc-none-alone", 20, [{"enforceNodeAllocatable": ["none", "pods"]}], [{"enforceNodeAllocatable": ["none"]}]),
    (
        "pull-creds-values",
        33,
        [gates(PULL_GATE, **{PULL: "Sometimes"})],
        [gates(PULL_GATE, **{PULL: "AlwaysVerify"}), gates(PULL_GATE)],
    ),
    ("pull-creds-gate", 33, [{PULL: "AlwaysVerify"}], [gates(PULL_GATE, **{PULL: "AlwaysVerify"})]),
    (
        "pull-allowlist",
        33,
        [{LIST: ["a/b"]}, gates(PULL_GATE, **{LIST: ["a/b"]})],
        [gates(PULL_GATE, **ALLOW, **{LIST: ["a/b"]})],
    ),
    (
        "pull-allowlist-pattern",
        33,
        [
            gates(PULL_GATE, **ALLOW, **{LIST: [value]})
            for value in ("a:1", "a@sha256:00", " a", "*", "a/*/b", "*/a", "a*")
        ],
        [
            gates(PULL_GATE, **ALLOW, **{LIST: [value]})
            for value in (
                "registry.k8s.io/pause",
                "registry.k8s.io/*",
                "r:5000/a/b/*",
                "docker.io/library/busybox",
                "[::1]:5000/a",
                "UPPER/x",
                "localhost/a",
                "a_b/*",
                "docker.io/A/*",
                "docker.io//*",
            )
        ],
    ),
    (
        "pull-allowlist-pattern",
        35,
        [
            {**ALLOW, LIST: [value]}
            for value in ("busybox", "a/b", "localhost", "docker.io/busybox", "index.docker.io/library/busybox", "/*")
        ],
        [{**ALLOW, LIST: ["docker.io/library/busybox"]}],
    ),
    ("pull-allowlist-pattern", 36, [{**ALLOW, LIST: ["a:1"]}], [{**ALLOW, LIST: ["busybox", "a/b", "localhost"]}]),
    (
        "reserved-cpus-excl",
        20,
        [
            {"reservedSystemCPUs": "0-3", "kubeReservedCgroup": "/k"},
            {"reservedSystemCPUs": "0-3", "systemReservedCgroup": "/s"},
        ],
        [{"reservedSystemCPUs": "0-3"}],
    ),
    (
        "reserved-cpus-parse",
        20,
        [{"reservedSystemCPUs": value} for value in ("a", "3-0", "1,", "-1", "0--3", "0 - 3", "३", "0-३")],
        [{"reservedSystemCPUs": value} for value in ("0-3,8", "0", "", "+1", "+0-+3", "10000000000")],
    ),
    (
        "reserved-memory-type",
        21,
        [{"reservedMemory": [{"numaNode": 0, "limits": {"cpu": "1"}}]}],
        [{"reservedMemory": [{"numaNode": 0, "limits": {"hugepages-2Mi": "2Mi", "memory": "1Gi"}}]}],
    ),
    (
        "reserved-memory-zero",
        21,
        [{"reservedMemory": [{"numaNode": 0, "limits": {"memory": "0Gi"}}]}],
        [{"reservedMemory": [{"numaNode": 0, "limits": {"memory": 1}}]}],
    ),
    (
        "reserved-memory-dup",
        21,
        [{"reservedMemory": [{"limits": {"memory": "1Gi"}}, {"numaNode": 0, "limits": {"memory": "1Gi"}}]}],
        [{"reservedMemory": [{"limits": {"memory": "1Gi"}}, {"numaNode": 1, "limits": {"memory": "1Gi"}}]}],
    ),
    (
        "hidden-metrics",
        20,
        [{"showHiddenMetricsForVersion": "1.18"}],
        [{"showHiddenMetricsForVersion": "1.19"}, {"showHiddenMetricsForVersion": ""}],
    ),
    (
        "logging",
        26,
        [
            {"logging": {"flushFrequency": -1}},
            {"logging": {"verbosity": 2**31}},
            {"logging": {"format": "json", "vmodule": [{"filePattern": "a", "verbosity": 1}]}},
            {"logging": {"vmodule": [{"filePattern": "a=b", "verbosity": 1}]}},
            {"logging": {"options": {"json": {"splitStream": True}}}},
            {"logging": {"options": {"json": {"infoBufferSize": "1Mi"}}}},
            {"logging": {"format": "json"}, "featureGates": {"LoggingBetaOptions": False}},
            {"logging": {"format": "json"}, "featureGates": {"AllBeta": False}},
        ],
        [
            {"logging": {"format": "text"}, "featureGates": {"LoggingBetaOptions": False}},
            {"logging": {"options": {"json": {"infoBufferSize": "1e100"}}}},
            {"logging": {"flushFrequency": 0, "format": "json", "options": {"json": {"infoBufferSize": "0"}}}},
            gates("LoggingAlphaOptions", logging={"options": {"json": {"splitStream": True}}}),
            {"logging": {"vmodule": [{"filePattern": "a", "verbosity": 1}]}},
        ],
    ),
    (
        "tracing",
        34,
        [
            {"tracing": {"samplingRatePerMillion": 1_000_001}},
            {"tracing": {"endpoint": "http://a:1"}},
            {"tracing": {"endpoint": "a:b"}},
        ],
        [
            {"tracing": {"samplingRatePerMillion": 0, "endpoint": "localhost:4317"}},
            {"tracing": {"endpoint": "unix:///a"}},
        ],
    ),
    ("tracing-gate", 25, [{"tracing": {}}], [gates("KubeletTracing", tracing={}), {}]),
    (
        "memqos-range",
        22,
        [{"memoryThrottlingFactor": 0}, {"memoryThrottlingFactor": 1.1}],
        [{"memoryThrottlingFactor": 1}],
    ),
    (
        "memqos-gate-off",
        37,
        [
            {"memoryThrottlingFactor": 0.8, "featureGates": {"MemoryQoS": False}},
            {"memoryThrottlingFactor": 1, "featureGates": {"MemoryQoS": False}},
        ],
        [
            {"memoryThrottlingFactor": 0.8},
            {"memoryThrottlingFactor": 0.9, "featureGates": {"MemoryQoS": False}},
            {"featureGates": {"MemoryQoS": False}},
        ],
    ),
    (
        "default-sysctls-gate",
        37,
        [{"defaultPodSysctls": {"net.core.somaxconn": "1024"}}],
        [{"defaultPodSysctls": {}}, {**SYSCTLS_ON, "defaultPodSysctls": {"net.core.somaxconn": "1024"}}],
    ),
    (
        "default-sysctls-names",
        37,
        [
            {**SYSCTLS_ON, "defaultPodSysctls": {name: "1"}}
            for name in ("net..x", "net.", "Net.core", "net.-a", "net.a b", "net." + "a" * 250)
        ],
        [{**SYSCTLS_ON, "defaultPodSysctls": {name: "1"}} for name in ("net.a_b-c.d", "net/ipv4/ip_forward", "user.x")],
    ),
    (
        "default-sysctls-namespaced",
        37,
        [
            {**SYSCTLS_ON, "defaultPodSysctls": {name: "1"}}
            for name in ("vm.swappiness", "vm/swappiness", "kernel.semx", "kernel.panic", "fs.file-max", "network.a")
        ],
        [
            {**SYSCTLS_ON, "defaultPodSysctls": {name: "1"}}
            for name in (
                "kernel.shmmax",
                "kernel.msgmnb",
                "kernel.sem",
                "kernel.domainname",
                "fs.mqueue.msg_max",
                "net/a/b",
            )
        ],
    ),
    (
        "default-sysctls-unique",
        37,
        [{**SYSCTLS_ON, "defaultPodSysctls": {"net.core.somaxconn": "1", "net/core/somaxconn": "2"}}],
        [{**SYSCTLS_ON, "defaultPodSysctls": {"net.core.somaxconn": "1", "net.core.rmem_max": "2"}}],
    ),
    ("default-sysctls-os", 37, [{"defaultPodSysctls": {"net.core.somaxconn": "1"}}], [{"defaultPodSysctls": {}}]),
    (
        "mem-reservation-gate",
        36,
        [{"memoryReservationPolicy": "TieredReservation"}],
        [gates("MemoryQoS", memoryReservationPolicy="TieredReservation"), {}],
    ),
    ("log-query-gate", 27, [{"enableSystemLogQuery": True}], [gates("NodeLogQuery", enableSystemLogQuery=True)]),
    (
        "log-query-handler",
        27,
        [gates("NodeLogQuery", enableSystemLogQuery=True, enableSystemLogHandler=False)],
        [gates("NodeLogQuery", enableSystemLogQuery=True)],
    ),
    ("log-workers", 30, [{"containerLogMaxWorkers": 0}], [{"containerLogMaxWorkers": 1}]),
    ("log-monitor", 30, [{"containerLogMonitorInterval": "2999ms"}], [{"containerLogMonitorInterval": "3s"}]),
    ("log-files", 33, [{"containerLogMaxFiles": 1}], [{"containerLogMaxFiles": 2}]),
    (
        "pod-logs-dir",
        30,
        [{"podLogsDir": value} for value in ("/var/log/", "/var/../log", "//var", "/vär", "vär")],
        [{"podLogsDir": "/var/log/pods"}, {"podLogsDir": "var/../log/"}, {}],
    ),
    (
        "userns-ids",
        33,
        [{"userNamespaces": {"idsPerPod": value}} for value in (0, 65535, 65537, 2**32)],
        [{"userNamespaces": {"idsPerPod": value}} for value in (65536, 131072)],
    ),
]


def test_every_rule_has_a_case() -> None:
    assert {case[0] for case in CASES} == {*KUBELET_RULES, "plausible-size"}


@pytest.mark.parametrize(("rule", "minor", "bad", "good"), CASES, ids=[f"{case[0]}-1.{case[1]}" for case in CASES])
def test_each_rule_refuses_its_bad_configs_alone(rule: str, minor: int, bad: list[Config], good: list[Config]) -> None:
    for config in bad:
        assert broken(config, minor, rule), config
    for config in good:
        assert broken(config, minor, rule) == [], config


@pytest.mark.parametrize(
    ("rule", "bad"), [(case[0], case[2]) for case in CASES], ids=[f"{case[0]}-1.{case[1]}" for case in CASES]
)
def test_rule_is_silent_outside_its_versions(rule: str, bad: list[Config]) -> None:
    facts = rule_facts("kubelet", "kubelet")[rule]
    outside = [facts["since"] - 1] if facts["since"] > 20 else []
    outside += [facts["last"] + 1] if "last" in facts else []
    for minor in outside:
        for config in bad:
            assert broken(config, minor, rule) == []


@pytest.mark.parametrize("minor", known_minors())
def test_an_empty_config_breaks_no_rule(minor: int) -> None:
    text = KUBELET_HEADER
    assert check(text, versions=[f"1.{minor}"]) == []


def test_a_field_of_a_wrong_type_is_reported_once() -> None:
    text = kubelet_config("imageGCHighThresholdPercent: 'x'")
    assert [finding.rule for finding in check(text, versions=["1.20"])] == ["type"]
