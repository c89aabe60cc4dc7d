# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API servers of one cluster: when one of them does not answer, the next one is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from .credentials import Credentials

_CERTIFIED_NAME = "kubernetes.default.svc"
"""A name that the certificate of each API server has, since Pods use it, and the one of a kubelet does not."""

WhenTurned = Callable[[str, str], object]


class ApiServers:
    """The server that the credentials name, and others of the same cluster; safe for many threads.

    One is asked until it does not answer. As behind a load balancer, what one has answered, the next one knows.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._others: tuple[str, ...] = ()
        self._when_turned: WhenTurned = lambda _left, _asked: None
        self._own = ""
        self.number = 0  # of the one that is asked; 0 is the one that the credentials name

    def set_others(self, urls: Sequence[str], when_turned: WhenTurned) -> None:
        """Ask these servers, too. when_turned: is called with the server that does not answer, and the next one."""
        with self._mutex:
            self._others, self._when_turned, self.number = tuple(urls), when_turned, 0

    def choose(self, credentials: Credentials) -> tuple[int, Credentials]:
        """Return the number of the server that is asked, and the credentials for it."""
        with self._mutex:
            self._own = credentials.server
            if self.number == 0:
                return 0, credentials
            return self.number, at_instance(credentials, self._others[self.number - 1])

    def turn_from(self, number: int) -> None:
        """Ask the next server, if it is this one that is asked."""
        with self._mutex:
            if not self._others or number != self.number:
                return
            servers = (self._own, *self._others)
            self.number = (number + 1) % len(servers)
            left, asked = servers[number], servers[self.number]
        self._when_turned(left, asked)


def at_instance(credentials: Credentials, url: str) -> Credentials:
    """Return the same credentials for another API server of the cluster.

    The server must have a certificate for the cluster's own name: a node, whose certificate may be of the same CA, does
    not get a token.
    """
    refresh = credentials.refresh
    return credentials._replace(
        server=url,
        tls_server_name=_CERTIFIED_NAME,
        refresh=None if refresh is None else lambda: at_instance(refresh(), url),
    )


def why_no_instances(credentials: Credentials, path: str) -> str:
    """Return why these credentials must not be sent to another server of the cluster, "" if they may.

    path: of the server's URL.
    """
    if path:
        return f"{credentials.server} is a proxy, and its credentials are not those of the cluster"
    if not credentials.verify:
        return "the certificate of the API server is not verified"
    if not (credentials.ca_file or credentials.ca_data):
        return "the CA of the cluster is not known: give it as certificate-authority of the kubeconfig, or ca_cert"
    return ""
