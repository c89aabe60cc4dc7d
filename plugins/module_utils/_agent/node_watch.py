# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows this node's Node object with one watch, in its own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from .._kube.api_paths import NODES
from .._kube.transport import Timing
from .._kube.watch import WatchEvent, WatchSettings, watch
from .._nodeconfig.well_known import ANNOTATION_ASSIGNMENT, ANNOTATION_CONFIG_SOURCE, ANNOTATION_CONFIG_STATUS
from ._counters import Counters
from ._log import log
from ._state.desired_state import NodeAnnotations

# Seconds over which agents come back after an interruption: 1,000 a second of 5,000.
_FIRST_PAUSE = 5.0
_LONGEST_PAUSE = 10.0  # seconds between attempts: a status to write waits for the API's return


def watch_node(
    client: Any, node_name: str, *, stop: threading.Event, timing: Timing | None = None
) -> Iterator[WatchEvent]:
    """Yield the events of one Node. timing: for a simulation."""
    return watch(
        client,
        NODES,
        field_selector=f"metadata.name={node_name}",
        metadata_only=True,
        stop=stop,
        settings=WatchSettings(first_pause=_FIRST_PAUSE, longest_pause=_LONGEST_PAUSE),
        timing=timing,
    )


def annotations_of(node: dict[str, Any]) -> NodeAnnotations:
    """Return the annotations and the UID of a Node object (its metadata is enough)."""
    metadata = node.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    return NodeAnnotations(
        uid=str(metadata.get("uid") or ""),
        source=annotations.get(ANNOTATION_CONFIG_SOURCE),
        assignment=annotations.get(ANNOTATION_ASSIGNMENT),
        status=annotations.get(ANNOTATION_CONFIG_STATUS),
    )


class NodeWatch:
    """The newest view of the Node: None while it is unknown, and after it is deleted."""

    def __init__(self, node_name: str, client: Any, wake: Callable[[], None], counters: Counters) -> None:
        """Create the watch. wake: called when the view has changed, and when the watch begins or ceases to fail."""
        self._node_name = node_name
        self._client = client
        self._counters = counters
        self._wake = wake
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="node-watch", daemon=True)
        self.error = ""  # why the Node cannot be watched now
        self._returns = self._noticed = 0  # how often it has ceased to fail; how many of these has_recovered() reported
        self.view: NodeAnnotations | None = None
        self.ended = False  # the thread has ended; a bug, unless stop() was called

    def start(self) -> None:
        """Start the watch."""
        self._thread.start()

    def stop(self) -> None:
        """End the watch, within about a second."""
        self._stop.set()
        self._thread.join(timeout=2.0)

    def _run(self) -> None:
        try:
            self._follow()
        finally:
            self.ended = True
            self._wake()

    def _follow(self) -> None:
        for event in watch_node(self._client, self._node_name, stop=self._stop):
            if event.type == "ERROR":
                self._counters.errors["watch"] += 1
                self._set_error(str(event.error))
                continue
            if event.type == "GONE":  # a list follows
                continue
            self._set_error("")
            if event.type == "DELETED":
                self._set_node(None)
            elif event.object is not None:
                self._set_node(annotations_of(event.object))

    def _set_error(self, error: str) -> None:
        if error == self.error:  # one line for each error, not one for each attempt
            return
        self.error = error
        if error:
            log.warning("the Node cannot be watched: %s", error)
        else:
            self._returns += 1
        self._wake()

    def has_recovered(self) -> bool:
        """Return whether the API has recovered from an error since the last call."""
        returns, before = self._returns, self._noticed
        self._noticed = returns
        return returns != before

    def _set_node(self, view: NodeAnnotations | None) -> None:
        if view != self.view:
            self.view = view
            self._wake()
