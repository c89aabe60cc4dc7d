# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Statements and signatures of bundles."""

from __future__ import annotations

from ._endorser import (
    Endorsement,
    Endorser,
    SigningOptions,
    key_warnings,
    read_signature_files,
    read_statement_file,
    signing_command,
    split_signatures,
    unused_options,
    write_statement_file,
)
from ._ssh_signer import CommandResult, SshKeygen, module_runner, read_signing_key

__all__ = [
    "CommandResult",
    "Endorsement",
    "Endorser",
    "SigningOptions",
    "SshKeygen",
    "key_warnings",
    "module_runner",
    "read_signature_files",
    "read_signing_key",
    "read_statement_file",
    "signing_command",
    "split_signatures",
    "unused_options",
    "write_statement_file",
]
