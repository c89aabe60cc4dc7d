# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State files that a component dies of when its config changes; they are set aside first. Private to configok.node.

The kubelet refuses to start when cpu_manager_state or memory_manager_state was written under another policy, or, under
a policy that hands out CPUs or memory, with other reservations. What a file depends on is noted beside each rendered
config, so that prestart needs no YAML to compare two configs; and the state file itself says under which policy it was
written, also where nothing is known of the config before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["STATE_FIELDS", "policy_of", "stale_state_files", "state_keys"]

# State file of the kubelet -> the field with its policy, the policy that keeps no state (the default), the fields that
# matter under any other, each as a path.
_STATE_FILES: Mapping[str, tuple[str, str, tuple[tuple[str, ...], ...]]] = {
    "cpu_manager_state": (
        "cpuManagerPolicy",
        "none",
        (
            ("cpuManagerPolicyOptions",),
            ("reservedSystemCPUs",),
            ("kubeReserved", "cpu"),
            ("systemReserved", "cpu"),
        ),
    ),
    "memory_manager_state": (
        "memoryManagerPolicy",
        "None",
        (
            ("reservedMemory",),
            ("kubeReserved", "memory"),
            ("systemReserved", "memory"),
            ("evictionHard", "memory.available"),
        ),
    ),
}
STATE_FIELDS: Mapping[str, str] = {name: field for name, (field, _none, _fields) in _STATE_FILES.items()}


# The map whose default a config replaces as a whole, and the switch that adds the default's keys to it.
_DEFAULTED = "evictionHard"
_ADDS_DEFAULT = "mergeDefaultEvictionSettings"


def state_keys(component: str, config: Any) -> dict[str, dict[str, str]]:
    """Return, for each state file of the component, the policy of a decoded config and a key that changes when the
    config makes the file fatal."""
    if component != "kubelet":
        return {}
    fields = config if isinstance(config, Mapping) else {}
    keys = {}
    for name, (field, none, others) in _STATE_FILES.items():
        policy = str(fields.get(field) or none)
        values = [] if policy == none else [_at(fields, path) for path in others]
        text = json.dumps([policy, values], sort_keys=True, default=str)
        keys[name] = {"policy": policy, "key": hashlib.sha256(text.encode()).hexdigest()[:16]}
    return keys


def _at(fields: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = fields
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    if value is None and isinstance(fields.get(_DEFAULTED), Mapping) and path[0] == _DEFAULTED:
        return None if fields.get(_ADDS_DEFAULT) else ""  # switched off, and not the default
    return value or None


def policy_of(state: bytes | None) -> str:
    """Return the policy that a state file says it was written under, "" where it does not say."""
    try:
        found = json.loads(state or b"")
    except (ValueError, RecursionError):
        return ""
    return str(found.get("policyName") or "") if isinstance(found, dict) else ""


def stale_state_files(
    before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]], written: Mapping[str, str]
) -> list[str]:
    """Return the state files that were written under another config than ``after``.

    before: the keys of the config that the component ran with. written: the policy in each file. What is not known
    says nothing.
    """
    stale = []
    for name, key in sorted(after.items()):
        known, policy = before.get(name), written.get(name)
        if (known is not None and known != key) or (policy and policy != key.get("policy")):
            stale.append(name)
    return stale
