# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ssh-keygen is run with to check a signature, and what it answers.

A file of its own, so that a module that only signs does not bring the verifiers along.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .statement import SIGNATURE_NAMESPACE

ALLOWED_SIGNERS, SIGNATURE = "allowed_signers", "signature"  # names of files


class SshKeygenCheck(NamedTuple):
    """One run of ssh-keygen. files: what its directory must hold, by name. stdin: the message that was signed."""

    files: Mapping[str, str]
    stdin: str
    principal: str

    def argv(self, directory: str) -> list[str]:
        """Return the command. directory: where the files are."""
        return [
            "ssh-keygen",
            *("-Y", "verify"),
            *("-f", f"{directory}/{ALLOWED_SIGNERS}"),
            *("-I", self.principal),
            *("-n", SIGNATURE_NAMESPACE),
            *("-s", f"{directory}/{SIGNATURE}"),
        ]


class SshKeygenResult(NamedTuple):
    """The exit code and the output, of both streams."""

    code: int
    output: str
