# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command, and kill it with all its processes as soon as something has changed.

kill_when_changed.py SECONDS PLACE[,PLACE...] COMMAND...     SECONDS: how long it continues after the change

A place is a file of a machine, which is created, replaced or removed; or /api/v1/nodes/NAME, a Node of the API server
of $KUBECONFIG, whose labels or taints change.

Exits 0 if the command ran when it was killed; else 1. The end of the command's output is printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from support.ansible_runs.playbooks import kill

_LIMIT = 300.0  # seconds
_POLL = 0.01
_API = "/api/"  # the beginning of a place in the API server


def main(seconds: str, places: str, *command: str) -> int:
    """Run and kill the command; return the exit code."""
    with Client(from_kubeconfig(os.environ["KUBECONFIG"])) as client, tempfile.TemporaryFile("w+") as output:

        def states() -> list[object]:
            return [node_state(client, place) if place.startswith(_API) else file_state(place) for place in names]

        names = places.split(",")
        before = states()
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True)
        deadline = time.monotonic() + _LIMIT
        has_changed = False
        while running.poll() is None and not has_changed and time.monotonic() < deadline:
            has_changed = states() != before
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
        print(f"none of these was changed within {_LIMIT:.0f} s: {places}")
    return int(has_ended or not has_changed)


def file_state(path: str) -> object:
    """Return what differs after a file was replaced, or None if it is missing."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def node_state(client: Client, path: str) -> object:
    """Return the labels and the taints of a Node, or None if it does not exist."""
    node = client.find(path)
    return node and (node["metadata"]["labels"], node["spec"].get("taints"))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
