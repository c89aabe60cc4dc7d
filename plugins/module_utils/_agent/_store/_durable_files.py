# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes files durably, and locks them between processes.

``DurableFiles`` writes a temporary file, syncs and renames it, and syncs the directory: after a power cut, a file has
its old content or its new content. ``Disk`` has the single steps. Tests replace it by one that fails at a step of their
choice, or loses there what was not synced.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from _thread import get_ident
from collections.abc import Callable, Iterator

DIRECTORY_MODE = 0o700
FILE_MODE = 0o600
TEMPORARY = ".tmp-"  # the prefix of a file that is being written
MAX_BYTES = 8 * 1024 * 1024  # no file of the agent is larger, so a larger one is damaged


class Disk:
    """The steps that change the disk. The power may be cut after each of them."""

    def write(self, path: str, data: bytes, mode: int) -> None:
        """Create the file with this content; it need not be durable yet."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(data)

    def sync(self, path: str) -> None:
        """Make the content of a file, or the entries of a directory, durable."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno != errno.EINVAL:  # this file system cannot sync a directory
                raise
        finally:
            os.close(descriptor)

    def rename(self, old: str, new: str) -> None:
        """Replace new with old, atomically."""
        os.rename(old, new)

    def unlink(self, path: str) -> None:
        """Remove a file."""
        os.unlink(path)

    def mkdir(self, path: str, mode: int) -> None:
        """Create a directory."""
        os.mkdir(path, mode)
        os.chmod(path, mode)  # whatever the umask is


class DurableFiles:
    """Files under one directory, each read and replaced as a whole. Every method may raise OSError."""

    def __init__(
        self, root: str, disk: Disk | None = None, *, directory_mode: int = DIRECTORY_MODE, temporary: str = TEMPORARY
    ) -> None:
        """root: an absolute path; every name below is relative to it.

        directory_mode: of directories that it makes. temporary: the prefix of a file that is being written.
        """
        self.root = root
        self._directory_mode = directory_mode
        self._temporary = temporary
        self._disk = disk or Disk()

    def path(self, name: str) -> str:
        """Return the absolute path of a name."""
        return os.path.join(self.root, name)

    def read(self, name: str) -> bytes | None:
        """Return the content, None if there is no such file. Raises OSError, also if it is too large or not regular."""
        try:
            # Not blocking: a named pipe in the file's place would delay the start of a component without a limit.
            descriptor = os.open(self.path(name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EISDIR, "not a regular file", self.path(name))
            if status.st_size > MAX_BYTES:
                raise OSError(errno.EFBIG, f"larger than {MAX_BYTES} bytes", self.path(name))
            with open(descriptor, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(descriptor)

    def write(
        self, name: str, data: bytes, mode: int = FILE_MODE, *, confirm: Callable[[], None] = lambda: None
    ) -> None:
        """Replace the content of a file, or create the file and the directories above it.

        A file that already has this content and mode is not written again. Content that read() would refuse is refused.
        confirm: called right before the content is replaced; what it raises leaves the file as it is.
        """
        if len(data) > MAX_BYTES:
            raise OSError(errno.EFBIG, f"larger than {MAX_BYTES} bytes", self.path(name))
        if self._has_content(name, data, mode):
            return
        target = self.path(name)
        directory = os.path.dirname(target)
        self.make_directory(os.path.dirname(name))
        # Named after the thread too: the daemon prepares a bundle in a thread of its own while it reconciles.
        unique = f"{os.getpid()}-{get_ident()}"
        temporary = os.path.join(directory, f"{self._temporary}{os.path.basename(target)}-{unique}")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)  # left by a killed process that had the same number
        try:
            self._disk.write(temporary, data, mode)
            self._disk.sync(temporary)
            confirm()
            self._disk.rename(temporary, target)
        except Exception:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        self._disk.sync(directory)

    def _has_content(self, name: str, data: bytes, mode: int) -> bool:
        try:
            status = os.lstat(self.path(name))
            if status.st_mode != 0o100000 | mode or status.st_size != len(data):
                return False
            return self.read(name) == data
        except OSError:
            return False

    def make_directory(self, name: str) -> None:
        """Create a directory, and those above it that are missing."""
        path = self.path(name) if name else self.root
        missing = []
        while not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        for directory in reversed(missing):
            self._disk.mkdir(directory, self._directory_mode)
            self._disk.sync(os.path.dirname(directory))

    def sync_directory(self) -> None:
        """Make the entries of the root directory durable, and its own entry."""
        self._disk.sync(self.root)
        self._disk.sync(os.path.dirname(self.root))

    def rename(self, old: str, new: str) -> None:
        """Rename a file in its directory, durably."""
        self._disk.rename(self.path(old), self.path(new))
        self._disk.sync(os.path.dirname(self.path(new)))

    def remove(self, name: str) -> None:
        """Remove a file; do nothing if there is none."""
        with contextlib.suppress(FileNotFoundError):
            self._disk.unlink(self.path(name))

    def list_names(self, name: str) -> list[str]:
        """Return the sorted names in a directory, without files that are being written; [] without a directory."""
        return sorted(entry for entry in self._entries(name) if not entry.startswith(self._temporary))

    def remove_leftovers(self, name: str) -> None:
        """Remove the temporary files of interrupted writes from a directory.

        The caller holds the lock, since a write in progress looks the same.
        """
        for entry in self._entries(name):
            if entry.startswith(self._temporary):
                self.remove(os.path.join(name, entry))

    def _entries(self, name: str) -> list[str]:
        try:
            return os.listdir(self.path(name))
        except (FileNotFoundError, NotADirectoryError):
            return []


STORE_LOCK = ".lock"  # in the state directory; never held during a restart, a probe or a request
DAEMON_LOCK = "agent.lock"  # in the run directory; held as long as the daemon runs
PRESTART_WAIT = 0.05  # seconds that the start of a component may wait for the store
LOOP_WAIT = 0.2  # seconds that the reconcile loop waits for the store before it tries again later
LOCK_WAIT = 5.0  # seconds to wait for the store outside of the loop; its lock is never held for long
_POLL_INTERVAL = 0.005  # seconds


class LockTimeout(Exception):
    """Another process or thread held the lock for too long; the text names the file."""


@contextlib.contextmanager
def locked(path: str, *, wait: float) -> Iterator[None]:
    """Hold the lock at path; wait for it for at most ``wait`` seconds. Raises LockTimeout, OSError."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise LockTimeout(f"{path} is held by another process") from None
                time.sleep(_POLL_INTERVAL)
        yield
    finally:
        os.close(descriptor)


def file_stamp(path: str) -> object:
    """Return a value that changes with a file's content, None if the file does not exist or cannot be reached."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size
