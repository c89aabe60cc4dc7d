# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who we are to an API server, wherever that was read. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, Optional

__all__ = ["Credentials", "Stamp", "file_stamps"]

# What tells one content of a file from the next, symlinks followed: modified (ns), inode, size. None: not readable.
Stamp = Optional[tuple[int, int, int]]


class Credentials(NamedTuple):
    """How to reach and be known to an API server.

    server is a URL. CA, certificate, key and token are each a path or the data itself (PEM bytes, for the token the
    text); a path is read again when the file behind it changes. Without a CA the system's are used; verify=False
    trusts anybody. namespace is the context's. source is the file all this was read from, if it should be read again
    when it changes. refresh, where there is one, returns these credentials anew (reads the files, runs the exec
    plugin) or raises CredentialsError; the client calls it when source changes and after a 401.
    """

    server: str
    ca_file: str | None = None
    ca_data: bytes | None = None
    cert_file: str | None = None
    key_file: str | None = None
    cert_data: bytes | None = None
    key_data: bytes | None = None
    token: str | None = None
    token_file: str | None = None
    username: str | None = None
    password: str | None = None
    tls_server_name: str | None = None
    verify: bool = True
    proxy: str | None = None
    namespace: str | None = None
    source: str | None = None
    refresh: Callable[[], Credentials] | None = None

    def __repr__(self) -> str:
        """Return what may be seen: nothing that is secret."""
        return f"Credentials(server={self.server!r}, source={self.source!r})"

    def files(self) -> tuple[str, ...]:
        """Return the paths whose change means that connections must be made anew; source, if any, comes first."""
        paths = (self.source, self.ca_file, self.cert_file, self.key_file, self.token_file)
        return tuple(path for path in paths if path)


def file_stamps(paths: tuple[str, ...]) -> tuple[Stamp, ...]:
    """Return a comparable stamp for each path."""
    return tuple(_stamp(path) for path in paths)


def _stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
