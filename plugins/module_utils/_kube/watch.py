# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows objects: list, watch, and again."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, cast

from .._foreign import load_json
from ._interrupt import Interrupt
from ._retry_after import MAX_RETRY_AFTER
from .api_client import Client, Object
from .api_errors import Gone, KubeError, Unreachable, error_of_status
from .api_paths import describe
from .retry import backoff_delay
from .transport import Lines, Timing

SERVER_TIMEOUT = (290.0, 350.0)
GRACE = 15.0
SHORTEST_LIFE = 1.0
FIRST_PAUSE = 0.5
EXPECTED_PAUSE = 1.0
LONGEST_PAUSE = 30.0
_GUARD_INTERVAL = 5.0

ObjectEvent = Literal["ADDED", "MODIFIED", "DELETED"]
EventType = Literal["ADDED", "MODIFIED", "DELETED", "SYNCED", "ERROR", "GONE", "BACK"]
_WireType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]


class WatchEvent(NamedTuple):
    """An event of a watch.

    ADDED, MODIFIED, DELETED with the object; SYNCED when every existing object was yielded; ERROR with its reason;
    GONE with its reason when everything is listed again; BACK when the watch is open again after either.
    """

    type: EventType
    object: Object | None = None
    error: KubeError | None = None


class WatchSettings(NamedTuple):
    """How a watch recovers from interruptions; all times are in seconds.

    resume: False lists everything again after an ERROR too, so that everything is known when BACK is yielded.
    inactivity: the longest silence (default: the server's own timeout for the watch, and a grace). server_timeout: the
    range from which that timeout is drawn. first_pause: the first pause after an interruption is random between 0 and
    this; an interruption ends the watches of all clients at once, and first_pause spreads their return. longest_pause:
    the limit of the growing, jittered pause between attempts. longest_wait: the limit of the server's Retry-After.
    """

    resume: bool = True
    inactivity: float | None = None
    server_timeout: tuple[float, float] = SERVER_TIMEOUT
    first_pause: float = FIRST_PAUSE
    longest_pause: float = LONGEST_PAUSE
    longest_wait: float = MAX_RETRY_AFTER


class _Objects(NamedTuple):
    """The objects that a watch follows, and what it keeps of each."""

    path: str
    selectors: dict[str, str | None]
    metadata_only: bool
    transform: Callable[[Object], Object] | None


def watch(
    client: Client,
    path: str,
    *,
    label_selector: str | None = None,
    field_selector: str | None = None,
    metadata_only: bool = False,
    transform: Callable[[Object], Object] | None = None,
    stop: threading.Event,
    settings: WatchSettings | None = None,
    timing: Timing | None = None,
    interrupt: Interrupt | None = None,
) -> Iterator[WatchEvent]:
    """Yield what exists at path, SYNCED, and from then on what changes, until stop is set (seen within a second).

    After an interruption that cannot be bridged (410) a GONE is yielded and everything is listed again: ADDED or
    MODIFIED for each object that exists, DELETED for each that is gone (with the known part of its metadata only),
    then SYNCED. No error is raised: an ERROR is yielded for each failed attempt to list or to connect, and the next
    attempt follows after a growing pause, never before the server's Retry-After. transform: makes each object small
    as it arrives; it keeps name, namespace, uid and resourceVersion. timing: by default sleeping ends when stop is set.
    interrupt: ends the connection; its owner trips it after setting stop (default: a thread of the watch does so).
    """
    objects = _Objects(
        path, {"labelSelector": label_selector, "fieldSelector": field_selector}, metadata_only, transform
    )
    following = _Watch(
        client, objects, stop, settings or WatchSettings(), timing or Timing(sleep=stop.wait), interrupt or Interrupt()
    )
    if interrupt is None:
        threading.Thread(target=following.guard, name="watch-guard", daemon=True).start()
    try:
        yield from following.run()
    finally:
        following.end()


class _Watch:
    """The state of one watch: the known objects, the version to continue from, and the connection that stop ends."""

    def __init__(
        self,
        client: Client,
        objects: _Objects,
        stop: threading.Event,
        settings: WatchSettings,
        timing: Timing,
        interrupt: Interrupt,
    ) -> None:
        self._interrupt = interrupt
        self._client = client.interruptible(self._interrupt)
        self._objects = objects
        self._where = f"WATCH {describe(objects.path)}"
        self._stop = stop
        self._settings = settings
        self._timing = timing
        self._ended = threading.Event()
        self._cache = ObjectCache()
        self._version = ""  # The resourceVersion to continue from; empty means list.
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

    def run(self) -> Iterator[WatchEvent]:
        """Yield the events until stop is set."""
        failures = 0
        away = False
        while not self._stop.is_set():
            error: KubeError | None = None
            opened: float | None = None
            delivered = False
            try:
                if not self._version:
                    yield from self._list()
                with contextlib.closing(self._open()) as lines:
                    opened = self._timing.monotonic()
                    if away:
                        away = False
                        yield WatchEvent("BACK")
                    for event in self._events(lines):
                        delivered = True
                        if event is not None:
                            yield event
            except Gone as exc:
                self._version = ""
                error = exc
            except KubeError as exc:
                error = exc
            if self._stop.is_set():
                return
            # A watch that ends after a while, with or without an error, is normal; one that ends at once, again and
            # again, is not.
            age = 0.0 if opened is None else self._timing.monotonic() - opened
            lived = delivered or age >= SHORTEST_LIFE
            expected = error is None and age >= self._lifetime - SHORTEST_LIFE
            failures = (0 if expected else 1) if lived else failures + 1
            if isinstance(error, Gone):
                away = True
                yield WatchEvent("GONE", None, error)
            elif error is not None and not lived:
                away = True
                if not self._settings.resume:
                    self._version = ""
                yield WatchEvent("ERROR", None, error)
            wait = min((error.retry_after if error else None) or 0.0, self._settings.longest_wait)
            pause = max(self._pause(failures, lived=lived), wait)
            if pause:
                self._timing.sleep(pause)

    def _pause(self, failures: int, *, lived: bool) -> float:
        """Return the seconds until the next attempt. failures: 0 for a watch that lived as long as it was asked to.

        The random lifetimes already spread such ends. Every other end reaches all clients at once, even the orderly
        one of a server that shuts down.
        """
        first = self._settings.first_pause
        if lived:
            return self._timing.random() * (first if failures else min(EXPECTED_PAUSE, first))
        longest = self._settings.longest_pause
        return backoff_delay(failures, first=first, longest=longest, jitter=self._timing.random())

    def _list(self) -> Iterator[WatchEvent]:
        listing = self._client.list(
            self._objects.path,
            label_selector=self._objects.selectors["labelSelector"],
            field_selector=self._objects.selectors["fieldSelector"],
            metadata_only=self._objects.metadata_only,
            transform=self._objects.transform,
        )
        for kind, item in self._cache.replace(listing.items):
            yield WatchEvent(kind, item)
        self._version = listing.resource_version
        yield WatchEvent("SYNCED")

    def _open(self) -> Lines:
        low, high = self._settings.server_timeout
        self._lifetime = seconds = low + (high - low) * self._timing.random()
        return self._client.stream(
            self._objects.path,
            metadata_only=self._objects.metadata_only,
            read_timeout=self._settings.inactivity or seconds + GRACE,
            watch=True,
            allowWatchBookmarks=True,
            resourceVersion=self._version,
            timeoutSeconds=int(seconds) or 1,
            **self._objects.selectors,
        )

    def _events(self, lines: Lines) -> Iterator[WatchEvent | None]:
        """Yield the events of one request, None for a bookmark; end when the server ends it."""
        transform = self._objects.transform
        for line in lines:
            kind, item = _parse_event(line, self._where)
            if kind == "ERROR":
                raise error_of_status(item, where=self._where)
            version = (item.get("metadata") or {}).get("resourceVersion")
            if version:
                self._version = str(version)
            if kind == "BOOKMARK":
                yield None
            else:
                small = transform(item) if transform else item
                self._cache.apply(kind, small)
                yield WatchEvent(kind, small)


def _parse_event(line: bytes, where: str) -> tuple[_WireType, Object]:
    try:
        data = load_json(line)
        kind, item = data["type"], data["object"]
    except (ValueError, TypeError, KeyError) as exc:
        raise Unreachable("a line of the watch is damaged", where=where) from exc
    if kind not in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"):
        raise Unreachable(f"a line of the watch has the unknown type {str(kind)[:30]!r}", where=where)
    if not isinstance(item, dict) or not isinstance(item.get("metadata") or {}, dict):
        raise Unreachable("a line of the watch has no object", where=where)
    return cast("_WireType", kind), item


Key = tuple[str, str]


class ObjectCache:
    """The objects that exist as far as the watch has reported: only names and uids, since there may be thousands."""

    def __init__(self) -> None:
        self._uids: dict[Key, str] = {}

    def apply(self, kind: ObjectEvent, item: dict[str, Any]) -> None:
        """Apply one event of a watch."""
        key, uid = _identity(item)
        if kind == "DELETED":
            self._uids.pop(key, None)
        else:
            self._uids[key] = uid

    def replace(self, items: Iterable[dict[str, Any]]) -> Iterator[tuple[ObjectEvent, dict[str, Any]]]:
        """Apply a whole list and yield the events that lead to it: first DELETED for each object that is gone.

        An object of the same name with another uid is another object. Of an object that is gone only name, namespace
        and uid are known.
        """
        objects = list(items)
        now = dict(_identity(item) for item in objects)
        before, self._uids = self._uids, now
        for (namespace, name), uid in before.items():
            if now.get((namespace, name)) != uid:
                metadata = {"name": name, "uid": uid}
                if namespace:
                    metadata["namespace"] = namespace
                yield "DELETED", {"metadata": metadata}
        for item in objects:
            key, uid = _identity(item)
            yield ("MODIFIED" if before.get(key) == uid else "ADDED"), item


def _identity(item: dict[str, Any]) -> tuple[Key, str]:
    metadata = item.get("metadata") or {}
    return (str(metadata.get("namespace") or ""), str(metadata.get("name") or "")), str(metadata.get("uid") or "")
