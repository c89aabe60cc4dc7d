# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs ssh-keygen to verify signatures, where the trust policy prefers it."""

from __future__ import annotations

import os
import tempfile

from .._trust.ssh_keygen_check import SshKeygenCheck, SshKeygenResult
from ._interfaces import CommandRunner

_TIMEOUT = 10.0  # seconds; it takes 20 ms
_TIMED_OUT, _NOT_FOUND = 124, 127
_OLD = "option"  # "unknown option -- Y": OpenSSH before 8.1


class SshKeygenCommand:
    """Implements SshKeygenRunner with a command runner."""

    def __init__(self, run: CommandRunner) -> None:
        self._run = run

    def __call__(self, check: SshKeygenCheck) -> SshKeygenResult:
        """Return the result. Raises OSError."""
        with tempfile.TemporaryDirectory(prefix="configok-") as directory:
            for name, text in check.files.items():
                with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                    file.write(text)
            result = self._run(check.argv(directory), timeout=_TIMEOUT, stdin=check.stdin)
        if result.code == _NOT_FOUND:
            raise FileNotFoundError(result.err.strip())
        if result.code == _TIMED_OUT:
            raise TimeoutError(result.err.strip())
        return SshKeygenResult(result.code, result.out + result.err)


def missing_ssh_keygen(run: CommandRunner) -> str:
    """Return why ssh-keygen cannot verify signatures on this node, "" if it can."""
    result = run(["ssh-keygen", "-Y", "verify"], timeout=_TIMEOUT)
    if result.code in (_NOT_FOUND, _TIMED_OUT):
        return result.err.strip()
    return "ssh-keygen is older than OpenSSH 8.1" if _OLD in result.err else ""
