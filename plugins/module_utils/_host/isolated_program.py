# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that is run only as the bytes whose checksum is known, and that finds nothing of this machine."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Sequence

from .._componentconfig import ConfigError

_CHUNK = 1024 * 1024  # bytes
# In its directory, with an empty environment. The shell is there since env of BusyBox cannot change the directory.
_START = 'cd "$1" && shift && exec env -i "$@"'


def verified_copy(path: str, sha256: str, directory: str) -> str:
    """Copy a program into a directory and return the path of the copy.

    The copy is what is compared with the SHA-256, so that nothing can replace the file in between. Raises ConfigError
    if they differ, and OSError.
    """
    copy = os.path.join(directory, "program")
    digest = hashlib.sha256()
    with open(path, "rb") as source, open(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o500), "wb") as target:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            target.write(chunk)
    if not hmac.compare_digest(digest.hexdigest(), sha256.strip().lower()):
        os.unlink(copy)
        raise ConfigError(f"{path} has the SHA-256 {digest.hexdigest()}, not the given one: it is not run")
    return copy


def without_network() -> list[str]:
    """Return the words that start a program in a network of its own, which has no other machine."""
    return ["unshare", "--map-root-user", "--net", "--"]


def isolated(program: str, arguments: Sequence[str], prefix: Sequence[str] = ()) -> list[str]:
    """Return the command line that runs a program in its own directory, with an environment that names nothing else.

    prefix: words before the program, such as those of `without_network`.
    """
    directory = os.path.dirname(program)
    environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", f"HOME={directory}", f"TMPDIR={directory}", "LC_ALL=C"]
    return ["/bin/sh", "-c", _START, "sh", directory, *environment, *prefix, program, *arguments]
