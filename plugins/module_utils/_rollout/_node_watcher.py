# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Nodes of a pool as they are now: one paged list, then one watch. Private to configok.node."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import NamedTuple

from .._kube._api_client import Client
from .._kube._api_errors import Forbidden, KubeError, ServerError, TooManyRequests, Unauthorized, Unreachable
from .._kube._api_paths import NODES
from .._kube._client_settings import Timing
from .._kube._interrupt import Interrupt
from .._kube._watch import WatchSettings, watch
from ._node_view import NodeView, node_view, reduce_node
from ._outage import MAX_OUTAGE
from ._rollout_errors import ApiUnavailable, RolloutError
from ._timing import Clock

__all__ = ["NodeEvent", "NodeWatcher"]

_TRANSIENT = (Unreachable, ServerError, TooManyRequests)
_AGAIN = "run it again to go on, and report this if it comes again"
_LOOK = 1.0  # seconds between two calls of keep while the first list is waited for
_LONGEST_WAIT = 30.0  # seconds at most that a server's Retry-After is honoured: a run survives five minutes in all
_FIRST_PAUSE = 0.1  # seconds at most before a watch that ended is opened again: there is one runner, not thousands
_SILENCE = 90.0  # seconds without an event or a bookmark (one a minute) after which a connection is taken for dead


class NodeEvent(NamedTuple):
    """ADDED, MODIFIED, or DELETED with the last view of the Node; SYNCED, ERROR, GONE and BACK as the watch tells
    them; ENDED with the fault that ended the feed."""

    type: str
    view: NodeView | None = None
    error: KubeError | RolloutError | None = None


class NodeWatcher:
    """Follows the Nodes of a pool in a thread of its own. A context manager: leaving it ends the watch.

    views: the Nodes by name, as of the events that were taken. fault: why they are not known at the moment, None while
    they are.
    """

    def __init__(
        self, client: Client, selector: str, clock: Clock, *, monotonic: Callable[[], float] | None = None
    ) -> None:
        """monotonic: measures the age of the watch, for a clock that stands still during an outage."""
        self.nodes: dict[str, NodeView] = {}
        self.error: KubeError | None = None
        self._client = client
        self._selector = selector
        self._clock = clock
        self._monotonic = monotonic or clock.monotonic
        self._events: queue.Queue[NodeEvent] = queue.Queue()
        self._stop = threading.Event()
        self._interrupt = Interrupt()

    def __enter__(self) -> NodeWatcher:
        self._clock.start(self._run, "node-feed")
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        self._interrupt.trip()

    def sync(self, keep: Callable[[], object], tell: Callable[[str], None]) -> list[NodeView]:
        """Wait for the first list and return its Nodes, sorted by name; keep is called while it is waited for.

        Raises KubeError when the Nodes may not be listed, ApiAway when they cannot be for five minutes.
        """
        began = self._clock.monotonic()
        while True:
            events = self.take_events(_LOOK)
            keep()
            if any(event.type == "SYNCED" for event in events):
                return self.sorted_nodes()
            for error in [event.error for event in events if event.error is not None]:
                tell(f"the nodes cannot be listed, and are tried again: {error}")
            if self.error is not None and self._clock.monotonic() - began > MAX_OUTAGE:
                raise ApiUnavailable(
                    f"the nodes could not be listed for {MAX_OUTAGE:.0f}s ({self.error}): nothing was assigned in this "
                    "wave; run it again to go on"
                ) from self.error

    def sorted_nodes(self) -> list[NodeView]:
        """Return the Nodes as they are now, sorted by name."""
        return [self.nodes[name] for name in sorted(self.nodes)]

    def take_events(self, seconds: float) -> list[NodeEvent]:
        """Wait at most so long for an event, take all that are there, and bring views up to date.

        Raises KubeError when the Nodes may not be watched, RolloutError when the feed has ended.
        """
        taken = []
        event = self._clock.get(self._events, seconds)
        while event is not None:
            taken.append(self._note(event))
            event = self._events.get_nowait() if not self._events.empty() else None
        return taken

    def _note(self, event: NodeEvent) -> NodeEvent:
        if isinstance(event.error, RolloutError):
            raise event.error
        if event.type == "GONE":
            self.error = event.error
        elif event.error is not None:
            # A server that has just started may deny what it allows a moment later, until it knows its roles.
            starting = self.error is not None and isinstance(event.error, (Unauthorized, Forbidden))
            if not starting and not isinstance(event.error, _TRANSIENT):
                raise event.error
            self.error = event.error
        elif event.type == "BACK":
            self.error = None
        elif event.view is not None and event.type == "DELETED":
            return event._replace(view=self.nodes.pop(event.view.name, event.view))
        elif event.view is not None:
            self.nodes[event.view.name] = event.view
        return event

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # noqa: BLE001 - a fault of ours, without a word of which the run would wait for ever
            ended = RolloutError(f"the nodes are watched no more: {error}: {_AGAIN}")
            self._events.put(NodeEvent("ENDED", error=ended))

    def _follow(self) -> None:
        for event in watch(
            self._client,
            NODES,
            label_selector=self._selector or None,
            transform=reduce_node,
            stop=self._stop,
            settings=WatchSettings(
                resume=False,  # the server may have forgotten the version, and says so only after BACK
                first_pause=_FIRST_PAUSE,
                inactivity=_SILENCE,
                longest_wait=_LONGEST_WAIT,
            ),
            timing=Timing(lambda seconds: self._clock.wait(self._stop, seconds), self._monotonic),
            interrupt=self._interrupt,
        ):
            view = None if event.object is None else node_view(event.object)
            self._events.put(NodeEvent(event.type, view, event.error))
