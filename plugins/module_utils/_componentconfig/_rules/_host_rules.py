# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check a config against the host that would run it: say which facts to read, and check them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any, Literal, NamedTuple

from .._findings import Finding, Level
from .._scalars._field_path import Path
from .._scalars._numbers import parse_cpu_list, parse_quantity
from .._schema._kinds import KUBELET
from ._rule import EffectiveConfig, percentage_or_none, quantity_or_none

__all__ = [
    "File",
    "Host",
    "KERNEL_PARAMETERS",
    "STATE_FILES",
    "HostQuery",
    "CgroupDriver",
    "ContainerRuntime",
    "FileKind",
    "HostRules",
    "StateFile",
    "host_findings",
    "query_for",
    "stale_state_findings",
]

# The values that the kubelet sets or, with protectKernelDefaults, requires (setupKernelTunables).
KERNEL_PARAMETERS: Mapping[str, int] = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1_000_000,
    "kernel/keys/root_maxbytes": 25_000_000,
}
StateFile = Literal["cpu_manager_state", "memory_manager_state"]
STATE_FILES: tuple[StateFile, ...] = ("cpu_manager_state", "memory_manager_state")
FileKind = Literal["file", "directory", "socket", "other", "missing", "unseen"]
"""The kind of file at a path; "unseen" if the agent cannot see what the component sees."""
ContainerRuntime = Literal["", "containerd", "cri-o"]
CgroupDriver = Literal["", "systemd", "cgroupfs"]


class File(NamedTuple):
    """The kind of file at a path, and the kinds of its PEM blocks (None: it could not be read)."""

    kind: FileKind
    pem: frozenset[str] | None = frozenset()


class HostQuery(NamedTuple):
    """The parts of a host that a config depends on.

    They are absolute paths, names of cgroups, the directory of the component's state, and the container runtime, "" if
    it is not known.
    """

    paths: frozenset[str] = frozenset()
    cgroups: frozenset[str] = frozenset()
    root_directory: str = ""
    runtime: ContainerRuntime = ""


class Host(NamedTuple):
    """The facts of a host: its online CPUs, its number of sockets, bytes of memory and disk, and more.

    An unknown number is 0; cpus, numa_nodes and kernel hold only what could be read.
    """

    swaps: tuple[str, ...] = ()
    cpus: frozenset[int] = frozenset()
    sockets: int = 0
    memory: int = 0
    disk: int = 0  # of the file system with the component's state
    numa_nodes: frozenset[int] = frozenset()
    cgroup_v2: bool = True
    kernel: Mapping[str, int] = {}
    files: Mapping[str, File] = {}
    cgroups: Mapping[str, bool] = {}  # cgroup -> whether it exists, under the name that any driver gives it
    states: Mapping[str, Mapping[str, Any]] = {}  # state file -> its content
    damaged_state: tuple[str, ...] = ()  # state files that are not JSON
    runtime_driver: CgroupDriver = ""  # from the container runtime's config


_POLICY_FIELDS = {"cpu_manager_state": "cpuManagerPolicy", "memory_manager_state": "memoryManagerPolicy"}
_STATE_RULES = {"cpu_manager_state": "cpu-state", "memory_manager_state": "mem-state"}
_STATE_GATES = {"cpu_manager_state": "CPUManager", "memory_manager_state": "MemoryManager"}


def damaged_state_findings(_config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    """Yield the state files that are not JSON."""
    for name in host.damaged_state:
        message = f"the kubelet's {name} is damaged, and it would not start again: remove that file"
        yield Finding((_POLICY_FIELDS[name],), message, _STATE_RULES[name])


def stale_state_findings(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    """Yield the state files that were written under another config, or before the host changed."""
    for name, field in _POLICY_FIELDS.items():
        state = host.states.get(name)
        if state is None or not config.gates.is_on(_STATE_GATES[name]):
            continue
        policy, written = config.get(field), state.get("policyName")
        if isinstance(written, str) and written and written != policy:
            why = f"{name} was written under the policy {written}"
            yield Finding((field,), f"{why}: {_advice(name)}", _STATE_RULES[name])
        elif policy == "static":
            yield from _stale_cpus(config, host, state)
        elif policy == "Static":
            yield from _stale_memory(config, state)


def _advice(name: str) -> str:
    return f"the kubelet would exit; drain the node and remove {name}"


def _stale_cpus(config: EffectiveConfig, host: Host, state: Mapping[str, Any]) -> Iterator[Finding]:
    name = "cpu_manager_state"
    free = parse_cpu_list(state.get("defaultCpuSet"))
    entries = state.get("entries")
    pods = [pod for pod in entries.values() if isinstance(pod, dict)] if isinstance(entries, dict) else []
    handed_out = [parse_cpu_list(cpus) for pod in pods for cpus in pod.values()]
    if not free:
        return
    reserved = parse_cpu_list(config.get("reservedSystemCPUs"))
    strict = str(config.written("cpuManagerPolicyOptions", "strict-cpu-reservation")).lower() in ("true", "t", "1")
    if (reserved & free) if strict else (reserved - free):
        message = f"{name} gives them to containers, or the other way round: {_advice(name)}"
        yield Finding(("reservedSystemCPUs",), message, "cpu-state")
    known_cpus = free.union(*handed_out, reserved if strict else ())
    if host.cpus and len(known_cpus) != len(host.cpus):
        message = f"{name} knows {len(known_cpus)} CPUs, and this host has {len(host.cpus)} online: {_advice(name)}"
        yield Finding(("cpuManagerPolicy",), message, "cpu-state")


def _stale_memory(config: EffectiveConfig, state: Mapping[str, Any]) -> Iterator[Finding]:
    name = "memory_manager_state"
    reserved: dict[tuple[str, str], int] = {}
    for entry in config.get("reservedMemory") or []:
        for resource, amount in entry.get("limits", {}).items():
            key = str(entry.get("numaNode", 0)), resource
            reserved[key] = reserved.get(key, 0) + int(parse_quantity(amount))
    nodes = state.get("machineState")
    for node, content in nodes.items() if isinstance(nodes, dict) else ():
        table = content.get("memoryMap") if isinstance(content, dict) else None
        for resource, row in table.items() if isinstance(table, dict) else ():
            written = row.get("systemReserved") if isinstance(row, dict) else None
            if isinstance(written, int) and written != reserved.get((node, resource), 0):
                why = f"{name} was written with {written} bytes of {resource} reserved on NUMA node {node}"
                yield Finding(("reservedMemory",), f"{why}: {_advice(name)}", "mem-state")


_CERTIFICATE = "CERTIFICATE"
_MAX_NUMA_NODES = 8
_SINGLE_CPUS_SINCE = 22
_CGROUP_FIELDS = {"kube-reserved": "kubeReservedCgroup", "system-reserved": "systemReservedCgroup"}


def query_for(config: EffectiveConfig, component: str, *, root_directory: str, runtime: str) -> HostQuery:
    """Return what to read of the host to check this config.

    root_directory: the directory of the component's state. runtime: the container runtime's endpoint from a flag, ""
    without one.
    """
    if component != KUBELET:
        return HostQuery(frozenset(path for _field, path in _kube_proxy_files(config)))
    paths = [config.written(*field) for field in _PEM_FIELDS]
    paths += [config.written("resolvConf"), config.written("podLogsDir")]
    cgroups = [name for _field, name in _cgroups(config)]
    field = "containerRuntimeEndpoint"
    endpoint = str(config.written(field) or runtime or (config.has_field(field) and config.get(field)))
    kind: ContainerRuntime = "containerd" if "containerd" in endpoint else "cri-o" if "crio" in endpoint else ""
    absolute = frozenset(path for path in paths if isinstance(path, str) and path.startswith("/"))
    return HostQuery(absolute, frozenset(cgroups), root_directory, kind)


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
            message = f"the host's {name} is {host.kernel[flag]}, and the kubelet wants {value}"
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


def _allocatable(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    capacities = {"cpu": len(host.cpus), "memory": host.memory, "ephemeral-storage": host.disk}
    for resource, (signal, unit) in _EVICTION_SIGNALS.items():
        capacity = capacities[resource]
        if not capacity or (resource == "cpu" and config.get("reservedSystemCPUs")):
            continue  # reservedSystemCPUs replaces both reservations
        if resource == "ephemeral-storage" and not _isolates_storage(config):
            continue  # the kubelet does not count it then
        reserved = [
            quantity_or_none((config.get(field) or {}).get(resource, 0))
            or Fraction(0)  # validation refuses an invalid one
            for field in ("kubeReserved", "systemReserved")
        ]
        fields = [field for field, amount in zip(("kubeReserved", "systemReserved"), reserved) if amount]
        total = sum(reserved) + _threshold((config.get("evictionHard") or {}).get(signal, 0), capacity)
        if total > capacity:
            path = (fields[0], resource) if fields else ("evictionHard", signal)
            message = f"with the other reservations and evictionHard it is more than this host has: {capacity} {unit}"
            yield Finding(path, message, "alloc-negative")


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


def _cgroups(config: EffectiveConfig) -> Iterator[tuple[str, str]]:
    """Yield the cgroups that must exist: field and name."""
    root = config.get("cgroupRoot")
    if config.get("cgroupsPerQOS") and root and root != "/":
        yield "cgroupRoot", str(root)
    for enforced in config.get("enforceNodeAllocatable") or []:
        field = _CGROUP_FIELDS.get(str(enforced).replace("-compressible", ""), "")
        if field and config.get(field):
            yield field, str(config.get(field))


def _cgroups_exist(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    for field, name in _cgroups(config):
        if not host.cgroups.get(name, True):
            yield Finding((field,), "the cgroup does not exist on this host", "qos-root")


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
    _sockets,
    _numa,
    _cgroups_exist,
    damaged_state_findings,
    _cgroup_driver,
)
_KUBE_PROXY_CHECKS: tuple[_Check, ...] = (_kube_proxy,)


class HostRules:
    """Checks a component's config against a host, which it reads."""

    def __init__(
        self,
        read: Callable[[HostQuery], Host],
        root_directory: str,
        runtime: str = "",
        *,
        resets_state: bool = False,
    ) -> None:
        """root_directory and runtime: as for `query_for`.

        resets_state: whether state files of another policy are moved away before the component starts.
        """
        self.read = read
        self.root_directory = root_directory
        self.runtime = runtime
        self.resets_state = resets_state

    def __call__(self, config: EffectiveConfig, component: str) -> Iterator[Finding]:
        """Read the host and yield what on it does not fit the config."""
        host = self.read(query_for(config, component, root_directory=self.root_directory, runtime=self.runtime))
        yield from host_findings(config, component, host)
        if component == KUBELET and not self.resets_state:
            yield from stale_state_findings(config, host)
