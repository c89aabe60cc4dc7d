# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics as a file for node_exporter's textfile collector. Private to configok.node.

The directory is node_exporter's: nothing is created but the one file, and what else lies there is left alone.
"""

from __future__ import annotations

import os

from .._basis._ports import Journal

__all__ = ["MetricsFile"]

_MODE = 0o644  # for node_exporter, which has a user of its own
_TEMPORARY = ".new"  # the collector reads what ends with .prom


class MetricsFile:
    """Replaces the file as a whole. That it cannot is said once, and harms nothing."""

    def __init__(self, path: str, journal: Journal) -> None:
        self._path = path
        self._journal = journal
        self._trouble = ""

    def show(self, text: str) -> bool:
        """Write; return whether it is written. Nothing is synced: it is written anew when the agent starts."""
        temporary = self._path + _TEMPORARY
        try:
            self._unlink(temporary)  # of an agent that was killed
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
            with open(descriptor, "wb") as stream:
                os.fchmod(descriptor, _MODE)
                stream.write(text.encode())
            os.rename(temporary, self._path)
        except OSError as error:
            self._complain(error)
            return False
        self._trouble = ""
        return True

    def close(self) -> None:
        """Remove the file: an agent that was stopped says nothing, and no metric says what was so long ago."""
        try:
            self._unlink(self._path)
        except OSError as error:
            self._complain(error)

    @staticmethod
    def _unlink(path: str) -> None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass

    def _complain(self, error: OSError) -> None:
        trouble = error.strerror or str(error)
        if trouble != self._trouble:
            self._trouble = trouble
            self._journal("warning", f"the metrics cannot be written to {self._path}: {trouble}")
