# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watch the Nodes and records of a cluster, and take the events that they make."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..._kube.api_client import Client, Interrupt
from ..._kube.api_errors import Forbidden, KubeError, Unauthorized
from ..._kube.api_paths import NODES, config_maps
from ..._kube.transport import Timing
from ..._kube.watch import EventType, WatchEvent, WatchSettings, watch
from ..._nodeconfig.well_known import LABEL_POOL, NAMESPACE_ROLLOUTS
from ..._rollout import InvalidRecord
from ..._rollout._record.record_store import decode_record
from ..._rollout.timing import Clock
from ..._text import count_of
from .. import UnusableInput
from ._fleet_state import EventSettings, FleetState
from ._seen_node import see_node
from ._seen_pool import SeenPool, see_pool
from .event import Event

__all__ = ["Event", "EventSettings", "EventStream"]

log = logging.getLogger("configok.node.nodes")

_SEEN = "seen"  # a key of what is kept of an object
_PACE = 0.2  # seconds in which changes are collected: thousands of Nodes change every minute
_MAX_SILENCE = 90.0  # seconds without an event or a bookmark (one a minute): then the connection is dead
_CLOCK_CHECK = 600.0  # seconds between two looks at the clock of the API server
_CLOCK_RETRY = 60.0  # seconds after one that has failed


class _Followed(NamedTuple):
    """What a watch follows. what: in words. reduce: makes an object small as it arrives, without its metadata."""

    what: str
    path: str
    selector: str
    reduce: Callable[[Mapping[str, Any]], object]


def _reduced_record(config_map: Mapping[str, Any]) -> object:
    """Return the pool of a record, or why it cannot be read."""
    try:
        return see_pool(decode_record(config_map))
    except InvalidRecord as error:
        return str(error)


class EventStream:
    """Follows a cluster in threads of its own. A context manager: leaving it ends the watches."""

    def __init__(
        self, client: Client, settings: EventSettings | None = None, *, selector: str = "", clock: Clock | None = None
    ) -> None:
        """Follow the Nodes that a label selector matches, "" for all, and the records of all pools."""
        self._client = client
        self._clock = clock or Clock()
        self._followed = (
            _Followed("nodes", NODES, selector, see_node),
            _Followed("records", config_maps(NAMESPACE_ROLLOUTS), LABEL_POOL, _reduced_record),
        )
        self._stop = threading.Event()
        self._interrupts = [Interrupt() for _followed in self._followed]
        self._has_changed = threading.Event()
        self._lock = self._clock.lock()  # of the two below
        self._state = FleetState(settings or EventSettings())
        self._fault: Exception | None = None

    def __enter__(self) -> EventStream:
        for followed, interrupt in zip(self._followed, self._interrupts):
            self._clock.start(partial(self._follow, followed, interrupt), followed.what)
        self._clock.start(self._follow_the_time, "clock")
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        for interrupt in self._interrupts:
            interrupt.trip()

    def take(self, seconds: float) -> list[Event]:
        """Wait up to `seconds` for news, and return the events that they make, which may be none.

        What changes while nothing is taken is kept as the last state of each node. Raises KubeError if the cluster may
        not be watched, UnusableInput if a watch has ended.
        """
        with self._lock:
            due = self._state.due - self._clock.monotonic()
        self._clock.wait(self._has_changed, max(0.0, min(seconds, due)))
        if self._has_changed.is_set():
            self._clock.sleep(_PACE)
        self._has_changed.clear()
        with self._lock:
            if self._fault is not None:
                raise self._fault
            return self._state.take_events(self._clock.monotonic())

    def _follow(self, followed: _Followed, interrupt: Interrupt) -> None:
        def reduce(item: dict[str, Any]) -> dict[str, Any]:
            metadata = item.get("metadata") or {}
            kept = {key: metadata[key] for key in ("name", "namespace", "uid", "resourceVersion") if key in metadata}
            return {"metadata": kept, _SEEN: followed.reduce(item)}

        try:
            for event in watch(
                self._client,
                followed.path,
                label_selector=followed.selector or None,
                transform=reduce,
                stop=self._stop,
                settings=WatchSettings(inactivity=_MAX_SILENCE),
                timing=Timing(sleep=lambda seconds: self._clock.wait(self._stop, seconds)),
                interrupt=interrupt,
            ):
                with self._lock:
                    self._apply(followed.what, event)
                self._has_changed.set()
        except KubeError as error:
            self._end(error)
        except Exception as error:  # noqa: BLE001 - a fault of ours; unreported, events would end without a word
            self._end(UnusableInput(f"{followed.what} are no longer watched: {error}: start the source again"))

    def _end(self, fault: Exception) -> None:
        with self._lock:
            self._fault = fault
        self._has_changed.set()

    def _apply(self, what: str, event: WatchEvent) -> None:
        self._note_interruption(what, event.type)
        if event.type == "GONE":
            log.info("%s are listed again: %s", what, event.error)
        elif event.error is not None:
            self._note_error(what, event.error)
        elif event.type == "SYNCED":
            self._note_synced(what)
        elif event.type == "BACK":
            log.info("%s are watched again", what)
        elif event.object is not None and what == "nodes":
            self._apply_node(event.type, event.object)
        elif event.object is not None:
            self._apply_record(event.type, event.object)

    def _note_interruption(self, what: str, kind: EventType) -> None:
        state = self._state
        if kind in ("GONE", "ERROR"):
            (state.silence.pause if what == "nodes" else state.pause_records)()
        elif kind == "BACK":
            (state.silence.resume if what == "nodes" else state.resume_records)(self._clock.monotonic())

    def _note_error(self, what: str, error: KubeError) -> None:
        """Without rights, the source ends; after the first list, a server that starts may deny them for a moment."""
        is_known = self._state.knows_nodes if what == "nodes" else self._state.knows_pools
        if isinstance(error, (Forbidden, Unauthorized)) and not is_known:
            raise error
        log.warning("%s are not watched at the moment: %s", what, error)

    def _note_synced(self, what: str) -> None:
        if what == "nodes":
            self._state.knows_nodes = True
            if self._state.not_heard:
                log.warning(
                    "not judged: whether the agents of %s are silent, since their Nodes do not say when they "
                    "last wrote",
                    count_of(self._state.not_heard, "node"),
                )
        else:
            self._state.knows_pools = True
        log.info("all %s are known", what)

    def _apply_node(self, kind: EventType, item: Mapping[str, Any]) -> None:
        if kind == "DELETED":
            self._state.lose_node(str(item["metadata"]["name"]))
        else:
            self._state.see_node(item[_SEEN])

    def _apply_record(self, kind: EventType, item: Mapping[str, Any]) -> None:
        seen = item.get(_SEEN)
        if kind == "DELETED":
            self._state.lose_pool(str(item["metadata"]["name"]))
        elif isinstance(seen, SeenPool):
            if seen.is_not_understood:
                log.warning("not judged: which nodes join or leave pool %s, by its selector", seen.name)
            self._state.see_pool(seen)
        else:
            log.warning("not judged: %s", seen)
            self._state.lose_pool(str(item["metadata"]["name"]))

    def _follow_the_time(self) -> None:
        """Compare the clock of the API server with ours now and then: it has stamped what agents write."""
        while not self._stop.is_set():
            self._clock.wait(self._stop, _CLOCK_CHECK if self._reads_the_time() else _CLOCK_RETRY)

    def _reads_the_time(self) -> bool:
        try:
            server_time = self._client.server_time()
        except KubeError as error:
            log.warning("the clock of the API server cannot be read: %s", error)
            return False
        if server_time is None:
            log.warning("not judged: whether agents are silent, since the API server sends no Date")
            return False
        with self._lock:
            self._state.silence.set_server_time(server_time, self._clock.monotonic())
        return True
