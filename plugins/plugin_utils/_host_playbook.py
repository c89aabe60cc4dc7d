# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the playbooks that change the hosts of Nodes have in common. Private to configok.node."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from ansible_collections.configok.node.plugins.module_utils._rollout._drain.inventory_hosts import InventoryHost
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import (
    PlaybookOptions,
    PlaybookResult,
    run_playbook,
)

__all__ = ["HostPlaybook"]


class HostPlaybook:
    """Runs playbooks for hosts of the inventory until it is closed. Safe for several threads.

    options: of the present run. hosts: returns those of the inventory; is called once. directory: what the paths of the
    user's playbooks are relative to. show: gets the last lines of the output of a playbook that does not pass. run:
    runs a playbook.
    """

    LONGEST_END: ClassVar = 20.0  # seconds that a playbook has to end

    def __init__(
        self,
        options: PlaybookOptions,
        hosts: Callable[[], Iterable[InventoryHost]],
        *,
        directory: str,
        show: Callable[[str], object] = lambda _line: None,
        run: Callable[..., PlaybookResult] = run_playbook,
    ) -> None:
        self._options = options
        self._read_hosts = hosts
        self._hosts: tuple[InventoryHost, ...] | None = None
        self._directory = directory
        self._show = show
        self._run = run
        self._stop = threading.Event()
        self._state = threading.Condition()
        self._running = 0

    def close(self) -> None:
        """End the playbooks that run, and wait until they have ended: they must not outlive the present run.

        A machine that has begun to reboot is not stopped.
        """
        self._stop.set()
        with self._state:
            self._state.wait_for(lambda: not self._running, timeout=self.LONGEST_END)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count a playbook that runs, for close."""
        with self._state:
            self._running += 1
        try:
            yield
        finally:
            with self._state:
                self._running -= 1
                self._state.notify_all()

    def _inventory(self) -> tuple[InventoryHost, ...]:
        with self._state:
            if self._hosts is None:
                self._hosts = tuple(self._read_hosts())
            return self._hosts

    def _show_tail(self, result: PlaybookResult) -> None:
        for line in result.tail:
            self._show(line)
