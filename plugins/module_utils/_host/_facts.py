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
from typing import Any

from .._componentconfig._rules._host import KERNEL_FLAGS, STATE_FILES, File, Host, Wanted
from .._componentconfig._values._cpu_set import cpu_set
from ._files import MOST, below, text_of
from ._runtime import runtime_driver

__all__ = ["read_host"]

_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_DAMAGED = object()
_PRIVATE = ("/tmp/", "/var/tmp/")  # the agent's own are others than those of the component (PrivateTmp=)


def read_host(wanted: Wanted, root: str = "/") -> Host:
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
