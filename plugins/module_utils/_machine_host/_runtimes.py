# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Retires the container runtime that another kind of runtime replaces."""

from __future__ import annotations

from collections.abc import Sequence

from ._files import Changes
from ._host_access import Host
from ._host_state import HostState, owns_addresses, save_state
from ._packages import WantedPackages
from ._pods import remove_pods, stop_kubelet

_CRIO = "crio"
# A runtime whose directory was there before is the user's, and may run other containers.
_DIRECTORIES = {"containerd": "/var/lib/containerd", _CRIO: "/etc/crio"}


def undeclared_runtime(state: HostState | None, declared: WantedPackages) -> str:
    """Return why an update that names no runtime is refused, "" if it is not: the node would get the default one."""
    units = {unit for package in declared.versioned for unit in package.units}
    if state is None or state.runtime != _CRIO or units & _DIRECTORIES.keys():
        return ""
    return "the host runs CRI-O, and the Machine names no runtime: declare versions.containerRuntime"


def switch_runtime(host: Host, state: HostState, units: Sequence[str], changes: Changes, *, check: bool) -> None:
    """Stop the runtime that the node had, if it is not among the units to run, and remove its pods.

    Its package and images stay, so that a rollback needs no network; a deletion removes them. The pods are those of
    DaemonSets and of files, which the kubelet creates again, since the node was drained. Raises HostError.
    """
    former = state.runtime
    runtime = next((unit for unit in units if unit in _DIRECTORIES), former)
    if runtime == former:
        return
    if former:
        changes.note(f"{former}.service stopped")
    if check:
        return
    if former:
        stop_kubelet(host)
        remove_pods(host, images=False, addresses=owns_addresses(state))
        if _DIRECTORIES[former] in state.absent_before:
            host.must(
                ["systemctl", "disable", "--quiet", "--now", f"{former}.service"], f"{former} could not be stopped"
            )
            state.system.enabled = [unit for unit in state.system.enabled if unit != former]
    state.runtime = runtime
    save_state(host, state)
