# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether cgroups exist, as the kubelet looks for them: in every hierarchy, with every controller."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .._componentconfig._rules.host_model import Cgroup
from ._files import names_in, read_text, rooted

_MOUNT = "sys/fs/cgroup"
_CONTROLLERS = "cgroup.controllers"
# pkg/kubelet/cm: Validate of the managers for v1 and v2. The hierarchy of systemd itself counts as one.
_V1 = frozenset(("cpu", "cpuacct", "cpuset", "hugetlb", "memory", "pids", "systemd"))
_V2 = frozenset(("cpu", "cpuset", "hugetlb", "memory", "pids"))


def is_unified(root: str) -> bool:
    """Return whether the host uses cgroup v2."""
    return os.path.exists(rooted(root, f"{_MOUNT}/{_CONTROLLERS}"))


def read_cgroup(root: str, path: str) -> Cgroup:
    """Return whether a cgroup exists. path: below the mount of a hierarchy."""
    if "\0" in path:
        return Cgroup(exists=False)
    return _unified(root, path) if is_unified(root) else _in_hierarchies(root, path)


def _unified(root: str, path: str) -> Cgroup:
    directory = f"{_MOUNT}{path}"
    if not os.path.isdir(rooted(root, directory)):
        return Cgroup(exists=False)
    if not os.path.exists(rooted(root, f"{directory}/{_CONTROLLERS}")):
        return Cgroup(exists=True)
    needed = _V2.intersection(read_text(root, f"{_MOUNT}/{_CONTROLLERS}").split())
    return Cgroup(True, tuple(sorted(needed.difference(read_text(root, f"{directory}/{_CONTROLLERS}").split()))))


def _in_hierarchies(root: str, path: str) -> Cgroup:
    mounts = _hierarchies(root)
    lacks = sorted(name for name, mount in mounts.items() if not os.path.isdir(rooted(root, f"{mount}{path}")))
    is_nowhere = len(lacks) == len(mounts)
    return Cgroup(exists=not is_nowhere, lacks=() if is_nowhere else tuple(lacks))


def _hierarchies(root: str) -> Mapping[str, str]:
    """Return the hierarchies that the kubelet looks at, controller -> mount. One may have several controllers."""
    names = names_in(root, _MOUNT)
    return {controller: f"{_MOUNT}/{name}" for name in names for controller in name.split(",") if controller in _V1}
