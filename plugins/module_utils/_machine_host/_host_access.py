# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The host: its files and its commands."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

_TIMEOUT = 600.0
_NO_SUCH_COMMAND = 127
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # not all logins have all of them
_SILENCE = {
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
    "NEEDRESTART_MODE": "l",  # a tool that would restart the kubelet on its own
    "SYSTEMD_COLORS": "0",
}
_MOST_OUTPUT = 300


class HostError(Exception):
    """Why the host cannot become what is wanted; the text is one sentence without its full stop."""


class CommandResult(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    output: str
    errors: str

    def complaint(self) -> str:
        """Return the last line that says why it failed."""
        lines = [line.strip() for line in (self.errors or self.output).splitlines() if line.strip()]
        marked = [line for line in lines if line.startswith(("E:", "dpkg: error", "Error", "error:"))]
        text = (marked or lines or [f"exit code {self.code}"])[-1]
        return text[:_MOST_OUTPUT]


class Host:
    """Files and commands of the machine that this runs on. root: its root directory, for tests."""

    def __init__(self, root: str = "") -> None:
        self.root = root.rstrip("/")

    def path(self, path: str) -> str:
        """Return where a path of the host is."""
        return self.root + path

    def run(self, command: Sequence[str], *, text: str = "", timeout: float = _TIMEOUT) -> CommandResult:
        """Run a command. A program that is missing ends with 127, one that takes too long with 124."""
        try:
            done = subprocess.run(
                list(command),
                input=text,
                capture_output=True,
                env={**os.environ, **_SILENCE, "PATH": _path()},
                timeout=timeout,
                check=False,
                encoding="utf-8",
                errors="replace",
            )
        except FileNotFoundError:
            return CommandResult(_NO_SUCH_COMMAND, "", f"{command[0]} was not found")
        except subprocess.TimeoutExpired:
            return CommandResult(124, "", f"{command[0]} did not end within {timeout:.0f} s")
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def must(self, command: Sequence[str], what: str, *, text: str = "", timeout: float = _TIMEOUT) -> str:
        """Run a command and return its output. what: for the error: "containerd could not be stopped"."""
        result = self.run(command, text=text, timeout=timeout)
        if result.code != 0:
            raise HostError(f"{what}: {result.complaint()}")
        return result.output

    def has(self, program: str) -> bool:
        """Return whether the program is on the path."""
        return shutil.which(program, path=_path()) is not None

    def exists(self, path: str) -> bool:
        """Return whether the path exists, be it a dangling link."""
        return os.path.lexists(self.path(path))

    def read(self, path: str) -> str | None:
        """Return a file's text, None if there is no such file."""
        try:
            with open(self.path(path), encoding="utf-8", errors="surrogateescape") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Write a file so that a reader sees the old or the new text, also after a power cut."""
        directory = os.path.dirname(self.path(path))
        os.makedirs(directory, mode=0o755, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=directory)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
                os.fchmod(file.fileno(), mode)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path(path))
        except BaseException:
            os.unlink(temporary)
            raise

    def mode(self, path: str) -> int:
        """Return the permissions of a file, 0 if it is missing."""
        try:
            return os.stat(self.path(path)).st_mode & 0o7777
        except FileNotFoundError:
            return 0

    def remove(self, path: str) -> bool:
        """Remove a file or a link. Return whether there was one."""
        try:
            os.unlink(self.path(path))
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def names(self, directory: str) -> list[str]:
        """Return the names in a directory, in order; [] if there is none."""
        try:
            return sorted(os.listdir(self.path(directory)))
        except (FileNotFoundError, NotADirectoryError):
            return []

    @contextmanager
    def lock(self, path: str, patience: float = 300.0) -> Iterator[None]:
        """Hold a lock: a run whose connection was cut may still be at work here. Raises HostError."""
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        deadline = time.monotonic() + patience
        with open(self.path(path), "w", encoding="utf-8") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise HostError(
                            f"another run has been changing this host for more than {patience:.0f} s"
                        ) from None
                    time.sleep(0.2)
            yield


def _path() -> str:
    """Return the directories with programs, those of the login first."""
    return ":".join(part for part in (os.environ.get("PATH", ""), _PATH) if part)
