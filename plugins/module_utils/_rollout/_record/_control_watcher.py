# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow the requests to a pool's rollout: one watch of its record."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..._kube.api_client import Client, Interrupt
from ..._kube.api_errors import KubeError
from ..._kube.api_paths import config_maps
from ..._kube.transport import Timing
from ..._kube.watch import WatchSettings, watch
from ..._nodeconfig.well_known import NAMESPACE_ROLLOUTS
from .. import RolloutError
from ..timing import Clock
from ._control import RECORD_KEYS, Control

_FIRST_PAUSE = 0.1  # seconds at most before a watch that ended is opened again
_LONGEST_PAUSE = 2.0  # seconds between two attempts: a request is seen within five seconds
_MAX_SILENCE = 90.0  # seconds without an event or a bookmark (one a minute): then the connection is dead


class ControlWatcher:
    """Follows the requests to a pool's rollout in a thread of its own. A context manager: leaving it ends the watch.

    control: the newest requests; before the first event, those that the caller has read. error: why newer requests may
    be missing at the moment, None while they arrive; a runner that may not watch the record still lists it, every few
    seconds. wake: is called in that thread when control or error has changed.
    """

    def __init__(
        self, client: Client, pool: str, clock: Clock, wake: Callable[[], object], *, control: Control | None = None
    ) -> None:
        self.control = control or Control()
        self.error: KubeError | RolloutError | None = None
        self._client = client
        self._pool = pool
        self._clock = clock
        self._wake = wake
        self._stop = threading.Event()
        self._interrupt = Interrupt()

    def __enter__(self) -> ControlWatcher:
        self._clock.start(self._run, "control-watcher")
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop.set()
        self._interrupt.trip()

    def _run(self) -> None:
        try:
            self._watch()
        except Exception as error:  # noqa: BLE001 - a fault of ours; unreported, no request would be obeyed any more
            self._update(self.control, RolloutError(f"requests such as pause are no longer seen: {error}"))

    def _watch(self) -> None:
        for event in watch(
            self._client,
            config_maps(NAMESPACE_ROLLOUTS),
            field_selector=f"metadata.name={self._pool}",
            transform=_reduce_record,
            stop=self._stop,
            settings=WatchSettings(
                resume=False,  # so that a runner that may list but not watch sees requests too
                first_pause=_FIRST_PAUSE,
                longest_pause=_LONGEST_PAUSE,
                inactivity=_MAX_SILENCE,
                longest_wait=_LONGEST_PAUSE,
            ),
            timing=Timing(lambda seconds: self._clock.wait(self._stop, seconds), self._clock.monotonic),
            interrupt=self._interrupt,
        ):
            if event.type == "DELETED":
                self._update(Control(), self.error)
            elif event.object is not None:
                self._update(Control.from_data(event.object.get("data") or {}), self.error)
            elif event.error is not None:
                self._update(self.control, event.error)
            elif event.type == "BACK":
                self._update(self.control, None)

    def _update(self, control: Control, error: KubeError | RolloutError | None) -> None:
        # Two errors of the same text are the same news.
        has_changed = (control, str(error)) != (self.control, str(self.error))
        self.control, self.error = control, error
        if has_changed and not self._stop.is_set():
            self._wake()


def _reduce_record(item: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a record's ConfigMap that is followed; the names of thousands of nodes are not."""
    data = item.get("data") or {}
    kept = {key: text for key, text in data.items() if key not in RECORD_KEYS}
    return {"metadata": item.get("metadata") or {}, "data": kept}
