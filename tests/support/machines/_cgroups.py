# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control group for each machine, in every hierarchy: its systemd must not see the processes of another machine.

Two containers that are started in one group of a version 1 hierarchy would both treat it as their root.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["make", "only_version_1"]

_ROOT = Path("/sys/fs/cgroup")


def only_version_1() -> bool:
    """Return whether this machine has only version 1 hierarchies, with which a new systemd boots only on request."""
    return not (_ROOT / "cgroup.controllers").exists()


def make(name: str) -> list[Path]:
    """Create the group in all hierarchies and return its directories; a process enters by their cgroup.procs."""
    hierarchies = [hierarchy for hierarchy in _ROOT.iterdir() if hierarchy.is_dir() and not hierarchy.is_symlink()]
    groups = [hierarchy / name for hierarchy in (hierarchies if only_version_1() else [_ROOT])]
    for group in groups:
        group.mkdir(exist_ok=True)
        # A new cpuset is empty, and accepts no process.
        for file in ("cpuset.cpus", "cpuset.mems"):
            if (group.parent / "cgroup.sane_behavior").exists() and (group / file).exists():
                (group / file).write_text((group.parent / file).read_text())
    return groups
