# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hold keeps the agent and the timer from writing manifests while another program does, such as kubeadm.

It is a file in the run directory, which the next boot empties, and it ends by itself: a program that has died holds
nothing after that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ._store._durable_files import DurableFiles

_FILE = "hold"  # configok-restore reads it, too: its lines are the fields


class Hold(NamedTuple):
    """A hold. owner: the program that has taken it. deadline: when it ends, in seconds since boot."""

    owner: str
    deadline: int

    def sentence(self, now: float) -> str:
        """Return what the hold means. now: in seconds since boot."""
        left = math.ceil(self.deadline - now)
        return f"{self.owner} holds the manifests for another {left}s (configok-agent release {self.owner} ends that)"


class HoldFile:
    """The hold of a node. Every method may raise OSError."""

    def __init__(self, run_directory: str) -> None:
        self._files = DurableFiles(run_directory)

    def read(self, now: float) -> Hold | None:
        """Return the hold, None if there is none, or if it has ended. now: in seconds since boot."""
        lines = (self._files.read(_FILE) or b"").decode("utf-8", "replace").splitlines()
        if len(lines) != len(Hold._fields) or not (lines[1].isascii() and lines[1].isdigit()):
            return None
        hold = Hold(lines[0], int(lines[1]))
        return hold if now < hold.deadline else None

    def write(self, hold: Hold) -> None:
        """Take the hold, or another deadline for it."""
        self._files.write(_FILE, "".join(f"{field}\n" for field in hold).encode())

    def remove(self) -> None:
        """End the hold; do nothing without one."""
        self._files.remove(_FILE)
