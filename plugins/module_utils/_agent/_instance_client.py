# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients of this node's own API server: never a load balancer's address, at which others answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from .._kube.credentials import Credentials


class InstanceClients:
    """One client for each address of the instance, with the credentials of this node."""

    def __init__(self, credentials: Credentials, new_client: Callable[[Credentials], Any]) -> None:
        """credentials: this node's. new_client: makes an impatient client."""
        self._credentials = credentials
        self._new_client = new_client
        self._clients: dict[str, Any] = {}

    def at(self, url: str) -> Any:
        """Return the client for the server of a URL."""
        parts = urlsplit(url)
        server = f"{parts.scheme}://{parts.netloc}"
        if server not in self._clients:
            # No other file may bring the address of the cluster back.
            credentials = self._credentials._replace(server=server, source=None, refresh=None)
            self._clients[server] = self._new_client(credentials)
        return self._clients[server]
