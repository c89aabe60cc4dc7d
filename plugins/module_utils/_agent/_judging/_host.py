# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component finds on its host, read once, for checks that are pure. Private to configok.node.

Read in the short-lived child that validates, never in the daemon and never before a start: a verdict on the host holds
for the moment only and is not kept.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from typing import NamedTuple

__all__ = ["KERNEL_FLAGS", "STATE_FILES", "File", "Host", "Wanted", "read_host"]

# What the kubelet sets, or with protectKernelDefaults insists on (setupKernelTunables).
KERNEL_FLAGS: Mapping[str, int] = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1_000_000,
    "kernel/keys/root_maxbytes": 25_000_000,
}
STATE_FILES = ("cpu_manager_state", "memory_manager_state")
_CONTAINERD = "etc/containerd/config.toml"
_MOST = 1024 * 1024  # bytes of a file that are looked at
_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_SYSTEMD_CGROUP = re.compile(r"^\s*SystemdCgroup\s*=\s*(true|false)\b", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*imports\s*=\s*\[\s*[^\]\s]", re.MULTILINE)
_PRIVATE = ("/tmp/", "/var/tmp/")  # the agent's own are others than those of the component (PrivateTmp=)


class File(NamedTuple):
    """What stands at a path: "file", "directory", "socket", "other", "missing", or "unseen" where the agent cannot see
    what the component sees; and which kinds of PEM blocks a file holds (None: it could not be read)."""

    kind: str
    pem: frozenset[str] | None = frozenset()


class Wanted(NamedTuple):
    """What of the host a config depends on: absolute paths, names of cgroups, where the component keeps its state, and
    whether its container runtime is containerd."""

    paths: frozenset[str] = frozenset()
    cgroups: frozenset[str] = frozenset()
    root_directory: str = ""
    containerd: bool = False


class Host(NamedTuple):
    """The facts. memory in bytes, 0 where unknown, as cpus; numa_nodes and kernel hold what could be read."""

    swaps: tuple[str, ...] = ()
    cpus: int = 0
    memory: int = 0
    numa_nodes: frozenset[int] = frozenset()
    cgroup_v2: bool = True
    kernel: Mapping[str, int] = {}
    files: Mapping[str, File] = {}
    cgroups: Mapping[str, bool] = {}  # named cgroup -> whether it exists, under any of the drivers' names for it
    damaged_state: tuple[str, ...] = ()  # state files that are not JSON
    containerd_driver: str = ""  # what containerd's config says: "systemd", "cgroupfs", "" where it does not say


def read_host(wanted: Wanted, root: str = "/") -> Host:
    """Read the facts below ``root``. What cannot be read is as if it were not there, or unknown."""
    cgroup_v2 = os.path.exists(os.path.join(root, "sys/fs/cgroup/cgroup.controllers"))
    return Host(
        swaps=_swaps(_text(root, "proc/swaps")),
        cpus=_cpus(_text(root, "sys/devices/system/cpu/online")),
        memory=_memory(_text(root, "proc/meminfo")),
        numa_nodes=_numa_nodes(root),
        cgroup_v2=cgroup_v2,
        kernel=_kernel(root),
        files={path: _file(root, path) for path in sorted(wanted.paths)},
        cgroups={name: _cgroup_exists(root, name, cgroup_v2) for name in sorted(wanted.cgroups)},
        damaged_state=tuple(name for name in STATE_FILES if _is_damaged(root, wanted.root_directory, name)),
        containerd_driver=_containerd_driver(_text(root, _CONTAINERD)) if wanted.containerd else "",
    )


def _below(root: str, path: str) -> str:
    return os.path.join(root, path.lstrip("/"))


def _text(root: str, path: str) -> str:
    try:
        with open(_below(root, path), "rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""


def _swaps(text: str) -> tuple[str, ...]:
    return tuple(line.split()[0] for line in text.strip().splitlines()[1:] if line.split())


def _cpus(online: str) -> int:
    """Count a list such as ``0-3,8``."""
    ranges = [part.split("-") for part in online.strip().split(",") if part]
    try:
        return sum(int(one[-1]) - int(one[0]) + 1 for one in ranges)
    except ValueError:
        return 0


def _memory(text: str) -> int:
    found = re.search(r"^MemTotal:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _numa_nodes(root: str) -> frozenset[int]:
    try:
        names = os.listdir(_below(root, "sys/devices/system/node"))
    except OSError:
        return frozenset((0,))  # a machine without NUMA is one node to the kubelet
    return frozenset(int(name[4:]) for name in names if re.fullmatch(r"node\d+", name)) or frozenset((0,))


def _kernel(root: str) -> dict[str, int]:
    texts = {flag: _text(root, f"proc/sys/{flag}").strip() for flag in KERNEL_FLAGS}
    return {flag: int(text) for flag, text in texts.items() if re.fullmatch(r"-?\d+", text)}


def _file(root: str, path: str) -> File:
    place = _below(root, path)
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        return File("unseen" if path.startswith(_PRIVATE) else "missing")
    except OSError:
        return File("unseen")
    if stat.S_ISREG(mode):
        return File("file", _pem(place))
    kind = "directory" if stat.S_ISDIR(mode) else "socket" if stat.S_ISSOCK(mode) else "other"
    return File(kind)


def _pem(place: str) -> frozenset[str] | None:
    try:
        with open(place, "rb") as file:
            return frozenset(block.decode() for block in _PEM.findall(file.read(_MOST)))
    except OSError:
        return None


def _cgroup_exists(root: str, name: str, cgroup_v2: bool) -> bool:
    base = "sys/fs/cgroup" if cgroup_v2 else "sys/fs/cgroup/memory"
    return any(os.path.isdir(_below(root, f"{base}/{one}")) for one in _cgroup_names(name))


def _cgroup_names(name: str) -> Iterable[str]:
    """The paths that a cgroup's name means: its own with driver cgroupfs, with systemd that of the slice in slices."""
    plain = name.strip("/")
    yield plain
    last = plain.rpartition("/")[2]
    parts = (last[: -len(".slice")] if last.endswith(".slice") else last).split("-")
    yield "/".join("-".join(parts[: length + 1]) + ".slice" for length in range(len(parts)))


def _is_damaged(root: str, directory: str, name: str) -> bool:
    if not directory:
        return False
    try:
        with open(_below(root, f"{directory}/{name}"), "rb") as file:
            return not isinstance(json.loads(file.read()), dict)
    except OSError:
        return False
    except (ValueError, RecursionError):
        return True


def _containerd_driver(text: str) -> str:
    """Read what all runtimes in the config agree on; "" where they do not, where other files join in, or none says."""
    said = set(_SYSTEMD_CGROUP.findall(text))
    if len(said) != 1 or _IMPORTS.search(text):
        return ""
    return "systemd" if said == {"true"} else "cgroupfs"
