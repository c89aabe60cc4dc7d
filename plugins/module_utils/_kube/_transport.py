# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections to an API server by credentials that change. Private to configok.node: no compatibility is promised.

The only file that imports urllib3 (1.26 or 2), and only urllib3 itself: on a node every megabyte counts.
"""

from __future__ import annotations

import base64
import http.client
import math
import re
import socket
import threading
import time
import traceback
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from ._api_errors import CredentialsError, KubeError, MissingLibrary, Unreachable, UnusableAnswer, shorten
from ._api_paths import describe
from ._credentials import Credentials, Stamp, file_stamps, ssl_context
from ._interrupt import Interrupt, SocketOptions

try:
    import urllib3
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.exceptions import ConnectTimeoutError, HTTPError, InsecureRequestWarning, NewConnectionError, SSLError
    from urllib3.util import Retry, Timeout, parse_url
except ImportError:
    HAS_URLLIB3 = False
    URLLIB3_IMPORT_ERROR = traceback.format_exc()
else:
    HAS_URLLIB3 = True
    URLLIB3_IMPORT_ERROR = ""

__all__ = ["HAS_URLLIB3", "LONGEST_ANSWER", "URLLIB3_IMPORT_ERROR", "Answer", "Lines", "Transport"]

_OBJECT = re.compile(r"^(?:<[^>]*>|HTTPS?Connection(?:Pool)?\([^)]*\)): ")

# To be closed by who reads them: that gives the connection back.
Lines = Generator[bytes, None, None]

CHECK_INTERVAL = 1.0
RENEW_INTERVAL = 5.0
CONNECT_TIMEOUT = 5.0
LONGEST_ANSWER = 128 << 20  # bytes: 500 Nodes, a page of a list, are some 35 MiB
LONGEST_LINE = 8 << 20  # bytes: etcd takes no object of more than 1.5 MiB
_PIECE = 65536  # bytes read at a time

# What the ssl module says, and what urllib3 1.26 says of a name.
_DISTRUST = ("CERTIFICATE_VERIFY_FAILED", "doesn't match")


def _socket_options() -> SocketOptions:
    """Return no delay, and keep-alive probes: the kernel finds a dead peer in half a minute, at no cost of ours.

    The same for what was sent and not acknowledged (in milliseconds): after a partition a new connection is quicker
    than the kernel's next attempt on the old one, which may be minutes away.
    """
    options = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 30_000)):
        if hasattr(socket, name):
            options.append((socket.IPPROTO_TCP, getattr(socket, name), value))
    return options


class Answer(NamedTuple):
    """What a server said, and by which generation of the credentials it was asked."""

    status: int
    body: bytes
    retry_after: str | None
    generation: int


class _State(NamedTuple):
    pool: Any
    headers: dict[str, str]
    credentials: Credentials
    stamps: tuple[Stamp, ...]
    generation: int


class Transport:
    """A pool of keep-alive connections by credentials; safe for many threads.

    Files of the credentials are looked at once a second at most, when a request is made. When one has changed, new
    connections use what it holds now; requests under way end on the old ones. Files that cannot be used, half-way
    through a rotation, change nothing until they can.
    """

    def __init__(
        self,
        credentials: Credentials,
        *,
        pool_size: int,
        timeout: float,
        user_agent: str,
        monotonic: Callable[[], float] = time.monotonic,
        interrupt: Interrupt | None = None,
        stamps: tuple[Stamp, ...] | None = None,
        longest_answer: int = LONGEST_ANSWER,
    ) -> None:
        """stamps: of the files of the credentials when they were read; default: now. longest_answer: in bytes."""
        if not HAS_URLLIB3:
            raise MissingLibrary("urllib3", URLLIB3_IMPORT_ERROR)
        self._credentials = credentials
        self._stamps = file_stamps(credentials.files()) if stamps is None else stamps
        self._pool_size = pool_size
        self._timeout = timeout
        self._user_agent = user_agent
        self._monotonic = monotonic
        self._interrupt = interrupt
        self._longest_answer = longest_answer
        self._lock = threading.Lock()
        self._state: _State | None = None
        self._next_check = -math.inf
        self._last_renewal = -math.inf
        self._no_retries = Retry(total=False, redirect=False)
        self._prefix = _prefix(credentials.server)

    def twin(self, *, pool_size: int, interrupt: Interrupt | None) -> Transport:
        """Return a transport with connections of its own and the same credentials."""
        with self._lock:
            return Transport(
                self._credentials,
                pool_size=pool_size,
                timeout=self._timeout,
                user_agent=self._user_agent,
                monotonic=self._monotonic,
                interrupt=interrupt,
                stamps=self._stamps,
                longest_answer=self._longest_answer,
            )

    def send(
        self, method: str, target: str, *, body: bytes | None, accept: str, content_type: str | None, path: str
    ) -> Answer:
        """Send one request and return the whole answer, whatever its status.

        Raises Unreachable, UnusableAnswer or CredentialsError.
        """
        state = self._current()
        headers = {**state.headers, "Accept": accept}
        if content_type:
            headers["Content-Type"] = content_type
        where = f"{method} {describe(path)}"
        try:
            response = state.pool.request(
                method,
                self._prefix + target,
                body=body,
                headers=headers,
                retries=self._no_retries,
                redirect=False,
                preload_content=False,
                # urllib3 1.26 would take half a body for a whole one.
                enforce_content_length=True,
            )
            body = self._body(response, where)
        except HTTPError as exc:
            raise self._unreachable(exc, where) from exc
        return Answer(response.status, body, response.headers.get("Retry-After"), state.generation)

    def stream(self, target: str, *, accept: str, read_timeout: float, where: str) -> tuple[Answer, Lines]:
        """Send a GET; return the lines of the answer as they come, or the whole answer where the status is not 200.

        read_timeout is the longest silence, in seconds. Reading raises Unreachable when the connection breaks, and
        UnusableAnswer for a line that is too long; a last line without its end is dropped.
        """
        state = self._current()
        try:
            response = state.pool.request(
                "GET",
                self._prefix + target,
                headers={**state.headers, "Accept": accept},
                retries=self._no_retries,
                redirect=False,
                preload_content=False,
                timeout=Timeout(connect=min(CONNECT_TIMEOUT, self._timeout), read=read_timeout),
            )
            if response.status == 200:
                body = b""
                _refuse_encoding(response, where)
            else:
                body = self._body(response, where)
        except HTTPError as exc:
            raise self._unreachable(exc, where) from exc
        answer = Answer(response.status, body, response.headers.get("Retry-After"), state.generation)
        return answer, self._lines(response, where)

    def _body(self, response: Any, where: str) -> bytes:
        """Read a body as it was sent, piece by piece, and give its connection back."""
        body = bytearray()
        whole = False
        try:
            _refuse_encoding(response, where)
            while True:
                piece = response.read(_PIECE, decode_content=False)
                if not piece:
                    break
                body += piece
                if len(body) > self._longest_answer:
                    raise UnusableAnswer(f"the answer has more than {_size(self._longest_answer)}", where=where)
            whole = True
            return bytes(body)
        finally:
            _give_back(response, whole=whole)

    def _lines(self, response: Any, where: str) -> Lines:
        longest = min(LONGEST_LINE, self._longest_answer)
        # What http.client has read: urllib3's own reader of chunks takes a chunk's first line at any length, and one of
        # a body that is not chunked waits until as many bytes are there as it was asked for.
        stream = response._fp
        pending = bytearray()
        whole = False
        try:
            for chunk in iter(lambda: stream.read1(_PIECE), b""):
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    pending += line
                    if pending:
                        yield bytes(pending)
                        pending.clear()
                pending += rest
                if len(pending) > longest:
                    raise UnusableAnswer(f"a line of the watch has more than {_size(longest)}", where=where)
            whole = stream.chunked
        except (OSError, http.client.HTTPException) as exc:
            raise self._unreachable(exc, where) from exc
        finally:
            _give_back(response, whole=whole)

    def renew(self, generation: int) -> bool:
        """Get the credentials anew after a 401 to a request of that generation; return whether to ask again.

        Many threads may call this at once: one of them renews, the others get its result. Not more often than every
        few seconds, since an exec plugin may be slow or ask somebody. Raise CredentialsError where it failed.
        """
        with self._lock:
            state = self._state
            if state is None or state.generation != generation:
                return True
            now = self._monotonic()
            if now - self._last_renewal < RENEW_INTERVAL:
                return False
            self._last_renewal = now
            if state.credentials.refresh is None and file_stamps(state.credentials.files()) == state.stamps:
                return False
            renewed = state.credentials if state.credentials.refresh is None else state.credentials.refresh()
            self._state = self._build(renewed, generation + 1)
            return True

    def close(self) -> None:
        """Close the idle connections; the transport can be used again."""
        with self._lock:
            state, self._state = self._state, None
            if state is not None:
                state.pool.close()
        if self._interrupt is not None:
            self._interrupt.release()

    def _current(self) -> _State:
        state = self._state
        if state is not None and self._monotonic() < self._next_check:
            return state
        with self._lock:
            state = self._state
            if state is None:
                self._state = state = self._first()
            elif self._monotonic() >= self._next_check:
                self._state = state = self._looked_at(state)
            self._next_check = self._monotonic() + CHECK_INTERVAL if state.stamps else math.inf
            return state

    def _first(self) -> _State:
        """Begin with what the files say now: the first request may be made long after the credentials were read."""
        credentials = self._credentials
        if credentials.source and credentials.refresh and file_stamps((credentials.source,)) != self._stamps[:1]:
            credentials = credentials.refresh()
        return self._build(credentials, 1)

    def _looked_at(self, state: _State) -> _State:
        stamps = file_stamps(state.credentials.files())
        if stamps == state.stamps:
            return state
        credentials = state.credentials
        try:
            if credentials.source and stamps[0] != state.stamps[0] and credentials.refresh:
                credentials = credentials.refresh()
            return self._build(credentials, state.generation + 1)
        except CredentialsError:
            return state

    def _build(self, credentials: Credentials, generation: int) -> _State:
        # Stamps before the files are read: what changes in between is then seen next time.
        stamps = file_stamps(credentials.files())
        headers = {"User-Agent": self._user_agent, "Accept-Encoding": "identity", **_authorization(credentials)}
        pool = _pool(credentials, self._pool_size, self._timeout, self._interrupt)
        self._prefix = _prefix(credentials.server)
        self._credentials, self._stamps = credentials, stamps
        return _State(pool, headers, credentials, stamps, generation)

    def _unreachable(self, error: Exception, where: str) -> KubeError:
        distrust = isinstance(error, SSLError) and any(words in str(error) for words in _DISTRUST)
        sent = not distrust and not isinstance(error, (NewConnectionError, ConnectTimeoutError))
        message = f"no answer from {self._credentials.server}: {_cause(error)}"
        return Unreachable(message, where=where, sent=sent, transient=not distrust)


def _give_back(response: Any, *, whole: bool) -> None:
    """Give a connection back to its pool, closed unless the answer was read whole.

    A pool lends few connections, and waits without end for one that is only closed.
    """
    if not whole:
        response.close()
    response.release_conn()


def _refuse_encoding(response: Any, where: str) -> None:
    """Refuse a compressed body, which nobody asked for: a few bytes may become as many as the memory has."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        _give_back(response, whole=False)
        what = shorten(encoding, 30)
        raise UnusableAnswer(f"the answer is encoded ({what}), though only identity was asked for", where=where)


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} bytes"


def _cause(error: Exception) -> str:
    """Return what is behind an error of urllib3, without the objects that its text begins with."""
    inner = error.args[-1] if error.args else None
    text = str(inner if isinstance(inner, Exception) else error)
    return _OBJECT.sub("", text) or type(error).__name__


def _authorization(credentials: Credentials) -> dict[str, str]:
    token = credentials.token
    if credentials.token_file:
        try:
            with open(credentials.token_file, encoding="utf-8") as stream:
                token = stream.read().strip()
        except (OSError, ValueError) as exc:
            raise CredentialsError(f"the token file {credentials.token_file} cannot be read: {exc}") from exc
    if token:
        if not token.isprintable() or not token.isascii():
            raise CredentialsError("the token holds characters that no token has")
        return {"Authorization": f"Bearer {token}"}
    if credentials.username is not None:
        pair = f"{credentials.username}:{credentials.password or ''}"
        return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
    return {}


def _prefix(server: str) -> str:
    """Return the path of a server's URL: a cluster behind a proxy may live below one."""
    return (parse_url(server).path or "").rstrip("/")


def _pool(credentials: Credentials, size: int, timeout: float, interrupt: Interrupt | None) -> Any:
    url = parse_url(credentials.server)
    if url.scheme not in ("http", "https") or not url.host:
        raise CredentialsError(f"{credentials.server} is not the URL of an API server (https://host:port)")
    options: dict[str, Any] = {
        "maxsize": size,
        # As many requests as connections: none is made only to be thrown away. What can be interrupted must never wait
        # where the interrupt does not reach.
        "block": interrupt is None,
        "timeout": Timeout(connect=min(CONNECT_TIMEOUT, timeout), read=timeout),
        "socket_options": _socket_options(),
    }
    if url.scheme == "https":
        options["ssl_context"] = context = ssl_context(credentials)
        # Debian's urllib3 1.26 would trust the system's CAs as well.
        options["ca_certs"] = None
        if context.check_hostname and vars(urllib3)["__version__"].startswith("1."):
            # It keeps an address from the ssl module, which then fails; but checks it itself when told to.
            context.check_hostname = False
            options["assert_hostname"] = credentials.tls_server_name or url.host.strip("[]")
        if credentials.tls_server_name:
            options["server_hostname"] = credentials.tls_server_name
        if not credentials.verify:
            urllib3.disable_warnings(InsecureRequestWarning)
    if credentials.proxy:
        if url.scheme == "http" or not credentials.proxy.startswith(("http://", "https://")):
            raise CredentialsError("only http and https proxies are supported, and only to a server with an https URL")
        pool: Any = urllib3.ProxyManager(credentials.proxy, **options).connection_from_url(credentials.server)
    elif url.scheme == "https":
        pool = urllib3.HTTPSConnectionPool(url.host, url.port or 443, **options)
    else:
        pool = urllib3.HTTPConnectionPool(url.host, url.port or 80, **options)
    if interrupt is not None:
        kind = _interruptible(HTTPSConnection if url.scheme == "https" else HTTPConnection, interrupt)
        pool.ConnectionCls = kind
    return pool


def _interruptible(base: Any, interrupt: Interrupt) -> Any:
    """Return the connection class base with its sockets made by interrupt."""

    class Interruptible(base):  # type: ignore[misc]  # which of urllib3's classes it is, is known at run time only
        def __repr__(self) -> str:
            # urllib3's errors begin with it, and _cause() takes off what looks like this.
            return f"HTTPConnection({self.host!r}, {self.port})"

        __str__ = __repr__

        def _new_conn(self) -> socket.socket:
            try:
                options = self.socket_options or ()
                return interrupt.connect(self._dns_host, self.port, timeout=self.timeout, options=options)
            except socket.timeout as exc:
                raise ConnectTimeoutError(self, f"connection to {self.host} timed out") from exc
            except OSError as exc:
                raise NewConnectionError(self, f"cannot connect: {exc}") from exc

    return Interruptible
