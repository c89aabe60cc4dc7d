# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by rule: for each rule and start-up check that 1.20 has, configs that break it and configs that keep it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .by_path import PAIR
from .case import Case, config

__all__ = ["BOUNDS", "GROUP", "ELSEWHERE", "RULES", "Examples", "by_rule"]

Fields = Mapping[str, Any]


class Examples(NamedTuple):
    """Configs that break a rule and configs that keep it, as fields over those of every test node."""

    breaks: Sequence[Fields]
    keeps: Sequence[Fields]


def _gate(name: str, value: bool = True) -> Fields:
    return {f"featureGates.{name}": value}


def _values(field: str, breaks: Sequence[Any], keeps: Sequence[Any]) -> Examples:
    return Examples([{field: value} for value in breaks], [{field: value} for value in keeps])


_LARGEST = 2**31 - 1
BOUNDS: Mapping[str, Examples] = {
    "lease-duration": _values("nodeLeaseDurationSeconds", [-1], [1, _LARGEST]),
    "event-burst": _values("eventBurst", [-1], [1]),
    "event-qps": _values("eventRecordQPS", [-1], [0]),
    "healthz-port": _values("healthzPort", [-1, 65536], [0, 1, 65535]),
    "imagegc-high": _values("imageGCHighThresholdPercent", [-1, 101], [81, 100]),
    "imagegc-low": _values("imageGCLowThresholdPercent", [-1], [0, 84]),
    "iptables-drop-bit": _values("iptablesDropBit", [-1, 32], [0, 31]),
    "iptables-masq-bit": _values("iptablesMasqueradeBit", [-1, 32], [0, 31]),
    "api-burst": _values("kubeAPIBurst", [-1], [1]),
    "api-qps": _values("kubeAPIQPS", [-1], [0]),
    "status-max-images": _values("nodeStatusMaxImages", [-2], [-1, 0]),
    "max-open-files": _values("maxOpenFiles", [-1], [1024]),
    "max-pods": _values("maxPods", [-1], [1]),
    "oom-score": _values("oomScoreAdj", [-1001, 1001], [-1000, 1000]),
    "pods-per-core": _values("podsPerCore", [-1], [1]),
    "port": _values("port", [-1, 65536], [1, 65535]),
    "readonly-port": _values("readOnlyPort", [-1, 65536], [0, 10255]),
    "registry-burst": _values("registryBurst", [-1], [1]),
    "registry-qps": _values("registryPullQPS", [-1], [0]),
}
_CUSTOM_PERIOD = _gate("CustomCPUCFSQuotaPeriod")
_NO_SHUTDOWN = _gate("GracefulNodeShutdown", value=False)
_SHUTDOWN = _gate("GracefulNodeShutdown")
_NO_TOPOLOGY = _gate("TopologyManager", value=False)
_QOS: Fields = {"cgroupsPerQOS": True, "enforceNodeAllocatable": ["pods"]}
_QOS_RESERVED = {**_gate("QOSReserved"), **_QOS}
_STATIC = {"cpuManagerPolicy": "static"}
GROUP = "/oracle"
"""A control group that the oracle makes on its node."""

RULES: Mapping[str, Examples] = {
    **BOUNDS,
    "gates-known": _values(
        "featureGates",
        [{"NoSuchGate": True}, {"SupportPodPidsLimit": False}, {"TopologyManagers": False}, {"NodeSwap": True}],
        [{"SupportPodPidsLimit": True}, {"AllAlpha": False}, {"AllBeta": True}, {"TopologyManager": False}],
    ),
    "alloc-needs-qos-cgroups": Examples(
        [{"enforceNodeAllocatable": [value]} for value in ("pods", "none")] + [{"enforceNodeAllocatable": None}],
        [{"enforceNodeAllocatable": []}, _QOS, {**_QOS, "enforceNodeAllocatable": ["none"]}],
    ),
    "systemcgroups-root": Examples(
        [{"systemCgroups": "/oracle"}], [{"systemCgroups": "/oracle", "cgroupRoot": "/"}, {"systemCgroups": ""}]
    ),
    "cfs-period-gate": Examples(
        [{"cpuCFSQuotaPeriod": "50ms"}, {"cpuCFSQuotaPeriod": "50ms", **_gate("CustomCPUCFSQuotaPeriod", value=False)}],
        [{"cpuCFSQuotaPeriod": "100ms"}, {"cpuCFSQuotaPeriod": "0.1s"}, {"cpuCFSQuotaPeriod": None}],
    ),
    "cfs-period-range-us": Examples(
        [{"cpuCFSQuotaPeriod": value, **_CUSTOM_PERIOD} for value in ("0s", "999ns", "1001ms", "-1s")],
        [{"cpuCFSQuotaPeriod": value, **_CUSTOM_PERIOD} for value in ("1us", "1s", "50ms")],
    ),
    "imagegc-order": Examples(
        [
            {"imageGCLowThresholdPercent": 85},
            {"imageGCHighThresholdPercent": 80},
            {"imageGCLowThresholdPercent": 60, "imageGCHighThresholdPercent": 50},
            {"imageGCHighThresholdPercent": 0, "imageGCLowThresholdPercent": 0},
        ],
        [{"imageGCLowThresholdPercent": 0, "imageGCHighThresholdPercent": 1}],
    ),
    "server-tls-bootstrap": Examples(
        [{"serverTLSBootstrap": True, **_gate("RotateKubeletServerCertificate", value=False)}],
        [{"serverTLSBootstrap": True}, {"serverTLSBootstrap": False}],
    ),
    "topology-policy": _values(
        "topologyManagerPolicy", ["None", "bestEffort"], ["best-effort", "restricted", "single-numa-node"]
    ),
    "topology-policy-gate": Examples(
        [{"topologyManagerPolicy": "restricted", **_NO_TOPOLOGY}], [{"topologyManagerPolicy": "none", **_NO_TOPOLOGY}]
    ),
    "topology-scope": _values("topologyManagerScope", ["Pod", "node"], ["pod", "container"]),
    "topology-scope-gate": Examples(
        [{"topologyManagerScope": "pod", **_NO_TOPOLOGY}], [{"topologyManagerScope": "container", **_NO_TOPOLOGY}]
    ),
    "shutdown-order": Examples(
        [
            {"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "11s", **_SHUTDOWN},
            {"shutdownGracePeriodCriticalPods": "10s", **_SHUTDOWN},
            {"shutdownGracePeriod": "-10s", **_SHUTDOWN},
            {"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "-1s", **_SHUTDOWN},
        ],
        [{"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "10s", **_SHUTDOWN}],
    ),
    "shutdown-min": Examples(
        [{"shutdownGracePeriod": "999ms", **_SHUTDOWN}], [{"shutdownGracePeriod": "1s", **_SHUTDOWN}]
    ),
    "shutdown-critical-min": Examples(
        [{"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "1ms", **_SHUTDOWN}],
        [{"shutdownGracePeriod": "10s", "shutdownGracePeriodCriticalPods": "1s", **_SHUTDOWN}],
    ),
    "shutdown-gate": Examples(
        [{"shutdownGracePeriod": "10s"}, {"shutdownGracePeriod": "10s", **_NO_SHUTDOWN}],
        [{"shutdownGracePeriod": "0s", **_NO_SHUTDOWN}, {"shutdownGracePeriod": "-5s", **_NO_SHUTDOWN}],
    ),
    "alloc-system-cgroup": Examples(
        [{**_QOS, "enforceNodeAllocatable": ["pods", "system-reserved"]}],
        [
            {
                **_QOS,
                "enforceNodeAllocatable": ["pods", "system-reserved"],
                "systemReservedCgroup": GROUP,
                "systemReserved": {"memory": "1Gi"},
            }
        ],
    ),
    "alloc-kube-cgroup": Examples(
        [{**_QOS, "enforceNodeAllocatable": ["kube-reserved"]}],
        [
            {
                **_QOS,
                "enforceNodeAllocatable": ["kube-reserved"],
                "kubeReservedCgroup": GROUP,
                "kubeReserved": {"cpu": "500m", "pid": "1000"},
            }
        ],
    ),
    "alloc-none-alone": Examples(
        [{**_QOS, "enforceNodeAllocatable": ["none", "pods"]}, {**_QOS, "enforceNodeAllocatable": ["none", "none"]}],
        [{**_QOS, "enforceNodeAllocatable": ["none"]}, {**_QOS, "enforceNodeAllocatable": ["pods", "pods"]}],
    ),
    "alloc-values": Examples(
        [{**_QOS, "enforceNodeAllocatable": [value]} for value in ("Pods", "", "kube-reserved-compressible")],
        [_QOS],
    ),
    "hairpin": _values("hairpinMode", ["veth", "None"], ["hairpin-veth", "none", "promiscuous-bridge"]),
    "reserved-cpus-excl": Examples(
        [
            {"reservedSystemCPUs": "0", "systemReservedCgroup": "/oracle"},
            {"reservedSystemCPUs": "0", "kubeReservedCgroup": "/oracle"},
        ],
        [{"reservedSystemCPUs": "0"}, {"systemReservedCgroup": "/nowhere"}],
    ),
    "reserved-cpus-parse": _values(
        "reservedSystemCPUs",
        ["a", "0-", "-1", "0,", "1-0", " 0", "0 -1", "0x0", "0--1", ","],
        ["0", "0,0", "0-0", "00"],
    ),
    "hidden-metrics": _values("showHiddenMetricsForVersion", ["1.20", "1.18", "v1.19", "1.19.0", "none"], ["1.19", ""]),
    "logging": Examples(
        [{"logging.format": "xml"}, {"logging.format": "JSON"}],
        [
            {"logging.format": "json"},
            {"logging.format": "text"},
            {"logging.format": ""},
            {"logging.sanitization": True},
        ],
    ),
    "reserved-keys": Examples(
        [
            {"kubeReserved": {"cpus": "1"}},
            {"kubeReserved": {"cpu": "-1"}},
            {"systemReserved": {"memory": "1 Gi"}},
            {"systemReserved": {"hugepages-2Mi": "1Gi"}},
            {"systemReserved": {"cpu": ""}},
        ],
        [
            {"kubeReserved": {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "1Gi", "pid": "1000"}},
            {"systemReserved": {"cpu": "0", "memory": "1e9"}},
        ],
    ),
    "cpu-static-reserved": Examples(
        [_STATIC, {**_STATIC, "kubeReserved": {"cpu": "0"}}, {**_STATIC, "systemReserved": {"memory": "1Gi"}}],
        [
            {**_STATIC, "kubeReserved": {"cpu": "1m"}},
            {**_STATIC, "reservedSystemCPUs": "0"},
            {**_STATIC, **_gate("CPUManager", value=False)},
        ],
    ),
    "cpu-policy": Examples(
        [{"cpuManagerPolicy": "Static"}, {"cpuManagerPolicy": "dynamic"}],
        [{"cpuManagerPolicy": "none"}, {"cpuManagerPolicy": "dynamic", **_gate("CPUManager", value=False)}],
    ),
    "alloc-negative": Examples(
        [
            {"kubeReserved": {"cpu": "1000"}},
            {"systemReserved": {"memory": "1000Gi"}},
            {"systemReserved": {"ephemeral-storage": "1000Ti"}},
            {"evictionHard": {"memory.available": "1000Gi"}},
        ],
        [{"kubeReserved": {"cpu": "1000"}, "reservedSystemCPUs": "0"}, {"kubeReserved": {"pid": "1e12"}}],
    ),
    "qos-root": Examples(
        [{**_QOS, "cgroupRoot": "/nowhere"}], [{**_QOS, "cgroupRoot": "/"}, {"cgroupRoot": "/nowhere"}]
    ),
    "evict-signals": Examples(
        [
            {"evictionHard": {"memory.free": "1Gi"}},
            {"evictionMinimumReclaim": {"cpu": "1"}},
            {"evictionSoftGracePeriod": {"memory": "1m"}},
        ],
        [
            {"evictionHard": {"memory.available": "100Mi", "nodefs.inodesFree": "5%", "pid.available": "10%"}},
            {"evictionHard": {"allocatableMemory.available": "100Mi"}},
            {"evictionMinimumReclaim": {"imagefs.available": "1Gi"}},
        ],
    ),
    "evict-values": Examples(
        [
            {"evictionHard": {"memory.available": value}}
            for value in ("0", "-1Gi", "-1%", "ten%", "100 Mi", "", "%", "1e3%%%x", "10001%", "nan%x", "NaN%", "inf%")
        ],
        [
            {"evictionHard": {"memory.available": value}}
            for value in ("0%", "100%", "0.5%", "1e1%", "150%", "10%%", "1", "0x1p1%", "+5%", "1_0%")
        ],
    ),
    "evict-soft-grace": Examples(
        [
            {"evictionSoft": {"memory.available": "1Gi"}},
            {"evictionSoft": {"memory.available": "1Gi"}, "evictionSoftGracePeriod": {"memory.available": "-1m"}},
            {"evictionSoft": {"memory.available": "1Gi"}, "evictionSoftGracePeriod": {"memory.available": "60"}},
        ],
        [
            {"evictionSoft": {"memory.available": "1Gi"}, "evictionSoftGracePeriod": {"memory.available": "1m"}},
            {"evictionSoft": {"memory.available": "0%"}},
            {"evictionSoftGracePeriod": {"memory.available": "1m"}},
        ],
    ),
    "evict-reclaim": Examples(
        [{"evictionMinimumReclaim": {"memory.available": value}} for value in ("-1", "0%", "-1%", "x")],
        [{"evictionMinimumReclaim": {"memory.available": value}} for value in ("0", "1Gi", "5%", "500%")],
    ),
    "tls-min": _values("tlsMinVersion", ["VersionSSL30", "1.2", "TLS12"], ["VersionTLS10", "VersionTLS13", ""]),
    "tls-suites": _values(
        "tlsCipherSuites",
        [["TLS_NONE"], ["ECDHE-RSA-AES128-GCM-SHA256"], [""]],
        [["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"], ["TLS_RSA_WITH_RC4_128_SHA", "TLS_AES_128_GCM_SHA256"], []],
    ),
    "tls-suites-http2": Examples(
        [{"tlsCipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"]}],
        [
            {"tlsCipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"], "tlsMinVersion": "VersionTLS13"},
            {"tlsCipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"], "enableServer": False},
        ],
    ),
    "tls-pair": Examples(
        [{"tlsCertFile": PAIR}, {"tlsPrivateKeyFile": PAIR}, {"tlsCertFile": PAIR, "serverTLSBootstrap": True}],
        [{"tlsCertFile": PAIR, "tlsPrivateKeyFile": PAIR}, {"tlsCertFile": PAIR, "enableServer": False}],
    ),
    "address-ip": Examples(
        [{"address": "localhost"}, {"address": "none", "enableServer": False, "readOnlyPort": 10255}],
        [{"address": "127.0.0.1"}, {"address": "::"}, {"address": "none", "enableServer": False}],
    ),
    "ports-differ": Examples(
        [{"readOnlyPort": 10250}, {"port": 4000, "readOnlyPort": 4000}],
        [{"readOnlyPort": 10250, "enableServer": False}, {"healthzPort": 10250, "address": "127.0.0.2"}],
    ),
    "system-cgroups": Examples(
        [{"systemCgroups": "/", "cgroupRoot": "/"}], [{"systemCgroups": "/oracle", "cgroupRoot": "/"}]
    ),
    "sync-frequency": _values("syncFrequency", ["-1s"], ["0s", "1s"]),
    "runtime-timeout": _values("runtimeRequestTimeout", ["-1s"], ["0s", "10s"]),
    "iptables-bits": Examples(
        [{"iptablesDropBit": 14}, {"iptablesMasqueradeBit": 15}],
        [{"iptablesDropBit": 14, "makeIPTablesUtilChains": False}],
    ),
    "cgroup-driver-values": Examples([], [{"cgroupDriver": value} for value in ("systemd", "none", "Systemd")]),
    "qos-reserved": Examples(
        [
            {**_QOS_RESERVED, "qosReserved": value}
            for value in ({"memory": "101%"}, {"memory": "-1%"}, {"memory": "50"}, {"cpu": "50%"}, {"memory": "5.5%"})
        ],
        [{**_QOS_RESERVED, "qosReserved": {"memory": value}} for value in ("50%", "0%", "100%")],
    ),
    "unsafe-sysctls": _values(
        "allowedUnsafeSysctls",
        [["vm.swappiness"], ["kernel.*"], ["net*"], ["*"], ["kernel.sem*"], [""], ["net.ipv4.*.x"], ["bogus"]],
        [["net.*"], ["kernel.shm*", "kernel.msg*"], ["kernel.sem"], ["net.core.somaxconn"], ["fs.mqueue.*"]],
    ),
    "log-size": Examples(
        [{"containerLogMaxSize": value} for value in ("x", "-1Mi", "10 Mi", "1.5", "100m")]
        + [{"containerLogMaxFiles": value} for value in (1, -1)],
        [{"containerLogMaxSize": value} for value in ("1Ki", "0", "1e6", "1.5Gi", "10M")]
        + [{"containerLogMaxFiles": 2}],
    ),
}

# Those for which the host must differ.
_SWAPS = "Filename\tType\tSize\tUsed\tPriority\n/swapfile file 2097148 0 -2\n"
_CPU_STATE = '{"policyName":"static","defaultCpuSet":"0-1","checksum":1}'

ELSEWHERE: Mapping[str, str] = {
    "swap-on": "host_cases: needs swap",
    "kernel-defaults": "host_cases: needs another kernel flag",
    "cpu-state": "host_cases: needs a state file",
    "cpu-options": "no such field in 1.20",
    "cpu-align-socket": "no such field in 1.20",
    "mem-policy": "no such field in 1.20",
    "mem-static-sum": "no such field in 1.20",
    "mem-numa": "no such field in 1.20",
    "mem-state": "no such field in 1.20",
    "topology-options": "no such field in 1.20",
    "evict-partial": "a warning, no refusal",
    "plausible-size": "a warning, no refusal",
    "windows-cgroups": "not on Linux",
    "cgroup-driver-cri": "a kubelet of 1.20 does not ask the runtime",
}
"""Rules that RULES does not have, and why."""


def by_rule() -> Iterator[Case]:
    """Return the cases of every rule, then those that need another host."""
    for rule, examples in RULES.items():
        for word, all_fields in (("breaks", examples.breaks), ("keeps", examples.keeps)):
            for fields in all_fields:
                shown = ", ".join(f"{path}={value!r}" for path, value in fields.items())
                yield config(f"rule {rule} {word}: {shown}", fields)
    yield from host_cases()


def host_cases() -> Iterator[Case]:
    """Return cases whose host differs from the test node."""
    swap: dict[str, Any] = {"files": {"/proc/swaps": _SWAPS}, "facts": {"swaps": ("/swapfile",)}}
    for value in (True, False, None):
        yield config(f"host swap, failSwapOn={value}", {"failSwapOn": value}, **swap)
    kernel: dict[str, Any] = {"files": {"/proc/sys/vm/panic_on_oom": "1\n"}}
    facts = {"kernel": {"vm/panic_on_oom": 1}}
    for value in (True, False):
        yield config(
            f"host kernel, protectKernelDefaults={value}", {"protectKernelDefaults": value}, **kernel, facts=facts
        )
    yield config("host as it is, protectKernelDefaults=True", {"protectKernelDefaults": True})
    state = "/var/lib/kubelet/cpu_manager_state"
    yield config("host damaged state", {}, files={state: "damaged{"}, facts={"damaged_state": ("cpu_manager_state",)})
    facts = {"states": {"cpu_manager_state": json.loads(_CPU_STATE)}}
    yield config("host state of another policy", {}, files={state: _CPU_STATE}, facts=facts)
