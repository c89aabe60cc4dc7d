# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real Runner: starts processes and waits for them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

from ._agent._basis._ports import CommandResult

__all__ = ["run_command"]

_TIMED_OUT = 124  # as timeout(1)
_NOT_FOUND = 127  # as sh(1)


def run_command(
    argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
) -> CommandResult:
    """Run a command with LC_ALL=C; when timeout (seconds) has passed, kill it with all it started. Never raises."""
    environment = {**os.environ, **(env or {}), "LC_ALL": "C"}
    try:
        process = subprocess.Popen(
            list(argv),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, ValueError) as error:
        return CommandResult(_NOT_FOUND, "", f"{argv[0]}: {getattr(error, 'strerror', None) or error}")
    with process:
        try:
            out, err = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return CommandResult(_TIMED_OUT, "", f"{argv[0]}: no answer within {timeout:g}s")
    return CommandResult(process.returncode, out, err)
