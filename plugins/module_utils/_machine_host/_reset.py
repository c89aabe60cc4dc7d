# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the kubelet, its pods and everything that a provider installed off a host."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress

from ._files import Changes, restore_files
from ._host_access import Host, HostError
from ._host_state import DIRECTORY, SEEN_PATHS, STATE_FILE, HostState, owns_addresses, packages_of_machine
from ._node_identity import BOOTSTRAP, KUBECONFIG
from ._package_manager import PackageManager
from ._pods import kill_containers, remove_pods, stop_kubelet

_KUBELET_DIRECTORY = "/var/lib/kubelet"
_UNIT = "/etc/systemd/system/kubelet.service"
_CA = "/etc/kubernetes/pki/ca.crt"
# What a kubelet leaves in these directories that were there before, if the host was a node before it was a Machine.
_OF_NODES = (KUBECONFIG, BOOTSTRAP, _CA)
# Not by way of /var/run, which is a link: what is mounted below would not be seen, such as the cgroups of Calico.
_RUN_PATHS = ("/run/flannel", "/run/calico", "/run/kubernetes")


_RUNTIMES = {"containerd": "/etc/containerd", "crio": "/etc/crio"}
_PROXY_TABLES = (("ip", "kube-proxy"), ("ip6", "kube-proxy"))  # of nftables


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
    host.run(["systemctl", "disable", "--quiet", "kubelet.service"])
    stop_kubelet(host)
    remove_pods(host, images=True, addresses=owns_addresses(state))
    _unmount(host, _KUBELET_DIRECTORY)
    for unit in state.system.enabled:
        if unit != "kubelet":
            host.run(["systemctl", "disable", "--quiet", "--now", f"{unit}.service"])
    kill_containers(host)
    with suppress(HostError):  # what cannot be repaired is removed
        manager.repair()
    if state.held:
        manager.release(state.held)
    _remove_packages(state, manager, changes)
    held_before = [name for name in state.held_before if manager.installed(name)]
    if held_before:  # apt has released them if an installation was killed
        manager.hold(held_before)
    restored = restore_files(host, state, sorted(state.files))
    _restore_flags(host, state)
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
    for unit, directory in _RUNTIMES.items():
        if any(path.startswith(f"{directory}/") for path in restored):  # the user's runtime reads its own config again
            host.run(["systemctl", "try-restart", f"{unit}.service"])
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
    ours = sorted(packages_of_machine(state))
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
    for name, value in state.system.settings.items():
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


def _restore_flags(host: Host, state: HostState) -> None:
    """Put back the flags that were removed from files of the user."""
    for path, (base, adjusted) in state.flags.items():
        if path not in state.files and host.read(path) == adjusted:
            host.write(path, base, host.mode(path))


def _clean_iptables(host: Host) -> None:
    """Remove the chains of kubelet and kube-proxy, and the tables of its mode nftables."""
    if host.has("nft"):
        for family, table in _PROXY_TABLES:
            host.run(["nft", "delete", "table", family, table])
    for family in ("iptables", "ip6tables"):
        if not host.has(f"{family}-save"):
            continue
        rules = host.run([f"{family}-save"]).output
        kept = [line for line in rules.splitlines() if "KUBE-" not in line]
        if len(kept) != len(rules.splitlines()):
            host.run([f"{family}-restore"], text="\n".join(kept) + "\n")
