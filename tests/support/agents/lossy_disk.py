# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that fails, or loses power, at the step of a test's choice."""

from __future__ import annotations

import errno
import os

from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import Disk

__all__ = ["LossyDisk", "PowerLost"]


class PowerLost(BaseException):
    """Raised when the machine is off or the process is killed; code under test must not catch it."""


class LossyDisk(Disk):
    """Counts its steps. At step ``fails``, and at the ``lasts`` - 1 steps after it, it raises OSError with ``number``.

    With ``power`` the machine is off from that step on, and data that is not durable is lost: an unsynced file loses
    half of its content; a rename in an unsynced directory is undone (``undo``) or kept (both are possible, so tests try
    both). With ``kill`` only the process ends, and nothing is lost.
    """

    def __init__(
        self,
        fails: int = -1,
        *,
        power: bool = False,
        undo: bool = False,
        kill: bool = False,
        number: int = errno.ENOSPC,
        lasts: int = 1,
    ) -> None:
        self.steps = 0
        self._fails = fails
        self._ends = power or kill
        self._power = power
        self._undo = undo
        self._number = number
        self._lasts = lasts
        self._unsynced: set[str] = set()
        self._renames: list[tuple[str, str, bytes | None]] = []

    def _step(self) -> None:
        step = self.steps
        self.steps += 1
        if step < self._fails or self._fails < 0:
            return
        if self._ends:
            if self._power and step == self._fails:
                self._lose()
            raise PowerLost
        if step < self._fails + self._lasts:
            raise OSError(self._number, os.strerror(self._number))

    def _lose(self) -> None:
        if self._undo:
            for old, new, before in reversed(self._renames):
                os.rename(new, old)
                if before is not None:
                    with open(new, "wb") as file:
                        file.write(before)
        for path in self._unsynced:
            if os.path.exists(path):
                os.truncate(path, os.path.getsize(path) // 2)

    def write(self, path: str, data: bytes, mode: int) -> None:
        self._step()
        self._unsynced.add(path)
        super().write(path, data, mode)

    def sync(self, path: str) -> None:
        self._step()
        super().sync(path)
        self._unsynced.discard(path)
        self._renames = [rename for rename in self._renames if os.path.dirname(rename[1]) != path]

    def rename(self, old: str, new: str) -> None:
        self._step()
        before = None
        if os.path.exists(new):
            with open(new, "rb") as file:
                before = file.read()
        super().rename(old, new)
        if old in self._unsynced:
            self._unsynced.discard(old)
            self._unsynced.add(new)
        self._renames.append((old, new, before))

    def unlink(self, path: str) -> None:
        self._step()
        super().unlink(path)

    def mkdir(self, path: str, mode: int) -> None:
        self._step()
        super().mkdir(path, mode)
