# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubelet's rules about a node's resources: reservations, swap, memory, shutdown, restarts.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._values._quantity import parse_quantity
from ._context import SECOND, Context, Fault, Rule

__all__ = ["NODE_RULES"]

_CPUS = re.compile(r"[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*")


def _alloc_needs_cgroups(c: Context) -> Iterator[Fault]:
    enforced = c.get("enforceNodeAllocatable") or []
    if c.get("cgroupsPerQOS") is False and [one for one in enforced if c.minor < 31 or one != "none"]:
        allowed = "an empty list" if c.minor < 31 else "none"
        yield ("enforceNodeAllocatable",), f"must be {allowed} while cgroupsPerQOS is false (the default is pods)"


def _system_cgroups(c: Context) -> Iterator[Fault]:
    if c.get("systemCgroups") and not c.get("cgroupRoot"):
        yield ("systemCgroups",), "needs cgroupRoot"


def _shutdown(c: Context) -> tuple[int, int]:
    return c.seconds("shutdownGracePeriod") or 0, c.seconds("shutdownGracePeriodCriticalPods") or 0


def _shutdown_order(c: Context) -> Iterator[Fault]:
    total, critical = _shutdown(c)
    if c.gates.on("GracefulNodeShutdown") and (total < 0 or not 0 <= critical <= total):
        yield ("shutdownGracePeriodCriticalPods",), "must be between 0 and shutdownGracePeriod"


def _shutdown_least(index: int, field: str) -> Rule:
    def check(c: Context) -> Iterator[Fault]:
        if c.gates.on("GracefulNodeShutdown") and 0 < _shutdown(c)[index] < SECOND:
            yield (field,), "must be 0 or at least 1s"

    return check


def _shutdown_gate(c: Context) -> Iterator[Fault]:
    if not c.gates.on("GracefulNodeShutdown"):
        for field, value in zip(("shutdownGracePeriod", "shutdownGracePeriodCriticalPods"), _shutdown(c)):
            if value > 0:
                yield (field,), "a duration above 0 needs the feature gate GracefulNodeShutdown"


def _shutdown_by_priority(c: Context) -> Iterator[Fault]:
    on = c.gates.on("GracefulNodeShutdownBasedOnPodPriority")
    if on and c.get("shutdownGracePeriodByPodPriority") and max(_shutdown(c)) > 0:
        yield (
            ("shutdownGracePeriodByPodPriority",),
            "excludes shutdownGracePeriod and shutdownGracePeriodCriticalPods",
        )


def _swap_values(c: Context) -> Iterator[Fault]:
    allowed = ("", "LimitedSwap", "UnlimitedSwap") if c.minor < 30 else ("", "NoSwap", "LimitedSwap")
    if c.gates.on("NodeSwap") and (c.get("memorySwap", "swapBehavior") or "") not in allowed:
        yield ("memorySwap", "swapBehavior"), "must be one of " + ", ".join(allowed[1:])


def _swap_gate(c: Context) -> Iterator[Fault]:
    if c.get("memorySwap", "swapBehavior") and not c.gates.on("NodeSwap"):
        yield ("memorySwap",), "needs the feature gate NodeSwap"


def _crash_loop(c: Context) -> Iterator[Fault]:
    path = ("crashLoopBackOff", "maxContainerRestartPeriod")
    value = c.seconds(*path)
    if not c.gates.on("KubeletCrashLoopBackOffMax"):
        if value is not None:
            yield path, "needs the feature gate KubeletCrashLoopBackOffMax"
    elif value is not None and not SECOND <= value <= 300 * SECOND:
        yield path, "must be between 1s and 300s"


def _alloc_duplicate(c: Context) -> Iterator[Fault]:
    enforced = c.get("enforceNodeAllocatable") or []
    for index, one in enumerate(enforced):
        if one in enforced[:index]:
            yield ("enforceNodeAllocatable", index), "must not stand twice in the list"


def _alloc_compressible(c: Context) -> Iterator[Fault]:
    enforced = c.get("enforceNodeAllocatable") or []
    for plain in ("kube-reserved", "system-reserved"):
        if plain in enforced and f"{plain}-compressible" in enforced:
            yield ("enforceNodeAllocatable",), f"{plain} excludes {plain}-compressible"


def _alloc_cgroup(reserved: str, field: str) -> Rule:
    def check(c: Context) -> Iterator[Fault]:
        enforced = c.get("enforceNodeAllocatable") or []
        for form in (reserved, f"{reserved}-compressible"):
            if form in enforced and not c.get(field):
                yield ("enforceNodeAllocatable",), f"{form} needs {field}"

    return check


def _alloc_none(c: Context) -> Iterator[Fault]:
    enforced = c.get("enforceNodeAllocatable") or []
    if "none" in enforced and len(enforced) > 1:
        yield ("enforceNodeAllocatable",), "none must stand alone"


def _reserved_cpus_alone(c: Context) -> Iterator[Fault]:
    if c.get("reservedSystemCPUs") and (c.get("systemReservedCgroup") or c.get("kubeReservedCgroup")):
        yield ("reservedSystemCPUs",), "excludes systemReservedCgroup and kubeReservedCgroup"


def _reserved_cpus(c: Context) -> Iterator[Fault]:
    value = c.get("reservedSystemCPUs") or ""
    ranges = [part.split("-") for part in value.split(",")] if _CPUS.fullmatch(value) else None
    if value and (ranges is None or any(int(one[0]) > int(one[-1]) for one in ranges)):
        yield ("reservedSystemCPUs",), "must be a list of CPUs, for example 0-3,8"


def _reserved_memory_type(c: Context) -> Iterator[Fault]:
    for index, entry in enumerate(c.get("reservedMemory") or []):
        for key in entry.get("limits", {}):
            if key != "memory" and not key.startswith("hugepages-"):
                yield ("reservedMemory", index, "limits", key), "must be memory or hugepages-<size>"


def _reserved_memory_zero(c: Context) -> Iterator[Fault]:
    for index, entry in enumerate(c.get("reservedMemory") or []):
        for key, value in entry.get("limits", {}).items():
            if parse_quantity(value) == 0:
                yield ("reservedMemory", index, "limits", key), "must not be zero"


def _reserved_memory_duplicate(c: Context) -> Iterator[Fault]:
    seen = set()
    for index, entry in enumerate(c.get("reservedMemory") or []):
        for key in entry.get("limits", {}):
            place = (entry.get("numaNode", 0), key)
            if place in seen:
                yield ("reservedMemory", index, "limits", key), f"NUMA node {place[0]} has a reservation of it already"
            seen.add(place)


def _memory_throttling(c: Context) -> Iterator[Fault]:
    value = c.get("memoryThrottlingFactor")
    if value is not None and not 0 < value <= 1:
        yield ("memoryThrottlingFactor",), "must be above 0 and at most 1.0"


def _userns_ids(c: Context) -> Iterator[Fault]:
    value = c.get("userNamespaces", "idsPerPod")
    if value is not None and (value % 65536 or not 65536 <= value <= 2**32 - 1):
        yield ("userNamespaces", "idsPerPod"), "must be a multiple of 65536 between 65536 and 4294967295"


NODE_RULES: dict[str, Rule] = {
    "alloc-needs-qos-cgroups": _alloc_needs_cgroups,
    "systemcgroups-root": _system_cgroups,
    "shutdown-order": _shutdown_order,
    "shutdown-min": _shutdown_least(0, "shutdownGracePeriod"),
    "shutdown-critical-min": _shutdown_least(1, "shutdownGracePeriodCriticalPods"),
    "shutdown-gate": _shutdown_gate,
    "shutdown-priority-excl": _shutdown_by_priority,
    "swap-values": _swap_values,
    "swap-gate": _swap_gate,
    "crashloop-range": _crash_loop,
    "alloc-duplicate": _alloc_duplicate,
    "alloc-compressible-excl": _alloc_compressible,
    "alloc-system-cgroup": _alloc_cgroup("system-reserved", "systemReservedCgroup"),
    "alloc-kube-cgroup": _alloc_cgroup("kube-reserved", "kubeReservedCgroup"),
    "alloc-none-alone": _alloc_none,
    "reserved-cpus-excl": _reserved_cpus_alone,
    "reserved-cpus-parse": _reserved_cpus,
    "reserved-memory-type": _reserved_memory_type,
    "reserved-memory-zero": _reserved_memory_zero,
    "reserved-memory-dup": _reserved_memory_duplicate,
    "memqos-range": _memory_throttling,
    "userns-ids": _userns_ids,
}
