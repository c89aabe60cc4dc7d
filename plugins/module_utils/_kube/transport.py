# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections to an API server by credentials that change.

The only file that imports urllib3 (1.26 or 2), and only urllib3 itself: on a node every megabyte counts.
"""

from __future__ import annotations

import base64
import http.client
import math
import random as _random
import re
import socket
import threading
import time
import traceback
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from ._interrupt import Interrupt, SocketOptions
from .api_errors import CredentialsError, KubeError, MissingLibrary, Unreachable, UnusableAnswer, shorten
from .api_paths import describe
from .api_servers import ApiServers
from .credentials import Credentials, Stamp, file_stamps, ssl_context
from .retry import PATIENT, RetryPolicy

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

_OBJECT = re.compile(r"^(?:<[^>]*>|HTTPS?Connection(?:Pool)?\([^)]*\)): ")

# The reader closes them: that releases the connection.
Lines = Generator[bytes, None, None]

CHECK_INTERVAL = 1.0
RENEW_INTERVAL = 5.0
CONNECT_TIMEOUT = 5.0
LONGEST_LINE = 8 << 20  # bytes: etcd stores no object of more than 1.5 MiB
_LOOPBACK = ("localhost", "127.0.0.1", "::1")  # as for the tokens of gates
_USER_AGENT = "configok.node/0.1.0"  # with VERSION of _nodeconfig, which this layer cannot import; a test compares
_MAX_ANSWER = 128 << 20  # bytes: 500 Nodes, a page of a list, are some 35 MiB
_UNAVAILABLE = (502, 503)  # of a server that starts, ends, or has lost its etcd; 500 may be of a webhook
_CHUNK_SIZE = 65536  # bytes read at a time

# The words of the ssl module, and those of urllib3 1.26 about a host name.
_DISTRUST = ("CERTIFICATE_VERIFY_FAILED", "doesn't match")


def _socket_options() -> SocketOptions:
    """Return the options for no delay and keep-alive probes: the kernel detects a dead peer within half a minute.

    Data that is sent but not acknowledged times out as fast (in milliseconds): after a partition a new connection is
    quicker than the kernel's next attempt on the old one, which may be minutes away.
    """
    options = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 30_000)):
        if hasattr(socket, name):
            options.append((socket.IPPROTO_TCP, getattr(socket, name), value))
    return options


class ClientSettings(NamedTuple):
    """How a client talks to its server.

    pool_size: the number of connections. timeout: the longest silence of the server, in seconds. longest_answer: the
    size limit of an answer (of one page, if it is a list) and of a line of a watch, in bytes. retries: when a failed
    request is sent again.
    """

    pool_size: int = 4
    timeout: float = 30.0
    longest_answer: int = _MAX_ANSWER
    user_agent: str = _USER_AGENT
    retries: RetryPolicy = PATIENT


class Timing(NamedTuple):
    """Clocks, sleep and randomness; a simulation brings its own.

    sleep: waits for seconds and may return True to say that waiting was interrupted. monotonic: seconds since some
    moment. wall: seconds since the epoch. random: a number in [0, 1).
    """

    sleep: Callable[[float], bool | None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    random: Callable[[], float] = _random.random


class Response(NamedTuple):
    """A server's answer, and the generation of the credentials that asked for it.

    location: of a redirect. date: of the answer, by the server's clock.
    """

    status: int
    body: bytes
    retry_after: str | None
    generation: int
    location: str | None = None
    date: str | None = None


class _State(NamedTuple):
    """The connections. turn: of the API servers; url, prefix: the URL of its server, and the path in that."""

    pool: Any
    headers: dict[str, str]
    credentials: Credentials
    stamps: tuple[Stamp, ...]
    generation: int
    turn: int
    url: str
    prefix: str


class Transport:
    """A pool of keep-alive connections by credentials; safe for many threads.

    Files of the credentials are checked when a request is made, at most once a second. When one has changed, new
    connections use its new content; requests in progress finish on the old ones. Files that cannot be used, halfway
    through a rotation, change nothing until they can.

    When a server does not answer, or is unavailable, the next one of `servers` is asked from then on. The caller
    repeats the request.
    """

    def __init__(
        self,
        credentials: Credentials,
        settings: ClientSettings,
        *,
        monotonic: Callable[[], float],
        interrupt: Interrupt | None = None,
        stamps: tuple[Stamp, ...] | None = None,
        servers: ApiServers | None = None,
    ) -> None:
        """stamps: of the files of the credentials when they were read; default: now."""
        if not HAS_URLLIB3:
            raise MissingLibrary("urllib3", URLLIB3_IMPORT_ERROR)
        self._credentials = credentials
        self._stamps = file_stamps(credentials.files()) if stamps is None else stamps
        self._settings = settings
        self._monotonic = monotonic
        self._interrupt = interrupt
        self._lock = threading.Lock()
        self._state: _State | None = None
        self._next_check = -math.inf
        self._last_renewal = -math.inf
        self._no_retries = Retry(total=False, redirect=False)
        self.servers = servers or ApiServers()

    @property
    def credentials(self) -> Credentials:
        """The credentials, as they were read last."""
        with self._lock:
            return self._credentials

    def clone(self, *, pool_size: int, interrupt: Interrupt | None) -> Transport:
        """Return a transport with connections of its own and the same credentials."""
        with self._lock:
            return Transport(
                self._credentials,
                self._settings._replace(pool_size=pool_size),
                monotonic=self._monotonic,
                interrupt=interrupt,
                stamps=self._stamps,
                servers=self.servers,
            )

    def send(
        self, method: str, target: str, *, body: bytes | None, accept: str, content_type: str | None, path: str
    ) -> Response:
        """Send one request and return its answer. Raises Unreachable, UnusableAnswer, CredentialsError."""
        state = self._current_state()
        headers = {**state.headers, "Accept": accept}
        if content_type:
            headers["Content-Type"] = content_type
        where = f"{method} {describe(path)}"
        try:
            response = state.pool.request(
                method,
                state.prefix + target,
                body=body,
                headers=headers,
                retries=self._no_retries,
                redirect=False,
                preload_content=False,
                # urllib3 1.26 would accept a truncated body.
                enforce_content_length=True,
            )
            body = self._body(response, where)
        except HTTPError as exc:
            raise self._unreachable(exc, where, state) from exc
        self._note_status(response.status, state)
        retry_after, location, date = map(response.headers.get, ("Retry-After", "Location", "Date"))
        return Response(response.status, body, retry_after, state.generation, location, date)

    def stream(self, target: str, *, accept: str, read_timeout: float, where: str) -> tuple[Response, Lines]:
        """Send a GET; return the lines of the answer as they arrive, or the whole answer if its status is not 200.

        read_timeout is the longest silence, in seconds. Reading raises Unreachable when the connection breaks, and
        UnusableAnswer for a line that is too long; a last line without its end is dropped.
        """
        state = self._current_state()
        try:
            response = state.pool.request(
                "GET",
                state.prefix + target,
                headers={**state.headers, "Accept": accept},
                retries=self._no_retries,
                redirect=False,
                preload_content=False,
                timeout=Timeout(connect=min(CONNECT_TIMEOUT, self._settings.timeout), read=read_timeout),
            )
            if response.status == 200:
                body = b""
                _refuse_encoding(response, where)
            else:
                body = self._body(response, where)
        except HTTPError as exc:
            raise self._unreachable(exc, where, state) from exc
        self._note_status(response.status, state)
        answer = Response(response.status, body, response.headers.get("Retry-After"), state.generation)
        return answer, self._lines(response, where, state)

    def _body(self, response: Any, where: str) -> bytes:
        """Read a body as it was sent, chunk by chunk, and release its connection."""
        longest = self._settings.longest_answer
        body = bytearray()
        is_complete = False
        try:
            _refuse_encoding(response, where)
            while True:
                chunk = response.read(_CHUNK_SIZE, decode_content=False)
                if not chunk:
                    break
                body += chunk
                if len(body) > longest:
                    raise UnusableAnswer(f"the answer has more than {_size(longest)}", where=where)
            is_complete = True
            return bytes(body)
        finally:
            _release_connection(response, whole=is_complete)

    def _lines(self, response: Any, where: str, state: _State) -> Lines:
        longest = min(LONGEST_LINE, self._settings.longest_answer)
        # The stream of http.client: urllib3's own reader of chunks accepts a chunk's first line of any length, and its
        # reader of other bodies waits until it has as many bytes as it was asked for.
        stream = response._fp
        pending = bytearray()
        is_complete = False
        try:
            for chunk in iter(lambda: stream.read1(_CHUNK_SIZE), b""):
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    pending += line
                    if pending:
                        yield bytes(pending)
                        pending.clear()
                pending += rest
                if len(pending) > longest:
                    raise UnusableAnswer(f"a line of the watch has more than {_size(longest)}", where=where)
            is_complete = stream.chunked
        except (OSError, http.client.HTTPException) as exc:
            raise self._unreachable(exc, where, state) from exc
        finally:
            _release_connection(response, whole=is_complete)

    def renew(self, generation: int) -> bool:
        """Renew the credentials after a 401 to a request of that generation; return whether to send it again.

        Many threads may call this at once: one of them renews, the others get its result. They are renewed at most
        once in RENEW_INTERVAL, since an exec plugin may be slow or prompt the user. Raises CredentialsError.
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

    def _current_state(self) -> _State:
        state = self._state
        if state is not None and state.turn == self.servers.turn and self._monotonic() < self._next_check:
            return state
        with self._lock:
            state = self._state
            if state is None:
                self._state = state = self._initial_state()
            else:
                if self._monotonic() >= self._next_check:
                    self._state = state = self._reload_if_changed(state)
                if state.turn != self.servers.turn:
                    self._state = state = self._turned(state)
            self._next_check = self._monotonic() + CHECK_INTERVAL if state.stamps else math.inf
            return state

    def _initial_state(self) -> _State:
        """Start from the files as they are now: the first request may come long after the credentials were read."""
        credentials = self._credentials
        if credentials.source and credentials.refresh and file_stamps((credentials.source,)) != self._stamps[:1]:
            credentials = credentials.refresh()
        return self._build(credentials, 1)

    def _reload_if_changed(self, state: _State) -> _State:
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

    def _turned(self, state: _State) -> _State:
        """Return the connections to the server of the present turn; files that have changed are for the next check."""
        try:
            return self._build(state.credentials, state.generation + 1, stamps=state.stamps)
        except CredentialsError:
            return state

    def _build(self, credentials: Credentials, generation: int, *, stamps: tuple[Stamp, ...] | None = None) -> _State:
        # Stamps before the files are read: a change in between is then seen at the next check.
        stamps = file_stamps(credentials.files()) if stamps is None else stamps
        settings = self._settings
        turn, chosen = self.servers.choose(credentials)
        headers = {"User-Agent": settings.user_agent, "Accept-Encoding": "identity", **_authorization(chosen)}
        pool = _pool(chosen, settings.pool_size, settings.timeout, self._interrupt)
        self._credentials, self._stamps = credentials, stamps
        url = chosen.server
        return _State(pool, headers, credentials, stamps, generation, turn, url, path_of_url(url))

    def _note_status(self, status: int, state: _State) -> None:
        if status in _UNAVAILABLE:
            self.servers.turn_from(state.turn)

    def _unreachable(self, error: Exception, where: str, state: _State) -> KubeError:
        # A watch in which nothing happens says nothing about its server; nor does one that is ended here.
        is_silent = isinstance(error, socket.timeout) and error.errno is None
        if not (is_silent or (self._interrupt is not None and self._interrupt.is_tripped)):
            self.servers.turn_from(state.turn)
        distrust = isinstance(error, SSLError) and any(words in str(error) for words in _DISTRUST)
        sent = not distrust and not isinstance(error, (NewConnectionError, ConnectTimeoutError))
        message = f"no answer from {state.url}: {_cause(error)}"
        is_own = state.url == state.credentials.server  # the next server may be one to trust
        return Unreachable(message, where=where, sent=sent, transient=not (distrust and is_own))


def _release_connection(response: Any, *, whole: bool) -> None:
    """Return a connection to its pool, closed unless the answer was read to its end.

    A pool lends few connections, and waits without a limit for one that is closed but not released.
    """
    if not whole:
        response.close()
    response.release_conn()


def _refuse_encoding(response: Any, where: str) -> None:
    """Refuse a compressed body, which was not asked for: a few bytes may expand until memory is full."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        _release_connection(response, whole=False)
        name = shorten(encoding, 30)
        raise UnusableAnswer(f"the answer is encoded ({name}), though only identity was asked for", where=where)


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} bytes"


def _cause(error: Exception) -> str:
    """Return the cause of an error of urllib3, without the objects that its text begins with."""
    return _OBJECT.sub("", str(error.args[-1] if error.args else error)) or type(error).__name__


def _authorization(credentials: Credentials) -> dict[str, str]:
    has_secret = credentials.token or credentials.token_file or credentials.basic is not None
    server = parse_url(credentials.server)
    if has_secret and server.scheme != "https" and (server.host or "").strip("[]") not in _LOOPBACK:
        raise CredentialsError(
            f"{credentials.server} has no https, so others on the way could read the token or the password: give the "
            "API server a URL with https"
        )
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
    if credentials.basic is not None:
        pair = ":".join(credentials.basic)
        return {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
    return {}


def path_of_url(server: str) -> str:
    """Return the path of a server's URL: a cluster behind a proxy may have one."""
    return (parse_url(server).path or "").rstrip("/")


def _pool(credentials: Credentials, size: int, timeout: float, interrupt: Interrupt | None) -> Any:
    url = parse_url(credentials.server)
    if url.scheme not in ("http", "https") or not url.host:
        raise CredentialsError(f"{credentials.server} is not the URL of an API server (https://host:port)")
    options: dict[str, Any] = {
        "maxsize": size,
        # As many requests as connections: none is made only to be thrown away. An interruptible request must never
        # wait for a connection, since the interrupt does not reach that wait.
        "block": interrupt is None,
        "timeout": Timeout(connect=min(CONNECT_TIMEOUT, timeout), read=timeout),
        "socket_options": _socket_options(),
    }
    if url.scheme == "https":
        options["ssl_context"] = context = ssl_context(credentials)
        # Debian's urllib3 1.26 would trust the system's CAs as well.
        options["ca_certs"] = None
        if context.check_hostname and vars(urllib3)["__version__"].startswith("1."):
            # It does not pass an address to the ssl module, which then fails, but checks it itself if asked to.
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
    """Return a subclass of a connection class whose sockets the interrupt makes."""

    class Interruptible(base):  # type: ignore[misc]  # the base is one of urllib3's classes, known at run time only
        def __repr__(self) -> str:
            # urllib3's errors begin with it, and _cause() removes that.
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
