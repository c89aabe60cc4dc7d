# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops the kubelet and removes its pods from a host, whatever its runtime is."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Sequence

from ._host_access import Host, HostError

_NAMESPACE = "k8s.io"  # of containerd: what the kubelet runs
_NETNS = "/run/netns"
_SHIM, _MONITOR = b"containerd-shim", b"conmon"  # of containerd and of CRI-O
_ADDRESSES = ("/var/lib/cni/networks", "/var/lib/cni/results")  # that pods have
_CTR = ("ctr", "--namespace", _NAMESPACE)
_PATIENCE = 30.0


def stop_kubelet(host: Host) -> None:
    """Stop the kubelet; one that is not there is stopped. Raises HostError."""
    result = host.run(["systemctl", "stop", "kubelet.service"])
    state = host.run(["systemctl", "is-active", "kubelet.service"]).output.strip()
    if state in ("active", "activating", "deactivating"):
        raise HostError(f"the kubelet could not be stopped: {result.complaint()}")


def remove_pods(host: Host, *, images: bool, addresses: bool) -> None:
    """Kill all containers of the kubelet and remove them and their network.

    images: also remove their images. addresses: also forget the addresses of all containers, as CNI has them.
    """
    if host.has("ctr") and host.run([*_CTR, "version"], timeout=20).code == 0:
        _remove_from_containerd(host, images=images)
    kill_containers(host)
    _remove_network(host)
    for path in _ADDRESSES if addresses else ():
        shutil.rmtree(host.path(path), ignore_errors=True)


def _remove_from_containerd(host: Host, *, images: bool) -> None:
    tasks = host.run([*_CTR, "tasks", "list", "-q"], timeout=60).output.split()
    for task in tasks:
        host.run([*_CTR, "tasks", "kill", "--all", "--signal", "SIGKILL", task], timeout=60)
    deadline = time.monotonic() + _PATIENCE
    for task in tasks:
        while host.run([*_CTR, "tasks", "delete", "--force", task], timeout=60).code != 0:
            known = host.run([*_CTR, "tasks", "list", "-q"], timeout=60).output.split()
            if task not in known or time.monotonic() > deadline:
                break
            time.sleep(0.2)
    kinds = {"containers": "delete", "images": "remove"} if images else {"containers": "delete"}
    for kind, remove in kinds.items():
        names = host.run([*_CTR, kind, "list", "-q"], timeout=60).output.split()
        if names:
            host.run([*_CTR, kind, remove, *names], timeout=120)


def kill_containers(host: Host) -> None:
    """Kill the processes that hold the containers of the kubelet, and the containers."""
    for pid in host.names("/proc"):
        if not (pid.isascii() and pid.isdigit()):
            continue
        try:
            with open(host.path(f"/proc/{pid}/cmdline"), "rb") as file:
                words = file.read().split(b"\0")
            if _is_holder(words):
                for child in _children(host, int(pid)):
                    os.kill(child, signal.SIGKILL)
                os.kill(int(pid), signal.SIGKILL)
        except (OSError, ValueError):
            continue


def _is_holder(command: Sequence[bytes]) -> bool:
    """Return whether a process holds a container of the kubelet; conmon is also what Podman uses."""
    if _SHIM in command[0]:
        return _NAMESPACE.encode() in command
    return command[0].endswith(_MONITOR) and any(b"/crio/" in word for word in command)


def _remove_network(host: Host) -> None:
    """Remove the network namespaces of pods, and with them their interfaces."""
    for name in host.names(_NETNS):
        if name.startswith("cni-"):
            host.run(["umount", "--lazy", host.path(f"{_NETNS}/{name}")])
            host.remove(f"{_NETNS}/{name}")
    # Not by way of /sys/class/net: in a container, it may have the interfaces of another network namespace.
    for name in re.findall(r"^[0-9]+: ([^:@]+)", host.run(["ip", "-o", "link"]).output, re.MULTILINE):
        if name in ("cni0", "flannel.1", "cbr0"):
            host.run(["ip", "link", "delete", name])


def _children(host: Host, pid: int) -> list[int]:
    text = host.read(f"/proc/{pid}/task/{pid}/children") or ""
    direct = [int(word) for word in text.split()]
    return [*direct, *(child for parent in direct for child in _children(host, parent))]
