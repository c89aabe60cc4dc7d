# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a rollout, and kill it with all its processes while it moves the pool and the record is in a phase.

run_and_kill.py POOL PHASE SECONDS COMMAND...     SECONDS: how long it runs on after it has reached the phase

Exits 0 if the record was in that phase when the command was killed; else 1, with the end of the command's output.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from support.ansible_runs.playbooks import kill

_LIMIT = 180.0  # seconds
_POLL = 0.02


def main(pool: str, phase: str, seconds: str, *command: str) -> int:
    """Run and kill the command; return the exit code."""
    with Client(from_kubeconfig(os.environ["KUBECONFIG"])) as client, tempfile.TemporaryFile("w+") as output:
        lock = lock_of(client, pool)  # of a run that was killed earlier: this one waits for its end, then takes it
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True)
        deadline = time.monotonic() + _LIMIT
        while running.poll() is None and time.monotonic() < deadline:
            if lock_of(client, pool) != lock and phase_of(client, pool) == phase:
                break
            time.sleep(_POLL)
        if running.poll() is None:
            time.sleep(float(seconds))
        has_ended = running.poll() is not None
        if not has_ended:
            kill(running)
        reached = phase_of(client, pool)
        output.seek(0)
        print(output.read()[-4000:])
    if has_ended:
        print(f"it ended with {running.returncode} before it was killed; the record is in phase {reached}")
    elif reached != phase:
        print(f"it was killed in phase {reached}, not in {phase}")
    return int(has_ended or reached != phase)


def phase_of(client: Client, pool: str) -> str:
    """Return the phase of a pool's rollout, or an empty text if it has none."""
    record = client.find(paths.config_map("configok-rollouts", pool))
    rollout = json.loads(record["data"]["record"]).get("rollout") if record else None
    return rollout["phase"] if rollout else ""


def lock_of(client: Client, pool: str) -> str:
    """Return the version of the pool's lock."""
    lease = client.find(paths.lease("configok-rollouts", pool))
    return lease["metadata"]["resourceVersion"] if lease else ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
