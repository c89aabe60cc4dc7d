# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask the servers of gates over HTTP.

A token is read from its file or environment variable for each connection, and sent to the gate's own server only.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urljoin, urlsplit

from ..._kube.api_errors import KubeError
from ..._kube.credentials import Credentials
from ..._kube.transport import ClientSettings, Response, Transport
from ..._text import sanitize
from ._gate_tokens import token_refusal
from ._server_access import ServerAccess
from ._server_gate import ServerGate
from .answers import ServerAnswer

AskServer = Callable[[ServerGate], ServerAnswer]
"""Asks a gate's server once, within the gate's timeout; an error is an answer too."""

_LONGEST_SILENCE = 30.0  # seconds of a server that has not timed out yet
_MAX_FILE = 1 << 20  # bytes
_MAX_REDIRECTS = 3
_REDIRECTS = (301, 302, 303, 307, 308)


class _NoAnswer(Exception):
    """A server that was not asked, or gave no answer; the message says why."""


class GateClient:
    """Connections to the servers of gates, one for each gate; `ask` is safe for many threads with different gates.

    environ: has the variables that gates name. monotonic: measures the age of credentials.
    """

    def __init__(
        self, environ: Mapping[str, str] | None = None, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._environ = os.environ if environ is None else environ
        self._monotonic = monotonic
        self._transports: dict[str, Transport] = {}

    def ask(self, gate: ServerGate) -> ServerAnswer:
        """Ask a gate's server once. An error is an answer, too: the gate does not know."""
        try:
            response = self._get(gate)
        except _NoAnswer as error:
            return gate.unknown(str(error))
        except KubeError as error:
            return gate.unknown(sanitize(error.message, 300))
        return gate.answer(response.status, response.body)

    def close(self) -> None:
        """Close the idle connections."""
        for transport in list(self._transports.values()):
            transport.close()

    def _get(self, gate: ServerGate) -> Response:
        transport = self._transports.get(gate.name)
        if transport is None:
            transport = self._transports[gate.name] = self._connect(gate)
        target = gate.target()
        for _redirect in range(_MAX_REDIRECTS + 1):
            response = transport.send("GET", target, body=None, accept=gate.accept, content_type=None, path="gate")
            if response.status not in _REDIRECTS or not response.location:
                return response
            target = _redirected_target(gate.access, target, response.location)
        raise _NoAnswer(f"it redirects more than {_MAX_REDIRECTS} times")

    def _connect(self, gate: ServerGate) -> Transport:
        access = gate.access
        refusal = token_refusal(access, self._environ)
        if refusal:
            raise _NoAnswer(refusal)
        token = None
        if access.token_variable:
            token = self._environ.get(access.token_variable, "").strip()
            if not token:
                raise _NoAnswer(f"the environment variable {access.token_variable} with its token is not set")
        parts = urlsplit(access.url)
        credentials = Credentials(
            server=f"{parts.scheme}://{parts.netloc}",
            ca_file=_path(access.ca_cert),
            token=token,
            token_file=_path(access.token_file),
            verify=access.validate_certs,
        )
        settings = ClientSettings(
            pool_size=1,
            timeout=min(gate.timeout, _LONGEST_SILENCE),
            longest_answer=gate.limit,
        )
        return Transport(credentials, settings, monotonic=self._monotonic)


def access_errors(gates: Iterable[ServerGate], environ: Mapping[str, str] | None = None) -> list[str]:
    """Return a sentence for each gate that may not use its token, or whose token or CA certificate is missing here.

    Asks no server.
    """
    variables = os.environ if environ is None else environ
    errors = []
    for gate in gates:
        access, where = gate.access, f"policy.gates: {gate.name}"
        refusal = token_refusal(access, variables)
        if refusal:
            errors.append(f"{where}: {refusal}")
            continue
        if access.token_variable and not variables.get(access.token_variable, "").strip():
            errors.append(f"{where}: the environment variable {access.token_variable} with its token is not set")
        for name, what in ((access.token_file, "token"), (access.ca_cert, "CA certificate")):
            try:
                with open(_path(name) or os.devnull, "rb") as file:
                    is_empty = bool(name) and not file.read(_MAX_FILE).strip()
            except OSError as error:
                errors.append(f"{where}: its {what} cannot be read from {sanitize(name, 200)}: {error.strerror}")
            else:
                errors += [f"{where}: the file {sanitize(name, 200)} with its {what} is empty"] if is_empty else []
    return errors


def _path(name: str) -> str | None:
    return os.path.abspath(os.path.expanduser(name)) if name else None


def _redirected_target(access: ServerAccess, target: str, location: str) -> str:
    """Return the target of a redirect to the same server. Another server must not get the token, and proves nothing."""
    try:
        server = urlsplit(access.url)
        goal = urlsplit(urljoin(f"{server.scheme}://{server.netloc}{target}", location))
        is_same_server = (goal.scheme, goal.hostname, goal.port) == (server.scheme, server.hostname, server.port)
    except ValueError:
        raise _NoAnswer("it redirects to an address that cannot be read") from None
    if not is_same_server:
        host = f"{goal.scheme}://{goal.hostname}"
        raise _NoAnswer(f"it redirects to {sanitize(host, 100)}, which is another server and is not followed")
    return (goal.path or "/") + (f"?{goal.query}" if goal.query else "")
