# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms a timer that takes options on trial back if no agent confirms them in time.

A unit's prestart rolls back without the daemon; a Pod has no prestart. So the daemon moves a deadline for as long as it
runs, and ``configok-restore``, a shell script of a systemd timer, puts the prepared manifest in place once that has
passed. The daemon reads what the timer has done before anything else.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from ._store._durable_files import DurableFiles
from ._store._store import Store

GRACE = 60.0
"""Seconds after healthTimeout in which the agent takes options back itself."""

_ARMED, _RESTORED = "armed", "restored-by-timer"  # configok-restore reads and writes them, too
_MOVED = 0.25  # the part of its time after which a deadline is moved: a write needs a sync


class ArmedTimer(NamedTuple):
    """What the timer needs to know. The fields are the lines of a file that a shell reads.

    deadline: in seconds since boot, of the boot with boot_id; after another boot it is `seconds` after that. written:
    SHA-256 of the manifest that is taken back. manifest, prepared: the paths of both. uid: of the config on trial. A
    file that the component reads again takes the manifest's place if it alone differs.
    """

    deadline: int
    seconds: int
    boot_id: str
    written: str
    manifest: str
    prepared: str
    uid: str


class RestoreTimer:
    """The timer's files of one component. Every method may raise OSError; the caller holds the store's lock."""

    def __init__(self, store: Store, component: str) -> None:
        """Use the store of the agent."""
        self._files = store.files
        self._directory = f"components/{component}"

    def arm(self, armed: ArmedTimer) -> None:
        """Have the prepared manifest put in place after the deadline."""
        self._files.write(f"{self._directory}/{_ARMED}", "".join(f"{field}\n" for field in armed).encode())

    def armed(self) -> ArmedTimer | None:
        """Return what is armed, None if nothing is."""
        return _decode(self._files.read(f"{self._directory}/{_ARMED}"))

    def confirm(self, now: float, boot_id: str) -> None:
        """Move the deadline, if one is armed. now: in seconds since boot."""
        armed = self.armed()
        if armed is None:
            return
        left = armed.deadline - now
        if armed.boot_id != boot_id or left < armed.seconds * (1 - _MOVED):
            self.arm(armed._replace(deadline=int(now) + armed.seconds, boot_id=boot_id))

    def disarm(self) -> None:
        """Leave the manifest as it is, whatever the time."""
        armed = self.armed()
        self._files.remove(f"{self._directory}/{_ARMED}")
        if armed is not None:
            folder, name = os.path.split(armed.prepared)
            DurableFiles(folder).remove(name)

    def restored(self) -> ArmedTimer | None:
        """Return what the timer has taken back, None if it has not."""
        return _decode(self._files.read(f"{self._directory}/{_RESTORED}"))

    def forget_restored(self) -> None:
        """Remove the note of the timer: the agent has recorded it."""
        self.disarm()
        self._files.remove(f"{self._directory}/{_RESTORED}")


def _decode(data: bytes | None) -> ArmedTimer | None:
    lines = (data or b"").decode("utf-8", "replace").splitlines()
    if len(lines) != len(ArmedTimer._fields) or not all(line.isascii() and line.isdigit() for line in lines[:2]):
        return None
    return ArmedTimer(int(lines[0]), int(lines[1]), *lines[2:])
