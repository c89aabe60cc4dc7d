# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component would die of on this host, judged from its effective config and the host's facts. Private to
configok.node.

Pure. Each check says what the component's own source does; where that is nothing (a path it creates, a socket it waits
for), there is no check: what the component accepts is accepted. Ids are those of the start-up checks in
schema/kubelet_validation_rules.json, or files, resolv-conf, cgroup-v1 and reserved-cpus-host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from .._documents._findings import POLICY, WARNING
from .._values._cpu_set import cpu_set
from .._values._float import parse_float
from .._values._paths import Path
from .._values._quantity import parse_quantity
from ._context import Context
from ._host import KERNEL_FLAGS, Host, HostProblem, Wanted
from ._host_state import damaged_state

__all__ = ["host_problems", "wanted_of"]

_CERTIFICATE = "CERTIFICATE"
_MOST_NUMA_NODES = 8
_SINGLE_CPUS_SINCE = 22
_ENFORCED = {"kube-reserved": "kubeReservedCgroup", "system-reserved": "systemReservedCgroup"}


def wanted_of(context: Context, component: str, *, root_directory: str, runtime: str) -> Wanted:
    """Return what must be read of the host to judge this config.

    root_directory: where the component keeps its state. runtime: the container runtime's endpoint as a flag says it, ""
    where none does.
    """
    if component != "kubelet":
        return Wanted(frozenset(path for _field, path in _kube_proxy_files(context)))
    named = [context.given(*field) for field in _PEM_FIELDS]
    named += [context.given("resolvConf"), context.given("podLogsDir")]
    cgroups = [name for _field, name in _cgroups(context)]
    paths = frozenset(path for path in named if isinstance(path, str) and path.startswith("/"))
    field = "containerRuntimeEndpoint"
    endpoint = str(context.given(field) or runtime or (context.known(field) and context.get(field)))
    of_runtime = "containerd" if "containerd" in endpoint else "cri-o" if "crio" in endpoint else ""
    return Wanted(paths, frozenset(cgroups), root_directory, of_runtime)


def host_problems(context: Context, component: str, host: Host) -> Iterator[HostProblem]:
    """Judge the effective config of a component on a host."""
    checks = _KUBELET if component == "kubelet" else _KUBE_PROXY if component == "kube-proxy" else ()
    for check in checks:
        yield from check(context, host)


_CERTIFICATES = (("authentication", "x509", "clientCAFile"), ("tlsCertFile",))
_PEM_FIELDS: tuple[tuple[str, ...], ...] = (*_CERTIFICATES, ("tlsPrivateKeyFile",))


def _files(c: Context, host: Host) -> Iterator[HostProblem]:
    for field in _PEM_FIELDS:
        file = host.files.get(c.given(*field) or "")
        wanted = "certificate" if field in _CERTIFICATES else "private key"
        if file is None or file.kind == "unseen":
            continue
        if field[0].startswith("tls") and not c.get("enableServer"):
            continue  # what the server serves with, and there is none
        if file.kind == "missing":
            yield HostProblem(field, "the file does not exist on this host", "files")
        elif file.kind != "file":
            yield HostProblem(field, f"must be a file with a {wanted} in PEM form, and is a {file.kind}", "files")
        elif file.pem is not None and not any(block.endswith(wanted.upper()) for block in file.pem):
            yield HostProblem(field, f"the file holds no {wanted} in PEM form", "files")


def _resolv_conf(c: Context, host: Host) -> Iterator[HostProblem]:
    file = host.files.get(c.given("resolvConf") or "")
    if file is not None and file.kind in ("missing", "directory"):
        # The kubelet runs, and can start no pod that wants the node's DNS.
        message = "the file does not exist on this host: no pod could be started"
        yield HostProblem(("resolvConf",), message, "resolv-conf", POLICY)


def _pod_logs(c: Context, host: Host) -> Iterator[HostProblem]:
    file = host.files.get(c.given("podLogsDir") or "")
    if file is not None and file.kind not in ("directory", "missing", "unseen") and c.known("podLogsDir"):
        yield HostProblem(("podLogsDir",), f"must be a directory, and is a {file.kind}", "files")


def _swap(c: Context, host: Host) -> Iterator[HostProblem]:
    if c.get("failSwapOn") and host.swaps:
        shown = ", ".join(host.swaps[:3])
        yield HostProblem(("failSwapOn",), f"must be false, or swap turned off: this host swaps to {shown}", "swap-on")


def _cgroup_version(c: Context, host: Host) -> Iterator[HostProblem]:
    if host.cgroup_v2:
        return
    if c.known("failCgroupV1") and c.get("failCgroupV1"):
        yield HostProblem(("failCgroupV1",), "must be false: this host uses cgroup v1", "cgroup-v1")
    if c.known("singleProcessOOMKill") and c.given("singleProcessOOMKill") is False:
        yield HostProblem(("singleProcessOOMKill",), "must not be false: this host uses cgroup v1", "oomkill-v1")
    # The kubelet runs with these and does nothing of them.
    if c.given("memorySwap", "swapBehavior") == "LimitedSwap" and c.gates.on("NodeSwap"):
        message = "has no effect: this host uses cgroup v1, and pods get no swap there"
        yield HostProblem(("memorySwap", "swapBehavior"), message, "cgroup-v1", WARNING)
    if c.given("memoryThrottlingFactor") is not None and c.gates.on("MemoryQoS"):
        message = "has no effect: this host uses cgroup v1"
        yield HostProblem(("memoryThrottlingFactor",), message, "cgroup-v1", WARNING)


def _kernel_flags(c: Context, host: Host) -> Iterator[HostProblem]:
    if not c.get("protectKernelDefaults"):
        return
    for flag, value in KERNEL_FLAGS.items():
        if host.kernel.get(flag, value) != value:
            name = flag.replace("/", ".")
            message = f"the host's {name} is {host.kernel[flag]}, and the kubelet wants {value}"
            yield HostProblem(("protectKernelDefaults",), message, "kernel-defaults")


def _reserved_cpus(c: Context, host: Host) -> Iterator[HostProblem]:
    # cmd/kubelet/app/server.go; before 1.22 it holds the highest against their number.
    by_number = c.minor < _SINGLE_CPUS_SINCE
    allowed = frozenset(range(len(host.cpus))) if by_number else host.cpus
    missing = cpu_set(c.get("reservedSystemCPUs")) - allowed
    if host.cpus and missing:
        why = "is too high" if by_number else "is not online"
        message = f"CPU {min(missing)} {why}: this host has {len(host.cpus)} online, up to CPU {max(host.cpus)}"
        yield HostProblem(("reservedSystemCPUs",), message, "reserved-cpus-host")


def _quantity(value: Any) -> Fraction:
    try:
        return parse_quantity(value)
    except ValueError:
        return Fraction(0)  # validation says so


# Resource -> the eviction signal that reserves of it too, and its unit. Of process ids the kubelet does not ask.
_RESOURCES = {
    "cpu": ("", "CPUs"),
    "memory": ("memory.available", "bytes"),
    "ephemeral-storage": ("nodefs.available", "bytes"),
}


def _allocatable(c: Context, host: Host) -> Iterator[HostProblem]:
    capacities = {"cpu": len(host.cpus), "memory": host.memory, "ephemeral-storage": host.disk}
    for resource, (signal, unit) in _RESOURCES.items():
        capacity = capacities[resource]
        if not capacity or (resource == "cpu" and c.get("reservedSystemCPUs")):
            continue  # those CPUs replace both reservations
        if resource == "ephemeral-storage" and not _isolates_storage(c):
            continue  # it is not counted then
        reserved = [_quantity((c.get(field) or {}).get(resource, 0)) for field in ("kubeReserved", "systemReserved")]
        fields = [field for field, amount in zip(("kubeReserved", "systemReserved"), reserved) if amount]
        total = sum(reserved) + _threshold((c.get("evictionHard") or {}).get(signal, 0), capacity)
        if total > capacity:
            path = (fields[0], resource) if fields else ("evictionHard", signal)
            message = f"with the other reservations and evictionHard it is more than this host has: {capacity} {unit}"
            yield HostProblem(path, message, "alloc-negative")


def _isolates_storage(c: Context) -> bool:
    return c.gates.on("LocalStorageCapacityIsolation") and c.get("localStorageCapacityIsolation") is not False


def _threshold(value: Any, capacity: int) -> Fraction:
    text = str(value)
    if text.endswith("%"):
        try:
            return Fraction(parse_float(text.rstrip("%"))) * capacity / 100
        except (ValueError, OverflowError):
            return Fraction(0)  # as above; or infinite
    return _quantity(value)


def _sockets(c: Context, host: Host) -> Iterator[HostProblem]:
    option = ("cpuManagerPolicyOptions", "align-by-socket")
    on = str(c.given(*option)).lower() in ("true", "t", "1")
    if on and host.sockets > len(host.numa_nodes) > 0 and c.get("cpuManagerPolicy") == "static":
        message = f"needs no more sockets than NUMA nodes: this host has {host.sockets} and {len(host.numa_nodes)}"
        yield HostProblem(option, message, "cpu-align-socket")


def _numa(c: Context, host: Host) -> Iterator[HostProblem]:
    if c.get("topologyManagerPolicy") not in (None, "none") and c.gates.on("TopologyManager"):
        options = c.get("topologyManagerPolicyOptions") or {}
        most = str(options.get("max-allowable-numa-nodes", _MOST_NUMA_NODES))
        if re.fullmatch(r"[0-9]{1,9}", most) and len(host.numa_nodes) > int(most):
            message = f"must be none: this host has {len(host.numa_nodes)} NUMA nodes, and {most} are allowed"
            yield HostProblem(("topologyManagerPolicy",), message, "topology-options")
    if c.get("memoryManagerPolicy") == "Static" and c.gates.on("MemoryManager"):
        for index, entry in enumerate(c.get("reservedMemory") or []):
            node = entry.get("numaNode", 0)
            if node not in host.numa_nodes:
                message = f"this host has no NUMA node {node}"
                yield HostProblem(("reservedMemory", index, "numaNode"), message, "mem-numa")


def _cgroups(c: Context) -> Iterator[tuple[str, str]]:
    """The cgroups that must exist: field and name."""
    root = c.get("cgroupRoot")
    if c.get("cgroupsPerQOS") and root and root != "/":
        yield "cgroupRoot", str(root)
    for enforced in c.get("enforceNodeAllocatable") or []:
        field = _ENFORCED.get(str(enforced).replace("-compressible", ""), "")
        if field and c.get(field):
            yield field, str(c.get(field))


def _cgroups_exist(c: Context, host: Host) -> Iterator[HostProblem]:
    for field, name in _cgroups(c):
        if not host.cgroups.get(name, True):
            yield HostProblem((field,), "the cgroup does not exist on this host", "qos-root")


def _cgroup_driver(c: Context, host: Host) -> Iterator[HostProblem]:
    # From 1.31 on the kubelet asks the runtime. Before, it runs, and every pod fails.
    if c.gates.on("KubeletCgroupDriverFromCRI") or not host.runtime_driver:
        return
    driver = c.get("cgroupDriver") or "cgroupfs"
    if driver != host.runtime_driver:
        message = f"must be {host.runtime_driver}, as the container runtime's config says: no pod could be started"
        yield HostProblem(("cgroupDriver",), message, "cgroup-driver-cri", POLICY)


def _kube_proxy_files(c: Context) -> Iterator[tuple[Path, str]]:
    path = c.given("clientConnection", "kubeconfig")
    if isinstance(path, str) and path.startswith("/"):
        yield ("clientConnection", "kubeconfig"), path


def _kube_proxy(c: Context, host: Host) -> Iterator[HostProblem]:
    for field, path in _kube_proxy_files(c):
        if host.files[path].kind in ("missing", "directory"):
            yield HostProblem(field, "the file does not exist on this host", "files")


_Check = Callable[[Context, Host], Iterator[HostProblem]]
_KUBELET: tuple[_Check, ...] = (
    _files,
    _resolv_conf,
    _pod_logs,
    _swap,
    _cgroup_version,
    _kernel_flags,
    _reserved_cpus,
    _allocatable,
    _sockets,
    _numa,
    _cgroups_exist,
    damaged_state,
    _cgroup_driver,
)
_KUBE_PROXY: tuple[_Check, ...] = (_kube_proxy,)
