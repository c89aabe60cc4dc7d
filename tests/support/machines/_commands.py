# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command, and reports its failure in one line."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence

from support.session.patience import LONGEST_WAIT

__all__ = ["CommandFailed", "run"]


class CommandFailed(Exception):
    """Raised if a command fails; the text has the command, its exit code and its output."""


def run(
    command: Sequence[str], *, check: bool = True, timeout: float = LONGEST_WAIT, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command with text on its standard input. check: raise CommandFailed unless it ends with 0.

    Raises subprocess.TimeoutExpired after timeout seconds, when it and its children have been killed.
    """
    process = subprocess.Popen(
        list(command),
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(text, timeout=timeout)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    done = subprocess.CompletedProcess(list(command), process.returncode, output, errors)
    if check and done.returncode != 0:
        message = (errors.strip() or output.strip())[-2000:]
        raise CommandFailed(f"{' '.join(command)} ended with {done.returncode}: {message}")
    return done
