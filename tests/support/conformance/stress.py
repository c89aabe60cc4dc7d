# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hundred updates of a node, to check that all resources are bounded."""

from __future__ import annotations

import contextlib
import threading
from typing import NamedTuple

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.conformance.ours import OurNode

__all__ = ["Footprint", "Stress"]

ROUNDS = 50  # of two updates each: the second undo is the first of the next round


class Footprint(NamedTuple):
    """The agent's resources: open files, resident memory in kilobytes, and files."""

    descriptors: int
    memory: int
    files: int


def footprint(node: OurNode) -> Footprint:
    """Return the agent's present use of resources."""
    script = (
        "pid=$(systemctl show -p MainPID --value configok-agent); ls /proc/$pid/fd | wc -l; "
        "awk '/VmRSS/ {print $2}' /proc/$pid/status; find /var/lib/configok -type f | wc -l"
    )
    pids = [int(word) for word in str(node.machine.run(["sh", "-c", script]).stdout).split()]
    return Footprint(*pids)


class Stress:
    """Assigns two configs in turn, in a separate thread."""

    def __init__(self, node: OurNode, api_stays: threading.Lock) -> None:
        self.node = node
        self._api_stays = api_stays
        self._leave = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.error: BaseException | None = None
        self.updates = 0
        self.restarts = 0
        self.first: Footprint | None = None
        self.last: Footprint | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop early, if it is not done."""
        self._leave.set()
        if self._thread.ident is not None:
            self._thread.join(120)

    def wait(self, seconds: float) -> None:
        """Wait until it is done, and raise its error."""
        self._thread.join(seconds)
        if self._thread.is_alive():
            raise AssertionError(f"only {self.updates} updates were done")
        if self.error is not None:
            raise AssertionError(f"update {self.updates + 1}: {self.error}") from self.error

    def _work(self) -> None:
        try:
            before = self.node.starts()
            for round_ in range(ROUNDS):
                # As in the ancestor's test: two configs whose eventRecordQPS differs by one, new ones each round.
                for number in (0, 1):
                    if self._leave.is_set():
                        return
                    self._update(self.node.publish({"eventRecordQPS": 10 + 2 * round_ + number}))
                if round_ == 4:  # warm
                    self.first = footprint(self.node)
            self.last = footprint(self.node)
            self.restarts = self.node.starts() - before
        except BaseException as error:  # noqa: BLE001 - raised again by wait()
            self.error = error

    def _update(self, source: ConfigSource) -> None:
        with self._api_stays:
            answer = self.node.on(source)
            assert answer.status.active == source
        self.updates += 1
        with contextlib.suppress(Exception):
            self.node.delete(source)  # the cluster's objects are bounded too
