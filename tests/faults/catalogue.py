# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All faults, by theme. A full run fails if it misses one, and a fault that is not listed is refused."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["FAULTS", "missing", "place_of", "theme_of"]

FAULTS = {
    "Killed": (
        "agent killed at a durable step",
        "prestart killed at a durable step",
        "poststop killed at a durable step",
        "manifest's writer killed at a durable step",
        "agent killed",
        "agent restarted",
        "agent dead for the whole trial",
        "two agents at once",
    ),
    "Power and clock": (
        "power cut, unsynced files torn",
        "power cut, unsynced renames lost",
        "power cut and boot",
        "clean reboot",
        "wall clock three years ahead",
        "wall clock three years back",
        "wall clock back and forth",
    ),
    "Disk": (
        "disk full at one step",
        "disk full for a while",
        "disk read-only at one step",
        "disk read-only for a while",
        "input/output error at one step",
    ),
    "Damaged files": (
        "state file emptied",
        "state file cut after one byte",
        "state file cut in the middle",
        "state file cut before its last byte",
        "state file cut before its last two bytes",
        "state file: zeros",
        "state file: one bit flipped",
        "state file: noise before it",
        "state file: JSON of another shape",
        "state file: nothing but null",
        "state file: deeply nested",
        "state file removed",
        "state file: a directory in its place",
        "state file: a dangling link in its place",
        "state file: a link to itself in its place",
        "state file: a link to another file in its place",
        "state file: a named pipe in its place",
        "state file: another owner, open to all",
        "state file: no permissions",
        "every state file torn at once",
        "the agent's program torn",
        "the agent's config torn",
    ),
    "API": (
        "API away",
        "API away for 2 s",
        "API away for 400 s",
        "API server stopped before the kubelet begins to crash",
        "partition from the API",
        "API hangs",
        "API slow",
        "API answers 401",
        "API answers 403",
        "API answers 409",
        "API answers 410",
        "API answers 429 with Retry-After",
        "API answers 500",
        "half a body",
        "garbage instead of JSON",
        "an answer of 64 MB",
        "client certificate expired, then rotated",
    ),
    "ConfigMap": (
        "ConfigMap deleted",
        "ConfigMap recreated: wrong uid",
        "ConfigMap recreated and assigned again",
        "ConfigMap replaced in place",
        "ConfigMap is another kind",
        "ConfigMap too large",
    ),
    "Manifest": (
        "manifest replaced by another program",
        "kubeadm upgrade in between",
        "kubelet does not act on the manifest",
    ),
    "Host": (
        "container runtime stopped",
        "kubelet stopped",
        "kubeconfig of the kubelet moved away",
    ),
    "Component": (
        "component hangs instead of crashing",
        "component crashes after the trial",
        "component slow to become healthy",
        "administrator restarts the component",
        "unit stopped by an administrator",
        "unit masked by an administrator",
        "kubelet upgraded under a running config",
    ),
}
_THEMES = {fault: theme for theme, faults in FAULTS.items() for fault in faults}


def theme_of(fault: str) -> str:
    """Return the theme of a fault. Raises ValueError if the fault is not listed."""
    if fault not in _THEMES:
        raise ValueError(f"{fault!r} is not in faults.catalogue: add it there")
    return _THEMES[fault]


def place_of(fault: str) -> int:
    """Return the position of a fault."""
    return list(_THEMES).index(fault)


def missing(injected: Iterable[str]) -> list[str]:
    """Return the faults that were not injected."""
    seen = set(injected)
    return [fault for fault in _THEMES if fault not in seen]
