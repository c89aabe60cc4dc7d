# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of testbeds, and the removal of everything that belongs to a number.

A testbed has a number N: the directory /var/tmp/configok/N, the bridge cko<N>, and network namespaces, links and
control groups whose names begin with cko<N>-. The leftovers of a killed run are identified by these names. This file,
which imports nothing of ours, is also the guard that waits for the end of a run:

    python _sweep.py NUMBER OWNER      wait until the process OWNER has ended, then remove the testbed
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["DIRECTORY", "claim", "dead_numbers", "numbers", "prefix", "sweep"]

DIRECTORY = Path("/var/tmp/configok")  # overlays need a real file system, and /tmp may be in memory
_MOST = 250


def prefix(number: int) -> str:
    """Return the prefix of all names of a testbed."""
    return f"cko{number}"


def claim(owner: int) -> int:
    """Take the lowest free number for the process owner, and make its directory."""
    DIRECTORY.mkdir(mode=0o755, exist_ok=True)
    for number in range(_MOST):
        directory = DIRECTORY / str(number)
        try:
            directory.mkdir(mode=0o700)
        except FileExistsError:
            continue
        (directory / "owner").write_text(f"{owner} {_started(owner)}")
        if not (Path("/sys/class/net") / prefix(number)).exists():
            return number
        shutil.rmtree(directory)  # a foreign bridge has that name
    raise RuntimeError(f"all {_MOST} numbers of testbeds are taken: see {DIRECTORY}")


def numbers() -> list[int]:
    """Return the numbers that are taken."""
    if not DIRECTORY.is_dir():
        return []
    return sorted(int(directory.name) for directory in DIRECTORY.iterdir() if directory.name.isdigit())


def dead_numbers() -> list[int]:
    """Return the numbers whose owner has ended without releasing them."""
    return [number for number in numbers() if not _is_owned(DIRECTORY / str(number))]


def sweep(number: int) -> None:
    """Kill, unmount and remove everything that belongs to the number; missing parts are not an error."""
    name, directory = prefix(number), DIRECTORY / str(number)
    cgroups = Path("/sys/fs/cgroup")
    hierarchies = [cgroups, *(path for path in cgroups.iterdir() if path.is_dir())]
    groups = [group for hierarchy in hierarchies for group in hierarchy.glob(f"{name}-*")]
    _kill_all(groups)
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    for mount in reversed([target for target in mounts if target.startswith(f"{directory}/")]):
        _quietly("umount", "--lazy", mount)
    # The kernel takes a moment to remove the links of a deleted namespace, and the next testbed may have their names.
    for link in Path("/sys/class/net").glob(f"{name}-*"):
        _quietly("ip", "link", "delete", link.name)
    for namespace in Path("/run/netns").glob(f"{name}-*"):
        _quietly("ip", "netns", "delete", namespace.name)
    _quietly("ip", "link", "delete", name)
    for group in groups:
        for path, _directories, _files in os.walk(group, topdown=False):
            _remove(path)
    shutil.rmtree(directory, ignore_errors=True)


def _kill_all(groups: list[Path], seconds: float = 10.0) -> None:
    """Kill the processes of the groups and their subgroups, and wait until all have ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        pids = set()
        for group in groups:
            for path, _directories, _files in os.walk(group):
                try:
                    pids |= {int(pid) for pid in (Path(path) / "cgroup.procs").read_text().split()}
                except OSError:
                    pass  # the group was removed
        pids -= {0, os.getpid()}
        if not pids:
            return
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def _is_owned(directory: Path) -> bool:
    try:
        pid, started = (directory / "owner").read_text().split()
    except (OSError, ValueError):
        # Just being claimed, or being removed.
        return directory.exists() and time.time() - directory.stat().st_mtime < 60
    return started != "0" and _started(int(pid)) == int(started)


def _started(pid: int) -> int:
    """Return the start time of a process, in clock ticks since boot, or 0 if it does not exist."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 0


def _remove(path: str) -> None:
    try:
        os.rmdir(path)
    except OSError:
        pass  # a process of it has not quite ended: the empty group is harmless


def _quietly(*command: str) -> None:
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=30)


def _guard(number: int, owner: int) -> None:
    try:
        handle = os.pidfd_open(owner)
    except ProcessLookupError:
        pass
    else:
        select.select([handle], [], [])
    sweep(number)


if __name__ == "__main__":
    _guard(int(sys.argv[1]), int(sys.argv[2]))
