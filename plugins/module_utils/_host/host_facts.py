# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The facts of a host that config checks need: files, kernel, memory, cgroups, the runtime's driver."""

from __future__ import annotations

import os
import re
import stat
from typing import Any

from .._componentconfig._rules.host_model import (
    KERNEL_PARAMETERS,
    STATE_FILES,
    CgroupDriver,
    File,
    FileKind,
    Host,
    HostQuery,
)
from .._componentconfig._scalars.numbers import parse_cpu_list
from .._foreign import load_json
from ._cgroups import is_unified, read_cgroup
from ._files import MAX_BYTES, names_in, read_text, rooted
from ._logind import inhibit_delays

_CONTAINERD = "etc/containerd/config.toml"
_CRIO = "etc/crio/crio.conf"
_SYSTEMD_CGROUP = re.compile(r"^\s*SystemdCgroup\s*=\s*(true|false)\b", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*imports\s*=\s*\[\s*[^\]\s]", re.MULTILINE)
_CGROUP_MANAGER = re.compile(r"^\s*cgroup_manager\s*=\s*\"(systemd|cgroupfs)\"", re.MULTILINE)


def runtime_driver(runtime: str, root: str = "/") -> CgroupDriver:
    """Return the cgroup driver in the config of a runtime ("containerd", "cri-o"), or "" if it is unknown."""
    if runtime == "containerd":
        return _of_containerd(read_text(root, _CONTAINERD))
    if runtime == "cri-o":
        drop_ins = [f"{_CRIO}.d/{name}" for name in names_in(root, f"{_CRIO}.d")]  # as CRI-O reads them: by name
        return _of_crio([read_text(root, path) for path in (_CRIO, *drop_ins)])
    return ""


def _of_containerd(text: str) -> CgroupDriver:
    """Return the driver of all runtimes in the config, or "" if they differ, import other files, or do not set it."""
    values = set(_SYSTEMD_CGROUP.findall(text))
    if len(values) != 1 or _IMPORTS.search(text):
        return ""
    return "systemd" if values == {"true"} else "cgroupfs"


def _of_crio(texts: list[str]) -> CgroupDriver:
    """Return the driver that the last file sets."""
    values = [value for text in texts for value in _CGROUP_MANAGER.findall(text)]
    if not values:
        return ""
    return "systemd" if values[-1] == "systemd" else "cgroupfs"


_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_DAMAGED = object()
_PRIVATE = ("/tmp/", "/var/tmp/")  # the agent's directories differ from those of the component (PrivateTmp=)


def read_host(query: HostQuery, root: str = "/") -> Host:
    """Return the facts of the host under ``root``. An unreadable file counts as missing, or as unknown."""
    numa_nodes = _numa_nodes(root)
    states = {name: _state(root, query.root_directory, name) for name in STATE_FILES}
    return Host(
        swaps=_swaps(read_text(root, "proc/swaps")),
        cpus=parse_cpu_list(read_text(root, "sys/devices/system/cpu/online")),
        sockets=_sockets(root),
        memory=_memory(read_text(root, "proc/meminfo")),
        disk=_disk(root, query.root_directory),
        numa_nodes=numa_nodes,
        numa_memory=_numa_memory(root, numa_nodes),
        cgroup_v2=is_unified(root),
        kernel=_kernel(root),
        files={path: _file(root, path) for path in sorted(query.paths)},
        cgroups={path: read_cgroup(root, path) for path in sorted(query.cgroups)},
        states={name: state for name, state in states.items() if isinstance(state, dict)},
        damaged_state=tuple(name for name, state in states.items() if state is _DAMAGED),
        runtime_driver=runtime_driver(query.runtime, root),
        inhibit_delays=inhibit_delays(root) if query.logind else (),
        pids=_pids(root),
    )


def _swaps(text: str) -> tuple[str, ...]:
    return tuple(line.split()[0] for line in text.strip().splitlines()[1:] if line.split())


def _sockets(root: str) -> int:
    """Return the number of packages with online CPUs, or 0 if the kernel does not report it."""
    cpus = "sys/devices/system/cpu"
    names = [name for name in names_in(root, cpus) if re.fullmatch(r"cpu[0-9]+", name)]
    ids = {_number(read_text(root, f"{cpus}/{name}/topology/physical_package_id")) for name in names}
    return len(ids - {None})


def _disk(root: str, directory: str) -> int:
    try:
        status = os.statvfs(rooted(root, directory)) if directory else None
    except OSError:
        return 0
    return status.f_blocks * status.f_frsize if status is not None else 0


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\s*-?[0-9]{1,18}\s*", text) else None


def _memory(text: str) -> int:
    match = re.search(r"^MemTotal:\s+([0-9]+) kB", text, re.MULTILINE)
    return int(match[1]) * 1024 if match else 0


def _numa_nodes(root: str) -> frozenset[int]:
    names = names_in(root, "sys/devices/system/node")
    nodes = frozenset(int(name[4:]) for name in names if re.fullmatch(r"node[0-9]+", name))
    return nodes or frozenset((0,))  # a machine without NUMA is one node to the kubelet


def _numa_memory(root: str, nodes: frozenset[int]) -> dict[int, int]:
    """Return the memory of NUMA nodes in bytes, without those that do not report it."""
    texts = {node: read_text(root, f"sys/devices/system/node/node{node}/meminfo") for node in sorted(nodes)}
    totals = {node: re.search(r"\bMemTotal:\s+([0-9]{1,18}) kB", text) for node, text in texts.items()}
    return {node: int(match[1]) * 1024 for node, match in totals.items() if match}


def _kernel(root: str) -> dict[str, int]:
    values = {flag: _number(read_text(root, f"proc/sys/{flag}")) for flag in KERNEL_PARAMETERS}
    return {flag: value for flag, value in values.items() if value is not None}


def _pids(root: str) -> int:
    """Return the most process ids that the kernel gives, 0 if it is not known (pkg/kubelet/stats/pidlimit)."""
    limits = [_number(read_text(root, f"proc/sys/kernel/{name}")) or 0 for name in ("pid_max", "threads-max")]
    return min((limit for limit in limits if limit > 0), default=0)


def _file(root: str, path: str) -> File:
    rooted_path = rooted(root, path)
    try:
        mode = os.stat(rooted_path).st_mode
    except FileNotFoundError:
        return File("unseen" if path.startswith(_PRIVATE) else "missing")
    except OSError:
        return File("unseen")
    if stat.S_ISREG(mode):
        return File("file", _pem(rooted_path))
    kind: FileKind = "directory" if stat.S_ISDIR(mode) else "socket" if stat.S_ISSOCK(mode) else "other"
    return File(kind)


def _pem(path: str) -> frozenset[str] | None:
    try:
        with open(path, "rb") as file:
            return frozenset(block.decode() for block in _PEM.findall(file.read(MAX_BYTES)))
    except OSError:
        return None


def _state(root: str, directory: str, name: str) -> Any:
    """Return the content of a state file, None if it is missing, _DAMAGED if it is not a JSON object."""
    if not directory:
        return None
    try:
        with open(rooted(root, f"{directory}/{name}"), "rb") as file:
            state = load_json(file.read())
    except OSError:
        return None
    except ValueError:
        return _DAMAGED
    return state if isinstance(state, dict) else _DAMAGED
