# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the kubelet's lists of sysctls: those that pods may set, and those that all pods get.

The rules have the ids of schema/kubelet_validation_rules.json.
"""

from __future__ import annotations

import re
from operator import not_
from typing import Final

from ._rule import EffectiveConfig, Rule, Violations, effective_must, needs_gate

_FIELD: Final = "defaultPodSysctls"
_GATE: Final = "DefaultPodSysctls"
_MAX_NAME = 253
_SEGMENT = r"[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?"
_NAME = re.compile(rf"{_SEGMENT}(?:[./]{_SEGMENT})*")
_GROUPS = ("kernel.shm", "kernel.msg", "fs.mqueue.", "net.")
_GROUPS_OF_DEFAULTS = (*_GROUPS, "user.")
_NAMES = ("kernel.sem",)
_NAMES_OF_DEFAULTS = (*_NAMES, "kernel.domainname")


def _dotted(name: str) -> str:
    """Return the name of a sysctl with dots: if its first separator is a slash, slashes separate and dots do not."""
    slash, dot = name.find("/"), name.find(".")
    if slash < 0 or 0 <= dot < slash:
        return name
    return name.translate(str.maketrans("./", "/."))


def unsafe_sysctls(config: EffectiveConfig) -> Violations:
    """Check that pods may only be allowed to set sysctls that are namespaced."""
    if not config.gates.is_on("Sysctls"):
        return
    for index, pattern in enumerate(config.get("allowedUnsafeSysctls") or []):
        name = pattern[:-1] if pattern.endswith("*") else pattern
        name = name.replace("/", ".")
        if "*" in name or not (name in _NAMES or name.startswith(_GROUPS)):
            path = ("allowedUnsafeSysctls", index)
            yield (
                path,
                "must be a namespaced sysctl, or a prefix of such that ends in *, for example net.* or kernel.shm*",
            )


def _names(config: EffectiveConfig) -> Violations:
    for name in (config.get(_FIELD) or {}) if config.gates.is_on(_GATE) else ():
        if len(name) > _MAX_NAME or not _NAME.fullmatch(name):
            yield (_FIELD, name), "must be the name of a sysctl, for example net.core.somaxconn"


def _namespaced(config: EffectiveConfig) -> Violations:
    for name in (config.get(_FIELD) or {}) if config.gates.is_on(_GATE) else ():
        dotted = _dotted(name)
        if _NAME.fullmatch(name) and not (dotted in _NAMES_OF_DEFAULTS or dotted.startswith(_GROUPS_OF_DEFAULTS)):
            allowed = ", ".join([*(f"{group.rstrip('.')}*" for group in _GROUPS_OF_DEFAULTS), *_NAMES_OF_DEFAULTS])
            yield (_FIELD, name), f"must be a sysctl that has a namespace: {allowed}"


def _unique(config: EffectiveConfig) -> Violations:
    seen: dict[str, str] = {}
    for name in (config.get(_FIELD) or {}) if config.gates.is_on(_GATE) else ():
        first = seen.setdefault(_dotted(name), name)
        if first != name:
            yield (_FIELD, name), f"is the same sysctl as {first}"


DEFAULT_SYSCTL_RULES: dict[str, Rule] = {
    "default-sysctls-gate": needs_gate(_FIELD, _GATE),
    "default-sysctls-names": _names,
    "default-sysctls-namespaced": _namespaced,
    "default-sysctls-unique": _unique,
    "default-sysctls-os": effective_must(_FIELD, not_, "must be empty on Windows"),
}
