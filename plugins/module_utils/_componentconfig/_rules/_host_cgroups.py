# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that the cgroups which the kubelet needs exist, under the names that its cgroup driver gives them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from ..findings import Finding, not_judged
from ._rule import EffectiveConfig
from .host_model import Cgroup, CgroupDriver, Host

_RESERVED = {"kube-reserved": "kubeReservedCgroup", "system-reserved": "systemReservedCgroup"}
_SLICE = ".slice"
_DRIVERS: tuple[CgroupDriver, ...] = ("cgroupfs", "systemd")
_ROOT = ([""], ["", ""])  # the parts of "" and of "-", which systemd calls its root slice
_RULE = "qos-root"
_FROM_RUNTIME = "KubeletCgroupDriverFromCRI"


class _Needed(NamedTuple):
    """A cgroup that must exist: the field, the name in it, and whether a name of systemd is one unit or a path.

    The kubelet reads cgroupRoot as a path, and the other fields as what the driver calls them.
    """

    field: str
    name: str
    is_path: bool


def _needed(config: EffectiveConfig) -> Iterator[_Needed]:
    root = config.get("cgroupRoot")
    if config.get("cgroupsPerQOS") and root and root != "/":
        yield _Needed("cgroupRoot", str(root), is_path=True)
    enforced = {str(value).replace("-compressible", "") for value in config.get("enforceNodeAllocatable") or []}
    for value, field in _RESERVED.items():
        if value in enforced and config.get(field):
            yield _Needed(field, str(config.get(field)), is_path=False)


def _path(needed: _Needed, driver: CgroupDriver) -> str | None:
    """Return where the kubelet looks for a cgroup, below the mount of a hierarchy; None for a name that ends it.

    pkg/kubelet/cm/cgroup_manager_linux.go: ParseCgroupfsToCgroupName, ParseSystemdToCgroupName, ToSystemd. Only the
    last part of a name of systemd counts, and all that is not a slice becomes one: a.service is a.service.slice.
    """
    if driver != "systemd":
        return posixpath.normpath("/" + needed.name.lstrip("/"))
    if needed.is_path:
        parts = [part.replace("-", "_") for part in needed.name[needed.name.startswith("/") :].split("/")]
    else:
        last = posixpath.basename(needed.name.rstrip("/")) or "/"
        parts = (last[: -len(_SLICE)] if last.endswith(_SLICE) else last).split("-")
    if parts in _ROOT:
        return "/"
    if not all(parts) or any("/" in part for part in parts):
        return None
    return "".join(f"/{'-'.join(parts[: length + 1])}{_SLICE}" for length in range(len(parts)))


def cgroup_paths(config: EffectiveConfig) -> frozenset[str]:
    """Return the paths of the cgroups that must exist, for both drivers: the host may decide which one it is."""
    paths = {_path(needed, driver) for needed in _needed(config) for driver in _DRIVERS}
    return frozenset(path for path in paths if path is not None)


def _drivers(config: EffectiveConfig, host: Host) -> tuple[CgroupDriver, ...]:
    """Return the driver that the kubelet uses, or both if the runtime decides and may decide otherwise."""
    written: CgroupDriver = "systemd" if config.get("cgroupDriver") == "systemd" else "cgroupfs"
    if not config.gates.is_on(_FROM_RUNTIME) or host.runtime_driver == written:
        return (written,)
    return _DRIVERS


def cgroup_findings(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    """Yield the cgroups that the kubelet needs and does not find."""
    drivers = _drivers(config, host)
    for needed in _needed(config):
        problems = {driver: _problem(needed, driver, host) for driver in drivers}
        failing = [driver for driver, problem in problems.items() if problem]
        if failing and len(failing) < len(drivers):
            [other] = failing
            why = f"the container runtime decides between the cgroup drivers, and with {other} it is missing"
            yield not_judged((needed.field,), f"whether the cgroup {needed.name} exists", why)
        elif failing:
            yield Finding((needed.field,), problems[drivers[0]], _RULE)


def _problem(needed: _Needed, driver: CgroupDriver, host: Host) -> str:
    """Return what is wrong with a cgroup under a driver, "" if nothing is known to be."""
    path = _path(needed, driver)
    if path is None:
        return "must be the name of a slice: with the cgroup driver systemd the kubelet exits over any other"
    cgroup = host.cgroups.get(path, Cgroup(exists=True))
    looks = "" if path == _path(needed, "cgroupfs") else f", where the driver {driver} looks for {path}"
    if not cgroup.exists:
        return f"the cgroup does not exist on this host{looks}: create it, or name one that exists"
    if cgroup.lacks:
        lacks = ", ".join(cgroup.lacks)
        return f"the cgroup is not in all hierarchies of this host{looks}: it lacks {lacks}"
    return ""
