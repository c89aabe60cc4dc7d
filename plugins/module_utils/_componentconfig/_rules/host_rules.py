# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check a config against the host that would run it: say which facts to read, and check them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from .._scalars.field_path import Path
from .._scalars.numbers import parse_cpu_list
from .._schema.kinds import KUBELET
from ..findings import Finding, Level
from ._host_cgroups import cgroup_findings, cgroup_paths
from ._host_shutdown import delays_shutdown, inhibitor_findings
from ._host_states import damaged_state_findings, stale_state_findings
from ._rule import EffectiveConfig, percentage_or_none, quantity_or_none, reserved_amounts
from .host_model import KERNEL_PARAMETERS, ContainerRuntime, Host, HostQuery

_MAX_NUMA_NODES = 8
_SINGLE_CPUS_SINCE = 22


def query_for(config: EffectiveConfig, component: str, *, root_directory: str, runtime: str) -> HostQuery:
    """Return what to read of the host to check this config.

    root_directory: the directory of the component's state. runtime: the container runtime's endpoint from a flag, ""
    without one.
    """
    if component != KUBELET:
        return HostQuery(frozenset(path for _field, path in _kube_proxy_files(config)))
    paths = [config.written(*field) for field in _PEM_FIELDS]
    paths += [config.written("resolvConf"), config.written("podLogsDir")]
    field = "containerRuntimeEndpoint"
    endpoint = str(config.written(field) or runtime or (config.has_field(field) and config.get(field)))
    kind: ContainerRuntime = "containerd" if "containerd" in endpoint else "cri-o" if "crio" in endpoint else ""
    absolute = frozenset(path for path in paths if isinstance(path, str) and path.startswith("/"))
    return HostQuery(absolute, cgroup_paths(config), root_directory, kind, delays_shutdown(config))


def host_findings(config: EffectiveConfig, component: str, host: Host) -> Iterator[Finding]:
    """Check the effective config of a component on a host."""
    checks = _KUBELET_CHECKS if component == KUBELET else _KUBE_PROXY_CHECKS if component == "kube-proxy" else ()
    for check in checks:
        yield from check(config, host)


_CERTIFICATES = (("authentication", "x509", "clientCAFile"), ("tlsCertFile",))
# From this minor on, the server takes its certificate only from what the kubelet has loaded before.
_ONE_CERTIFICATE_SINCE = 36
_PEM_FIELDS: tuple[tuple[str, ...], ...] = (*_CERTIFICATES, ("tlsPrivateKeyFile",))


def _files(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    for field in _PEM_FIELDS:
        file = host.files.get(config.written(*field) or "")
        content = "certificate" if field in _CERTIFICATES else "private key"
        if file is None or file.kind == "unseen":
            continue
        if field[0].startswith("tls") and not _reads_serving_files(config):
            continue
        if file.kind == "missing":
            yield Finding(field, "the file does not exist on this host", "files")
        elif file.kind != "file":
            yield Finding(field, f"must be a file with a {content} in PEM form, and is a {file.kind}", "files")
        elif file.pem is not None and not any(block.endswith(content.upper()) for block in file.pem):
            yield Finding(field, f"the file holds no {content} in PEM form", "files")


def _reads_serving_files(config: EffectiveConfig) -> bool:
    """Return whether the kubelet opens the files of its serving certificate when it starts."""
    server = bool(config.get("enableServer"))
    if config.get("serverTLSBootstrap") and config.gates.is_on("RotateKubeletServerCertificate"):
        return server and config.minor < _ONE_CERTIFICATE_SINCE
    has_pair = bool(config.written("tlsCertFile") and config.written("tlsPrivateKeyFile"))
    if config.minor >= _ONE_CERTIFICATE_SINCE:
        return has_pair
    return server or (has_pair and config.gates.is_on("ReloadKubeletServerCertificateFile"))


def _resolv_conf(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    file = host.files.get(config.written("resolvConf") or "")
    if file is not None and file.kind in ("missing", "directory"):
        # The kubelet runs, but cannot start pods that use the node's DNS.
        message = "the file does not exist on this host: no pod could be started"
        yield Finding(("resolvConf",), message, "resolv-conf", Level.POLICY)


def _pod_logs(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    file = host.files.get(config.written("podLogsDir") or "")
    if file is not None and file.kind not in ("directory", "missing", "unseen") and config.has_field("podLogsDir"):
        yield Finding(("podLogsDir",), f"must be a directory, and is a {file.kind}", "files")


def _swap(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    if config.get("failSwapOn") and host.swaps:
        shown = ", ".join(host.swaps[:3])
        yield Finding(("failSwapOn",), f"must be false, or swap turned off: this host swaps to {shown}", "swap-on")


_SWAP_BEHAVIOR = ("memorySwap", "swapBehavior")


def _cgroup_version(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    if host.cgroup_v2:
        return
    if config.has_field("failCgroupV1") and config.get("failCgroupV1"):
        yield Finding(("failCgroupV1",), "must be false: this host uses cgroup v1", "cgroup-v1")
    if config.has_field("singleProcessOOMKill") and config.written("singleProcessOOMKill") is False:
        yield Finding(("singleProcessOOMKill",), "must not be false: this host uses cgroup v1", "oomkill-v1")
    if config.written("memorySwap", "swapBehavior") == "LimitedSwap" and config.gates.is_on("NodeSwap"):
        if config.minor >= 30:
            yield Finding(_SWAP_BEHAVIOR, "must not be LimitedSwap: this host uses cgroup v1", "swap-cgroup-v1")
        else:
            message = "has no effect: this host uses cgroup v1, and pods get no swap there"
            yield Finding(_SWAP_BEHAVIOR, message, "cgroup-v1", Level.WARNING)
    # The kubelet runs with this and ignores it.
    if config.written("memoryThrottlingFactor") is not None and config.gates.is_on("MemoryQoS"):
        message = "has no effect: this host uses cgroup v1"
        yield Finding(("memoryThrottlingFactor",), message, "cgroup-v1", Level.WARNING)


def _kernel_flags(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    if not config.get("protectKernelDefaults"):
        return
    for flag, value in KERNEL_PARAMETERS.items():
        if host.kernel.get(flag, value) != value:
            name = flag.replace("/", ".")
            message = f"the host's {name} is {host.kernel[flag]}, and the kubelet requires {value}"
            yield Finding(("protectKernelDefaults",), message, "kernel-defaults")


def _reserved_cpus(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    # cmd/kubelet/app/server.go; before 1.22 the kubelet compares the highest CPU with their number.
    by_number = config.minor < _SINGLE_CPUS_SINCE
    allowed = frozenset(range(len(host.cpus))) if by_number else host.cpus
    missing = parse_cpu_list(config.get("reservedSystemCPUs")) - allowed
    if host.cpus and missing:
        why = "is too high" if by_number else "is not online"
        message = f"CPU {min(missing)} {why}: this host has {len(host.cpus)} online, up to CPU {max(host.cpus)}"
        yield Finding(("reservedSystemCPUs",), message, "reserved-cpus-host")


# Resource -> the eviction signal that reserves it as well, and its unit. The kubelet does not check process ids.
_EVICTION_SIGNALS = {
    "cpu": ("", "CPUs"),
    "memory": ("memory.available", "bytes"),
    "ephemeral-storage": ("nodefs.available", "bytes"),
}


def _reserved(config: EffectiveConfig, resource: str) -> dict[str, Fraction]:
    # Validation refuses an amount that is not a quantity.
    return {field: amount or Fraction(0) for field, amount in reserved_amounts(config, resource).items()}


def _allocatable(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    capacities = {"cpu": len(host.cpus), "memory": host.memory, "ephemeral-storage": host.disk}
    for resource, (signal, unit) in _EVICTION_SIGNALS.items():
        capacity = capacities[resource]
        if not capacity or (resource == "cpu" and config.get("reservedSystemCPUs")):
            continue  # reservedSystemCPUs replaces both reservations
        if resource == "ephemeral-storage" and not _isolates_storage(config):
            continue  # the kubelet does not count it then
        reserved = _reserved(config, resource)
        fields = [field for field, amount in reserved.items() if amount]
        total = sum(reserved.values()) + _threshold((config.get("evictionHard") or {}).get(signal, 0), capacity)
        if total > capacity:
            path = (fields[0], resource) if fields else ("evictionHard", signal)
            message = f"with the other reservations and evictionHard it is more than this host has: {capacity} {unit}"
            yield Finding(path, message, "alloc-negative")


def _process_ids(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    """Yield the numbers of process ids that this host does not have. The kubelet runs with them and logs nothing."""
    if not host.pids:
        return
    limit = f"this host has {host.pids} (the lower one of kernel.pid_max and kernel.threads-max)"
    reserved = _reserved(config, "pid")
    if sum(reserved.values()) >= host.pids:
        field = "kubeReserved" if reserved["kubeReserved"] else "systemReserved"
        message = f"the reservations leave no process ids for pods: {limit}"
        yield Finding((field, "pid"), message, "pids", Level.WARNING)
    if (config.get("podPidsLimit") or 0) > host.pids:
        yield Finding(("podPidsLimit",), f"limits no pod: {limit}", "pids", Level.WARNING)


def _isolates_storage(config: EffectiveConfig) -> bool:
    return (
        config.gates.is_on("LocalStorageCapacityIsolation") and config.get("localStorageCapacityIsolation") is not False
    )


def _threshold(value: Any, capacity: int) -> Fraction:
    text = str(value)
    if text.endswith("%"):
        percentage = percentage_or_none(text)
        # Validation refuses an invalid percentage; an infinite one reserves nothing.
        return Fraction(percentage) * capacity / 100 if percentage is not None and isfinite(percentage) else Fraction(0)
    return quantity_or_none(value) or Fraction(0)


def _sockets(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    option = ("cpuManagerPolicyOptions", "align-by-socket")
    is_on = str(config.written(*option)).lower() in ("true", "t", "1")
    if is_on and host.sockets > len(host.numa_nodes) > 0 and config.get("cpuManagerPolicy") == "static":
        message = f"needs no more sockets than NUMA nodes: this host has {host.sockets} and {len(host.numa_nodes)}"
        yield Finding(option, message, "cpu-align-socket")


def _numa(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    if config.get("topologyManagerPolicy") not in (None, "none") and config.gates.is_on("TopologyManager"):
        options = config.get("topologyManagerPolicyOptions") or {}
        limit = str(options.get("max-allowable-numa-nodes", _MAX_NUMA_NODES))
        if re.fullmatch(r"[0-9]{1,9}", limit) and len(host.numa_nodes) > int(limit):
            message = f"must be none: this host has {len(host.numa_nodes)} NUMA nodes, and {limit} are allowed"
            yield Finding(("topologyManagerPolicy",), message, "topology-options")
    if config.get("memoryManagerPolicy") == "Static" and config.gates.is_on("MemoryManager"):
        for index, entry in enumerate(config.get("reservedMemory") or []):
            node = entry.get("numaNode", 0)
            if node not in host.numa_nodes:
                message = f"this host has no NUMA node {node}"
                yield Finding(("reservedMemory", index, "numaNode"), message, "mem-numa")
        yield from _numa_memory(config, host)


def _numa_memory(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    """Yield the NUMA nodes with more memory reserved than they have: the kubelet runs, and counts below zero."""
    reserved: dict[int, Fraction] = {}
    for index, entry in enumerate(config.get("reservedMemory") or []):
        node = entry.get("numaNode", 0)
        amount = quantity_or_none((entry.get("limits") or {}).get("memory", 0)) or Fraction(0)
        reserved[node] = reserved.get(node, Fraction(0)) + amount
        memory = host.numa_memory.get(node, 0)
        if memory and reserved[node] > memory:
            message = f"reserves more than NUMA node {node} of this host has: {memory} bytes"
            yield Finding(("reservedMemory", index, "limits", "memory"), message, "mem-numa", Level.WARNING)


def _cgroup_driver(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    # From 1.31 on the kubelet asks the runtime. Before, it runs with a wrong driver, and every pod fails.
    if config.gates.is_on("KubeletCgroupDriverFromCRI") or not host.runtime_driver:
        return
    driver = config.get("cgroupDriver") or "cgroupfs"
    if driver != host.runtime_driver:
        message = f"must be {host.runtime_driver}, as the container runtime's config says: no pod could be started"
        yield Finding(("cgroupDriver",), message, "cgroup-driver-cri", Level.POLICY)


def _kube_proxy_files(config: EffectiveConfig) -> Iterator[tuple[Path, str]]:
    path = config.written("clientConnection", "kubeconfig")
    if isinstance(path, str) and path.startswith("/"):
        yield ("clientConnection", "kubeconfig"), path


def _kube_proxy(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    for field, path in _kube_proxy_files(config):
        if host.files[path].kind in ("missing", "directory"):
            yield Finding(field, "the file does not exist on this host", "files")


_Check = Callable[[EffectiveConfig, Host], Iterator[Finding]]
_KUBELET_CHECKS: tuple[_Check, ...] = (
    _files,
    _resolv_conf,
    _pod_logs,
    _swap,
    _cgroup_version,
    _kernel_flags,
    _reserved_cpus,
    _allocatable,
    _process_ids,
    _sockets,
    _numa,
    cgroup_findings,
    damaged_state_findings,
    _cgroup_driver,
    inhibitor_findings,
)
_KUBE_PROXY_CHECKS: tuple[_Check, ...] = (_kube_proxy,)


@dataclass(frozen=True)
class HostRules:
    """Checks a component's config against a host, which it reads.

    root_directory and runtime: as for `query_for`. resets_state: whether state files of another policy are moved away
    before the component starts.
    """

    read: Callable[[HostQuery], Host]
    root_directory: str
    runtime: str = ""
    resets_state: bool = False

    def __call__(self, config: EffectiveConfig, component: str) -> Iterator[Finding]:
        """Read the host and yield what on it does not fit the config."""
        host = self.read(query_for(config, component, root_directory=self.root_directory, runtime=self.runtime))
        yield from host_findings(config, component, host)
        if component == KUBELET and not self.resets_state:
            yield from stale_state_findings(config, host)
