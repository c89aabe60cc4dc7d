# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Survive an outage of the API server, such as a restart of the control plane."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from .._kube.api_client import Client, Interrupt, Listing, Object
from .._kube.api_errors import Forbidden, KubeError, Unauthorized
from .._kube.retry import is_transient
from . import ApiUnavailable
from .timing import Clock

MIN_OUTAGE = 300.0  # seconds without an API server that each run survives
_PAUSE = 1.0  # seconds between two attempts, in addition to the client's own backoff
_LONGEST_PAUSE = 30.0
MAX_SINGLE_FAILURE = 120.0  # seconds for which one request is refused while others are answered: not an outage
_REMINDER = 60.0  # seconds between the first two lines on the screen
_STALE = 1.0  # seconds after which a decision to write is made again

_T = TypeVar("_T")


class WriteNotRepeated(Exception):
    """A write that must be decided again. error: why it has no answer, None when it was not sent."""

    def __init__(self, error: KubeError | None = None) -> None:
        self.error = error
        super().__init__("the write was not sent" if error is None else str(error))


class Notice:
    """Decides when a trouble that lasts is shown: at once, then after pauses that double. Pure."""

    def __init__(self) -> None:
        self._due_at = float("-inf")
        self._pause = _REMINDER

    def is_due(self, now: float, *, is_shown: bool = False) -> bool:
        """Return whether to show it now. is_shown: another line shows it, so that this one waits for its next turn."""
        if now < self._due_at:
            return False
        self._due_at = now + self._pause
        self._pause *= 2
        return not is_shown

    def end(self) -> None:
        """Note that the trouble is over."""
        self._due_at, self._pause = float("-inf"), _REMINDER


class Outage:
    """Repeats requests until the API server answers, for a limited time; safe for many threads.

    report: shows a line to the user. longest: seconds. when_over: is called when the API server answers again.
    """

    def __init__(self, clock: Clock, report: Callable[[str], None], *, longest: float = MIN_OUTAGE) -> None:
        self.longest = longest
        self._clock = clock
        self._report = report
        self._mutex = clock.lock()
        self._since: float | None = None  # when the first request of the present outage was sent
        self._notice = Notice()
        self.when_over: Callable[[], object] = lambda: None
        self.count = 0  # outages so far, the present one included
        self._last_answered = float("-inf")  # when the newest answered request was sent
        self._past_seconds = 0.0  # seconds of all outages that are over

    def retry_while_away(self, request: Callable[[], _T], *, before_each: Callable[[], object] | None = None) -> _T:
        """Return the result of a request, repeating it while the API server is away.

        request: must be idempotent. before_each: runs before each attempt, for example to keep the lock; it must not
        raise KubeError. Raises ApiUnavailable after the longest outage, and any other error of the request; also an
        error of this request alone, which other requests do not meet, after two minutes.
        """
        failed_at: float | None = None
        alone_seconds = 0.0
        while True:
            if before_each is not None:
                before_each()
            sent = self._clock.monotonic()
            try:
                result = request()
            except KubeError as error:
                if not self._is_away(error):
                    raise
                now = self._clock.monotonic()
                if failed_at is not None and self._last_answered > failed_at:
                    alone_seconds += now - failed_at
                    if alone_seconds > MAX_SINGLE_FAILURE:
                        raise
                else:
                    self._note_failure(sent, error)
                failed_at = now
                self._clock.sleep(min(max(_PAUSE, error.retry_after or 0.0), _LONGEST_PAUSE))
            else:
                self._note_answer(sent)
                return result

    def send_once(self, request: Callable[[], _T], *, before: Callable[[], object]) -> _T:
        """Return the result of a request that is sent once.

        before: runs before it, and may take long. Raises WriteNotRepeated when it did, or the API server is away;
        ApiUnavailable after the longest outage, and any other error of the request.
        """
        outages, began = self.count, self._clock.monotonic()
        before()
        sent = self._clock.monotonic()
        if self.count != outages or sent - began > _STALE:
            raise WriteNotRepeated
        try:
            result = request()
        except KubeError as error:
            if not self._is_away(error):
                raise
            self._note_failure(sent, error)
            raise WriteNotRepeated(error) from error
        self._note_answer(sent)
        return result

    @property
    def is_under_way(self) -> bool:
        """Return whether the API server is away now, as far as a request has shown."""
        return self._since is not None

    def monotonic(self) -> float:
        """Return seconds that stand still during an outage: no node can answer in that time."""
        with self._mutex:
            now = self._clock.monotonic()
            return (now if self._since is None else self._since) - self._past_seconds

    def _is_away(self, error: KubeError) -> bool:
        # A server that has just started may deny what it allows a moment later, until it knows its roles.
        starting = self._since is not None and isinstance(error, (Unauthorized, Forbidden))
        return starting or is_transient(error, idempotent=True)

    def _note_failure(self, sent: float, error: KubeError) -> None:
        with self._mutex:
            now = self._clock.monotonic()
            if self._since is None:
                self._since = sent
                self.count += 1
            away = now - self._since
            if away > self.longest:
                raise ApiUnavailable(
                    f"the API server has not answered for {away:.0f}s ({error}): nothing else is assigned, and what is "
                    "assigned continues by itself; run it again to continue"
                ) from error
            if self._notice.is_due(now):
                self._report(
                    f"the API server does not answer ({error}): nothing is assigned meanwhile, "
                    f"waiting up to {self.longest - away:.0f}s for it"
                )

    def _note_answer(self, sent: float) -> None:
        with self._mutex:
            self._last_answered = max(self._last_answered, sent)
            if self._since is None or sent < self._since:
                return
            away = self._clock.monotonic() - self._since
            self._since = None
            self._past_seconds += away
            self._notice.end()
            self._report(f"the API server answers again after {away:.0f}s: continuing")
            self.when_over()


class Interruption:
    """Decides when the interruption of a watch is shown. An outage that is shown, or was until now, stands for it."""

    def __init__(self, outage: Outage, clock: Clock) -> None:
        self._outage = outage
        self._clock = clock
        self._notice = Notice()
        self._outages_seen = outage.count

    def is_due(self, error: Exception | None) -> bool:
        """Return whether to show the present error of the watch, None while it is open."""
        is_shown = self._outage.is_under_way or self._outage.count != self._outages_seen
        self._outages_seen = self._outage.count
        if error is None:
            self._notice.end()
            return False
        return self._notice.is_due(self._clock.monotonic(), is_shown=is_shown)


class OutageClock(Clock):
    """A clock for the deadlines of nodes: it stands still while the API server is away."""

    def __init__(self, clock: Clock, outage: Outage) -> None:
        self._clock = clock
        self._outage = outage

    def monotonic(self) -> float:
        """Return seconds during which the API server answered."""
        return self._outage.monotonic()

    def now(self) -> str:
        """Return the present time as text for users and the API."""
        return self._clock.now()

    def sleep(self, seconds: float) -> None:
        """Wait `seconds`."""
        self._clock.sleep(seconds)

    def wait(self, event: threading.Event, seconds: float) -> None:
        """Wait up to `seconds` until an event is set."""
        self._clock.wait(event, seconds)

    def lock(self) -> AbstractContextManager[Any]:
        """Return a lock that a thread may hold while it waits."""
        return self._clock.lock()

    def start(self, run: Callable[[], object], name: str) -> None:
        """Run a function in a daemon thread."""
        self._clock.start(run, name)

    def take(self, results: queue.SimpleQueue[_T]) -> _T:
        """Wait for a result and return it."""
        return self._clock.take(results)

    def get(self, events: queue.Queue[_T], seconds: float) -> _T | None:
        """Return the next event, None when there is none within `seconds`."""
        return self._clock.get(events, seconds)


class OutageTolerantClient(Client):
    """A client whose requests survive an outage; watches survive on their own.

    before_write: runs right before each write, also a repeated one: many writes may take longer than a lock holds. A
    repeated write that names a resourceVersion ends in a Conflict when the first one took effect and only its answer
    was lost, and a repeated create in AlreadyExists.
    """

    def __init__(self, client: Client, outage: Outage, *, before_write: Callable[[], object]) -> None:
        self._client = client
        self._outage = outage
        self._before_write = before_write

    def interruptible(self, interrupt: Interrupt) -> Client:
        """Return a client for a watch."""
        return self._client.interruptible(interrupt)

    def get(self, path: str, *, metadata_only: bool = False, **query: object) -> Object:
        """Return the object at path."""
        return self._outage.retry_while_away(lambda: self._client.get(path, metadata_only=metadata_only, **query))

    def pages(self, path: str, **options: Any) -> Iterator[list[Object]]:
        """Yield the objects at path, page by page. An outage ends it, since a list cannot be continued halfway."""
        return self._client.pages(path, **options)

    def list(self, path: str, **options: Any) -> Listing:
        """Return all objects at path."""
        return self._outage.retry_while_away(lambda: self._client.list(path, **options))

    def create(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Create an object in the collection at path and return it."""
        return self._write(lambda: self._client.create(path, body, dry_run=dry_run))

    def replace(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        """Replace the object at path and return it."""
        return self._write(lambda: self._client.replace(path, body, dry_run=dry_run))

    def patch(self, path: str, body: Any, **options: Any) -> Object:
        """Patch the object at path and return it."""
        return self._write(lambda: self._client.patch(path, body, **options))

    def delete(self, path: str, **options: Any) -> Object:
        """Delete the object at path and return it; with its uid, a repeated request deletes no other object."""
        return self._write(lambda: self._client.delete(path, **options))

    def _write(self, request: Callable[[], Object]) -> Object:
        return self._outage.retry_while_away(request, before_each=self._before_write)


class SingleAttemptClient(OutageTolerantClient):
    """The same client, except that it sends a PATCH once: when that has no answer, the reason for it may be gone.

    patch raises WriteNotRepeated then. All reads survive an outage.
    """

    def patch(self, path: str, body: Any, **options: Any) -> Object:
        """Patch the object at path and return it."""
        return self._outage.send_once(
            lambda: self._client.patch(path, body, retry=False, **options), before=self._before_write
        )
