# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command, and kill it with all its processes as soon as a file of a machine was created, replaced or removed.

kill_when_changed.py SECONDS FILE[,FILE...] COMMAND...     SECONDS: how long it continues after the change

Exits 0 if the command ran when it was killed; else 1. The end of the command's output is printed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from support.ansible_runs.playbooks import kill

_LIMIT = 300.0  # seconds
_POLL = 0.01


def main(seconds: str, files: str, *command: str) -> int:
    """Run and kill the command; return the exit code."""
    paths = [Path(file) for file in files.split(",")]
    before = [state_of(path) for path in paths]
    with tempfile.TemporaryFile("w+") as output:
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True)
        deadline = time.monotonic() + _LIMIT
        has_changed = False
        while running.poll() is None and not has_changed and time.monotonic() < deadline:
            has_changed = [state_of(path) for path in paths] != before
            time.sleep(_POLL)
        if has_changed:
            time.sleep(float(seconds))
        has_ended = running.poll() is not None
        if not has_ended:
            kill(running)
        output.seek(0)
        print(output.read()[-8000:])
    if has_ended:
        print(f"it ended with {running.returncode} before it was killed")
    elif not has_changed:
        print(f"none of these was changed within {_LIMIT:.0f} s: {files}")
    return int(has_ended or not has_changed)


def state_of(path: Path) -> tuple[int, int] | None:
    """Return what differs after a file was replaced, or None if it is missing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
