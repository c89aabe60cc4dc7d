# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Observes what runs of a static Pod, from the kubelet's logs and from /proc: an agent does not speak CRI.

The kubelet keeps the logs of a Pod in /var/log/pods/<namespace>_<name>_<uid>/<container>, one file for each start of
the container: 0.log, 1.log, ... The uid of a static Pod is a hash of its manifest.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .._static_pods.component_output import ending_reason

_LOG = re.compile(r"([0-9]{1,9})\.log(?:\.|\Z)")  # one that is being rotated has another name for a moment
_START_FIELD = 19  # of /proc/PID/stat behind the name: starttime, in ticks since boot
_OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)  # which says nothing about a process
_MAX_TAIL = 256 * 1024  # bytes of a log: the help that follows an error has 80,000


class PodProcess(NamedTuple):
    """The process of a component. started: in seconds since boot."""

    pid: int
    started: float


class PodRun(NamedTuple):
    """One Pod of a component. attempt: the number of its container's last start. process: None if none runs.

    logged_since: when the newest log was created, in seconds since the epoch.
    """

    uid: str
    attempt: int
    logged_since: float
    process: PodProcess | None = None

    @property
    def invocation(self) -> str:
        """The name of the container's last start."""
        return f"{self.uid}/{self.attempt}"

    def started(self, epoch_of_boot: float) -> float:
        """Return when the container was started last, in seconds since boot, which was at epoch_of_boot."""
        return self.logged_since - epoch_of_boot if self.process is None else self.process.started


class PodFiles:
    """Where the kubelet and the kernel show what runs. All methods may raise OSError."""

    def __init__(self, logs: str = "/var/log/pods", proc: str = "/proc") -> None:
        """Use these directories."""
        self._logs = logs
        self._proc = proc

    def runs(self, pod: str, container: str, program: str) -> list[PodRun]:
        """Return the Pods of a name that have started a container.

        pod: <namespace>_<name>. container: its name. program: that of the component, without a directory.
        """
        runs = []
        processes = sorted(self._processes(program), key=lambda item: item[1].started)
        for uid, directory in self._log_directories(pod, container):
            attempts = [int(match[1]) for match in map(_LOG.match, _names(directory)) if match]
            if not attempts:
                continue
            try:
                logged_since = os.stat(directory).st_mtime  # another log is an entry of its own
            except FileNotFoundError:
                continue  # the kubelet removes the logs of a Pod that has gone
            # The first of several: the others were started in the container by hand.
            process = next((process for text, process in processes if uid in text), None)
            runs.append(PodRun(uid, max(attempts), logged_since, process))
        return runs

    def is_running(self, process: PodProcess) -> bool:
        """Return whether a process is there, and not another one of its number."""
        try:
            return _started(os.path.join(self._proc, str(process.pid))) == process.started
        except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
            return False

    def ending_reason(self, pod: str, container: str, invocation: str) -> str:
        """Return why a start of a container has ended, by its log; "" if that is not known."""
        uid, _slash, attempt = invocation.partition("/")
        for known, directory in self._log_directories(pod, container):
            if known == uid:
                return ending_reason(map(_message, _tail(os.path.join(directory, f"{attempt}.log"))))
        return ""

    def _log_directories(self, pod: str, container: str) -> Iterator[tuple[str, str]]:
        for name in _names(self._logs):
            if name.startswith(f"{pod}_"):
                yield name[len(pod) + 1 :], os.path.join(self._logs, name, container)

    def _processes(self, program: str) -> Iterator[tuple[str, PodProcess]]:
        """Yield the processes of a program, each with a text that has the uid of its Pod, if it is in one.

        The control group has it, unless the kubelet puts no Pods into groups of their own; so do the mounts.
        """
        for name in _names(self._proc):
            if not (name.isascii() and name.isdigit()):
                continue
            directory = os.path.join(self._proc, name)
            try:
                words = _read(os.path.join(directory, "cmdline")).split(b"\0")
                if program.encode() not in map(os.path.basename, words):
                    continue
                group = _read(os.path.join(directory, "cgroup")).decode(errors="replace").replace("_", "-")
                mounts = _read(os.path.join(directory, "mountinfo")).decode(errors="replace")
                started = _started(directory)
            except OSError as error:
                if error.errno in _OUT_OF_RESOURCES:
                    raise
                continue  # it has ended meanwhile
            except (ValueError, IndexError):
                continue
            yield f"{group}\n{mounts}", PodProcess(int(name), started)


def newest_run(runs: Sequence[PodRun], *, epoch_of_boot: float) -> PodRun | None:
    """Return the run that was started last, None without any.

    A process may be older than a Pod that ends again and again, because the process still has its port.
    epoch_of_boot: the time of boot, in seconds since the epoch.
    """
    return max(runs, key=lambda run: run.started(epoch_of_boot), default=None)


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


def _started(directory: str) -> float:
    """Return when a process was started, in seconds since boot. directory: that of /proc."""
    fields = _read(os.path.join(directory, "stat")).decode(errors="replace").rpartition(")")[2].split()
    return int(fields[_START_FIELD]) / os.sysconf("SC_CLK_TCK")


def _tail(path: str) -> list[str]:
    try:
        with open(path, "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _MAX_TAIL))
            return stream.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _message(line: str) -> str:
    """Return the text of a line in a container's log, behind the time, the stream and a tag."""
    parts = line.split(" ", 3)
    return parts[3] if len(parts) == 4 else ""
