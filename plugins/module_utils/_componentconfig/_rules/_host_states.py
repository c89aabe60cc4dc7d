# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the kubelet's state files: those that are damaged, and those that do not go with a config."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._scalars.numbers import parse_cpu_list, parse_quantity
from ..findings import Finding
from ._rule import EffectiveConfig
from .host_model import Host

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
