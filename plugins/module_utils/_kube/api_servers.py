# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API servers of one cluster: when one of them does not answer, the next one is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from .api_errors import CredentialsError
from .credentials import Credentials

_CERTIFIED_NAME = "kubernetes.default.svc"
"""A name that the certificate of each API server has, since Pods use it, and the one of a kubelet does not."""

WhenTurned = Callable[[str, str], object]


class ApiServers:
    """The server that the credentials name, and others of the same cluster; safe for many threads.

    One is asked until it does not answer. As behind a load balancer, what one has answered, the next one knows. turn:
    how often another one was chosen; it only grows, so that a late failure of an earlier turn changes nothing.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._servers: tuple[str, ...] = ()  # with the one that the credentials name, if there are others
        self._trust: tuple[object, ...] = ()
        self._when_turned: WhenTurned = lambda _left, _asked: None
        self.turn = 0

    def set_others(self, urls: Sequence[str], credentials: Credentials, when_turned: WhenTurned) -> None:
        """Ask these servers, too, which were reached with these credentials.

        when_turned: is called with the server that does not answer, and the next one.
        """
        with self._mutex:
            self._servers = (credentials.server, *urls) if urls else ()
            self._trust, self._when_turned = _trust_of(credentials), when_turned
            self.turn += -self.turn % max(len(self._servers), 1)

    def choose(self, credentials: Credentials) -> tuple[int, Credentials]:
        """Return the present turn, and the credentials for its server.

        Credentials that no longer trust the same servers, since their kubeconfig was replaced, end the turns:
        the other servers were not reached with them.
        """
        with self._mutex:
            if self._servers and _trust_of(credentials) != self._trust:
                self._servers = ()
            number = self.turn % len(self._servers) if self._servers else 0
            return self.turn, at_instance(credentials, self._servers[number]) if number else credentials

    def turn_from(self, turn: int) -> None:
        """Ask the next server, if this is the present turn."""
        with self._mutex:
            count = len(self._servers)
            if not count or turn != self.turn:
                return
            self.turn = turn + 1
            left, asked = self._servers[turn % count], self._servers[self.turn % count]
        self._when_turned(left, asked)


def at_instance(credentials: Credentials, url: str) -> Credentials:
    """Return the same credentials for another API server of the cluster.

    The server must have a certificate for the cluster's own name: a node, whose certificate may be of the same CA, does
    not get a token.
    """
    refresh = credentials.refresh

    def renewed() -> Credentials:
        replaced = refresh() if refresh is not None else credentials
        if _trust_of(replaced) != _trust_of(credentials):
            raise CredentialsError(f"the kubeconfig has changed, and {url} was not reached with it")
        return at_instance(replaced, url)

    return credentials._replace(
        server=url, tls_server_name=_CERTIFIED_NAME, refresh=None if refresh is None else renewed
    )


def _trust_of(credentials: Credentials) -> tuple[object, ...]:
    """Return what decides which servers these credentials trust, and which cluster they are of."""
    return (
        credentials.server,
        credentials.ca_file,
        credentials.ca_data,
        credentials.tls_server_name,
        credentials.verify,
        credentials.proxy,
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
