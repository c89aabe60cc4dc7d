# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a host decides whether a component runs there: what is to be read, and the facts.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from .._exceptions import ConfigError
from .._findings import Finding, Level
from .._scalars._field_path import Path
from .._scalars._numbers import cpu_set, parse_float, parse_quantity
from ._rule import EffectiveConfig

__all__ = [
    "File",
    "Host",
    "KERNEL_FLAGS",
    "STATE_FILES",
    "HostQuery",
    "damaged_state",
    "host_findings",
    "stale_state",
    "query_for",
]

# What the kubelet sets, or with protectKernelDefaults insists on (setupKernelTunables).
KERNEL_FLAGS: Mapping[str, int] = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1_000_000,
    "kernel/keys/root_maxbytes": 25_000_000,
}
STATE_FILES = ("cpu_manager_state", "memory_manager_state")


class File(NamedTuple):
    """What stands at a path: "file", "directory", "socket", "other", "missing", or "unseen" where the agent cannot see
    what the component sees; and which kinds of PEM blocks a file holds (None: it could not be read)."""

    kind: str
    pem: frozenset[str] | None = frozenset()


class HostQuery(NamedTuple):
    """What of the host a config depends on: absolute paths, names of cgroups, where the component keeps its state, and
    its container runtime: "containerd", "cri-o", or "" where that is not known."""

    paths: frozenset[str] = frozenset()
    cgroups: frozenset[str] = frozenset()
    root_directory: str = ""
    runtime: str = ""


class Host(NamedTuple):
    """The facts. cpus are the CPUs that are online; sockets is a count, memory and disk bytes, each 0 where unknown;
    cpus, numa_nodes and kernel hold what could be read."""

    swaps: tuple[str, ...] = ()
    cpus: frozenset[int] = frozenset()
    sockets: int = 0
    memory: int = 0
    disk: int = 0  # of the file system that the component keeps its state on
    numa_nodes: frozenset[int] = frozenset()
    cgroup_v2: bool = True
    kernel: Mapping[str, int] = {}
    files: Mapping[str, File] = {}
    cgroups: Mapping[str, bool] = {}  # named cgroup -> whether it exists, under any of the drivers' names for it
    states: Mapping[str, Mapping[str, Any]] = {}  # state file -> what it holds
    damaged_state: tuple[str, ...] = ()  # state files that are not JSON
    runtime_driver: str = ""  # what the runtime's config says: "systemd", "cgroupfs", "" where it does not say


_FIELDS = {"cpu_manager_state": "cpuManagerPolicy", "memory_manager_state": "memoryManagerPolicy"}
_RULES = {"cpu_manager_state": "cpu-state", "memory_manager_state": "mem-state"}
_GATES = {"cpu_manager_state": "CPUManager", "memory_manager_state": "MemoryManager"}


def damaged_state(_c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    """Yield the state files that are no JSON."""
    for name in host.damaged_state:
        message = f"the kubelet's {name} is damaged, and it would not start again: remove that file"
        yield Finding((_FIELDS[name],), message, _RULES[name])


def stale_state(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    """Yield the state files that were written under another config than this one, or on a host that has changed."""
    for name, field in _FIELDS.items():
        state = host.states.get(name)
        if state is None or not c.gates.on(_GATES[name]):
            continue
        wanted, written = c.get(field), state.get("policyName")
        if isinstance(written, str) and written and written != wanted:
            why = f"{name} was written under the policy {written}"
            yield Finding((field,), f"{why}: {_advice(name)}", _RULES[name])
        elif wanted == "static":
            yield from _cpus(c, host, state)
        elif wanted == "Static":
            yield from _memory(c, state)


def _advice(name: str) -> str:
    return f"the kubelet would exit; drain the node and remove {name}"


def _cpus(c: EffectiveConfig, host: Host, state: Mapping[str, Any]) -> Iterator[Finding]:
    name = "cpu_manager_state"
    free = cpu_set(state.get("defaultCpuSet"))
    entries = state.get("entries")
    pods = [pod for pod in entries.values() if isinstance(pod, dict)] if isinstance(entries, dict) else []
    handed_out = [cpu_set(one) for pod in pods for one in pod.values()]
    if not free:
        return
    reserved = cpu_set(c.get("reservedSystemCPUs"))
    strict = str(c.given("cpuManagerPolicyOptions", "strict-cpu-reservation")).lower() in ("true", "t", "1")
    if (reserved & free) if strict else (reserved - free):
        message = f"{name} gives them to containers, or the other way round: {_advice(name)}"
        yield Finding(("reservedSystemCPUs",), message, "cpu-state")
    known = free.union(*handed_out, reserved if strict else ())
    if host.cpus and len(known) != len(host.cpus):
        message = f"{name} knows {len(known)} CPUs, and this host has {len(host.cpus)} online: {_advice(name)}"
        yield Finding(("cpuManagerPolicy",), message, "cpu-state")


def _memory(c: EffectiveConfig, state: Mapping[str, Any]) -> Iterator[Finding]:
    name = "memory_manager_state"
    wanted: dict[tuple[str, str], int] = {}
    for entry in c.get("reservedMemory") or []:
        for resource, amount in entry.get("limits", {}).items():
            key = str(entry.get("numaNode", 0)), resource
            wanted[key] = wanted.get(key, 0) + int(parse_quantity(amount))
    nodes = state.get("machineState")
    for node, found in nodes.items() if isinstance(nodes, dict) else ():
        table = found.get("memoryMap") if isinstance(found, dict) else None
        for resource, row in table.items() if isinstance(table, dict) else ():
            written = row.get("systemReserved") if isinstance(row, dict) else None
            if isinstance(written, int) and written != wanted.get((node, resource), 0):
                why = f"{name} was written with {written} bytes of {resource} reserved on NUMA node {node}"
                yield Finding(("reservedMemory",), f"{why}: {_advice(name)}", "mem-state")


_CERTIFICATE = "CERTIFICATE"
_MOST_NUMA_NODES = 8
_SINGLE_CPUS_SINCE = 22
_ENFORCED = {"kube-reserved": "kubeReservedCgroup", "system-reserved": "systemReservedCgroup"}


def query_for(context: EffectiveConfig, component: str, *, root_directory: str, runtime: str) -> HostQuery:
    """Return what must be read of the host to judge this config.

    root_directory: where the component keeps its state. runtime: the container runtime's endpoint as a flag says it, ""
    where none does.
    """
    if component != "kubelet":
        return HostQuery(frozenset(path for _field, path in _kube_proxy_files(context)))
    named = [context.given(*field) for field in _PEM_FIELDS]
    named += [context.given("resolvConf"), context.given("podLogsDir")]
    cgroups = [name for _field, name in _cgroups(context)]
    paths = frozenset(path for path in named if isinstance(path, str) and path.startswith("/"))
    field = "containerRuntimeEndpoint"
    endpoint = str(context.given(field) or runtime or (context.known(field) and context.get(field)))
    of_runtime = "containerd" if "containerd" in endpoint else "cri-o" if "crio" in endpoint else ""
    return HostQuery(paths, frozenset(cgroups), root_directory, of_runtime)


def host_findings(context: EffectiveConfig, component: str, host: Host) -> Iterator[Finding]:
    """Judge the effective config of a component on a host."""
    checks = _KUBELET if component == "kubelet" else _KUBE_PROXY if component == "kube-proxy" else ()
    for check in checks:
        yield from check(context, host)


_CERTIFICATES = (("authentication", "x509", "clientCAFile"), ("tlsCertFile",))
_PEM_FIELDS: tuple[tuple[str, ...], ...] = (*_CERTIFICATES, ("tlsPrivateKeyFile",))


def _files(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    for field in _PEM_FIELDS:
        file = host.files.get(c.given(*field) or "")
        wanted = "certificate" if field in _CERTIFICATES else "private key"
        if file is None or file.kind == "unseen":
            continue
        if field[0].startswith("tls") and not c.get("enableServer"):
            continue  # what the server serves with, and there is none
        if file.kind == "missing":
            yield Finding(field, "the file does not exist on this host", "files")
        elif file.kind != "file":
            yield Finding(field, f"must be a file with a {wanted} in PEM form, and is a {file.kind}", "files")
        elif file.pem is not None and not any(block.endswith(wanted.upper()) for block in file.pem):
            yield Finding(field, f"the file holds no {wanted} in PEM form", "files")


def _resolv_conf(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    file = host.files.get(c.given("resolvConf") or "")
    if file is not None and file.kind in ("missing", "directory"):
        # The kubelet runs, and can start no pod that wants the node's DNS.
        message = "the file does not exist on this host: no pod could be started"
        yield Finding(("resolvConf",), message, "resolv-conf", Level.POLICY)


def _pod_logs(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    file = host.files.get(c.given("podLogsDir") or "")
    if file is not None and file.kind not in ("directory", "missing", "unseen") and c.known("podLogsDir"):
        yield Finding(("podLogsDir",), f"must be a directory, and is a {file.kind}", "files")


def _swap(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    if c.get("failSwapOn") and host.swaps:
        shown = ", ".join(host.swaps[:3])
        yield Finding(("failSwapOn",), f"must be false, or swap turned off: this host swaps to {shown}", "swap-on")


def _cgroup_version(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    if host.cgroup_v2:
        return
    if c.known("failCgroupV1") and c.get("failCgroupV1"):
        yield Finding(("failCgroupV1",), "must be false: this host uses cgroup v1", "cgroup-v1")
    if c.known("singleProcessOOMKill") and c.given("singleProcessOOMKill") is False:
        yield Finding(("singleProcessOOMKill",), "must not be false: this host uses cgroup v1", "oomkill-v1")
    # The kubelet runs with these and does nothing of them.
    if c.given("memorySwap", "swapBehavior") == "LimitedSwap" and c.gates.on("NodeSwap"):
        message = "has no effect: this host uses cgroup v1, and pods get no swap there"
        yield Finding(("memorySwap", "swapBehavior"), message, "cgroup-v1", Level.WARNING)
    if c.given("memoryThrottlingFactor") is not None and c.gates.on("MemoryQoS"):
        message = "has no effect: this host uses cgroup v1"
        yield Finding(("memoryThrottlingFactor",), message, "cgroup-v1", Level.WARNING)


def _kernel_flags(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    if not c.get("protectKernelDefaults"):
        return
    for flag, value in KERNEL_FLAGS.items():
        if host.kernel.get(flag, value) != value:
            name = flag.replace("/", ".")
            message = f"the host's {name} is {host.kernel[flag]}, and the kubelet wants {value}"
            yield Finding(("protectKernelDefaults",), message, "kernel-defaults")


def _reserved_cpus(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    # cmd/kubelet/app/server.go; before 1.22 it holds the highest against their number.
    by_number = c.minor < _SINGLE_CPUS_SINCE
    allowed = frozenset(range(len(host.cpus))) if by_number else host.cpus
    missing = cpu_set(c.get("reservedSystemCPUs")) - allowed
    if host.cpus and missing:
        why = "is too high" if by_number else "is not online"
        message = f"CPU {min(missing)} {why}: this host has {len(host.cpus)} online, up to CPU {max(host.cpus)}"
        yield Finding(("reservedSystemCPUs",), message, "reserved-cpus-host")


def _quantity(value: Any) -> Fraction:
    try:
        return parse_quantity(value)
    except ConfigError:
        return Fraction(0)  # validation says so


# Resource -> the eviction signal that reserves of it too, and its unit. Of process ids the kubelet does not ask.
_RESOURCES = {
    "cpu": ("", "CPUs"),
    "memory": ("memory.available", "bytes"),
    "ephemeral-storage": ("nodefs.available", "bytes"),
}


def _allocatable(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
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
            yield Finding(path, message, "alloc-negative")


def _isolates_storage(c: EffectiveConfig) -> bool:
    return c.gates.on("LocalStorageCapacityIsolation") and c.get("localStorageCapacityIsolation") is not False


def _threshold(value: Any, capacity: int) -> Fraction:
    text = str(value)
    if text.endswith("%"):
        try:
            return Fraction(parse_float(text.rstrip("%"))) * capacity / 100
        except (ConfigError, ValueError, OverflowError):
            return Fraction(0)  # as above; or infinite
    return _quantity(value)


def _sockets(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    option = ("cpuManagerPolicyOptions", "align-by-socket")
    on = str(c.given(*option)).lower() in ("true", "t", "1")
    if on and host.sockets > len(host.numa_nodes) > 0 and c.get("cpuManagerPolicy") == "static":
        message = f"needs no more sockets than NUMA nodes: this host has {host.sockets} and {len(host.numa_nodes)}"
        yield Finding(option, message, "cpu-align-socket")


def _numa(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    if c.get("topologyManagerPolicy") not in (None, "none") and c.gates.on("TopologyManager"):
        options = c.get("topologyManagerPolicyOptions") or {}
        most = str(options.get("max-allowable-numa-nodes", _MOST_NUMA_NODES))
        if re.fullmatch(r"[0-9]{1,9}", most) and len(host.numa_nodes) > int(most):
            message = f"must be none: this host has {len(host.numa_nodes)} NUMA nodes, and {most} are allowed"
            yield Finding(("topologyManagerPolicy",), message, "topology-options")
    if c.get("memoryManagerPolicy") == "Static" and c.gates.on("MemoryManager"):
        for index, entry in enumerate(c.get("reservedMemory") or []):
            node = entry.get("numaNode", 0)
            if node not in host.numa_nodes:
                message = f"this host has no NUMA node {node}"
                yield Finding(("reservedMemory", index, "numaNode"), message, "mem-numa")


def _cgroups(c: EffectiveConfig) -> Iterator[tuple[str, str]]:
    """The cgroups that must exist: field and name."""
    root = c.get("cgroupRoot")
    if c.get("cgroupsPerQOS") and root and root != "/":
        yield "cgroupRoot", str(root)
    for enforced in c.get("enforceNodeAllocatable") or []:
        field = _ENFORCED.get(str(enforced).replace("-compressible", ""), "")
        if field and c.get(field):
            yield field, str(c.get(field))


def _cgroups_exist(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    for field, name in _cgroups(c):
        if not host.cgroups.get(name, True):
            yield Finding((field,), "the cgroup does not exist on this host", "qos-root")


def _cgroup_driver(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    # From 1.31 on the kubelet asks the runtime. Before, it runs, and every pod fails.
    if c.gates.on("KubeletCgroupDriverFromCRI") or not host.runtime_driver:
        return
    driver = c.get("cgroupDriver") or "cgroupfs"
    if driver != host.runtime_driver:
        message = f"must be {host.runtime_driver}, as the container runtime's config says: no pod could be started"
        yield Finding(("cgroupDriver",), message, "cgroup-driver-cri", Level.POLICY)


def _kube_proxy_files(c: EffectiveConfig) -> Iterator[tuple[Path, str]]:
    path = c.given("clientConnection", "kubeconfig")
    if isinstance(path, str) and path.startswith("/"):
        yield ("clientConnection", "kubeconfig"), path


def _kube_proxy(c: EffectiveConfig, host: Host) -> Iterator[Finding]:
    for field, path in _kube_proxy_files(c):
        if host.files[path].kind in ("missing", "directory"):
            yield Finding(field, "the file does not exist on this host", "files")


_Check = Callable[[EffectiveConfig, Host], Iterator[Finding]]
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
