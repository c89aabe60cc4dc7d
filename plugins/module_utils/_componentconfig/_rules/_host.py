# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a host decides whether a component runs there: what is to be read, and the facts.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._documents._findings import COMPONENT
from .._values._paths import Path

__all__ = ["KERNEL_FLAGS", "STATE_FILES", "File", "Host", "HostProblem", "Wanted"]

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


class File(NamedTuple):
    """What stands at a path: "file", "directory", "socket", "other", "missing", or "unseen" where the agent cannot see
    what the component sees; and which kinds of PEM blocks a file holds (None: it could not be read)."""

    kind: str
    pem: frozenset[str] | None = frozenset()


class Wanted(NamedTuple):
    """What of the host a config depends on: absolute paths, names of cgroups, where the component keeps its state, and
    its container runtime: "containerd", "cri-o", or "" where that is not known."""

    paths: frozenset[str] = frozenset()
    cgroups: frozenset[str] = frozenset()
    root_directory: str = ""
    runtime: str = ""


class Host(NamedTuple):
    """The facts. cpus are the CPUs that are online; sockets is a count, memory and disk bytes, each 0 where unknown;
    cpus, numa_nodes and kernel hold what could be read."""

    swaps: tuple[str, ...] = ()
    cpus: frozenset[int] = frozenset()
    sockets: int = 0
    memory: int = 0
    disk: int = 0  # of the file system that the component keeps its state on
    numa_nodes: frozenset[int] = frozenset()
    cgroup_v2: bool = True
    kernel: Mapping[str, int] = {}
    files: Mapping[str, File] = {}
    cgroups: Mapping[str, bool] = {}  # named cgroup -> whether it exists, under any of the drivers' names for it
    states: Mapping[str, Mapping[str, Any]] = {}  # state file -> what it holds
    damaged_state: tuple[str, ...] = ()  # state files that are not JSON
    runtime_driver: str = ""  # what the runtime's config says: "systemd", "cgroupfs", "" where it does not say


class HostProblem(NamedTuple):
    """One thing on this host that does not go with the config."""

    path: Path
    message: str
    rule: str
    level: str = COMPONENT
