# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins of a rollout share: the name of a run, its options, its memory and its lines."""

from __future__ import annotations

import gc
import getpass
import os
import socket
import uuid
from collections.abc import Mapping
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import setting_duration
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.wave_limits import Progress
from ansible_collections.configok.node.plugins.module_utils._rollout._report.rendering import NAMES_SHOWN
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import MAX_LEASE_DURATION
from ansible_collections.configok.node.plugins.module_utils._rollout._run.wave_run import WaveResult
from ansible_collections.configok.node.plugins.module_utils._text import first_names, sanitize

__all__ = [
    "failure_message",
    "progress_line",
    "read_lease_duration",
    "read_wait_timeout",
    "runner_name",
    "spare_garbage_collections",
]

_ALLOCATIONS = 100_000  # objects between two garbage collections; a page of 500 Nodes has some 60,000


def runner_name() -> str:
    """Return a name for this run: readable for other users, and unique."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        user = f"uid-{os.getuid()}"
    return f"{user}@{socket.gethostname()} ({uuid.uuid4().hex[:8]})"


def spare_garbage_collections() -> None:
    """Let Python collect garbage rarely, and never look again at what Ansible has loaded.

    Otherwise each page of a list of Nodes takes twice as long. Ansible runs each task in a process of its own.
    """
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, *gc.get_threshold()[1:])


def read_lease_duration(params: Mapping[str, Any]) -> float:
    """Return for how many seconds the lock holds. Raises RolloutError outside the limits."""
    seconds = params["lease_duration"]
    if not 1 <= seconds <= MAX_LEASE_DURATION:
        raise RolloutError(f"lease_duration must be from 1 to {MAX_LEASE_DURATION:.0f} seconds, not {seconds}")
    return float(seconds)


def read_wait_timeout(params: Mapping[str, Any]) -> float:
    """Return for how many seconds a run waits. Raises InvalidDuration."""
    value = params["wait_timeout"]
    return setting_duration(f"{value}s" if value.isascii() and value.isdecimal() else value, "wait_timeout")


def progress_line(progress: Progress) -> str:
    """Return a change as one plain line, also for the log of a controller."""
    prefix = f"{progress.wave}: "
    line = progress.line[len(prefix) :] if progress.line.startswith(prefix) else progress.line
    head = progress.text or progress.wave  # of the pool, before its first wave: neither
    return sanitize(f"{head}: {line}" if head else line)


def failure_message(pool: str, result: WaveResult) -> str:
    """Return one sentence about a rollout that has stopped.

    The nodes' own reasons were shown as they came, and are in the result.
    """
    names = sorted(
        failed.node for failed in result.failed_nodes if failed.wave == result.wave and failed.kind == "failed"
    )
    which = f" ({first_names(names, NAMES_SHOWN)})" if names else ""
    where = f" in {result.wave}" if result.wave else ""
    return f"pool {pool} is {result.phase}{where}: {result.summary or result.reason}{which}"
