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
from collections.abc import Iterable

from .._componentconfig._rules._host import KERNEL_FLAGS, STATE_FILES, File, Host, Wanted

__all__ = ["read_host"]

_CONTAINERD = "etc/containerd/config.toml"
_MOST = 1024 * 1024  # bytes of a file that are looked at
_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_SYSTEMD_CGROUP = re.compile(r"^\s*SystemdCgroup\s*=\s*(true|false)\b", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*imports\s*=\s*\[\s*[^\]\s]", re.MULTILINE)
_PRIVATE = ("/tmp/", "/var/tmp/")  # the agent's own are others than those of the component (PrivateTmp=)


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
