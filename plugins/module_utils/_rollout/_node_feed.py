# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes on the Nodes of a pool, as it changes. Private to configok.node."""

from __future__ import annotations

import queue
import threading

from .._kube._client import Client
from .._kube._paths import NODES
from .._kube._watch import Event, watch

__all__ = ["NodeFeed"]


class NodeFeed:
    """A metadata-only watch of a pool's Nodes in a thread of its own; its events are in ``events``.

    A context manager: leaving it ends the watch.
    """

    def __init__(self, client: Client, selector: str) -> None:
        self.events: queue.Queue[Event] = queue.Queue()
        self._stop = threading.Event()
        self._client = client
        self._selector = selector
        self._thread = threading.Thread(target=self._run, name="node-feed", daemon=True)

    def __enter__(self) -> NodeFeed:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()

    def _run(self) -> None:
        for event in watch(
            self._client, NODES, label_selector=self._selector or None, metadata_only=True, stop=self._stop
        ):
            self.events.put(event)
