# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The facts of a host that checks of a config need, and what to read of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

# The values that the kubelet sets or, with protectKernelDefaults, requires (setupKernelTunables).
KERNEL_PARAMETERS: Mapping[str, int] = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1_000_000,
    "kernel/keys/root_maxbytes": 25_000_000,
}
StateFile = Literal["cpu_manager_state", "memory_manager_state"]
STATE_FILES: tuple[StateFile, ...] = ("cpu_manager_state", "memory_manager_state")
FileKind = Literal["file", "directory", "socket", "other", "missing", "unseen"]
"""The kind of file at a path; "unseen" if the agent cannot see what the component sees."""
ContainerRuntime = Literal["", "containerd", "cri-o"]
CgroupDriver = Literal["", "systemd", "cgroupfs"]


class File(NamedTuple):
    """The kind of file at a path, and the kinds of its PEM blocks (None: it could not be read)."""

    kind: FileKind
    pem: frozenset[str] | None = frozenset()


class HostQuery(NamedTuple):
    """The parts of a host that a config depends on.

    They are absolute paths, paths of cgroups below the mount of a hierarchy, the directory of the component's state,
    the container runtime, "" if it is not known, and whether logind may have to delay a shutdown.
    """

    paths: frozenset[str] = frozenset()
    cgroups: frozenset[str] = frozenset()
    root_directory: str = ""
    runtime: ContainerRuntime = ""
    logind: bool = False


class Cgroup(NamedTuple):
    """Whether a cgroup exists, and the controllers that it lacks."""

    exists: bool
    lacks: tuple[str, ...] = ()


class InhibitDelay(NamedTuple):
    """The longest delay of a shutdown that a file of logind allows: seconds, and the value as it is written."""

    path: str
    seconds: float
    text: str


class Host(NamedTuple):
    """The facts of a host: its online CPUs, its number of sockets, bytes of memory and disk, and more.

    An unknown number is 0; cpus, numa_nodes and kernel hold only what could be read.
    """

    swaps: tuple[str, ...] = ()
    cpus: frozenset[int] = frozenset()
    sockets: int = 0
    memory: int = 0
    disk: int = 0  # of the file system with the component's state
    numa_nodes: frozenset[int] = frozenset()
    numa_memory: Mapping[int, int] = {}  # NUMA node -> its bytes
    cgroup_v2: bool = True
    kernel: Mapping[str, int] = {}
    files: Mapping[str, File] = {}
    cgroups: Mapping[str, Cgroup] = {}  # by their paths
    states: Mapping[str, Mapping[str, Any]] = {}  # state file -> its content
    damaged_state: tuple[str, ...] = ()  # state files that are not JSON
    runtime_driver: CgroupDriver = ""  # from the container runtime's config
    inhibit_delays: tuple[InhibitDelay, ...] = ()  # in the order in which logind reads them: the last one takes effect
    pids: int = 0  # the most process ids
