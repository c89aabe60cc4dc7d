# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches of the embedded API server: history, selectors, bookmarks, the ERROR event.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Mapping

from .field_shapes import round_trip
from .resources import Target
from .selectors import field_matcher, label_matcher, required_name
from .statuses import bad_request, expired
from .storage import Change, Storage, Stored, Watcher, encode, metadata_only

__all__ = ["Watch", "WatchClock"]

_DEFAULT_SECONDS = 1800.0


class WatchClock:
    """Measures the time of watches; tests bring a virtual one."""

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()

    def next(self, changes: queue.SimpleQueue[Change | None], seconds: float) -> Change | None:
        """Return the next change. Raises queue.Empty after `seconds` without one."""
        return changes.get(timeout=max(0.0, seconds))


class Watch:
    """One watch: its parameters are checked before the answer begins, and it is registered while it runs."""

    def __init__(
        self,
        storage: Storage,
        target: Target,
        query: Mapping[str, str],
        partial: str,
        *,
        user: str,
        bookmark_interval: float,
        clock: WatchClock,
    ) -> None:
        """Read the parameters of the watch. Raises ApiError 400 for bad ones."""
        self._storage = storage
        self._resource = target.resource
        self._partial = partial
        self._bookmarks = query.get("allowWatchBookmarks", "") in ("true", "1")
        self._interval = bookmark_interval
        self._clock = clock
        self._labels = label_matcher(query.get("labelSelector", ""))
        selector = query.get("fieldSelector", "")
        self._fields = field_matcher(target.resource, selector)
        seconds, version = query.get("timeoutSeconds", ""), query.get("resourceVersion", "")
        if not all(text.isascii() and text.isdigit() for text in (seconds, version) if text):
            raise bad_request(f'invalid resource version "{version}" or timeoutSeconds "{seconds}"')
        self._seconds = float(seconds) if seconds and int(seconds) else _DEFAULT_SECONDS
        name = required_name(target.resource, selector)
        self.watcher = Watcher(target.resource, target.namespace, name, user)
        self._since = int(version) if version not in ("", "0") else None
        self._seen = 0

    def run(self, write: Callable[[bytes], None]) -> None:
        """Write event lines until the watch ends. write: raises OSError if the client is gone."""
        since = self._since
        try:
            with self._storage.lock:
                backlog, floor = self._storage.watch(self.watcher, since)
                self._seen = self._storage.version
            if since is not None and since < floor:
                error = expired(f"too old resource version: {since} ({floor})")
                write(b'{"type":"ERROR","object":' + encode(error.body()) + b"}\n")
                return
            write(b"".join(self._line(change) for change in backlog))
            del backlog
            self._follow(write)
        finally:
            self._storage.unwatch(self.watcher)

    def _follow(self, write: Callable[[bytes], None]) -> None:
        ends = self._clock.monotonic() + self._seconds
        next_bookmark = self._next_bookmark(self._clock.monotonic(), ends)
        while True:
            current = self._clock.monotonic()
            if self._bookmarks and current >= next_bookmark:
                write(self._bookmark())
                next_bookmark = self._next_bookmark(current, ends)
            if current >= ends:
                return
            until = min(ends, next_bookmark) if self._bookmarks else ends
            try:
                change = self._clock.next(self.watcher.queue, until - current)
            except queue.Empty:
                continue
            if change is None:
                return
            self._seen = change.version
            line = self._line(change)
            if line:
                write(line)

    def _next_bookmark(self, current: float, ends: float) -> float:
        """Return when the next bookmark is due, as on the real server: about once a minute, and just before the end."""
        last = ends - 2.0
        return min(current + self._interval, last) if last > current else current + self._interval

    def _bookmark(self) -> bytes:
        with self._storage.lock:  # nothing of this resource is in the queue that would be older than this version
            version = self._storage.version if self.watcher.queue.empty() else self._seen
        item = round_trip(self._resource, {"metadata": {"resourceVersion": str(version)}}, None)
        if self._partial:
            item = metadata_only(item, self._partial)
        return b'{"type":"BOOKMARK","object":' + encode(item) + b"}\n"

    def _matches(self, stored: Stored) -> bool:
        watcher = self.watcher
        return (
            (not watcher.namespace or stored.key[0] == watcher.namespace)
            and (not watcher.name or stored.key[1] == watcher.name)
            and (self._labels is None or self._labels(stored.item))
            and (self._fields is None or self._fields(stored.item))
        )

    def _line(self, change: Change) -> bytes:
        """Return the event for this watch. An object that no longer matches is DELETED, one that now does is ADDED."""
        was = change.before is not None and self._matches(change.before)
        matches = not change.deleted and self._matches(change.after)
        if not was and not matches:
            return b""
        shown = change.after
        if was and not matches and not change.deleted and change.before is not None:
            # As the real server does: the last form that matched, under the version of the change.
            metadata = {**change.before.item["metadata"], "resourceVersion": str(change.version)}
            shown = Stored(change.before.key, {**change.before.item, "metadata": metadata}, change.version)
        kind = b"MODIFIED" if was and matches else b"ADDED" if matches else b"DELETED"
        return b'{"type":"' + kind + b'","object":' + shown.encoded(self._partial) + b"}\n"
