# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serves package repositories to the machines of a testbed, over HTTP on its bridge."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["PackageServer"]


class PackageServer:
    """A server until `stop`. Each repository is a directory of the server's root, by name."""

    def __init__(self, root: Path, address: str, repositories: Mapping[str, Path]) -> None:
        """Start it at the address. root: a new directory."""
        root.mkdir()
        for name, directory in repositories.items():
            (root / name).symlink_to(directory)
        handler = functools.partial(_Handler, directory=str(root))
        self._server = http.server.ThreadingHTTPServer((address, 0), handler)
        self.url = f"http://{address}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, name="packages", daemon=True).start()

    def stop(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: Any) -> None:
        """Log nothing."""
