# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Retires the container runtime that another kind of runtime replaces. Private to configok.node."""

from __future__ import annotations

from collections.abc import Sequence

from ._files import Changes
from ._host_access import Host
from ._host_state import HostState, save_state
from ._packages import WantedPackages
from ._pods import remove_pods, stop_kubelet

__all__ = ["retire_runtimes", "undeclared_runtime"]

_DEFAULT, _CRIO = "containerd", "crio"


def undeclared_runtime(state: HostState | None, declared: WantedPackages) -> str:
    """Return why an update that names no runtime is refused, "" if it is not: the node would get the default one."""
    units = {unit for package in declared.versioned for unit in package.units}
    if state is None or not state.created or _CRIO not in state.enabled or units & {_DEFAULT, _CRIO}:
        return ""
    return "the host runs CRI-O, and the Machine names no runtime: declare versions.containerRuntime"


def retire_runtimes(host: Host, state: HostState, units: Sequence[str], changes: Changes, *, check: bool) -> None:
    """Stop the runtimes that we started and that are not among the units to run, and remove their pods.

    Their packages and images stay, so that a rollback needs no network; a deletion removes them. The pods are those of
    DaemonSets and of files, which the kubelet creates again, since the node was drained. Raises HostError.
    """
    retired = [unit for unit in (_DEFAULT, _CRIO) if unit in state.enabled and unit not in units]
    for unit in retired:
        changes.note(f"{unit}.service stopped")
    if check or not retired:
        return
    stop_kubelet(host)
    remove_pods(host, images=False)
    for unit in retired:
        host.must(["systemctl", "disable", "--quiet", "--now", f"{unit}.service"], f"{unit} could not be stopped")
    state.enabled = [unit for unit in state.enabled if unit not in retired]
    save_state(host, state)
