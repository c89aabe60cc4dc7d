# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The embedded API server's objects, their growing version, and their watchers.

Private to configok.node: no compatibility is promised.
Objects are never changed once stored: a write stores a new one, which may share parts with the old.
"""

from __future__ import annotations

import bisect
import json
import queue
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from .resources import RESOURCES, Resource

__all__ = ["Change", "Storage", "Stored", "Watcher", "encode", "metadata_only"]

Key = tuple[str, str]  # namespace, name


def encode(item: Any) -> bytes:
    """Compact JSON."""
    return json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode()


def metadata_only(item: Mapping[str, Any], api_version: str = "meta.k8s.io/v1") -> dict[str, Any]:
    """Return the PartialObjectMetadata of an object."""
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": item["metadata"]}


class Stored:
    """One version of one object, which is encoded once, on first use."""

    __slots__ = ("_encoded", "item", "key", "version")

    def __init__(self, key: Key, item: dict[str, Any], version: int) -> None:
        self.key = key
        self.item = item
        self.version = version
        self._encoded: bytes | None = None

    def encoded(self, partial: str = "") -> bytes:
        """Return the object as JSON. partial: apiVersion of a metadata-only form, or "" for the whole object."""
        if partial:
            return encode(metadata_only(self.item, partial))
        if self._encoded is None:
            self._encoded = encode(self.item)
        return self._encoded

    def listed(self, partial: str = "") -> bytes:
        """Return the object as an item of a list. As from the real server, a whole one has no kind and apiVersion."""
        if partial:
            return self.encoded(partial)
        head = encode({"kind": self.item["kind"], "apiVersion": self.item["apiVersion"]})[:-1] + b","
        return b"{" + self.encoded()[len(head) :]


class Change:
    """One entry of the history: before is None for a create, deleted says that the object is gone."""

    __slots__ = ("after", "before", "deleted", "version")

    def __init__(self, version: int, before: Stored | None, after: Stored, deleted: bool) -> None:
        self.version = version
        self.before = before
        self.after = after
        self.deleted = deleted


class Watcher:
    """A queue of changes of one resource; None in the queue ends the watch."""

    __slots__ = ("name", "namespace", "queue", "resource", "user")

    def __init__(self, resource: Resource, namespace: str, name: str, user: str) -> None:
        self.resource = resource
        self.namespace = namespace
        self.name = name
        self.user = user
        self.queue: queue.SimpleQueue[Change | None] = queue.SimpleQueue()


class _Table:
    """The objects of one resource."""

    def __init__(self, floor: int) -> None:
        self.objects: dict[Key, Stored] = {}
        self.keys: list[Key] = []  # sorted as in etcd: by namespace, then name
        self.history: deque[Change] = deque()
        self.floor = floor  # changes up to this version are forgotten
        self.watchers: dict[str, set[Watcher]] = {}  # by the only name that they ask for, or "" for all
        self.snapshots: dict[int, list[Stored]] = {}  # by version: what paged lists continue with


class Storage:
    """All objects. Every method takes the lock itself; hold `lock` around a read that decides a write."""

    # Versions of a real cluster never start at 1: a watch from 1 is then older than any history, as on a real cluster.
    first_version = 100

    def __init__(self, *, history: int = 10_000, snapshots: int = 16) -> None:
        self.lock = threading.RLock()
        self.version = self.first_version
        self._history = history
        self._snapshots = snapshots
        self._tables = {resource.name: _Table(self.version) for resource in RESOURCES}

    def get(self, resource: Resource, namespace: str, name: str) -> Stored | None:
        """Return the object, or None."""
        return self._tables[resource.name].objects.get((namespace, name))

    def all(self, resource: Resource, namespace: str = "") -> list[Stored]:
        """Return every object of a resource, or of one namespace, in the order of etcd's keys."""
        with self.lock:
            table = self._tables[resource.name]
            if not namespace:
                return [table.objects[key] for key in table.keys]
            start = bisect.bisect_left(table.keys, (namespace, ""))
            end = bisect.bisect_left(table.keys, (namespace + "\0", ""))
            return [table.objects[key] for key in table.keys[start:end]]

    def put(self, resource: Resource, item: Mapping[str, Any]) -> Stored:
        """Store a new version of an object under the next version number, and tell the watchers."""
        with self.lock:
            self.version += 1
            metadata = {**item["metadata"], "resourceVersion": str(self.version)}
            key = (metadata.get("namespace", ""), metadata["name"])
            stored = Stored(key, {**item, "metadata": metadata}, self.version)
            table = self._tables[resource.name]
            before = table.objects.get(key)
            if before is None:
                bisect.insort(table.keys, key)
            table.objects[key] = stored
            self._publish(table, Change(self.version, before, stored, False))
            return stored

    def remove(self, resource: Resource, stored: Stored) -> Stored:
        """Remove an object; its last form carries the version of the removal, as watches show it."""
        with self.lock:
            self.version += 1
            metadata = {**stored.item["metadata"], "resourceVersion": str(self.version)}
            last = Stored(stored.key, {**stored.item, "metadata": metadata}, self.version)
            table = self._tables[resource.name]
            del table.objects[stored.key]
            del table.keys[bisect.bisect_left(table.keys, stored.key)]
            self._publish(table, Change(self.version, stored, last, True))
            return last

    def _publish(self, table: _Table, change: Change) -> None:
        table.history.append(change)
        while len(table.history) > self._history:
            table.floor = table.history.popleft().version
        for name in ("", change.after.key[1]):
            for watcher in table.watchers.get(name, ()):
                watcher.queue.put(change)

    def snapshot(self, resource: Resource, version: int = 0) -> tuple[int, list[Stored] | None]:
        """Return all objects of a resource at a version (0: now), for paging; None if that is no longer kept."""
        with self.lock:
            table = self._tables[resource.name]
            if version:
                return version, table.snapshots.get(version)
            table.snapshots[self.version] = objects = self.all(resource)
            while len(table.snapshots) > self._snapshots:
                del table.snapshots[next(iter(table.snapshots))]
            return self.version, objects

    def watch(self, watcher: Watcher, since: int | None) -> tuple[list[Change], int]:
        """Register a watcher; what happened after `since` (None: every object, as created) comes back first.

        Returns the changes and the oldest version kept; when that is newer than `since`, nothing was registered.
        """
        with self.lock:
            table = self._tables[watcher.resource.name]
            if since is None:
                changes = [Change(stored.version, None, stored, False) for stored in self.all(watcher.resource)]
            elif since < table.floor:
                return [], table.floor
            else:
                changes = [change for change in table.history if change.version > since]
            table.watchers.setdefault(watcher.name, set()).add(watcher)
            return changes, table.floor

    def unwatch(self, watcher: Watcher) -> None:
        """Forget a watcher."""
        with self.lock:
            table = self._tables[watcher.resource.name]
            watchers = table.watchers.get(watcher.name, set())
            watchers.discard(watcher)
            if not watchers:
                table.watchers.pop(watcher.name, None)

    def watchers(self) -> list[Watcher]:
        """Return all current watchers."""
        with self.lock:
            return [
                watcher for table in self._tables.values() for group in table.watchers.values() for watcher in group
            ]

    def compact(self) -> None:
        """Forget the history and the snapshots: older watches and continued lists get 410 from now on."""
        with self.lock:
            for table in self._tables.values():
                table.history.clear()
                table.snapshots.clear()
                table.floor = self.version
