# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kubelet says of its own state files when it starts: they must be of the same policy, CPUs and memory.

Private to configok.node: no compatibility is promised.

It exits over each of these, and says: drain the node, remove the file. The agent sets files of another policy aside
before the start, so for it they are no problem; a damaged one always is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._values._cpu_set import cpu_set
from .._values._quantity import parse_quantity
from ._context import Context
from ._host import Host, HostProblem

__all__ = ["damaged_state", "stale_state"]

_FIELDS = {"cpu_manager_state": "cpuManagerPolicy", "memory_manager_state": "memoryManagerPolicy"}
_RULES = {"cpu_manager_state": "cpu-state", "memory_manager_state": "mem-state"}
_GATES = {"cpu_manager_state": "CPUManager", "memory_manager_state": "MemoryManager"}


def damaged_state(_c: Context, host: Host) -> Iterator[HostProblem]:
    """Yield the state files that are no JSON."""
    for name in host.damaged_state:
        message = f"the kubelet's {name} is damaged, and it would not start again: remove that file"
        yield HostProblem((_FIELDS[name],), message, _RULES[name])


def stale_state(c: Context, host: Host) -> Iterator[HostProblem]:
    """Yield the state files that were written under another config than this one, or on a host that has changed."""
    for name, field in _FIELDS.items():
        state = host.states.get(name)
        if state is None or not c.gates.on(_GATES[name]):
            continue
        wanted, written = c.get(field), state.get("policyName")
        if isinstance(written, str) and written and written != wanted:
            why = f"{name} was written under the policy {written}"
            yield HostProblem((field,), f"{why}: {_advice(name)}", _RULES[name])
        elif wanted == "static":
            yield from _cpus(c, host, state)
        elif wanted == "Static":
            yield from _memory(c, state)


def _advice(name: str) -> str:
    return f"the kubelet would exit; drain the node and remove {name}"


def _cpus(c: Context, host: Host, state: Mapping[str, Any]) -> Iterator[HostProblem]:
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
        yield HostProblem(("reservedSystemCPUs",), message, "cpu-state")
    known = free.union(*handed_out, reserved if strict else ())
    if host.cpus and len(known) != len(host.cpus):
        message = f"{name} knows {len(known)} CPUs, and this host has {len(host.cpus)} online: {_advice(name)}"
        yield HostProblem(("cpuManagerPolicy",), message, "cpu-state")


def _memory(c: Context, state: Mapping[str, Any]) -> Iterator[HostProblem]:
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
                yield HostProblem(("reservedMemory",), f"{why}: {_advice(name)}", "mem-state")
