# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow objects as long as wanted: list, watch, and again. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

import contextlib
import json
import random as _random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ._api_client import Client, Lines, Object
from ._api_errors import MAX_RETRY_AFTER, Gone, KubeError, Unreachable, error_of_status
from ._api_paths import describe
from ._interrupt import Interrupt
from ._retry import backoff

__all__ = ["WatchEvent", "ObjectCache", "watch"]

SERVER_TIMEOUT = (290.0, 350.0)
GRACE = 15.0
SHORTEST_LIFE = 1.0
FIRST_PAUSE = 0.5
EXPECTED_PAUSE = 1.0
LONGEST_PAUSE = 30.0
_GUARD_INTERVAL = 5.0


class WatchEvent(NamedTuple):
    """ADDED, MODIFIED, DELETED with the object; SYNCED when all that exists has been told; ERROR with its reason; GONE
    with its reason when all is listed again; BACK when the watch is open again after either."""

    type: str
    object: Object | None = None
    error: KubeError | None = None


def watch(
    client: Client,
    path: str,
    *,
    label_selector: str | None = None,
    field_selector: str | None = None,
    metadata_only: bool = False,
    transform: Callable[[Object], Object] | None = None,
    stop: threading.Event,
    resume: bool = True,
    inactivity: float | None = None,
    server_timeout: tuple[float, float] = SERVER_TIMEOUT,
    first_pause: float = FIRST_PAUSE,
    longest_pause: float = LONGEST_PAUSE,
    longest_wait: float = MAX_RETRY_AFTER,
    sleep: Callable[[float], Any] | None = None,
    monotonic: Callable[[], float] = time.monotonic,
    random: Callable[[], float] = _random.random,
    interrupt: Interrupt | None = None,
) -> Iterator[WatchEvent]:
    """Yield what exists at path, SYNCED, and from then on what changes, until stop is set (seen within a second).

    After an interruption that cannot be bridged (410) a GONE is yielded and everything is listed again: ADDED or
    MODIFIED for each object that exists, DELETED for each that is gone (with what is known of its metadata only),
    then SYNCED. No fault is raised: an ERROR is yielded for each failed attempt to list or to connect, and the next
    attempt comes after a growing, jittered pause of at most longest_pause seconds, never before the server's
    Retry-After (of which at most longest_wait seconds count). The first pause after an interruption is random over
    first_pause seconds: an interruption ends the watches of all clients at once, and first_pause is what spreads
    their return. inactivity is the longest silence in seconds (default: the server's own timeout for the watch,
    which is drawn from server_timeout, and a grace). resume: False lists everything again after an ERROR too, so
    that BACK says that all is known. transform: makes each object small as it arrives; it keeps name, namespace,
    uid and resourceVersion. interrupt: ends the connection; its owner trips it after setting stop (default: a
    thread of the watch does so).
    """
    following = _Following(
        client,
        path,
        {"labelSelector": label_selector, "fieldSelector": field_selector},
        metadata_only=metadata_only,
        transform=transform,
        stop=stop,
        resume=resume,
        inactivity=inactivity,
        server_timeout=server_timeout,
        first_pause=first_pause,
        longest_pause=longest_pause,
        longest_wait=longest_wait,
        monotonic=monotonic,
        random=random,
        interrupt=interrupt or Interrupt(),
    )
    if interrupt is None:
        threading.Thread(target=following.guard, name="watch-guard", daemon=True).start()
    try:
        yield from following.run(sleep or stop.wait)
    finally:
        following.end()


class _Following:
    """The state of one watch: what is known, from where to go on, and the connection that stop ends."""

    def __init__(
        self,
        client: Client,
        path: str,
        selectors: dict[str, str | None],
        *,
        metadata_only: bool,
        transform: Callable[[Object], Object] | None,
        stop: threading.Event,
        resume: bool,
        inactivity: float | None,
        server_timeout: tuple[float, float],
        first_pause: float,
        longest_pause: float,
        longest_wait: float,
        monotonic: Callable[[], float],
        random: Callable[[], float],
        interrupt: Interrupt,
    ) -> None:
        self._interrupt = interrupt
        self._client = client.interruptible(self._interrupt)
        self._path = path
        self._where = f"WATCH {describe(path)}"
        self._selectors = selectors
        self._metadata_only = metadata_only
        self._transform = transform
        self._stop = stop
        self._resume = resume
        self._ended = threading.Event()
        self._inactivity = inactivity
        self._server_timeout = server_timeout
        self._first_pause = first_pause
        self._longest_pause = longest_pause
        self._longest_wait = longest_wait
        self._monotonic = monotonic
        self._random = random
        self._known = ObjectCache()
        self._version = ""  # The resourceVersion to go on from; empty means list.
        self._lifetime = 0.0  # Seconds after which the server is asked to end the current request.

    def guard(self) -> None:
        """Wait for stop and end the connection then; in a thread of its own, which ends soon after the watch."""
        while not self._ended.is_set():
            if self._stop.wait(_GUARD_INTERVAL):
                self._interrupt.trip()
                return

    def end(self) -> None:
        """Give back the connection."""
        self._ended.set()
        self._client.close()

    def run(self, sleep: Callable[[float], Any]) -> Iterator[WatchEvent]:
        failures = 0
        away = False
        while not self._stop.is_set():
            error: KubeError | None = None
            opened: float | None = None
            told = False
            try:
                if not self._version:
                    yield from self._list()
                with contextlib.closing(self._open()) as lines:
                    opened = self._monotonic()
                    if away:
                        away = False
                        yield WatchEvent("BACK")
                    for event in self._events(lines):
                        told = True
                        if event is not None:
                            yield event
            except Gone as exc:
                self._version = ""
                error = exc
            except KubeError as exc:
                error = exc
            if self._stop.is_set():
                return
            # That a watch ends after a while, in good order or not, is normal; at once, again and again, is not.
            age = 0.0 if opened is None else self._monotonic() - opened
            lived = told or age >= SHORTEST_LIFE
            expected = error is None and age >= self._lifetime - SHORTEST_LIFE
            failures = (0 if expected else 1) if lived else failures + 1
            if isinstance(error, Gone):
                away = True
                yield WatchEvent("GONE", None, error)
            elif error is not None and not lived:
                away = True
                if not self._resume:
                    self._version = ""
                yield WatchEvent("ERROR", None, error)
            wait = min((error.retry_after if error else None) or 0.0, self._longest_wait)
            pause = max(self._pause(failures, lived=lived), wait)
            if pause:
                sleep(pause)

    def _pause(self, failures: int, *, lived: bool) -> float:
        """Return the seconds until the next attempt: no failures for a watch that has lived as long as it was asked to.

        Such ends are spread by the lifetimes already, which are random. Every other end comes to all clients at once,
        the orderly one of a server that shuts down too.
        """
        if lived:
            return self._random() * (self._first_pause if failures else min(EXPECTED_PAUSE, self._first_pause))
        return backoff(failures, first=self._first_pause, longest=self._longest_pause, jitter=self._random())

    def _list(self) -> Iterator[WatchEvent]:
        listing = self._client.list(
            self._path,
            label_selector=self._selectors["labelSelector"],
            field_selector=self._selectors["fieldSelector"],
            metadata_only=self._metadata_only,
            transform=self._transform,
        )
        for kind, found in self._known.replace(listing.items):
            yield WatchEvent(kind, found)
        self._version = listing.resource_version
        yield WatchEvent("SYNCED")

    def _open(self) -> Lines:
        low, high = self._server_timeout
        self._lifetime = seconds = low + (high - low) * self._random()
        return self._client.stream(
            self._path,
            metadata_only=self._metadata_only,
            read_timeout=self._inactivity or seconds + GRACE,
            watch=True,
            allowWatchBookmarks=True,
            resourceVersion=self._version,
            timeoutSeconds=int(seconds) or 1,
            **self._selectors,
        )

    def _events(self, lines: Lines) -> Iterator[WatchEvent | None]:
        """Yield the events of one request, None for a bookmark; end when the server ends it."""
        for line in lines:
            kind, found = _parsed(line, self._where)
            if kind == "ERROR":
                raise error_of_status(found, where=self._where)
            version = (found.get("metadata") or {}).get("resourceVersion")
            if version:
                self._version = str(version)
            if kind == "BOOKMARK":
                yield None
            else:
                small = self._transform(found) if self._transform else found
                yield WatchEvent(self._known.note(kind, small), small)


def _parsed(line: bytes, where: str) -> tuple[str, Object]:
    try:
        data = json.loads(line)
        kind, found = data["type"], data["object"]
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise Unreachable("a line of the watch is damaged", where=where) from exc
    if kind not in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"):
        raise Unreachable(f"a line of the watch has the unknown type {str(kind)[:30]!r}", where=where)
    if not isinstance(found, dict) or not isinstance(found.get("metadata") or {}, dict):
        raise Unreachable("a line of the watch has no object", where=where)
    return kind, found


Key = tuple[str, str]


class ObjectCache:
    """Which objects exist as far as has been told: only names and uids, since thousands may be followed."""

    def __init__(self) -> None:
        self._uids: dict[Key, str] = {}

    def note(self, kind: str, found: dict[str, Any]) -> str:
        """Take in one event of a watch and return its kind."""
        key, uid = _identity(found)
        if kind == "DELETED":
            self._uids.pop(key, None)
        else:
            self._uids[key] = uid
        return kind

    def replace(self, listed: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Take in a whole list and yield the events that lead there: DELETED for what is gone comes first.

        An object of the same name with another uid is another object. Of what is gone only name, namespace and uid
        are known.
        """
        objects = list(listed)
        now = dict(_identity(found) for found in objects)
        before, self._uids = self._uids, now
        for (namespace, name), uid in before.items():
            if now.get((namespace, name)) != uid:
                metadata = {"name": name, "uid": uid}
                if namespace:
                    metadata["namespace"] = namespace
                yield "DELETED", {"metadata": metadata}
        for found in objects:
            key, uid = _identity(found)
            yield ("MODIFIED" if before.get(key) == uid else "ADDED"), found


def _identity(found: dict[str, Any]) -> tuple[Key, str]:
    metadata = found.get("metadata") or {}
    return (str(metadata.get("namespace") or ""), str(metadata.get("name") or "")), str(metadata.get("uid") or "")
