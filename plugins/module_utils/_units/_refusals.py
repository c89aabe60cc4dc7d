# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be provisioned, each in a sentence. Private to configok.node."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from ._flags import last_flag
from ._start import Start, flag_value
from ._unit_text import last_assigned

__all__ = ["HOSTS", "refuse_flags_only", "refuse_start", "refuse_unit"]

HOSTS: Mapping[str, str] = {
    "k3s.service": "k3s",
    "k3s-agent.service": "k3s",
    "rke2-server.service": "rke2",
    "rke2-agent.service": "rke2",
    "snap.microk8s.daemon-kubelite.service": "microk8s",
    "snap.microk8s.daemon-kubelet.service": "microk8s",
    "snap.k8s.kubelet.service": "the k8s snap",
    "snap.kubelet.daemon.service": "the kubelet snap",
    "k0sworker.service": "k0s",
    "k0scontroller.service": "k0s",
}
"""Units in which components run that have no unit of their own, and what they are called."""

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh"})
_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "ctr", "rkt", "systemd-nspawn"})
_ROOT = frozenset({"", "root", "0"})


def refuse_unit(component: str, unit: str, load_state: str, hosts: Sequence[str]) -> str:
    """Return why a unit cannot be provisioned as systemd knows it, "" where it can.

    load_state: LoadState of systemctl show. hosts: those of HOSTS that this node has.
    """
    inside = unit if unit in HOSTS else next(iter(hosts), "") if load_state == "not-found" else ""
    if inside:
        return (
            f"{component} runs inside {HOSTS[inside]} here ({inside}), which has no unit and no config file of its own "
            "for it: this is not supported"
        )
    if unit.startswith("snap."):
        return f"{unit} is a snap, which cannot read /var/lib/configok: this is not supported"
    if load_state == "not-found":
        return f"{unit} is not found: give the unit of {component} in node_components"
    if load_state == "masked":
        return f"{unit} is masked: unmask it, or leave {component} out of node_components"
    if load_state != "loaded":
        return f"{unit} cannot be loaded by systemd ({load_state}): systemctl status {unit} says why"
    return ""


def refuse_start(unit: str, texts: Sequence[str], start: Start, running: Sequence[str]) -> list[str]:
    """Return why a component cannot start through the agent, as sentences.

    texts: of the unit and its drop-ins. running: the arguments of the process that runs now, if one does.
    """
    found = []
    program = posixpath.basename(start.command.program)
    if program in _SHELLS:
        found.append(
            f"{unit} starts through {program}, where the flag --config cannot be followed: give exec_start, "
            "the command line without the shell"
        )
    if program in _CONTAINERS:
        found.append(
            f"{unit} starts a container ({program}), which cannot read /var/lib/configok: this is not supported"
        )
    if program == "snap" or start.command.program.startswith("/snap/"):
        found.append(f"{unit} starts a snap, which cannot read /var/lib/configok: this is not supported")
    user = last_assigned(texts, "Service", "User")
    if user not in _ROOT:
        found.append(f"{unit} runs as {user}, who cannot read /var/lib/configok: only components that run as root can")
    for key in ("RootDirectory", "RootImage"):
        if last_assigned(texts, "Service", key) not in ("", "/"):
            found.append(f"{unit} has a {key}= of its own, where /var/lib/configok is not: this is not supported")
    directory = flag_value(start, "dynamic-config-dir") or _value(running, "dynamic-config-dir")
    if directory:
        found.append(
            f"{unit} uses --dynamic-config-dir={directory}, the dynamic configuration of Kubernetes itself: unset "
            "Node.spec.configSource, remove the flag and restart the kubelet first"
        )
    return found


def refuse_flags_only(component: str, unit: str) -> list[str]:
    """Return why a component that is given flags and no config file cannot be provisioned, as sentences.

    The kubelet lays its flags over its config file; the others ignore them when they are given a file.
    """
    if component == "kubelet":
        return []
    return [
        f"{unit} starts {component} without --config, and would ignore its flags with one: write a config file first"
    ]


def _value(running: Sequence[str], name: str) -> str:
    flag = last_flag(running, name)
    return flag.value if flag else ""
