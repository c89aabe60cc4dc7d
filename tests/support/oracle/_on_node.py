# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs on a test node: gives each config to a kubelet of its own, many at a time, and tells how each ended.

Reads JSON from standard input: `flags` of the kubelet, `workers`, and `cases`, each a list of number, text and files
(path to text). Writes JSON: number to a pair of "running", "done", "ended" or "stuck", and what it said last.
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
# A network and mounts of its own; its state directory and what the case has of the host; control groups to write to.
_ENTER = r"""
ip link set lo up
mount --bind "$1/state" /var/lib/kubelet
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*/; do mount -o remount,bind,rw "$hierarchy" 2>/dev/null; done
shift
while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 99; shift 2; done
shift
exec "$@"
"""
# Said when all that a start does is done.
_STARTED = "Starting Kubelet Plugin Manager"
_SETTLED = 1.0  # seconds after that, in which what runs beside the start may still end the kubelet
_LONGEST = 120.0
_POLL = 0.1
_FATAL = re.compile(r"^(?:F\d{4} .*|panic: .*|fatal error: .*)$", re.MULTILINE)


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
    said = _last_words(log.read_text(errors="replace"))
    shutil.rmtree(place, ignore_errors=True)
    return outcome, said


def _watch(process: subprocess.Popen[bytes], log: Path) -> str:
    """Return how it ended: "done" where it says that all is well, or "running" where it is up."""
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
    """Return what it died of, or its last line where it did not say."""
    fatal = _FATAL.search(text)
    return (fatal.group() if fatal is not None else text.strip().rpartition("\n")[2])[:1000]


def main() -> None:
    """Run all cases and write the answers."""
    wanted: dict[str, Any] = json.load(sys.stdin)
    home = Path("/srv/oracle")
    with ThreadPoolExecutor(wanted["workers"]) as pool:
        runs = {
            number: pool.submit(_run, home, number, text, files, wanted["flags"])
            for number, text, files in wanted["cases"]
        }
    json.dump({number: run.result() for number, run in runs.items()}, sys.stdout)


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    main()
