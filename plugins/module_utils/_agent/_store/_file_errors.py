# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports why the agent cannot use its own files, and whether that lasts; for the daemon and ``status``."""

from __future__ import annotations

import os
import stat

from .._log import log
from ._durable_files import DIRECTORY_MODE, LockTimeout


class FileErrors:
    """Logs errors of the agent's own files, and finds those that last: a full disk does, a held lock seldom."""

    def __init__(self, state_directory: str, *, lasting: float) -> None:
        """Begin without an error. lasting: the seconds after which errors are reported to the cluster."""
        self._state_directory = state_directory
        self._lasting = lasting
        self._since: float | None = None
        self._text = ""

    def record(self, error: OSError | LockTimeout, now: float) -> str:
        """Record an error at a time (seconds since boot); return its text once errors have lasted, else ""."""
        text = str(error)
        if isinstance(error, OSError) and error.strerror:
            text = f"{error.filename or self._state_directory}: {error.strerror}"
        if self._since is None:
            self._since = now
        is_lasting = now - self._since >= self._lasting
        if isinstance(error, LockTimeout) and not is_lasting:
            return ""  # neither logged nor reported: most locks are free again in a moment
        if text != self._text:  # one line for each kind of error, not for each attempt
            log.error("the agent's own files: %s", text)
        self._text = text
        return text if is_lasting else ""

    def clear(self) -> None:
        """Record that the files can be used again."""
        self._since, self._text = None, ""


def directory_faults(state_directory: str) -> list[str]:
    """Return why the agent, which has root's uid but no capabilities, cannot use its directories: a phrase for each.

    A directory that does not exist yet is fine. Raises OSError if this process cannot read it either.
    """
    if not os.path.isdir(state_directory):
        return []
    faults = _faults_of(state_directory)
    if os.statvfs(state_directory).f_flag & os.ST_RDONLY:
        faults.append(f"{state_directory} is on a file system that is read-only")
    for parent, directories, _files in os.walk(state_directory, onerror=_raise):
        for name in sorted(directories):
            faults += _faults_of(os.path.join(parent, name))
    return faults


def _raise(error: OSError) -> None:
    raise error


def _faults_of(path: str) -> list[str]:
    status = os.stat(path)
    faults = []
    if status.st_uid != os.geteuid():
        faults.append(f"{path} belongs to uid {status.st_uid}, not to uid {os.geteuid()}")
    mode = stat.S_IMODE(status.st_mode)
    if mode & DIRECTORY_MODE != DIRECTORY_MODE:
        faults.append(f"{path} has mode {mode:04o}, the agent needs {DIRECTORY_MODE:04o}")
    return faults
