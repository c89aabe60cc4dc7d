# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the kubelet, its pods and everything that a provider installed off a host. Private to configok.node."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import time

from ._files import Changes, restore_files
from ._host_access import Host, HostError
from ._host_state import DIRECTORY, SEEN_PATHS, STATE_FILE, HostState
from ._node_identity import BOOTSTRAP, KUBECONFIG
from ._package_manager import PackageManager

__all__ = ["forget_host", "is_clean", "reset_host"]

_NAMESPACE = "k8s.io"  # of containerd: what the kubelet runs
_KUBELET_DIRECTORY = "/var/lib/kubelet"
_NETNS = "/run/netns"
_UNIT = "/etc/systemd/system/kubelet.service"
_CA = "/etc/kubernetes/pki/ca.crt"
_SHIM = b"containerd-shim"
# What a kubelet leaves in these directories that were there before, if the host was a node before it was a Machine.
_OF_NODES = (KUBECONFIG, BOOTSTRAP, _CA)
# Not by way of /var/run, which is a link: what is mounted below would not be seen, such as the cgroups of Calico.
_RUN_PATHS = ("/run/flannel", "/run/calico", "/run/kubernetes")
_PATIENCE = 30.0


def is_clean(host: Host) -> bool:
    """Return whether nothing on the host makes it a node."""
    if host.exists(KUBECONFIG):
        return False
    # A unit of the user's stays when a node is deleted, disabled.
    states = {host.run(["systemctl", verb, "kubelet.service"]).output.strip() for verb in ("is-active", "is-enabled")}
    return not host.exists(_UNIT) or not states & {"active", "activating", "enabled"}


def reset_host(host: Host, state: HostState, manager: PackageManager, changes: Changes) -> None:
    """Stop everything of the node and remove it; what was there before stays. The record goes last."""
    changes.note(f"{state.machine}: kubelet, pods, their files and packages removed")
    _stop_kubelet(host)
    _remove_pods(host)
    _remove_network(host)
    _unmount(host, _KUBELET_DIRECTORY)
    for unit in state.enabled:
        if unit != "kubelet":
            host.run(["systemctl", "disable", "--quiet", "--now", f"{unit}.service"])
    _kill_shims(host)
    manager.repair()
    if state.held:
        manager.release(state.held)
    _remove_packages(state, manager, changes)
    restore_files(host, state, sorted(state.files))
    for path in _OF_NODES:
        if path not in state.files:
            host.remove(path)
    _restore_settings(host, state)
    _empty(host, _KUBELET_DIRECTORY)
    for path in state.absent_before:
        if path in SEEN_PATHS:  # a record that was tampered with removes nothing else
            _remove_tree(host, path)
    for path in _RUN_PATHS:
        _remove_tree(host, path)
    _remove_empty_parents(host, state)
    _clean_iptables(host)
    host.run(["systemctl", "daemon-reload"])
    host.run(["systemctl", "reset-failed", "kubelet.service", "containerd.service"])
    forget_host(host)


def forget_host(host: Host) -> bool:
    """Remove our directory, the record last. Return whether there was one."""
    for name in sorted(host.names(DIRECTORY), key="state.json".__eq__):
        _remove_tree(host, f"{DIRECTORY}/{name}")
    try:
        os.rmdir(host.path(DIRECTORY))
    except FileNotFoundError:
        return False
    return True


def _remove_packages(state: HostState, manager: PackageManager, changes: Changes) -> None:
    ours = sorted(name for name, before in state.packages.items() if not before)
    essential = set(ours).intersection(manager.essential())
    if essential:
        changes.warnings.append(
            f"no package is removed: {STATE_FILE} says that {min(essential)} came with the machine, which no host is "
            "without, so it is wrong; remove the packages of the machine yourself"
        )
        return
    stayed = manager.remove(ours)
    if stayed:
        changes.warnings.append(f"packages that stay, because others need them: {', '.join(stayed)}")


def _stop_kubelet(host: Host) -> None:
    host.run(["systemctl", "disable", "--quiet", "kubelet.service"])
    result = host.run(["systemctl", "stop", "kubelet.service"])
    state = host.run(["systemctl", "is-active", "kubelet.service"]).output.strip()
    if state in ("active", "activating", "deactivating"):
        raise HostError(f"the kubelet could not be stopped: {result.complaint()}")


def _remove_pods(host: Host) -> None:
    """Kill all containers of the kubelet's namespace, and remove them with their images."""
    ctr = ["ctr", "--namespace", _NAMESPACE]
    if not host.has("ctr") or host.run([*ctr, "version"], timeout=20).code != 0:
        _kill_shims(host)
        return
    tasks = host.run([*ctr, "tasks", "list", "-q"], timeout=60).output.split()
    for task in tasks:
        host.run([*ctr, "tasks", "kill", "--all", "--signal", "SIGKILL", task], timeout=60)
    deadline = time.monotonic() + _PATIENCE
    for task in tasks:
        while host.run([*ctr, "tasks", "delete", "--force", task], timeout=60).code != 0:
            known = host.run([*ctr, "tasks", "list", "-q"], timeout=60).output.split()
            if task not in known or time.monotonic() > deadline:
                break
            time.sleep(0.2)
    for kind, remove in (("containers", "delete"), ("images", "remove")):
        names = host.run([*ctr, kind, "list", "-q"], timeout=60).output.split()
        if names:
            host.run([*ctr, kind, remove, *names], timeout=120)


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


def _kill_shims(host: Host) -> None:
    """Kill the processes that hold the containers of the kubelet's namespace, and the containers."""
    for pid in host.names("/proc"):
        if not (pid.isascii() and pid.isdigit()):
            continue
        try:
            with open(host.path(f"/proc/{pid}/cmdline"), "rb") as file:
                words = file.read().split(b"\0")
            if _SHIM in words[0] and _NAMESPACE.encode() in words:
                for child in _children(host, int(pid)):
                    os.kill(child, signal.SIGKILL)
                os.kill(int(pid), signal.SIGKILL)
        except (OSError, ValueError):
            continue


def _children(host: Host, pid: int) -> list[int]:
    text = host.read(f"/proc/{pid}/task/{pid}/children") or ""
    direct = [int(word) for word in text.split()]
    return [*direct, *(child for parent in direct for child in _children(host, parent))]


def _mounts(host: Host, directory: str) -> list[str]:
    lines = [line.split() for line in (host.read("/proc/self/mounts") or "").splitlines()]
    points = [line[1].replace("\\040", " ") for line in lines if len(line) > 1]
    return [point for point in points if point.startswith(f"{directory}/")]


def _unmount(host: Host, directory: str) -> None:
    """Unmount everything below a directory, so that a removal cannot reach a volume's data."""
    for point in reversed(_mounts(host, directory)):
        if host.run(["umount", point]).code != 0:
            host.run(["umount", "--lazy", point])
    left = _mounts(host, directory)
    if left:
        raise HostError(f"{left[0]} could not be unmounted: nothing below {directory} was removed")


def _empty(host: Host, directory: str) -> None:
    """Remove everything in a directory, but not the directory: it may be a mount of its own."""
    _unmount(host, directory)
    for name in host.names(directory):
        _remove_tree(host, f"{directory}/{name}")


def _remove_tree(host: Host, path: str) -> None:
    target = host.path(path)
    try:
        is_directory = stat.S_ISDIR(os.lstat(target).st_mode)
    except FileNotFoundError:
        return
    if not is_directory:
        os.unlink(target)
        return
    if _mounts(host, path):
        _unmount(host, path)
    try:
        shutil.rmtree(target)
    except OSError as error:
        # A mount point of the user's own stays, empty.
        if not os.path.ismount(target):
            raise HostError(f"{path} could not be removed: {error.strerror}") from error


def _restore_settings(host: Host, state: HostState) -> None:
    for name, value in state.settings.items():
        path = host.path(f"/proc/sys/{name.replace('.', '/')}")
        if os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write(value)


def _remove_empty_parents(host: Host, state: HostState) -> None:
    parents = {os.path.dirname(path) for path in (*state.files, *_OF_NODES)}
    parents |= {
        f"{_UNIT}.d",
        "/etc/kubernetes/manifests",
        "/etc/kubernetes/pki",
        "/etc/kubernetes",
        "/etc/cni/net.d",
        "/etc/cni",
    }
    keep = ("/etc", "/etc/systemd/system", "/etc/default", "/etc/sysctl.d", "/etc/modules-load.d", "/var/lib")
    for path in sorted(parents - set(keep), key=len, reverse=True):
        if path.startswith(("/etc/apt", "/etc/yum", "/etc/pki")):
            continue
        try:
            os.rmdir(host.path(path))
        except OSError:
            continue  # not empty, or not there


def _clean_iptables(host: Host) -> None:
    """Remove the chains of kubelet and kube-proxy."""
    for family in ("iptables", "ip6tables"):
        if not host.has(f"{family}-save"):
            continue
        rules = host.run([f"{family}-save"]).output
        kept = [line for line in rules.splitlines() if "KUBE-" not in line]
        if len(kept) != len(rules.splitlines()):
            host.run([f"{family}-restore"], text="\n".join(kept) + "\n")
