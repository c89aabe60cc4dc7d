# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks at which a kubelet exits at start: each failed once, passed once."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._kubelet_start_failures import (
    STARTUP_RULES,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.kubelet import KUBELET_KIND

Config = dict[str, Any]


def failed(config: Config, minor: int, rule: str) -> list[str]:
    text = encode({**KUBELET_KIND, **config})
    findings = [finding for finding in check(text, versions=[f"1.{minor}"]) if finding.rule == rule]
    assert {finding.level for finding in findings} <= {"warning" if rule == "evict-partial" else "component"}
    return [finding.field for finding in findings]


def cpu(policy: str = "static", gates: tuple[str, ...] = (), **options: str) -> Config:
    return {
        "cpuManagerPolicy": policy,
        "reservedSystemCPUs": "0",
        "cpuManagerPolicyOptions": {name.replace("_", "-"): value for name, value in options.items()},
        "featureGates": dict.fromkeys(gates, True),
    }


def topology(options: dict[str, str], policy: str = "restricted") -> Config:
    return {"topologyManagerPolicy": policy, "topologyManagerPolicyOptions": options}


EVICTION_SIGNALS = {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
}

ALPHA = ("CPUManagerPolicyAlphaOptions",)
CASES: list[tuple[str, int, list[Config], list[Config]]] = [
    (
        "reserved-keys",
        20,
        [{"kubeReserved": {"cpu": "minus"}}, {"systemReserved": {"gpu": "1"}}, {"systemReserved": {"memory": "-1Gi"}}],
        [
            {"kubeReserved": {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "1Gi", "pid": "1000"}},
            {"kubeReserved": {"cpu": "x"}, "reservedSystemCPUs": "0"},
        ],
    ),
    (
        "cpu-static-reserved",
        20,
        [{"cpuManagerPolicy": "static"}, {"cpuManagerPolicy": "static", "kubeReserved": {"cpu": "0"}}],
        [
            {"cpuManagerPolicy": "static", "systemReserved": {"cpu": "1"}},
            {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"},
        ],
    ),
    (
        "cpu-policy",
        20,
        [{"cpuManagerPolicy": "dynamic"}],
        [
            {"cpuManagerPolicy": "none"},
            {"cpuManagerPolicy": ""},
            {"cpuManagerPolicy": "dynamic", "featureGates": {"CPUManager": False}},
        ],
    ),
    (
        "mem-policy",
        22,
        [{"memoryManagerPolicy": "static"}],
        [
            {"memoryManagerPolicy": "None"},
            {"memoryManagerPolicy": "static", "featureGates": {"MemoryManager": False}},
        ],
    ),
    (
        "cpu-options",
        34,
        [
            cpu(full_pcpus_only="maybe"),
            cpu("none", full_pcpus_only="true"),
            cpu(align_by_socket="true"),
            cpu(gates=ALPHA, full_pcpus_only="true", distribute_cpus_across_cores="true"),
        ],
        [cpu(full_pcpus_only="true"), cpu(gates=ALPHA, align_by_socket="false"), cpu(distribute_cpus_across_numa="1")],
    ),
    (
        "cpu-options",
        22,
        [cpu(full_pcpus_only="true")],
        [cpu(gates=("CPUManagerPolicyOptions",), full_pcpus_only="true")],
    ),
    (
        "cpu-align-socket",
        34,
        [{**cpu(gates=ALPHA, align_by_socket="true"), "topologyManagerPolicy": "single-numa-node"}],
        [{**cpu(gates=ALPHA, align_by_socket="true"), "topologyManagerPolicy": "restricted"}],
    ),
    (
        "mem-static-sum",
        22,
        [
            {"memoryManagerPolicy": "Static"},
            *(
                {
                    "memoryManagerPolicy": "Static",
                    "reservedMemory": [{"numaNode": node, "limits": {"memory": "100Mi", size: amount}}],
                }
                for node, size, amount in ((0, "hugepages-2Mi", "64Mi"), (1, "hugepages-1Gi", "1Gi"))
            ),
        ],
        [
            {"memoryManagerPolicy": "Static", "reservedMemory": [{"limits": {"memory": "100Mi"}}]},
            {"memoryManagerPolicy": "Static", "evictionHard": {"memory.available": "10%"}},
            {
                "memoryManagerPolicy": "Static",
                "kubeReserved": {"memory": "1Gi"},
                "reservedMemory": [{"limits": {"memory": "512Mi"}}, {"numaNode": 1, "limits": {"memory": "612Mi"}}],
            },
        ],
    ),
    (
        "cpu-options-known",
        34,
        [cpu(no_such="true"), cpu(full_pcpus_only="true", Full_pcpus_only="true")],
        [cpu(full_pcpus_only="true"), cpu(align_by_socket="true"), cpu("none", no_such="true")],
    ),
    (
        "cpu-options-known",
        31,
        [cpu(strict_cpu_reservation="true")],
        [{**cpu(no_such="true"), "featureGates": {"CPUManagerPolicyOptions": False}}],
    ),
    (
        "topology-options-known",
        32,
        [topology({"no-such": "true"}), topology({"max-allowable-numa-nodes": "8", "max": "9"})],
        [topology({"max-allowable-numa-nodes": "7"}), topology({"no-such": "true"}, policy="none")],
    ),
    (
        "topology-options",
        32,
        [
            topology({"prefer-closest-numa-nodes": "2"}),
            topology({"max-allowable-numa-nodes": "7"}),
        ],
        [
            topology({"prefer-closest-numa-nodes": "true", "max-allowable-numa-nodes": "8"}),
            topology({"no-such": "true"}, policy="none"),
            {"topologyManagerPolicyOptions": {"no-such": "true"}},
        ],
    ),
    ("topology-options", 26, [{"topologyManagerPolicyOptions": {"prefer-closest-numa-nodes": "true"}}], [{}]),
    (
        "evict-signals",
        20,
        [{"evictionHard": {"disk.available": "1Gi"}}, {"evictionMinimumReclaim": {"containerfs.available": "1Gi"}}],
        [{"evictionHard": {"pid.available": "5%", "allocatableMemory.available": "1Gi"}}],
    ),
    (
        "evict-signals",
        29,
        [{"evictionSoftGracePeriod": {"x": "1m"}}],
        [{"evictionHard": {"containerfs.available": "1Gi"}}],
    ),
    (
        "evict-values",
        20,
        [
            {"evictionHard": {"memory.available": value}}
            for value in ("bogus", "-1Gi", "0", "-5%", "10001%", "", "%", "1.5 Gi")
        ],
        [{"evictionHard": {"memory.available": value}} for value in ("100Mi", "0%", "100%", "2.5%", "1")],
    ),
    (
        "evict-soft-grace",
        20,
        [
            {"evictionSoft": {"memory.available": "1Gi"}},
            {"evictionSoft": {"memory.available": "1Gi"}, "evictionSoftGracePeriod": {"memory.available": "-1m"}},
            {"evictionSoft": {"memory.available": "1Gi"}, "evictionSoftGracePeriod": {"memory.available": "soon"}},
        ],
        [
            {"evictionSoft": {"memory.available": "1Gi"}, "evictionSoftGracePeriod": {"memory.available": "1m30s"}},
            {"evictionSoft": {"memory.available": "0%", "nodefs.available": "100%"}},
        ],
    ),
    (
        "evict-reclaim",
        20,
        [{"evictionMinimumReclaim": {"memory.available": value}} for value in ("-1", "0%", "x")],
        [{"evictionMinimumReclaim": {"memory.available": value}} for value in ("0", "1%", "1Gi")],
    ),
    ("tls-min", 20, [{"tlsMinVersion": "TLS12"}], [{"tlsMinVersion": "VersionTLS12"}, {"tlsMinVersion": ""}]),
    (
        "tls-suites",
        20,
        [{"tlsCipherSuites": ["BOGUS"]}],
        [{"tlsCipherSuites": ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]}],
    ),
    (
        "tls-suites-http2",
        20,
        [{"tlsCipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"]}],
        [
            {"tlsCipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"]},
            {"tlsCipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"], "tlsMinVersion": "VersionTLS13"},
            {"tlsCipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"], "enableServer": False},
            {"tlsCipherSuites": []},
        ],
    ),
    (
        "tls-pair",
        20,
        [{"tlsCertFile": "/a"}, {"tlsPrivateKeyFile": "/b", "tlsCertFile": ""}],
        [{"tlsCertFile": "/a", "tlsPrivateKeyFile": "/b"}, {}, {"tlsCertFile": "/a", "enableServer": False}],
    ),
    ("tls-pair", 36, [], [{"tlsCertFile": "/a"}, {"tlsPrivateKeyFile": "/b"}]),
    (
        "tls-curves",
        36,
        [{"tlsCurvePreferences": curves} for curves in ([0], [-1], [65536], [26], [29, 29])],
        [{"tlsCurvePreferences": curves} for curves in ([], [29], [4588, 29, 23, 24, 25])],
    ),
    (
        "address-ip",
        20,
        [{"address": "localhost"}, {"address": "none", "enableServer": False, "readOnlyPort": 10255}],
        [{"address": "127.0.0.1"}, {"address": "::"}, {"address": ""}, {"address": "none", "enableServer": False}],
    ),
    (
        "ports-differ",
        20,
        [
            {"readOnlyPort": 10250},
            {"port": 4000, "readOnlyPort": 4000},
            {"healthzPort": 10250},
            {"healthzPort": 4000, "port": 4000, "address": "127.0.0.1"},
            {"readOnlyPort": 10248},
            {"readOnlyPort": 10255, "healthzPort": 10255, "enableServer": False},
        ],
        [
            {"readOnlyPort": 0, "port": 0, "healthzPort": 0},
            {"readOnlyPort": 10255},
            {"readOnlyPort": 10250, "enableServer": False},
            {"healthzPort": 10250, "address": "192.0.2.1"},
            {"readOnlyPort": 10248, "address": "192.0.2.1"},
            {"readOnlyPort": 10248, "healthzPort": 0},
        ],
    ),
    ("system-cgroups", 20, [{"systemCgroups": "/", "cgroupRoot": "/"}], [{"systemCgroups": "/a", "cgroupRoot": "/"}]),
    ("sync-frequency", 20, [{"syncFrequency": "-1s"}], [{"syncFrequency": "0s"}, {"syncFrequency": "1s"}]),
    ("runtime-timeout", 20, [{"runtimeRequestTimeout": "-1s"}], [{"runtimeRequestTimeout": "0s"}]),
    (
        "iptables-bits",
        27,
        [{"iptablesDropBit": 14}, {"iptablesMasqueradeBit": 15}],
        [{"iptablesDropBit": 14, "makeIPTablesUtilChains": False}, {"iptablesDropBit": 13}],
    ),
    (
        "qos-reserved",
        20,
        [{"qosReserved": {"cpu": "5%"}}, {"qosReserved": {"memory": "101%"}}, {"qosReserved": {"memory": "50"}}],
        [{"qosReserved": {"memory": "50%"}}],
    ),
    (
        "unsafe-sysctls",
        20,
        [{"allowedUnsafeSysctls": [value]} for value in ("vm.swappiness", "*", "net.*.x", "kernel.*")],
        [
            {"allowedUnsafeSysctls": ["kernel.sem", "kernel.shm*", "net.core.somaxconn", "net/ipv4/*", "fs.mqueue.*"]},
            {"allowedUnsafeSysctls": ["vm.swappiness"], "featureGates": {"Sysctls": False}},
        ],
    ),
    (
        "log-size",
        20,
        [{"containerLogMaxSize": value} for value in ("-1Mi", "10MB", "1.5Gi", "1500m")]
        + [{"containerLogMaxFiles": 1}],
        [{"containerLogMaxSize": value} for value in ("10Mi", "0", "1.5G", "")]
        + [
            {"containerLogMaxFiles": 2},
            {"containerLogMaxSize": "x", "featureGates": {"CRIContainerLogRotation": False}},
        ],
    ),
    (
        "log-size",
        21,
        [{"containerLogMaxSize": "-1.5Gi"}],
        [{"containerLogMaxSize": "-1Mi"}, {"containerLogMaxSize": "-1"}],
    ),
    (
        "seccomp-gate",
        22,
        [{"seccompDefault": True}, {"seccompDefault": True, "featureGates": {"SeccompDefault": False}}],
        [{"seccompDefault": True, "featureGates": {"SeccompDefault": True}}, {"seccompDefault": False}],
    ),
    (
        "evict-values",
        21,
        [{"evictionHard": {"memory.available": "101%"}}],
        [{"evictionHard": {"memory.available": "100%"}}],
    ),
    (
        "evict-partial",
        20,
        [
            {"evictionHard": {"memory.available": "1Gi"}},
            {"evictionHard": {"memory.available": "1Gi"}, "mergeDefaultEvictionSettings": True},
        ],
        [{}, {"evictionHard": None}, {"evictionHard": {}}, {"evictionHard": EVICTION_SIGNALS}],
    ),
    (
        "evict-partial",
        33,
        [{"evictionHard": EVICTION_SIGNALS}, {"evictionHard": {"pid.available": "10%"}}],
        [
            {"evictionHard": {**EVICTION_SIGNALS, "imagefs.inodesFree": "0%"}},
            {"evictionHard": {"memory.available": "1Gi"}, "mergeDefaultEvictionSettings": True},
        ],
    ),
]


def test_every_check_has_a_case() -> None:
    assert {*(case[0] for case in CASES), "cgroup-driver-values", "tls-pair-unserved"} == set(STARTUP_RULES)


def test_a_partial_eviction_hard_is_a_warning_that_names_what_it_drops() -> None:
    text = encode({**KUBELET_KIND, "evictionHard": {"memory.available": "1Gi", "nodefs.available": "10%"}})
    findings = check(text, versions=["1.29", "1.30", "1.33"])
    assert [(finding.rule, finding.level, finding.field) for finding in findings] == [
        ("evict-partial", "warning", "evictionHard")
    ] * 2
    remedy = "name these signals too, or set mergeDefaultEvictionSettings (from Kubernetes 1.33 on)"
    assert {finding.versions: finding.message.rpartition(" (Kubernetes")[0] for finding in findings} == {
        ("1.29",): f"drops the defaults of nodefs.inodesFree (5%), imagefs.available (15%): {remedy}",
        ("1.30", "1.33"): "drops the defaults of nodefs.inodesFree (5%), imagefs.available (15%), imagefs.inodesFree "
        f"(5%): {remedy}",
    }


def test_another_cgroup_driver_is_ours_to_refuse() -> None:
    text = encode({**KUBELET_KIND, "cgroupDriver": "x"})
    findings = check(text, versions=["1.20", "1.36"])
    assert [(finding.rule, finding.level) for finding in findings] == [("cgroup-driver-values", "policy")]
    assert "takes all others for cgroupfs" in findings[0].message


@pytest.mark.parametrize("config", [{"tlsCertFile": "/a"}, {"tlsPrivateKeyFile": "/b"}])
def test_a_server_without_a_certificate_is_ours_to_refuse(config: Config) -> None:
    findings = check(encode({**KUBELET_KIND, **config}), versions=["1.36"])
    assert [(finding.rule, finding.level) for finding in findings] == [("tls-pair-unserved", "policy")]
    assert "as well" in findings[0].message


@pytest.mark.parametrize(("check", "minor", "bad", "good"), CASES, ids=[f"{case[0]}-1.{case[1]}" for case in CASES])
def test_each_check_refuses_its_bad_configs_alone(
    check: str, minor: int, bad: list[Config], good: list[Config]
) -> None:
    for config in bad:
        assert failed(config, minor, check), config
    for config in good:
        assert failed(config, minor, check) == [], config


UNREAD = [
    (cpu(no_such="true"), "cpu-options-known", "cpuManagerPolicyOptions.no-such"),
    (topology({"no-such": "true"}), "topology-options-known", "topologyManagerPolicyOptions.no-such"),
]


@pytest.mark.parametrize(("config", "rule", "field"), UNREAD, ids=[case[1] for case in UNREAD])
def test_an_unknown_option_of_a_release_whose_options_were_not_read_is_a_warning(
    config: Config, rule: str, field: str
) -> None:
    findings = check(encode({**KUBELET_KIND, **config}), versions=["1.36", "1.37"])
    assert {(finding.versions, finding.rule, finding.field, str(finding.level)) for finding in findings} == {
        (("1.36",), rule, field, "component"),
        (("1.37",), rule, field, "warning"),
    }
    assert ["as in Kubernetes 1.36" in finding.message for finding in findings if finding.level == "warning"] == [True]


def test_what_is_wrong_with_a_known_option_is_refused_in_every_release() -> None:
    text = encode({**KUBELET_KIND, **cpu(full_pcpus_only="maybe")})
    assert [str(finding.level) for finding in check(text, versions=["1.36", "1.37"])] == ["component"]


@pytest.mark.contract("validate.for-the-version")
@pytest.mark.parametrize(
    "config",
    [
        # The real kubelet 1.20 exits with these although its validation accepts them.
        {"evictionHard": {"memory.available": "bogus"}},
        {"cpuManagerPolicy": "bogus"},
        {"kubeReserved": {"cpu": "minus"}},
        {"tlsCipherSuites": ["BOGUS"]},
        # Null in a map is an empty string, not an absent key.
        {"evictionHard": {"memory.available": None}},
        {"kubeReserved": {"cpu": None}},
    ],
)
def test_configs_that_the_ancestor_accepts_and_crashes_on_are_refused(config: Config) -> None:
    text = encode({**KUBELET_KIND, **config})
    assert [finding.level for finding in check(text, versions=["1.20"]) if finding.is_refusal] == ["component"]
