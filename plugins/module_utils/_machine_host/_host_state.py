# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of what a provider did to a host, and of what was there before."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .._foreign import load_json
from ._host_access import Host, HostError

DIRECTORY = "/var/lib/configok-machine"
KEPT = f"{DIRECTORY}/packages"
LOCK = "/run/configok-machine.lock"
STATE_FILE = f"{DIRECTORY}/state.json"

_CNI = "/var/lib/cni"
SEEN_PATHS = (
    "/etc/cni",
    "/etc/containerd",
    "/etc/crio",
    "/etc/kubernetes",
    "/opt/cni",
    "/opt/containerd",
    "/run/containerd",
    "/run/crio",
    "/usr/libexec/kubernetes",
    _CNI,
    "/var/lib/containerd",
    "/var/lib/containers",
    "/var/lib/crio",
    "/var/lib/kubelet",
    "/var/log/containers",
    "/var/log/pods",
)
"""Directories that a kubelet and its runtime fill; one that was not there before goes with the machine."""


@dataclass
class SystemChanges:
    """What was changed in the system. settings: kernel parameters with their value before. enabled: units."""

    settings: dict[str, str] = field(default_factory=dict)
    enabled: list[str] = field(default_factory=list)


@dataclass
class HostState:
    """What was done to this host.

    created: we made it a node; False for a node that was one before, whose layout is not ours. absent_before: of
    SEEN_PATHS. files: path -> where its former content is kept, "" if there was no such file. packages: those that
    were installed for us, with the version before, "" for none. held: the packages that we hold. held_before: those
    that the user held, of the packages that we change. installing: packages that an installation that has not ended
    adds. pending: units that must restart because of what changed. flags: path -> [text before flags were removed, text
    after]. rollout: of the last change, or another identity of it. previous: package -> version before the last update.
    previous_files: path -> text (null for no file), mode and restarts before it. in_progress: a change has begun, and
    the kubelet has not been healthy since. runtime: the unit of the runtime of a node that we made.
    """

    machine: str = ""
    created: bool = False
    absent_before: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)
    held_before: list[str] = field(default_factory=list)
    installing: list[str] | None = None
    previous: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    flags: dict[str, list[str]] = field(default_factory=dict)
    system: SystemChanges = field(default_factory=SystemChanges)
    rollout: str = ""
    previous_files: dict[str, dict[str, Any]] = field(default_factory=dict)
    in_progress: bool = False
    runtime: str = ""


def load_state(host: Host) -> HostState | None:
    """Return the record, None if this host has none. Raises HostError for a damaged one."""
    text = host.read(STATE_FILE)
    if text is None:
        return None
    try:
        values: dict[str, Any] = load_json(text)
        state = HostState(**{part.name: values[part.name] for part in fields(HostState) if part.name in values})
        state.system = SystemChanges(**values.get("system", {}))
    except (ValueError, TypeError, AttributeError):
        raise HostError(f"{STATE_FILE} is damaged, so it is not known what belongs to this machine") from None
    return state


def begin_change(host: Host, state: HostState, action: str, update: str) -> None:
    """Forget what a rollback of an earlier change would undo, before anything of this one can fail.

    update: the identity of the update. What is recorded stays if an earlier run has begun the same update, and if
    another update has begun and has not ended, since the host is in neither of two states. A creation is not undone.
    """
    is_over = not state.in_progress and state.rollout != update
    if is_over or action == "create":
        forget_previous(state)
    elif update == state.rollout:
        return
    state.rollout = update
    save_state(host, state)


def forget_previous(state: HostState) -> None:
    """Forget what packages and files were before the last update."""
    state.previous = {}
    state.previous_files = {}


def can_undo(state: HostState, rollout: str) -> bool:
    """Return whether the record has what packages and files were before an update of this rollout, "" for any.

    An update that failed before it reached the host has left no trace, and what the record has is older.
    """
    is_present = state.in_progress or rollout in ("", state.rollout)
    return is_present and bool(state.previous or state.previous_files)


def owns_addresses(state: HostState) -> bool:
    """Return whether the addresses that CNI has given are those of the node's pods alone."""
    return not state.created or _CNI in state.absent_before


def packages_of_machine(state: HostState) -> set[str]:
    """Return the packages that were installed for us, also by an installation that has not ended: a reset removes them.

    Those that the host had before, in another version, are not among them.
    """
    return {*(name for name, before in state.packages.items() if not before), *(state.installing or ())}


def save_state(host: Host, state: HostState) -> None:
    """Write the record."""
    host.write(STATE_FILE, json.dumps(asdict(state), indent=2, sort_keys=True) + "\n", 0o600)
