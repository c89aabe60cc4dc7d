# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State files that a component dies of when its config changes; they are set aside first. Private to configok.node.

The kubelet refuses to start when cpu_manager_state or memory_manager_state was written under another policy. What a
file depends on is noted beside each rendered config as a short key, so that prestart needs no YAML to compare
two configs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["stale_state_files", "state_keys"]

# component -> state file in its root directory -> the fields that it was written under, with the kubelet's defaults
_STATE_FILES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "kubelet": {
        "cpu_manager_state": {
            "cpuManagerPolicy": "none",
            "cpuManagerPolicyOptions": {},
            "reservedSystemCPUs": "",
        },
        "memory_manager_state": {
            "memoryManagerPolicy": "None",
            "reservedMemory": [],
        },
    }
}


def state_keys(component: str, config: Any) -> dict[str, str]:
    """Return, for each state file of the component, a key that changes when a decoded config makes the file fatal."""
    fields = config if isinstance(config, Mapping) else {}
    keys = {}
    for name, depends in _STATE_FILES.get(component, {}).items():
        values = {field: fields.get(field) or default for field, default in depends.items()}
        text = json.dumps(values, sort_keys=True, default=str)
        keys[name] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return keys


def stale_state_files(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the state files that were written under another config. Unknown keys say nothing."""
    return [name for name in sorted(after) if name in before and before[name] != after[name]]
