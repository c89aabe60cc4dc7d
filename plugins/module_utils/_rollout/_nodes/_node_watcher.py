# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow the Nodes of a pool: one paged list, then one watch."""

from __future__ import annotations

import queue
import threading
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from ..._kube.api_client import Client, Interrupt
from ..._kube.api_errors import Forbidden, KubeError, ServerError, TooManyRequests, Unauthorized, Unreachable
from ..._kube.api_paths import NODES
from ..._kube.transport import Timing
from ..._kube.watch import EventType, WatchSettings, watch
from .. import RolloutError
from .._gates._node_gates import NodeGates
from ..timing import Clock
from .node_list import read_nodes
from .node_view import NodeView, node_view, reduce_node

_TRANSIENT = (Unreachable, ServerError, TooManyRequests)
_ADVICE = "run it again to continue, and report this if it comes again"
LIST_CHECK_INTERVAL = 1.0  # seconds between two checks whether the first list is there
_MAX_RETRY_AFTER = 30.0  # seconds of a server's Retry-After that are honoured: a run survives five minutes in all
_FIRST_PAUSE = 0.1  # seconds at most before a watch that ended is opened again: there is one runner, not thousands
_LONGEST_PAUSE = 5.0  # seconds at most between two attempts
_GATE_ANSWERS = "gateAnswers"  # a key of a reduced Node: the answers need the complete one
_MAX_SILENCE = 90.0  # seconds without an event or a bookmark (one a minute): then the connection is dead


class NodeEvent(NamedTuple):
    """An event of the watcher.

    ADDED, MODIFIED, or DELETED with the last view of the Node; SYNCED, ERROR, GONE and BACK as the watch yields them;
    ENDED with the error that ended the watcher; WAKE when something else than a Node has changed.
    """

    type: EventType | Literal["ENDED", "WAKE"]
    view: NodeView | None = None
    error: KubeError | RolloutError | None = None


def _versions(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return what tells whether two objects are the same Node in the same version."""
    metadata = node.get("metadata") or {}
    return {key: metadata.get(key) for key in ("name", "uid", "resourceVersion")}


def _versions_of(view: NodeView) -> dict[str, Any]:
    return {"name": view.name, "uid": view.uid, "resourceVersion": view.resource_version}


class NodeWatcher:
    """Follows the Nodes of a pool in a thread of its own. A context manager: leaving it ends the watch.

    nodes: the Nodes by name, as of the events that were taken. error: why their state is not known at the moment, None
    while it is. gates: answer for each Node as it arrives. names: of the Nodes that count, None for all.
    """

    def __init__(
        self,
        client: Client,
        selector: str,
        clock: Clock,
        *,
        gates: NodeGates | None = None,
        names: Collection[str] | None = None,
    ) -> None:
        self.nodes: dict[str, NodeView] = {}
        self.error: KubeError | None = None
        self._client = client
        self._selector = selector
        self._clock = clock
        self._gates = gates or NodeGates()
        self._names = names
        self._events: queue.Queue[list[NodeEvent]] = queue.Queue()  # events that are taken together
        self._stop = threading.Event()
        self._hurry = threading.Event()  # ends the pause before the next attempt
        self._interrupt = Interrupt()

    def __enter__(self) -> NodeWatcher:
        self._clock.start(self._run, "node-watcher")
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        self._hurry.set()
        self._interrupt.trip()

    def sorted_nodes(self) -> list[NodeView]:
        """Return the Nodes as they are now, sorted by name."""
        return [self.nodes[name] for name in sorted(self.nodes)]

    def list_again(self, client: Client) -> list[NodeView]:
        """Return the Nodes of the pool from a new list, not from the watch. Raises KubeError.

        The list holds metadata only. A Node of the version that the watch shows is as the watch shows it; each of the
        others is read.
        """
        listing = client.list(NODES, label_selector=self._selector or None, metadata_only=True, transform=_versions)
        listed = {item["name"]: item for item in listing.items if self._names is None or item["name"] in self._names}
        views = {name: view for name, view in self.nodes.items() if listed.get(name) == _versions_of(view)}
        others = [name for name in listed if name not in views]
        read = read_nodes(client, others, threads=self._clock, make_view=self.view_of)
        return [*views.values(), *(view for view in read.values() if view is not None)]

    def view_of(self, node: Mapping[str, Any]) -> NodeView:
        """Return the view of a complete Node object, with the answers of the gates."""
        return replace(node_view(node), gate_answers=self._gates.check(node))

    def wake(self) -> None:
        """Let take_events return, because something else has changed. Any thread may call it."""
        self._events.put([NodeEvent("WAKE")])

    def hurry(self) -> None:
        """Try again at once if the watch is interrupted: its cause seems over. Any thread may call it."""
        self._hurry.set()

    def take_events(self, seconds: float) -> list[NodeEvent]:
        """Wait up to `seconds` for an event, take all present events, and update nodes.

        Raises KubeError when the Nodes may not be watched, RolloutError when the watcher has ended.
        """
        taken: list[NodeEvent] = []
        events = self._clock.get(self._events, seconds)
        while events is not None:
            taken += map(self._apply, events)
            events = self._events.get_nowait() if not self._events.empty() else None
        return taken

    def _apply(self, event: NodeEvent) -> NodeEvent:
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
            self._watch()
        except Exception as error:  # noqa: BLE001 - a fault of ours; unreported, the run would wait without end
            ended = RolloutError(f"the nodes are watched no more: {error}: {_ADVICE}")
            self._events.put([NodeEvent("ENDED", error=ended)])

    def _reduce(self, node: dict[str, Any]) -> dict[str, Any]:
        if not self._counts(node):
            return {"metadata": _versions(node)}
        return {**reduce_node(node), _GATE_ANSWERS: self._gates.check(node)}

    @staticmethod
    def _view(reduced: Mapping[str, Any]) -> NodeView:
        return replace(node_view(reduced), gate_answers=reduced.get(_GATE_ANSWERS, ()))

    def _counts(self, node: Mapping[str, Any]) -> bool:
        return self._names is None or (node.get("metadata") or {}).get("name") in self._names

    def _pause(self, seconds: float) -> None:
        self._clock.wait(self._hurry, seconds)
        self._hurry.clear()

    def _watch(self) -> None:
        events: list[NodeEvent] = []
        is_listed = False
        for event in watch(
            self._client,
            NODES,
            label_selector=self._selector or None,
            transform=self._reduce,
            stop=self._stop,
            settings=WatchSettings(
                resume=False,  # the server may have forgotten the version, and says so only after BACK
                first_pause=_FIRST_PAUSE,
                longest_pause=_LONGEST_PAUSE,
                inactivity=_MAX_SILENCE,
                longest_wait=_MAX_RETRY_AFTER,
            ),
            timing=Timing(self._pause, self._clock.monotonic),
            interrupt=self._interrupt,
        ):
            if event.object is not None and not self._counts(event.object):
                continue
            view = None if event.object is None else self._view(event.object)
            events.append(NodeEvent(event.type, view, event.error))
            if event.type == "SYNCED" or event.error is not None:
                is_listed = event.error is None
            if is_listed or view is None:  # a list's thousands of Nodes are taken together, not one by one
                self._events.put(events)
                events = []
