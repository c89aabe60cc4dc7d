# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host's files below a root, as they are, or as if they were not there. Private to configok.node."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable
from typing import Any

from .._componentconfig._rules._host_rules import KERNEL_FLAGS, STATE_FILES, File, Host, HostQuery
from .._componentconfig._scalars._numbers import cpu_set

__all__ = ["MOST", "below", "read_host", "runtime_driver", "text_of"]

MOST = 1024 * 1024
"""Bytes of a file that are looked at."""


def below(root: str, path: str) -> str:
    """Return where a path of the host is, for a host that lies below ``root``."""
    return os.path.join(root, path.lstrip("/"))


def text_of(root: str, path: str) -> str:
    """Return the text of a file, "" where it cannot be read."""
    try:
        with open(below(root, path), "rb") as file:
            return file.read(MOST).decode("utf-8", "replace")
    except OSError:
        return ""


_CONTAINERD = "etc/containerd/config.toml"
_CRIO = "etc/crio/crio.conf"
_SYSTEMD_CGROUP = re.compile(r"^\s*SystemdCgroup\s*=\s*(true|false)\b", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*imports\s*=\s*\[\s*[^\]\s]", re.MULTILINE)
_CGROUP_MANAGER = re.compile(r"^\s*cgroup_manager\s*=\s*\"(systemd|cgroupfs)\"", re.MULTILINE)


def runtime_driver(runtime: str, root: str = "/") -> str:
    """Return "systemd" or "cgroupfs", "" where the config of the runtime ("containerd", "cri-o") does not say."""
    if runtime == "containerd":
        return _of_containerd(text_of(root, _CONTAINERD))
    if runtime == "cri-o":
        return _of_crio([text_of(root, path) for path in (_CRIO, *_crio_drop_ins(root))])
    return ""


def _of_containerd(text: str) -> str:
    """Read what all runtimes in the config agree on; "" where they do not, where other files join in, or none says."""
    said = set(_SYSTEMD_CGROUP.findall(text))
    if len(said) != 1 or _IMPORTS.search(text):
        return ""
    return "systemd" if said == {"true"} else "cgroupfs"


def _crio_drop_ins(root: str) -> list[str]:
    """The files of CRI-O's drop-in directory in the order in which it reads them."""
    directory = f"{_CRIO}.d"
    try:
        return [f"{directory}/{name}" for name in sorted(os.listdir(below(root, directory)))]
    except OSError:
        return []


def _of_crio(texts: list[str]) -> str:
    """Read what the last file that says it says."""
    said = [one for text in texts for one in _CGROUP_MANAGER.findall(text)]
    return said[-1] if said else ""


_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_DAMAGED = object()
_PRIVATE = ("/tmp/", "/var/tmp/")  # the agent's own are others than those of the component (PrivateTmp=)


def read_host(wanted: HostQuery, root: str = "/") -> Host:
    """Read the facts below ``root``. What cannot be read is as if it were not there, or unknown."""
    cgroup_v2 = os.path.exists(os.path.join(root, "sys/fs/cgroup/cgroup.controllers"))
    states = {name: _state(root, wanted.root_directory, name) for name in STATE_FILES}
    return Host(
        swaps=_swaps(text_of(root, "proc/swaps")),
        cpus=cpu_set(text_of(root, "sys/devices/system/cpu/online")),
        sockets=_sockets(root),
        memory=_memory(text_of(root, "proc/meminfo")),
        disk=_disk(root, wanted.root_directory),
        numa_nodes=_numa_nodes(root),
        cgroup_v2=cgroup_v2,
        kernel=_kernel(root),
        files={path: _file(root, path) for path in sorted(wanted.paths)},
        cgroups={name: _cgroup_exists(root, name, cgroup_v2) for name in sorted(wanted.cgroups)},
        states={name: state for name, state in states.items() if isinstance(state, dict)},
        damaged_state=tuple(name for name, state in states.items() if state is _DAMAGED),
        runtime_driver=runtime_driver(wanted.runtime, root),
    )


def _swaps(text: str) -> tuple[str, ...]:
    return tuple(line.split()[0] for line in text.strip().splitlines()[1:] if line.split())


def _sockets(root: str) -> int:
    """Count the packages that online CPUs are on, 0 where the kernel does not say."""
    directory = below(root, "sys/devices/system/cpu")
    try:
        names = [name for name in os.listdir(directory) if re.fullmatch(r"cpu[0-9]+", name)]
    except OSError:
        return 0
    ids = {_number(text_of(directory, f"{name}/topology/physical_package_id")) for name in names}
    return len(ids - {None})


def _disk(root: str, directory: str) -> int:
    try:
        found = os.statvfs(below(root, directory)) if directory else None
    except OSError:
        return 0
    return found.f_blocks * found.f_frsize if found is not None else 0


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\s*-?[0-9]{1,18}\s*", text) else None


def _memory(text: str) -> int:
    found = re.search(r"^MemTotal:\s+([0-9]+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _numa_nodes(root: str) -> frozenset[int]:
    try:
        names = os.listdir(below(root, "sys/devices/system/node"))
    except OSError:
        return frozenset((0,))  # a machine without NUMA is one node to the kubelet
    return frozenset(int(name[4:]) for name in names if re.fullmatch(r"node[0-9]+", name)) or frozenset((0,))


def _kernel(root: str) -> dict[str, int]:
    values = {flag: _number(text_of(root, f"proc/sys/{flag}")) for flag in KERNEL_FLAGS}
    return {flag: value for flag, value in values.items() if value is not None}


def _file(root: str, path: str) -> File:
    place = below(root, path)
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
            return frozenset(block.decode() for block in _PEM.findall(file.read(MOST)))
    except OSError:
        return None


def _cgroup_exists(root: str, name: str, cgroup_v2: bool) -> bool:
    base = "sys/fs/cgroup" if cgroup_v2 else "sys/fs/cgroup/memory"
    return any(os.path.isdir(below(root, f"{base}/{one}")) for one in _cgroup_names(name))


def _cgroup_names(name: str) -> Iterable[str]:
    """The paths that a cgroup's name means: its own with driver cgroupfs, with systemd that of the slice in slices."""
    plain = name.strip("/")
    yield plain
    last = plain.rpartition("/")[2]
    parts = (last[: -len(".slice")] if last.endswith(".slice") else last).split("-")
    yield "/".join("-".join(parts[: length + 1]) + ".slice" for length in range(len(parts)))


def _state(root: str, directory: str, name: str) -> Any:
    """What a state file holds, None where there is none, _DAMAGED where it is no JSON object."""
    if not directory:
        return None
    try:
        with open(below(root, f"{directory}/{name}"), "rb") as file:
            found = json.loads(file.read())
    except OSError:
        return None
    except (ValueError, RecursionError):
        return _DAMAGED
    return found if isinstance(found, dict) else _DAMAGED
