# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs on a test node: starts a kubelet with each config, many at a time, and reports how each ended.

Reads JSON from standard input: `workers`, and `cases`, each a list of number, text, files (path to text) and flags of
the kubelet. Writes JSON: number to a pair of "running", "done", "ended" or "stuck", and its last message.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_STATE = "/var/lib/kubelet"
# Separate network and mounts; its state directory and the files of the case; writable control groups.
_ENTER = r"""
ip link set lo up
mount --bind "$1/state" /var/lib/kubelet
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*/; do mount -o remount,bind,rw "$hierarchy" 2>/dev/null; done
shift
while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 99; shift 2; done
shift
exec "$@"
"""
# Logged at the end of a start.
_STARTED = "Starting Kubelet Plugin Manager"
_SETTLED = 1.0  # seconds after that in which a concurrent task may still end the kubelet
_LONGEST = 120.0
_POLL = 0.1
_FATAL = re.compile(r'^(?:F\d{4} .*|.*"command failed" err=.*|panic: .*|fatal error: .*)$', re.MULTILINE)


def _run(home: Path, number: int, text: str, files: dict[str, str], flags: list[str]) -> tuple[str, str]:
    place = home / str(number)
    (place / "state").mkdir(parents=True)
    config = place / "config.yaml"
    config.write_bytes(text.encode("utf-8", "surrogateescape"))
    binds = []
    for index, (path, content) in enumerate(files.items()):
        target = place / f"file{index}"
        if path.startswith(f"{_STATE}/"):
            target = place / "state" / path[len(_STATE) + 1 :]
        else:
            binds += [str(target), path]
        target.write_text(content)
    log = place / "log"
    enter = ["unshare", "--net", "--mount", "--propagation", "slave", "sh", "-c", _ENTER, "sh", str(place)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*enter, *binds, "--", "kubelet", f"--config={config}", *flags],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=place,
        )
        try:
            outcome = _watch(process, log)
        finally:
            process.kill()
            process.wait()
    message = _last_words(log.read_text(errors="replace"))
    shutil.rmtree(place, ignore_errors=True)
    return outcome, message


def _watch(process: subprocess.Popen[bytes], log: Path) -> str:
    """Return "done" (exit code 0), "ended" (another exit code), "running" (it is up) or "stuck" (not up in time)."""
    begun = time.monotonic()
    started = 0.0
    while process.poll() is None:
        now = time.monotonic()
        if started and now - started > _SETTLED:
            return "running"
        if now - begun > _LONGEST:
            return "stuck"
        if not started and _STARTED in log.read_text(errors="replace"):
            started = now
        time.sleep(_POLL)
    return "done" if process.returncode == 0 else "ended"


def _last_words(text: str) -> str:
    """Return the reason of its exit, or its last line if it gave no reason."""
    fatal = _FATAL.search(text)
    return (fatal.group() if fatal is not None else text.strip().rpartition("\n")[2])[:1000]


def main() -> None:
    """Run all cases and write the answers."""
    task: dict[str, Any] = json.load(sys.stdin)
    home = Path("/srv/oracle")
    with ThreadPoolExecutor(task["workers"]) as pool:
        runs = {
            number: pool.submit(_run, home, number, text, files, flags) for number, text, files, flags in task["cases"]
        }
    json.dump({number: run.result() for number, run in runs.items()}, sys.stdout)


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    main()
