# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""version --sha256: the hash of the archive that runs, to compare with the published one."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ._output import UnusableInput

__all__ = ["archive_digest"]

_COMPILED = ".d"  # the suffix of the directory in which compile has unpacked an archive


def archive_digest() -> str:
    """Return the SHA-256 and the path of the archive, as sha256sum prints them. Raises UnusableInput, OSError."""
    program = Path(__file__).resolve().parents[1]
    unpacked = program.parent
    archive = unpacked.with_name(unpacked.name[: -len(_COMPILED)]) if unpacked.name.endswith(_COMPILED) else program
    if not archive.is_file():
        raise UnusableInput(
            f"configok-agent runs from the directory {program}, which is not an archive: only configok-agent.pyz, as "
            "the role node installs it, has a SHA-256 to compare"
        )
    return f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive}"
