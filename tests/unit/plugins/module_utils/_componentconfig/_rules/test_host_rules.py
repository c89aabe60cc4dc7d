# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a config against the facts of a host, each as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import Document
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._host_states import (
    stale_state_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._kubelet import (
    KUBELET_RULES_CHECKED_ELSEWHERE,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._kubelet_start_failures import (
    STARTUP_RULES_CHECKED_ELSEWHERE,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._rule import EffectiveConfig
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import (
    KERNEL_PARAMETERS,
    Cgroup,
    File,
    Host,
    HostQuery,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_rules import (
    host_findings,
    query_for,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import format_path
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import config_at
from support.configs.kubelet import KUBELET_KIND

pytestmark = pytest.mark.contract("validate.host-checks")

KUBE_PROXY = {"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration"}
CERTIFICATE = File("file", frozenset(("CERTIFICATE",)))
KEY = File("file", frozenset(("RSA PRIVATE KEY",)))
MISSING = File("missing")
PAIR = {"tlsCertFile": "/c", "tlsPrivateKeyFile": "/k"}
NO_PAIR = {"/c": MISSING, "/k": MISSING}
HALF = {"/c": CERTIFICATE, "/k": MISSING}
GIB = 1024**3
FOUR = frozenset(range(4))


def context(config: Mapping[str, Any], minor: int = 31, base: Mapping[str, Any] | None = None) -> EffectiveConfig:
    """Return the config as the component of a minor sees it. base: the document's head, by default the kubelet's."""
    effective = config_at(Document({**(base or KUBELET_KIND), **config}, "config"), minor)
    assert effective is not None
    return effective


def problems(config: Mapping[str, Any], host: Host, minor: int = 31) -> list[str]:
    """Return the findings on a kubelet's config, as path: message [level]."""
    findings = host_findings(context(config, minor), "kubelet", host)
    return [f"{format_path(finding.path)}: {finding.message} [{finding.level}]" for finding in findings]


def x509(path: str) -> dict[str, Any]:
    """Return a config that names a file of trusted certificates."""
    return {"authentication": {"x509": {"clientCAFile": path}}}


STATIC = {"memoryManagerPolicy": "Static", "reservedMemory": [{"numaNode": 1, "limits": {"memory": "1Gi"}}]}
LIMITED_SWAP = {"memorySwap": {"swapBehavior": "LimitedSwap"}, "failSwapOn": False}
QOS = "the cgroup does not exist on this host: create it, or name one that exists [component]"
NO_CGROUP = Cgroup(exists=False)

REFUSED = [
    ({}, Host(swaps=("/dev/sda2",)), 31, "failSwapOn: must be false, or swap turned off: this host swaps to /dev/sda2"),
    (
        x509("/ca"),
        Host(files={"/ca": MISSING}),
        31,
        "authentication.x509.clientCAFile: the file does not exist on this",
    ),
    (
        x509("/ca"),
        Host(files={"/ca": KEY}),
        31,
        "authentication.x509.clientCAFile: the file holds no certificate in PEM",
    ),
    ({"tlsCertFile": "/c"}, Host(files={"/c": MISSING}), 20, "tlsCertFile: the file does not exist on this host"),
    ({**PAIR, "enableServer": False}, Host(files=HALF), 34, "tlsPrivateKeyFile: the file does not exist on this host"),
    ({**PAIR, "enableServer": False}, Host(files=HALF), 36, "tlsPrivateKeyFile: the file does not exist on this host"),
    ({**PAIR, "serverTLSBootstrap": True}, Host(files=HALF), 34, "tlsPrivateKeyFile: the file does not exist on this"),
    (
        {"tlsCertFile": "/c"},
        Host(files={"/c": File("directory")}),
        20,
        "tlsCertFile: must be a file with a certificate",
    ),
    (
        {"tlsPrivateKeyFile": "/k"},
        Host(files={"/k": CERTIFICATE}),
        31,
        "tlsPrivateKeyFile: the file holds no private key",
    ),
    ({"podLogsDir": "/l"}, Host(files={"/l": File("file")}), 31, "podLogsDir: must be a directory, and is a file"),
    ({}, Host(cgroup_v2=False), 35, "failCgroupV1: must be false: this host uses cgroup v1"),
    (
        {"protectKernelDefaults": True},
        Host(kernel={**KERNEL_PARAMETERS, "kernel/panic": 0}),
        20,
        "protectKernelDefaults: the host's kernel.panic is 0, and the kubelet requires 10",
    ),
    (
        {"reservedSystemCPUs": "0,2-4"},
        Host(cpus=FOUR),
        20,
        "reservedSystemCPUs: CPU 4 is too high: this host has 4 online, up to CPU 3",
    ),
    (
        {"reservedSystemCPUs": "0-2"},
        Host(cpus=frozenset((0, 2, 4, 6))),
        31,
        "reservedSystemCPUs: CPU 1 is not online: this host has 4 online, up to CPU 6",
    ),
    (
        {"reservedSystemCPUs": "0,6"},
        Host(cpus=frozenset((0, 2, 4, 6))),
        21,
        "reservedSystemCPUs: CPU 6 is too high: this host has 4 online, up to CPU 6",
    ),
    (
        {"systemReserved": {"cpu": "4500m"}},
        Host(cpus=FOUR),
        20,
        "systemReserved.cpu: with the other reservations and evictionHard it is more than this host has: 4 CPUs",
    ),
    (
        {"kubeReserved": {"memory": "2Gi"}, "evictionHard": {"memory.available": "60%"}},
        Host(memory=4 * GIB),
        31,
        "kubeReserved.memory: with the other reservations and evictionHard it is more than this host has",
    ),
    (
        {"evictionHard": {"memory.available": "5Gi"}},
        Host(memory=4 * GIB),
        31,
        "evictionHard[memory.available]: with the other reservations",
    ),
    (
        {"topologyManagerPolicy": "restricted"},
        Host(numa_nodes=frozenset(range(9))),
        20,
        "topologyManagerPolicy: must be none: this host has 9 NUMA nodes, and 8 are allowed",
    ),
    (STATIC, Host(numa_nodes=frozenset((0,))), 31, "reservedMemory[0].numaNode: this host has no NUMA node 1"),
    ({"cgroupRoot": "/k"}, Host(cgroups={"/k": NO_CGROUP}), 30, f"cgroupRoot: {QOS}"),
    (
        {"enforceNodeAllocatable": ["pods", "system-reserved"], "systemReservedCgroup": "/s"},
        Host(cgroups={"/s": NO_CGROUP}),
        30,
        f"systemReservedCgroup: {QOS}",
    ),
    (
        {"enforceNodeAllocatable": ["kube-reserved-compressible"], "kubeReservedCgroup": "/s"},
        Host(cgroups={"/s": NO_CGROUP}, runtime_driver="cgroupfs"),
        32,
        f"kubeReservedCgroup: {QOS}",
    ),
    (
        {"kubeReserved": {"ephemeral-storage": "2Gi"}, "evictionHard": {"nodefs.available": "60%"}},
        Host(disk=4 * GIB),
        20,
        "kubeReserved.ephemeral-storage: with the other reservations and evictionHard it is more than this host has",
    ),
    (
        {"singleProcessOOMKill": False},
        Host(cgroup_v2=False),
        32,
        "singleProcessOOMKill: must not be false: this host uses cgroup v1",
    ),
    (
        LIMITED_SWAP,
        Host(cgroup_v2=False),
        30,
        "memorySwap.swapBehavior: must not be LimitedSwap: this host uses cgroup v1",
    ),
    (
        {
            "cpuManagerPolicy": "static",
            "cpuManagerPolicyOptions": {"align-by-socket": "true"},
        },
        Host(sockets=4, numa_nodes=frozenset((0, 1))),
        31,
        "cpuManagerPolicyOptions.align-by-socket: needs no more sockets than NUMA nodes: this host has 4 and 2",
    ),
    (
        {},
        Host(damaged_state=("memory_manager_state",)),
        31,
        "memoryManagerPolicy: the kubelet's memory_manager_state is damaged, and it would not start again: remove that",
    ),
]


@pytest.mark.parametrize(("config", "host", "minor", "beginning"), REFUSED)
def test_a_config_that_would_crash_the_kubelet_on_this_host_is_refused(
    config: Mapping[str, Any], host: Host, minor: int, beginning: str
) -> None:
    [problem] = problems(config, host, minor)
    assert problem.startswith(beginning)
    assert problem.endswith("[component]")


ACCEPTED = [
    ({"failSwapOn": False}, Host(swaps=("/dev/sda2",)), 31),
    ({}, Host(cgroup_v2=False), 34),  # the default only from 1.35 on
    ({"failCgroupV1": True}, Host(cgroup_v2=False), 30),  # not a field yet: another check reports that
    ({"failCgroupV1": False}, Host(cgroup_v2=False), 35),
    ({}, Host(kernel={"kernel/panic": 0}), 31),  # the kubelet sets it itself
    ({"protectKernelDefaults": True}, Host(kernel=KERNEL_PARAMETERS), 31),
    ({"reservedSystemCPUs": "0-3"}, Host(cpus=FOUR), 31),
    ({"reservedSystemCPUs": "0,6"}, Host(cpus=frozenset((0, 2, 4, 6))), 22),  # no hyper-threads
    ({"reservedSystemCPUs": "0", "kubeReserved": {"cpu": "9"}}, Host(cpus=FOUR), 31),  # which they replace
    ({"reservedSystemCPUs": "0"}, Host(), 31),  # an unknown fact causes no finding
    ({"kubeReserved": {"cpu": "4"}}, Host(cpus=FOUR), 31),
    ({"systemReserved": {"pid": "40000000"}}, Host(cpus=frozenset((0,))), 20),  # the host is not known
    ({"systemReserved": {"pid": "1000"}, "podPidsLimit": 32768}, Host(pids=32768), 31),
    ({"podPidsLimit": -1}, Host(pids=32768), 31),
    (
        {"systemReserved": {"ephemeral-storage": "9Ti"}, "featureGates": {"LocalStorageCapacityIsolation": False}},
        Host(disk=GIB),
        20,
    ),
    (
        {"systemReserved": {"ephemeral-storage": "9Ti"}, "localStorageCapacityIsolation": False},
        Host(disk=GIB),
        31,
    ),
    ({"tlsCertFile": "/c", "enableServer": False}, Host(files={"/c": File("missing")}), 31),
    ({"tlsCertFile": "/c", "tlsPrivateKeyFile": "/k", "enableServer": False}, Host(files=NO_PAIR), 20),
    ({"tlsCertFile": "/c", "tlsPrivateKeyFile": "/k", "serverTLSBootstrap": True}, Host(files=NO_PAIR), 36),
    ({"tlsCertFile": "/c"}, Host(files=NO_PAIR), 36),
    ({"tlsCertFile": "/tmp/c"}, Host(files={"/tmp/c": File("unseen")}), 31),
    ({"tlsCertFile": "/c", "tlsPrivateKeyFile": "/k"}, Host(files={"/c": CERTIFICATE, "/k": KEY}), 31),
    ({"tlsPrivateKeyFile": "/k"}, Host(files={"/k": File("file", None)}), 31),  # the agent may not read it
    ({"staticPodPath": "/nowhere", "volumePluginDir": "/nowhere"}, Host(), 31),  # the kubelet waits, or creates it
    ({"topologyManagerPolicy": "none"}, Host(numa_nodes=frozenset(range(9))), 31),
    (
        {"topologyManagerPolicy": "restricted", "topologyManagerPolicyOptions": {"max-allowable-numa-nodes": "12"}},
        Host(numa_nodes=frozenset(range(9))),
        32,
    ),
    (STATIC, Host(numa_nodes=frozenset((0, 1))), 31),
    ({"cgroupRoot": "/k", "cgroupsPerQOS": False}, Host(cgroups={"/k": NO_CGROUP}), 31),
    ({"kubeReservedCgroup": "/s"}, Host(cgroups={"/s": NO_CGROUP}), 31),  # named and not enforced
    ({"cgroupDriver": "cgroupfs"}, Host(runtime_driver="systemd"), 31),  # the kubelet asks the runtime
]


@pytest.mark.parametrize("percentage", ["1/0%", "1e999999999%", "nan%", "inf%", "%", "²%"])
def test_an_invalid_percentage_is_left_to_validation(percentage: str) -> None:
    assert problems({"evictionHard": {"memory.available": percentage}}, Host(memory=GIB)) == []


@pytest.mark.parametrize("number", ["²", "9" * 5000, ""])
def test_an_invalid_number_of_numa_nodes_is_left_to_validation(number: str) -> None:
    options = {
        "topologyManagerPolicy": "restricted",
        "topologyManagerPolicyOptions": {"max-allowable-numa-nodes": number},
    }
    assert problems(options, Host(numa_nodes=frozenset(range(99)))) == []


@pytest.mark.parametrize(("config", "host", "minor"), ACCEPTED)
def test_what_the_kubelet_runs_with_is_accepted(config: Mapping[str, Any], host: Host, minor: int) -> None:
    assert problems(config, host, minor) == []


CPUS = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0-1"}
CPU_STATE = {
    "policyName": "static",
    "defaultCpuSet": "0-1,3",
    "entries": {"a": {"b": "2"}},
    "checksum": 1,
}
MEMORY = {"memoryManagerPolicy": "Static", "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}]}
NODE_0 = {"memory": {"total": 8 * GIB, "systemReserved": GIB}, "hugepages-2Mi": {"systemReserved": 0}}
MEMORY_STATE = {"policyName": "Static", "machineState": {"0": {"memoryMap": NODE_0}}}
DRAIN = "the kubelet would exit; drain the node and remove"


def stale(config: Mapping[str, Any], host: Host, minor: int = 31) -> list[str]:
    """Return the findings on a host's state files, as path: message [rule]."""
    findings = stale_state_findings(context(config, minor), host)
    return [f"{format_path(finding.path)}: {finding.message} [{finding.rule}]" for finding in findings]


@pytest.mark.parametrize(
    ("config", "name", "state", "beginning"),
    [
        (
            {},
            "cpu_manager_state",
            CPU_STATE,
            f"cpuManagerPolicy: cpu_manager_state was written under the policy static: {DRAIN}",
        ),
        (
            CPUS,
            "cpu_manager_state",
            {"policyName": "none"},
            "cpuManagerPolicy: cpu_manager_state was written under the policy none",
        ),
        (
            {**CPUS, "reservedSystemCPUs": "1-2"},
            "cpu_manager_state",
            CPU_STATE,
            "reservedSystemCPUs: cpu_manager_state gives them",
        ),
        (
            CPUS,
            "cpu_manager_state",
            {**CPU_STATE, "entries": {}},
            "cpuManagerPolicy: cpu_manager_state knows 3 CPUs, and this host has 4",
        ),
        (
            {**CPUS, "cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}},
            "cpu_manager_state",
            CPU_STATE,
            "reservedSystemCPUs: cpu_manager_state gives them to containers",
        ),
        (
            {},
            "memory_manager_state",
            MEMORY_STATE,
            "memoryManagerPolicy: memory_manager_state was written under the policy Static",
        ),
        (
            {**MEMORY, "reservedMemory": [{"numaNode": 0, "limits": {"memory": "2Gi"}}]},
            "memory_manager_state",
            MEMORY_STATE,
            f"reservedMemory: memory_manager_state was written with {GIB} bytes of memory reserved on NUMA node 0: ",
        ),
    ],
)
def test_a_state_file_that_the_kubelet_would_exit_over(
    config: Mapping[str, Any], name: str, state: Mapping[str, Any], beginning: str
) -> None:
    [problem] = stale(config, Host(cpus=FOUR, states={name: state}))
    assert problem.startswith(beginning)
    assert problem.endswith(f"[{name.partition('_')[0].replace('memory', 'mem')}-state]")


@pytest.mark.parametrize(
    ("config", "name", "state", "minor"),
    [
        (CPUS, "cpu_manager_state", CPU_STATE, 31),
        (CPUS, "cpu_manager_state", {"policyName": "static", "defaultCpuSet": ""}, 31),  # it fills an empty one
        ({}, "cpu_manager_state", {"policyName": "none", "defaultCpuSet": ""}, 31),
        ({}, "cpu_manager_state", {}, 31),
        (CPUS, "cpu_manager_state", {"policyName": "static", "defaultCpuSet": [], "entries": []}, 20),
        (MEMORY, "memory_manager_state", MEMORY_STATE, 31),
        (
            MEMORY,
            "memory_manager_state",
            {"policyName": "Static", "machineState": {"0": {"memoryMap": []}, "1": 3}},
            31,
        ),
        ({}, "memory_manager_state", MEMORY_STATE, 20),  # which has no memory manager
        (
            {**CPUS, "cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}},
            "cpu_manager_state",
            {"policyName": "static", "defaultCpuSet": "2-3"},
            32,
        ),
    ],
)
def test_a_state_file_that_fits_the_config_is_kept(
    config: Mapping[str, Any], name: str, state: Mapping[str, Any], minor: int
) -> None:
    assert stale(config, Host(cpus=FOUR, states={name: state}), minor) == []


def test_a_field_without_an_effect_on_cgroup_v1_is_a_warning() -> None:
    config: Mapping[str, Any] = {**LIMITED_SWAP, "featureGates": {"NodeSwap": True}}
    assert problems(config, Host(cgroup_v2=False), 29) == [
        "memorySwap.swapBehavior: has no effect: this host uses cgroup v1, and pods get no swap there [warning]"
    ]
    config = {"memoryThrottlingFactor": 0.8, "featureGates": {"MemoryQoS": True}}
    assert problems(config, Host(cgroup_v2=False), 31) == [
        "memoryThrottlingFactor: has no effect: this host uses cgroup v1 [warning]"
    ]
    assert problems(config, Host(), 31) == []


@pytest.mark.parametrize(
    ("config", "warning"),
    [
        ({"systemReserved": {"pid": "32Ki"}}, "systemReserved.pid: the reservations leave no process ids for pods"),
        (
            {"kubeReserved": {"pid": "32767"}, "systemReserved": {"pid": "1"}},
            "kubeReserved.pid: the reservations leave no",
        ),
        ({"podPidsLimit": 32769}, "podPidsLimit: limits no pod: this host has 32768"),
    ],
)
def test_process_ids_that_the_host_does_not_have_are_a_warning(config: Mapping[str, Any], warning: str) -> None:
    [problem] = problems(config, Host(pids=32768))
    assert problem.startswith(warning)
    assert problem.endswith("[warning]")


@pytest.mark.parametrize(
    ("amounts", "indexes"),
    [(("2Gi",), []), (("2049Mi",), [0]), (("1Gi", "1Gi"), []), (("1Gi", "1Gi", "1"), [2])],
)
def test_more_memory_than_a_numa_node_has_is_a_warning(amounts: tuple[str, ...], indexes: list[int]) -> None:
    host = Host(numa_nodes=frozenset((0, 1)), numa_memory={0: GIB, 1: 2 * GIB})
    entries = [{"numaNode": 1, "limits": {"memory": amount}} for amount in amounts]
    message = f"limits.memory: reserves more than NUMA node 1 of this host has: {2 * GIB} bytes [warning]"
    expected = [f"reservedMemory[{index}].{message}" for index in indexes]
    assert problems({"memoryManagerPolicy": "Static", "reservedMemory": entries}, host) == expected
    assert problems({"reservedMemory": entries}, host) == []


def test_every_check_that_needs_the_host_is_made() -> None:
    rules = {
        rule
        for elsewhere in (KUBELET_RULES_CHECKED_ELSEWHERE, STARTUP_RULES_CHECKED_ELSEWHERE)
        for rule, reason in elsewhere.items()
        if reason.startswith("needs the host")
    }
    covered = {
        finding.rule for case in REFUSED for finding in host_findings(context(case[0], case[2]), "kubelet", case[1])
    }
    driver = Host(runtime_driver="systemd")
    covered |= {finding.rule for finding in host_findings(context({"cgroupDriver": "cgroupfs"}, 30), "kubelet", driver)}
    states = Host(states={"cpu_manager_state": CPU_STATE, "memory_manager_state": MEMORY_STATE})
    covered |= {finding.rule for finding in stale_state_findings(context({}), states)}
    assert rules <= covered


def test_a_config_with_which_no_pod_can_start_is_refused_by_policy() -> None:
    host = Host(files={"/r": MISSING}, runtime_driver="systemd")
    assert problems({"resolvConf": "/r"}, host, 30) == [
        "resolvConf: the file does not exist on this host: no pod could be started [policy]",
        "cgroupDriver: must be systemd, as the container runtime's config says: no pod could be started [policy]",
    ]


def test_kube_proxy_needs_its_kubeconfig() -> None:
    config = context({"clientConnection": {"kubeconfig": "/k"}}, base=KUBE_PROXY)
    assert query_for(config, "kube-proxy", root_directory="", runtime="") == HostQuery(frozenset(("/k",)))
    [finding] = host_findings(config, "kube-proxy", Host(files={"/k": MISSING}))
    assert (format_path(finding.path), finding.rule) == ("clientConnection.kubeconfig", "files")
    assert not list(host_findings(config, "kube-proxy", Host(files={"/k": File("file")})))
    assert not list(host_findings(config, "another", Host(swaps=("/dev/sda2",))))


def test_only_the_parts_of_the_host_that_the_config_depends_on_are_read() -> None:
    assert query_for(context({}, 20), "kubelet", root_directory="/r", runtime="") == HostQuery(root_directory="/r")
    assert query_for(context({}, 27), "kubelet", root_directory="", runtime="").runtime == "containerd"  # the default
    config = {
        **x509("/ca"),
        "tlsCertFile": "relative",
        "resolvConf": "",
        "cgroupRoot": "/",
        "enforceNodeAllocatable": ["pods", "kube-reserved"],
        "kubeReservedCgroup": "/kube",
        "systemReservedCgroup": "/system",
    }
    runtime = "unix:///run/containerd/containerd.sock"
    query = query_for(context(config), "kubelet", root_directory="", runtime=runtime)
    cgroups = frozenset(("/kube", "/kube.slice"))
    assert query == HostQuery(frozenset(("/ca",)), cgroups, "", "containerd")
    assert query_for(context({"shutdownGracePeriod": "30s"}), "kubelet", root_directory="", runtime="").logind
