# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kubelet and a kernel show of a static Pod, in directories of a test."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._agent._pod_files import PodFiles

__all__ = ["ShownPods"]

_TICKS = os.sysconf("SC_CLK_TCK")


class ShownPods:
    """The logs of a component's Pods, and processes."""

    def __init__(self, root: Path, component: str, node: str = "n1") -> None:
        """Show nothing yet. root: an existing directory. node: the name of the Node."""
        self._logs, self._proc = root / "pods", root / "proc"
        self._component, self._node = component, node
        self.files = PodFiles(str(self._logs), str(self._proc))

    def start(self, uid: str, attempt: int, *, at: float) -> None:
        """Show a start of the container by its empty log. attempt: from 0. at: in seconds since the epoch."""
        directory = self._directory(uid)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"{attempt}.log").write_text("")
        os.utime(directory, (at, at))

    def message(self, uid: str, attempt: int, text: str) -> None:
        """Show a line of a start's log."""
        (self._directory(uid) / f"{attempt}.log").write_text(f"2026-01-01T00:00:00Z stderr F {text}\n")

    def attempts(self, uid: str) -> int:
        """Return how many starts of a Pod are shown."""
        return len(list(self._directory(uid).glob("*.log")))

    def remove_pod(self, uid: str) -> None:
        """Remove the logs of a Pod."""
        shutil.rmtree(self._directory(uid).parent, ignore_errors=True)

    def process(self, program: str, uid: str, pid: int, started: float) -> None:
        """Show a process of a Pod. started: in seconds since boot."""
        process = self._proc / str(pid)
        process.mkdir(parents=True)
        (process / "cmdline").write_bytes(f"{program}\0--v=2\0".encode())
        (process / "cgroup").write_text(f"0::/kubepods/pod{uid}/x")
        (process / "mountinfo").write_text("")
        fields = ["S", *["0"] * 18, str(int(started * _TICKS)), "0"]
        (process / "stat").write_text(f"{pid} (x) {' '.join(fields)}\n")

    def end_processes(self) -> None:
        """Show no process from now on."""
        shutil.rmtree(self._proc, ignore_errors=True)

    def _directory(self, uid: str) -> Path:
        return self._logs / f"kube-system_{self._component}-{self._node}_{uid}" / self._component
