# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ssh-keygen from an action plugin. Private to configok.node."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from ansible_collections.configok.node.plugins.module_utils._operations._signing import CommandResult

__all__ = ["run_command"]

_KILLED = -9


def run_command(command: Sequence[str], *, environment: Mapping[str, str], data: str, timeout: float) -> CommandResult:
    """Run a program without a shell and wait for it (a CommandRunner)."""
    try:
        done = subprocess.run(
            command,
            input=data.encode(),
            capture_output=True,
            check=False,
            timeout=timeout,
            env={**os.environ, **environment},
        )
    except subprocess.TimeoutExpired:
        return CommandResult(_KILLED, "", "", True)
    return CommandResult(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
